/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probability: tails and quantiles of distributions. */
#include "model/stats/probability.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

/* Above this, an interval counts as unbounded. */
#define FARTHEST 1e300

double probability_normal(double x)
{
	return erfc(-x / M_SQRT2) / 2;
}

double probability_t_tail(double t, double df)
{
	if (isnan(t) || !(df >= PROBABILITY_DF_LEAST))
		return NAN;
	return df > PROBABILITY_DF_MOST ? gsl_cdf_ugaussian_Q(t)
					: gsl_cdf_tdist_Q(t, df);
}

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

double probability_share_least(uint64_t k, uint64_t n, double tail)
{
	if (!n || k > n)
		return NAN;
	return k ? gsl_cdf_beta_Pinv(tail, (double)k, (double)(n - k) + 1) : 0;
}

double probability_share_most(uint64_t k, uint64_t n, double tail)
{
	if (!n || k > n)
		return NAN;
	/* Without an event the quantile has a closed form. */
	if (!k)
		return -expm1(log(tail) / (double)n);
	return k < n ? gsl_cdf_beta_Qinv(tail, (double)k + 1, (double)(n - k))
		     : 1;
}

/*
 * The density of s is 2 (v/2)^(v/2) / Gamma(v/2) s^(v-1) exp(-v s^2 / 2);
 * with x = ln s its left end falls as exp(v x), its right end faster.
 */
double probability_over_sd(double df, double (*f)(double s, const void *arg),
			   const void *arg)
{
	const double sd = 1 / sqrt(2 * df);
	const double step = fmin(sd / 3, 0.02);
	const double constant = log(2) + df / 2 * log(df / 2) - lgamma(df / 2);
	double sum = 0;

	/* Without degrees of freedom the range has no end. */
	if (!(df >= PROBABILITY_DF_LEAST))
		return NAN;
	if (df > PROBABILITY_DF_MOST)
		return f(1, arg);
	for (double x = -40 / df - 12 * sd; x < 12 * sd; x += step) {
		double density = exp(constant + df * x - df / 2 * exp(2 * x));

		if (density > 1e-18)
			sum += density * f(exp(x), arg);
	}
	return sum * step;
}
