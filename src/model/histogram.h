/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histogram: latencies in log-linear buckets.
 *
 * A value below 128 ns has a bucket of its own. Above that, each power of two
 * is cut into 128 buckets of equal width, so a bucket is at most 1/128 of its
 * lower bound wide: a value reported as the middle of its bucket is at most
 * 1/256 = 0.39 % off. The last bucket takes all from 2^40 ns (18 minutes) on.
 * The layout is fio's with one bit more; merging is adding, and the histogram
 * of an interval is the difference of two cumulative ones.
 */
#ifndef MODEL_HISTOGRAM_H
#define MODEL_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BITS	  7
#define HISTOGRAM_MAX_BIT 40
#define HISTOGRAM_LINEAR  (1u << HISTOGRAM_BITS)
#define HISTOGRAM_BUCKETS \
	((HISTOGRAM_MAX_BIT - HISTOGRAM_BITS + 1) * HISTOGRAM_LINEAR)

struct histogram {
	uint64_t bucket[HISTOGRAM_BUCKETS];
};

/* The bucket of a latency; on the path of every I/O. */
static inline unsigned histogram_index(uint64_t ns)
{
	unsigned shift;

	if (ns < HISTOGRAM_LINEAR)
		return (unsigned)ns;
	/* 63 ^ x is 63 - x here, and what the processor computes. */
	shift = (63u ^ (unsigned)__builtin_clzll(ns)) - HISTOGRAM_BITS;
	if (shift >= HISTOGRAM_MAX_BIT - HISTOGRAM_BITS)
		return HISTOGRAM_BUCKETS - 1;
	return (shift << HISTOGRAM_BITS) + (unsigned)(ns >> shift);
}

/* The least value of a bucket, and the least of the next, in ns. */
uint64_t histogram_low(unsigned index);
uint64_t histogram_high(unsigned index);

/* into += from; out = now - before (buckets that shrank count as 0). */
void histogram_add(struct histogram *into, const struct histogram *from);
void histogram_subtract(struct histogram *out, const struct histogram *now,
			const struct histogram *before);

uint64_t histogram_count(const struct histogram *h);

/*
 * The value below which pct (0 to 100) per cent of the samples lie, in ns: the
 * middle of the bucket that holds it; NaN when the histogram is empty.
 */
double histogram_percentile(const struct histogram *h, double pct);

/* From the middles of the buckets; NaN when empty. Error below 0.39 %. */
double histogram_mean(const struct histogram *h);
/* The middle of the lowest and highest bucket in use; NaN when empty. */
double histogram_min(const struct histogram *h);
double histogram_max(const struct histogram *h);

#endif
