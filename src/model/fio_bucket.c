/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio bucket: the buckets of fio's latency histograms.
 */
#include "model/fio_bucket.h"

#define FIO_BITS 6

unsigned fio_bucket(uint64_t ns)
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

uint64_t fio_bucket_ns(unsigned bucket)
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
