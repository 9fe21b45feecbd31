/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probability: tails of GSL for any argument, and the quantile of t. GSL calls
 * its error handler, which aborts the program, for degrees of freedom that are
 * not positive numbers: no sample has these, but figures that overflow do. Here
 * the result is NaN, which is shown as absent. GSL's own quantile of t fails to
 * converge for arguments such as p = 0.6, df = 0.7, so it is not used.
 */
#ifndef MODEL_STATS_PROBABILITY_H
#define MODEL_STATS_PROBABILITY_H

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>

/*
 * With fewer degrees of freedom no result is useful; with more, t is the normal
 * distribution.
 */
#define PROBABILITY_DF_LEAST 0.1
#define PROBABILITY_DF_MOST  1e9

static inline bool probability_has_df(double df)
{
	return df >= PROBABILITY_DF_LEAST && df <= PROBABILITY_DF_MOST;
}

/* P(T > t) of Student's t. */
static inline double probability_t_tail(double t, double df)
{
	if (isnan(t) || !(df >= PROBABILITY_DF_LEAST))
		return NAN;
	return df > PROBABILITY_DF_MOST ? gsl_cdf_ugaussian_Q(t)
					: gsl_cdf_tdist_Q(t, df);
}

/* The t with P(T <= t) = p, 0 < p < 1. */
double probability_t_quantile(double p, double df);

/* P(F > f) of Fisher's F. */
static inline double probability_f_tail(double f, double df_1, double df_2)
{
	if (isinf(f) && f > 0)
		return 0;
	if (!(f >= 0) || !probability_has_df(df_1) || !probability_has_df(df_2))
		return NAN;
	return gsl_cdf_fdist_Q(f, df_1, df_2);
}

/* P(X > x) of chi squared. */
static inline double probability_chi2_tail(double x, double df)
{
	if (!(x >= 0) || !probability_has_df(df))
		return NAN;
	return gsl_cdf_chisq_Q(x, df);
}

#endif
