/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pattern: sequential, random without repeats, random with repeats.
 */
#include "workload/pattern.h"

#include <string.h>

#include "base/attributes.h"

enum { SEQUENTIAL, RANDOM, RANDOM_REPEAT };

static void sequential_init(struct pattern *p)
{
	p->position = 0;
}

static uint64_t sequential_next(struct pattern *p)
{
	uint64_t block = p->position++;

	if (p->position == p->blocks)
		p->position = 0;
	return block;
}

/* New keys, from the start: a pass. */
static void begin_pass(struct pattern *p)
{
	for (int i = 0; i < PATTERN_ROUNDS; i++)
		p->key[i] = random_next(&p->random);
	p->position = 0;
	p->left = p->blocks;
}

static void permuted_init(struct pattern *p)
{
	unsigned bits = p->blocks < 2
				? 0
				: 64 - (unsigned)__builtin_clzll(p->blocks - 1);
	unsigned width[2] = { bits / 2, bits - bits / 2 };

	for (int i = 0; i < 2; i++) {
		p->mask[i] = (1ull << width[i]) - 1;
		p->shift[i] = width[i] ? 64 - width[i] : 63;
	}
	p->low_bits = width[1];
	begin_pass(p);
}

/* A Feistel network whose halves may differ by a bit; each round inverts. */
static inline uint64_t permute(const struct pattern *p, uint64_t x)
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

static uint64_t permuted_next(struct pattern *p)
{
	uint64_t block;

	if (__builtin_expect(p->left == 0, 0))
		begin_pass(p);
	do
		block = permute(p, p->position++);
	while (block >= p->blocks);
	p->left--;
	return block;
}

static void uniform_init(struct pattern *p not_used)
{
}

static uint64_t uniform_next(struct pattern *p)
{
	return random_below(&p->random, p->blocks);
}

/* clang-format off */
const struct pattern_kind patterns[] = {
	[SEQUENTIAL] = { "sequential",
	  "one block after the other, then again from the first",
	  sequential_init, sequential_next },
	[RANDOM] = { "random",
	  "every block once per pass, in random order",
	  permuted_init, permuted_next },
	[RANDOM_REPEAT] = { "random_repeat",
	  "any block at any time (norandommap)",
	  uniform_init, uniform_next },
};
/* clang-format on */

const size_t n_patterns = ARRAY_SIZE(patterns);

const struct pattern_kind *pattern_of(const struct job *job)
{
	if (!job_random(job))
		return &patterns[SEQUENTIAL];
	return &patterns[job->norandommap ? RANDOM_REPEAT : RANDOM];
}

void pattern_init(struct pattern *p, const struct pattern_kind *kind,
		  uint64_t blocks, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	p->blocks = blocks;
	p->next = kind->next;
	random_seed(&p->random, seed);
	kind->init(p);
}
