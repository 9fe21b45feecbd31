/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probability: the quantile of Student's t.
 */
#include "model/stats/probability.h"

#include <gsl/gsl_randist.h>

/* Above this, an interval counts as unbounded. */
#define FARTHEST 1e300

/*
 * The t with P(T > t) = tail, 0 < tail <= 0.5: a bracket by doubling, then
 * Newton's method, and a bisection where that leaves the bracket. Exact to about
 * 1e-15 of t.
 */
static double upper(double tail, double df)
{
	double low = 0, high = 1, t, next;

	while (gsl_cdf_tdist_Q(high, df) > tail && high < FARTHEST) {
		low = high;
		high *= 2;
	}
	t = low + (high - low) / 2;
	for (int i = 0; i < 200; i++) {
		double above = gsl_cdf_tdist_Q(t, df) - tail;

		if (above > 0)
			low = t;
		else
			high = t;
		next = t + above / gsl_ran_tdist_pdf(t, df);
		if (!(next >= low && next <= high))
			next = low + (high - low) / 2;
		if (fabs(next - t) <= 1e-15 * t)
			return next;
		t = next;
	}
	return t;
}

double probability_t_quantile(double p, double df)
{
	if (!(p > 0 && p < 1) || !(df >= PROBABILITY_DF_LEAST))
		return NAN;
	if (df > PROBABILITY_DF_MOST)
		return gsl_cdf_ugaussian_Pinv(p);
	if (p == 0.5)
		return 0;
	return p < 0.5 ? -upper(p, df) : upper(1 - p, df);
}
