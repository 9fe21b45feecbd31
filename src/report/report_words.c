/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report words: writes a figure as a sentence.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/report.h"

static bool ends(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* A value in the unit of its field's key. */
static char *value_words(const char *key, double v, char *buf, size_t size)
{
	if (isnan(v))
		snprintf(buf, size, "-");
	else if (ends(key, "_ns") || ends(key, "_ns_per_mib"))
		units_format_ns(buf, size, v);
	else if (ends(key, "_bytes"))
		units_format_bytes(buf, size, v);
	else if (ends(key, "_bytes_per_s"))
		strncat(units_format_bytes(buf, size - 2, v), "/s", 3);
	else if (ends(key, "_pct"))
		snprintf(buf, size, "%.1f %%", v);
	else if (fabs(v) >= 100)
		snprintf(buf, size, "%.0f", v);
	else
		snprintf(buf, size, "%.3g", v);
	return buf;
}

/* A value that prints as 0 gets no sign. */
static double no_minus_zero(double v)
{
	return fabs(v) < 0.05 ? 0 : v;
}

char *report_figure_words(const struct figure *f, char *buf, size_t size)
{
	const struct field *field = figure_field(f);
	char before[32], after[32], change[160] = "", more[64] = "";

	value_words(field->key, f->before, before, sizeof(before));
	value_words(field->key, f->after, after, sizeof(after));
	if (isfinite(f->low_pct) && isfinite(f->high_pct))
		snprintf(change, sizeof(change), ", %+.1f %% (%+.1f to %+.1f)",
			 no_minus_zero(f->change_pct),
			 no_minus_zero(f->low_pct), no_minus_zero(f->high_pct));
	else if (isfinite(f->change_pct))
		snprintf(change, sizeof(change), ", %+.1f %%",
			 no_minus_zero(f->change_pct));
	else if (!f->ordered && (f->verdict == VERDICT_HIGHER ||
				 f->verdict == VERDICT_LOWER))
		snprintf(change, sizeof(change), ", %s than before",
			 f->verdict == VERDICT_HIGHER ? "higher" : "lower");
	if (f->verdict == VERDICT_UNKNOWN)
		snprintf(more, sizeof(more), ", %u and %u intervals: too few",
			 f->n_before, f->n_after);
	else if (f->verdict == VERDICT_SAME || f->ordered)
		snprintf(more, sizeof(more), ", %s", figure_verdict(f));
	snprintf(buf, size, "%c %s of %s %s -> %s%s%s", figure_sign(f),
		 field->title, f->row, before, after, change, more);
	return buf;
}
