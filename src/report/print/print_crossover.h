/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print crossover: the verdict of a live crossover, as text and as JSON.
 */
#ifndef REPORT_PRINT_CROSSOVER_H
#define REPORT_PRINT_CROSSOVER_H

#include <stdio.h>

#include "base/json.h"
#include "model/crossover.h"

/* Nothing is printed of an empty one. */
void print_crossover(const struct crossover *x, FILE *out);
/*
 * Only the verdicts on the rates, a sentence each, after a line of words and in
 * at most so many columns; nothing when there is none.
 */
void print_crossover_verdicts(const struct crossover *x, const char *words,
			      unsigned columns, FILE *out);
/* NULL of an empty one. */
struct json *print_crossover_json(const struct crossover *x);

#endif
