/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pattern: which block comes next. To add one, add a row to patterns[].
 *
 * "random" visits every block exactly once per pass without a map: a counter
 * goes through a keyed permutation of [0, 2^k), 2^k being the least power
 * of two that holds the blocks, and what falls beyond the last block is
 * skipped. So a pass costs less than two permutations per block and no
 * memory. Each pass has keys of its own.
 */
#ifndef WORKLOAD_PATTERN_H
#define WORKLOAD_PATTERN_H

#include <stdint.h>

#include "model/job.h"
#include "workload/random.h"

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

#endif
