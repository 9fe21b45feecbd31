/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gate: where the workers of a workload wait for each other.
 *
 * A futex and counters in shared memory, no mutex: a worker may be a process
 * that is killed at any instant, and whoever waits for it must not hang.
 */
#ifndef WORKLOAD_GATE_H
#define WORKLOAD_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Shared by all workers of a workload. */
struct gate {
	_Atomic uint32_t news; /* changes whenever a waiter should look again */
	_Atomic uint32_t
		laying; /* workers that have not laid out their files */
	/* The worker that writes a layout, under create_serialize; 0: none. A
	 * number, since its process may be killed and its turn is over then. */
	_Atomic uintptr_t writing;
	int event_fd; /* written when there is news for the main
			 thread */
};

/* A group of jobs that begin together. Shared by their workers. */
struct start {
	_Atomic uint32_t missing; /* workers that are not ready */
	_Atomic uint64_t at_ns;   /* when the last one came; 0 before */
};

#define GATE_FOR_EVER UINT64_MAX

/* What gate_wait() compares with: read before looking at what is awaited. */
static inline uint32_t gate_news(const struct gate *g)
{
	return atomic_load_explicit(&g->news, memory_order_acquire);
}

/* Sleep until there is news since then, or CLOCK_MONOTONIC is until_ns. */
void gate_wait(struct gate *g, uint32_t since, uint64_t until_ns);

/* Wake all who wait. */
void gate_wake(struct gate *g);

/* Make the main thread look. */
void gate_tell(const struct gate *g);

/* One worker less is awaited: its layout is done. */
void gate_laid(struct gate *g);

/* One worker less is awaited: it is ready; the last one starts all. */
void gate_ready(struct gate *g, struct start *s);

#endif
