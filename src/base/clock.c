/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clock: wall time as text, clocks that jump.
 */
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>

/* Clocks are read one after the other: a smaller difference is no jump. */
#define JUMP_NS 100000000
/* adjtimex(2) makes a clock at most a tenth faster or slower. */
#define SLEW_SHARE 8
#define LOOKS      4

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts = { 0 };

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* The closest of a few tries: another task may run between two clocks. */
void clock_look(struct clock_look *l)
{
	uint64_t best_ns = UINT64_MAX;

	for (int i = 0; i < LOOKS && best_ns > JUMP_NS / 100; i++) {
		uint64_t raw_ns = read_clock(CLOCK_MONOTONIC_RAW);
		struct clock_look look = {
			.mono_ns = clock_mono_ns(),
			.wall_ns = clock_wall_ns(),
			.boot_ns = read_clock(CLOCK_BOOTTIME),
			.raw_ns = raw_ns,
		};
		uint64_t took_ns = read_clock(CLOCK_MONOTONIC_RAW) - raw_ns;

		if (i && took_ns >= best_ns)
			continue;
		best_ns = took_ns;
		*l = look;
	}
}

static int64_t passed(uint64_t from_ns, uint64_t to_ns)
{
	return (int64_t)(to_ns - from_ns);
}

static bool differ(int64_t a_ns, int64_t b_ns, int64_t tolerance_ns)
{
	int64_t d = a_ns - b_ns;

	return d > tolerance_ns || d < -tolerance_ns;
}

bool clock_compare(const struct clock_look *prev, const struct clock_look *now,
		   int64_t *off_ns, char *words, size_t size)
{
	int64_t mono = passed(prev->mono_ns, now->mono_ns);
	int64_t raw = passed(prev->raw_ns, now->raw_ns);
	int64_t wall = passed(prev->wall_ns, now->wall_ns);
	int64_t boot = passed(prev->boot_ns, now->boot_ns);
	bool jumped = mono < 0 ||
		      differ(mono, raw, JUMP_NS + llabs(raw) / SLEW_SHARE);

	*words = '\0';
	*off_ns = jumped ? mono - raw : 0;
	if (jumped)
		snprintf(words, size,
			 "the kernel's monotonic clock jumped by %+.3f s; this "
			 "interval has no rates",
			 (double)(mono - raw) / 1e9);
	else if (boot - mono > JUMP_NS)
		snprintf(words, size,
			 "the machine was suspended for %.3f s; latencies of "
			 "this interval may hold that time",
			 (double)(boot - mono) / 1e9);
	else if (differ(wall, mono, JUMP_NS))
		snprintf(words, size,
			 "the wall clock was set by %+.3f s; rates and "
			 "latencies do not depend on it",
			 (double)(wall - mono) / 1e9);
	return jumped;
}

void clock_format_utc(uint64_t wall_ns, char *buf, size_t size)
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	unsigned ms = (unsigned)(wall_ns % NS_PER_S / 1000000);
	struct tm tm;
	char day[32];

	gmtime_r(&s, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf, size, "%s.%03uZ", day, ms);
}

uint64_t clock_parse_utc(const char *s)
{
	struct tm tm = { 0 };
	unsigned ms = 0;
	time_t t;

	if (sscanf(s, "%4d-%2d-%2dT%2d:%2d:%2d.%3uZ", &tm.tm_year, &tm.tm_mon,
		   &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms) < 6)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	t = timegm(&tm);
	if (t < 0)
		return 0;
	return (uint64_t)t * NS_PER_S + (uint64_t)ms * 1000000;
}
