/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job span: rates and latencies of one interval.
 */
#include "model/job_span.h"

#include <math.h>

/* An operation that the kind of work does not have is absent, not 0. */
static bool counts(const struct span *s, enum job_op op)
{
	unsigned ops = job_now(s)->ops;

	return ops ? ops & 1u << op : op <= JOB_SYNC;
}

double job_span_iops(const struct span *s, enum job_op op)
{
	if (!s->prev || !counts(s, op))
		return NAN;
	return schema_delta64(job_now(s)->op[op].ios, job_prev(s)->op[op].ios) /
	       s->seconds;
}

double job_span_bytes_per_s(const struct span *s, enum job_op op)
{
	if (!s->prev || !counts(s, op))
		return NAN;
	return schema_delta64(job_now(s)->op[op].bytes,
			      job_prev(s)->op[op].bytes) /
	       s->seconds;
}

/* The latencies of the interval; false when nothing completed in it. */
static bool interval(const struct span *s, const struct job_latency_raw *n,
		     const struct job_latency_raw *p, struct histogram *out)
{
	if (!s->prev || !n->hist)
		return false;
	if (!p->hist) {
		*out = *n->hist;
		return true;
	}
	histogram_subtract(out, n->hist, p->hist);
	return histogram_count(out) > 0;
}

bool job_span_hist(const struct span *s, enum job_op op, struct histogram *out)
{
	/* Most often nothing happened, and that is cheap to see. */
	if (job_now(s)->op[op].ios == job_prev(s)->op[op].ios)
		return false;
	return interval(s, &job_now(s)->op[op].service,
			&job_prev(s)->op[op].service, out);
}

bool job_span_response_hist(const struct span *s, enum job_op op,
			    struct histogram *out)
{
	return interval(s, &job_now(s)->op[op].response,
			&job_prev(s)->op[op].response, out);
}

bool job_span_submit_hist(const struct span *s, enum job_op op,
			  struct histogram *out)
{
	return interval(s, &job_now(s)->op[op].submit,
			&job_prev(s)->op[op].submit, out);
}

/*
 * A percentile is the middle of a bucket and so can lie beyond the extremes
 * that the worker saw; it is held within them.
 */
static double within(const struct job_latency_raw *l, double ns)
{
	if (ns > (double)l->max_ns)
		return (double)l->max_ns;
	return ns < (double)l->min_ns ? (double)l->min_ns : ns;
}

/*
 * An extreme of the interval: the bucket's middle, or what the worker saw when
 * that fell into this bucket, so that over a run the extremes are exact.
 */
static double extreme(double middle, uint64_t seen_ns)
{
	return histogram_index((uint64_t)middle) == histogram_index(seen_ns)
		       ? (double)seen_ns
		       : middle;
}

/* pct 100 is the greatest, 0 the least, -1 the mean. */
static double percentile(const struct job_latency_raw *l,
			 const struct histogram *h, double pct)
{
	if (pct < 0)
		return within(l, histogram_mean(h));
	if (pct == 0)
		return within(l, extreme(histogram_min(h), l->min_ns));
	if (pct == 100)
		return within(l, extreme(histogram_max(h), l->max_ns));
	return within(l, histogram_percentile(h, pct));
}

double job_span_percentile(const struct span *s, enum job_op op, double pct)
{
	struct histogram h;

	if (!job_span_hist(s, op, &h))
		return NAN;
	return percentile(&job_now(s)->op[op].service, &h, pct);
}

double job_span_response(const struct span *s, enum job_op op, double pct)
{
	struct histogram h;

	if (!job_span_response_hist(s, op, &h))
		return NAN;
	return percentile(&job_now(s)->op[op].response, &h, pct);
}

double job_span_submit_mean(const struct span *s, enum job_op op)
{
	struct histogram h;

	return job_span_submit_hist(s, op, &h) ? histogram_mean(&h) : NAN;
}
