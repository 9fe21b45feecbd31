/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units: sizes, times and rates from text and to text. */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *name;
	double factor;
};

static const struct unit byte_units[] = {
	{ "", 1 },
	{ "b", 1 },
	{ "k", 0x1p10 },
	{ "kb", 0x1p10 },
	{ "kib", 0x1p10 },
	{ "m", 0x1p20 },
	{ "mb", 0x1p20 },
	{ "mib", 0x1p20 },
	{ "g", 0x1p30 },
	{ "gb", 0x1p30 },
	{ "gib", 0x1p30 },
	{ "t", 0x1p40 },
	{ "tb", 0x1p40 },
	{ "tib", 0x1p40 },
	{ "p", 0x1p50 },
	{ "pb", 0x1p50 },
	{ "pib", 0x1p50 },
};

static const struct unit time_units[] = {
	{ "ns", 1 },	  { "us", 1e3 },     { "usec", 1e3 },
	{ "ms", 1e6 },	  { "msec", 1e6 },   { "s", 1e9 },
	{ "sec", 1e9 },	  { "m", 60e9 },     { "min", 60e9 },
	{ "h", 3600e9 },  { "hour", 3600e9 }, { "d", 86400e9 },
	{ "day", 86400e9 },
};

/* A plain decimal number (no sign, exponent, hex, inf or nan) and its end. */
static bool parse_decimal(const char *s, double *value, const char **end)
{
	size_t n = strspn(s, "0123456789.");
	char digits[40], *stop;

	if (n == 0 || n >= sizeof(digits) ||
	    !isdigit((unsigned char)s[s[0] == '.']))
		return false;
	memcpy(digits, s, n);
	digits[n] = '\0';
	*value = strtod(digits, &stop);
	if (*stop)
		return false;
	*end = s + n;
	return true;
}

static bool units_scaled(double value, double factor, uint64_t *out)
{
	double v = value * factor;

	if (!(v >= 0 && v < 0x1p63))
		return false;
	*out = (uint64_t)llround(v);
	return true;
}

static bool parse_unit(const char *s, const struct unit *units, size_t n,
		       double bare, uint64_t *out)
{
	const char *end;
	double value;

	if (!parse_decimal(s, &value, &end))
		return false;
	if (!*end) {
		/* An exact integer must not go through a double's 53 bits. */
		if (bare == 1 && !strchr(s, '.'))
			return units_parse_count(s, 0, INT64_MAX, out);
		return units_scaled(value, bare, out);
	}
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(end, units[i].name))
			return units_scaled(value, units[i].factor, out);
	return false;
}

bool units_parse_bytes(const char *s, uint64_t *bytes)
{
	return parse_unit(s, byte_units,
			  ARRAY_SIZE(byte_units), 1,
			  bytes);
}

bool units_parse_ns(const char *s, uint64_t bare_ns, uint64_t *ns)
{
	return parse_unit(s, time_units,
			  ARRAY_SIZE(time_units),
			  (double)bare_ns, ns);
}

bool units_parse_span(const char *s, double *seconds)
{
	char *end;

	if (s[strspn(s, "0123456789:.")])
		return false;
	for (*seconds = 0;; s = end + 1) {
		*seconds = *seconds * 60 + strtod(s, &end);
		if (end == s || (*end && *end != ':'))
			return false;
		if (!*end)
			return true;
	}
}

bool units_parse_count(const char *s, uint64_t min, uint64_t max,
		       uint64_t *count)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)s[0]))
		return false;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno || *end || v < min || v > max)
		return false;
	*count = v;
	return true;
}

/* value / base^n with three or four figures and the n-th suffix. */
static struct text_short units_step(double value, double base,
				    const char *const *suffix, int n_suffix)
{
	int i = 0;

	if (isnan(value))
		return text_shortly("-");
	while (fabs(value) >= base * 0.9995 && i < n_suffix - 1) {
		value /= base;
		i++;
	}
	return text_shortly("%.*f%s",
			    i == 0 && value == floor(value) ? 0
			    : fabs(value) < 9.995           ? 2
			    : fabs(value) < 99.95           ? 1
							    : 0,
			    value, suffix[i]);
}

struct text_short units_bytes(double bytes)
{
	static const char *const suffix[] = { "B",   "KiB", "MiB",
					      "GiB", "TiB", "PiB" };

	return units_step(bytes, 1024, suffix, 6);
}

struct text_short units_ns(double ns)
{
	static const char *const suffix[] = { "ns", "us", "ms", "s" };

	return units_step(ns, 1000, suffix, 4);
}

struct text_short units_count(double count)
{
	static const char *const suffix[] = { "", "k", "M", "G", "T" };

	return units_step(count, 1000, suffix, 5);
}

struct text_short units_span(double seconds)
{
	uint64_t s;

	if (!(seconds >= 0 && seconds <= 1e12))
		return text_shortly("-");
	s = (uint64_t)(seconds + 0.5);
	if (s < 3600)
		return text_shortly("%u:%02u", (unsigned)(s / 60),
				    (unsigned)(s % 60));
	return text_shortly("%llu:%02u:%02u", (unsigned long long)(s / 3600),
			    (unsigned)(s / 60 % 60), (unsigned)(s % 60));
}
