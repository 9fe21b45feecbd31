/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rank: tests and estimates without a normal distribution.
 */
#include "model/stats/stats.h"

#include <gsl/gsl_cdf.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static int by_value(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

static double *sorted(const double *x, size_t n)
{
	double *copy = xcalloc(n + 1, sizeof(*copy));

	memcpy(copy, x, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), by_value);
	return copy;
}

/* Twice the mean rank of x, a whole number: 2 * (values below) + ties + 1. */
static size_t rank_twice(const double *x, size_t n, double of)
{
	size_t below = 0, same = 0;

	for (size_t i = 0; i < n; i++) {
		below += x[i] < of;
		same += x[i] == of;
	}
	return 2 * below + same + 1;
}

/* min(1, 2 * the smaller tail) of a count per sum, at sum. */
static double two_sided(const double *count, size_t sums, size_t sum)
{
	double below = 0, above = 0, all = 0;

	for (size_t i = 0; i < sums; i++) {
		all += count[i];
		below += i <= sum ? count[i] : 0;
		above += i >= sum ? count[i] : 0;
	}
	return fmin(1, 2 * fmin(below, above) / all);
}

/*
 * Ways to choose n_a of the ranks so that they add up to each sum: row k of
 * the table is of k chosen ones.
 */
struct rank_test rank_mann_whitney(const double *a, size_t n_a, const double *b,
				   size_t n_b)
{
	size_t n = n_a + n_b, sums = n * (n + 1) + 1, mine = 0;
	struct rank_test test = { NAN, NAN };
	double *all, *count, u;

	if (!n_a || !n_b)
		return test;
	all = xcalloc(n, sizeof(*all));
	memcpy(all, a, n_a * sizeof(*all));
	memcpy(all + n_a, b, n_b * sizeof(*all));
	count = xcalloc((n_a + 1) * sums, sizeof(*count));
	count[0] = 1;
	for (size_t i = 0; i < n; i++) {
		size_t rank = rank_twice(all, n, all[i]);

		mine += i < n_a ? rank : 0;
		for (size_t k = i + 1 < n_a ? i + 1 : n_a; k > 0; k--)
			for (size_t s = rank; s < sums; s++)
				count[k * sums + s] +=
					count[(k - 1) * sums + s - rank];
	}
	u = (double)mine / 2 - (double)n_a * ((double)n_a + 1) / 2;
	test.statistic = fmin(u, (double)n_a * (double)n_b - u);
	test.p = two_sided(count + n_a * sums, sums, mine);
	free(count);
	free(all);
	return test;
}

struct rank_test rank_wilcoxon(const double *d, size_t n)
{
	double *size = xcalloc(n + 1, sizeof(*size)), *count;
	struct rank_test test = { NAN, NAN };
	size_t used = 0, sums, v = 0;
	bool *positive = xcalloc(n + 1, sizeof(*positive));

	for (size_t i = 0; i < n; i++) {
		if (d[i] == 0 || isnan(d[i]))
			continue;
		positive[used] = d[i] > 0;
		size[used++] = fabs(d[i]);
	}
	sums = used * (used + 1) + 1;
	count = xcalloc(sums, sizeof(*count));
	count[0] = 1;
	for (size_t i = 0; i < used; i++) {
		size_t rank = rank_twice(size, used, size[i]);

		v += positive[i] ? rank : 0;
		for (size_t s = sums; s-- > rank;)
			count[s] += count[s - rank];
	}
	if (used) {
		test.statistic = (double)v / 2;
		test.p = two_sided(count, sums, v);
	}
	free(positive);
	free(count);
	free(size);
	return test;
}

struct rank_test rank_sign_flip(const double *d, size_t n)
{
	struct rank_test test = { NAN, NAN };
	double sum = 0, scale = 0;
	size_t beyond = 0, all;

	if (!n || n > RANK_FLIPS)
		return test;
	for (size_t i = 0; i < n; i++) {
		sum += d[i];
		scale += fabs(d[i]);
	}
	all = (size_t)1 << n;
	for (size_t signs = 0; signs < all; signs++) {
		double flipped = 0;

		for (size_t i = 0; i < n; i++)
			flipped += signs >> i & 1 ? -d[i] : d[i];
		/* The same sum in another order differs in its last bits. */
		beyond += fabs(flipped) >= fabs(sum) - 1e-12 * scale;
	}
	test.statistic = sum;
	test.p = (double)beyond / (double)all;
	return test;
}

double rank_hodges_lehmann(const double *d, size_t n)
{
	size_t m = 0;
	double *walsh, *order, median;

	if (!n)
		return NAN;
	walsh = xcalloc(n * (n + 1) / 2, sizeof(*walsh));
	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k < n; k++)
			walsh[m++] = (d[i] + d[k]) / 2;
	order = sorted(walsh, m);
	median = (order[(m - 1) / 2] + order[m / 2]) / 2;
	free(order);
	free(walsh);
	return median;
}

struct rank_test rank_friedman(const double *y, size_t variants, size_t blocks)
{
	const double k = (double)variants, n = (double)blocks;
	double *block = xcalloc(variants, sizeof(*block));
	double *sum = xcalloc(variants, sizeof(*sum));
	double square = 0, of_sums = 0;
	struct rank_test test = { NAN, NAN };

	for (size_t b = 0; b < blocks; b++) {
		for (size_t v = 0; v < variants; v++)
			block[v] = y[v * blocks + b];
		for (size_t v = 0; v < variants; v++) {
			double rank =
				(double)rank_twice(block, variants, block[v]) /
				2;

			sum[v] += rank;
			square += rank * rank;
		}
	}
	for (size_t v = 0; v < variants; v++)
		of_sums += sum[v] * sum[v];
	/* Conover's form, which is right with ties as well. */
	square -= n * k * (k + 1) * (k + 1) / 4;
	if (square > 0) {
		test.statistic = (k - 1) *
				 (of_sums - n * n * k * (k + 1) * (k + 1) / 4) /
				 square;
		test.p = probability_chi2_tail(test.statistic, k - 1);
	}
	free(sum);
	free(block);
	return test;
}

/*
 * Quantile: percentiles of a sample.
 */

/* With fewer values beyond it, a quantile depends on these alone. */
#define LEAST_BEYOND 10

double rank_harrell_davis(const double *sorted, size_t n, double q)
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

bool rank_quantile(size_t n, double q, double level, size_t *low, size_t *high,
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

bool rank_sure(double n, double q)
{
	/* 1 - 0.999 is a little less than a thousandth. */
	return n * (1 - q) >= LEAST_BEYOND - 1e-6;
}
