/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clones: the workers of one job, and the workload that holds all jobs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "model/schema/schema_job.h"
#include "workload/target/target.h"
#include "workload/thread/worker.h"
#include "workload/workload.h"

/*
 * Steady: ends a job once its rate or latency is steady.
 *
 * This is fio's steadystate, after SNIA's definition. Every check interval
 * gives one sample of the job, all clones together. The job is steady if, over
 * the samples of the last duration, every sample is nearer to their mean than
 * the limit, or if the slope of the straight line through them (least squares,
 * per interval) is below the limit. The limit is per cent of the mean, or
 * absolute. An interval without I/O is a sample of 0.
 */

struct clones;

struct steady {
	/* A ring of the last samples, cap of them. */
	double *ring[STEADY_LAT + 1]; /* by enum job_steady; [STEADY_OFF]: all */
	unsigned n, cap, at;
	/* The totals at the last sample. */
	uint64_t next_ns, from_ns, ios, bytes;
	double busy_ns;
	char name[40];
	struct job_steady_raw result;
};

/*
 * Take a sample if one is due, and end the job once it is steady. Returns the
 * time of the next check, or UINT64_MAX: never.
 */
uint64_t clones_steady_check(struct clones *c, uint64_t now_ns);

/*
 * Fill a row with the result and its samples, oldest first; once the job is
 * over, also with the samples in words.
 */
void clones_steady_row(const struct steady *s, struct job_steady_raw *row,
		       bool over, struct arena *arena);

/* The memory that the main thread shares with the workers of a job. */
struct clones_shared {
	atomic_bool stop;
	_Atomic uint32_t ended; /* workers that are over */
	_Atomic uint32_t verified; /* workers that have verified */
	struct start start;     /* of the jobs that it leads */
	struct control control;
};

/* rate_min: the bytes moved at the last check. */
struct rate_check {
	uint64_t at_ns; /* of the next look; 0: not begun */
	uint64_t from_ns;
	uint64_t bytes[JOB_DIRS], ios[JOB_DIRS];
};

/*
 * The newest figures that the job's programs reported, in the order of the
 * first report of each name. Only the main thread uses them.
 */
struct clones_told {
	unsigned n;
	struct {
		char name[32];
		double value;
	} of[JOB_TOLD];
};

struct clones {
	const struct job *job;
	const struct work_kind *kind;
	const struct engine *engine; /* NULL: the kind has none */
	struct workload *all;
	struct worker **worker;
	unsigned n;
	struct clones_shared *shared;
	int stop_fd; /* readable once the job must stop; -1: kind io */
	/* stages.c: when it begins, what it is reported with */
	unsigned stage;             /* number of stonewalls before the job */
	unsigned group;             /* of reporting */
	struct clones *leader;      /* the job whose start it shares */
	const struct clones *after; /* wait_for; or NULL */
	struct rate_check rate;
	struct steady steady;
	enum phase seen; /* at the last look for events */
	enum phase told;
	bool told_failed, told_notes, told_steady, told_bound, told_start;
	struct clones_told newest;
	bool summed_up;      /* summary is set */
	char *summary, *say; /* text of the kind, or NULL; the part not reported
			      * yet */
	/* The disks of its targets, separated by blanks; TEXT_CUT: more. */
	char device[ROW_NAMES_MAX];
	uint64_t set_bytes;  /* of its targets, each part once */
	uint64_t hole_bytes; /* of these, read and without data */
};

struct workload {
	const struct root *root;
	struct clones *clones;
	size_t n;
	struct worker **worker; /* those of all jobs, job by job */
	size_t n_workers, cap_workers;
	struct targets targets;
	struct iologs *logs;     /* NULL: none */
	struct witness *witness; /* NULL: none */
	struct barrier *barrier; /* shared with all workers */
	int epoll_fd, timer_fd;
	bool started;
	uint64_t stop_ns; /* when workload_stop() was called; 0: never */
	uint64_t begin_ns;
	uint64_t *keys; /* of dedupe_global */
};

/*
 * workload.c: plan the run without opening any target. 0, or -errno with a
 * sentence.
 */
int workload_plan(struct workload **out, const struct root *root,
		  const struct job *jobs, size_t n_jobs) must_check;
/*
 * Free a workload that is planned or has ended; undo: remove the files that it
 * made.
 */
void workload_free(struct workload *w, bool undo);

/*
 * Check all workers from the main thread: workers that died, missed rates,
 * steady state. Sets the timer for the next check.
 */
void workload_check(struct workload *w);

/* Ask the job's workers to end. Any thread may call it. */
void clones_stop(struct clones *c);

/* The phase of the slowest clone. */
enum phase clones_phase(const struct clones *c);

/*
 * workload_control.c: write the load model into buf: "closed loop, iodepth 4",
 * "open loop, rate_iops 500".
 */
void workload_loop_words(const struct clones *c, char *buf, size_t size);

/*
 * "5:3 28:1": errno:count of all errors so far, the first one first; in the
 * arena.
 */
const char *clones_errors_by(const struct clones *c, struct arena *arena);

/* The worker that failed first, or NULL. */
const struct worker *clones_failed(const struct clones *c);
/*
 * The first errno of the clone that failed first, else of any clone; 0: none.
 */
unsigned clones_error(const struct clones *c);

/*
 * Open the descriptors of every worker, and assign the files to lay out. 0 or
 * -errno with a sentence.
 */
int clones_open(struct clones *c) must_check;

/* Find the disks of the job's targets, once the targets are open. */
void clones_find_disks(struct clones *c, const struct root *root);

void clones_free(struct clones *c);
