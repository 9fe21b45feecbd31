/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heatmap: latencies over time, as counts per column and line, independent of
 * the screen.
 */
#ifndef UI_HEATMAP_H
#define UI_HEATMAP_H

#include "model/histogram.h"
#include "ui/chart/chart.h"

struct heatmap {
	int columns, lines;
	unsigned first, per_line; /* the lowest bin; bins per line */
	uint64_t *cell;           /* by column, then by line from the foot */
	uint64_t *total;          /* of a column */
	double most;              /* the greatest share of all */
};

/*
 * Count the latencies of a job's histogram field over the chart in at most
 * lines lines. A column has the frames whose middle is in it, else the frame
 * that covers it. The lines reach from the lowest to the highest bin in use.
 * False: nothing to show. Free *out in any case.
 */
bool heatmap_fill(struct heatmap *out, const struct chart *c,
		  const struct history *h, double shift_s, const char *job,
		  int field, int lines);
void heatmap_free(struct heatmap *m);

/* The level of a cell by its share of the column's I/Os, 1 to HEATS; 0: none. */
int heatmap_level(const struct heatmap *m, int column, int line);
/* The lowest latency of a line, in ns; of line m->lines: the upper end. */
double heatmap_low(const struct heatmap *m, int line);

#endif
