/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of model/histogram: the layout, its error bound, arithmetic. */
#include "check_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/histogram.h"

START_TEST(index_and_bounds_are_inverse)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t low = histogram_low(i), high = histogram_high(i);

		ck_assert_uint_lt(low, high);
		ck_assert_uint_eq(histogram_index(low), i);
		ck_assert_uint_eq(histogram_index(high - 1), i);
		if (i + 1 < HISTOGRAM_BUCKETS) {
			ck_assert_uint_eq(histogram_index(high), i + 1);
			ck_assert_uint_eq(histogram_low(i + 1), high);
		}
	}
	ck_assert_uint_eq(histogram_low(0), 0);
	ck_assert_uint_eq(histogram_high(HISTOGRAM_BUCKETS - 1), 1ull << 40);
	ck_assert_uint_eq(histogram_index(1ull << 40), HISTOGRAM_BUCKETS - 1);
	ck_assert_uint_eq(histogram_index(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}
END_TEST

START_TEST(a_bucket_is_narrow)
{
	for (unsigned i = HISTOGRAM_LINEAR; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t low = histogram_low(i), high = histogram_high(i);

		ck_assert_uint_le((high - low) * HISTOGRAM_LINEAR, low);
	}
}
END_TEST

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Values over nine decades, by a fixed generator. */
static uint64_t value_at(unsigned i)
{
	uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ull;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 32;
	return (uint64_t)pow(10, 1 + 8 * ((double)(x >> 11) / 0x1p53));
}

START_TEST(percentiles_are_within_the_bound)
{
	static const double pcts[] = { 0.1, 1, 10, 50, 90, 99, 99.9, 100 };
	struct histogram *h = xcalloc(1, sizeof(*h));
	uint64_t *values = xcalloc(20000, sizeof(*values));
	double sum = 0;

	for (unsigned i = 0; i < 20000; i++) {
		values[i] = value_at(i);
		sum += (double)values[i];
		h->bucket[histogram_index(values[i])]++;
	}
	qsort(values, 20000, sizeof(*values), ascending);
	for (size_t i = 0; i < sizeof(pcts) / sizeof(*pcts); i++) {
		size_t rank = (size_t)ceil(20000 * pcts[i] / 100);
		double exact = (double)values[rank - 1];
		double told = histogram_percentile(h, pcts[i]);

		ck_assert_double_le(fabs(told - exact), 0.004 * exact + 0.5);
	}
	ck_assert_double_le(fabs(histogram_mean(h) - sum / 20000),
			    0.004 * sum / 20000);
	ck_assert_double_le(fabs(histogram_max(h) - (double)values[19999]),
			    0.004 * (double)values[19999]);
	ck_assert_double_le(fabs(histogram_min(h) - (double)values[0]),
			    0.004 * (double)values[0] + 0.5);
	free(values);
	free(h);
}
END_TEST

START_TEST(an_empty_one_has_no_figures)
{
	struct histogram *h = xcalloc(1, sizeof(*h));

	ck_assert_uint_eq(histogram_count(h), 0);
	ck_assert(isnan(histogram_percentile(h, 50)));
	ck_assert(isnan(histogram_mean(h)));
	ck_assert(isnan(histogram_min(h)));
	ck_assert(isnan(histogram_max(h)));
	h->bucket[histogram_index(100)] = 1;
	ck_assert_double_eq(histogram_percentile(h, 0), 100);
	ck_assert_double_eq(histogram_percentile(h, 50), 100);
	ck_assert_double_eq(histogram_percentile(h, 100), 100);
	free(h);
}
END_TEST

START_TEST(an_interval_is_a_difference)
{
	struct histogram *h = xcalloc(3, sizeof(*h));

	for (unsigned i = 0; i < 1000; i++)
		h[0].bucket[histogram_index(value_at(i))]++;
	h[1] = h[0];
	for (unsigned i = 1000; i < 1500; i++)
		h[1].bucket[histogram_index(value_at(i))]++;
	histogram_subtract(&h[2], &h[1], &h[0]);
	ck_assert_uint_eq(histogram_count(&h[2]), 500);
	histogram_add(&h[2], &h[0]);
	ck_assert_mem_eq(&h[2], &h[1], sizeof(*h));
	/* Backwards: nothing, not 2^64 less something. */
	histogram_subtract(&h[2], &h[0], &h[1]);
	ck_assert_uint_eq(histogram_count(&h[2]), 0);
	free(h);
}
END_TEST

/* One whose buckets in use are known has the figures of one where they are not. */
START_TEST(the_range_changes_no_figure)
{
	struct histogram *h = xcalloc(3, sizeof(*h));

	for (int round = 0; round < 3; round++) {
		struct heat heat[2];

		histogram_clear(&h[0]);
		ck_assert_uint_eq(histogram_count(&h[0]), 0);
		ck_assert(isnan(histogram_max(&h[0])));
		memset(&h[1], 0, sizeof(h[1]));
		/* Less is in use each time; the last one ends in the last bucket. */
		for (unsigned i = 0; i < 1000u >> round; i++) {
			unsigned at = round < 2 ? histogram_index(value_at(i)) :
						  HISTOGRAM_BUCKETS - 1 - i;

			histogram_count_in(&h[0], at, i);
			h[1].bucket[at] += i;
		}
		ck_assert_uint_eq(histogram_count(&h[0]),
				  histogram_count(&h[1]));
		for (int pct = 0; pct <= 100; pct += 25)
			ck_assert_double_eq(histogram_percentile(&h[0], pct),
					    histogram_percentile(&h[1], pct));
		ck_assert_double_eq(histogram_mean(&h[0]),
				    histogram_mean(&h[1]));
		ck_assert_double_eq(histogram_min(&h[0]), histogram_min(&h[1]));
		ck_assert_double_eq(histogram_max(&h[0]), histogram_max(&h[1]));
		histogram_heat_from(&heat[0], &h[0]);
		histogram_heat_from(&heat[1], &h[1]);
		ck_assert_mem_eq(&heat[0], &heat[1], sizeof(heat[0]));
		memset(&h[2], 0, sizeof(h[2]));
		histogram_add(&h[2], &h[0]);
		ck_assert_mem_eq(&h[2], &h[1], sizeof(h[2]));
	}
	free(h);
}
END_TEST

TCase *histogram_case(void)
{
	TCase *c = tcase_create("histogram");

	tcase_add_test(c, the_range_changes_no_figure);
	tcase_add_test(c, index_and_bounds_are_inverse);
	tcase_add_test(c, a_bucket_is_narrow);
	tcase_add_test(c, percentiles_are_within_the_bound);
	tcase_add_test(c, an_empty_one_has_no_figures);
	tcase_add_test(c, an_interval_is_a_difference);
	return c;
}
