/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/workload: which block comes next. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "workload/offset/offsets.h"

#include "workload_help.h"

static const struct pattern_kind *pattern_named(const char *name)
{
	for (size_t i = 0; i < n_patterns; i++)
		if (!strcmp(patterns[i].name, name))
			return &patterns[i];
	return NULL;
}

START_TEST(pattern_visits_all)
{
	static const uint64_t sizes[] = { 1,  2,   3,    4,    5,    7,
					  16, 100, 1000, 4097, 65536 };

	for (size_t k = 0; k < ARRAY_SIZE(sizes) * 2; k++) {
		uint64_t n = sizes[k / 2];
		struct pattern p;
		unsigned char *seen = xcalloc(n, 1);

		pattern_init(&p, pattern_named(k % 2 ? "random" : "sequential"),
			     n, 7);
		for (int pass = 1; pass <= 3; pass++) {
			for (uint64_t i = 0; i < n; i++) {
				uint64_t b = p.next(&p);

				ck_assert_uint_lt(b, n);
				ck_assert_uint_eq(++seen[b], pass);
			}
		}
		free(seen);
	}
}
END_TEST

/* Order must not show in blocks: neighbours in time are far apart. */
START_TEST(pattern_is_random)
{
	const uint64_t n = 100000;
	double sum = 0, mean = 0;
	unsigned bin[64] = { 0 };
	struct pattern p;
	uint64_t last = 0;
	double chi = 0;

	pattern_init(&p, pattern_named("random"), n, 42);
	for (unsigned i = 0; i < 64000 / 2; i++) {
		uint64_t b = p.next(&p);

		sum += fabs((double)b - (double)last);
		mean += (double)b;
		last = b;
		bin[b * 64 / n]++;
	}
	/* |x - y| of independent uniform numbers has mean n / 3. */
	ck_assert_double_gt(sum / 32000, (double)n / 3 * 0.97);
	ck_assert_double_lt(sum / 32000, (double)n / 3 * 1.03);
	ck_assert_double_gt(mean / 32000, (double)n / 2 * 0.98);
	ck_assert_double_lt(mean / 32000, (double)n / 2 * 1.02);
	for (int i = 0; i < 64; i++)
		chi += (bin[i] - 500.0) * (bin[i] - 500.0) / 500;
	ck_assert_double_lt(chi, 120);
}
END_TEST

START_TEST(pattern_repeat_is_uniform)
{
	unsigned bin[100] = { 0 };
	struct pattern p;
	double chi = 0;

	pattern_init(&p, pattern_named("random_repeat"), 100, 3);
	for (unsigned i = 0; i < 100000; i++)
		bin[p.next(&p)]++;
	for (int i = 0; i < 100; i++)
		chi += (bin[i] - 1000.0) * (bin[i] - 1000.0) / 1000;
	ck_assert_double_lt(chi, 170); /* 99 degrees: p < 1e-5 */
	ck_assert_double_gt(chi, 40);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("pattern");

	tcase_add_test(tc, pattern_visits_all);
	tcase_add_test(tc, pattern_is_random);
	tcase_add_test(tc, pattern_repeat_is_uniform);
	suite_add_tcase(suite, tc);
}
