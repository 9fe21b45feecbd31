/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judge: all verdicts of the program: of cells against a base, and of axes.
 * All comparisons that one page judges are a family; p is corrected after Holm,
 * and the interval has the level of that correction, so that it leaves out 0
 * exactly where p is below 0.05. Without JUDGE_LEAST blocks, or runs on a side
 * where there are no blocks, there are figures only.
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
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/stats/difference.h"
#include "trial/trial.h"

/* Fewer blocks, or runs on a side, give figures only. */
#define JUDGE_LEAST 3

/*
 * Better is 1 where more is better, -1 where less is, 0 where neither is known.
 * JUDGE_ORDERED: the cells themselves set the figure, such as a rate.
 */
#define JUDGE_ORDERED 2

struct judge_verdict {
	struct difference d;
	double p;     /* corrected; NaN: not judged */
	double level; /* of the interval */
	double tost_p;    /* of equivalence within the margin; NaN: none */
	double least_pct; /* found with a power of 80 %; NaN: not known */
	enum difference_verdict is;
	double per_block; /* pairs; 0: one */
	const char *why; /* why there is no verdict; NULL: there is one */
};

/* How a family is judged; a zeroed struct is of one look and no margin. */
struct judge_rule {
	double looks;  /* the factor of p for several looks; 0 is 1 */
	double margin; /* of equivalence; 0: none */
	bool each;     /* no correction: each comparison by itself */
	size_t of;     /* Bonferroni's for so many, in place of Holm's; 0: none */
	bool at_once;  /* intervals that hold all at once (Bonferroni) */
	bool whole;    /* only blocks with a run of every cell */
};

/*
 * Correct the family of n differences, widen their intervals, and judge. A
 * verdict with a reason why there is none is not of the family; too few runs
 * are a reason, too.
 */
void judge_family(struct judge_verdict *const *v, const int *better, size_t n,
		  const struct judge_rule *rule);

/* A cell against a base on a metric. */
struct judge_pair {
	size_t metric, base, cell;
	struct judge_verdict v;
};

/* Whether each block has a run of every cell that counts; to be freed. */
bool *judge_whole(const struct trial *t);

/* Compare each cell with its base; pairs of the same base and metric stand
 * together. */
void judge_compare(struct judge_pair *pair, size_t n, const struct trial *t,
		   const struct judge_rule *rule);
/* The pairs as one family, with the directions of their metrics. */
void judge_pairs(struct judge_pair *pair, size_t n, const struct trial *t,
		 const struct judge_rule *rule);

/* The difference, in per cent, of about the size that was measured (5 % at
 * least), and how many blocks would find it with a power of 80 %; 0: not known,
 * or more than JUDGE_FAR. */
#define JUDGE_FAR 1000
unsigned judge_blocks(const struct judge_verdict *v, double *pct);

/* The mean of runs on the scale of the verdict: geometric on logs. */
struct judge_mean {
	size_t n;
	bool logs;
	double mean, low, high; /* of the 95 % interval; NaN: one run */
	double se_pct;          /* standard error in per cent of the mean */
};

/* The mean of n values; NaN is left out. logs: all values of the table are
 * above 0. */
struct judge_mean judge_mean_of(const double *x, size_t n, bool logs);

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

/* "better", "worse", "higher", "higher, as ordered", "undecided",
 * "equivalent", ...; without a verdict the reason. */
const char *judge_words(const struct judge_verdict *v, int better);
/* "x2.9", "+4.6 %", or in the unit of the metric. */
struct text_short judge_change(const struct judge_verdict *v);

/*
 * "+4.6 % (95 % interval +1.9 to +7.4): better", "undecided (95 %
 * interval -1.2 to +3.3); a difference above 3.3 % ... is excluded", "no
 * verdict: one run". Returns buf.
 */
char *judge_sentence(const struct judge_verdict *v, int better, char *buf,
		     size_t size);
/* Whether a difference is proved; -1: worse, 1: better, or higher. */
int judge_sign(const struct judge_verdict *v);
