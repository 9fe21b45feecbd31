/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep: the driver that runs one cell after the other. */
#pragma once

#include <limits.h>
#include <stdio.h>

#include "base/attributes.h"
#include "base/json.h"
#include "cmd/session/session.h"
#include "cmd/sweep/sweep_audit.h"
#include "cmd/sweep/sweep_plan.h"
#include "cmd/sweep/sweep_stage.h"
#include "report/checks.h"
#include "report/pivot/runs.h"
#include "report/window.h"
#include "ui/ui.h"

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
	char *folder;       /* where --resume was given; owned */
	uint64_t plan_hash; /* 0: the log holds no sweep */
	uint64_t seed;
	char identity[400]; /* of the device under test, or "" */
	struct json *found; /* as the sweep's; owned; NULL: none */
	double to_s;        /* t of the last frame */
	double first_c;     /* of the disk at the start of the first run, if ... */
	bool has_first_c;
	size_t lines;
	struct sweep_job_name *name;
	size_t n_names, cap_names;
};

struct sweep {
	const struct settings *settings; /* with the jobs; borrowed */
	struct sweep_plan plan;
	struct sweep_runs runs;
	struct runs results; /* the same for the report, from the records */
	struct sweep_past past; /* of --resume */
	struct sweep_stage stage;
	struct sweep_hand hand;    /* of the stage */
	struct allow_list allowed; /* words are borrowed */
	bool resumes;
	bool prints; /* only: --resume=LOG --emit=FORM */
	unsigned repeats; /* the block of --resume-from=block; 0: none */
	double sd;        /* of --sd-from; NaN: none */
	const char *log;

	/* The run under way. */
	struct sweep_next next;
	struct cell cell;
	unsigned done; /* runs that have ended, in the whole sweep */
	unsigned step; /* of the table of steps */
	bool in_cell;
	bool waiting; /* for the end of the step */
	bool knobs_over;
	uint64_t cell_ns, step_ns;
	double idle_s;
	struct job_set *set;
	size_t from_job, n_jobs; /* where the part under way begins; all */
	struct job *ran;         /* jobs of the run so far, for their names */
	size_t n_ran;
	struct window window;
	struct checks checks;
	struct digest digest; /* of both */
	struct sweep_audit audit;
	char step_words[160]; /* beside "ok" in the event of a step, or "" */
	char mounted[160];    /* options of the mount, as the kernel has them */
	double end_sync_ns;   /* NaN: none */
	double disk_c; /* of the hottest disk under the jobs; NaN: not known */
	bool measuring, measured;
	char failed[200]; /* why this run failed, or "" */
	char trouble[200]; /* why the last run failed, or "" */
	unsigned in_a_row; /* attempts that failed, all because of trouble */

	const char *step_name;      /* of the step under way */
	struct sweep_matrix matrix; /* for the screen */
	size_t matrix_runs; /* finished runs in matrix plus 1; 0: not filled */

	/* The wishes of the operator. */
	bool stop, paused, skip;
	char end_words[PATH_MAX + 700];   /* why it ended early, or "" */
	const char *boot_label; /* of the kernel that is needed, or NULL */
	double written_bytes;
	char boot[64], kernel[128];
	char identity[400]; /* of the device under test, or "" */
	/* The settings before the sweep changed any: {"sda.scheduler":"none"};
	 * owned; NULL: not known. */
	struct json *found;
};

extern const struct driver sweep_driver;

/* The device whose knobs an axis turns; NULL: not known. */
const char *sweep_device(const struct sweep *sw, const struct sweep_axis *a);
/* Seconds that a run takes: from finished runs, else from the jobs' options. */
double sweep_estimate_s(const struct sweep *sw);
/* Bytes that a run writes, from the same; NaN: not known yet. */
double sweep_estimate_bytes(const struct sweep *sw);
/*
 * The log as --resume= takes it, and the options that permit what the log alone
 * may not do: "a.jsonl --allow-knob=sda.scheduler --allow-exec".
 */
void sweep_resume_words(const struct sweep *sw, char *buf, size_t size);
/* The number of runs that have ended, failed ones too. */
size_t sweep_finished(const struct sweep *sw);

/*
 * Sweep log: the records of a sweep. The log is its only state: a record
 * "attempt" is on the disk before a run touches anything, "result" before the
 * "cell_done" that makes it count.
 */

/* Read command line, plan and jobs of a log. 0, or -errno with a sentence. */
int sweep_log_open(struct sweep_past *past, const char *path) must_check;
/*
 * Read the runs of a log that belong to a plan. boot: the present boot; an
 * attempt in it without an end was killed and does not count as a failure.
 * must: assertions for each result, beside those of the log. results get the
 * records that a report reads. 0, or -errno with a sentence.
 */
int sweep_log_runs(const char *path, const struct sweep_plan *p,
		   const char *boot, const struct assertions *must,
		   struct sweep_runs *runs, struct runs *results) must_check;
void sweep_log_free(struct sweep_past *past);
/*
 * Store the spread of runs within a block of an older log in *sd: the sd of the
 * differences of ln of the metric, 0.03 for 3 %. 0, or -errno with a sentence.
 */
int sweep_log_spread(const char *path, const struct sweep_plan *p,
		     double *sd) must_check;

/* Write the record: the runs of this block so far do not count. */
void sweep_log_repeat(struct session *s, struct sweep *sw, unsigned block);
/* Note for the summary and the results that the sweep was ended, and by what. */
void sweep_log_ended(struct session *s, struct sweep *sw, const char *by);
/* Write the record of the plan. */
void sweep_log_plan(struct session *s, struct sweep *sw);

/*
 * Sweep cell: the steps of one run. Each step is an event in the log, with its
 * result.
 */

/* Begin the run of sw->next. */
void sweep_cell_begin(struct session *s, struct sweep *sw);
/* Go on if the step under way is over; call it from driver.wake(), too. */
void sweep_cell_go_on(struct session *s, struct sweep *sw);
/* Add a frame to the sums of the run under way. */
void sweep_cell_frame(struct session *s, struct sweep *sw,
		      const struct frame *f);
/* All jobs of a set have ended: go on. */
void sweep_cell_jobs_over(struct session *s, struct sweep *sw,
			  struct job_set *set);
/* Abort the run under way; the log gets the result "aborted". */
void sweep_cell_abort(struct session *s, struct sweep *sw);

/*
 * Make the jobs of a variant in a block; free them by sweep_jobs_free().
 * 0, or -errno with a sentence.
 */
int sweep_jobs_make(const struct sweep *sw, size_t variant, unsigned block,
		    struct job **job, size_t *n) must_check;
void sweep_jobs_free(struct job *job, size_t n);

/* Sweep result: what a run gave, whether it counts, and its records. */

/* An object of the log with the cell, the attempt and the machine. */
struct json *sweep_result_record(const struct sweep *sw, unsigned attempt);
/* The jobs of the run are over, and took so long: judge it, and log its end. */
void sweep_result_take(struct session *s, struct sweep *sw, uint64_t took_ns);
/* Bytes that the jobs of the run have written so far. */
double sweep_result_written(const struct sweep *sw);
/* Free the jobs whose names it kept. */
void sweep_result_forget(struct sweep *sw);
/* Write the mark of a finished run that lacks it; number: of the run. */
void sweep_result_mark(struct session *s, struct sweep *sw,
		       struct sweep_run *run, unsigned number);
/* The run was ended from outside: its records say so. */
void sweep_result_abort(struct session *s, struct sweep *sw,
			struct sweep_run *run);

/*
 * Sweep check: refuse before the first run what each run of a variant would:
 * values and tunables that the kernel does not offer, settings that this user
 * cannot write, file systems that cannot be made. The scratch device is there.
 * 0, or -errno with a sentence; -EINVAL: a value is wrong.
 */
int sweep_check_values(const struct sweep *sw,
		       const struct root *root) must_check;

/* Sweep screen: fills the sweep's matrix on the screen before each drawing. */

/*
 * Estimate the seconds of the remaining runs, low and high: for each variant
 * the mean of its finished runs -+ 2 standard deviations, or those of all
 * variants before its second run; with --until also for the blocks that the
 * spread requires. NaN while nothing is known.
 */
void sweep_screen_left(const struct sweep *sw, double *low_s, double *high_s);
/* "0:08..0:11 left, ETA 15:42", or "". */
struct text_line sweep_screen_left_words(const struct sweep *sw);

/* Fill sw->matrix. */
void sweep_screen_fill(struct session *s, struct sweep *sw);
void sweep_screen_free(struct sweep *sw);

/* Sweep print: prints the plan and the results of a sweep. */

/* Runs, time, order, and the smallest effect that can be found. */
void sweep_print_plan(const struct sweep *sw, FILE *out);
/* The runs so far as iodyno report judges them, and how the sweep ended. */
void sweep_print_results(struct sweep *sw, FILE *out);

/* The verdicts of the blocks that decide, which are stored in from and to. The
 * caller frees them. */
struct judge_verdict *sweep_print_verdicts(const struct sweep *sw,
					   unsigned *from, unsigned *to);

/*
 * Sweep emit: the best settings as something that an administrator installs.
 * It is printed, never applied.
 */

/* The forms of --emit. */
const char *sweep_emit_at(size_t i, const char **help);
/* Print the knobs of the best variant, or why there is none. */
void sweep_emit_print(const struct sweep *sw, const char *form, FILE *out);
/*
 * Refuse, before the first run, settings of a device that the sweep makes
 * itself, and --emit-for of a device that is not there. 0, or -errno with a
 * sentence.
 */
int sweep_emit_check(const struct sweep *sw) must_check;
/* Read the settings that the sweep is going to change, which undo needs. */
void sweep_emit_look(struct sweep *sw);
