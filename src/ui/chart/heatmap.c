/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Heatmap: latencies over time, as counts per column and line. */
#include "ui/chart/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"

/* The heat of a column; count: frames whose middle is in the column. */
struct heat_column {
	struct heat heat;
	int count;
};

static void heatmap_take(const struct chart *c, struct heat_column *column,
			 double begin, double end, const struct heat *heat)
{
	int middle = chart_column(c, (begin + end) / 2);
	int last = chart_column(c, end);

	for (int x = chart_first_column(c, begin); x <= last; x++)
		if (x >= 0 && x < c->columns && !column[x].count)
			column[x].heat = *heat;
	if (middle < 0 || middle >= c->columns)
		return;
	if (column[middle].count++)
		histogram_heat_add(&column[middle].heat, heat);
	else
		column[middle].heat = *heat;
}

static void heatmap_gather(const struct chart *c, const struct history *h,
			   double shift_s, enum schema_id schema,
			   const char *row, int field,
			   struct heat_column *column)
{
	size_t oldest, newest;
	struct heat heat;

	if (!chart_ages(c, h, shift_s, &oldest, &newest))
		return;
	for (size_t age = oldest + 1; age-- > newest;) {
		double end = history_t(h, age) + shift_s;

		/* An interval without I/O is a column, too. */
		if (!history_heat(h, age, schema, row, field, &heat))
			memset(&heat, 0, sizeof(heat));
		heatmap_take(c, column, end - history_interval(h, age), end,
			     &heat);
	}
}

/* The next number of bins per line: 1, 2, ... or whole octaves. */
static unsigned more_bins(unsigned per_line)
{
	return per_line < HEAT_PER_OCTAVE ? per_line * 2
					  : per_line + HEAT_PER_OCTAVE;
}

/*
 * Use the smallest number of bins per line that fits; the lowest line begins at
 * a multiple of that number, at most of an octave.
 */
static void fit(struct heatmap *m, const struct heat_column *column)
{
	struct heat all = { 0 };
	unsigned first, end, even;

	for (int x = 0; x < m->columns; x++)
		histogram_heat_add(&all, &column[x].heat);
	histogram_heat_range(&all, &first, &end);
	for (m->per_line = 1;; m->per_line = more_bins(m->per_line)) {
		even = m->per_line < HEAT_PER_OCTAVE ? m->per_line
						     : HEAT_PER_OCTAVE;
		m->first = first - first % even;
		if (end - m->first <= m->per_line * (unsigned)m->lines)
			break;
	}
	/* Use no more lines than the bins need. */
	m->lines = (int)((end - m->first + m->per_line - 1) / m->per_line);
}

bool heatmap_fill(struct heatmap *m, const struct chart *c,
		  const struct history *h, double shift_s,
		  enum schema_id schema, const char *row, int field, int lines)
{
	struct heat_column *column;

	memset(m, 0, sizeof(*m));
	m->columns = c->columns;
	m->lines = lines;
	if (field < 0 || lines < 1 || m->columns < 1)
		return false;
	column = xcalloc((size_t)m->columns, sizeof(*column));
	heatmap_gather(c, h, shift_s, schema, row, field, column);
	fit(m, column);
	m->total = xcalloc((size_t)m->columns, sizeof(*m->total));
	m->cell = xcalloc((size_t)m->columns * (size_t)m->lines + 1,
			  sizeof(*m->cell));
	for (int x = 0; x < m->columns; x++)
		for (unsigned bin = m->first; bin < HEAT_BINS; bin++) {
			unsigned line = (bin - m->first) / m->per_line;

			if (line >= (unsigned)m->lines)
				break;
			m->cell[x * m->lines + (int)line] +=
				column[x].heat.bin[bin];
			m->total[x] += column[x].heat.bin[bin];
		}
	for (int i = 0; i < m->columns * m->lines; i++)
		if (m->cell[i])
			m->most = fmax(m->most,
				       (double)m->cell[i] /
					       (double)m->total[i / m->lines]);
	free(column);
	return m->lines > 0;
}

void heatmap_free(struct heatmap *m)
{
	free(m->cell);
	free(m->total);
	memset(m, 0, sizeof(*m));
}

/* Use the root of the share, so that small counts show beside large ones. */
int heatmap_level(const struct heatmap *m, int column, int line)
{
	double share;

	if (column < 0 || column >= m->columns || line < 0 ||
	    line >= m->lines || !m->cell[column * m->lines + line])
		return 0;
	share = (double)m->cell[column * m->lines + line] /
		(double)m->total[column];
	return 1 + (int)units_whole(sqrt(share / m->most) * HEATS, 0,
				    HEATS - 1);
}

double heatmap_low(const struct heatmap *m, int line)
{
	return (double)histogram_heat_low(m->first +
					  (unsigned)line * m->per_line);
}

/* --- a histogram of latencies as a row of bars --- */

/* The widest useful bar. */
#define CELLS_MAX 6

bool heatmap_bars(struct histbars *out, const struct histogram *h, int room)
{
	unsigned first, end, per = 1;
	struct heat heat;
	double count;

	memset(out, 0, sizeof(*out));
	if (!h || room < 1)
		return false;
	histogram_heat_from(&heat, h);
	count = (double)histogram_heat_count(&heat);
	histogram_heat_range(&heat, &first, &end);
	if (!end)
		return false;
	while (first % per + end - first > per * (unsigned)room)
		per *= 2;
	first -= first % per;
	out->n = (int)((end - first + per - 1) / per);
	out->cells = room / out->n > CELLS_MAX ? CELLS_MAX : room / out->n;
	for (int i = 0; i < out->n; i++) {
		unsigned bin = first + (unsigned)i * per;

		out->low_ns[i] = (double)histogram_heat_low(bin);
		for (unsigned k = bin; k < bin + per && k < end; k++)
			out->share[i] += heat.bin[k] / count;
		out->most = fmax(out->most, out->share[i]);
	}
	return true;
}
