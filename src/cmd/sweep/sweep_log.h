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
	uint64_t plan_hash; /* 0: it holds no sweep */
	uint64_t seed;
	char identity[400]; /* of the device under test, or "" */
	double to_s; /* the last time in it */
	size_t lines;
	bool torn; /* an attempt has no end */
	struct sweep_job_name *name;
	size_t n_names, cap_names;
};

/* The command line of a log: first pass. 0, or -errno with a sentence. */
int sweep_log_open(struct sweep_past *past, const char *path) must_check;
/*
 * The runs in it, by a plan. boot: attempts that ended with that boot of the
 * machine do not count as failures. must: what each result has to show, beside
 * what it was judged by when it was measured. 0, or -errno with a sentence.
 */
int sweep_log_runs(const char *path, const struct sweep_plan *p,
		   const char *boot, const struct assertions *must,
		   struct sweep_runs *runs) must_check;
void sweep_log_free(struct sweep_past *past);
/*
 * How far runs of a block differ in an older log, whatever it varied: the sd
 * of differences of ln of the metric, 0.03 for 3 %. 0, or -errno with a
 * sentence.
 */
int sweep_log_spread(const char *path, const struct sweep_plan *p,
		     double *sd) must_check;

/* The record that the runs of a block so far do not count. */
struct json *sweep_log_repeat(unsigned block);
struct json *sweep_log_plan(const struct sweep_plan *p);
/* An object with point, block and run, to which more is added. */
struct json *sweep_log_cell(const struct cell *cell);

/* Rows of a window as "job", "all_jobs" and "device". */
void sweep_log_rows(struct json *to, const struct window *w,
		    const struct job *job, size_t n_jobs);
/* The metric of the plan in such an object; NaN: absent. */
double sweep_log_metric(const struct sweep_plan *p, struct json *result);
/* The longest p99 of reads and writes over all jobs; NaN. */
double sweep_log_p99(struct json *result);

#endif
