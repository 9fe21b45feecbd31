/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heat: the latencies of one interval in few bins.
 */
#include "model/heat.h"

#include <string.h>

#define BUCKETS_PER_BIN (HISTOGRAM_LINEAR / HEAT_PER_OCTAVE)

_Static_assert(HISTOGRAM_LINEAR % HEAT_PER_OCTAVE == 0,
	       "a bin is made of whole buckets");
_Static_assert(HISTOGRAM_LINEAR == 1u << HEAT_LOW_BIT,
	       "the first octave is that of the histogram");

/* In units of bins, as histogram.h does in buckets. */
static unsigned bin_of_bucket(unsigned bucket)
{
	unsigned bin;

	if (bucket < HISTOGRAM_LINEAR)
		return 0;
	bin = (bucket - HISTOGRAM_LINEAR) / BUCKETS_PER_BIN;
	return bin < HEAT_BINS ? bin : HEAT_BINS - 1;
}

unsigned heat_bin(uint64_t ns)
{
	return bin_of_bucket(histogram_index(ns));
}

uint64_t heat_low(unsigned bin)
{
	if (bin >= HEAT_BINS)
		return 1ull << HEAT_HIGH_BIT;
	return histogram_low(HISTOGRAM_LINEAR + bin * BUCKETS_PER_BIN);
}

void heat_from(struct heat *out, const struct histogram *h)
{
	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint32_t *to = &out->bin[bin_of_bucket(i)];
		uint64_t sum = *to + h->bucket[i];

		*to = sum > UINT32_MAX || sum < h->bucket[i] ? UINT32_MAX
							     : (uint32_t)sum;
	}
}

void heat_add(struct heat *into, const struct heat *from)
{
	for (unsigned i = 0; i < HEAT_BINS; i++) {
		uint32_t sum = into->bin[i] + from->bin[i];

		into->bin[i] = sum < from->bin[i] ? UINT32_MAX : sum;
	}
}

uint64_t heat_count(const struct heat *h)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < HEAT_BINS; i++)
		n += h->bin[i];
	return n;
}

void heat_range(const struct heat *h, unsigned *first, unsigned *end)
{
	*first = *end = 0;
	for (unsigned i = 0; i < HEAT_BINS; i++) {
		if (!h->bin[i])
			continue;
		if (!*end)
			*first = i;
		*end = i + 1;
	}
}

size_t heat_pack(const struct heat *h, uint32_t *to)
{
	unsigned first, end;

	heat_range(h, &first, &end);
	to[0] = first | (end - first) << 16;
	memcpy(to + 1, h->bin + first, (end - first) * sizeof(*to));
	return end - first + 1;
}

size_t heat_unpack(struct heat *h, const uint32_t *from)
{
	unsigned first = from[0] & 0xffff, n = from[0] >> 16;

	memset(h, 0, sizeof(*h));
	memcpy(h->bin + first, from + 1, n * sizeof(*from));
	return n + 1;
}
