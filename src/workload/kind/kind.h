/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds of work: what a job does.
 *
 * The kind io is the loop of reads and writes; others do other work: exec runs
 * a command. A kind is one row of work_kinds[] in kind.c. The life of a worker
 * is the same for all kinds; each step has its thread:
 *
 *   settle      main thread, once per job, before it is checked
 *   plan        main thread, for each clone; before any target is opened
 *   check       main thread, once per job; the guard: what it may do
 *   preview     main thread, once per job; the same in words, changes nothing
 *   prepare     worker, before the start barrier; may sleep and allocate
 *   run         worker, from the start barrier to the end of the run
 *   finish      worker, after the run; is in no figure
 *   unprepare   worker, always, after prepare was tried
 *   release     main thread; frees what plan made
 *
 * The program gives a kind: clones as threads or processes, stages (stonewall,
 * wait_for, startdelay, exitall), ramp and runtime, CPU affinity and
 * priorities, events, the log, the report. In return, run() calls
 * worker_begin(), counts each operation in w->count->op[] (latency_add() to
 * service, counter_add() to bytes, counter_error()), asks worker_tick() after
 * each operation and at least every 100 ms until that says false, and sets
 * run_end_at_ns. Where an operation itself may take longer than that, run()
 * waits by kind_wait(), which returns as soon as the job is stopped.
 *
 * A kind that starts processes adds their CPU time to w->children_ns while they
 * run and their usage to w->children as they end.
 *
 * Operations are those of enum job_op in model/schema/schema_job.h: a new
 * operation is one row there, and the log, JSON and the screen show it by its
 * own name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "model/event.h"
#include "model/job/job.h"
#include "model/request.h"

struct clones;
struct allow_list;
struct worker;
struct workload;

struct work_kind {
	const char *name; /* the value of the option kind */
	const char *help; /* one sentence without a full stop */
	/* Values of fio's ioengine that mean this kind, by blanks; NULL: none */
	const char *fio_engine;
	/*
	 * The options that it reads besides those that all kinds read
	 * (kind_common in kind.c), by blanks: those of its own, which the kind
	 * io refuses, and those of the kind io. options NULL: all but those
	 * that only other kinds read.
	 */
	const char *options, *of_io;
	/* Bytes of a clone's state, w->work: zeroed, shared with the main thread,
	 * there from before plan until after release. 0: the kind's own care. */
	size_t state;
	unsigned ops;   /* what it counts: bits 1u << enum job_op */
	/* Those that limit_ios counts, by which the progress is known; 0: all
	 * but syncs. */
	unsigned limit_ops;
	bool runs_programs; /* with the rights of iodyno */
	bool threads; /* the clones are threads of one process of the job */

	/*
	 * Set what follows from the kind's own options: its defaults of size,
	 * bs and names of files, rw and direct, which the guard, --readonly and
	 * the opening of files use. The second time changes nothing. NULL:
	 * nothing follows.
	 */
	void (*settle)(struct job *job);

	/*
	 * Make a clone ready to be opened: add its targets (targets_add(): the
	 * guard then covers them), set limit_ios, and limit_bytes if there is
	 * one. seed differs for each clone; with a state, w->random has it. 0 or
	 * -errno with a sentence.
	 */
	int (*plan)(struct workload *w, struct worker *k,
		    uint64_t seed) must_check;
	/* NULL: nothing to free but the state and the regions. */
	void (*release)(struct worker *k);
	/*
	 * Whether the operator permits what the job does beside I/O to its
	 * targets. 0, or -EPERM with a sentence that names the option which
	 * permits it. NULL: it does nothing else.
	 */
	int (*check)(const struct clones *c, const struct allow_list *allow);
	/*
	 * The same in words, for the confirmation on the screen: danger, words
	 * and demand. need gets what demand holds. NULL: the job does nothing
	 * else.
	 */
	void (*preview)(const struct clones *c, struct run_target *out,
			struct allow_list *need);
	/* 0 or -errno with a sentence; NULL: nothing to prepare. */
	int (*prepare)(struct worker *w);
	void (*run)(struct worker *w);
	void (*finish)(struct worker *w);    /* NULL: nothing */
	void (*unprepare)(struct worker *w); /* NULL: nothing */
	/* The load model: "closed loop, iodepth 4". */
	void (*describe)(const struct clones *c, char *buf, size_t size);
	/*
	 * Main thread, once all clones are over: print the result in the form
	 * of the program that the kind repeats, or of an option that searches;
	 * lines that end in a newline, or nothing. Each line becomes an
	 * EVENT_RESULT. NULL: the kind has no such form.
	 */
	void (*summary)(const struct clones *c, FILE *out);
	/* The profile (program.h) of that program, whose figures the summary's
	 * become; NULL: that of the kind's name, if there is one. */
	const char *profile;
	/* Figures that it counts itself, by blanks; NULL: none. */
	const char *figures;
};

extern const struct work_kind *const work_kinds[];
extern const size_t n_work_kinds;

extern const struct work_kind kind_io, kind_exec, kind_fileio, kind_iozone,
	kind_stream, kind_fsmark, kind_dbench, kind_sqlite,
	kind_pgbench, kind_startup, kind_cpuio, kind_metadata;

/*
 * The kind of a job: its option kind, or that of fio's ioengine. 0, or -EINVAL
 * with a sentence: there is no such kind, or an option is given that the kind
 * does not read. Options of a [global] section are not judged: they are for
 * all jobs that read them.
 */
int kind_find(const struct job *job, const struct work_kind **out) must_check;

/* The same, and settle the job for its kind: job->kind gets the kind's name. */
int kind_settle(struct job *job, const struct work_kind **out) must_check;

/*
 * The operations that the job can count, as bits of enum job_op: a job of reads
 * has no writes. 0: the job has no valid kind.
 */
unsigned kind_job_ops(const struct job *job);

/*
 * Make the scratch the target of a job that names none. 0, or -EINVAL with a
 * sentence: a job of this kind has no target.
 */
int kind_give_scratch(struct job *job, const char *path) must_check;

/*
 * The steps plan, release and summary of a kind, which may be NULL or without
 * text; the caller frees the text.
 */
int kind_plan(const struct work_kind *kind, struct workload *w,
	      struct worker *k, uint64_t seed) must_check;
void kind_release(const struct work_kind *kind, struct worker *k);
char *kind_summary(const struct clones *c);

/* Whether the kind reads the option of that name. */
bool kind_reads(const struct work_kind *kind, const char *option);

/*
 * Whether the job may run a program: --allow-exec permits it, or the program is
 * on the command line itself or that of a packaged preset. 0 or -EPERM with a sentence that has what it runs
 * ("the command ls").
 */
int kind_check_exec(const struct job *job, const struct allow_list *allow,
		    const char *what) must_check;

/* Whether the job runs a program, with the rights of iodyno. */
bool kind_runs_program(const struct job *job);

/*
 * The i-th figure of the job beside those of its operations, which its program
 * prints or its kind counts; NULL behind the last. See profile_figure().
 */
const char *kind_figure(const struct job *job, size_t i, char name[32],
			int *better);

/* -EINVAL with the sentence that the kind does not read the option. */
int kind_refuse(const struct work_kind *kind, const char *job,
		const char *option) must_check;

/* The i-th kind and its help, for "list kinds"; NULL after the last. */
const char *kind_name(size_t i, const char **help);

/*
 * In a worker: sleep until fd is readable (-1: no descriptor), the job is
 * stopped, or CLOCK_MONOTONIC is until_ns, but no longer than 100 ms. true: fd
 * is readable.
 */
bool kind_wait(struct worker *w, int fd, uint64_t until_ns);
/* The same for n entries with room for another one behind them; true: any. */
struct pollfd;
bool kind_poll(struct worker *w, struct pollfd *p, unsigned n,
	       uint64_t until_ns);

/*
 * Readings: named figures and phases that a worker finds in the output of a
 * program or computes itself. They wait in shared memory until the main thread
 * makes events of them (EVENT_METRIC, EVENT_MARK), so that they stand on the
 * clock of all other samples.
 */

/* In plan: make room for the worker's readings; freed by kind_readings_free().
 */
void kind_readings_open(struct worker *w);
void kind_readings_free(struct worker *w);

/*
 * In the worker: report a figure, or the phase that begins now. If there is no
 * room, a final figure waits for up to a second, and any other figure is
 * dropped. name: a key of the log, [a-z0-9_]; that of the program's own result,
 * if it has one (profile.c). value: in base units: bytes, ns, counts, per
 * second. better: 1, more is, -1, less is, 0, unknown. final: the result of a
 * whole run, of which the report shows the mean over the clones, so a rate that
 * adds up is reported times numjobs; else that of an interval, which is dropped
 * during the ramp.
 */
void kind_metric(struct worker *w, const char *name, double value, int better,
		 bool final);
void kind_phase(struct worker *w, const char *text);

/* Main thread: the next of any of the job's workers as an event; false: none.
 */
bool kind_readings_event(struct clones *c, struct event *e);

/*
 * Kind files: functions of kinds of work that use files as a whole, from their
 * beginning, and write them themselves.
 */

struct region;

/*
 * In plan: make the clone's region i of n use the first bytes of the file.
 * device: a block device is allowed, too. Its descriptor is the region's, once
 * the targets are open. 0 or -errno with a sentence.
 */
int kind_files_add(struct workload *w, struct worker *k, unsigned i, unsigned n,
		   const char *path, uint64_t bytes, bool device) must_check;

/*
 * In plan, for kinds that make many files: the clone's one region is the job's
 * own directory (directory_add()) below that of directory=, and its
 * descriptor that of the directory. bytes: what the clone's files hold at most.
 * keep: it stays after the run.
 */
int kind_files_add_directory(struct workload *w, struct worker *k,
			     uint64_t bytes, bool keep) must_check;

/*
 * In prepare: extend a file to so many bytes, by blocks, and sync it; fill puts
 * data into a block before it is written (NULL: zeros). Fails through the
 * worker.
 */
typedef void (*kind_fill_fn)(void *arg, char *block, size_t bytes,
			     uint64_t offset);
void kind_files_extend(struct worker *w, const struct region *r, uint64_t bytes,
		       size_t block, kind_fill_fn fill, void *arg);

/*
 * In prepare: drop what is cached of a file, so that reads reach the disk.
 * It writes dirty data first.
 */
void kind_files_evict(int fd);

/* In settle: the size of an I/O, unless the job gives it. */
void kind_files_block(struct job *job, uint64_t bytes);

/*
 * In run, of kinds that make one call at a time: the ramp or the run begins,
 * and is over. The end of the run is now, unless the kind has set it before.
 */
void kind_files_begin(struct worker *w);
void kind_files_end(struct worker *w);

/* In run: do nothing until the ramp is over. false: the job is over. */
bool kind_wait_ramp(struct worker *w);

/* In run: an operation that began at begin_ns is done; count it. Its ns. */
uint64_t kind_files_done(struct worker *w, unsigned op, uint64_t begin_ns);

/* Times of one kind of call, in ns; zeroed it is empty. */
struct kind_times {
	uint64_t n, sum_ns, min_ns, max_ns;
};

void kind_times_add(struct kind_times *t, uint64_t ns);
void kind_times_merge(struct kind_times *to, const struct kind_times *from);
/* The mean, 0 of none. */
double kind_times_mean_ns(const struct kind_times *t);

/* Whether the ramp is over and the run has begun. */
bool kind_files_is_run(const struct worker *w);

/* In run: fsync the clone's file i and count it. false: the job fails. */
bool kind_files_sync(struct worker *w, unsigned i);

/*
 * In prepare: make w->buffers, zeros from the begin of a page, which are freed behind
 * unprepare. 0 or -ENOMEM with a sentence.
 */
int kind_files_buffer(struct worker *w, uint64_t bytes) must_check;

/*
 * In prepare, for one file and a buffer of one block: the buffer has random bytes with
 * fill=random; what is cached of the file is dropped with invalidate. whole: the file
 * must have all its bytes, or the sentence ends in the remedy.
 */
int kind_files_prepare(struct worker *w, bool whole, const char *remedy)
	must_check;

/*
 * One operation of the run failed, or moved too little (moved; negative: errno
 * says why): count it. false: the job fails.
 */
bool kind_files_failed(struct worker *w, unsigned op, ssize_t moved,
		       const char *path, uint64_t offset);
