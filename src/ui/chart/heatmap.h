/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heatmap: latencies over time, as counts per column and line; apart from the
 * screen.
 */
#ifndef UI_HEATMAP_H
#define UI_HEATMAP_H

#include "model/histogram.h"
#include "ui/chart/chart.h"

struct heatmap {
	int columns, lines;
	unsigned first, per_line; /* bins: the lowest one, and how many to a
				     line */
	uint64_t *cell;           /* by column, then by line from the foot */
	uint64_t *total;          /* of a column */
	double most;              /* the greatest share of all */
};

/*
 * The latencies of a job's histogram field over the chart, in that many lines:
 * those of the frames whose middle lies in a column, else of the one that
 * covers it. The lines reach from the least to the greatest bin in use. False
 * when there is nothing; *out is to be freed all the same.
 */
bool heatmap_fill(struct heatmap *out, const struct chart *c,
		  const struct history *h, double shift_s, const char *job,
		  int field, int lines);
void heatmap_free(struct heatmap *m);

/* 0 for nothing, else 1 to HEATS, by its share of the column's I/Os. */
int heatmap_level(const struct heatmap *m, int column, int line);
/* The least latency of a line, in ns; of lines: where the last one ends. */
double heatmap_low(const struct heatmap *m, int line);

#endif
