/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/workload: skewed distributions against their definition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "workload/offset/offsets.h"

#include "workload_help.h"

#define DRAWS 200000

static double draw_fit(const struct distribution *s, const double *share,
		       size_t n,
		       uint64_t (*bin)(uint64_t block, uint64_t blocks))
{
	double *seen = xcalloc(n, sizeof(*seen)), chi = 0, want;
	struct scatter none = { 0 };
	struct random r;

	random_seed(&r, 11);
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t b = distribution_next(s, &none, &r);

		ck_assert_uint_lt(b, s->blocks);
		seen[bin(b, s->blocks)]++;
	}
	for (size_t i = 0; i < n; i++) {
		want = share[i] * DRAWS;
		ck_assert_double_gt(want, 4);
		chi += (seen[i] - want) * (seen[i] - want) / want;
	}
	free(seen);
	return chi;
}

static void expect_fit(const struct distribution *s, const double *share,
		       size_t n,
		       uint64_t (*bin)(uint64_t block, uint64_t blocks))
{
	double chi = draw_fit(s, share, n, bin), k = (double)n - 1;

	ck_assert_msg(chi < k + 5 * sqrt(2 * k) + 10, "chi2 %.1f of %.0f", chi,
		      k);
}

START_TEST(alias_is_exact)
{
	static const double share[] = { 1, 0, 7, 0.5, 91.5, 0 };
	struct alias *a = distribution_alias_new(share, ARRAY_SIZE(share));
	double got[6] = { 0 };

	/* The cells themselves, not draws. */
	for (unsigned i = 0; i < 6; i++) {
		double below = (double)a->cell[i].below / 0x1p64;

		got[i] += below / 6;
		got[a->cell[i].other] += (1 - below) / 6;
	}
	for (unsigned i = 0; i < 6; i++)
		ck_assert_double_eq_tol(got[i], share[i] / 100, 1e-12);
	free(a);
	a = distribution_alias_new((double[]){ 3 }, 1);
	ck_assert_uint_eq(alias_draw(a, UINT64_MAX), 0);
	free(a);
}
END_TEST

/* Each of the first ranks, then by powers of two. */
static uint64_t last_bin;

static uint64_t rank_bin(uint64_t rank, uint64_t blocks)
{
	uint64_t bin =
		rank < 32 ? rank
			  : 32 + (63 - (uint64_t)__builtin_clzll(rank)) - 5;

	return bin < last_bin ? bin : last_bin;
}

START_TEST(zipf)
{
	static const double thetas[] = { 0.4, 0.99, 1.2, 2.0 };
	const uint64_t n = 100000;

	for (size_t k = 0; k < ARRAY_SIZE(thetas); k++) {
		double share[64] = { 0 }, sum = 0;
		size_t bins;
		struct distribution s;

		last_bin = 63;
		bins = rank_bin(n - 1, n) + 1;

		for (uint64_t i = 0; i < n; i++) {
			double p = pow((double)(i + 1), -thetas[k]);

			share[rank_bin(i, n)] += p;
			sum += p;
		}
		for (size_t i = 0; i < bins; i++)
			share[i] /= sum;
		/* What is too seldom is counted with its neighbour. */
		for (; share[bins - 1] * DRAWS < 5; bins--)
			share[bins - 2] += share[bins - 1];
		last_bin = bins - 1;
		distribution_zipf(&s, n, thetas[k], -1);
		s.scattered = false;
		expect_fit(&s, share, bins, rank_bin);
		distribution_free(&s);
	}
}
END_TEST

/* Below a rank: the definition itself, near and far. */
START_TEST(zipf_of_large_ranges)
{
	const uint64_t n = 1ull << 40;
	struct scatter none = { 0 };
	double below = 0, sum, share;
	struct random r;
	struct distribution s;

	distribution_zipf(&s, n, 0.9, -1);
	s.scattered = false;
	random_seed(&r, 5);
	for (unsigned i = 0; i < DRAWS; i++)
		below += distribution_next(&s, &none, &r) < 1ull << 30;
	/* Integrals do for so many: (N^0.1 - 1) / 0.1 + gamma. */
	sum = (pow(0x1p40, 0.1) - 1) / 0.1 + 0.53;
	share = ((pow(0x1p30, 0.1) - 1) / 0.1 + 0.53) / sum;
	ck_assert_double_lt(fabs(below / DRAWS - share), 0.01);
	distribution_free(&s);
}
END_TEST

static uint64_t tenth(uint64_t block, uint64_t blocks)
{
	return block * 10 / blocks;
}

START_TEST(pareto)
{
	static const double hs[] = { 0.1, 0.2, 0.4, 0.6 };

	for (size_t k = 0; k < ARRAY_SIZE(hs); k++) {
		double e = log(1 - hs[k]) / log(hs[k]), share[10];
		struct distribution s;

		for (int i = 0; i < 10; i++)
			share[hs[k] > 0.5 ? 9 - i : i] =
				pow((i + 1) / 10.0, e) - pow(i / 10.0, e);
		distribution_pareto(&s, 100000, hs[k], -1);
		s.scattered = false;
		expect_fit(&s, share, 10, tenth);
		/* "80/20": a fifth of the blocks gets four fifths. */
		if (k == 1)
			ck_assert_double_eq_tol(share[0] + share[1], 0.8, 1e-9);
		distribution_free(&s);
	}
}
END_TEST

START_TEST(normal)
{
	static const double centers[] = { -1, 0.25, 0 };

	for (size_t k = 0; k < ARRAY_SIZE(centers); k++) {
		double mean = centers[k] < 0 ? 0.5 : centers[k], all;
		double share[10];
		struct distribution s;

		all = erf((1 - mean) / 0.2 * M_SQRT1_2) +
		      erf(mean / 0.2 * M_SQRT1_2);
		for (int i = 0; i < 10; i++)
			share[i] = (erf(((i + 1) / 10.0 - mean) / 0.2 *
					M_SQRT1_2) -
				    erf((i / 10.0 - mean) / 0.2 * M_SQRT1_2)) /
				   all;
		distribution_normal(&s, 100000, 20, centers[k]);
		if (k == 2) {
			struct scatter none = { 0 };
			struct random r;

			random_seed(&r, 3);
			for (int i = 0; i < 1000; i++)
				ck_assert_uint_lt(
					distribution_next(&s, &none, &r),
					100000);
		} else if (k == 0) {
			expect_fit(&s, share, 10, tenth);
		}
		distribution_free(&s);
	}
	for (uint64_t n = 1; n < 50; n++) {
		struct scatter none = { 0 };
		struct random r;
		struct distribution s;

		random_seed(&r, n);
		distribution_normal(&s, n, 0, -1);
		for (int i = 0; i < 50; i++)
			ck_assert_uint_lt(distribution_next(&s, &none, &r), n);
		distribution_free(&s);
	}
}
END_TEST

/* Scattered ranks keep a place each, and the center is the most popular. */
START_TEST(scatter)
{
	static const uint64_t sizes[] = { 1, 2, 3, 10, 255, 256, 257, 1000 };

	for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
		uint64_t n = sizes[k], most = 0;
		unsigned *seen = xcalloc(n, sizeof(*seen)), used = 0;
		struct distribution s;
		struct scatter t;
		struct random r;

		distribution_zipf(&s, n, 0.5, 0.25);
		distribution_scatter(&t, &s, 99);
		random_seed(&r, 1);
		for (unsigned i = 0; i < DRAWS; i++)
			seen[distribution_next(&s, &t, &r)]++;
		for (uint64_t i = 0; i < n; i++) {
			used += seen[i] > 0;
			if (seen[i] > seen[most])
				most = i;
		}
		ck_assert_uint_eq(used, n);
		ck_assert_uint_eq(most, n / 4);
		distribution_free(&s);
		free(seen);
	}
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("spread");

	tcase_add_test(tc, alias_is_exact);
	tcase_add_test(tc, zipf);
	tcase_add_test(tc, zipf_of_large_ranges);
	tcase_add_test(tc, pareto);
	tcase_add_test(tc, normal);
	tcase_add_test(tc, scatter);
	suite_add_tcase(suite, tc);
}
