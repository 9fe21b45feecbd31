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
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_BITS	  7
#define HISTOGRAM_MAX_BIT 40
#define HISTOGRAM_LINEAR  (1u << HISTOGRAM_BITS)
#define HISTOGRAM_BUCKETS \
	((HISTOGRAM_MAX_BIT - HISTOGRAM_BITS + 1) * HISTOGRAM_LINEAR)

struct histogram {
	uint64_t bucket[HISTOGRAM_BUCKETS];
	/*
	 * No bucket below first or from end on is in use; end 0: any may be. Of the
	 * 34 KiB of a device's histogram one interval uses some hundred bytes.
	 */
	unsigned first, end;
};

static inline unsigned histogram_begin(const struct histogram *h)
{
	return h->end ? h->first : 0;
}

static inline unsigned histogram_end(const struct histogram *h)
{
	return h->end ? h->end : HISTOGRAM_BUCKETS;
}

/* Empty it; then only histogram_count_in() and histogram_subtract() may fill it. */
void histogram_clear(struct histogram *h);

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

/* Count n in a bucket of one that was cleared. */
static inline void histogram_count_in(struct histogram *h, unsigned index,
				      uint64_t n)
{
	h->bucket[index] += n;
	if (index < h->first)
		h->first = index;
	if (index >= h->end)
		h->end = index + 1;
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
/* Whether 10 or more of n values are above the q-quantile: fewer decide it
 * alone. */
bool histogram_sure(double n, double q);

/* From the middles of the buckets; NaN when empty. Error below 0.39 %. */
double histogram_mean(const struct histogram *h);
/* The middle of the lowest and highest bucket in use; NaN when empty. */
double histogram_min(const struct histogram *h);
double histogram_max(const struct histogram *h);

/*
 * fio bucket: the buckets of fio's latency histograms, 64 per power of two.
 * Two of ours (model/histogram.h) make one.
 */

#define FIO_BUCKETS 1856

/* The bucket of a latency. */
unsigned histogram_fio_bucket(uint64_t ns);
/* The value that a bucket stands for, its middle. */
uint64_t histogram_fio_bucket_ns(unsigned bucket);

/*
 * Heat: the latencies of one interval in few bins, so that many intervals can
 * be kept for a map over time.
 *
 * Each power of two is cut into 4 bins of equal width, from 128 ns to 2^37 ns
 * (137 s); the first and the last bin take all times below and above. A bin is 32 of
 * the histogram's buckets, so no count is split and none is lost.
 */

#define HEAT_PER_OCTAVE 4u
#define HEAT_LOW_BIT    7
#define HEAT_HIGH_BIT   37
#define HEAT_BINS       ((HEAT_HIGH_BIT - HEAT_LOW_BIT) * HEAT_PER_OCTAVE)

struct heat {
	uint32_t bin[HEAT_BINS];
};

/* The bin of a latency. */
unsigned histogram_heat_bin(uint64_t ns);
/* The least latency of a bin, in ns; of HEAT_BINS: where the last one ends. */
uint64_t histogram_heat_low(unsigned bin);

/* out = the bins of h; a bin holds at most 2^32 - 1. */
void histogram_heat_from(struct heat *out, const struct histogram *h);
void histogram_heat_add(struct heat *into, const struct heat *from);
uint64_t histogram_heat_count(const struct heat *h);

/* The first and one past the last bin in use; 0 and 0 when it is empty. */
void histogram_heat_range(const struct heat *h, unsigned *first, unsigned *end);

/*
 * Packed for keeping: the first bin and how many follow, then their counts.
 * histogram_heat_pack() needs room for HEAT_BINS + 1 words and returns those it
 * used, histogram_heat_unpack() those it read.
 */
size_t histogram_heat_pack(const struct heat *h, uint32_t *to);
size_t histogram_heat_unpack(struct heat *h, const uint32_t *from);
