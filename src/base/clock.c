/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clock: wall time as text.
 */
#include "base/clock.h"

#include <stdio.h>

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
