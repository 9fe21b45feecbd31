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
#ifndef WORKLOAD_OFFSET_DISTRIBUTION_H
#define WORKLOAD_OFFSET_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/random.h"
#include "model/job/job.h"
#include "model/job/job_kind.h"
#include "workload/offset/pattern.h"

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

/*
 * Alias: draw one of n things by their shares in constant time, without a
 * division (Walker 1977; the table is built as Vose 1991 says).
 */

struct alias {
	uint32_t n;
	struct alias_cell {
		uint64_t below; /* of the fraction: draw this one; else the
				   other */
		uint32_t other;
	} cell[];
};

/*
 * A table for n > 0 shares, each at least 0 and one above; they need not sum
 * up to anything. Never NULL; to be freed with free().
 */
struct alias *distribution_alias_new(const double *share, uint32_t n);

/*
 * The thing that 64 random bits choose; the error of a share is below n / 2^53.
 */
static inline uint32_t alias_draw(const struct alias *a, uint64_t random)
{
	unsigned __int128 m = (unsigned __int128)random * a->n;
	uint32_t i = (uint32_t)(m >> 64);

	return (uint64_t)m < a->cell[i].below ? i : a->cell[i].other;
}

/*
 * Sizes: how large the next I/O of a direction is (bs, bsrange, bssplit).
 */

struct sizes {
	uint64_t min, max;
	uint64_t steps; /* of a range: min + step * [0, steps); else 1 */
	uint64_t step;
	struct alias *split; /* or NULL */
	uint64_t *of_split;
};

/* 0, or -EINVAL with a sentence when the split cannot be read. */
int distribution_sizes_init(struct sizes *s, const struct job *job,
			    unsigned dir) must_check;
void distribution_sizes_free(struct sizes *s);

/* The largest size that fits into room bytes; 0 when none does. */
uint64_t distribution_sizes_fit(const struct sizes *s, uint64_t room);

/* The size that is drawn, or the largest that fits into room bytes, or 0. */
static inline uint64_t sizes_next(const struct sizes *s, struct random *r,
				  uint64_t room)
{
	uint64_t bytes = s->min;

	if (s->split)
		bytes = s->of_split[alias_draw(s->split, random_next(r))];
	else if (s->steps > 1)
		bytes += random_below(r, s->steps) * s->step;
	return __builtin_expect(bytes <= room, 1)
		       ? bytes
		       : distribution_sizes_fit(s, room);
}

#endif
