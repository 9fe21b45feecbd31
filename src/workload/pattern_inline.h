/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pattern: the kinds that are in the path of every I/O, to be inlined there.
 */
#ifndef WORKLOAD_PATTERN_INLINE_H
#define WORKLOAD_PATTERN_INLINE_H

#include "workload/pattern.h"

/* New keys, from the start: a pass. */
void pattern_begin_pass(struct pattern *p);

static inline uint64_t pattern_sequential(struct pattern *p)
{
	uint64_t block = p->position++;

	if (__builtin_expect(p->position == p->blocks, 0))
		p->position = 0;
	return block;
}

/* A Feistel network whose halves may differ by a bit; each round inverts. */
static inline uint64_t pattern_permute(const struct pattern *p, uint64_t x)
{
	uint64_t high = x >> p->low_bits, low = x & p->mask[1];

	for (int i = 0; i < PATTERN_ROUNDS; i += 2) {
		high ^= ((low ^ p->key[i]) * 0x9e3779b97f4a7c15ull) >>
				p->shift[0] &
			p->mask[0];
		low ^= ((high ^ p->key[i + 1]) * 0xbf58476d1ce4e5b9ull) >>
			       p->shift[1] &
		       p->mask[1];
	}
	return high << p->low_bits | low;
}

static inline uint64_t pattern_permuted(struct pattern *p)
{
	uint64_t block;

	if (__builtin_expect(p->left == 0, 0))
		pattern_begin_pass(p);
	do
		block = pattern_permute(p, p->position++);
	while (block >= p->blocks);
	p->left--;
	return block;
}

static inline uint64_t pattern_uniform(struct pattern *p)
{
	return random_below(&p->random, p->blocks);
}

#endif
