/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The traced times of a device: the raw counters, and the fields that a device
 * gets from them (model/trace_counts.h).
 */
#pragma once

#include "model/schema/schema.h"
#include "model/trace_counts.h"

/* All in the arena of the sample. */
struct device_trace {
	bool split; /* queue and device are known; else the whole time only */
	/* Completions, and their bytes, that diskstats counted and the programs
	 * did not, since the start; NaN: not known. */
	double missed, missed_bytes;
	const struct trace_counts *op[TRACE_OPS]; /* NULL: none yet */
};

/*
 * A slow request; id is DEVICE.NUMBER. The texts that are pointers are constant
 * or live in the sample's arena; NULL, "", -1 and NaN are absent.
 */
struct slow_raw {
	struct row_key key;
	char device[32];
	const char *op, *error, *file;
	double ago_ns; /* before the sample */
	uint64_t total_ns;
	int64_t size_bytes, queue_ns, device_ns, flush_ns, sector, inode, pid;
	unsigned requeues;
	int64_t lost;
	char comm[16], writer[16], flags[64];
	char cgroup[ROW_ID_MAX];
};

extern const struct schema schema_slow;

/* Which of the three times. */
enum trace_part { TRACE_WHOLE, TRACE_QUEUE, TRACE_DEVICE };

/*
 * From the raw rows of two instants; NaN and false: not measured. Of the field
 * they take the operation (enum trace_op), the part, the percentile or, with
 * schema_trace_per_s(), the counter in struct trace_counts.
 */
double schema_trace_time(const struct span *s, const struct field *f);
double schema_trace_queue_pct(const struct span *s, const struct field *f);
double schema_trace_slow_queue_pct(const struct span *s,
				   const struct field *f);
double schema_trace_sequential_pct(const struct span *s,
				   const struct field *f);
bool schema_trace_hist(const struct span *s, const struct field *f,
		       struct histogram *out);
bool schema_trace_size_hist(const struct span *s, const struct field *f,
			    struct histogram *out);
double schema_trace_per_s(const struct span *s, const struct field *f);
/* .at: the count in struct device_trace. */
double schema_trace_missed(const struct span *s, const struct field *f);
/* Whether a field of a device is known by the trace alone. */
bool schema_trace_has(const struct field *f);
/* The same of a process or control group; .at: its struct owner_trace in the
 * row. */
double schema_trace_owner_time(const struct span *s, const struct field *f);
double schema_trace_owner_queue_pct(const struct span *s,
				    const struct field *f);

/* Their rows: OWNER_FIELDS(struct task_raw, "the process"). */
#define OWNER_FIELDS(raw, whose)                                        \
	{ .key = "io_p99_ns",                                           \
	  .title = "io_p99",                                            \
	  .help = "99th percentile of the whole times of the requests " \
		  "of " whose " (traced; on the screen in ms)",         \
	  .width = 7,                                                   \
	  .digits = 2,                                                  \
	  .scale = 1e-6,                                                \
	  .better = -1,                                                 \
	  .column = COLUMN_URGENT_LAST,                                 \
	  .place = { [FIELD_IN_COMPARE] = 10 },                         \
	  .compare = COMPARE_JUDGE_ALONE,                               \
	  .of = schema_trace_owner_time,                                \
	  .arg = { .at = offsetof(raw, trace), .pct = 99 } },           \
		{ .key = "io_max_ns",                                   \
		  .title = "io_max",                                    \
		  .help = "longest whole time of a request of " whose   \
			  " (traced; on the screen in ms)",             \
		  .width = 7,                                           \
		  .digits = 2,                                          \
		  .scale = 1e-6,                                        \
		  .better = -1,                                         \
		  .column = COLUMN_HIDDEN,                              \
		  .of = schema_trace_owner_time,                        \
		  .arg = { .at = offsetof(raw, trace), .pct = 100 } },  \
	{                                                               \
		.key = "io_queue_pct", .title = "io%q",                 \
		.help = "share of the queue in the summed time of the " \
			"requests of " whose " (traced)",               \
		.width = 5, .digits = 1, .column = COLUMN_HIDDEN,       \
		.of = schema_trace_owner_queue_pct,                     \
		.arg = {.at = offsetof(raw, trace) }                    \
	}

/*
 * The rows of one operation: TRACE_FIELDS(read, TRACE_READ, "r", "a read",
 * "reads").
 */
#define TRACE_TIME(name, OP, l, end, part_, pct_, compared, words)               \
	{ .key = #name "_" #end, .title = l,                        \
	  .help = words " (traced; on the screen in ms)",           \
	  .width = 7, .digits = 2, .scale = 1e-6, .better = -1,     \
	  .weight = #name "_iops", .column = COLUMN_HIDDEN,         \
	  .place = { [FIELD_IN_COMPARE] = compared },               \
	  .compare = COMPARE_SHOW_ALONE,                            \
	  .of = schema_trace_time, .arg = { .op = OP, .part = part_, .pct = pct_ } }
#define TRACE_PCT(name, OP, l, end, time, words)                    \
	{ .key = #name "_" #end, .title = l, .help = words " (traced)", \
	  .width = 5, .digits = 1, .weight = #name "_iops",         \
	  .weight_time = time,                                      \
	  .column = COLUMN_HIDDEN,                                  \
	  .of = schema_trace_##end, .arg = { .op = OP } }
#define TRACE_HIST(name, OP, end, fill, part_, words)                         \
	{ .key = #name "_" #end, .title = #name "-" #end,           \
	  .help = words " (traced)", .kind = FIELD_HISTOGRAM,       \
	  .histogram = fill, .arg = { .op = OP, .part = part_ } }

#define TRACE_FIELDS(name, OP, l, one, many)                                      \
	TRACE_TIME(name, OP, l "_p50", p50_ns, TRACE_WHOLE, 50, 0,                                    \
		   "median whole time of " one ": queued and served"),        \
	TRACE_TIME(name, OP, l "_p99", p99_ns, TRACE_WHOLE, 99, 8,                                    \
		   "99th percentile of the whole time of " one),              \
	TRACE_TIME(name, OP, l "_p99.9", p999_ns, TRACE_WHOLE, 99.9, 0,                                 \
		   "99.9th percentile of the whole time of " one),            \
	TRACE_TIME(name, OP, l "_max", max_ns, TRACE_WHOLE, 100, 0, "longest whole time of " one),     \
	TRACE_TIME(name, OP, l "q_p50", queue_p50_ns, TRACE_QUEUE, 50, 0,                             \
		   "median time of " one " before the driver had it"),        \
	TRACE_TIME(name, OP, l "q_p99", queue_p99_ns, TRACE_QUEUE, 99, 8,                             \
		   "99th percentile of the time of " one                      \
		   " before the driver had it"),                              \
	TRACE_TIME(name, OP, l "d_p50", device_p50_ns, TRACE_DEVICE, 50, 0,                            \
		   "median time of " one " in the driver and the device"),    \
	TRACE_TIME(name, OP, l "d_p99", device_p99_ns, TRACE_DEVICE, 99, 8,                            \
		   "99th percentile of the time of " one                      \
		   " in the driver and the device"),                          \
	TRACE_PCT(name, OP, l "%q", queue_pct, #name "_await_ns",                 \
		  "share of the queue in the summed time of all " many),      \
	TRACE_PCT(name, OP, l "%q99", slow_queue_pct, #name "_p99_ns",            \
		  "share of the queue in the time of the slowest 1 % of the " \
		  many),                                                      \
	TRACE_HIST(name, OP, hist, schema_trace_hist, TRACE_WHOLE, "whole times of the " many),                   \
	TRACE_HIST(name, OP, queue_hist, schema_trace_hist, TRACE_QUEUE,                                          \
		   "times of the " many " before the driver had them"),       \
	TRACE_HIST(name, OP, device_hist, schema_trace_hist, TRACE_DEVICE,                                         \
		   "times of the " many " in the driver and the device")

#define TRACE_DATA_FIELDS(name, OP, l, one, many)                                 \
	TRACE_FIELDS(name, OP, l, one, many),                                     \
	TRACE_PCT(name, OP, l "%seq", sequential_pct, NULL,                       \
		  "share of the " many " that begin where one of the last 8 " \
		  "of the device ended"),                                     \
	TRACE_HIST(name, OP, size_hist, schema_trace_size_hist, 0,                                           \
		   "sizes of the " many ", in powers of two")
