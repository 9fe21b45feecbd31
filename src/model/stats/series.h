/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/stats/difference.h"

/*
 * Series: values of successive intervals of one run, by batch means.
 *
 * Neighbours resemble each other (caches, queues, garbage collection), so n of
 * them say less than n independent values. The values are averaged in batches
 * of equal length while they arrive; memory stays the same however long the
 * series is. With at least SERIES_ENOUGH values, or five batches of ten
 * decorrelation times each, the means of the largest number b of 20, 10, 5
 * batches with lag-1 + 1/b < 0.1 are taken as independent (b - 1 df).
 *
 * A shorter series has no such batches. Its variance of the mean is s^2 / n (1
 * + r) / (1 - r) then, with r the lag-1 autocorrelation, corrected by (1 + 4 r)
 * / n (Marriott and Pope 1954) and held at 0.5 to 0.95, since a few values say
 * little about r; its df is n - 1. Such a result is marked: a few intervals
 * show a great change, not a small one.
 */

/* Fewer values have no interval. */
#define SERIES_LEAST 3
/* Samples from which batch means are used whatever the autocorrelation. */
#define SERIES_ENOUGH 300

/* Batches that are kept at most; they are joined in pairs when full. */
#define SERIES_SLOTS 40

/*
 * Sums of differences from the first value (shift), so that little is lost of
 * a small spread around a great mean. product: of neighbours.
 */
struct series_moments {
	double shift, sum, square, product, last;
};

/*
 * A zeroed struct is empty. y is ln x as long as all values are above 0. slot:
 * sums of whole batches, the last may be of a part of one; on the scale of y
 * until a value is not above 0, then of x.
 */
struct series {
	size_t n;
	size_t batch; /* values in a whole batch */
	bool zeros;   /* a value is not above 0 */
	struct series_moments x, y;
	double slot[SERIES_SLOTS];
};

/* NaN is left out. */
void series_add(struct series *s, double x);
/* A series of n zeros. */
void series_zeros(struct series *s, size_t n);

double series_mean(const struct series *s); /* arithmetic; NaN: empty */

/* The mean of one side, its variance and the df of that. */
struct series_estimate {
	double mean, variance, df;
	size_t batches; /* 0: too few values for batch means */
	bool enough;
};

struct series_estimate series_estimate(const struct series *s, bool logs);

/* The same with so many batches, whatever the autocorrelation. */
struct series_estimate series_batches(const struct series *s, bool logs,
				      size_t batches);

/*
 * After against before: on logs where all values of both are above 0; the means
 * are geometric then, as the difference is. The method is DIFFERENCE_NONE with fewer than SERIES_LEAST values on a side.
 * enough: both sides have enough values for the interval to hold what it says.
 */
struct difference series_compare(const struct series *before,
				 const struct series *after, bool *enough);

/*
 * Whether there is a step between two sides that follow each other: p of the
 * step in a regression of the means of batches on it and on a trend of both
 * sides, so that a drift is no step. NaN: a side has too few values, or its
 * batches are correlated: then nothing says that the boundary is the cause. Of
 * a side too short for batches only a step far beyond its values counts.
 */
double series_step(const struct series *before, const struct series *after);

/*
 * About how many more intervals on each side would decide about a difference as
 * great as this one: 0 when these intervals suffice. At most SERIES_FAR.
 */
#define SERIES_FAR 100000
size_t series_more(const struct difference *d);
