/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Barrier: waiting by futex(2).
 */
#include "workload/thread/barrier.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* FUTEX_WAIT_BITSET takes an absolute time, of CLOCK_MONOTONIC. */
void barrier_wait(struct barrier *g, uint32_t since, uint64_t until_ns)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(until_ns / NS_PER_S),
		.tv_nsec = (long)(until_ns % NS_PER_S),
	};

	syscall(SYS_futex, &g->news, FUTEX_WAIT_BITSET, since,
		until_ns == BARRIER_FOR_EVER ? NULL : &ts, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

void barrier_wake(struct barrier *g)
{
	atomic_fetch_add_explicit(&g->news, 1, memory_order_release);
	syscall(SYS_futex, &g->news, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void barrier_notify(const struct barrier *g)
{
	const uint64_t one = 1;
	ssize_t n = write(g->event_fd, &one, sizeof(one));

	/* A full counter is readable already. */
	(void)n;
}

void barrier_stop(atomic_bool *stop, int stop_fd)
{
	const uint64_t one = 1;
	ssize_t n = 0;

	atomic_store_explicit(stop, true, memory_order_relaxed);
	/* No worker reads it: it stays readable. */
	if (stop_fd >= 0)
		n = write(stop_fd, &one, sizeof(one));
	(void)n;
}

void barrier_laid_out(struct barrier *g)
{
	if (atomic_fetch_sub(&g->laying, 1) == 1)
		barrier_wake(g);
}

void barrier_ready(struct barrier *g, struct start *s)
{
	if (atomic_fetch_sub(&s->missing, 1) != 1)
		return;
	atomic_store(&s->at_ns, clock_mono_ns());
	barrier_wake(g);
}
