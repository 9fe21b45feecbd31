/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judge: the verdicts on differences. All comparisons that one page judges are
 * a family; p is corrected after Holm.
 *
 * An experiment of several axes is judged by axis first. The effect of a level
 * is its difference from the base of its axis, in pairs of runs that differ in
 * nothing else: same block, same levels of all other axes. A pair is one
 * observation (t test on logs): the runs of a block are in random order, so
 * that its pairs are independent once the block is taken out. A real interaction
 * makes the pairs differ more, and the test more careful. Two axes interact where the effect of a level of one depends
 * on the level of the other: the difference of two such differences, in a family
 * of its own.
 */
#ifndef TRIAL_JUDGE_H
#define TRIAL_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/stats/difference.h"
#include "trial/trial.h"

/* Fewer blocks give figures only. */
#define JUDGE_LEAST_BLOCKS 3

struct judge_verdict {
	struct difference d;
	double p;     /* corrected; NaN: not judged */
	double level; /* of the interval, which leaves out 0 where p < 0.05 */
	enum difference_verdict is;
};

/* How a family is judged; a zeroed struct is of one look and no margin. */
struct judge_rule {
	double looks;  /* the factor of p for several looks; 0 is 1 */
	double margin; /* of equivalence; 0: none */
};

/*
 * Correct the family of n differences, widen their intervals to the level of
 * the correction, and judge: better[i] is 1 where more is better, -1 where less
 * is. A difference without a method, or with a NaN as p, is not of the family.
 */
void judge_family(struct judge_verdict *v, const int *better, size_t n,
		  const struct judge_rule *rule);

/* A level of an axis against the base of the axis. */
struct judge_effect {
	size_t metric, axis, level;
	size_t pairs, blocks; /* that hold such pairs */
	struct judge_verdict v;
};

/* Two levels of two axes: how much more the one does at the other. */
struct judge_interaction {
	size_t metric, axis[2], level[2], blocks;
	struct judge_verdict v;
};

struct judge_axes {
	struct judge_effect *effect;
	size_t n_effects, n_judged;
	struct judge_interaction *interaction;
	size_t n_interactions;
};

/* Judge the effects of all axes on all metrics of the trial. To be freed by
 * judge_axes_free(). */
void judge_axes(struct judge_axes *j, const struct trial *t,
		const struct judge_rule *rule);
void judge_axes_free(struct judge_axes *j);

/* The cell with the best mean of a metric, over the blocks that all cells with
 * runs have in common; false: the metric has no direction, or no runs. */
bool judge_best(const struct trial *t, size_t metric, size_t *cell,
		double *mean);

/* "better", "worse", "higher", "not distinguishable", ... */
const char *judge_words(enum difference_verdict is, int better);

#endif
