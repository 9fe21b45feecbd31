/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML chart: the pictures of the HTML page, as inline SVG. Each has a title
 * and a description for screen readers; its figures stand in a table of the
 * page. Colour never stands alone: variants have shapes, the base is hatched.
 */
#ifndef REPORT_PRINT_HTML_CHART_H
#define REPORT_PRINT_HTML_CHART_H

#include <stddef.h>
#include <stdio.h>

#include "report/course.h"
#include "report/pivot/pivot.h"

/*
 * The ratios to the base with their intervals, a row for each comparison; a
 * grey band is the margin of equivalence. Nothing where no interval is known.
 */
void html_chart_forest(const struct pivot *p, const struct pivot_table *t,
		       FILE *out);

/* Bars from zero, sorted, the best first, with the standard error and N. */
void html_chart_bars(const struct pivot *p, const struct pivot_table *t,
		     FILE *out);

/* Each run as a dot at its place in the order of runs. */
void html_chart_runs(const struct pivot *p, const struct pivot_table *t,
		     FILE *out);

/* n values over from_s to to_s; NaN is a gap. unit: behind the greatest. */
void html_chart_values(const char *title, const double *value, size_t n,
		       double from_s, double to_s, const char *metric,
		       FILE *out);

/* The percentiles of an operation, a line per column, with the band of its
 * runs; of one row of the tables. */
void html_chart_percentiles(const struct pivot *p,
			    const struct pivot_latency *l, size_t row,
			    FILE *out);
/* By how much the columns change each percentile, with intervals. */
void html_chart_shift(const struct pivot *p, const struct pivot_latency *l,
		      size_t row, FILE *out);

/* The scales that pictures of courses share. */
struct html_chart_scale {
	double rate;         /* the greatest, operations per second */
	unsigned first, end; /* bins of latency */
};
void html_chart_widen(struct html_chart_scale *scale, const struct course *c);

/* Rate and latencies over the time of a run; settings that were turned are
 * lines. */
void html_chart_course(const char *title, const struct course *c,
		       const struct html_chart_scale *scale, FILE *out);

#endif
