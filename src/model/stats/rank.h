/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rank: tests and estimates without a normal distribution, for --robust.
 *
 * All p are two-sided and exact: the distribution is that of the values at
 * hand under exchange (ties included), counted by a table of rank sums. With
 * fewer than 4 values a side, or 6 pairs, none of them can be below 0.05.
 */
#ifndef MODEL_STATS_RANK_H
#define MODEL_STATS_RANK_H

#include <stdbool.h>
#include <stddef.h>

/* The most pairs of a sign flip test, whose 2^n signs are all counted. */
#define RANK_FLIPS 20

struct rank_test {
	double statistic; /* NaN: not computed */
	double p;
};

/* Mann and Whitney (1947); the statistic is the smaller U. */
struct rank_test rank_mann_whitney(const double *a, size_t n_a, const double *b,
				   size_t n_b);

/* Wilcoxon's signed ranks of differences; 0s are left out. The statistic is
 * V, the ranks of the positive ones. */
struct rank_test rank_wilcoxon(const double *d, size_t n);

/* Fisher's sign flips; the statistic is the sum. NaN above RANK_FLIPS. */
struct rank_test rank_sign_flip(const double *d, size_t n);

/* Median of the Walsh averages of differences (Hodges and Lehmann 1963). */
double rank_hodges_lehmann(const double *d, size_t n);

/* Friedman's chi square of y[variant * blocks + block], with its p. */
struct rank_test rank_friedman(const double *y, size_t variants, size_t blocks);

/*
 * Quantile: percentiles of a sample, with their uncertainty.
 */

/*
 * Harrell and Davis (1982): the q-quantile (0 < q < 1) as a weighted mean of
 * all n sorted values. NaN of none.
 */
double rank_harrell_davis(const double *sorted, size_t n, double q);

/*
 * The ranks (from 1) whose values hold the q-quantile with at least that
 * level, by the binomial distribution. false: there are none, n is too small.
 */
bool rank_quantile(size_t n, double q, double level, size_t *low, size_t *high,
		   double *coverage);

/* Whether 10 or more of n are above the q-quantile: fewer decide it alone. */
bool rank_sure(double n, double q);

#endif
