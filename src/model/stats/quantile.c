/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quantile: percentiles of a sample.
 */
#include "model/stats/quantile.h"

#include <gsl/gsl_cdf.h>
#include <limits.h>
#include <math.h>

/* With fewer values beyond it, a quantile depends on these alone. */
#define LEAST_BEYOND 10

double quantile_harrell_davis(const double *sorted, size_t n, double q)
{
	const double a = ((double)n + 1) * q, b = ((double)n + 1) * (1 - q);
	double sum = 0, below = 0;

	if (!n || isnan(q))
		return NAN;
	/* The weights are of the beta distribution with a and b above 0. */
	if (q <= 0 || q >= 1)
		return sorted[q <= 0 ? 0 : n - 1];
	for (size_t i = 0; i < n; i++) {
		double to =
			i + 1 == n ? 1
				   : gsl_cdf_beta_P((double)(i + 1) / (double)n,
						    a, b);

		sum += (to - below) * sorted[i];
		below = to;
	}
	return sum;
}

/* P(at most k of n values lie below the quantile). */
static double at_most(double k, size_t n, double q)
{
	if (k < 0)
		return 0;
	return gsl_cdf_binomial_P((unsigned)k, q, (unsigned)n);
}

bool quantile_ranks(size_t n, double q, double level, size_t *low, size_t *high,
		    double *coverage)
{
	const double tail = (1 - level) / 2;
	size_t from = 0, to = n + 1, left, right;

	/* GSL counts in unsigned. */
	if (!(q >= 0 && q <= 1) || !(level > 0 && level < 1) || n >= UINT_MAX)
		return false;
	/* The greatest rank with P(below < rank) <= tail. */
	for (left = 0, right = n; left < right;) {
		size_t middle = (left + right + 1) / 2;

		if (at_most((double)middle - 1, n, q) <= tail)
			left = middle;
		else
			right = middle - 1;
	}
	from = left;
	/* The least one with P(below < rank) >= 1 - tail. */
	for (left = 1, right = n + 1; left < right;) {
		size_t middle = (left + right) / 2;

		if (at_most((double)middle - 1, n, q) >= 1 - tail)
			right = middle;
		else
			left = middle + 1;
	}
	to = left;
	if (from < 1 || to > n)
		return false;
	*low = from;
	*high = to;
	*coverage =
		at_most((double)to - 1, n, q) - at_most((double)from - 1, n, q);
	return true;
}

bool quantile_sure(double n, double q)
{
	/* 1 - 0.999 is a little less than a thousandth. */
	return n * (1 - q) >= LEAST_BEYOND - 1e-6;
}
