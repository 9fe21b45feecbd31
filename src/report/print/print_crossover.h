/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print crossover: prints the verdicts of a live crossover as text and JSON.
 */
#ifndef REPORT_PRINT_CROSSOVER_H
#define REPORT_PRINT_CROSSOVER_H

#include <stdio.h>

#include "base/json.h"
#include "model/crossover.h"

/* Print the verdicts; nothing if x has no variants. */
void print_crossover(const struct crossover *x, FILE *out);
/*
 * Print only the verdicts on the rates, a sentence each, after the line words,
 * in lines of at most columns cells; nothing if there are none.
 */
void print_crossover_verdicts(const struct crossover *x, const char *words,
			      unsigned columns, FILE *out);
/* The verdicts as JSON, owned by the caller; NULL: x has no variants. */
struct json *print_crossover_json(const struct crossover *x);

#endif
