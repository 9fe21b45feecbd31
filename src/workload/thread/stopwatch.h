/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stopwatch: a fast CLOCK_MONOTONIC for the path of every I/O.
 *
 * If the kernel itself uses the processor's time stamp counter as its clock,
 * the stopwatch reads the counter directly and scales it, in a third of the
 * time of clock_gettime(2). It compares the counter with CLOCK_MONOTONIC before
 * the start, over at least 5 ms, and then once per second, over that second.
 *
 * Error of a latency: a comparison has an error of about 50 ns, so the scale is
 * within 20 ppm in the first second and 0.1 ppm later, plus the slew of NTP
 * within a second (500 ppm at most). Error of an instant: below 20 us in the
 * first second, 1 us later. The time never goes back, except after a jump (see
 * stopwatch_correct()). The read of the counter is not ordered with the
 * instructions around it, which is an error of about 20 ns, and of none after a
 * system call.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct stopwatch {
	uint64_t scale; /* ns per tick in 32.32 bits; 0: ask the kernel */
	uint64_t base_ticks, base_ns;
	uint64_t mark_ticks, mark_ns; /* the last comparison */
	uint64_t correct_ns;          /* the time of the next comparison */
};

/*
 * Whether the counter of this machine's processor runs at one speed and its
 * kernel trusts it.
 */
bool stopwatch_possible(void);

/*
 * Begin the comparison, if allowed; until stopwatch_set(), times come from the
 * kernel.
 */
void stopwatch_begin(struct stopwatch *s, bool allowed);
/* Set the scale; sleeps for the rest of the 5 ms since stopwatch_begin(). */
void stopwatch_set(struct stopwatch *s);
/*
 * Compare again; call this once stopwatch_ns() has reached correct_ns. Returns
 * 0, or the ns by which the counter jumped against CLOCK_MONOTONIC (a suspend,
 * a snapshot of a virtual machine). After a jump, times come from the kernel,
 * and may be earlier than before.
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
