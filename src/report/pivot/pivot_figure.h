/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot figure: the numbers of a pivot as texts for people.
 */
#ifndef REPORT_PIVOT_PIVOT_FIGURE_H
#define REPORT_PIVOT_PIVOT_FIGURE_H

#include <stddef.h>
#include <stdint.h>

#include "report/pivot/pivot.h"

/* A unit that all figures of a row share: value * scale, then the unit. */
struct pivot_figure {
	double scale;
	const char *unit; /* "k", "ms", "MiB/s"; "" */
};

/* The unit for values about as great as typical; the key names the unit. */
struct pivot_figure pivot_figure_of(const char *metric, double typical);

/* The base unit that a metric is kept in: "ns", "B/s", "1/s", "%"; "". */
const char *pivot_figure_unit(const char *metric);

/* "paired", "welch", "none". */
const char *pivot_figure_method_name(const struct difference *d);

/* "61.2": with so many digits that half has two; half may be NaN. */
char *pivot_figure_text(const struct pivot_figure *f, double value, double half,
			char *buf, size_t size);

/* ".026", "<.001", "-". */
char *pivot_figure_p(double p, char *buf, size_t size);

/* "read_iops of job rand, more is better". */
char *pivot_figure_title(const struct pivot_table *t, char *buf, size_t size);

/* "5", "4/5" where runs failed or were left out, "-". */
char *pivot_figure_n(const struct pivot_cell *c, char *buf, size_t size);

/* In place of a mean: "X" where no run ended, "> 120 s" where a limit ended
 * them, "-" where they have no such figure. */
char *pivot_figure_hole(const struct pivot_cell *c, char *buf, size_t size);

/*
 * A comparison as a sentence without its subject: "+4.6 % (95 % interval +1.9
 * to +7.4): better".
 */
char *pivot_figure_sentence(const struct pivot *p, const struct pivot_table *t,
			    const struct pivot_compare *c, char *buf,
			    size_t size);

/* Whether the intervals of a table hold all at once. */
bool pivot_figure_all_hold(const struct pivot *p, const struct pivot_table *t);

/* "95 % interval", or that it holds with all others at once. */
const char *pivot_figure_level(const struct pivot_compare *c);

/* Whether the mean of a cell is a lower bound only: a time, and runs reached
 * the limit. */
bool pivot_figure_is_bound(const struct pivot_table *t,
			   const struct pivot_cell *c);

/*
 * A second opinion on a comparison, by ranks: "sign flip p .063, Hodges-Lehmann
 * +4.6 %", without pairs "Mann-Whitney p .095". disagrees: with the t test at
 * 5 %. false: figures only, or more than RANK_FLIPS runs.
 */
bool pivot_figure_robust(const struct pivot *p, const struct pivot_table *t,
			 const struct pivot_compare *c, char *buf, size_t size,
			 bool *disagrees);

/*
 * The difference in each block, and what an analysis without blocks would say:
 * "by block: +4.6 +5.5 %; without blocks the interval is -0.9 to +10.5". NULL:
 * not paired, not of logs, or more than 15 blocks.
 */
char *pivot_figure_blocks(const struct pivot *p, const struct pivot_table *t,
			  const struct pivot_compare *c, char *buf,
			  size_t size);

/* How the comparisons were made, in one sentence. */
char *pivot_figure_method(const struct pivot *p, char *buf, size_t size);

/*
 * Pivot parts: functions that the files of the pivot share.
 */

#define PIVOT_NOWHERE SIZE_MAX

/* The rows of pivot_correction(). */
enum { PIVOT_HOLM, PIVOT_BH, PIVOT_ROW, PIVOT_DUNNETT };

/* pivot_choose.c: keys of rows and columns, and the metrics. */
int pivot_choose_keys(struct pivot *p, const struct pivot_options *o,
		      const bool *part) must_check;
int pivot_choose_metrics(struct pivot *p,
			 const struct pivot_options *o) must_check;

/* pivot.c: the values and means of a table whose metric is set. */
void pivot_fill_table(struct pivot *p, struct pivot_table *t);
void pivot_free_table(struct pivot_table *t);

/* pivot_figure.c */
void pivot_latency_make(struct pivot *p);
void pivot_latency_free(struct pivot *p);

/* pivot_judge.c: compare, correct, and the figures below the table. */
void pivot_judge_table(struct pivot *p, struct pivot_table *t);
void pivot_judge_family(struct pivot *p);

/* pivot_order.c: what the order of the runs did: drift, the first runs,
 * carry-over; and outliers. */
void pivot_order_find(struct pivot *p, struct pivot_table *t);

/* pivot_order.c: what is merged in a cell, and differs between columns. */
void pivot_keys_find(struct pivot *p);

/* A text in the pivot's memory. */
const char *pivot_keep(struct pivot *p, const char *text);

#endif
