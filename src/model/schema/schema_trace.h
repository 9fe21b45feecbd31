/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The traced times of a device: the raw counters, and the fields that a device
 * gets from them (model/trace_counts.h).
 */
#ifndef MODEL_SCHEMA_SCHEMA_TRACE_H
#define MODEL_SCHEMA_SCHEMA_TRACE_H

#include "model/schema/schema.h"
#include "model/trace_counts.h"

/* All in the arena of the sample. */
struct device_trace {
	bool split; /* queue and device are known; else the whole time only */
	double missed; /* completions that diskstats counted and the programs
			* did not, since the start; NaN: not known */
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
	uint64_t total_ns, size_bytes;
	int64_t queue_ns, device_ns, sector, inode;
	unsigned pid, requeues;
	int64_t lost;
	char comm[16], writer[16], flags[64];
	char cgroup[ROW_ID_MAX];
};

extern const struct schema schema_slow;

/* Which of the three times. */
enum trace_part { TRACE_WHOLE, TRACE_QUEUE, TRACE_DEVICE };

/* From the raw rows of two instants; NaN and false: not measured. */
double schema_trace_percentile(const struct span *s, enum trace_op op,
			       enum trace_part part, double pct);
double schema_trace_queue_pct(const struct span *s, enum trace_op op);
double schema_trace_slow_queue_pct(const struct span *s, enum trace_op op);
double schema_trace_sequential_pct(const struct span *s, enum trace_op op);
bool schema_trace_hist(const struct span *s, enum trace_op op,
		       enum trace_part part, struct histogram *out);
bool schema_trace_size_hist(const struct span *s, enum trace_op op,
			    struct histogram *out);
double schema_trace_requeues_per_s(const struct span *s);
double schema_trace_errors_per_s(const struct span *s);
double schema_trace_missed(const struct span *s);

/*
 * The functions and the rows of one operation: TRACE_FUNCTIONS(read, TRACE_READ)
 * and, in the table, TRACE_FIELDS(read, "r", "a read", "reads").
 */
#define TRACE_NUMBER(name, OP, key, part, pct)                      \
	static double name##_##key(const struct span *s)            \
	{                                                           \
		return schema_trace_percentile(s, OP, part, pct);   \
	}
#define TRACE_SHARE(name, OP, key)                                  \
	static double name##_##key(const struct span *s)            \
	{                                                           \
		return schema_trace_##key(s, OP);                   \
	}
#define TRACE_HISTOGRAM(name, OP, key, part)                                 \
	static bool name##_##key(const struct span *s, struct histogram *h) \
	{                                                                   \
		return schema_trace_hist(s, OP, part, h);                   \
	}
#define TRACE_FUNCTIONS(name, OP)                                            \
	TRACE_NUMBER(name, OP, p50_ns, TRACE_WHOLE, 50)                      \
	TRACE_NUMBER(name, OP, p99_ns, TRACE_WHOLE, 99)                      \
	TRACE_NUMBER(name, OP, p999_ns, TRACE_WHOLE, 99.9)                   \
	TRACE_NUMBER(name, OP, max_ns, TRACE_WHOLE, 100)                     \
	TRACE_NUMBER(name, OP, queue_p50_ns, TRACE_QUEUE, 50)                \
	TRACE_NUMBER(name, OP, queue_p99_ns, TRACE_QUEUE, 99)                \
	TRACE_NUMBER(name, OP, device_p50_ns, TRACE_DEVICE, 50)              \
	TRACE_NUMBER(name, OP, device_p99_ns, TRACE_DEVICE, 99)              \
	TRACE_SHARE(name, OP, queue_pct)                                     \
	TRACE_SHARE(name, OP, slow_queue_pct)                                \
	TRACE_HISTOGRAM(name, OP, hist, TRACE_WHOLE)                         \
	TRACE_HISTOGRAM(name, OP, queue_hist, TRACE_QUEUE)                   \
	TRACE_HISTOGRAM(name, OP, device_hist, TRACE_DEVICE)
#define TRACE_DATA_FUNCTIONS(name, OP)                                       \
	TRACE_FUNCTIONS(name, OP)                                            \
	TRACE_SHARE(name, OP, sequential_pct)                                \
	static bool name##_size_hist(const struct span *s,                   \
				     struct histogram *h)                    \
	{                                                                    \
		return schema_trace_size_hist(s, OP, h);                     \
	}

#define TRACE_TIME(name, l, end, words)                             \
	{ .key = #name "_" #end, .title = l,                        \
	  .help = words " (traced; on the screen in ms)",           \
	  .width = 7, .digits = 2, .scale = 1e-6, .better = -1,     \
	  .weight = #name "_iops", .column = COLUMN_HIDDEN,         \
	  .number = name##_##end }
#define TRACE_PCT(name, l, end, words)                              \
	{ .key = #name "_" #end, .title = l, .help = words " (traced)", \
	  .width = 5, .digits = 1, .weight = #name "_iops",         \
	  .column = COLUMN_HIDDEN, .number = name##_##end }
#define TRACE_HIST(name, end, words)                                \
	{ .key = #name "_" #end, .title = #name "-" #end,           \
	  .help = words " (traced)", .kind = FIELD_HISTOGRAM,       \
	  .histogram = name##_##end }

#define TRACE_FIELDS(name, l, one, many)                                      \
	TRACE_TIME(name, l "_p50", p50_ns,                                    \
		   "median whole time of " one ": queued and served"),        \
	TRACE_TIME(name, l "_p99", p99_ns,                                    \
		   "99th percentile of the whole time of " one),              \
	TRACE_TIME(name, l "_p99.9", p999_ns,                                 \
		   "99.9th percentile of the whole time of " one),            \
	TRACE_TIME(name, l "_max", max_ns, "longest whole time of " one),     \
	TRACE_TIME(name, l "q_p50", queue_p50_ns,                             \
		   "median time of " one " before the driver had it"),        \
	TRACE_TIME(name, l "q_p99", queue_p99_ns,                             \
		   "99th percentile of the time of " one                      \
		   " before the driver had it"),                              \
	TRACE_TIME(name, l "d_p50", device_p50_ns,                            \
		   "median time of " one " in the driver and the device"),    \
	TRACE_TIME(name, l "d_p99", device_p99_ns,                            \
		   "99th percentile of the time of " one                      \
		   " in the driver and the device"),                          \
	TRACE_PCT(name, l "%q", queue_pct,                                    \
		  "share of the queue in the summed time of all " many),      \
	TRACE_PCT(name, l "%q99", slow_queue_pct,                             \
		  "share of the queue in the time of the slowest 1 % of the " \
		  many),                                                      \
	TRACE_HIST(name, hist, "whole times of the " many),                   \
	TRACE_HIST(name, queue_hist,                                          \
		   "times of the " many " before the driver had them"),       \
	TRACE_HIST(name, device_hist,                                         \
		   "times of the " many " in the driver and the device")

#define TRACE_DATA_FIELDS(name, l, one, many)                                 \
	TRACE_FIELDS(name, l, one, many),                                     \
	TRACE_PCT(name, l "%seq", sequential_pct,                             \
		  "share of the " many " that begin where one of the last 8 " \
		  "of the device ended"),                                     \
	TRACE_HIST(name, size_hist,                                           \
		   "sizes of the " many ", in powers of two")

#endif
