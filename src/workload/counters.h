/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters: what one worker did. Only that worker writes them, by relaxed
 * loads and stores; anyone may read them at any time without stopping it.
 *
 * There is no count of I/Os: it is the sum of the buckets, so that a sample's
 * histogram and count can never disagree.
 */
#ifndef WORKLOAD_COUNTERS_H
#define WORKLOAD_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "model/histogram.h"
#include "model/schema_job.h"

#define CACHE_LINE 64

/* Latencies in ns; min_ns is UINT64_MAX when there is none. */
struct op_counters {
	_Atomic uint64_t min_ns, max_ns;
	_Alignas(CACHE_LINE) _Atomic uint64_t bucket[HISTOGRAM_BUCKETS];
};

struct counters {
	_Alignas(CACHE_LINE) _Atomic uint64_t errors;
	_Atomic uint64_t moved_blocks; /* in the phase "run" */
	_Atomic uint32_t in_flight;
	struct op_counters op[JOB_OPS];
};

static inline uint64_t counter_get(const _Atomic uint64_t *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

static inline void counter_set(_Atomic uint64_t *c, uint64_t value)
{
	atomic_store_explicit(c, value, memory_order_relaxed);
}

/* By the only writer: a load and a store, no locked instruction. */
static inline void counter_add(_Atomic uint64_t *c, uint64_t n)
{
	counter_set(c, counter_get(c) + n);
}

static inline void counters_latency(struct op_counters *c, uint64_t ns)
{
	counter_add(&c->bucket[histogram_index(ns)], 1);
	if (__builtin_expect(ns > counter_get(&c->max_ns), 0))
		counter_set(&c->max_ns, ns);
	if (__builtin_expect(ns < counter_get(&c->min_ns), 0))
		counter_set(&c->min_ns, ns);
}

static inline void counters_init(struct counters *c)
{
	for (int i = 0; i < JOB_OPS; i++)
		counter_set(&c->op[i].min_ns, UINT64_MAX);
}

#endif
