/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker: the thread of one clone of a job. After the gate it takes no lock,
 * allocates nothing and divides by nothing.
 */
#ifndef WORKLOAD_WORKER_H
#define WORKLOAD_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"
#include "workload/counters.h"
#include "workload/engine.h"
#include "workload/pattern.h"
#include "workload/target.h"

enum phase {
	PHASE_LAYOUT, /* files are written for readers */
	PHASE_WAIT,   /* for other jobs' layout, or startdelay */
	PHASE_RAMP,
	PHASE_RUN,
	PHASE_DONE,
	PHASES
};

/* Where all workers of a workload meet before the first I/O. */
struct gate {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* on CLOCK_MONOTONIC */
	unsigned missing;
	_Atomic uint64_t start_ns; /* when the last one came; 0 before */
	int event_fd;              /* written when a worker changes phase */
};

/* A file or device as one clone uses it. */
struct stream {
	struct target *target;
	int fd; /* its own; -1 for engines that touch no data */
	uint64_t base, blocks;
	/* Sequential mixes read and write from places of their own. */
	struct pattern pattern[2];
	struct pattern *by_op[2];
};

struct worker {
	/* set by workload_open() */
	const struct job *job;
	const struct engine *engine;
	struct gate *gate;
	atomic_bool *stop; /* of the whole job */
	struct stream *stream;
	unsigned n_streams;
	struct target **layout; /* to be laid out by this worker */
	unsigned n_layout;
	unsigned depth;
	uint64_t limit_blocks; /* in the phase "run"; UINT64_MAX: by time */
	pthread_t thread;
	bool started;

	/* the thread's own */
	void *state; /* of the engine */
	struct io *ios, **free, **pending, **done;
	char *buffers;
	size_t stride, buffers_bytes;
	unsigned n_free, n_pending, in_flight, batch, batch_complete, turn;
	unsigned n_stamps;
	bool mixed, ended, sync_data_only;
	uint8_t only;               /* enum job_op, when not mixed */
	struct stream *sync_stream; /* a sync is due here */
	uint64_t left, deadline_ns, run_end_ns, now_ns, moved, serial;
	uint64_t read_below; /* a random number below it is a read */
	uint64_t fsync_left, fdatasync_left;
	uint64_t pass_blocks, pass_left; /* of all streams; see worker_cool */
	struct random random;

	/* read by the sampler */
	_Atomic unsigned phase;
	_Atomic uint64_t run_start_ns; /* 0 before */
	_Atomic uint64_t layout_bytes; /* done so far */
	uint64_t layout_total_bytes;
	_Atomic int cpu_clock;
	_Atomic uint64_t cpu_ns; /* once over */
	atomic_bool over;        /* cpu_ns is final, the thread is ending */
	atomic_bool failed;      /* words is set */
	char words[400];
	uint64_t failed_ns;

	struct counters counters;
};

extern const char *const phase_names[PHASES];

/* The thread. */
void *worker_main(void *arg);

/* I/O from the gate to the end. */
void worker_loop(struct worker *w);

/*
 * Drop the cached pages of what the job uses, if it asks for that, so that its
 * reads reach the disk: before the run and, as fio does, before each further
 * pass over the target. Buffered jobs only.
 */
void worker_cool(const struct worker *w);

/* Allocate what the loop needs; 0 or -errno with a sentence. */
int worker_prepare(struct worker *w) must_check;
void worker_unprepare(struct worker *w);

/*
 * The worker's job has failed: keep the sentence if it is the first, end the
 * job.
 */
void worker_fail(struct worker *w, const char *fmt, ...) printf_like(2, 3);

/* Whether the job shall end. */
static inline bool worker_stopped(const struct worker *w)
{
	return atomic_load_explicit(w->stop, memory_order_relaxed);
}

/* Tell the main thread that there is news. */
void worker_set_phase(struct worker *w, enum phase phase);

#endif
