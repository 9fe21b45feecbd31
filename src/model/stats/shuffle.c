/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shuffle: random orders by GSL.
 */
#include "model/stats/shuffle.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

#include "base/alloc.h"

struct shuffle {
	gsl_rng *rng;
};

struct shuffle *shuffle_new(uint64_t seed)
{
	struct shuffle *s = xcalloc(1, sizeof(*s));

	s->rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!s->rng)
		die("no memory for a random number generator");
	gsl_rng_set(s->rng, (unsigned long)(seed & 0xffffffffu));
	return s;
}

void shuffle_free(struct shuffle *s)
{
	if (!s)
		return;
	gsl_rng_free(s->rng);
	free(s);
}

void shuffle_indexes(struct shuffle *s, size_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		at[i] = i;
	gsl_ran_shuffle(s->rng, at, n, sizeof(*at));
}
