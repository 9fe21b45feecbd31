/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histogram: latencies in log-linear buckets. */
#include "model/histogram.h"

#include <math.h>
#include <string.h>

uint64_t histogram_low(unsigned index)
{
	unsigned shift;

	if (index < 2 * HISTOGRAM_LINEAR)
		return index;
	shift = (index >> HISTOGRAM_BITS) - 1;
	return (uint64_t)(index - (shift << HISTOGRAM_BITS)) << shift;
}

uint64_t histogram_high(unsigned index)
{
	return histogram_low(index + 1);
}

static double histogram_middle(unsigned index)
{
	uint64_t low = histogram_low(index), high = histogram_high(index);

	return (double)low + (double)(high - low - 1) / 2;
}

void histogram_clear(struct histogram *h)
{
	const unsigned from = histogram_begin(h), end = histogram_end(h);

	if (from < end)
		memset(h->bucket + from, 0, (end - from) * sizeof(*h->bucket));
	h->first = HISTOGRAM_BUCKETS;
	h->end = 1;
}

void histogram_add(struct histogram *into, const struct histogram *from)
{
	for (unsigned i = histogram_begin(from); i < histogram_end(from); i++)
		into->bucket[i] += from->bucket[i];
	into->first = into->end = 0;
}

void histogram_subtract(struct histogram *out, const struct histogram *now,
			const struct histogram *before)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t n = now->bucket[i], b = before->bucket[i];

		out->bucket[i] = n > b ? n - b : 0;
	}
	out->first = out->end = 0;
}

uint64_t histogram_count(const struct histogram *h)
{
	uint64_t sum = 0;

	for (unsigned i = histogram_begin(h); i < histogram_end(h); i++)
		sum += h->bucket[i];
	return sum;
}

double histogram_percentile(const struct histogram *h, double pct)
{
	uint64_t count = histogram_count(h), seen = 0;
	double want = ceil((double)count * pct / 100);

	if (count == 0)
		return NAN;
	if (want < 1)
		want = 1;
	for (unsigned i = histogram_begin(h); i < histogram_end(h); i++) {
		seen += h->bucket[i];
		if ((double)seen >= want)
			return histogram_middle(i);
	}
	return histogram_max(h);
}

double histogram_mean(const struct histogram *h)
{
	double sum = 0, count = 0;

	for (unsigned i = histogram_begin(h); i < histogram_end(h); i++) {
		if (h->bucket[i] == 0)
			continue;
		sum += histogram_middle(i) * (double)h->bucket[i];
		count += (double)h->bucket[i];
	}
	return count > 0 ? sum / count : NAN;
}

double histogram_min(const struct histogram *h)
{
	for (unsigned i = histogram_begin(h); i < histogram_end(h); i++)
		if (h->bucket[i])
			return histogram_middle(i);
	return NAN;
}

double histogram_max(const struct histogram *h)
{
	for (unsigned i = histogram_end(h); i-- > histogram_begin(h);)
		if (h->bucket[i])
			return histogram_middle(i);
	return NAN;
}

/* fio bucket: the buckets of fio's latency histograms. */

#define FIO_BITS 6

unsigned histogram_fio_bucket(uint64_t ns)
{
	unsigned msb, shift, bucket;

	if (ns < 2u << FIO_BITS)
		return (unsigned)ns;
	msb = 63u - (unsigned)__builtin_clzll(ns);
	shift = msb - FIO_BITS;
	bucket = ((shift + 1) << FIO_BITS) +
		 (unsigned)((ns >> shift) & ((1u << FIO_BITS) - 1));
	return bucket < FIO_BUCKETS ? bucket : FIO_BUCKETS - 1;
}

uint64_t histogram_fio_bucket_ns(unsigned bucket)
{
	unsigned shift;
	uint64_t base;

	if (bucket < 2u << FIO_BITS)
		return bucket;
	shift = (bucket >> FIO_BITS) - 1;
	base = 1ULL << (shift + FIO_BITS);
	/* The middle, as fio has it. */
	return base + (uint64_t)(((bucket & ((1u << FIO_BITS) - 1)) + 0.5) *
				 (double)(1ULL << shift));
}

/* Heat: the latencies of one interval in few bins. */

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
