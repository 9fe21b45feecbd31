/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distribution: random offsets of unequal probability (random_distribution).
 *
 * Every distribution is one table: it divides the range into parts. A draw
 * chooses a part by its share and then a block of the part with equal
 * probability. A share is the exact integral, or sum, of the distribution over
 * the part. Parts are narrow where the distribution is steep; the error within
 * a part is below 3 %. A draw needs no pow() and no division.
 *
 *   zipf     the rank k = 1, 2, ... has the share 1 / k^theta
 *   pareto   fio's: the ranks below a share x of all get the share
 *            x^(1/p), p = log(h) / log(1 - h); so h = 0.2 is "80/20"
 *   normal   a bell around the center; deviation is its standard deviation in
 *            per cent of the range (0: a twelfth of it), cut off at the ends
 *   zoned    parts of the range, in per cent or absolute, by their shares
 *
 * A permutation scatters the ranks of zipf and pareto over the blocks of the
 * range; with a center the first rank lies there.
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

/* The table of one range and distribution; regions of equal size share it. */
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
 * The sizes of the zones are in per cent or, if absolute, in bytes; block_bytes
 * is the size of a block. False: no zone with a share holds a block, or a zone
 * ends beyond the range.
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

/* Draw a block of [0, blocks). */
uint64_t distribution_next(const struct distribution *s,
			   const struct scatter *t, struct random *r);

/*
 * Alias: draw one of n things by their shares in constant time, without a
 * division (Walker 1977; the table is built by the method of Vose 1991).
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
 * A table for n > 0 shares. No share is negative and at least one is above 0;
 * their sum may be any number. Never NULL; the caller frees it with free().
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

/*
 * Draw a size; if it does not fit into room bytes, the largest size that fits,
 * or 0.
 */
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
