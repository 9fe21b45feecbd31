/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distribution: random places that are not all alike (random_distribution).
 *
 * All of them are one table: the range is cut into parts, a part is drawn by
 * its share, and a place within it evenly. Shares are the exact integrals, or
 * sums, of the distribution over the part; within a part, which is narrow
 * where the distribution is steep, the error is below 3 %. No pow(), no
 * division per draw.
 *
 *   zipf     the rank k = 1, 2, ... has the share 1 / k^theta
 *   pareto   fio's: the ranks below a share x of all get the share
 *            x^(1/p), p = log(h) / log(1 - h); so h = 0.2 is "80/20"
 *   normal   a bell around the center; deviation is its standard deviation in
 *            per cent of the range (0: a twelfth of it), cut off at the ends
 *   zoned    parts of the range, in per cent or absolute, by their shares
 *
 * Ranks of zipf and pareto are scattered over the range, each to a place of
 * its own; with a center the first rank lies there.
 */
#ifndef WORKLOAD_SPREAD_H
#define WORKLOAD_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "model/job/job_split.h"
#include "workload/offset/alias.h"
#include "workload/offset/pattern.h"
#include "base/random.h"

/* One table serves all places that have the same range and distribution. */
struct distribution {
	uint64_t blocks; /* of the range; at least 1 */
	bool scattered;
	double center; /* 0..1, or negative: anywhere */
	struct alias *alias;
	struct distribution_part {
		uint64_t from, n;
	} * part;
};

void distribution_zipf(struct distribution *s, uint64_t blocks, double theta,
		       double center);
void distribution_pareto(struct distribution *s, uint64_t blocks, double h,
			 double center);
void distribution_normal(struct distribution *s, uint64_t blocks,
			 double deviation_pct, double center);
/*
 * Parts by per cent or, absolute, by bytes; block_bytes each block. False when
 * no part with a share holds a block, or one reaches beyond the end.
 */
bool distribution_zoned(struct distribution *s, uint64_t blocks,
			const struct job_split *zones, bool absolute,
			uint64_t block_bytes) must_check;
void distribution_free(struct distribution *s);

/* How the ranks of one target are scattered. */
struct scatter {
	struct pattern pattern;
	uint64_t shift;
};

void distribution_scatter(struct scatter *t, const struct distribution *s,
		  uint64_t seed);

/* A block of [0, blocks). */
uint64_t distribution_next(const struct distribution *s,
			   const struct scatter *t, struct random *r);

#endif
