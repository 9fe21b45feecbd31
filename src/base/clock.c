/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clock: wall time as text, clocks that jump. */
#include "base/clock.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Clocks are read one after the other: a smaller difference is not a jump. */
#define JUMP_NS 100000000
/* adjtimex(2) makes a clock at most a tenth faster or slower. */
#define SLEW_SHARE 8
#define LOOKS      4

/* The closest of a few tries: another task may run between two clocks. */
void clock_look(struct clock_look *l)
{
	uint64_t best_ns = UINT64_MAX;

	for (int i = 0; i < LOOKS && best_ns > JUMP_NS / 100; i++) {
		uint64_t raw_ns = clock_read_ns(CLOCK_MONOTONIC_RAW);
		struct clock_look look = {
			.mono_ns = clock_mono_ns(),
			.wall_ns = clock_wall_ns(),
			.boot_ns = clock_read_ns(CLOCK_BOOTTIME),
			.raw_ns = raw_ns,
		};
		uint64_t took_ns = clock_read_ns(CLOCK_MONOTONIC_RAW) - raw_ns;

		if (i && took_ns >= best_ns)
			continue;
		best_ns = took_ns;
		*l = look;
	}
}

static int64_t clock_passed(uint64_t from_ns, uint64_t to_ns)
{
	return (int64_t)(to_ns - from_ns);
}

static bool differ(int64_t a_ns, int64_t b_ns, int64_t tolerance_ns)
{
	int64_t d = a_ns - b_ns;

	return d > tolerance_ns || d < -tolerance_ns;
}

#define CLOCK_JUMPED    "the kernel's monotonic clock jumped"
#define CLOCK_SUSPENDED "the machine was suspended"

bool clock_compare(const struct clock_look *prev, const struct clock_look *now,
		   int64_t *off_ns, char *words, size_t size)
{
	int64_t mono = clock_passed(prev->mono_ns, now->mono_ns);
	int64_t raw = clock_passed(prev->raw_ns, now->raw_ns);
	int64_t wall = clock_passed(prev->wall_ns, now->wall_ns);
	int64_t boot = clock_passed(prev->boot_ns, now->boot_ns);
	bool jumped = mono < 0 ||
		      differ(mono, raw, JUMP_NS + llabs(raw) / SLEW_SHARE);

	*words = '\0';
	*off_ns = jumped ? mono - raw : 0;
	if (jumped)
		snprintf(words, size,
			 CLOCK_JUMPED " by %+.3f s; this "
			 "interval has no rates",
			 (double)(mono - raw) / 1e9);
	else if (boot - mono > JUMP_NS)
		snprintf(words, size,
			 CLOCK_SUSPENDED " for %.3f s; latencies of "
			 "this interval may hold that time",
			 (double)(boot - mono) / 1e9);
	else if (differ(wall, mono, JUMP_NS))
		snprintf(words, size,
			 "the wall clock was set by %+.3f s; rates and "
			 "latencies do not depend on it",
			 (double)(wall - mono) / 1e9);
	return jumped;
}

bool clock_stood(const char *words)
{
	return !strncmp(words, CLOCK_JUMPED, strlen(CLOCK_JUMPED)) ||
	       !strncmp(words, CLOCK_SUSPENDED, strlen(CLOCK_SUSPENDED));
}

struct text_short clock_utc(uint64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	unsigned ms = (unsigned)(wall_ns % NS_PER_S / 1000000);
	struct tm tm;
	char day[24];

	gmtime_r(&s, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	return text_shortly("%s.%03uZ", day, ms);
}

/* Whether a time in s fits into 63 bits of ns. */
static bool clock_in_range(time_t t)
{
	return t >= 0 && t < (time_t)(INT64_MAX / NS_PER_S);
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
	if (!clock_in_range(t))
		return 0;
	return (uint64_t)t * NS_PER_S + (uint64_t)ms * 1000000;
}

struct text_short clock_form(uint64_t wall_ns, const char *form)
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	struct text_short out = { "" };
	struct tm tm;

	if (localtime_r(&s, &tm))
		strftime(out.text, sizeof(out.text), form, &tm);
	return out;
}

struct text_short clock_local(uint64_t wall_ns, bool date)
{
	return wall_ns ? clock_form(wall_ns, date ? "%Y-%m-%d %H:%M:%S"
						  : "%H:%M:%S")
		       : (struct text_short){ "" };
}

/* One or more digits up to a limit; false: none, or more. */
static bool parse_part(const char **s, int most, int *out)
{
	if (!isdigit((unsigned char)**s))
		return false;
	for (*out = 0; isdigit((unsigned char)**s) && *out <= most; ++*s)
		*out = *out * 10 + **s - '0';
	return *out <= most;
}

static bool clock_skip(const char **s, char c)
{
	if (**s != c)
		return false;
	++*s;
	return true;
}

/* "HH:MM", "HH:MM:SS" or "HH:MM:SS.fraction"; *s stands behind it. */
static bool parse_day_time(const char **s, struct tm *tm, uint64_t *ns)
{
	uint64_t digit = NS_PER_S / 10;

	*ns = 0;
	tm->tm_sec = 0;
	if (!parse_part(s, 23, &tm->tm_hour) || !clock_skip(s, ':') ||
	    !parse_part(s, 59, &tm->tm_min))
		return false;
	if (!clock_skip(s, ':'))
		return true;
	if (!parse_part(s, 60, &tm->tm_sec))
		return false;
	if (!clock_skip(s, '.'))
		return true;
	for (; isdigit((unsigned char)**s); ++*s, digit /= 10)
		*ns += (uint64_t)(**s - '0') * digit;
	return true;
}

/* "2026-11-20 " or with T for the blank; *s stands behind it. */
static bool parse_date(const char **s, struct tm *tm)
{
	if (!parse_part(s, 9999, &tm->tm_year) || !clock_skip(s, '-') ||
	    !parse_part(s, 12, &tm->tm_mon) || !clock_skip(s, '-') ||
	    !parse_part(s, 31, &tm->tm_mday) ||
	    (!clock_skip(s, ' ') && !clock_skip(s, 'T')))
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon -= 1;
	return tm->tm_year >= 70 && tm->tm_mon >= 0 && tm->tm_mday > 0;
}

/* "Z" or "+02:00" at the end of a text, in seconds east of UTC. */
static bool parse_zone(const char *s, int *east_s)
{
	int sign = *s == '-' ? -1 : 1, hours, minutes;

	*east_s = 0;
	if (*s == 'Z' || *s == 'z')
		return !s[1];
	if (*s != '+' && *s != '-')
		return false;
	s++;
	if (!parse_part(&s, 23, &hours) || !clock_skip(&s, ':') ||
	    !parse_part(&s, 59, &minutes) || *s)
		return false;
	*east_s = sign * (hours * 3600 + minutes * 60);
	return true;
}

/* "SECONDS" or "SECONDS.FRACTION" since 1970. */
static uint64_t parse_epoch(const char *s)
{
	uint64_t ns = 0, digit = NS_PER_S / 10;
	uint64_t seconds = 0;

	if (!isdigit((unsigned char)*s))
		return 0;
	for (; isdigit((unsigned char)*s); s++) {
		seconds = seconds * 10 + (uint64_t)(*s - '0');
		if (seconds >= INT64_MAX / NS_PER_S)
			return 0;
	}
	if (clock_skip(&s, '.') && !isdigit((unsigned char)*s))
		return 0;
	for (; isdigit((unsigned char)*s); s++, digit /= 10)
		ns += (uint64_t)(*s - '0') * digit;
	return *s ? 0 : seconds * NS_PER_S + ns;
}

uint64_t clock_parse_instant(const char *s)
{
	struct tm tm = { 0 };
	uint64_t ns;
	time_t t;
	int east_s;

	if (*s == '@')
		return parse_epoch(s + 1);
	if (!parse_date(&s, &tm) || !parse_day_time(&s, &tm, &ns) ||
	    !parse_zone(s, &east_s))
		return 0;
	t = timegm(&tm) - east_s;
	return clock_in_range(t) ? (uint64_t)t * NS_PER_S + ns : 0;
}

uint64_t clock_parse_local(const char *s, uint64_t after_ns)
{
	time_t after = (time_t)(after_ns / NS_PER_S), t;
	bool dated = strchr(s, '-') != NULL, utc;
	struct tm tm = { 0 };
	uint64_t ns;

	if ((dated && !parse_date(&s, &tm)) ||
	    (!dated && !localtime_r(&after, &tm)) ||
	    !parse_day_time(&s, &tm, &ns))
		return 0;
	utc = dated && *s == 'Z';
	if (s[utc])
		return 0;
	for (int day = 0;; day++) {
		struct tm copy = tm;

		/* Let mktime() find out whether that day has summer time. */
		copy.tm_isdst = -1;
		copy.tm_mday += day;
		t = utc ? timegm(&copy) : mktime(&copy);
		if (!clock_in_range(t))
			return 0;
		if (dated || day == 2 ||
		    (uint64_t)t * NS_PER_S + ns >= after_ns)
			return (uint64_t)t * NS_PER_S + ns;
	}
}
