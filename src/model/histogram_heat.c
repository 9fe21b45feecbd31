/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Heat: the latencies of one interval in few bins. */
#include "model/histogram.h"

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

unsigned histogram_heat_bin(uint64_t ns)
{
	return bin_of_bucket(histogram_index(ns));
}

uint64_t histogram_heat_low(unsigned bin)
{
	if (bin >= HEAT_BINS)
		return 1ull << HEAT_HIGH_BIT;
	return histogram_low(HISTOGRAM_LINEAR + bin * BUCKETS_PER_BIN);
}

void histogram_heat_from(struct heat *out, const struct histogram *h)
{
	memset(out, 0, sizeof(*out));
	for (unsigned i = histogram_begin(h); i < histogram_end(h); i++) {
		uint32_t *to;
		uint64_t sum;

		if (!h->bucket[i])
			continue;
		to = &out->bin[bin_of_bucket(i)];
		sum = *to + h->bucket[i];
		*to = sum > UINT32_MAX || sum < h->bucket[i] ? UINT32_MAX
							     : (uint32_t)sum;
	}
}

void histogram_heat_add(struct heat *into, const struct heat *from)
{
	for (unsigned i = 0; i < HEAT_BINS; i++) {
		uint32_t sum = into->bin[i] + from->bin[i];

		into->bin[i] = sum < from->bin[i] ? UINT32_MAX : sum;
	}
}

uint64_t histogram_heat_count(const struct heat *h)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < HEAT_BINS; i++)
		n += h->bin[i];
	return n;
}

void histogram_heat_range(const struct heat *h, unsigned *first, unsigned *end)
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

size_t histogram_heat_pack(const struct heat *h, uint32_t *to)
{
	unsigned first, end;

	histogram_heat_range(h, &first, &end);
	to[0] = first | (end - first) << 16;
	memcpy(to + 1, h->bin + first, (end - first) * sizeof(*to));
	return end - first + 1;
}

size_t histogram_heat_unpack(struct heat *h, const uint32_t *from)
{
	unsigned first = from[0] & 0xffff, n = from[0] >> 16;

	memset(h, 0, sizeof(*h));
	memcpy(h->bin + first, from + 1, n * sizeof(*from));
	return n + 1;
}

/* With fewer values beyond it, a quantile depends on these alone. */
#define LEAST_BEYOND 10

bool histogram_sure(double n, double q)
{
	/* 1 - 0.999 is a little less than a thousandth. */
	return n * (1 - q) >= LEAST_BEYOND - 1e-6;
}
