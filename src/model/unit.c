/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit: the table of units, and how their values are read and written. */
#include "model/unit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

#define UNIT_TEXT 200 /* a value that an operator wrote */

static bool unit_parse_time(const char *s, double *value, uint64_t bare_ns)
{
	uint64_t ns;

	if (!units_parse_ns(s, bare_ns, &ns))
		return false;
	*value = (double)ns;
	return true;
}

static bool unit_read_ns(const char *s, double *value)
{
	return unit_parse_time(s, value, 1);
}

static bool unit_read_seconds(const char *s, double *value)
{
	if (!unit_parse_time(s, value, 1000000000))
		return false;
	*value /= 1e9;
	return true;
}

static bool unit_read_bytes(const char *s, double *value)
{
	char text[UNIT_TEXT];
	uint64_t bytes;

	text_set(text, s);
	if (text_ends(text, "/s"))
		text[strlen(text) - 2] = '\0';
	if (!units_parse_bytes(text, &bytes))
		return false;
	*value = (double)bytes;
	return true;
}

/* A number with at most one of these units, which multiplies it. */
static bool unit_read_number(const char *s, const char *units,
				  const double *factor, double *value)
{
	char *end;
	const char *unit;

	if (!*s || !strchr("0123456789.-", *s) || s[1] == 'x' || s[1] == 'X')
		return false;
	*value = strtod(s, &end);
	end += strspn(end, " ");
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		*value *= factor[unit - units];
		end++;
	}
	return !*end && isfinite(*value);
}

static bool unit_read_pct(const char *s, double *value)
{
	return unit_read_number(s, "%", (const double[]){ 1 }, value);
}

static bool unit_read_count(const char *s, double *value)
{
	return unit_read_number(s, "kMG",
				     (const double[]){ 1e3, 1e6, 1e9 }, value);
}

static struct text_short unit_count_words(double v)
{
	return text_shortly(fabs(v) >= 100 ? "%.0f" : "%.4g", v);
}

static struct text_short unit_pct_words(double v)
{
	return text_shortly("%.1f%%", v);
}

static struct text_short unit_rate_words(double v)
{
	return text_shortly("%.29s/s", units_bytes(v).text);
}

static struct text_short unit_seconds_words(double v)
{
	return text_shortly("%.4gs", v);
}

#define UNIT_TIMES(per) \
	{ { 1e9, 1e-9, "s" per }, { 1e6, 1e-6, "ms" per }, \
	  { 1e3, 1e-3, "us" per }, { 0, 1, "ns" per } }
#define UNIT_SIZES(per) \
	{ { 0x1p30, 0x1p-30, "GiB" per }, { 0x1p20, 0x1p-20, "MiB" per }, \
	  { 0x1p10, 0x1p-10, "KiB" per }, { 0, 1, "B" per } }
#define UNIT_COUNTS \
	{ { 1e9, 1e-9, "G" }, { 1e6, 1e-6, "M" }, { 1e4, 1e-3, "k" }, \
	  { 0, 1, "" } }

/* clang-format off */
static const struct unit_row unit_rows[] = {
	{ "_ns_per_mib", UNIT_NS, "ns/MiB", -1, UNIT_TIMES("/MiB"),
	  unit_read_ns, "2ms", units_ns,
	  "_seconds_per_mebibyte", 1e-9 },
	{ "_ns", UNIT_NS, "ns", -1, UNIT_TIMES(""),
	  unit_read_ns, "10ms", units_ns, "_seconds", 1e-9 },
	{ "bytes_per_s", UNIT_BYTES_PER_S, "B/s", 1, UNIT_SIZES("/s"),
	  unit_read_bytes, "500MiB/s", unit_rate_words,
	  "bytes_per_second", 1 },
	{ "_bytes", UNIT_BYTES, "B", 0, UNIT_SIZES(""),
	  unit_read_bytes, "500MiB", units_bytes, NULL, 1 },
	{ "cpu_pct", UNIT_PCT, "%", -1, { { 0, 1, "%" } },
	  unit_read_pct, "20%", unit_pct_words, "cpu_ratio", 0.01 },
	{ "_pct", UNIT_PCT, "%", 0, { { 0, 1, "%" } },
	  unit_read_pct, "20%", unit_pct_words, "_ratio", 0.01 },
	{ "_per_s", UNIT_COUNT, "1/s", 1, UNIT_COUNTS,
	  unit_read_count, "1500", unit_count_words, "_per_second", 1 },
	{ "_iops", UNIT_COUNT, "1/s", 1, UNIT_COUNTS,
	  unit_read_count, "1500", unit_count_words, NULL, 1 },
	{ "_s", UNIT_COUNT, "s", 0, { { 0, 1, "s" } },
	  unit_read_seconds, "30s", unit_seconds_words, "_seconds", 1 },
	{ "_kb", UNIT_COUNT, "KiB", 0, UNIT_COUNTS,
	  unit_read_count, "128", unit_count_words, "_bytes", 1024 },
	{ "", UNIT_COUNT, "", 0, UNIT_COUNTS,
	  unit_read_count, "1500", unit_count_words, NULL, 1 },
};
/* clang-format on */

const struct unit_row *unit_row(const char *key)
{
	const struct unit_row *u = unit_rows;

	while (!text_ends(key, u->end))
		u++;
	return u;
}

enum unit unit_of(const char *key)
{
	return unit_row(key)->unit;
}

const struct unit_step *unit_step(const struct unit_row *row, double typical)
{
	const struct unit_step *step = row->step;

	while (step->from > 0 && !(fabs(typical) >= step->from))
		step++;
	return step;
}

struct text_short unit_format(enum unit unit, double v)
{
	if (isnan(v))
		return text_shortly("-");
	switch (unit) {
	case UNIT_BYTES:
		return units_bytes(v);
	case UNIT_BYTES_PER_S:
		return unit_rate_words(v);
	case UNIT_NS:
		return units_ns(v);
	case UNIT_PCT:
		return text_shortly(fabs(v) < 99.95 ? "%.1f%%" : "%.0f%%", v);
	default:
		return units_count(v);
	}
}
