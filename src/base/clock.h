/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clock: the two clocks, and a test for jumps between them. Only the tick,
 * the workers and the keeper ask them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/text.h"
#include "base/units.h"

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

/* Any clock in ns, as that of the CPU time of a thread; 0: it cannot be read. */
static inline uint64_t clock_read_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S),
				  .tv_nsec = (long)(ns % NS_PER_S) };
}

/* Sleep that long, or until a signal. */
static inline void clock_pause_ns(uint64_t ns)
{
	const struct timespec pause = clock_timespec(ns);

	nanosleep(&pause, NULL);
}

/*
 * The most ns that clock_span_ns() returns: 146 years, so that a wall clock
 * time and a span add up within 64 bits.
 */
#define CLOCK_SPAN_MAX_NS ((int64_t)1 << 62)

/* Seconds in ns: 0 for less and for NaN, at most CLOCK_SPAN_MAX_NS. */
static inline uint64_t clock_span_ns(double seconds)
{
	return (uint64_t)units_whole(seconds * 1e9, 0, CLOCK_SPAN_MAX_NS);
}

/* All clocks of the kernel at one instant, in ns. */
struct clock_look {
	uint64_t mono_ns, wall_ns;
	uint64_t raw_ns;  /* CLOCK_MONOTONIC_RAW, which nothing corrects */
	uint64_t boot_ns; /* CLOCK_BOOTTIME, which counts a suspend */
};

void clock_look(struct clock_look *l);

/*
 * Compare two looks. Words get a sentence on a clock that was set, fell or
 * jumped, and on a suspend; "" when there is none. true: the monotonic clock
 * fell or jumped, so it does not give the time from prev to now; *off_ns is how
 * far it is ahead of the raw clock since prev (0 otherwise).
 */
bool clock_compare(const struct clock_look *prev, const struct clock_look *now,
		   int64_t *off_ns, char *words, size_t size);

/* Whether the words say that the monotonic clock stood still or jumped. */
bool clock_stood(const char *words);

/* RFC 3339, UTC, ms: "2026-11-20T18:00:00.000Z". */
struct text_short clock_utc(uint64_t wall_ns);

/*
 * The time that a text of clock_utc() names; 0 if the text is not one, or
 * is later than the year 2262, when 2^63 ns end.
 */
uint64_t clock_parse_utc(const char *s);

/* Local time in the form of strftime(3), at most 31 characters. */
struct text_short clock_form(uint64_t wall_ns, const char *form)
	__attribute__((format(strftime, 2, 0)));
/* Local time: "03:12:05", with date "2026-11-20 03:12:05"; "" for 0. */
struct text_short clock_local(uint64_t wall_ns, bool date);

/*
 * A moment as people write it, in local time: "03:12", "03:12:05.5",
 * "2026-11-20 03:12:05", or with T between and Z behind as in UTC. Without a
 * date it is the first one at or after after_ns. In ns since 1970, up to the
 * year 2262; 0: none.
 */
uint64_t clock_parse_local(const char *s, uint64_t after_ns);

/*
 * A moment that means the same on every host: RFC 3339 with its zone
 * ("2026-11-20T18:00:00.5Z", "2026-11-20T19:00:00+01:00"), or "@SECONDS" since
 * 1970, each with any fraction. In ns since 1970, up to the year 2262; 0: none.
 */
uint64_t clock_parse_instant(const char *s);
