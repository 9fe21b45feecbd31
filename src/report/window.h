/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Window: sums of frames, per job, per device and for the machine. The run is
 * one window, and so is each segment.
 *
 * Means are over time, weighted by seconds or, where the field names a weight,
 * by seconds times that (a mean latency by its I/Os). Of a job only the time
 * after layout and ramp counts; its totals include the interval in which it
 * ended, its means do not, unless there is no other. A job's rate per second is
 * its total over the seconds that it ran.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "model/event.h"
#include "model/frame.h"
#include "model/schema/schema_job.h"
#include "report/digest.h"

/*
 * Op sum (op_sum.c): the totals of one operation (read, write, ...) of a job or
 * device.
 */

enum { PCT_MEAN, PCT_50, PCT_90, PCT_99, PCT_999, PCT_MAX, PCTS };

/* A kind of latency; jobs only. */
struct latency_sum {
	struct histogram *hist;        /* NULL: none, packed or closed */
	struct latency_packed *packed; /* NULL: not packed */
	double min_ns, max_ns;         /* NaN when absent */
	double ns[PCTS]; /* set when it is packed or closed; without a histogram
			    those of its only interval */
	double n;        /* likewise, the number of latencies */
};

/* Rates of complete intervals, those in which nothing happened included. */
struct rate_series {
	double n, min, max, mean, squares; /* of differences from the mean */
};

struct op_sum {
	double ios, bytes, short_ios;
	struct latency_sum service;  /* submission to completion */
	struct latency_sum response; /* intended arrival to completion */
	/* Within the submission; of a traced device before the driver has it. */
	struct latency_sum submit;
	struct latency_sum complete; /* from there to completion */
	struct latency_sum prio;     /* the same, of I/Os with a cmdprio */
	struct rate_series iops, bytes_per_s;
};

/* The indexes of the fields of an operation; -1: there is no such field. */
struct op_fields {
	int iops, bytes_per_s, bytes, short_ios;
	int min, max, hist;
	int alone[PCT_MAX]; /* figures of an interval without a histogram */
	int response_max, response_hist, submit_hist, complete_hist, prio_hist;
};

/* Those of the WINDOW_OPS operations of a job, or of a device. */
const struct op_fields *op_sum_fields(enum schema_id schema);

void op_sum_init(struct op_sum *sum);
void op_sum_free(struct op_sum *sum);
/*
 * Add an interval of that many seconds. complete: the operation could happen
 * during the whole interval.
 */
void op_sum_add(struct op_sum *sum, const struct op_fields *of,
		const struct row *row, double seconds, bool complete);
/*
 * Begin with that many equal intervals in which nothing happened.
 */
void op_sum_add_idle(struct op_sum *sum, const struct op_fields *of,
		     const struct row *row, double seconds, unsigned frames);
/*
 * Add the operation of another row from the same time; series are not merged.
 */
void op_sum_merge(struct op_sum *sum, const struct op_sum *from);
/* Compute percentiles, free histograms. */
void op_sum_close(struct op_sum *sum);
/* op_sum_pack(): compute percentiles, keep only buckets that are in use;
 * op_sum_unpack(): the reverse. Intervals can be added to both forms. */
void op_sum_pack(struct op_sum *sum);
void op_sum_unpack(struct op_sum *sum);

/* The ends of the keys: "p99_ns". */
extern const char *const latency_names[PCTS];
/* Store mean and percentiles, also of a closed sum; NaN: none. */
void latency_percentiles(const struct latency_sum *l, double ns[PCTS]);
/* Any percentile of an open sum, within the extremes; NaN: none. */
double latency_percentile(const struct latency_sum *l, double pct);
/* The number of latencies. */
double latency_count(const struct latency_sum *l);
/* A copy of the histogram, packed or not, in the arena; NULL: none. */
const struct histogram *latency_histogram(const struct latency_sum *l,
					  struct arena *arena);
/* The per cent that a PCT_ stands for; NaN for mean and maximum. */
double latency_pct(int which);
/*
 * Whether at least 10 of n I/Os are above a percentile. With fewer, the next
 * run may give a very different value.
 */
bool latency_sure(double n, double pct);
/*
 * Standard deviation from the middles of the buckets. A middle is at most
 * 0.39 % off, so the error of the result is at most 0.39 % of the root mean
 * square of the latencies.
 */
double latency_stddev(const struct latency_sum *l);

/*
 * Add a series of the same intervals. Sums of means and of squares are exact
 * for independent series; minimum and maximum are bounds, as in fio.
 */
void rate_series_add(struct rate_series *s, const struct rate_series *other);
/* NaN below two intervals. */
double rate_series_stddev(const struct rate_series *s);

/* Job sum: the totals of a job, except those of its operations. */

/*
 * A figure of the job's program (EVENT_METRIC). Its value is the mean of the
 * program's results if the window contains the whole runs of the program, else
 * the mean of the intervals.
 */
struct job_metric {
	char name[32];
	int better;	      /* as of a field */
	double sum, min, max; /* of readings of intervals */
	unsigned n;
	double results;
	unsigned n_results;
	bool several; /* of several jobs: the sum is unknown */
};

struct job_sum {
	double seconds;           /* run time in the window; 0: unknown */
	double run_s;             /* the last value, or NaN */
	struct digest_counts counts;
	struct digest_last last; /* verify_s is 0 where it is not known */
	bool verify_in_run; /* blocks were read back during the run, too */
	char verify_found[160]; /* "zero:3 torn:1": class:blocks */
	double begin_wall_ns; /* begin of its run, since 1970; 0: unknown */
	double end_t_s;       /* of its last frame that was not "done" */
	char errors_by[256];  /* "5:3 28:1": errno:count, the first one first */
	char steady[40];      /* "iops:2%"; empty: it waited for none */
	char device[ROW_NAMES_MAX]; /* the disks under it, blank-separated */
	bool failed;     /* it did not reach its end */
	struct job_metric *metric;
	size_t n_metrics, cap_metrics;
};

void window_job_init(struct job_sum *sum);
void window_job_free(struct job_sum *sum);
/* The value of a metric in the window; NaN: unknown. */
double window_metric_value(const struct job_metric *m);
/* Add a job that ran at the same time. */
void window_job_merge(struct job_sum *sum, const struct job_sum *from);

/* Copy the steady state, of which there is no sum. */
void window_job_steady(struct job_sum *sum, const struct job_sum *from);

/* The blocks of a class in verify_found. */
double window_job_found(const struct job_sum *job, enum verify_damage class);

/* The errno of the job's first error; 0: none. */
int window_job_errno(const struct job_sum *sum);

/* The meaning of an errno for I/O. */
const char *window_job_error_words(int code);

/* "1", "2", "4", ... ">=64": the depths, as fio calls them. */
extern const char *const depth_names[JOB_DEPTHS];

/* "0", "4", ... ">=64": the batches. */
extern const char *const batch_names[JOB_BATCHES];

/* Window: rows of such sums. */

enum {
	WINDOW_READ = JOB_READ,
	WINDOW_WRITE = JOB_WRITE,
	WINDOW_DISCARD = JOB_TRIM,
	WINDOW_SYNC = JOB_SYNC,
	WINDOW_NAMED = JOB_COMMAND, /* of kinds of work; a device has none */
	WINDOW_VERIFY = JOB_VERIFY, /* during the run and after it */
	WINDOW_OPS = JOB_OPS
};

/* "read", "write"; "trim" and "sync" of a job, "discard" and "flush" of a
 * device; "command", "create", ... of a kind of work, "" of a device. */
const char *window_op_name(enum schema_id schema, int op);

/* The end of the key of an operation's rate: "iops" or "per_s". */
const char *window_rate_name(int op);

/* The tables of which a window keeps means only. */
#define WINDOW_MACHINE 4
extern const enum schema_id window_machine[WINDOW_MACHINE];

struct mean_sum {
	double sum, weight;
};

struct window_row {
	enum schema_id schema; /* SCHEMA_JOB, SCHEMA_DEVICE, window_machine[] */
	char id[ROW_ID_MAX];
	struct mean_sum *mean; /* one per field of the schema */
	unsigned frames;       /* that count for the means */
	struct op_sum op[WINDOW_OPS];
	double errors_before, errors; /* cumulative ones */
	double missed; /* by the trace of a device; NaN: it was not traced */
	struct job_sum job;
	struct cell *cell;     /* of an experiment, or NULL */
	char *steady_samples; /* "500:2048000 ...", as the job reports it;
			         NULL: none */
};

/* A device whose numbers stayed as they were in the first frame. */
struct window_idle {
	char id[ROW_ID_MAX];
	union value *value; /* as of a row, its numbers only; NULL: it has a row */
	double seconds;
	unsigned frames;
};

struct window {
	double from_s, to_s;
	size_t frames;
	struct window_row *row;
	size_t n, cap;
	size_t next; /* the row after the last match */
	/* Idle devices have no rows, for there may be a thousand: only their time is
	 * kept. */
	bool without_idle;
	bool follows; /* this frame is the one after the last that was added */
	struct window_idle *idle;
	size_t n_idle, cap_idle, next_idle;
};

/* Add a frame. */
void window_add(struct window *w, const struct digest *d);
/* Add only the devices of a frame. */
void window_add_devices(struct window *w, const struct digest *d);
/* Add only the clones of a frame, as rows of jobs. */
void window_add_clones(struct window *w, const struct digest *d);
/* Compute percentiles and free the histograms; add nothing after that. */
void window_close(struct window *w);
/* Histograms of jobs that are over are packed; unpack them for formats that
 * read the buckets. */
void window_unpack(struct window *w);
void window_free(struct window *w);

/* The row of a job or device, or NULL. */
const struct window_row *window_find(const struct window *w,
				     enum schema_id schema, const char *id);

/* The mean of a field by its key; a percentile of a traced device is that of all its
 * requests, where the frames have histograms. NaN when absent. */
double window_mean(const struct window_row *row, const char *key);

/*
 * I/Os or bytes of an operation per second: the total over the seconds that
 * the job ran; of a device, or if a log lacks that time, the mean. NaN:
 * unknown.
 */
double window_iops(const struct window_row *row, int op);
double window_bytes_per_s(const struct window_row *row, int op);

/*
 * The share of the completions of a device that its trace missed; NaN: it was not
 * traced. Above WINDOW_MISSED_MOST there is no verdict on traced times.
 */
#define WINDOW_MISSED_MOST 1.0
double window_missed_pct(const struct window_row *row);

/* The group of a job's row in a window; 0 also when the job never ran. */
unsigned window_group(const struct window_row *row);
/* The i-th group, ascending; false: there are no more. */
bool window_group_at(const struct window *w, size_t i, unsigned *group);
/* Merge the jobs of a group into one row; returns their number. Free the row by
 * window_row_free(). */
size_t window_group_jobs(const struct window *w, unsigned group,
			 struct window_row *all);

/*
 * Several jobs as one row: begin with an empty one, add, window_row_free() it.
 */
void window_row_init(struct window_row *all, enum schema_id schema,
		     const char *id);
void window_row_merge(struct window_row *all, const struct window_row *row);
/*
 * Merge all jobs of a window into one row. Groups run one after the other:
 * their times add up, and rates are means over the sum. False: no jobs.
 */
bool window_all_jobs(const struct window *w, struct window_row *all);
void window_row_free(struct window_row *row);

/* Whether a device had any I/O. */
bool window_row_active(const struct window_row *row);
