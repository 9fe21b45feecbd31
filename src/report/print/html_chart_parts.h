/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML chart parts: functions that all pictures use.
 */
#ifndef REPORT_PRINT_HTML_CHART_PARTS_H
#define REPORT_PRINT_HTML_CHART_PARTS_H

#include <stddef.h>
#include <stdio.h>

#include "report/pivot/pivot.h"

/* In units of the drawing: about the CSS pixels of a phone. */
#define WIDTH 400
#define LEFT  8
#define RIGHT (WIDTH - 8)
#define INNER (RIGHT - LEFT)

/* Begin a picture; the caller ends it with </svg>. */
void html_chart_begin(FILE *out, double height, const char *title,
		      const char *description);
void html_chart_text(FILE *out, double x, double y, const char *class,
		     const char *words);
void html_chart_line(FILE *out, double x1, double y1, double x2, double y2,
		     const char *class);
/* The dot of a variant: circle, square, diamond, triangle, ring, cross. */
void html_chart_dot(FILE *out, size_t variant, double x, double y, double r);
/* Print the names below a picture, each after its dot; returns how many lines.
 * out NULL: count only. */
size_t html_chart_legend(const struct pivot *p, double y, FILE *out);
/* Format a difference of logs: "+4.6 %", "x2.3", "0". Returns buf. */
char *html_chart_change(double diff, char *buf, size_t size);
/* Format the names of row and column: "4096, bfq". */
void html_chart_variant(const struct pivot *p, size_t row, size_t col,
			char *buf, size_t size);

#endif
