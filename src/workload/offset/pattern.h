/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pattern: chooses the next block. To add a pattern, add a row to patterns[].
 *
 * "random" visits every block exactly once per pass without a map: a counter
 * goes through a keyed permutation of [0, 2^k), 2^k being the least power of
 * two that holds the blocks, and numbers beyond the last block are skipped. So
 * a pass costs less than two permutations per block and no memory. Each pass
 * has new keys.
 */
#ifndef WORKLOAD_PATTERN_H
#define WORKLOAD_PATTERN_H

#include <stdint.h>

#include "base/random.h"
#include "model/job/job.h"

#define PATTERN_ROUNDS 4

enum { PATTERN_SEQUENTIAL, PATTERN_RANDOM, PATTERN_RANDOM_REPEAT };

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

#endif
