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
#ifndef REPORT_WINDOW_H
#define REPORT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "model/frame.h"
#include "report/job_sum.h"
#include "report/op_sum.h"

enum {
	WINDOW_READ,
	WINDOW_WRITE,
	WINDOW_DISCARD,
	WINDOW_SYNC,
	WINDOW_NAMED, /* of kinds of work; a device has none of these */
	WINDOW_OPS = WINDOW_NAMED + 11
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
	bool ran;              /* a frame counted for the means */
	struct op_sum op[WINDOW_OPS];
	double errors_before, errors; /* cumulative ones */
	struct job_sum job;
	char *steady_samples; /* "500:2048000 ...", as the job reports it;
			         NULL: none */
};

struct window {
	double from_s, to_s;
	size_t frames;
	struct window_row *row;
	size_t n, cap;
	size_t next; /* the row after the last match */
	/* The fields of the operations, of devices and of jobs. */
	struct op_fields of[2][WINDOW_OPS];
	bool of_known[2];
};

/* The work of a job in a frame. */
enum job_part { JOB_NOTHING, JOB_ENDED, JOB_RAN };
enum job_part window_job_part(const struct row *row);

/* Add a frame. */
void window_add(struct window *w, const struct frame *f);
/* Add only the devices of a frame. */
void window_add_devices(struct window *w, const struct frame *f);
/* Add only the clones of a frame, as rows of jobs. */
void window_add_clones(struct window *w, const struct frame *f);
/* Compute percentiles and free the histograms; add nothing after that. */
void window_close(struct window *w);
/* Histograms of jobs that are over are packed; unpack them for formats that
 * read the buckets. */
void window_unpack(struct window *w);
void window_free(struct window *w);

/* The row of a job or device, or NULL. */
const struct window_row *window_find(const struct window *w,
				     enum schema_id schema, const char *id);

/* The mean of a field by its key; NaN when absent. */
double window_mean(const struct window_row *row, const char *key);

/*
 * I/Os or bytes of an operation per second: the total over the seconds that
 * the job ran; of a device, or if a log lacks that time, the mean. NaN:
 * unknown.
 */
double window_iops(const struct window_row *row, int op);
double window_bytes_per_s(const struct window_row *row, int op);

/* The group that a job is reported with, as fio numbers them. */
unsigned window_group_of(const struct row *row);
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

#endif
