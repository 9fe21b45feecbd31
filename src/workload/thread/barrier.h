/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Barrier: lets the workers of a workload wait for each other.
 *
 * A futex and counters in shared memory, no mutex: a worker may be a process
 * that is killed at any instant, and the others must not hang.
 */
#ifndef WORKLOAD_THREAD_BARRIER_H
#define WORKLOAD_THREAD_BARRIER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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
};

/* A group of jobs that begin together. Shared by their workers. */
struct start {
	_Atomic uint32_t missing; /* workers that are not ready */
	_Atomic uint64_t at_ns;   /* when the last worker was ready; 0 before */
};

#define BARRIER_FOR_EVER UINT64_MAX

/*
 * The value that barrier_wait() compares with: read it before checking the
 * condition.
 */
static inline uint32_t barrier_news(const struct barrier *g)
{
	return atomic_load_explicit(&g->news, memory_order_acquire);
}

/*
 * Sleep until another worker calls barrier_wake(), or until CLOCK_MONOTONIC
 * reaches until_ns. since is the result of barrier_news().
 */
void barrier_wait(struct barrier *g, uint32_t since, uint64_t until_ns);

/* Wake all waiters. */
void barrier_wake(struct barrier *g);

/* Set the phase and wake the main thread. */
void barrier_notify(const struct barrier *g);

/*
 * Ask a job to end: set its flag, and make its eventfd readable for workers
 * that poll; stop_fd -1: none.
 */
void barrier_stop(atomic_bool *stop, int stop_fd);

/* One worker fewer to wait for: its layout is done. */
void barrier_laid_out(struct barrier *g);

/* One worker fewer to wait for: it is ready; the last one starts all. */
void barrier_ready(struct barrier *g, struct start *s);

#endif
