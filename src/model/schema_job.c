/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running job: what it did in an interval.
 */
#include "model/schema_job.h"

#include <math.h>

#include "base/attributes.h"
#include "model/job_span.h"
#include "model/job_state.h"

/* Of the interval; what did not happen is absent, to keep lines short. */
static double count(const struct span *s, uint64_t now, uint64_t prev)
{
	double n = s->prev ? schema_delta64(now, prev) : 0;

	return n > 0 ? n : NAN;
}

#define OP_FIELDS(name, OP) \
	static double name##_iops(const struct span *s) \
	{ \
		return job_span_iops(s, OP); \
	} \
	static double name##_mean_ns(const struct span *s) \
	{ \
		return job_span_percentile(s, OP, -1); \
	} \
	static double name##_min_ns(const struct span *s) \
	{ \
		return job_span_percentile(s, OP, 0); \
	} \
	static double name##_p50_ns(const struct span *s) \
	{ \
		return job_span_percentile(s, OP, 50); \
	} \
	static double name##_p90_ns(const struct span *s) \
	{ \
		return job_span_percentile(s, OP, 90); \
	} \
	static double name##_p99_ns(const struct span *s) \
	{ \
		return job_span_percentile(s, OP, 99); \
	} \
	static double name##_p999_ns(const struct span *s) \
	{ \
		return job_span_percentile(s, OP, 99.9); \
	} \
	static double name##_max_ns(const struct span *s) \
	{ \
		return job_span_percentile(s, OP, 100); \
	} \
	static bool name##_hist(const struct span *s, \
				struct histogram *out) \
	{ \
		return job_span_hist(s, OP, out); \
	}

#define DIR_FIELDS(name, OP) \
	OP_FIELDS(name, OP) \
	static double name##_bytes_per_s(const struct span *s) \
	{ \
		return job_span_bytes_per_s(s, OP); \
	} \
	static double name##_response_mean_ns(const struct span *s) \
	{ \
		return job_span_response(s, OP, -1); \
	} \
	static double name##_response_p50_ns(const struct span *s) \
	{ \
		return job_span_response(s, OP, 50); \
	} \
	static double name##_response_p99_ns(const struct span *s) \
	{ \
		return job_span_response(s, OP, 99); \
	} \
	static double name##_response_p999_ns(const struct span *s) \
	{ \
		return job_span_response(s, OP, 99.9); \
	} \
	static double name##_response_max_ns(const struct span *s) \
	{ \
		return job_span_response(s, OP, 100); \
	} \
	static double name##_bytes(const struct span *s) \
	{ \
		return count(s, job_now(s)->op[OP].bytes, \
			     job_prev(s)->op[OP].bytes); \
	} \
	static double name##_short_ios(const struct span *s) \
	{ \
		return count(s, job_now(s)->op[OP].short_ios, \
			     job_prev(s)->op[OP].short_ios); \
	} \
	static double name##_submit_mean_ns(const struct span *s) \
	{ \
		return job_span_submit_mean(s, OP); \
	} \
	static bool name##_response_hist(const struct span *s, \
				struct histogram *out) \
	{ \
		return job_span_response_hist(s, OP, out); \
	} \
	static bool name##_submit_hist(const struct span *s, \
				struct histogram *out) \
	{ \
		return job_span_submit_hist(s, OP, out); \
	}

DIR_FIELDS(read, JOB_READ)
DIR_FIELDS(write, JOB_WRITE)
DIR_FIELDS(trim, JOB_TRIM)
OP_FIELDS(sync, JOB_SYNC)
OP_FIELDS(command, JOB_COMMAND)

static double exit_status(const struct span *s)
{
	const struct job_raw *now = job_now(s);

	if (!(now->ops & 1u << JOB_COMMAND) || now->exit_status < 0)
		return NAN;
	return now->exit_status;
}

static double late_per_s(const struct span *s)
{
	if (!s->prev || !job_now(s)->late)
		return NAN;
	return schema_delta64(job_now(s)->late, job_prev(s)->late) / s->seconds;
}

static double verify_bytes_per_s(const struct span *s)
{
	const struct job_raw *p = s->prev;
	double n = p ? schema_delta64(job_now(s)->verify_bytes, p->verify_bytes)
		     : 0;

	return n > 0 ? n / s->seconds : NAN;
}

static double usage(const struct span *s, uint64_t n)
{
	/* Known once the workers have ended. */
	return job_now(s)->usage.user_ns + job_now(s)->usage.system_ns ? (double)n
							       : NAN;
}

#define USAGE_FIELD(name)                              \
	static double name(const struct span *s)       \
	{                                              \
		return usage(s, job_now(s)->usage.name);   \
	}

USAGE_FIELD(user_ns)
USAGE_FIELD(system_ns)
USAGE_FIELD(switches)
USAGE_FIELD(major_faults)
USAGE_FIELD(minor_faults)

static double depth(const struct span *s, unsigned level)
{
	return count(s, job_now(s)->depth[level], job_prev(s)->depth[level]) /
	       s->seconds;
}

#define DEPTH_FIELD(level)                                \
	static double depth_##level(const struct span *s) \
	{                                                 \
		return depth(s, level);                   \
	}

DEPTH_FIELD(0)
DEPTH_FIELD(1)
DEPTH_FIELD(2)
DEPTH_FIELD(3)
DEPTH_FIELD(4)
DEPTH_FIELD(5)
DEPTH_FIELD(6)

#define BATCH_FIELD(level)                                                  \
	static double submits_##level(const struct span *s)                 \
	{                                                                   \
		return count(s, job_now(s)->submits[level],                 \
			     job_prev(s)->submits[level]);                  \
	}                                                                   \
	static double reaps_##level(const struct span *s)                   \
	{                                                                   \
		return count(s, job_now(s)->reaps[level],                   \
			     job_prev(s)->reaps[level]);                    \
	}

BATCH_FIELD(0)
BATCH_FIELD(1)
BATCH_FIELD(2)
BATCH_FIELD(3)
BATCH_FIELD(4)
BATCH_FIELD(5)
BATCH_FIELD(6)

static double cpu_pct(const struct span *s)
{
	if (!s->prev)
		return NAN;
	return schema_delta64(job_now(s)->cpu_ns,
			      ((const struct job_raw *)s->prev)->cpu_ns) / 1e7 /
	       s->seconds;
}

#define KIB (1.0 / 1024)
#define MS  1e-6

/* clang-format off */
/* What the rate of an operation is called. */
#define RATE_read    "_iops"
#define RATE_write   "_iops"
#define RATE_trim    "_iops"
#define RATE_sync    "_iops"
#define RATE_command "_per_s"

#define LATENCY_ROW(op, l, what, key, title, text, name) \
	{ #op "_" key, l "_" title, text " of " what " (on the screen in ms)", \
	  FIELD_NUMBER, 8, 3, MS, #op RATE_##op, op##_##name, NULL, NULL }

#define HIST_ROW(op, l, key, title, text, name) \
	{ #op "_" key, l "_" title, \
	  text ": [least ns of the bucket, count] of each bucket in use", \
	  FIELD_HISTOGRAM, 0, 0, 0, NULL, NULL, NULL, op##_##name }

#define IOPS_ROW(op, l, what) \
	{ #op RATE_##op, l "/s", what " completed per second", \
	  FIELD_NUMBER, 9, 1, 0, NULL, op##_iops, NULL, NULL }

#define OP_ROWS(op, l, what) \
	LATENCY_ROW(op, l, what, "mean_ns", "mean", \
		    "mean latency, submission to completion,", mean_ns), \
	LATENCY_ROW(op, l, what, "min_ns", "min", \
		    "least latency, submission to completion,", min_ns), \
	LATENCY_ROW(op, l, what, "p50_ns", "p50", \
		    "median latency, submission to completion,", p50_ns), \
	LATENCY_ROW(op, l, what, "p90_ns", "p90", \
		    "latency, submission to completion, of 90 %", p90_ns), \
	LATENCY_ROW(op, l, what, "p99_ns", "p99", \
		    "latency, submission to completion, of 99 %", p99_ns), \
	LATENCY_ROW(op, l, what, "p999_ns", "p99.9", \
		    "latency, submission to completion, of 99.9 %", p999_ns), \
	LATENCY_ROW(op, l, what, "max_ns", "max", \
		    "greatest latency, submission to completion,", max_ns), \
	HIST_ROW(op, l, "hist", "hist", \
		 "latencies of " what " in the interval", hist)

#define DIR_ROWS(op, l, what, verb) \
	IOPS_ROW(op, l, what), \
	{ #op "_bytes_per_s", l "kB/s", \
	  "bytes " verb " per second (on the screen in KiB)", \
	  FIELD_NUMBER, 10, 1, KIB, NULL, op##_bytes_per_s, NULL, NULL }, \
	{ #op "_bytes", l "B", "bytes " verb " in the interval", \
	  FIELD_NUMBER, 10, 0, 0, NULL, op##_bytes, NULL, NULL }, \
	{ #op "_short_ios", l "short", \
	  what " of the interval that came back in parts", \
	  FIELD_NUMBER, 6, 0, 0, NULL, op##_short_ios, NULL, NULL }, \
	OP_ROWS(op, l, what), \
	LATENCY_ROW(op, l, what, "response_mean_ns", "rmean", \
		    "mean latency from intended arrival, with a rate,", \
		    response_mean_ns), \
	LATENCY_ROW(op, l, what, "response_p50_ns", "rp50", \
		    "median latency from intended arrival, with a rate,", \
		    response_p50_ns), \
	LATENCY_ROW(op, l, what, "response_p99_ns", "rp99", \
		    "latency from intended arrival, with a rate, of 99 %", \
		    response_p99_ns), \
	LATENCY_ROW(op, l, what, "response_p999_ns", "rp99.9", \
		    "latency from intended arrival, with a rate, of 99.9 %", \
		    response_p999_ns), \
	LATENCY_ROW(op, l, what, "response_max_ns", "rmax", \
		    "greatest latency from intended arrival, with a rate,", \
		    response_max_ns), \
	HIST_ROW(op, l, "response_hist", "rhist", \
		 "latencies of " what " from intended arrival, with a rate", \
		 response_hist), \
	LATENCY_ROW(op, l, what, "submit_mean_ns", "submit", \
		    "mean time within the submission, asynchronous engines,", \
		    submit_mean_ns), \
	HIST_ROW(op, l, "submit_hist", "shist", \
		 "times within the submission of " what, \
		 submit_hist)

#define DEPTH_ROW(from, level, text) \
	{ "depth_" #from "_per_s", "d" #from "/s", \
	  "I/Os submitted per second as " text " were in flight", \
	  FIELD_NUMBER, 8, 1, 0, NULL, depth_##level, NULL, NULL }

#define BATCH_ROWS(to, level, text) \
	{ "submits_" #to, "sub" #to, "calls of the interval that submitted " text, \
	  FIELD_NUMBER, 8, 0, 0, NULL, submits_##level, NULL, NULL }, \
	{ "reaps_" #to, "reap" #to, "calls of the interval that brought back " text, \
	  FIELD_NUMBER, 8, 0, 0, NULL, reaps_##level, NULL, NULL }

static const struct field fields[] = {
	DIR_ROWS(read, "r", "reads", "read"),
	DIR_ROWS(write, "w", "writes", "written"),
	DIR_ROWS(trim, "t", "trims", "discarded"),
	IOPS_ROW(sync, "s", "fsyncs and fdatasyncs"),
	OP_ROWS(sync, "s", "fsyncs and fdatasyncs"),
	IOPS_ROW(command, "c", "commands"),
	OP_ROWS(command, "c", "commands"),
	{ "exit_status", "exit",
	  "exit status of the last command, 128 + N when signal N ended it",
	  FIELD_NUMBER, 4, 0, 0, NULL, exit_status, NULL, NULL },
	DEPTH_ROW(1, 0, "1"),
	DEPTH_ROW(2, 1, "2 or 3"),
	DEPTH_ROW(4, 2, "4 to 7"),
	DEPTH_ROW(8, 3, "8 to 15"),
	DEPTH_ROW(16, 4, "16 to 31"),
	DEPTH_ROW(32, 5, "32 to 63"),
	DEPTH_ROW(64, 6, "64 or more"),
	BATCH_ROWS(0, 0, "no I/O"),
	BATCH_ROWS(4, 1, "1 to 4 I/Os"),
	BATCH_ROWS(8, 2, "5 to 8 I/Os"),
	BATCH_ROWS(16, 3, "9 to 16 I/Os"),
	BATCH_ROWS(32, 4, "17 to 32 I/Os"),
	BATCH_ROWS(64, 5, "33 to 64 I/Os"),
	BATCH_ROWS(more, 6, "more than 64 I/Os"),
	{ "late_per_s", "late/s",
	  "I/Os per second submitted after their intended time, with a rate",
	  FIELD_NUMBER, 8, 1, 0, NULL, late_per_s, NULL, NULL },
	{ "verify_bytes_per_s", "vkB/s",
	  "bytes read back and checked per second after the run (on the screen in KiB)",
	  FIELD_NUMBER, 10, 1, KIB, NULL, verify_bytes_per_s, NULL, NULL },
	{ "run_s", "run_s",
	  "seconds since its run began, the ramp not included",
	  FIELD_NUMBER, 8, 1, 0, NULL, job_state_run_s, NULL, NULL },
	{ "user_ns", "user",
	  "CPU time in user mode during the run, once it is over (on the screen in ms)",
	  FIELD_NUMBER, 8, 1, MS, NULL, user_ns, NULL, NULL },
	{ "system_ns", "system",
	  "CPU time in the kernel during the run, once it is over (on the screen in ms)",
	  FIELD_NUMBER, 8, 1, MS, NULL, system_ns, NULL, NULL },
	{ "switches", "ctx",
	  "context switches during the run, once it is over",
	  FIELD_NUMBER, 8, 0, 0, NULL, switches, NULL, NULL },
	{ "major_faults", "majf",
	  "page faults that needed I/O, once it is over",
	  FIELD_NUMBER, 8, 0, 0, NULL, major_faults, NULL, NULL },
	{ "minor_faults", "minf",
	  "page faults without I/O, once it is over",
	  FIELD_NUMBER, 8, 0, 0, NULL, minor_faults, NULL, NULL },
	{ "in_flight", "depth",
	  "I/Os that the job has submitted and not got back",
	  FIELD_NUMBER, 5, 0, 0, NULL, job_state_in_flight, NULL, NULL },
	{ "errors", "err",
	  "I/Os that failed, since the start",
	  FIELD_NUMBER, 4, 0, 0, NULL, job_state_errors, NULL, NULL },
	{ "errors_by", "errno",
	  "errors by number of the error, as errno:count, the first one first",
	  FIELD_TEXT, 8, 0, 0, NULL, NULL, job_state_errors_by, NULL },
	{ "cpu_pct", "%cpu",
	  "CPU time of its workers",
	  FIELD_NUMBER, 6, 1, 0, NULL, cpu_pct, NULL, NULL },
	{ "phase", "phase",
	  "layout, wait, ramp, run, verify or done",
	  FIELD_TEXT, 6, 0, 0, NULL, NULL, job_state_phase, NULL },
	{ "progress_pct", "done%",
	  "how far it is",
	  FIELD_NUMBER, 6, 1, 0, NULL, job_state_progress_pct, NULL, NULL },
	{ "eta_s", "eta",
	  "seconds until it ends",
	  FIELD_NUMBER, 6, 0, 0, NULL, job_state_eta_s, NULL, NULL },
	{ "device", "device",
	  "the disks that hold its files or are its targets",
	  FIELD_TEXT, 8, 0, 0, NULL, NULL, job_state_device, NULL },
	{ "loop", "loop",
	  "closed loop and its depth, or open loop and its rate",
	  FIELD_TEXT, 24, 0, 0, NULL, NULL, job_state_loop, NULL },
	{ "group", "group",
	  "the group that it is reported with, from 1 after a stonewall or new_group",
	  FIELD_NUMBER, 5, 0, 0, NULL, job_state_group, NULL, NULL },
	{ "steady", "steady",
	  "the steady state that it waits for",
	  FIELD_TEXT, 10, 0, 0, NULL, NULL, job_state_steady, NULL },
	{ "steady_attained", "ss",
	  "1 once steady state was attained, else 0",
	  FIELD_NUMBER, 2, 0, 0, NULL, job_state_steady_attained, NULL, NULL },
	{ "steady_criterion", "ss_dev",
	  "what is compared with the limit: deviation or slope",
	  FIELD_NUMBER, 6, 2, 0, NULL, job_state_steady_criterion, NULL, NULL },
	{ "steady_deviation", "ss_max",
	  "greatest deviation of a sample from their mean",
	  FIELD_NUMBER, 6, 2, 0, NULL, job_state_steady_deviation, NULL, NULL },
	{ "steady_slope", "ss_slope",
	  "slope of a line through the samples, per sample",
	  FIELD_NUMBER, 8, 2, 0, NULL, job_state_steady_slope, NULL, NULL },
	{ "steady_iops", "ss_io/s",
	  "mean of the last samples",
	  FIELD_NUMBER, 9, 1, 0, NULL, job_state_steady_iops, NULL, NULL },
	{ "steady_bytes_per_s", "ss_kB/s",
	  "mean of the last samples",
	  FIELD_NUMBER, 9, 1, KIB, NULL, job_state_steady_bytes_per_s, NULL,
	  NULL },
	{ "steady_lat_ns", "ss_lat",
	  "mean of the last samples",
	  FIELD_NUMBER, 7, 2, MS, NULL, job_state_steady_lat_ns, NULL, NULL },
	{ "steady_samples", "ss_samples",
	  "once it is over, the last samples, each as IOPS:bytes per second",
	  FIELD_TEXT, 10, 0, 0, NULL, NULL, job_state_steady_samples, NULL },
};
/* clang-format on */

const struct schema schema_job = {
	.name = "job",
	.help = "running jobs: what they did and how long each I/O took",
	.row_size = sizeof(struct job_raw),
	.born_zero = true,
	.cell_at = offsetof(struct job_raw, cell),
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
