/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The store of runs, and the judge of axes. */
#include <math.h>
#include <stdlib.h>

#include "test.h"
#include "trial/judge.h"
#include "trial/trial.h"

static struct trial trial;

/* Two axes, two and three levels, and one metric. */
static void begin(void)
{
	static const char *const level[] = { "4", "128", "4096" };

	trial_free(&trial);
	ck_assert(trial_add_axis(&trial, "scheduler"));
	trial_add_level(&trial, "none");
	trial_add_level(&trial, "bfq");
	ck_assert(trial_add_axis(&trial, "read_ahead_kb"));
	for (size_t i = 0; i < 3; i++)
		ck_assert_uint_eq(trial_add_level(&trial, level[i]), i);
	ck_assert_uint_eq(trial_add_level(&trial, "128"), 1);
	trial_add_metric(&trial, "job.j.read_iops", "read_iops", 1, true);
}

static void add(size_t cell, size_t block, double value)
{
	trial_put(&trial, trial_add_run(&trial, cell, block), 0, value);
}

static double uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
	double u = uniform(state);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * uniform(state));
}

START_TEST(cells)
{
	char words[80];

	begin();
	ck_assert_uint_eq(trial_cells(&trial), 6);
	for (size_t cell = 0; cell < 6; cell++) {
		const size_t level[] = { trial_level_of(&trial, cell, 0),
					 trial_level_of(&trial, cell, 1) };

		ck_assert_uint_eq(trial_cell(&trial, level), cell);
	}
	ck_assert_str_eq(trial_cell_words(&trial, 5, words, sizeof(words)),
			 "scheduler=bfq read_ahead_kb=4096");
}
END_TEST

/* An invalid run counts on request, a failed one never; runs of a cell in a
 * block are averaged. */
START_TEST(what_counts)
{
	double *v;

	begin();
	add(0, 0, 10);
	add(0, 0, 14);
	add(0, 0, 30);
	trial.run[2].invalid = true;
	add(0, 0, 30);
	trial.run[3].failed = true;
	v = trial_values(&trial, 0);
	ck_assert_double_eq(v[0], 12);
	ck_assert_double_nan(v[1]);
	free(v);
	trial.include_invalid = true;
	v = trial_values(&trial, 0);
	ck_assert_double_eq(v[0], 18);
	free(v);
	trial.include_invalid = false;
}
END_TEST

/* read_ahead_kb does x2 and x3 in every pair, the scheduler nothing. */
START_TEST(by_axis)
{
	const struct judge_rule rule = { 0 };
	struct judge_axes j;
	uint64_t state = 3;
	size_t best;
	double mean;

	begin();
	for (size_t b = 0; b < 4; b++)
		for (size_t cell = 0; cell < 6; cell++)
			if (cell != 1 || b) /* one run is missing */
				add(cell, b,
				    100 * (double)(1 + cell % 3) *
					    exp(0.3 * (double)b +
						0.005 * normal(&state)));
	judge_axes(&j, &trial, &rule);
	ck_assert_uint_eq(j.n_effects, 3);
	/* The scheduler: 3 pairs a block but for the one that is missing. */
	ck_assert_uint_eq(j.effect[0].axis, 0);
	ck_assert_uint_eq(j.effect[0].pairs, 11);
	ck_assert_uint_eq(j.effect[0].blocks, 4);
	ck_assert_int_eq(j.effect[0].v.is, DIFFERENCE_UNDECIDED);
	ck_assert_uint_eq(j.effect[1].pairs, 7);
	ck_assert_double_eq_tol(exp(j.effect[1].v.d.diff), 2, 0.03);
	ck_assert_double_eq_tol(exp(j.effect[2].v.d.diff), 3, 0.03);
	ck_assert_int_eq(j.effect[2].v.is, DIFFERENCE_BETTER);
	ck_assert_uint_eq(j.n_interactions, 2);
	ck_assert_uint_eq(j.n_judged, 3);
	ck_assert(judge_best(&trial, 0, &best, &mean));
	ck_assert_uint_eq(best % 3, 2);
	judge_axes_free(&j);
	/* Less is better: the same difference is worse. */
	trial.metric[0].better = -1;
	judge_axes(&j, &trial, &rule);
	ck_assert_int_eq(j.effect[2].v.is, DIFFERENCE_WORSE);
	judge_axes_free(&j);
}
END_TEST

/* Two blocks give figures only. */
START_TEST(two_blocks)
{
	const struct judge_rule rule = { 0 };
	struct judge_axes j;

	begin();
	for (size_t b = 0; b < 2; b++)
		for (size_t cell = 0; cell < 6; cell++)
			add(cell, b, 100 * (double)(1 + 9 * (cell % 3)) +
					     (double)(cell * b));
	judge_axes(&j, &trial, &rule);
	ck_assert_double_gt(j.effect[2].v.d.diff, 2);
	for (size_t i = 0; i < j.n_effects; i++) {
		ck_assert_double_nan(j.effect[i].v.p);
		ck_assert_int_eq(j.effect[i].v.is, DIFFERENCE_UNDECIDED);
	}
	judge_axes_free(&j);
}
END_TEST

/* bfq doubles the rate at 4096 only. */
START_TEST(interaction)
{
	const struct judge_rule rule = { 0 };
	struct judge_axes j;
	uint64_t state = 5;

	begin();
	for (size_t b = 0; b < 5; b++)
		for (size_t cell = 0; cell < 6; cell++)
			add(cell, b, (cell == 5 ? 200 : 100) *
					     exp(0.03 * normal(&state)));
	judge_axes(&j, &trial, &rule);
	ck_assert_int_eq(j.interaction[0].v.is, DIFFERENCE_UNDECIDED);
	ck_assert_int_eq(j.interaction[1].v.is, DIFFERENCE_BETTER);
	ck_assert_uint_eq(j.interaction[1].level[1], 2);
	ck_assert_double_eq_tol(exp(j.interaction[1].v.d.diff), 2, 0.15);
	judge_axes_free(&j);
}
END_TEST

/* Nothing differs, but blocks do, and the disk drifts by 30 % in a block of six
 * runs in random order: at most 5 % of experiments have a find. */
START_TEST(false_finds)
{
	const struct judge_rule rule = { 0 };
	uint64_t state = 11;
	unsigned finds = 0;

	for (unsigned n = 0; n < 600; n++) {
		struct judge_axes j;
		bool found = false;

		begin();
		for (size_t b = 0; b < 5; b++) {
			const double block = normal(&state);
			size_t order[6] = { 0, 1, 2, 3, 4, 5 };

			for (size_t i = 5; i > 0; i--) {
				size_t k = (size_t)(uniform(&state) *
						    (double)(i + 1));
				size_t was = order[i];

				order[i] = order[k];
				order[k] = was;
			}
			for (size_t i = 0; i < 6; i++)
				add(order[i], b,
				    exp(block + 0.05 * (double)i +
					0.1 * normal(&state)));
		}
		judge_axes(&j, &trial, &rule);
		for (size_t i = 0; i < j.n_effects; i++)
			found |= j.effect[i].v.is != DIFFERENCE_UNDECIDED;
		finds += found;
		judge_axes_free(&j);
	}
	/* P(X > 47) = .001 at 5 %. */
	ck_assert_msg(finds <= 47, "%u of 600", finds);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("trial");

	tcase_add_test(t, cells);
	tcase_add_test(t, what_counts);
	tcase_add_test(t, by_axis);
	tcase_add_test(t, two_blocks);
	tcase_add_test(t, interaction);
	tcase_add_test(t, false_finds);
	suite_add_tcase(suite, t);
}
