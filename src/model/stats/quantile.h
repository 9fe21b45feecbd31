/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quantile: percentiles of a sample, with their uncertainty.
 */
#ifndef MODEL_STATS_QUANTILE_H
#define MODEL_STATS_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Harrell and Davis (1982): the q-quantile (0 < q < 1) as a weighted mean of
 * all n sorted values. NaN of none.
 */
double quantile_harrell_davis(const double *sorted, size_t n, double q);

/*
 * The ranks (from 1) whose values hold the q-quantile with at least that
 * level, by the binomial distribution. false: there are none, n is too small.
 */
bool quantile_ranks(size_t n, double q, double level, size_t *low, size_t *high,
		    double *coverage);

/* Whether 10 or more of n are above the q-quantile: fewer decide it alone. */
bool quantile_sure(double n, double q);

#endif
