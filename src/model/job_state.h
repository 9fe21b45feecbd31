/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job state: columns that tell what a job is at, not what it did meanwhile.
 */
#ifndef MODEL_JOB_STATE_H
#define MODEL_JOB_STATE_H

#include "model/schema.h"

/* Where it stands: progress in per cent, seconds left, its disks (NULL: none).
 */
const char *job_state_phase(const struct span *s);
double job_state_progress_pct(const struct span *s);
double job_state_eta_s(const struct span *s);
double job_state_in_flight(const struct span *s);
const char *job_state_device(const struct span *s);

/* Seconds since its run began; NaN: not begun. */
double job_state_run_s(const struct span *s);

/* I/Os that failed since the start, and as errno:count; NULL: none. */
double job_state_errors(const struct span *s);
const char *job_state_errors_by(const struct span *s);

/* What drives it, and with whom it is reported; NULL, NaN: not told. */
const char *job_state_loop(const struct span *s);
double job_state_group(const struct span *s);

/* The steady state it waits for; NULL: none. */
const char *job_state_steady(const struct span *s);

/* Of the last samples; NaN: there are none. See struct job_steady_raw. */
double job_state_steady_attained(const struct span *s);
double job_state_steady_criterion(const struct span *s);
double job_state_steady_deviation(const struct span *s);
double job_state_steady_slope(const struct span *s);
/* Told once. */
const char *job_state_steady_samples(const struct span *s);
double job_state_steady_iops(const struct span *s);
double job_state_steady_bytes_per_s(const struct span *s);
double job_state_steady_lat_ns(const struct span *s);

#endif
