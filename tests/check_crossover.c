/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the live crossover's arithmetic: simulated runs whose truth is
 * known.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "trial/crossover.h"
#include "test.h"

static struct point point_of(char letter, const char *key, const char *value)
{
	const char text[2] = { letter, '\0' };
	struct point p = { 0 };

	ck_assert(point_set(&p, CROSSOVER_AXIS, text));
	ck_assert(point_set(&p, key, value));
	return p;
}

/* Uniform above 0, at most 1. */
static double uniform(struct random *r)
{
	return ((double)(random_next(r) >> 11) + 1) / 9007199254740993.0;
}

/* Standard normal, by Box and Muller. */
static double normal(struct random *r)
{
	return sqrt(-2 * log(uniform(r))) * cos(2 * M_PI * uniform(r));
}

/*
 * A run: variant i is effect^i times as fast, periods scatter by sd, and the
 * machine drifts by drift over all periods.
 */
static void simulate(struct crossover *x, uint64_t seed, size_t variants,
		     unsigned blocks, double effect, double sd, double drift)
{
	struct random r;
	unsigned at = 0;

	random_seed(&r, seed);
	for (unsigned b = 1; b <= blocks; b++) {
		unsigned order[CROSSOVER_VARIANTS];

		crossover_order(seed, b, variants, order);
		for (size_t i = 0; i < variants; i++) {
			char name[8] = { 'v', (char)('a' + order[i]), '\0' };
			struct point p = point_of((char)('A' + order[i]),
						  "sda.scheduler", name);
			int v = crossover_variant(x, &p);
			double time = (double)at++ /
				      (double)(variants * blocks);

			ck_assert_int_eq(v, (int)order[i]);
			crossover_period(x, b, v, 5);
			crossover_add(x, b, v, "front", "iops", 1,
				      1000 * pow(effect, order[i]) *
					      exp(sd * normal(&r) +
						  drift * time));
		}
	}
}

/* How many of 200 crossovers call a difference; the drift is 2 sd. */
static unsigned called(size_t variants, unsigned blocks, double effect)
{
	unsigned n = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct crossover x = { 0 };
		struct crossover_result *r;
		size_t results;
		bool any = false;

		simulate(&x, seed * 7919, variants, blocks, effect, 0.02, 0.04);
		r = crossover_results(&x, &results);
		ck_assert_uint_eq(results, variants - 1);
		for (size_t i = 0; i < results; i++) {
			bool told = judge_sign(&r[i].v);

			/* The interval never contradicts the verdict. */
			ck_assert(told == (r[i].v.d.low > 0 || r[i].v.d.high < 0));
			any |= told;
		}
		n += any;
		free(r);
		crossover_free(&x);
	}
	return n;
}

START_TEST(same_under_two_names)
{
	unsigned n = called(2, 5, 1);

	ck_assert_msg(n >= 3 && n <= 20, "%u of 200 called a difference", n);
	n = called(4, 6, 1);
	ck_assert_msg(n >= 3 && n <= 20, "%u of 200, four variants", n);
}
END_TEST

START_TEST(five_per_cent_is_found)
{
	unsigned n = called(2, 8, 1.05);

	ck_assert_msg(n >= 180, "%u of 200 found the effect", n);
}
END_TEST

START_TEST(orders_are_permutations)
{
	unsigned first[8] = { 0 };

	for (unsigned b = 1; b <= 4000; b++) {
		unsigned order[8], again[8], seen = 0;

		crossover_order(17, b, 8, order);
		crossover_order(17, b, 8, again);
		ck_assert(!memcmp(order, again, sizeof(order)));
		for (int i = 0; i < 8; i++)
			seen |= 1u << order[i];
		ck_assert_uint_eq(seen, 0xff);
		first[order[0]]++;
	}
	/* 500 expected, sd 21. */
	for (int i = 0; i < 8; i++)
		ck_assert(first[i] > 400 && first[i] < 600);
}
END_TEST

/* The interval after so many blocks is that of a crossover that ended there,
 * and the last one is that of the result. */
START_TEST(narrows_block_by_block)
{
	struct crossover x = { 0 };
	struct crossover_result *r;
	size_t n;

	simulate(&x, 3, 2, 6, 1.05, 0.02, 0);
	r = crossover_results(&x, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_double_eq(r->v.level, 0.95);
	ck_assert_int_eq(crossover_after(r, 1).method, DIFFERENCE_NONE);
	for (unsigned blocks = 2; blocks <= 6; blocks++) {
		struct difference d = crossover_after(r, blocks);
		struct crossover shorter = { 0 };
		struct crossover_result *of;

		simulate(&shorter, 3, 2, blocks, 1.05, 0.02, 0);
		of = crossover_results(&shorter, &n);
		ck_assert_uint_eq(d.n_a, blocks);
		ck_assert_double_eq_tol(d.low, of->v.d.low, 1e-12);
		ck_assert_double_eq_tol(d.high, of->v.d.high, 1e-12);
		free(of);
		crossover_free(&shorter);
	}
	ck_assert_double_eq(crossover_after(r, 9).high, r->v.d.high);
	free(r);
	crossover_free(&x);
}
END_TEST

START_TEST(only_whole_blocks_count)
{
	struct crossover x = { 0 };
	struct crossover_result *r;
	struct point p = point_of('A', "sda.scheduler", "va");
	size_t n;

	simulate(&x, 3, 2, 5, 1.5, 0.01, 0);
	ck_assert_uint_eq(crossover_blocks(&x), 5);
	crossover_period(&x, 6, crossover_variant(&x, &p), 5);
	crossover_add(&x, 6, 0, "front", "iops", 1, 1);
	ck_assert_uint_eq(crossover_blocks(&x), 5);
	r = crossover_results(&x, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(r->v.d.n_a, 5);
	ck_assert_double_eq_tol(difference_pct(r->v.d.diff), 50, 3);
	ck_assert_str_eq(judge_words(&r->v, r->better), "better");
	ck_assert(isnan(crossover_block_pct(r, 5)));
	free(r);
	ck_assert(!crossover_narrow(&x, 0.0001));
	ck_assert(crossover_narrow(&x, 0.1));
	crossover_free(&x);
	/* Four blocks are not looked at, however narrow. */
	simulate(&x, 3, 2, 4, 1.5, 0.001, 0);
	ck_assert(!crossover_narrow(&x, 0.1));
	crossover_free(&x);
}
END_TEST

START_TEST(words)
{
	struct crossover x = { 0 };
	struct crossover_result *r;
	struct point a = point_of('A', "job.front.rate_iops", "100"),
		     b = point_of('B', "job.front.rate_iops", "100");
	char buf[300];
	size_t n;

	ck_assert_int_eq(crossover_variant(&x, &b), 1);
	ck_assert_int_eq(crossover_variant(&x, &a), 0);
	ck_assert_str_eq(crossover_name(&x, 1).text, "100 (B)");
	/* A letter of another point, no letter. */
	a = point_of('B', "job.front.rate_iops", "95");
	ck_assert_int_eq(crossover_variant(&x, &a), -1);
	a.n = 0;
	ck_assert_int_eq(crossover_variant(&x, &a), -1);
	for (unsigned block = 1; block <= 3; block++)
		for (int v = 0; v < 2; v++) {
			crossover_period(&x, block, v, 1);
			crossover_add(&x, block, v, "front", "iops", 1,
				      100 - 5 * v + 0.01 * block);
		}
	r = crossover_results(&x, &n);
	ck_assert_uint_eq(n, 1);
	/* The operator asked for it: it is no worse. */
	ck_assert_str_eq(judge_words(&r->v, r->better), "lower, as ordered");
	crossover_sentence(&x, r, buf, sizeof(buf));
	ck_assert_msg(strstr(buf, "100 (B): iops of front -5.0 %") == buf, "%s",
		      buf);
	free(r);
	crossover_free(&x);
}
END_TEST

START_TEST(settling)
{
	const double at_once[] = { 100, 101, 99, 100, 100, 101, 99, 100 };
	const double slow[] = { 20, 60, 90, 100, 100, 101, 99, 100 };
	const double never[] = { 10, 20, 30, 40, 50, 60, 70, 80 };

	ck_assert_uint_eq(crossover_settling(at_once, 8), 0);
	ck_assert_uint_eq(crossover_settling(slow, 8), 3);
	ck_assert_uint_ge(crossover_settling(never, 8), 2);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("crossover");

	tcase_add_test(t, same_under_two_names);
	tcase_add_test(t, five_per_cent_is_found);
	tcase_add_test(t, orders_are_permutations);
	tcase_add_test(t, narrows_block_by_block);
	tcase_add_test(t, only_whole_blocks_count);
	tcase_add_test(t, words);
	tcase_add_test(t, settling);
	suite_add_tcase(suite, t);
}
