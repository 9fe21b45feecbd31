/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gate: waiting by futex(2).
 */
#include "workload/gate.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* FUTEX_WAIT_BITSET takes an absolute time, of CLOCK_MONOTONIC. */
void gate_wait(struct gate *g, uint32_t since, uint64_t until_ns)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(until_ns / NS_PER_S),
		.tv_nsec = (long)(until_ns % NS_PER_S),
	};

	syscall(SYS_futex, &g->news, FUTEX_WAIT_BITSET, since,
		until_ns == GATE_FOR_EVER ? NULL : &ts, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

void gate_wake(struct gate *g)
{
	atomic_fetch_add_explicit(&g->news, 1, memory_order_release);
	syscall(SYS_futex, &g->news, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void gate_tell(const struct gate *g)
{
	const uint64_t one = 1;
	ssize_t n = write(g->event_fd, &one, sizeof(one));

	/* A counter that is full is readable already. */
	(void)n;
}

void gate_laid(struct gate *g)
{
	if (atomic_fetch_sub(&g->laying, 1) == 1)
		gate_wake(g);
}

void gate_ready(struct gate *g, struct start *s)
{
	if (atomic_fetch_sub(&s->missing, 1) != 1)
		return;
	atomic_store(&s->at_ns, clock_mono_ns());
	gate_wake(g);
}
