/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probability: tails and quantiles of distributions.
 */
#include "model/stats/stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

/* Above this, an interval counts as unbounded. */
#define FARTHEST 1e300

double probability_normal(double x)
{
	return erfc(-x / M_SQRT2) / 2;
}

static bool has_df(double df)
{
	return df >= PROBABILITY_DF_LEAST && df <= PROBABILITY_DF_MOST;
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

double probability_f_tail(double f, double df_1, double df_2)
{
	if (isinf(f) && f > 0)
		return 0;
	if (!(f >= 0) || !has_df(df_1) || !has_df(df_2))
		return NAN;
	return gsl_cdf_fdist_Q(f, df_1, df_2);
}

double probability_chi2_tail(double x, double df)
{
	if (!(x >= 0) || !has_df(df))
		return NAN;
	return gsl_cdf_chisq_Q(x, df);
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

struct dunnett {
	double t;
	size_t k;
};

/*
 * P(all |T_i| <= t) for an error that is s times the true one: the control's
 * deviation z is common to all. The integrand is smooth and decays, so the
 * trapezium rule is exact to rounding.
 */
static double dunnett_within(double s, const void *arg)
{
	const struct dunnett *d = arg;
	const double step = 1.0 / 16, reach = M_SQRT2 * d->t * s;
	double sum = 0;

	for (double z = -8.5; z <= 8.5; z += step)
		sum += exp(-z * z / 2) *
		       pow(probability_normal(reach + z) -
				   probability_normal(-reach + z),
			   (double)d->k);
	return sum * step / sqrt(2 * M_PI);
}

double probability_dunnett_p(double t, size_t k, double df)
{
	const struct dunnett d = { fabs(t), k };

	return 1 - probability_over_sd(df, dunnett_within, &d);
}

double probability_dunnett_critical(double p, size_t k, double df)
{
	double low = 0, high = 1;

	if (!(p > 0 && p < 1) || isnan(probability_dunnett_p(1, k, df)))
		return NAN;
	while (probability_dunnett_p(high, k, df) > p && high < 1e6)
		high *= 2;
	for (int i = 0; i < 48; i++) {
		double middle = (low + high) / 2;

		if (probability_dunnett_p(middle, k, df) > p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
