/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job span: what the columns of a job are derived from, per operation.
 *
 * NaN, or false of a histogram, where nothing completed in the interval or
 * there was none before.
 */
#ifndef MODEL_JOB_SPAN_H
#define MODEL_JOB_SPAN_H

#include "model/histogram.h"
#include "model/schema_job.h"

static inline const struct job_raw *job_now(const struct span *s)
{
	return s->now;
}

/* The counts start anew as the run follows the ramp. */
static inline const struct job_raw *job_prev(const struct span *s)
{
	static const struct job_raw none;
	const struct job_raw *p = s->prev;

	return p && p->running == job_now(s)->running ? p : &none;
}

/* Completed per second; their bytes per second. */
double job_span_iops(const struct span *s, enum job_op op);
double job_span_bytes_per_s(const struct span *s, enum job_op op);

/*
 * Latency in ns, from submission or from intended arrival: a percentile, held
 * within the extremes that were seen; 100 is the greatest, 0 the least, -1 the
 * mean.
 */
double job_span_percentile(const struct span *s, enum job_op op, double pct);
double job_span_response(const struct span *s, enum job_op op, double pct);

/* Mean time within the engine's submission, ns. */
double job_span_submit_mean(const struct span *s, enum job_op op);

/* The latencies of the interval. */
bool job_span_hist(const struct span *s, enum job_op op, struct histogram *out);
bool job_span_response_hist(const struct span *s, enum job_op op,
			    struct histogram *out);
bool job_span_submit_hist(const struct span *s, enum job_op op,
			  struct histogram *out);

#endif
