/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random: a stream of 64-bit numbers (xoshiro256**, Blackman and Vigna 2018),
 * a few instructions each, seeded by splitmix64. Not for secrets.
 */
#pragma once

#include <stdint.h>

struct random {
	uint64_t s[4];
};

static inline uint64_t random_splitmix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static inline void random_seed(struct random *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->s[i] = random_splitmix(&seed);
}

static inline uint64_t random_next(struct random *r)
{
	uint64_t *s = r->s, x = s[1] * 5, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = s[3] << 45 | s[3] >> 19;
	return (x << 7 | x >> 57) * 9;
}

/* One of [0, n), by the high half of a product: no division. n > 0. */
static inline uint64_t random_below(struct random *r, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)random_next(r) * n) >> 64);
}
