/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Offsets: chooses the file, offset and size of the next I/O of every job that
 * is not plain: several files, several sizes, skewed distributions, sequences
 * with holes. Tables are computed before the run.
 *
 * A random pass covers each byte of a file's part exactly once. If all blocks
 * have one size, the order is a permutation of the blocks and needs no memory.
 * If sizes differ (bsrange, bssplit, other sizes of reads than of writes),
 * starts are a permutation in units of the greatest common divisor of all
 * sizes, and a map of one bit per unit records what the pass has covered:
 * covered starts are skipped, and an I/O that would run into a covered unit is
 * shortened, as in fio. norandommap, blockalign, blocksize_unaligned and a
 * random_distribution other than random switch both off. The sequential part of
 * a random job (percentage_random, randrw:8) is not part of the pass.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/random.h"
#include "model/job/job.h"
#include "model/job/job_kind.h"

/*
 * Pattern: chooses the next block. To add a pattern, add a row to patterns[].
 *
 * "random" visits every block exactly once per pass without a map: a counter
 * goes through a keyed permutation of [0, 2^k), 2^k being the least power of
 * two that holds the blocks, and numbers beyond the last block are skipped. So
 * a pass costs less than two permutations per block and no memory. Each pass
 * has new keys.
 */

#define PATTERN_ROUNDS 4

enum {
	PATTERN_SEQUENTIAL,
	PATTERN_RANDOM,
	PATTERN_RANDOM_REPEAT,
	PATTERN_LIST
};

/* Of [0, 2^k). */
struct permutation {
	uint64_t add, odd[PATTERN_ROUNDS], mask;
	unsigned shift;
};

struct pattern {
	uint64_t (*next)(struct pattern *p); /* a block of [0, blocks) */
	unsigned kind;                       /* row of patterns[] */
	uint64_t blocks;                     /* at least 1 */
	uint64_t position, left;             /* in this pass */
	struct random random;
	struct permutation permutation;
	/* of a list: borrowed, its length, its greatest number, the next one */
	const uint64_t *list;
	uint64_t n_list, most, turn;
	bool stride; /* each turn begins n_list blocks further */
};

struct pattern_kind {
	const char *name, *help;
	void (*init)(struct pattern *p); /* blocks and random are set */
	uint64_t (*next)(struct pattern *p);
};

extern const struct pattern_kind patterns[];
extern const size_t n_patterns;

/* The pattern that a job asks for. */
const struct pattern_kind *pattern_of(const struct job *job);

void pattern_init(struct pattern *p, const struct pattern_kind *kind,
		  uint64_t blocks, uint64_t seed);

/* Begin a pass at position 0 with new keys. */
void pattern_begin_pass(struct pattern *p);

/* These kinds are in the path of every I/O, so they are inline. */
static inline uint64_t pattern_sequential(struct pattern *p)
{
	uint64_t block = p->position++;

	if (__builtin_expect(p->position == p->blocks, 0))
		p->position = 0;
	return block;
}

/*
 * Adding, multiplying by an odd number and folding the high half onto the low
 * one are each reversible modulo 2^k, so their chain is a permutation. Four
 * rounds: the distance between successive blocks is then spread as between
 * independent numbers (three rounds are too few), for half the instructions of
 * a Feistel network of four rounds.
 */
static inline uint64_t pattern_permute(const struct permutation *p, uint64_t x)
{
	const uint64_t mask = p->mask;
	const unsigned shift = p->shift;

	x = (x + p->add) * p->odd[0] & mask;
	x ^= x >> shift;
	x = x * p->odd[1] & mask;
	x ^= x >> shift;
	x = x * p->odd[2] & mask;
	x ^= x >> shift;
	x = x * p->odd[3] & mask;
	return x ^ x >> shift;
}

static inline uint64_t pattern_permuted(struct pattern *p)
{
	uint64_t block;

	if (__builtin_expect(p->left == 0, 0))
		pattern_begin_pass(p);
	do
		block = pattern_permute(&p->permutation, p->position++);
	while (block >= p->blocks);
	p->left--;
	return block;
}

static inline uint64_t pattern_uniform(struct pattern *p)
{
	return random_below(&p->random, p->blocks);
}

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

/* Sizes: how large the next I/O of a direction is (bs, bsrange, bssplit). */

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

/*
 * File service: chooses the file of the next I/O (file_service_type).
 *
 * A file is done when as many bytes were moved as its part has; it is used
 * again after the pass, which ends when all files are done. openfiles limits
 * the number of files in use at a time: the next file replaces a file that is
 * done. Files that are drawn by popularity (zipf, pareto, normal) are never
 * done.
 */

struct file_service {
	unsigned n;              /* files */
	unsigned kind;           /* enum job_file_service */
	unsigned turns, left;    /* I/Os to one file in a row; the rest of them
				  */
	unsigned now, before;    /* the present file; the file before it in the
				  * ring */
	unsigned open;           /* files in use at the same time */
	unsigned n_live, unused; /* files in use; the first file not used yet */
	unsigned *ring; /* the next live file of each; of random, the live files
			 */
	uint64_t *bytes, *pass_left;
	struct distribution popular;
	struct scatter no_scatter;
	struct random random;
};

struct io;
struct region;
struct worker;
struct workload;

/* The units that one pass has covered: a bit each. */
struct block_map {
	uint64_t units, left; /* all units; units left to cover */
	uint64_t unit_bytes;
	unsigned shift; /* of a unit that is a power of two; or 0 */
	uint64_t *bit;
	struct pattern start;
};

/* The state of one direction in one file. */
struct cursor {
	uint64_t unit; /* random starts are multiples of this; in bytes */
	uint64_t at;   /* the end of its last I/O; as fio's last_pos */
	uint64_t last, last_bytes; /* its last I/O; bytes 0: none */
	struct pattern *pattern;
	const struct distribution *distribution; /* or NULL */
	size_t distribution_index;               /* of the distribution;
						  * SIZE_MAX: none */
	struct scatter scatter;
	struct block_map *map; /* or NULL; shared by the directions */
};

/*
 * The present zone of one region (zonemode=strided) and the bytes left to move
 * in it. With zones, cursors and block map are relative to the zone.
 */
struct zone {
	uint64_t at, left;
};

struct offsets {
	bool random, identical, by_kind, trimwrite;
	unsigned nr, nr_left;            /* randrw:8 */
	uint64_t random_below[JOB_DIRS]; /* percentage_random */
	int64_t skip;                    /* write:4k */
	struct sizes sizes[JOB_DIRS];
	struct file_service service;
	struct distribution *distribution;
	size_t n_distributions, cap_distributions;
	uint64_t *list; /* of random_distribution=sequence, or NULL */
	size_t n_list;
	struct cursor (*cursor)[JOB_DIRS]; /* of each region */
	struct block_map *map;             /* of each region, or NULL */
	struct zone *zone;                 /* of each region; NULL: none */
	uint64_t zone_bytes, zone_range, zone_step;
	uint64_t zone_least; /* the I/O must lie within the region */
	struct random random_source;
	unsigned n;
};

/*
 * Prepare the offsets of a clone whose regions are planned; sets
 * worker.offsets and the regions' patterns. 0 or -errno with a sentence.
 */
int offsets_init(struct worker *w, uint64_t seed) must_check;
void offsets_free(struct worker *w);

/*
 * Whether the job needs these offsets, because a plain source would choose
 * others.
 */
bool offsets_needed(const struct worker *w);

/*
 * Choose the next I/O: sets its op, offset, bytes, fd and owner, and returns
 * its region.
 */
struct region *offsets_next(struct worker *w, struct io *io);

/*
 * Regions: the parts of targets that a clone works on, and the limits of its
 * I/Os and bytes.
 */

/*
 * Fill in a clone's regions and limits; its targets are added to the
 * workload's. 0 or -errno with a sentence.
 */
int regions_plan(struct workload *w, struct worker *k,
		 uint64_t seed) must_check;
/*
 * Whether writes of the job's sizes can be atomic in the open file of a region,
 * where the job asks for that. 0 or -errno with a sentence.
 */
int regions_check_atomic(const struct job *job,
			 const struct region *s) must_check;
/* Free what regions_plan() made. */
void regions_free(struct worker *k);

/* The greatest common divisor of two block sizes. */
uint64_t offsets_gcd(uint64_t a, uint64_t b);
