/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job state: loop, group, steady state.
 */
#include "model/job_state.h"

#include <math.h>

#include "model/job_span.h"

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
