/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running job: what it did in an interval.
 */
#include "model/schema_job.h"

#include <math.h>

#include "base/attributes.h"

static const struct job_raw *now(const struct span *s)
{
	return s->now;
}

static const struct job_raw *prev(const struct span *s)
{
	return s->prev;
}

static double op_iops(const struct span *s, enum job_op op)
{
	if (!s->prev)
		return NAN;
	return schema_delta64(now(s)->op[op].ios, prev(s)->op[op].ios) /
	       s->seconds;
}

static double op_bytes_per_s(const struct span *s, enum job_op op)
{
	if (!s->prev)
		return NAN;
	return schema_delta64(now(s)->op[op].bytes, prev(s)->op[op].bytes) /
	       s->seconds;
}

/* The latencies of the interval; false when nothing completed in it. */
static bool op_hist(const struct span *s, enum job_op op,
		    struct histogram *out)
{
	const struct job_op_raw *n = &now(s)->op[op], *p;

	if (!s->prev || !n->latency)
		return false;
	p = &prev(s)->op[op];
	if (n->ios == p->ios)
		return false;
	if (p->latency)
		histogram_subtract(out, n->latency, p->latency);
	else
		*out = *n->latency;
	return true;
}

/*
 * A percentile is the middle of a bucket and so can lie beyond the extremes
 * that the worker saw; it is held within them.
 */
static double within(const struct job_op_raw *op, double ns)
{
	if (ns > (double)op->max_ns)
		return (double)op->max_ns;
	return ns < (double)op->min_ns ? (double)op->min_ns : ns;
}

/* pct 100 is the greatest, -1 the mean. */
static double op_percentile(const struct span *s, enum job_op op, double pct)
{
	struct histogram h;
	double ns;

	if (!op_hist(s, op, &h))
		return NAN;
	ns = pct < 0	? histogram_mean(&h) :
	     pct == 100 ? histogram_max(&h) :
			  histogram_percentile(&h, pct);
	return within(&now(s)->op[op], ns);
}

#define OP_FIELDS(name, OP)                                    \
	static double name##_iops(const struct span *s)        \
	{                                                      \
		return op_iops(s, OP);                         \
	}                                                      \
	static double name##_mean_ns(const struct span *s)     \
	{                                                      \
		return op_percentile(s, OP, -1);               \
	}                                                      \
	static double name##_p50_ns(const struct span *s)      \
	{                                                      \
		return op_percentile(s, OP, 50);               \
	}                                                      \
	static double name##_p99_ns(const struct span *s)      \
	{                                                      \
		return op_percentile(s, OP, 99);               \
	}                                                      \
	static double name##_p999_ns(const struct span *s)     \
	{                                                      \
		return op_percentile(s, OP, 99.9);             \
	}                                                      \
	static double name##_max_ns(const struct span *s)      \
	{                                                      \
		return op_percentile(s, OP, 100);              \
	}                                                      \
	static bool name##_hist(const struct span *s,          \
				struct histogram *out)         \
	{                                                      \
		return op_hist(s, OP, out);                    \
	}

#define BYTES_FIELD(name, OP)                                  \
	static double name##_bytes_per_s(const struct span *s) \
	{                                                      \
		return op_bytes_per_s(s, OP);                  \
	}

OP_FIELDS(read, JOB_READ)
OP_FIELDS(write, JOB_WRITE)
OP_FIELDS(sync, JOB_SYNC)
BYTES_FIELD(read, JOB_READ)
BYTES_FIELD(write, JOB_WRITE)

static double errors(const struct span *s)
{
	return (double)now(s)->errors;
}

static double cpu_pct(const struct span *s)
{
	if (!s->prev)
		return NAN;
	return schema_delta64(now(s)->cpu_ns, prev(s)->cpu_ns) / 1e7 /
	       s->seconds;
}

static const char *phase(const struct span *s)
{
	return now(s)->phase;
}

static const char *device(const struct span *s)
{
	return *now(s)->device ? now(s)->device : NULL;
}

static double progress_pct(const struct span *s)
{
	return now(s)->progress_pct;
}

static double eta_s(const struct span *s)
{
	return now(s)->eta_s;
}

static double in_flight(const struct span *s)
{
	return now(s)->in_flight;
}

#define KIB (1.0 / 1024)
#define MS  1e-6

/* clang-format off */
static const struct field fields[] = {
	{ "read_iops", "r/s",
	  "reads completed per second",
	  FIELD_NUMBER, 9, 1, 0, NULL, read_iops, NULL, NULL },
	{ "read_bytes_per_s", "rkB/s",
	  "bytes read per second (on the screen in KiB)",
	  FIELD_NUMBER, 10, 1, KIB, NULL, read_bytes_per_s, NULL, NULL },
	{ "read_mean_ns", "r_mean",
	  "mean latency of reads, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "read_iops", read_mean_ns, NULL, NULL },
	{ "read_p50_ns", "r_p50",
	  "median latency of reads, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "read_iops", read_p50_ns, NULL, NULL },
	{ "read_p99_ns", "r_p99",
	  "latency that 99 % stay within of reads, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "read_iops", read_p99_ns, NULL, NULL },
	{ "read_p999_ns", "r_p99.9",
	  "latency that 99.9 % stay within of reads, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "read_iops", read_p999_ns, NULL, NULL },
	{ "read_max_ns", "r_max",
	  "greatest latency of reads, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "read_iops", read_max_ns, NULL, NULL },
	{ "read_hist", "r_hist",
	  "latencies of reads in the interval: [least ns of the bucket, count] of each bucket in use",
	  FIELD_HISTOGRAM, 0, 0, 0, NULL, NULL, NULL, read_hist },
	{ "write_iops", "w/s",
	  "writes completed per second",
	  FIELD_NUMBER, 9, 1, 0, NULL, write_iops, NULL, NULL },
	{ "write_bytes_per_s", "wkB/s",
	  "bytes written per second (on the screen in KiB)",
	  FIELD_NUMBER, 10, 1, KIB, NULL, write_bytes_per_s, NULL, NULL },
	{ "write_mean_ns", "w_mean",
	  "mean latency of writes, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "write_iops", write_mean_ns, NULL, NULL },
	{ "write_p50_ns", "w_p50",
	  "median latency of writes, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "write_iops", write_p50_ns, NULL, NULL },
	{ "write_p99_ns", "w_p99",
	  "latency that 99 % stay within of writes, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "write_iops", write_p99_ns, NULL, NULL },
	{ "write_p999_ns", "w_p99.9",
	  "latency that 99.9 % stay within of writes, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "write_iops", write_p999_ns, NULL, NULL },
	{ "write_max_ns", "w_max",
	  "greatest latency of writes, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "write_iops", write_max_ns, NULL, NULL },
	{ "write_hist", "w_hist",
	  "latencies of writes in the interval: [least ns of the bucket, count] of each bucket in use",
	  FIELD_HISTOGRAM, 0, 0, 0, NULL, NULL, NULL, write_hist },
	{ "sync_iops", "s/s",
	  "fsyncs and fdatasyncs completed per second",
	  FIELD_NUMBER, 9, 1, 0, NULL, sync_iops, NULL, NULL },
	{ "sync_mean_ns", "s_mean",
	  "mean latency of fsyncs and fdatasyncs, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "sync_iops", sync_mean_ns, NULL, NULL },
	{ "sync_p50_ns", "s_p50",
	  "median latency of fsyncs and fdatasyncs, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "sync_iops", sync_p50_ns, NULL, NULL },
	{ "sync_p99_ns", "s_p99",
	  "latency that 99 % stay within of fsyncs and fdatasyncs, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "sync_iops", sync_p99_ns, NULL, NULL },
	{ "sync_p999_ns", "s_p99.9",
	  "latency that 99.9 % stay within of fsyncs and fdatasyncs, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "sync_iops", sync_p999_ns, NULL, NULL },
	{ "sync_max_ns", "s_max",
	  "greatest latency of fsyncs and fdatasyncs, submission to completion (on the screen in ms)",
	  FIELD_NUMBER, 8, 3, MS, "sync_iops", sync_max_ns, NULL, NULL },
	{ "sync_hist", "s_hist",
	  "latencies of fsyncs and fdatasyncs in the interval: [least ns of the bucket, count] of each bucket in use",
	  FIELD_HISTOGRAM, 0, 0, 0, NULL, NULL, NULL, sync_hist },
	{ "in_flight", "depth",
	  "I/Os that the job has submitted and not got back",
	  FIELD_NUMBER, 5, 0, 0, NULL, in_flight, NULL, NULL },
	{ "errors", "err",
	  "I/Os that failed, since the start",
	  FIELD_NUMBER, 4, 0, 0, NULL, errors, NULL, NULL },
	{ "cpu_pct", "%cpu",
	  "CPU time of its workers",
	  FIELD_NUMBER, 6, 1, 0, NULL, cpu_pct, NULL, NULL },
	{ "phase", "phase",
	  "layout, wait, ramp, run or done",
	  FIELD_TEXT, 6, 0, 0, NULL, NULL, phase, NULL },
	{ "progress_pct", "done%",
	  "how far it is",
	  FIELD_NUMBER, 6, 1, 0, NULL, progress_pct, NULL, NULL },
	{ "eta_s", "eta",
	  "seconds until it ends",
	  FIELD_NUMBER, 6, 0, 0, NULL, eta_s, NULL, NULL },
	{ "device", "device",
	  "the disks that hold its files or are its targets",
	  FIELD_TEXT, 8, 0, 0, NULL, NULL, device, NULL },
};
/* clang-format on */

const struct schema schema_job = {
	.name = "job",
	.help = "running jobs: what they did and how long each I/O took",
	.row_size = sizeof(struct job_raw),
	.born_zero = true,
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
