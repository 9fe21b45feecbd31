/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker: the thread of one clone of a job. After the start barrier its path
 * per I/O takes no lock, allocates no memory and does no division.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/random.h"
#include "model/event.h"
#include "model/job/job.h"
#include "model/schema/schema_job.h"
#include "workload/data.h"
#include "workload/engine/engine.h"
#include "workload/offset/offsets.h"
#include "workload/target/target.h"
#include "workload/thread/counters.h"
#include "workload/thread/filter.h"
#include "workload/thread/process.h"
#include "workload/thread/stages.h"
#include "workload/thread/stopwatch.h"

struct clones;
struct worker;
struct workload;

/* A part of a file or device that one clone uses. */
struct region {
	struct target *target;
	int fd;               /* the clone's own; -1 for engines that touch no
			       * data */
	uint64_t base, bytes; /* the region */
	uint64_t quota; /* bytes to move in a pass; less than bytes with zones
			 */
	/* Sequential mixes read and write from offsets of their own. */
	struct pattern pattern[JOB_DIRS];
	struct pattern *by_op[JOB_DIRS];
	/* The range written since the last sync_file_range; equal: none. */
	uint64_t dirty_from, dirty_to;
};

/*
 * The settings that the main thread may change while the job runs. The worker
 * checks serial once per round, and reads the rest if serial has changed.
 */
struct control {
	_Atomic uint32_t serial;
	_Atomic uint32_t iodepth, rwmixread;
	_Atomic uint64_t rate_iops[JOB_DIRS], rate_bytes[JOB_DIRS];
};

struct witness_ring;
struct work_kind;
struct offsets;
struct cmdprio;

/*
 * For engines with now() or start() and plain sources, while all but one I/O
 * are in flight: choose, do and count I/Os one after the other, until the loop
 * must check its state.
 * NULL: there is no burst; also NULL if a filter replaces make.
 */
typedef void (*burst_fn)(struct worker *w);

/* The state of verify that an earlier run left (verify.h). */
struct verify_loaded {
	bool is; /* the state was read: only blocks that it has as written are
		  * checked */
	bool cut; /* a loss of power may have lost writes: an I/O failed, or
		   * the machine was started since */
	/* Intervals never written; intervals whose write did not complete. */
	uint64_t never, unsure;
};

/*
 * A worker lies in memory shared by the main thread and the workers, which are
 * threads or processes. The memory behind its pointers belongs to the main
 * thread until the start and to the worker afterwards, except where it is
 * marked as shared.
 */
struct worker {
	/* set by workload_open() */
	const struct job *job;
	const struct work_kind *kind;
	const struct engine *engine; /* NULL: the kind has none */
	void *work;                  /* state of the kind of work; unused by
				      * kind io */
	const int *stop_fd;          /* of the whole job; see clones.h */
	struct clones *clones;
	struct barrier *barrier; /* shared */
	struct start *start;     /* shared; of the jobs that begin together */
	atomic_bool *stop;       /* shared; of the whole job */
	struct control *control; /* shared; of the whole job */
	unsigned jobnum;         /* of the clone */
	struct region *region;
	unsigned n_regions;
	struct offsets *offsets; /* the offsets of I/Os; NULL: the job is plain
				  */
	struct cmdprio *cmdprio; /* NULL: I/Os have the thread's priority */
	struct data data;        /* the data of writes */
	struct target **layout;  /* to be laid out by this worker */
	unsigned n_layout;
	unsigned depth;
	bool ticks; /* the time stamp counter may be used */
	uint64_t limit_ios, limit_bytes; /* of the run; UINT64_MAX: none */
	bool process;        /* the worker is not in the main process */
	struct worker *host; /* the worker whose process this one is in: itself,
			      * or with thread=1 the first clone of the job */
	pthread_t thread;
	_Atomic int tid;    /* kernel's id of the thread; 0 before it runs */
	_Atomic int paused; /* its process has stopped itself, see process.c */
	int pid, alive_fd;  /* its process, and the host's pipe to it; alive_fd
			     * is -1 after its death and in other workers */
	bool started;

	/* private to the thread */
	void *state; /* of the engine */
	struct io *ios, **free, **pending, **done;
	struct stopwatch watch;
	/*
	 * Reads of a mix have separate buffers, because writes would write the
	 * data read into them.
	 */
	char *buffers, *write_buffers;
	size_t stride, buffers_bytes;
	char *memory; /* mapped for the buffers */
	size_t memory_bytes;
	struct tolerance *tolerance; /* of failed I/Os */
	struct iolog *log;           /* NULL: no write_*_log */
	struct verify *verify;       /* NULL: nothing is checked */
	struct witness_ring *witness; /* NULL: none; shared */
	struct readings *readings;   /* shared; NULL: its kind has none */
	bool verifies;               /* its job does; shared */
	bool verify_joined;          /* it may still write what is verified */
	struct verify_loaded verify_loaded;
	struct io *held; /* an I/O that waits because its block is busy */
	/* The functions of the loop; filter_connect() sets them. */
	source_fn make;
	complete_fn complete;
	burst_fn burst;
	/*
	 * Read the clock between make() and submit(), because make() takes
	 * time.
	 */
	bool clock_after_make;
	bool plain; /* the source is one for plain jobs */
	/*
	 * The source, set by source_choose(); the functions that each filter
	 * calls.
	 */
	struct filter_link source, next[FILTERS];
	burst_fn source_burst;
	struct counters *count; /* of the phase */
	unsigned n_free, n_pending, in_flight, turn;
	unsigned batch, batch_complete, batch_complete_max, low;
	bool mixed, ended, exhausted, draining;
	unsigned most_depth;  /* the greatest depth that the counters show */
	bool timed_submit;    /* the time within submit() is counted */
	bool uniform;         /* every I/O is a w->only */
	uint8_t only;         /* enum job_op, when not mixed */
	uint8_t other;        /* of a mix: its second direction */
	uint8_t mix_op[2];    /* only, other */
	char *mix_buffers[2]; /* of mix_op */
	bool stamped;         /* writes are (scramble_buffers) */
	struct rate rate;
	struct sync_plan sync;
	struct flow flow;
	struct latency_target latency_target;
	uint64_t end_ns; /* the deadline that ended the run; 0: none */
	uint64_t left_ios, left_bytes, deadline_ns, run_end_ns, now_ns, serial;
	uint64_t ramp_bytes;  /* that end the ramp; 0: none, or it is over */
	uint64_t due_ns;      /* of the next I/O; 0: at once */
	uint64_t block_bytes; /* of plain sources */
	uint64_t read_below;  /* a random number below this makes a read */
	uint64_t pass_bytes,
		pass_left; /* of all regions; see worker_invalidate */
	struct random random;
	uint32_t control_seen;
	bool holding; /* the depth changes: make no I/O until none is in flight
		       */

	/* shared: read by the sampler */
	_Atomic unsigned phase;
	_Atomic uint64_t run_start_ns, run_end_at_ns; /* 0 before */
	_Atomic uint64_t layout_bytes;                /* done so far */
	uint64_t layout_total_bytes;
	_Atomic uint64_t invalidate_bytes; /* of pass_bytes: dropped or read */
	_Atomic uint64_t verify_bytes;     /* read back so far */
	_Atomic uint64_t verify_start_ns, verify_end_ns; /* 0 before */
	_Atomic uint64_t verify_found[DAMAGES];          /* blocks */
	_Atomic int cpu_clock;
	_Atomic uint64_t cpu_ns; /* once the worker is over */
	/*
	 * CPU time of the processes that the worker started: so far; and their
	 * usage, once they ended.
	 */
	_Atomic uint64_t children_ns;
	struct job_usage_raw children;
	_Atomic int exit_status; /* of the last command; -1: none */
	_Atomic uint32_t in_flight_now;
	atomic_bool laid, ready;    /* the barrier was notified */
	struct job_usage_raw usage; /* of the run, once over */
	atomic_bool over;           /* cpu_ns and usage are final */
	atomic_bool failing;        /* a thread is setting words */
	atomic_bool failed;         /* words is set */
	char words[400];
	uint64_t failed_ns;
	atomic_bool noted; /* note is set and waits to be reported */
	char note[200];
	bool note_told;   /* the main thread's */
	struct hang hang; /* the main thread's */

	struct counters ramp, run;
};

/* The thread. */
void *worker_main(void *arg);

/* Start a thread of this process for it; 0 or -errno with a sentence. */
int worker_start_thread(struct worker *w) must_check;

/*
 * For kinds with a loop of their own: begin the ramp or the run; the counters
 * are w->count. After each operation call worker_tick(), which reads the clock
 * (now_ns), goes from the ramp to the run and takes changed settings. false:
 * the run must end; set run_end_at_ns.
 */
void worker_begin(struct worker *w);
bool worker_tick(struct worker *w);
/*
 * Do I/O until the source is exhausted or the time is over, and nothing is in
 * flight.
 */
void worker_rounds(struct worker *w);

/* What fadvise_hint of the job means, for posix_fadvise(3). */
int worker_advice(const struct job *job);
/* Act on fadvise_hint and write_hint, before the run. */
void worker_advise(struct worker *w);

/*
 * With invalidate=1, drop the cached pages of the job's files, so that its
 * reads reach the disk: before the run and, as fio does, before each further
 * pass over the target. With pre_read=1, read the files into the cache instead.
 * Before the run this is a phase of its own.
 */
void worker_invalidate(struct worker *w);

/*
 * Prepare the worker for the loop; 0 or -errno with a sentence. The room is the
 * part that depends on the depth: buffers, I/Os, filters and engine. It may be
 * freed and made again with another depth while nothing is in flight.
 */
int worker_prepare(struct worker *w) must_check;
void worker_unprepare(struct worker *w);

/*
 * The parts of the room, for kinds that keep I/Os in flight: w->depth I/Os, all
 * of them free; and an engine with the files of n regions, in w->state. 0 or
 * -errno with a sentence.
 */
void worker_make_ios(struct worker *w);
void worker_free_ios(struct worker *w);
int worker_open_engine(struct worker *w, const struct engine *e,
		       const struct region *region, unsigned n) must_check;

/*
 * Fail the worker's job: keep the sentence if it is the first, and end the job.
 */
void worker_fail(struct worker *w, const char *fmt, ...) printf_like(2, 3);

/* Report something to the operator, once in a worker's life. */
void worker_note(struct worker *w, const char *fmt, ...) printf_like(2, 3);

/*
 * The column of counters.depth for that depth: 1, 2, 4, ... 64 and more. An
 * engine whose submit() blocks never exceeds depth 1.
 */
static inline unsigned worker_depth_level(const struct worker *w,
					  unsigned depth)
{
	unsigned most = depth < w->most_depth ? depth : w->most_depth;
	unsigned level = 31u - (unsigned)__builtin_clz(most | 1);

	return level < JOB_DEPTHS ? level : JOB_DEPTHS - 1;
}

/* The column of a batch: 0, up to 4, up to 8, ... up to 64, more. */
static inline unsigned worker_batch_level(unsigned n)
{
	unsigned level = n > 4 ? 31u - (unsigned)__builtin_clz(n - 1) : n > 0;

	return level < JOB_BATCHES ? level : JOB_BATCHES - 1;
}

/* Whether the job must end. */
static inline bool worker_stopped(const struct worker *w)
{
	return atomic_load_explicit(w->stop, memory_order_relaxed);
}

/* Set the phase and wake the main thread. */
void worker_set_phase(struct worker *w, enum phase phase);
/* Set the phase to PHASE_DONE and over to true, and wake the main thread. */
void worker_set_over(struct worker *w);

/* The greatest iodepth that a running job can be given. */
#define WORKER_MAX_DEPTH 4096

/* Set w->control to the job's settings. */
void worker_init_control(struct worker *w);

/*
 * Take the settings that the main thread changed. Settings that need an empty
 * queue are taken in a later round.
 */
void worker_take_control(struct worker *w);

/* Close the engine and open it with the files as they are now, while nothing is
 * in flight. Fails the worker when that is impossible. */
void worker_reopen(struct worker *w);

static inline bool control_changed(const struct worker *w)
{
	return atomic_load_explicit(&w->control->serial,
				    memory_order_acquire) != w->control_seen;
}

/*
 * source.c: set w->source and w->source_burst to the fastest source and
 * completion for the job.
 */
void source_choose(struct worker *w);
/* Choose the next I/O of any job; false: there is none. */
bool source_next(struct worker *w, struct io *io);
/*
 * Write the offset of the block and the number of the write into each
 * SOURCE_STAMP_EVERY bytes, so that no layer below drops the block as a copy of
 * another one.
 */
#define SOURCE_STAMP_EVERY 4096
void source_stamp(struct worker *w, const struct io *io);

/* In a filter: call the one after it. */
static inline unsigned filter_make(struct worker *w, enum filter_id from,
				   unsigned room)
{
	return w->next[from].make(w, room);
}

static inline void filter_complete(struct worker *w, enum filter_id from,
				   unsigned n)
{
	w->next[from].complete(w, n);
}

/* The buffer of an I/O whose op and slot are set. */
static inline char *worker_buffer(const struct worker *w, const struct io *io)
{
	return (io->op == JOB_READ ? w->buffers : w->write_buffers) +
	       io->slot * w->stride;
}

/*
 * Complete any n I/Os of done[], also those that were done in part or failed.
 */
void worker_complete(struct worker *w, unsigned n);
/* Complete I/Os of one direction and size. */
void worker_complete_uniform(struct worker *w, unsigned n);

/*
 * Errors: handles I/Os that failed. The worker ignores the error
 * (ignore_error), counts it and continues (continue_on_error), or ends the job.
 * A counted error makes the run fail at its end in any case.
 */

/*
 * Read the job's ignore_error. Never NULL; freed by worker_errors_close(),
 * which accepts NULL.
 */
struct tolerance *worker_errors_open(const struct job *job);
void worker_errors_close(struct tolerance *t);

/*
 * Handle an I/O with a result below 0, or with result 0 where data was
 * expected.
 */
void worker_errors_io(struct worker *w, const struct io *io);

/* At the end of the job, fail it if errors were counted. */
void worker_errors_finish(struct worker *w);

/* Move up to room I/Os from free to pending, as long as next() fills them. */
static inline unsigned worker_pend(struct worker *w, unsigned room,
				   bool (*next)(struct worker *w,
						struct io *io))
{
	unsigned n = 0;

	while (n < room && w->n_free) {
		struct io *io = w->free[w->n_free - 1];

		if (!next(w, io)) {
			w->exhausted = true;
			break;
		}
		w->n_free--;
		w->pending[w->n_pending++] = io;
		n++;
	}
	return n;
}

/*
 * The priority of single I/Os, drawn by its share of all I/Os
 * (cmdprio_percentage) or of the I/Os of one size (cmdprio_bssplit).
 */

struct cmdprio {
	struct prio_part {
		uint64_t bytes; /* of the I/O; 0: any */
		uint64_t below; /* limit of the draw, after subtracting the
				 * earlier parts */
		uint16_t value; /* class and level, as in sqe->ioprio */
	} * part[JOB_DIRS];
	size_t n[JOB_DIRS];
	struct random random;
};

/* Whether the job gives priorities to single I/Os. */
bool worker_cmdprio_wanted(const struct job *job);
/*
 * Prepare the draws; freed by worker_cmdprio_free(). NULL with a sentence:
 * cmdprio_bssplit is not valid.
 */
struct cmdprio *worker_cmdprio_new(const struct job *job,
				   uint64_t seed) must_check;
void worker_cmdprio_free(struct cmdprio *p);

/*
 * Draw the priority of the next I/O of a direction and size; 0: the priority of
 * the thread.
 */
uint16_t worker_cmdprio_next(struct cmdprio *p, unsigned dir, uint64_t bytes);
