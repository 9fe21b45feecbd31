/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print series: prints chosen fields of every frame as CSV, for plots.
 */
#ifndef REPORT_PRINT_PRINT_SERIES_H
#define REPORT_PRINT_PRINT_SERIES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/attributes.h"
#include "model/frame.h"

struct print_series;

/*
 * fields: TABLE.ROW.KEY, comma-separated, such as device.sda.read_iops, or
 * TABLE.KEY for a table with one row. ROW "*": all rows. Returns 0, or -EINVAL
 * with a sentence.
 */
int print_series_new(struct print_series **out, const char *fields) must_check;
void print_series_free(struct print_series *s);

/* Whether a field has the row "*": then print_series_scan() must see all frames
 * before the head is printed. */
bool print_series_scans(const struct print_series *s);
void print_series_scan(struct print_series *s, const struct frame *f);

/* Print the titles (log,t,time and the fields), then a line per frame. Unknown
 * values are empty. */
void print_series_head(const struct print_series *s, FILE *out);
void print_series_add(struct print_series *s, const char *log,
		      const struct frame *f, FILE *out);

#endif
