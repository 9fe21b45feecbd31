/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reference: the figures that a publication has, beside the runs of a log.
 *
 * The figures are of other hardware, so ratios to the first row of each table
 * are compared and never values. A reference is a JSON text:
 *
 *   {"title", "source", "hardware", "why": [SENTENCES],
 *    "series": [NAMES OF COLUMNS],
 *    "table": [{"title", "metric", "better": "more"|"less", "sorted", "series",
 *               "note", "row": [{"name", "point": {KEY: VALUE}, "metric",
 *               "value": [ONE PER SERIES], "se": [...], "n": [...],
 *               "direction": "higher", "says": "suspected"}]}]}
 *
 * se is the standard error of a value, n the number of its runs; null where the
 * publication does not say.
 *
 * A row without a point is one that cannot be run today; one with a direction
 * in place of values has no figure in the publication. A metric that ends in
 * "cached_pct" is the share that a cache answered: 100 - 100 * D / J, where D is the bytes
 * that the disk of the run read, and J those that its jobs read; above 10 % a
 * cache is suspected, which "says" holds for the publication.
 */
#ifndef REPORT_PIVOT_REFERENCE_H
#define REPORT_PIVOT_REFERENCE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/attributes.h"
#include "base/json.h"
#include "report/pivot/runs.h"

/* A difference below this share counts as none: documents rarely repeat. */
#define REFERENCE_MARGIN 0.05

struct reference;

/*
 * Compare the runs with a reference; kernels are compared apart. text is
 * untrusted. Runs that a check found spoilt count with include_invalid only.
 * 0 with *out to be freed, or -EINVAL with a sentence.
 */
int reference_new(struct reference **out, struct runs *r, const char *name,
		  const char *text, bool include_invalid) must_check;
void reference_free(struct reference *ref);

/* Print: 80 columns of text, Markdown, one JSON object. */
void reference_print_text(const struct reference *ref, FILE *out);
void reference_print_mail(const struct reference *ref, FILE *out);
void reference_print_json(const struct reference *ref, FILE *out);

#endif
