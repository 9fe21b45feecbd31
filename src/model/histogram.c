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

/* --- the buckets of fio's latency histograms --- */

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
