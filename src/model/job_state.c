/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job state: phase, progress, errors, loop, group, steady state.
 */
#include "model/job_state.h"

#include <math.h>

#include "model/job_span.h"

double job_state_errors(const struct span *s)
{
	return (double)job_now(s)->errors;
}

double job_state_run_s(const struct span *s)
{
	return job_now(s)->run_ns ? (double)job_now(s)->run_ns / 1e9 : NAN;
}

const char *job_state_errors_by(const struct span *s)
{
	return job_now(s)->errors_by;
}

const char *job_state_phase(const struct span *s)
{
	return phase_name(job_now(s)->phase);
}

const char *job_state_device(const struct span *s)
{
	return *job_now(s)->device ? job_now(s)->device : NULL;
}

double job_state_progress_pct(const struct span *s)
{
	return job_now(s)->progress_pct;
}

double job_state_eta_s(const struct span *s)
{
	return job_now(s)->eta_s;
}

double job_state_in_flight(const struct span *s)
{
	return job_now(s)->in_flight;
}

const char *job_state_loop(const struct span *s)
{
	return *job_now(s)->loop ? job_now(s)->loop : NULL;
}

/* The first group has no number: most runs have no other. */
double job_state_group(const struct span *s)
{
	return job_now(s)->group ? job_now(s)->group : NAN;
}

const char *job_state_steady(const struct span *s)
{
	return job_now(s)->steady.criterion_name;
}

static double of_steady(const struct span *s, double value)
{
	return job_now(s)->steady.n && isfinite(value) ? value : NAN;
}

double job_state_steady_attained(const struct span *s)
{
	return of_steady(s, job_now(s)->steady.attained);
}

double job_state_steady_criterion(const struct span *s)
{
	return of_steady(s, job_now(s)->steady.criterion);
}

double job_state_steady_deviation(const struct span *s)
{
	return of_steady(s, job_now(s)->steady.deviation);
}

double job_state_steady_slope(const struct span *s)
{
	return of_steady(s, job_now(s)->steady.slope);
}

double job_state_steady_iops(const struct span *s)
{
	return of_steady(s, job_now(s)->steady.iops);
}

double job_state_steady_bytes_per_s(const struct span *s)
{
	return of_steady(s, job_now(s)->steady.bytes_per_s);
}

double job_state_steady_lat_ns(const struct span *s)
{
	return of_steady(s, job_now(s)->steady.lat_ns);
}

const char *job_state_steady_samples(const struct span *s)
{
	return job_prev(s)->steady.samples ? NULL : job_now(s)->steady.samples;
}
