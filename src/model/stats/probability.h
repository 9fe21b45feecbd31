/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>


/*
 * Probability: tails of GSL for any argument, and the quantile of t. GSL calls
 * its error handler, which aborts the program, for degrees of freedom that are
 * not positive numbers: no sample has these, but figures that overflow do. Here
 * the result is NaN, which is shown as absent. GSL's own quantile of t fails to
 * converge for arguments such as p = 0.6, df = 0.7, so it is not used.
 */

/*
 * With fewer degrees of freedom no result is useful; with more, t is the normal
 * distribution.
 */
#define PROBABILITY_DF_LEAST 0.1
#define PROBABILITY_DF_MOST  1e9

/* P(Z <= x) of the normal distribution. */
double probability_normal(double x);

/* P(T > t) of Student's t. */
double probability_t_tail(double t, double df);

/* The t with P(T <= t) = p, 0 < p < 1. */
double probability_t_quantile(double p, double df);

/*
 * The bounds of Clopper and Pearson for the rate of an event that happened in k
 * of n trials, each exceeded with the probability tail at most.
 */
double probability_share_least(uint64_t k, uint64_t n, double tail);
double probability_share_most(uint64_t k, uint64_t n, double tail);

/*
 * Mean of f(s) over s = sqrt(chi square(df) / df), the sample's sd where the
 * true one is 1. By the trapezium rule over ln s, whose error is below 1e-9 for
 * an f that changes no faster than a normal distribution of sd 0.07 in ln s.
 * NaN for an invalid df; above PROBABILITY_DF_MOST, s is 1.
 */
double probability_over_sd(double df, double (*f)(double s, const void *arg),
			   const void *arg);
