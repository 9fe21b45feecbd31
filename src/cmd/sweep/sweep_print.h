/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep print: prints the plan and the results of a sweep.
 */
#ifndef CMD_SWEEP_PRINT_H
#define CMD_SWEEP_PRINT_H

#include <stdio.h>

#include "cmd/sweep/sweep.h"

/* Runs, time, order, and the smallest effect that can be found. */
void sweep_print_plan(const struct sweep *sw, FILE *out);
/* The table of the runs so far, and a verdict for each variant. */
void sweep_print_results(const struct sweep *sw, FILE *out);

/* The verdicts of the blocks that decide, which are stored in from and to. The
 * caller frees them. */
struct sweep_verdict *sweep_print_verdicts(const struct sweep *sw,
					   unsigned *from, unsigned *to);

#endif
