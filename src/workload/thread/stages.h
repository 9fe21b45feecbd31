/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stages: when workers begin, and how jobs end each other. The barrier lets the
 * workers of a workload wait for each other.
 *
 * A futex and counters in shared memory, no mutex: a worker may be a process
 * that is killed at any instant, and the others must not hang.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

struct clones;
struct worker;
struct workload;

/* Shared by all workers of a workload. */
struct barrier {
	_Atomic uint32_t news; /* changes whenever a waiter should look again */
	_Atomic uint32_t
		laying; /* workers that have not laid out their files */
	/*
	 * The worker that writes a layout, with create_serialize; 0: none. A
	 * number, not a pointer: the process of the worker may have been
	 * killed.
	 */
	_Atomic uintptr_t writing;
	int event_fd; /* written to wake the main thread */
	uint64_t start_at_ns; /* wall clock of the first I/O; 0: at once */
	uint64_t start_window_ns; /* how late it may be */
};

/* A group of jobs that begin together. Shared by their workers. */
struct start {
	_Atomic uint32_t missing; /* workers that are not ready */
	_Atomic uint64_t at_ns;   /* when the last worker was ready; 0 before */
};

#define BARRIER_FOR_EVER UINT64_MAX

/*
 * The value that stages_wait() compares with: read it before checking the
 * condition.
 */
static inline uint32_t stages_news(const struct barrier *g)
{
	return atomic_load_explicit(&g->news, memory_order_acquire);
}

/* Wake all waiters. */
void stages_wake(struct barrier *g);

/* Wake the main thread. */
void stages_notify(const struct barrier *g);

/*
 * Ask a job to end: set its flag, and make its eventfd readable for workers
 * that poll; stop_fd -1: none.
 */
void stages_set_stop(atomic_bool *stop, int stop_fd);

/*
 * Set each job's stage, group and leader, and count its workers in the barrier.
 * 0, or -EINVAL with a sentence.
 */
int stages_plan(struct workload *w) must_check;

/*
 * In a worker: wait for layouts and earlier jobs; false: the worker must end.
 */
bool stages_wait_turn(struct worker *w);
/*
 * In a worker, once prepared: wait for the workers that begin at the same time,
 * and for startdelay. false: the worker must end.
 */
bool stages_wait_start(struct worker *w);

/*
 * Report that a worker is over: end other jobs if exitall is set, and wake the
 * workers that waited for this one. Called in the worker, or in the main thread
 * if its process died.
 */
void stages_over(struct worker *w);

/* Ask a job's workers to end, and wake those that wait. */
void stages_stop_job(struct clones *c);

/*
 * Check rate_min in the main thread. Returns the time of the next check, or
 * UINT64_MAX: never.
 */
uint64_t stages_check(struct clones *c, uint64_t now_ns);
