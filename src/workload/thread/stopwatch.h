/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stopwatch: CLOCK_MONOTONIC for the path of every I/O.
 *
 * Where the kernel itself keeps time by the processor's time stamp counter,
 * the counter is read directly and scaled: a third of what clock_gettime(2)
 * costs. It is set against CLOCK_MONOTONIC before the start, over at least
 * 5 ms, and once per second from then on, over that second.
 *
 * Error of a latency: each comparison is good to about 50 ns, so the scale is
 * within 20 ppm in the first second and 0.1 ppm later, plus what NTP slews
 * within a second (500 ppm at most). Error of an instant: below 20 us in the
 * first second, 1 us later. It never goes back but for such a jump. The read is
 * not ordered with the instructions around it: up to some 20 ns, nothing after
 * a system call.
 */
#ifndef WORKLOAD_THREAD_STOPWATCH_H
#define WORKLOAD_THREAD_STOPWATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct root;

struct stopwatch {
	uint64_t scale; /* ns per tick in 32.32 bits; 0: ask the kernel */
	uint64_t base_ticks, base_ns;
	uint64_t mark_ticks, mark_ns; /* of the last comparison */
	uint64_t correct_ns;          /* when the next is due */
};

/*
 * Whether the counter of this machine's processor runs at one speed and its
 * kernel trusts it.
 */
bool stopwatch_possible(void);

/* Begin to compare, if allowed; until stopwatch_set() the kernel is asked. */
void stopwatch_begin(struct stopwatch *s, bool allowed);
/* Set the scale; sleeps for what is missing of 5 ms. */
void stopwatch_set(struct stopwatch *s);
/*
 * To be called once stopwatch_ns() has reached correct_ns. Returns 0, or by how
 * many ns the counter jumped against CLOCK_MONOTONIC (a suspend, a snapshot of
 * a virtual machine): from here on the kernel is asked, so that the time may
 * have fallen.
 */
int64_t stopwatch_correct(struct stopwatch *s);

static inline uint64_t stopwatch_ns(const struct stopwatch *s)
{
#ifdef __x86_64__
	if (__builtin_expect(s->scale != 0, 1))
		return s->base_ns +
		       (uint64_t)((unsigned __int128)(__builtin_ia32_rdtsc() -
						      s->base_ticks) *
					  s->scale >>
				  32);
#endif
	return clock_mono_ns();
}

#endif
