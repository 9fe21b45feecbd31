/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shuffle: random orders that can be had again from their seed: Fisher and
 * Yates by the Mersenne twister (MT19937), the same on all machines.
 */
#ifndef MODEL_STATS_SHUFFLE_H
#define MODEL_STATS_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

struct shuffle;

/* The lower 32 bits of the seed count. Ends with shuffle_free(). */
struct shuffle *shuffle_new(uint64_t seed);
void shuffle_free(struct shuffle *s);

/* 0 to n - 1 in random order; a second call gives another one. */
void shuffle_indexes(struct shuffle *s, size_t *at, size_t n);

#endif
