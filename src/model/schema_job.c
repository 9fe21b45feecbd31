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

/* Places in lists: the graph's, and that among the metrics of a comparison. */
#define NOWHERE { 0 }
#define PLACES(graph, compare) \
	{ [FIELD_IN_GRAPH] = graph, [FIELD_IN_COMPARE] = compare }

#define LATENCY_ROW(op, l, what, key_, title_, text_, name, places) \
	{ .key = #op "_" key_, .title = l "_" title_, \
	  .help = text_ " of " what " (on the screen in ms)", \
	  .width = 8, .digits = 3, .scale = MS, \
	  .weight = #op RATE_##op, .better = -1, .place = places, \
	  .number = op##_##name }

#define HIST_ROW(op, l, key_, title_, text_, name) \
	{ .key = #op "_" key_, .title = l "_" title_, \
	  .help = text_ ": [least ns of the bucket, count] of each bucket in use", \
	  .kind = FIELD_HISTOGRAM, \
	  .histogram = op##_##name }

#define IOPS_ROW(op, l, what) \
	{ .key = #op RATE_##op, .title = l "/s", \
	  .help = what " completed per second", \
	  .width = 9, .digits = 1, .total = TOTAL_SUM, .better = 1, \
	  .place = PLACES(1, 1), \
	  .number = op##_iops }

#define OP_ROWS(op, l, what) \
	LATENCY_ROW(op, l, what, "mean_ns", "mean", \
		    "mean latency, submission to completion,", mean_ns, PLACES(0, 15)), \
	LATENCY_ROW(op, l, what, "min_ns", "min", \
		    "least latency, submission to completion,", min_ns, NOWHERE), \
	LATENCY_ROW(op, l, what, "p50_ns", "p50", \
		    "median latency, submission to completion,", p50_ns, PLACES(3, 13)), \
	LATENCY_ROW(op, l, what, "p90_ns", "p90", \
		    "latency, submission to completion, of 90 %", p90_ns, NOWHERE), \
	LATENCY_ROW(op, l, what, "p99_ns", "p99", \
		    "latency, submission to completion, of 99 %", p99_ns, PLACES(4, 2)), \
	LATENCY_ROW(op, l, what, "p999_ns", "p99.9", \
		    "latency, submission to completion, of 99.9 %", p999_ns, PLACES(0, 14)), \
	LATENCY_ROW(op, l, what, "max_ns", "max", \
		    "greatest latency, submission to completion,", max_ns, NOWHERE), \
	HIST_ROW(op, l, "hist", "hist", \
		 "latencies of " what " in the interval", hist)

#define DIR_ROWS(op, l, what, verb) \
	IOPS_ROW(op, l, what), \
	{ .key = #op "_bytes_per_s", .title = l "kB/s", \
	  .help = "bytes " verb " per second (on the screen in KiB)", \
	  .width = 10, .digits = 1, .scale = KIB, .total = TOTAL_SUM, \
	  .better = 1, .place = PLACES(2, 10), \
	  .number = op##_bytes_per_s }, \
	{ .key = #op "_bytes", .title = l "B", \
	  .help = "bytes " verb " in the interval", \
	  .width = 10, \
	  .number = op##_bytes }, \
	{ .key = #op "_short_ios", .title = l "short", \
	  .help = what " of the interval that came back in parts", \
	  .width = 6, \
	  .number = op##_short_ios }, \
	OP_ROWS(op, l, what), \
	LATENCY_ROW(op, l, what, "response_mean_ns", "rmean", \
		    "mean latency from intended arrival, with a rate,", \
		    response_mean_ns, NOWHERE), \
	LATENCY_ROW(op, l, what, "response_p50_ns", "rp50", \
		    "median latency from intended arrival, with a rate,", \
		    response_p50_ns, NOWHERE), \
	LATENCY_ROW(op, l, what, "response_p99_ns", "rp99", \
		    "latency from intended arrival, with a rate, of 99 %", \
		    response_p99_ns, NOWHERE), \
	LATENCY_ROW(op, l, what, "response_p999_ns", "rp99.9", \
		    "latency from intended arrival, with a rate, of 99.9 %", \
		    response_p999_ns, NOWHERE), \
	LATENCY_ROW(op, l, what, "response_max_ns", "rmax", \
		    "greatest latency from intended arrival, with a rate,", \
		    response_max_ns, NOWHERE), \
	HIST_ROW(op, l, "response_hist", "rhist", \
		 "latencies of " what " from intended arrival, with a rate", \
		 response_hist), \
	LATENCY_ROW(op, l, what, "submit_mean_ns", "submit", \
		    "mean time within the submission, asynchronous engines,", \
		    submit_mean_ns, NOWHERE), \
	HIST_ROW(op, l, "submit_hist", "shist", \
		 "times within the submission of " what, \
		 submit_hist)

#define DEPTH_ROW(from, level, text_) \
	{ .key = "depth_" #from "_per_s", .title = "d" #from "/s", \
	  .help = "I/Os submitted per second as " text_ " were in flight", \
	  .width = 8, .digits = 1, \
	  .number = depth_##level }

#define BATCH_ROWS(to, level, text_) \
	{ .key = "submits_" #to, .title = "sub" #to, \
	  .help = "calls of the interval that submitted " text_, \
	  .width = 8, \
	  .number = submits_##level }, \
	{ .key = "reaps_" #to, .title = "reap" #to, \
	  .help = "calls of the interval that brought back " text_, \
	  .width = 8, \
	  .number = reaps_##level }

static const struct field fields[] = {
	DIR_ROWS(read, "r", "reads", "read"),
	DIR_ROWS(write, "w", "writes", "written"),
	DIR_ROWS(trim, "t", "trims", "discarded"),
	IOPS_ROW(sync, "s", "fsyncs and fdatasyncs"),
	OP_ROWS(sync, "s", "fsyncs and fdatasyncs"),
	IOPS_ROW(command, "c", "commands"),
	OP_ROWS(command, "c", "commands"),
	{ .key = "exit_status", .title = "exit",
	  .help = "exit status of the last command, 128 + N when signal N "
		  "ended it",
	  .width = 4,
	  .number = exit_status },
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
	{ .key = "late_per_s", .title = "late/s",
	  .help = "I/Os per second submitted after their intended time, with "
		  "a rate",
	  .width = 8, .digits = 1,
	  .number = late_per_s },
	{ .key = "verify_bytes_per_s", .title = "vkB/s",
	  .help = "bytes read back and checked per second after the run (on "
		  "the screen in KiB)",
	  .width = 10, .digits = 1, .scale = KIB,
	  .number = verify_bytes_per_s },
	{ .key = "run_s", .title = "run_s",
	  .help = "seconds since its run began, the ramp not included",
	  .width = 8, .digits = 1,
	  .number = job_state_run_s },
	{ .key = "user_ns", .title = "user",
	  .help = "CPU time in user mode during the run, once it is over (on "
		  "the screen in ms)",
	  .width = 8, .digits = 1, .scale = MS,
	  .number = user_ns },
	{ .key = "system_ns", .title = "system",
	  .help = "CPU time in the kernel during the run, once it is over "
		  "(on the screen in ms)",
	  .width = 8, .digits = 1, .scale = MS,
	  .number = system_ns },
	{ .key = "switches", .title = "ctx",
	  .help = "context switches during the run, once it is over",
	  .width = 8,
	  .number = switches },
	{ .key = "major_faults", .title = "majf",
	  .help = "page faults that needed I/O, once it is over",
	  .width = 8,
	  .number = major_faults },
	{ .key = "minor_faults", .title = "minf",
	  .help = "page faults without I/O, once it is over",
	  .width = 8,
	  .number = minor_faults },
	{ .key = "in_flight", .title = "depth",
	  .help = "I/Os that the job has submitted and not got back",
	  .width = 5,
	  .number = job_state_in_flight },
	{ .key = "errors", .title = "err",
	  .help = "I/Os that failed, since the start",
	  .width = 4,
	  .number = job_state_errors },
	{ .key = "errors_by", .title = "errno",
	  .help = "errors by number of the error, as errno:count, the first "
		  "one first",
	  .kind = FIELD_TEXT, .width = 8,
	  .text = job_state_errors_by },
	{ .key = "cpu_pct", .title = "%cpu",
	  .help = "CPU time of its workers",
	  .width = 6, .digits = 1,
	  .number = cpu_pct },
	{ .key = "phase", .title = "phase",
	  .help = "layout, wait, ramp, run, verify or done",
	  .kind = FIELD_TEXT, .width = 6,
	  .text = job_state_phase },
	{ .key = "progress_pct", .title = "done%",
	  .help = "how far it is",
	  .width = 6, .digits = 1,
	  .number = job_state_progress_pct },
	{ .key = "eta_s", .title = "eta",
	  .help = "seconds until it ends",
	  .width = 6,
	  .number = job_state_eta_s },
	{ .key = "device", .title = "device",
	  .help = "the disks that hold its files or are its targets",
	  .kind = FIELD_TEXT, .width = 8,
	  .text = job_state_device },
	{ .key = "loop", .title = "loop",
	  .help = "closed loop and its depth, or open loop and its rate",
	  .kind = FIELD_TEXT, .width = 24,
	  .text = job_state_loop },
	{ .key = "group", .title = "group",
	  .help = "the group that it is reported with, from 1 after a "
		  "stonewall or new_group",
	  .width = 5,
	  .number = job_state_group },
	{ .key = "steady", .title = "steady",
	  .help = "the steady state that it waits for",
	  .kind = FIELD_TEXT, .width = 10,
	  .text = job_state_steady },
	{ .key = "steady_attained", .title = "ss",
	  .help = "1 once steady state was attained, else 0",
	  .width = 2,
	  .number = job_state_steady_attained },
	{ .key = "steady_criterion", .title = "ss_dev",
	  .help = "what is compared with the limit: deviation or slope",
	  .width = 6, .digits = 2,
	  .number = job_state_steady_criterion },
	{ .key = "steady_deviation", .title = "ss_max",
	  .help = "greatest deviation of a sample from their mean",
	  .width = 6, .digits = 2,
	  .number = job_state_steady_deviation },
	{ .key = "steady_slope", .title = "ss_slope",
	  .help = "slope of a line through the samples, per sample",
	  .width = 8, .digits = 2,
	  .number = job_state_steady_slope },
	{ .key = "steady_iops", .title = "ss_io/s",
	  .help = "mean of the last samples",
	  .width = 9, .digits = 1,
	  .number = job_state_steady_iops },
	{ .key = "steady_bytes_per_s", .title = "ss_kB/s",
	  .help = "mean of the last samples",
	  .width = 9, .digits = 1, .scale = KIB,
	  .number = job_state_steady_bytes_per_s },
	{ .key = "steady_lat_ns", .title = "ss_lat",
	  .help = "mean of the last samples",
	  .width = 7, .digits = 2, .scale = MS,
	  .number = job_state_steady_lat_ns },
	{ .key = "steady_samples", .title = "ss_samples",
	  .help = "once it is over, the last samples, each as IOPS:bytes per "
		  "second",
	  .kind = FIELD_TEXT, .width = 10,
	  .text = job_state_steady_samples },
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
