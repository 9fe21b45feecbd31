/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histbars: a histogram of latencies as a row of bars, on a logarithmic axis.
 */
#ifndef UI_HISTBARS_H
#define UI_HISTBARS_H

#include <stdbool.h>

#include "model/histogram.h"

struct histbars {
	int n, cells; /* bars, and how wide each is */
	double share[HEAT_BINS], low_ns[HEAT_BINS];
	double most; /* the greatest share */
};

/*
 * From the least to the greatest latency, in at most room cells. False when
 * there is nothing, or h is NULL.
 */
bool histbars_fill(struct histbars *out, const struct histogram *h, int room);

#endif
