/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A running job: what it did in an interval. */
#include "model/schema/schema_job.h"

#include <math.h>
#include <string.h>

#include "base/attributes.h"
#include "base/units.h"

const char *const verify_damage_names[DAMAGES] = {
	[DAMAGE_NONE] = "good",
	[DAMAGE_ZERO] = "zero",
	[DAMAGE_STALE] = "stale",
	[DAMAGE_LOST] = "lost-or-misplaced",
	[DAMAGE_MISPLACED] = "misplaced",
	[DAMAGE_TORN] = "torn",
	[DAMAGE_BIT_FLIP] = "bit-flip",
	[DAMAGE_UNKNOWN] = "unknown",
	[DAMAGE_UNFLUSHED] = "not-flushed",
	[DAMAGE_FOREIGN] = "not-known",
	[DAMAGE_BLIND] = "data-not-compared",
};

static const struct job_raw *schema_job_now(const struct span *s)
{
	return s->now;
}

/* The counts begin anew when the run follows the ramp. */
static const struct job_raw *schema_job_prev(const struct span *s)
{
	static const struct job_raw none;
	const struct job_raw *p = s->prev;

	return p && p->running == schema_job_now(s)->running ? p : &none;
}

const struct job_op_row job_ops[] = {
	[JOB_READ] = { "read", "read", "read" },
	[JOB_WRITE] = { "write", "write", "write" },
	[JOB_TRIM] = { "trim", "discard", "trim" },
	[JOB_SYNC] = { "sync", "flush", "sync" },
	[JOB_COMMAND] = { "command", "", "command" },
	[JOB_CREATE] = { "create", "", "open" },
	[JOB_CLOSE] = { "close", "", "close" },
	[JOB_UNLINK] = { "unlink", "", "unlink" },
	[JOB_SYNCALL] = { "syncall", "", "sync" },
	[JOB_STAT] = { "stat", "", "stat" },
	[JOB_LIST] = { "list", "", "listing" },
	[JOB_RENAME] = { "rename", "", "rename" },
	[JOB_SETATTR] = { "setattr", "", "change of times" },
	[JOB_LOCK] = { "lock", "", "lock" },
	[JOB_INSERT] = { "insert", "", "insertion" },
	[JOB_VERIFY] = { "verify", "", "verification" },
	[JOB_BURN] = { "burn", "", "burning" },
};
_Static_assert(ARRAY_SIZE(job_ops) == JOB_OPS, "a row for each enum job_op");

/* An operation that the kind of work does not have is absent, not 0. */
static bool schema_job_counts(const struct span *s, enum job_op op)
{
	unsigned ops = schema_job_now(s)->ops;

	return ops ? ops & 1u << op : op <= JOB_SYNC;
}

/* A counter of the job, at the offset of the field. */
static double schema_job_delta(const struct span *s, const struct field *f)
{
	return schema_delta_at(schema_job_now(s), schema_job_prev(s),
			       f->arg.at);
}

/* The same per second, of an operation of the job. */
static double op_per_s(const struct span *s, const struct field *f)
{
	if (!s->prev || !schema_job_counts(s, (enum job_op)f->arg.op))
		return NAN;
	return schema_job_delta(s, f) / s->seconds;
}

/*
 * Figures of the interval; absent where nothing happened, to keep lines short.
 */
static double schema_job_count(const struct span *s, const struct field *f)
{
	double n = s->prev ? schema_job_delta(s, f) : 0;

	return n > 0 ? n : NAN;
}

static double schema_job_count_per_s(const struct span *s,
				     const struct field *f)
{
	return schema_job_count(s, f) / s->seconds;
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

static const struct job_latency_raw *schema_job_latency(const struct job_raw *j,
						       const struct field *f)
{
	const char *op = (const char *)&j->op[f->arg.op];

	return (const struct job_latency_raw *)(const void *)(op + f->arg.at);
}

#define LATENCY(member) (offsetof(struct job_op_raw, member))

static bool op_hist(const struct span *s, const struct field *f,
		    struct histogram *out)
{
	const struct job_raw *n = schema_job_now(s), *p = schema_job_prev(s);

	/* Return early: most intervals of most operations have nothing. */
	if (f->arg.at == LATENCY(service) &&
	    n->op[f->arg.op].ios == p->op[f->arg.op].ios)
		return false;
	return interval(s, schema_job_latency(n, f), schema_job_latency(p, f),
			out);
}

/*
 * A percentile is the middle of a bucket, which may be outside the range that the
 * worker measured; limit it to that range.
 */
static double schema_job_within(const struct job_latency_raw *l, double ns)
{
	if (ns > (double)l->max_ns)
		return (double)l->max_ns;
	return ns < (double)l->min_ns ? (double)l->min_ns : ns;
}

/*
 * An extreme of the interval: the bucket's middle, or the worker's exact
 * extreme when that lies in this bucket, so that the extremes of a run are
 * exact.
 */
static double extreme(double middle, uint64_t seen_ns)
{
	return histogram_index((uint64_t)units_whole(middle, 0, INT64_MAX)) ==
			       histogram_index(seen_ns)
		       ? (double)seen_ns
		       : middle;
}

/* pct 100 is the greatest, 0 the least, -1 the mean. */
static double percentile_of(const struct job_latency_raw *l,
			 const struct histogram *h, double pct)
{
	if (pct < 0)
		return schema_job_within(l, histogram_mean(h));
	if (pct == 0)
		return schema_job_within(l,
					 extreme(histogram_min(h), l->min_ns));
	if (pct == 100)
		return schema_job_within(l,
					 extreme(histogram_max(h), l->max_ns));
	return schema_job_within(l, histogram_percentile(h, pct));
}

static double op_latency(const struct span *s, const struct field *f)
{
	struct histogram h;

	if (!op_hist(s, f, &h))
		return NAN;
	return percentile_of(schema_job_latency(schema_job_now(s), f), &h,
			     f->arg.pct);
}

static double op_mean(const struct span *s, const struct field *f)
{
	struct histogram h;

	return op_hist(s, f, &h) ? histogram_mean(&h) : NAN;
}

static double run_s(const struct span *s)
{
	return schema_job_now(s)->run_ns
		       ? (double)schema_job_now(s)->run_ns / 1e9
		       : NAN;
}

static const char *phase(const struct span *s)
{
	return event_phase_name(schema_job_now(s)->phase);
}

static double of_told(const struct span *s, const struct field *f)
{
	const struct job_raw *j = schema_job_now(s);

	return f->arg.op < j->n_told ? j->told_value[f->arg.op] : NAN;
}

/* A double of the row, while the job waits for steady state. */
static double of_steady(const struct span *s, const struct field *f)
{
	double value;

	memcpy(&value, (const char *)s->now + f->arg.at, sizeof(value));
	return schema_job_now(s)->steady.n && isfinite(value) ? value : NAN;
}

static double steady_attained(const struct span *s)
{
	return schema_job_now(s)->steady.n ? schema_job_now(s)->steady.attained
					   : NAN;
}

static const char *steady_samples(const struct span *s)
{
	return schema_job_prev(s)->steady.samples
		       ? NULL
		       : schema_job_now(s)->steady.samples;
}

static double exit_status(const struct span *s)
{
	if (!(schema_job_now(s)->ops & 1u << JOB_COMMAND) ||
	    schema_job_now(s)->exit_status < 0)
		return NAN;
	return schema_job_now(s)->exit_status;
}

static double late_per_s(const struct span *s)
{
	if (!s->prev || !schema_job_now(s)->late)
		return NAN;
	return schema_delta64(schema_job_now(s)->late,
			      schema_job_prev(s)->late) /
	       s->seconds;
}

/* Verification has checked blocks, or looked for some. */
static bool verified(const struct span *s)
{
	return schema_job_now(s)->ops & 1u << JOB_VERIFY &&
	       (schema_job_now(s)->verify_blocks ||
		schema_job_now(s)->verify_ns);
}

static double verify_blocks(const struct span *s)
{
	return verified(s) ? (double)schema_job_now(s)->verify_blocks : NAN;
}

static double verify_bad(const struct span *s)
{
	return verified(s) ? (double)schema_job_now(s)->verify_bad : NAN;
}

static double verify_s(const struct span *s)
{
	return schema_job_now(s)->verify_ns
		       ? (double)schema_job_now(s)->verify_ns / 1e9
		       : NAN;
}

static double usage(const struct span *s, const struct field *f)
{
	const struct job_raw *j = schema_job_now(s);
	uint64_t n;

	memcpy(&n, (const char *)j + f->arg.at, sizeof(n));
	/* Known once the workers have ended. */
	return j->usage.user_ns + j->usage.system_ns ? (double)n : NAN;
}

static double schema_job_cpu_pct(const struct span *s)
{
	if (!s->prev || schema_job_now(s)->cpu_ns == UINT64_MAX)
		return NAN;
	return schema_delta64(schema_job_now(s)->cpu_ns,
			      ((const struct job_raw *)s->prev)->cpu_ns) /
	       1e7 / s->seconds;
}

#define KIB (1.0 / 1024)
#define MS  1e-6

/* clang-format off */
/* The name of an operation's rate; set: read, write, trim, sync or named. */
#define RATE_read    "_iops"
#define RATE_write   "_iops"
#define RATE_trim    "_iops"
#define RATE_sync    "_iops"
#define RATE_named   "_per_s"

/* Places of an operation's columns; a change of the readahead shows in reads,
 * and the table on the screen has no trims and commands at first. */
#define FIRST_read(n)    n
#define FIRST_write(n)   0
#define FIRST_trim(n)    0
#define FIRST_sync(n)    0
#define FIRST_named(n) 0
#define SCREEN_read(n)    (3 + (n))
#define SCREEN_write(n)   (7 + (n))
#define SCREEN_trim(n)    0
#define SCREEN_sync(n)    (11 + (n))
#define SCREEN_named(n) 0

/* The rate of syncs follows from that of the writes. */
#define RANK_read     1
#define RANK_write    1
#define RANK_trim     1
#define RANK_sync     11
#define RANK_named    1
#define JUDGE_read    COMPARE_JUDGE
#define JUDGE_write   COMPARE_JUDGE
#define JUDGE_trim    COMPARE_JUDGE
#define JUDGE_sync    COMPARE_SHOW
#define JUDGE_named   COMPARE_SHOW

#define NOWHERE { 0 }
#define PLACES(graph, rank) \
	{ [FIELD_IN_GRAPH] = graph, [FIELD_IN_COMPARE] = rank }
#define ALL_PLACES(set, screen, graph, rank, readahead) \
	{ [FIELD_ON_SCREEN] = SCREEN_##set(screen), [FIELD_IN_GRAPH] = graph, \
	  [FIELD_IN_COMPARE] = rank, [FIELD_OF_READAHEAD] = FIRST_##set(readahead) }

#define OF_OP(op_, member) \
	{ .op = op_, .at = offsetof(struct job_raw, op[op_].member) }
#define OF_JOB(member) { .at = offsetof(struct job_raw, member) }

#define LATENCY_ROW(op, OP, set, l, what, key_, title_, text_, member, pct_, places) \
	{ .key = #op "_" key_, .title = l "_" title_, \
	  .help = text_ " of " what " (on the screen in ms)", \
	  .width = 8, .digits = 3, .scale = MS, \
	  .weight = #op RATE_##set, .better = -1, .place = places, \
	  .compare = __builtin_strcmp(key_, "p99_ns") && \
			     __builtin_strcmp(key_, "response_p99_ns") ? \
			     COMPARE_SHOW : COMPARE_JUDGE, \
	  .of = op_latency, \
	  .arg = { OP, 0, LATENCY(member), pct_, 0, 0 } }

#define HIST_ROW(op, OP, l, key_, title_, text_, member) \
	{ .key = #op "_" key_, .title = l "_" title_, \
	  .help = text_ ": [least ns of the bucket, count] of each bucket in use", \
	  .kind = FIELD_HISTOGRAM, \
	  .histogram = op_hist, \
	  .arg = { OP, 0, LATENCY(member), 0, 0, 0 } }

#define IOPS_ROW(op, OP, set, l, what) \
	{ .key = #op RATE_##set, .title = l "/s", \
	  .help = what " completed per second", \
	  .width = 9, .digits = 1, .total = TOTAL_SUM, .better = 1, \
	  .place = ALL_PLACES(set, 1, 1, RANK_##set, 2), \
	  .compare = JUDGE_##set, \
	  .of = op_per_s, .arg = OF_OP(OP, ios) }

#define OP_ROWS(op, OP, set, l, what) \
	LATENCY_ROW(op, OP, set, l, what, "mean_ns", "mean", \
		    "mean latency, submission to completion,", service, -1, PLACES(0, 15)), \
	LATENCY_ROW(op, OP, set, l, what, "min_ns", "min", \
		    "least latency, submission to completion,", service, 0, NOWHERE), \
	LATENCY_ROW(op, OP, set, l, what, "p50_ns", "p50", \
		    "median latency, submission to completion,", service, 50, ALL_PLACES(set, 3, 3, 13, 0)), \
	LATENCY_ROW(op, OP, set, l, what, "p90_ns", "p90", \
		    "latency, submission to completion, of 90 %", service, 90, NOWHERE), \
	LATENCY_ROW(op, OP, set, l, what, "p99_ns", "p99", \
		    "latency, submission to completion, of 99 %", service, 99, ALL_PLACES(set, 4, 4, 2, 3)), \
	LATENCY_ROW(op, OP, set, l, what, "p999_ns", "p99.9", \
		    "latency, submission to completion, of 99.9 %", service, 99.9, PLACES(0, 14)), \
	LATENCY_ROW(op, OP, set, l, what, "max_ns", "max", \
		    "greatest latency, submission to completion,", service, 100, NOWHERE), \
	HIST_ROW(op, OP, l, "hist", "hist", \
		 "latencies of " what " in the interval", service)

#define DIR_ROWS(op, OP, set, l, what, verb) \
	IOPS_ROW(op, OP, set, l, what), \
	{ .key = #op "_bytes_per_s", .title = l "kB/s", \
	  .help = "bytes " verb " per second (on the screen in KiB)", \
	  .width = 10, .digits = 1, .scale = KIB, .total = TOTAL_SUM, \
	  .better = 1, .place = ALL_PLACES(set, 2, 2, 10, 4), \
	  .of = op_per_s, .arg = OF_OP(OP, bytes) }, \
	{ .key = #op "_bytes", .title = l "B", \
	  .help = "bytes " verb " in the interval", \
	  .width = 10, \
	  .of = schema_job_count, .arg = OF_OP(OP, bytes) }, \
	{ .key = #op "_short_ios", .title = l "short", \
	  .help = what " of the interval that completed in parts", \
	  .width = 6, \
	  .of = schema_job_count, .arg = OF_OP(OP, short_ios) }, \
	OP_ROWS(op, OP, set, l, what), \
	LATENCY_ROW(op, OP, set, l, what, "response_mean_ns", "rmean", \
		    "mean latency from intended arrival, with a rate,", \
		    response, -1, NOWHERE), \
	LATENCY_ROW(op, OP, set, l, what, "response_p50_ns", "rp50", \
		    "median latency from intended arrival, with a rate,", \
		    response, 50, NOWHERE), \
	LATENCY_ROW(op, OP, set, l, what, "response_p99_ns", "rp99", \
		    "latency from intended arrival, with a rate, of 99 %", \
		    response, 99, PLACES(0, 2)), \
	LATENCY_ROW(op, OP, set, l, what, "response_p999_ns", "rp99.9", \
		    "latency from intended arrival, with a rate, of 99.9 %", \
		    response, 99.9, NOWHERE), \
	LATENCY_ROW(op, OP, set, l, what, "response_max_ns", "rmax", \
		    "greatest latency from intended arrival, with a rate,", \
		    response, 100, NOWHERE), \
	HIST_ROW(op, OP, l, "response_hist", "rhist", \
		 "latencies of " what " from intended arrival, with a rate", \
		 response), \
	{ .key = #op "_submit_mean_ns", .title = l "_submit", \
	  .help = "mean time within the submission, asynchronous engines, of " \
		  what " (on the screen in ms)", \
	  .width = 8, .digits = 3, .scale = MS, \
	  .weight = #op RATE_##set, .better = -1, \
	  .of = op_mean, .arg = { OP, 0, LATENCY(submit), 0, 0, 0 } }, \
	HIST_ROW(op, OP, l, "submit_hist", "shist", \
		 "times within the submission of " what, \
		 submit), \
	HIST_ROW(op, OP, l, "complete_hist", "chist", \
		 "times from the submission to the completion of " what, \
		 complete), \
	HIST_ROW(op, OP, l, "prio_hist", "phist", \
		 "the same times of " what " with a priority of their own " \
		 "(cmdprio)", prio)

/* Operations of kinds of work other than io. */
#define NAMED_ROWS(op, OP, l, what) \
	IOPS_ROW(op, OP, named, l, what), \
	OP_ROWS(op, OP, named, l, what)

#define DEPTH_ROW(from, level, text_) \
	{ .key = "depth_" #from "_per_s", .title = "d" #from "/s", \
	  .help = "I/Os submitted per second with " text_ " in flight", \
	  .width = 8, .digits = 1, \
	  .of = schema_job_count_per_s, .arg = OF_JOB(depth[level]) }

#define BATCH_ROWS(to, level, text_) \
	{ .key = "submits_" #to, .title = "sub" #to, \
	  .help = "calls of the interval that submitted " text_, \
	  .width = 8, \
	  .of = schema_job_count, .arg = OF_JOB(submits[level]) }, \
	{ .key = "reaps_" #to, .title = "reap" #to, \
	  .help = "calls of the interval that reaped " text_, \
	  .width = 8, \
	  .of = schema_job_count, .arg = OF_JOB(reaps[level]) }

#define TOLD_ROW(i, nth) \
	{ .key = "told_" #i, .title = "told" #i, \
	  .help = "newest value of the " nth " figure in told, in its base " \
		  "unit", \
	  .width = 10, .digits = 1, .column = COLUMN_HIDDEN, \
	  .of = of_told, .arg = { .op = (i) - 1 } }

static const struct field fields[] = {
	DIR_ROWS(read, JOB_READ, read, "r", "reads", "read"),
	DIR_ROWS(write, JOB_WRITE, write, "w", "writes", "written"),
	DIR_ROWS(trim, JOB_TRIM, trim, "t", "trims", "discarded"),
	IOPS_ROW(sync, JOB_SYNC, sync, "s", "fsyncs and fdatasyncs"),
	OP_ROWS(sync, JOB_SYNC, sync, "s", "fsyncs and fdatasyncs"),
	NAMED_ROWS(command, JOB_COMMAND, "c", "commands"),
	NAMED_ROWS(create, JOB_CREATE, "cr", "opens and creations"),
	NAMED_ROWS(close, JOB_CLOSE, "cl", "closes"),
	NAMED_ROWS(unlink, JOB_UNLINK, "u", "unlinks"),
	NAMED_ROWS(syncall, JOB_SYNCALL, "S", "syncs of all file systems"),
	NAMED_ROWS(stat, JOB_STAT, "st", "calls of stat"),
	NAMED_ROWS(list, JOB_LIST, "l", "listings of directories"),
	NAMED_ROWS(rename, JOB_RENAME, "n", "renames"),
	NAMED_ROWS(setattr, JOB_SETATTR, "a", "changes of file times"),
	NAMED_ROWS(lock, JOB_LOCK, "k", "locks and unlocks"),
	NAMED_ROWS(insert, JOB_INSERT, "i", "insertions"),
	NAMED_ROWS(verify, JOB_VERIFY, "v", "reads that verify asks for"),
	NAMED_ROWS(burn, JOB_BURN, "B", "whiles of burning CPU"),
	{ "exit_status", "exit",
	  "exit status of the last command, 128 + N when signal N ended it",
	  .width = 4, .number = exit_status },
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
	  .width = 8, .digits = 1, .number = late_per_s },
	{ "verify_bytes_per_s", "vkB/s",
	  "bytes per second of reads that verify asks for, during the run "
	  "(verify_backlog) and after it (on the screen in KiB)", .width = 10,
	  .digits = 1, .scale = KIB, .of = schema_job_count_per_s,
	  .arg = OF_OP(JOB_VERIFY, bytes) },
	{ "verify_bytes", "vB",
	  "bytes of reads that verify asks for, in the interval", .width = 10,
	  .of = schema_job_count, .arg = OF_OP(JOB_VERIFY, bytes) },
	{ "verify_blocks", "vblk",
	  "blocks that verify checked, since the start", .width = 9,
	  .number = verify_blocks },
	{ "verify_bad", "vbad",
	  "blocks that verify found damaged, since the start", .width = 6,
	  .number = verify_bad },
	{ "verify_found", "vfound",
	  "blocks that are not as written, as class:blocks: zero, stale, "
	  "lost-or-misplaced, misplaced, torn, bit-flip and unknown are "
	  "damage; not-flushed, not-known and data-not-compared are not",
	  .kind = FIELD_TEXT, .width = 16,
	  .gauge = GAUGE(struct job_raw, verify_found) },
	{ "verify_s", "v_s", "seconds of reading back after the run",
	  .width = 8, .digits = 1, .number = verify_s },
	{ "run_s", "run_s",
	  "seconds since the run began, the ramp not included", .width = 8,
	  .digits = 1, .number = run_s },
	{ "user_ns", "user",
	  "CPU time in user mode during the run, known at its end (on the "
	  "screen in ms)", .width = 8, .digits = 1, .scale = MS, .of = usage,
	  .arg = OF_JOB(usage.user_ns) },
	{ "system_ns", "system",
	  "CPU time in the kernel during the run, known at its end (on the "
	  "screen in ms)", .width = 8, .digits = 1, .scale = MS, .of = usage,
	  .arg = OF_JOB(usage.system_ns) },
	{ "switches", "ctx",
	  "context switches during the run, known at its end", .width = 8,
	  .of = usage, .arg = OF_JOB(usage.switches) },
	{ "major_faults", "majf",
	  "page faults that needed I/O, known at its end", .width = 8,
	  .of = usage, .arg = OF_JOB(usage.major_faults) },
	{ "minor_faults", "minf", "page faults without I/O, known at its end",
	  .width = 8, .of = usage, .arg = OF_JOB(usage.minor_faults) },
	{ "in_flight", "depth", "I/Os in flight: submitted and not completed",
	  .width = 5, .gauge = GAUGE(struct job_raw, in_flight) },
	{ "errors", "err", "I/Os that failed, since the start",
	  .place = { [FIELD_ON_SCREEN] = 15 }, .width = 4,
	  .gauge = GAUGE(struct job_raw, errors) },
	{ "errors_by", "errno",
	  "errors by number of the error, as errno:count, the first one first",
	  .kind = FIELD_TEXT, .width = 8,
	  .gauge = GAUGE(struct job_raw, errors_by) },
	{ "cpu_pct", "%cpu", "CPU time of the job's workers",
	  .place = { [FIELD_IN_RESULTS] = 1 }, .width = 6, .digits = 1,
	  .number = schema_job_cpu_pct },
	{ "phase", "phase", "layout, wait, ramp, run, verify or done",
	  .place = { [FIELD_ON_SCREEN] = 1 }, .kind = FIELD_TEXT, .width = 6,
	  .text = phase },
	{ "progress_pct", "done%", "progress of the job",
	  .place = { [FIELD_ON_SCREEN] = 2 }, .width = 6, .digits = 1,
	  .gauge = GAUGE(struct job_raw, progress_pct) },
	{ "eta_s", "eta", "seconds until the job ends",
	  .place = { [FIELD_ON_SCREEN] = 3 }, .width = 6,
	  .gauge = GAUGE(struct job_raw, eta_s) },
	{ "device", "device",
	  "the disks that hold the job's files or are its targets",
	  .kind = FIELD_TEXT, .width = 8,
	  .gauge = GAUGE(struct job_raw, device) },
	{ "set_bytes", "set",
	  "bytes of the targets that the job reads or writes, each counted "
	  "once (on the screen in MiB)", .width = 8, .scale = 1 / 1048576.0,
	  .setting = true, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct job_raw, set_bytes) },
	{ "hole_bytes", "holes",
	  "bytes of the targets that the job reads from holes or unwritten "
	  "space: no read of them reaches the disk (on the screen in MiB)",
	  .width = 8, .scale = 1 / 1048576.0, .setting = true,
	  .column = COLUMN_HIDDEN, .gauge = GAUGE(struct job_raw, hole_bytes) },
	{ "loop", "loop",
	  "closed loop and its depth, or open loop and its rate",
	  .kind = FIELD_TEXT, .width = 24,
	  .gauge = GAUGE(struct job_raw, loop) },
	{ "told", "told",
	  "newest figures that the job's program reported (metric, profile), "
	  "each as NAME=VALUE in base units", .kind = FIELD_TEXT, .width = 24,
	  .gauge = GAUGE(struct job_raw, told) },
	TOLD_ROW(1, "first"),
	TOLD_ROW(2, "second"),
	TOLD_ROW(3, "third"),
	TOLD_ROW(4, "fourth"),
	{ "group", "group",
	  "the job's group in the report, from 1 after a stonewall or "
	  "new_group", .width = 5, .gauge = GAUGE_SOME(struct job_raw, group) },
	{ "steady", "steady", "the steady state that the job waits for",
	  .kind = FIELD_TEXT, .width = 10,
	  .gauge = GAUGE(struct job_raw, steady.criterion_name) },
	{ "steady_attained", "ss", "1 once steady state was attained, else 0",
	  .width = 2, .number = steady_attained },
	{ "steady_criterion", "ss_dev",
	  "the value compared with the limit: deviation or slope", .width = 6,
	  .digits = 2, .of = of_steady, .arg = OF_JOB(steady.criterion) },
	{ "steady_deviation", "ss_max",
	  "greatest deviation of a sample from their mean", .width = 6,
	  .digits = 2, .of = of_steady, .arg = OF_JOB(steady.deviation) },
	{ "steady_slope", "ss_slope",
	  "slope of a line through the samples, per sample", .width = 8,
	  .digits = 2, .of = of_steady, .arg = OF_JOB(steady.slope) },
	{ "steady_iops", "ss_io/s", "mean of the last samples", .width = 9,
	  .digits = 1, .of = of_steady, .arg = OF_JOB(steady.iops) },
	{ "steady_bytes_per_s", "ss_kB/s", "mean of the last samples",
	  .width = 9, .digits = 1, .scale = KIB, .of = of_steady,
	  .arg = OF_JOB(steady.bytes_per_s) },
	{ "steady_lat_ns", "ss_lat", "mean of the last samples", .width = 7,
	  .digits = 2, .scale = MS, .of = of_steady,
	  .arg = OF_JOB(steady.lat_ns) },
	{ "steady_samples", "ss_samples",
	  "at the end, the last samples, each as IOPS:bytes per second",
	  .kind = FIELD_TEXT, .width = 10, .text = steady_samples },
};
/* clang-format on */

const struct schema schema_job = {
	.name = "job",
	.help = "running jobs: their I/Os and latencies",
	.row_size = sizeof(struct job_raw),
	.born_zero = true,
	.cell_at = offsetof(struct job_raw, cell),
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};

const struct schema schema_clone = {
	.name = "clone",
	.help = "each clone of a job that is not reported as a group",
	.row_size = sizeof(struct job_raw),
	.born_zero = true,
	.detail = true,
	.cell_at = offsetof(struct job_raw, cell),
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
