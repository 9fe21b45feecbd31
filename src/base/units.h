/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units: sizes, times and rates from text and to text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/text.h"

/*
 * A size in bytes: "4096", "4k" = "4kb" = "4KiB" = 4096, "1.5g", "2T".
 * Powers of 1024 throughout, as fio reads k, m, g, t and p. (fio reads KiB as
 * 1000 by default; KiB never means that here.)
 * False on garbage, a sign, or more than 2^63 - 1.
 */
bool units_parse_bytes(const char *s, uint64_t *bytes) must_check;

/*
 * A time in ns: "250us", "10ms", "30s", "5m", "2h", "1d"; without a unit it is
 * in units of bare_ns. False on garbage, a sign, or more than 2^63 - 1.
 */
bool units_parse_ns(const char *s, uint64_t bare_ns, uint64_t *ns) must_check;

/* Hours, minutes and seconds as seconds: "1:30.5", "2:00:00"; false on anything
 * else. */
bool units_parse_span(const char *s, double *seconds) must_check;

/* A plain count within [min, max]. */
bool units_parse_count(const char *s, uint64_t min, uint64_t max,
		       uint64_t *count) must_check;

/*
 * The whole number of v towards 0, held within [low, high]; low for NaN. A cast
 * of a number that the type cannot hold is undefined, so what comes from a log,
 * a file or a division is made whole here.
 */
static inline int64_t units_whole(double v, int64_t low, int64_t high)
{
	if (!(v > (double)low))
		return low;
	return v < (double)high ? (int64_t)v : high;
}

/* To at most 4 figures: "1.50GiB", "812KiB"; "-" for NaN. */
struct text_short units_bytes(double bytes);
/* "1.25ms", "830us", "12.0s"; "-" for NaN. */
struct text_short units_ns(double ns);
/* "812", "69.1k", "1.20M"; "-" for NaN. */
struct text_short units_count(double count);
/* "0:42", "12:05", "3:10:00" from seconds; "-" for NaN. */
struct text_short units_span(double seconds);
