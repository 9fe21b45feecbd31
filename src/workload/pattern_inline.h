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

/*
 * Adding, multiplying by an odd number and folding the high half onto the low
 * one can each be undone modulo 2^k, so their chain is a permutation. Four
 * rounds: the distance from one block to the next is then spread as that of
 * independent numbers is (with three it is not), for half the instructions of
 * a Feistel network of as many rounds.
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
