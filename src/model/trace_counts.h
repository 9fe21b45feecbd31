/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace: the times of all requests of a device, as the programs in the kernel
 * count them: whole = queue + device. The counters of one operation, and their
 * buckets; the programs (collect/bpf) and the fields of a device share them.
 *
 * This header is compiled for the kernel, too: it includes no other of ours.
 */
#pragma once

#include <stdint.h>

/* As diskstats tells them apart. */
enum trace_op { TRACE_READ, TRACE_WRITE, TRACE_DISCARD, TRACE_FLUSH, TRACE_OPS };

/*
 * Buckets of times: each power of two from 256 ns to 2^38 ns (275 s) is cut into
 * 32 of equal width, so the middle of a bucket is at most 1.6 % off. The first
 * takes all shorter times, the last all longer ones.
 */
#define TRACE_BITS	5u
#define TRACE_LOW_BIT	8u
#define TRACE_HIGH_BIT	38u
#define TRACE_PER_OCTAVE (1u << TRACE_BITS)
#define TRACE_BUCKETS	((TRACE_HIGH_BIT - TRACE_LOW_BIT) * TRACE_PER_OCTAVE)

/* Sizes: powers of two from 512 bytes; the last takes all larger ones. */
#define TRACE_SIZES 16u

/* The position of the highest bit; the kernel's programs have no instruction
 * for it. */
static inline uint32_t trace_log2(uint64_t v)
{
	uint32_t r, s;

	r = (uint32_t)(v > 0xffffffffu) << 5;
	v >>= r;
	s = (uint32_t)(v > 0xffff) << 4;
	v >>= s;
	r |= s;
	s = (uint32_t)(v > 0xff) << 3;
	v >>= s;
	r |= s;
	s = (uint32_t)(v > 0xf) << 2;
	v >>= s;
	r |= s;
	s = (uint32_t)(v > 0x3) << 1;
	v >>= s;
	r |= s;
	return r | (uint32_t)(v >> 1);
}

/* The bucket of a time. */
static inline uint32_t trace_bucket(uint64_t ns)
{
	uint32_t bit;

	if (ns < 1u << TRACE_LOW_BIT)
		return 0;
	bit = trace_log2(ns);
	if (bit >= TRACE_HIGH_BIT)
		return TRACE_BUCKETS - 1;
	return (bit - TRACE_LOW_BIT) * TRACE_PER_OCTAVE +
	       ((uint32_t)(ns >> (bit - TRACE_BITS)) & (TRACE_PER_OCTAVE - 1));
}

/* The least time of a bucket, and of the next. */
static inline uint64_t trace_bucket_low(uint32_t bucket)
{
	const uint32_t octave = bucket / TRACE_PER_OCTAVE;

	return (uint64_t)(TRACE_PER_OCTAVE + bucket % TRACE_PER_OCTAVE)
	       << (octave + TRACE_LOW_BIT - TRACE_BITS);
}

static inline uint32_t trace_size_bucket(uint32_t bytes)
{
	uint32_t bit = trace_log2(bytes | 512) - 9;

	return bit < TRACE_SIZES ? bit : TRACE_SIZES - 1;
}

/*
 * One operation of one device, cumulative. The 32-bit counts wrap: only their
 * differences mean anything. Requests that began before the trace did, and
 * those that never reached the driver (an empty flush), have no queue and no
 * device time: they count in ios alone, or in ios and whole[]. Pieces of a bio that a
 * device without requests cut count in ios alone.
 */
struct trace_counts {
	uint64_t ios, bytes;
	uint64_t timed;		     /* requests with both times below */
	uint64_t queue_ns, device_ns; /* their sums */
	uint64_t sequential; /* began where one of the last few had ended */
	uint64_t requeues, errors;
	uint32_t size[TRACE_SIZES];
	uint32_t whole[TRACE_BUCKETS], queue[TRACE_BUCKETS],
		device[TRACE_BUCKETS];
	/* Time in the queue of the requests of these whole times, in steps of 4 per
	 * power of two. */
	uint64_t queue_ns_of[TRACE_BUCKETS / 8];
};
_Static_assert(sizeof(struct trace_counts) ==
		       8 * 8 + (3 * TRACE_BUCKETS + TRACE_SIZES) * 4 +
			       TRACE_BUCKETS / 8 * 8 &&
	       sizeof(struct trace_counts) % 64 == 0,
	       "the programs and their reader see the same memory, and processors "
	       "share no line of the cache");

/*
 * All requests of a process or a control group, on the upper device only; the
 * same buckets of whole times. Cumulative; a count is now and then lost.
 */
struct trace_owner {
	uint64_t queue_ns, device_ns; /* where both are known */
	uint64_t changes;             /* not the same after any request */
	uint32_t whole[TRACE_BUCKETS];
	uint32_t unused[10];
};
_Static_assert(sizeof(struct trace_owner) % 64 == 0, "lines of the cache");
