/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot parts: functions that the files of the pivot share.
 */
#ifndef REPORT_PIVOT_PIVOT_PARTS_H
#define REPORT_PIVOT_PIVOT_PARTS_H

#include <stdint.h>

#include "report/pivot/pivot.h"

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
