/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pattern: sequential, random without repeats, random with repeats. */
#include "workload/offset/offsets.h"

#include <string.h>

#include "base/attributes.h"

static void sequential_init(struct pattern *p)
{
	p->position = 0;
}

static uint64_t sequential_next(struct pattern *p)
{
	return pattern_sequential(p);
}

void pattern_begin_pass(struct pattern *p)
{
	p->permutation.add = random_next(&p->random);
	for (int i = 0; i < PATTERN_ROUNDS; i++)
		p->permutation.odd[i] = random_next(&p->random) | 1;
	p->position = 0;
	p->left = p->blocks;
}

static void permuted_init(struct pattern *p)
{
	unsigned bits = p->blocks < 2
				? 0
				: 64 - (unsigned)__builtin_clzll(p->blocks - 1);

	p->permutation.mask = bits ? ~0ull >> (64 - bits) : 0;
	p->permutation.shift = bits / 2 + 1;
	pattern_begin_pass(p);
}

static uint64_t permuted_next(struct pattern *p)
{
	return pattern_permuted(p);
}

static void uniform_init(struct pattern *p)
{
}

static uint64_t uniform_next(struct pattern *p)
{
	return pattern_uniform(p);
}

static void pattern_list_init(struct pattern *p)
{
	p->position = p->turn = 0;
}

/* position is where the numbers of this turn count from. */
static uint64_t pattern_list_next(struct pattern *p)
{
	uint64_t block = p->position + (p->n_list ? p->list[p->turn] : 0);

	if (++p->turn < p->n_list)
		return block;
	p->turn = 0;
	if (p->stride)
		p->position += p->n_list;
	if (p->position + p->most >= p->blocks)
		p->position = 0;
	return block;
}

/* clang-format off */
const struct pattern_kind patterns[] = {
	[PATTERN_SEQUENTIAL] = { "sequential",
	  "one block after the other, then from the first block again",
	  sequential_init, sequential_next },
	[PATTERN_RANDOM] = { "random",
	  "every block once per pass, in random order",
	  permuted_init, permuted_next },
	[PATTERN_RANDOM_REPEAT] = { "random_repeat",
	  "any block at any time (norandommap)",
	  uniform_init, uniform_next },
	[PATTERN_LIST] = { "list",
	  "the blocks of a list, again and again (random_distribution=sequence)",
	  pattern_list_init, pattern_list_next },
};
/* clang-format on */

const size_t n_patterns = ARRAY_SIZE(patterns);

const struct pattern_kind *pattern_of(const struct job *job)
{
	if (!job_random(job))
		return &patterns[PATTERN_SEQUENTIAL];
	return &patterns[job_repeats(job) ? PATTERN_RANDOM_REPEAT
					  : PATTERN_RANDOM];
}

void pattern_init(struct pattern *p, const struct pattern_kind *kind,
		  uint64_t blocks, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	p->kind = (unsigned)(kind - patterns);
	p->blocks = blocks;
	p->next = kind->next;
	random_seed(&p->random, seed);
	kind->init(p);
}
