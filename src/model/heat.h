/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heat: the latencies of one interval in few bins, so that many intervals can
 * be kept for a map over time.
 *
 * Each power of two is cut into 4 bins of equal width, from 128 ns to 2^37 ns
 * (137 s); the first and the last bin take what lies beyond. A bin is 32 of
 * the histogram's buckets, so no count is split and none is lost.
 */
#ifndef MODEL_HEAT_H
#define MODEL_HEAT_H

#include <stddef.h>
#include <stdint.h>

#include "model/histogram.h"

#define HEAT_PER_OCTAVE 4u
#define HEAT_LOW_BIT    7
#define HEAT_HIGH_BIT   37
#define HEAT_BINS       ((HEAT_HIGH_BIT - HEAT_LOW_BIT) * HEAT_PER_OCTAVE)

struct heat {
	uint32_t bin[HEAT_BINS];
};

/* The bin of a latency. */
unsigned heat_bin(uint64_t ns);
/* The least latency of a bin, in ns; of HEAT_BINS: where the last one ends. */
uint64_t heat_low(unsigned bin);

/* out = the bins of h; a bin holds at most 2^32 - 1. */
void heat_from(struct heat *out, const struct histogram *h);
void heat_add(struct heat *into, const struct heat *from);
uint64_t heat_count(const struct heat *h);

/* The first and one past the last bin in use; 0 and 0 when it is empty. */
void heat_range(const struct heat *h, unsigned *first, unsigned *end);

/*
 * Packed for keeping: the first bin and how many follow, then their counts.
 * heat_pack() needs room for HEAT_BINS + 1 words and returns those it used,
 * heat_unpack() those it read.
 */
size_t heat_pack(const struct heat *h, uint32_t *to);
size_t heat_unpack(struct heat *h, const uint32_t *from);

#endif
