/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep log: the records of a sweep. The log is its only state: a record
 * "attempt" is on the disk before a run touches anything, "result" before the
 * "cell_done" that makes it count.
 */
#ifndef CMD_SWEEP_LOG_H
#define CMD_SWEEP_LOG_H

#include "base/attributes.h"
#include "base/json.h"
#include "cmd/sweep/sweep_order.h"
#include "report/window.h"

/* The highest number that the jobs of a name had. */
struct sweep_job_name {
	char name[64];
	unsigned number;
};

/* The sweep of a log. A zeroed struct is empty. */
struct sweep_past {
	char *path;  /* NULL: no log is resumed; owned */
	char **argv; /* of its header; owned */
	size_t argc;
	char *directory;    /* where it was started; owned */
	uint64_t plan_hash; /* 0: the log holds no sweep */
	uint64_t seed;
	char identity[400]; /* of the device under test, or "" */
	double to_s; /* t of the last frame */
	double first_c; /* of the disk at the start of the first run, if ... */
	bool has_first_c;
	size_t lines;
	bool torn; /* an attempt has no end */
	struct sweep_job_name *name;
	size_t n_names, cap_names;
};

/* Read command line, plan and jobs of a log. 0, or -errno with a sentence. */
int sweep_log_open(struct sweep_past *past, const char *path) must_check;
/*
 * Read the runs of a log that belong to a plan. boot: the present boot; an
 * attempt in it without an end was killed and does not count as a failure.
 * must: assertions for each result, beside those of the log. 0, or -errno with
 * a sentence.
 */
int sweep_log_runs(const char *path, const struct sweep_plan *p,
		   const char *boot, const struct assertions *must,
		   struct sweep_runs *runs) must_check;
void sweep_log_free(struct sweep_past *past);
/*
 * Store the spread of runs within a block of an older log in *sd: the sd of the
 * differences of ln of the metric, 0.03 for 3 %. 0, or -errno with a sentence.
 */
int sweep_log_spread(const char *path, const struct sweep_plan *p,
		     double *sd) must_check;

/* A record: the runs of this block so far do not count. */
struct json *sweep_log_repeat(unsigned block);
/* A record of the plan. */
struct json *sweep_log_plan(const struct sweep_plan *p);
/* A new object with point, block and run. */
struct json *sweep_log_cell(const struct cell *cell);

/* Rows of a window as "job", "all_jobs" and "device". */
void sweep_log_rows(struct json *to, const struct window *w,
		    const struct job *job, size_t n_jobs);
/* The metric of the plan in such an object; NaN: absent. */
double sweep_log_metric(const struct sweep_plan *p, struct json *result);
/* The longest p99 of reads and writes over all jobs; NaN. */
double sweep_log_p99(struct json *result);

#endif
