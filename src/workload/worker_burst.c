/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Burst: the path of every I/O of engines that do one at a time, for plain
 * sources. One clock reading per I/O: the end of one is the beginning of the
 * next, only the choice of the block lies between them.
 */
#include "base/attributes.h"
#include "workload/plain_inline.h"

/* After so many I/Os the figures of the whole worker are brought up to date. */
#define BURST_IOS 256

/* How many may be made before the loop must look after something. */
static unsigned burst_room(const struct worker *w)
{
	uint64_t n = w->left_ios < BURST_IOS ? w->left_ios : BURST_IOS;

	/* The last of a pass is left to the loop. */
	if (unlikely(n * w->block_bytes >= w->pass_left))
		n = w->pass_left ? (w->pass_left - 1) / w->block_bytes : 0;
	return (unsigned)n;
}

/* Whether the loop must look after something. */
static always_inline bool called(const struct worker *w)
{
	return worker_stopped(w) ||
	       atomic_load_explicit(&w->control->serial,
				    memory_order_relaxed) != w->control_seen;
}

/* An I/O that failed or was done in part goes the long way. */
static void long_way(struct worker *w, struct io *io, uint64_t now_ns)
{
	io->submit_ns = w->now_ns;
	w->now_ns = now_ns;
	w->n_free = 0;
	w->done[0] = io;
	w->complete(w, 1);
}

/* So many places are chosen at once, while the keys are at hand. */
#define AHEAD 16

/* The figures of a direction, where the loop has them at hand. */
struct burst_count {
	struct op_counters *op;
	_Atomic uint64_t *bucket;
	uint64_t min_ns, max_ns;
};

static always_inline struct burst_count burst_count(const struct worker *w,
						    unsigned op)
{
	struct op_counters *count = &w->count->op[op];

	return (struct burst_count){
		.op = count,
		.bucket = count->service.bucket,
		.min_ns = counter_get(&count->service.min_ns),
		.max_ns = counter_get(&count->service.max_ns),
	};
}

static always_inline void burst_add(struct burst_count *c, uint64_t ns,
				    uint64_t bytes)
{
	counter_add(&c->bucket[histogram_index(ns)], 1);
	if (unlikely(ns > c->max_ns))
		counter_set(&c->op->service.max_ns, c->max_ns = ns);
	if (unlikely(ns < c->min_ns))
		counter_set(&c->op->service.min_ns, c->min_ns = ns);
	counter_add(&c->op->bytes, bytes);
}

struct burst {
	void (*now)(void *state, struct io *io);
	struct plain plain;
	struct burst_count count;
	struct io *io;
	uint64_t last_ns, until_ns;
	bool called;
};

/* One that succeeded is counted; one that did not goes the long way. */
static always_inline void burst_one(struct worker *w, struct burst *b,
				    enum plain_what what)
{
	struct io *io = b->io;
	uint64_t now_ns, ns;

	b->now(w->state, io);
	now_ns = stopwatch_ns(&w->watch);
	ns = now_ns - b->last_ns;
	b->called = now_ns >= b->until_ns || called(w);
	if (unlikely(io->result != (ssize_t)b->plain.block)) {
		w->now_ns = b->last_ns;
		long_way(w, io, now_ns);
		b->called = true;
	} else if (what == PLAIN_MIX) {
		latency_add(&w->count->op[io->op].service, ns, 1);
		counter_add(&w->count->op[io->op].bytes, b->plain.block);
	} else {
		burst_add(&b->count, ns, b->plain.block);
	}
	b->last_ns = now_ns;
}

static always_inline void burst(struct worker *w, int kind,
				enum plain_what what)
{
	unsigned n = burst_room(w), i = 0;
	struct burst b = {
		.now = w->engine->now,
		.plain = plain_begin(w, kind, &n),
		.count = burst_count(w, w->only),
		.io = w->free[0],
		.last_ns = w->now_ns,
		.until_ns = w->deadline_ns < w->watch.correct_ns
				    ? w->deadline_ns
				    : w->watch.correct_ns,
	};
	uint64_t place[AHEAD], position[AHEAD];

	while (i < n && !b.called) {
		unsigned ahead = n - i < AHEAD ? n - i : AHEAD, k = 0;

		for (; kind == PATTERN_RANDOM && k < ahead; k++) {
			place[k] = plain_permuted(&b.plain);
			position[k] = b.plain.position;
		}
		for (k = 0; k < ahead && !b.called; k++) {
			plain_next(w, &b.plain, b.io, kind, what, &place[k]);
			burst_one(w, &b, what);
		}
		/* Those that were not made are chosen again. */
		if (kind == PATTERN_RANDOM)
			b.plain.position = position[k - 1];
		i += k;
	}
	plain_end(&b.plain, kind, i);
	w->now_ns = b.last_ns;
	w->left_ios -= i;
	w->pass_left -= i * b.plain.block;
	counter_add(&w->count->depth[0], i);
}

#define BURST(name, kind, what)                    \
	static void burst_##name(struct worker *w) \
	{                                          \
		burst(w, kind, what);              \
	}
PLAIN_SHAPES(BURST)

#define ROW(name, kind, what) [kind][what] = burst_##name,
const burst_fn worker_bursts[][PLAIN_WHATS] = { PLAIN_SHAPES(ROW) };
