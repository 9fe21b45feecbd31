/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histogram: latencies in log-linear buckets.
 */
#include "model/histogram.h"

#include <math.h>

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

static double middle(unsigned index)
{
	uint64_t low = histogram_low(index), high = histogram_high(index);

	return (double)low + (double)(high - low - 1) / 2;
}

void histogram_add(struct histogram *into, const struct histogram *from)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

void histogram_subtract(struct histogram *out, const struct histogram *now,
			const struct histogram *before)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t n = now->bucket[i], b = before->bucket[i];

		out->bucket[i] = n > b ? n - b : 0;
	}
}

uint64_t histogram_count(const struct histogram *h)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
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
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->bucket[i];
		if ((double)seen >= want)
			return middle(i);
	}
	return histogram_max(h);
}

double histogram_mean(const struct histogram *h)
{
	double sum = 0, count = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (h->bucket[i] == 0)
			continue;
		sum += middle(i) * (double)h->bucket[i];
		count += (double)h->bucket[i];
	}
	return count > 0 ? sum / count : NAN;
}

double histogram_min(const struct histogram *h)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (h->bucket[i])
			return middle(i);
	return NAN;
}

double histogram_max(const struct histogram *h)
{
	for (unsigned i = HISTOGRAM_BUCKETS; i-- > 0;)
		if (h->bucket[i])
			return middle(i);
	return NAN;
}
