/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics: the means of two series of intervals, compared.
 *
 * Values of successive intervals of a storage device resemble each other
 * (caches, queues, garbage collection), so n of them tell less than n
 * independent ones would. Per side:
 *
 *   m    = sum x / n                               the mean
 *   c0   = sum (x_i - m)^2 / n                     variance
 *   r1   = sum (x_i - m)(x_i+1 - m) / (n c0)       lag-1 autocorrelation
 *   r    = r1 + (1 + 4 r1) / n, held in [0, 0.99]  r1 is too low by that much
 *                                                  (Marriott and Pope 1954)
 *   neff = n (1 - r) / (1 + r)                     the effective sample size
 *   v    = c0 / (neff - 1)                         variance of the mean
 *
 * Then Welch's interval for the difference of the means, in per cent of the
 * mean before:
 *
 *   m2 - m1 -+ t(0.975, df) sqrt(v1 + v2)
 *   df = (v1 + v2)^2 / (v1^2 / (neff1 - 1) + v2^2 / (neff2 - 1))
 *
 * neff is held at 2 or more, from 6 values on at 2 + (n - 6) / 6, from 12 on at
 * 3: r of a short series is too rough to take all power from it. The price,
 * simulated: a false difference in 3 to 8 of 100 pairs where r is up to 0.7,
 * in 11 where it is 0.8 and n is 12.
 *
 * "Before" is taken as the yardstick, without an error of its own. The values
 * are rates, times and shares, none below 0: the interval ends at -100 %.
 */
#ifndef REPORT_STATS_H
#define REPORT_STATS_H

#include <stddef.h>

#include "model/effect.h"

/* Fewer values on a side tell nothing. */
#define STATS_LEAST 3

struct series_stats {
	size_t n;
	double mean;     /* NaN when n is 0 */
	double n_eff;    /* this and the next from STATS_LEAST values on */
	double mean_var; /* v above */
};

/*
 * The same of a series that is not kept: what its statistics are made of. All
 * but shift, the first value, are of the differences from that, so that little
 * is lost of a small variance around a great mean. A zeroed struct is empty.
 */
struct series_sum {
	size_t n;
	double shift, sum, square, product, last;
};

/* NaN is left out. */
void series_sum_add(struct series_sum *s, double x);
struct series_stats series_sum_stats(const struct series_sum *s);

/* Values that are NaN are left out. */
struct series_stats series_stats(const double *x, size_t n);

/* Fill in all of a figure that depends on the two series. */
void stats_compare(const struct series_stats *before,
		   const struct series_stats *after, struct figure *figure);

#endif
