/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters: count the work of one worker. Only that worker writes them, by
 * relaxed loads and stores; any thread may read them at any time.
 *
 * There is no count of I/Os: it is the sum of the buckets, so that a sample's
 * histogram and count can never disagree.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "model/histogram.h"
#include "model/schema/schema_job.h"

#define CACHE_LINE 64
/* The kernel's error numbers end at 133; a greater one counts as 0. */
#define ERRNO_COUNT 134

/* Latencies in ns; min_ns is UINT64_MAX when there is none. */
struct latency_counters {
	_Atomic uint64_t min_ns, max_ns;
	_Alignas(CACHE_LINE) _Atomic uint64_t bucket[HISTOGRAM_BUCKETS];
};

/* The kernel gives no memory to pages of histograms that are never written. */
struct op_counters {
	_Alignas(CACHE_LINE) _Atomic uint64_t bytes;
	_Atomic uint64_t short_ios;       /* I/Os that completed in parts */
	struct latency_counters service;  /* submission to completion */
	struct latency_counters response; /* intended arrival to completion;
					     with a rate only */
	struct latency_counters submit;   /* within submit(), async engines */
	struct latency_counters complete; /* the rest of service */
	struct latency_counters prio; /* the same, of I/Os with a priority of
					 their own (cmdprio) */
};

struct counters {
	_Alignas(CACHE_LINE) _Atomic uint64_t errors;
	_Atomic uint64_t by_errno[ERRNO_COUNT];
	_Atomic uint64_t first_errno; /* 0: none */
	_Atomic uint64_t late; /* I/Os submitted after their intended time */
	/* I/Os by the depth that their submission reached: 1, 2, 4, ... 64+ */
	_Atomic uint64_t depth[JOB_DEPTHS];
	/* calls by the number of I/Os submitted or completed: 0, 4, 8, ... */
	_Atomic uint64_t submits[JOB_BATCHES], reaps[JOB_BATCHES];
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

/*
 * Only for the worker that owns the counter: a load and a store, no locked
 * instruction.
 */
static inline void counter_add(_Atomic uint64_t *c, uint64_t n)
{
	counter_set(c, counter_get(c) + n);
}

/* Count an error with that positive errno. */
static inline void counter_error(struct counters *c, int code)
{
	unsigned n = code > 0 && code < ERRNO_COUNT ? (unsigned)code : 0;

	counter_add(&c->errors, 1);
	counter_add(&c->by_errno[n], 1);
	if (!counter_get(&c->first_errno))
		counter_set(&c->first_errno, n);
}

/* The least and greatest latency added since; none: min_ns > max_ns. */
static inline void latency_span(struct latency_counters *c, uint64_t min_ns,
				uint64_t max_ns)
{
	if (__builtin_expect(max_ns > counter_get(&c->max_ns), 0))
		counter_set(&c->max_ns, max_ns);
	if (__builtin_expect(min_ns < counter_get(&c->min_ns), 0))
		counter_set(&c->min_ns, min_ns);
}

/*
 * The first bucket, for a loop: the compiler keeps this one address instead of
 * adding it up from its parts per I/O.
 */
static inline _Atomic uint64_t *latency_buckets(struct latency_counters *c)
{
	_Atomic uint64_t *bucket = c->bucket;

	__asm__("" : "+r"(bucket));
	return bucket;
}

/* Count n I/Os that took ns each. */
static inline void latency_add(struct latency_counters *c, uint64_t ns,
			       uint64_t n)
{
	counter_add(&c->bucket[histogram_index(ns)], n);
	latency_span(c, ns, ns);
}

/* The number of latencies counted. */
static inline uint64_t latency_count(const struct latency_counters *c)
{
	uint64_t n = 0;

	/* Do not touch pages that were never written. */
	if (!counter_get(&c->max_ns) && counter_get(&c->min_ns) == UINT64_MAX)
		return 0;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		n += counter_get(&c->bucket[i]);
	return n;
}

static inline void counters_init(struct counters *c)
{
	for (int i = 0; i < JOB_OPS; i++) {
		counter_set(&c->op[i].service.min_ns, UINT64_MAX);
		counter_set(&c->op[i].response.min_ns, UINT64_MAX);
		counter_set(&c->op[i].submit.min_ns, UINT64_MAX);
		counter_set(&c->op[i].complete.min_ns, UINT64_MAX);
		counter_set(&c->op[i].prio.min_ns, UINT64_MAX);
	}
}
