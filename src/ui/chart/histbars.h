/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histbars: a histogram of latencies as a row of bars, on a logarithmic axis.
 */
#ifndef UI_HISTBARS_H
#define UI_HISTBARS_H

#include <stdbool.h>

#include "model/histogram.h"

struct histbars {
	int n, cells; /* number of bars, and cells of each */
	double share[HEAT_BINS], low_ns[HEAT_BINS];
	double most; /* the greatest share */
};

/*
 * Make bars from the lowest to the highest latency, in at most room cells.
 * False: nothing to show, or h is NULL.
 */
bool histbars_fill(struct histbars *out, const struct histogram *h, int room);

#endif
