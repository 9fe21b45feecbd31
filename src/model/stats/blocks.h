/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/stats/difference.h"

/*
 * Blocks: a whole experiment as a table of variants by blocks.
 *
 * y[variant * blocks + block] is one run, on the scale of the analysis (ln x
 * where all are above 0); NaN where there is none.
 */

/*
 * The error of all variants together: of the blocks in which every variant has
 * a run (whole[block] is set), the sd of one run after the means of variants
 * and blocks, with (variants - 1) (blocks - 1) df. spread: the greatest sd of
 * the residuals of a variant over the smallest. From BLOCKS_UNEVEN on one
 * variant is so much noisier than others that the common error does not hold
 * for it. sd is NaN with fewer than two variants or whole blocks.
 */
#define BLOCKS_UNEVEN 2
struct blocks_error {
	double sd, df, spread;
	size_t blocks;
};

struct blocks_error blocks_error(const double *y, size_t variants,
				 size_t blocks, unsigned char *whole);

/*
 * One figure of several tests: d[test * blocks + block] is the difference of
 * logs of a test in a block, its sign such that more is better. The means of the
 * blocks that have all tests are the sample, so the result is of these tests
 * only. Its member logs is not set.
 */
struct difference blocks_geomean(const double *d, size_t tests, size_t blocks);

/*
 * Drift: regression of the effects of the blocks, beside those of the variants,
 * on the mean position of their runs in the whole sweep (position[i] of y[i]):
 * the runs of a block share its effect, so a block is one observation, n - 2
 * df. A block with one run counts only if there is one variant. total: slope
 * times the range of positions, on the scale of y. NaN: fewer than 3 blocks.
 */
struct blocks_drift {
	double slope, total, t, df, p;
};

struct blocks_drift blocks_drift(const double *y, const double *position,
				 size_t variants, size_t blocks);

/*
 * Outliers: the modified z (Iglewicz and Hoaglin 1993), .6745 |r - median| /
 * MAD, of the residuals r = y - mean of its variant - mean of its block +
 * mean of all; above BLOCKS_OUTLIER a run is marked, never removed. z is NaN
 * where y is, 0 where all residuals are alike.
 */
#define BLOCKS_OUTLIER 3.5
void blocks_outliers(const double *y, size_t variants, size_t blocks,
		     double *z);

/*
 * One block against the others: its mean over the variants against the means of
 * the other blocks, k of them, as one more value of their kind: t = (m - mean) /
 * (s * sqrt(1 + 1 / k)) with k - 1 degrees of freedom. Residuals would not do:
 * their mean is 0 in each block. Only whole blocks count; p is NaN with fewer
 * than two others, or when these are all alike. The difference is on the scale
 * of y; its member logs is not set.
 */
struct difference blocks_one(const double *y, size_t block, size_t variants,
			     size_t blocks);

/*
 * One group of runs against the others of their blocks, such as the first of
 * each block or those after writes: in[i] marks the runs of the group. The
 * mean residual in the group less that of the others is one value per block
 * that has both. The difference is on the scale of y; its member logs is not
 * set.
 */
struct difference blocks_group(const double *y, const unsigned char *in,
			       size_t variants, size_t blocks);

/*
 * Shuffle: random orders that the seed reproduces: Fisher and Yates by the
 * Mersenne twister (MT19937), the same on all machines.
 */

struct shuffle;

/* The lower 32 bits of the seed count. Ends with blocks_shuffle_free(). */
struct shuffle *blocks_shuffle_new(uint64_t seed);
void blocks_shuffle_free(struct shuffle *s);

/* 0 to n - 1 in random order; a second call gives another one. */
void blocks_shuffle(struct shuffle *s, size_t *at, size_t n);
