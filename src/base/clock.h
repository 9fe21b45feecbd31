/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clock: the two clocks. Only the tick, the workers and the keeper ask them.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000ull

/* CLOCK_MONOTONIC in ns: for all arithmetic. */
static inline uint64_t clock_mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* CLOCK_REALTIME in ns since 1970: for people. */
static inline uint64_t clock_wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* RFC 3339, UTC, ms: "2026-11-20T18:00:00.000Z"; size of at least 32. */
void clock_format_utc(uint64_t wall_ns, char *buf, size_t size);

/*
 * The time that a text of clock_format_utc() names; 0 if the text is not one.
 */
uint64_t clock_parse_utc(const char *s);

#endif
