/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML chart: a picture as inline SVG. Each has a title and a description for
 * screen readers; a table of the page has its figures. No meaning is in the
 * colour only: variants have shapes, the base is hatched.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "doc/svg.h"
#include "report/course.h"
#include "report/pivot/pivot.h"

/* Draw bars from zero, the best first, with the standard error and N. */
void html_chart_bars(const struct pivot *p, const struct pivot_table *t,
		     FILE *out);

/* Draw each run as a dot at its place in the order of runs. */
/* With fewer runs there is no picture of their order. */
#define HTML_CHART_RUNS 3
void html_chart_runs(const struct pivot *p, const struct pivot_table *t,
		     FILE *out);

/* Draw n values from from_s to to_s; NaN is a gap. metric: gives the unit. */
void html_chart_values(const char *title, const double *value, size_t n,
		       double from_s, double to_s, const char *metric,
		       FILE *out);

/* Draw the percentiles of an operation in one row of the tables: a line per
 * column, with the band of its runs. */
void html_chart_percentiles(const struct pivot *p,
			    const struct pivot_latency *l, size_t row,
			    FILE *out);
/* Draw the change of each percentile by each column, with intervals. */
void html_chart_shift(const struct pivot *p, const struct pivot_latency *l,
		      size_t row, FILE *out);

/* The common scales of the pictures of courses. */
struct html_chart_scale {
	double rate;         /* maximum, operations per second */
	unsigned first, end; /* bins of latency */
};
/* Whether a run is long enough to be drawn: it has three intervals or more. */
bool html_chart_draws(const struct course *c);
/* Extend a scale by a course. */
void html_chart_widen(struct html_chart_scale *scale, const struct course *c);

/* Draw rate and latencies over the time of a run; changes of settings are
 * lines. */
void html_chart_course(const char *title, const struct course *c,
		       const struct html_chart_scale *scale, FILE *out);

/* Print the names below a picture, each after its dot; returns how many lines.
 * out NULL: count only. */
size_t html_chart_legend(const struct pivot *p, double y, FILE *out);
/* The names of a cell's row and column: "4096, bfq". */
struct text_line html_chart_variant(const struct pivot *p, size_t cell);
