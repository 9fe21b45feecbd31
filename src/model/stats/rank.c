/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rank: tests and estimates without a normal distribution.
 */
#include "model/stats/stats.h"

#include <math.h>
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

/* With fewer values beyond it, a quantile depends on these alone. */
#define LEAST_BEYOND 10

bool rank_sure(double n, double q)
{
	/* 1 - 0.999 is a little less than a thousandth. */
	return n * (1 - q) >= LEAST_BEYOND - 1e-6;
}
