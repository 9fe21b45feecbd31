/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/report: the statistics.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "report/stats.h"
#include "test.h"

/* Uniform in [0, 1), the same in every run. */
static double uniform(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) / 0x1p53;
}

static double normal(uint64_t *state)
{
	double u = 1 - uniform(state), v = uniform(state);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Expected values worked out by hand from the formulas in stats.h. */
START_TEST(test_series)
{
	const double x[] = { 10, 12, NAN, 9, 11, 13, 10 };
	const double rise[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	struct series_stats s = series_stats(x, ARRAY_SIZE(x));

	/* r1 < 0 is held at 0, so neff = n and v = s^2 / n. */
	ck_assert_uint_eq(s.n, 6);
	ck_assert_double_eq_tol(s.mean, 65.0 / 6, 1e-12);
	ck_assert_double_eq_tol(s.n_eff, 6, 1e-12);
	ck_assert_double_eq_tol(s.mean_var, 2.166666666666667 / 6, 1e-12);
	/* r1 = 0.7, r = 0.7 + 3.8 / 10 held at 0.99; neff at 2 + 4 / 6. */
	s = series_stats(rise, ARRAY_SIZE(rise));
	ck_assert_double_eq_tol(s.n_eff, 8.0 / 3, 1e-12);
	ck_assert_double_eq_tol(s.mean_var, 8.25 * 3 / 5, 1e-12);
	s = series_stats(rise, 2);
	ck_assert_double_nan(s.n_eff);
	s = series_stats(NULL, 0);
	ck_assert_double_nan(s.mean);
}
END_TEST

/* The quantile comes from integrating Student's density numerically. */
START_TEST(test_welch)
{
	const struct series_stats a = { 10, 20.0, 10, 0.4 },
				  b = { 20, 24.0, 20, 0.1 },
				  nothing = { 20, 0.1, 20, 0.1 };
	struct figure f = { 0 };

	/* df = 0.25 / (0.16/9 + 0.01/19) = 13.6581; t = 2.14983 */
	stats_compare(&a, &b, &f);
	ck_assert_double_eq_tol(f.change_pct, 20, 1e-9);
	ck_assert_double_eq_tol(f.high_pct - f.low_pct, 15.2016, 1e-3);
	ck_assert_int_eq(f.verdict, VERDICT_HIGHER);
	stats_compare(&b, &a, &f);
	ck_assert_int_eq(f.verdict, VERDICT_LOWER);
	stats_compare(&a, &a, &f);
	ck_assert_int_eq(f.verdict, VERDICT_SAME);
	/* Nothing falls by more than all of it. */
	stats_compare(&b, &nothing, &f);
	ck_assert_int_eq(f.verdict, VERDICT_LOWER);
	ck_assert_double_eq(f.low_pct, -100);
	ck_assert_double_gt(f.high_pct, -100);
}
END_TEST

START_TEST(test_degenerate)
{
	const double same[] = { 4096, 4096, 4096 },
		     big[] = { 8192, 8192, 8192 };
	const double zero[] = { 0, 0, 0 };
	struct series_stats s = series_stats(same, 3), b = series_stats(big, 3);
	struct series_stats z = series_stats(zero, 3), two;
	struct figure f = { 0 };

	stats_compare(&s, &b, &f);
	ck_assert_int_eq(f.verdict, VERDICT_HIGHER);
	ck_assert_double_eq(f.change_pct, 100);
	stats_compare(&s, &s, &f);
	ck_assert_int_eq(f.verdict, VERDICT_SAME);
	stats_compare(&z, &b, &f);
	ck_assert_int_eq(f.verdict, VERDICT_HIGHER);
	ck_assert_double_nan(f.change_pct);
	two = series_stats(same, 2);
	stats_compare(&two, &b, &f);
	ck_assert_int_eq(f.verdict, VERDICT_UNKNOWN);
	ck_assert_double_nan(f.low_pct);
}
END_TEST

/* How often series of one process (AR(1)) are told apart, in 1000 pairs. */
static unsigned false_positives(double phi, size_t n, double shift)
{
	uint64_t state = 88172645463325252ull;
	unsigned found = 0;

	for (int trial = 0; trial < 1000; trial++) {
		double x[120], v = normal(&state) / sqrt(1 - phi * phi);
		struct series_stats a, b;
		struct figure f = { 0 };

		for (size_t i = 0; i < 2 * n; i++) {
			x[i] = 100 + v + (i < n ? 0 : shift);
			v = phi * v + normal(&state);
		}
		a = series_stats(x, n);
		b = series_stats(x + n, n);
		stats_compare(&a, &b, &f);
		found += f.verdict != VERDICT_SAME;
	}
	return found;
}

START_TEST(test_false_positives)
{
	static const double phis[] = { 0, 0.3, 0.6, 0.8 };
	static const size_t sizes[] = { 5, 12, 20, 30, 60 };

	for (size_t p = 0; p < ARRAY_SIZE(phis); p++)
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
			unsigned n = false_positives(phis[p], sizes[s], 0);

			ck_assert_msg(n < (phis[p] < 0.8 ? 100 : 150),
				      "%u of 1000 at phi %g with %zu values", n,
				      phis[p], sizes[s]);
		}
	/* And a real difference is seen. */
	ck_assert_uint_gt(false_positives(0, 12, 3), 950);
	ck_assert_uint_gt(false_positives(0.3, 60, 3), 990);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("report");

	tcase_add_test(t, test_series);
	tcase_add_test(t, test_welch);
	tcase_add_test(t, test_degenerate);
	tcase_add_test(t, test_false_positives);
	suite_add_tcase(suite, t);
}
