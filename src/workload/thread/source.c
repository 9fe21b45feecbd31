/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source: chooses the next I/O of a job. Plain jobs have a faster source.
 *
 * Plain jobs: jobs with one file and one block size, where only the offset is
 * chosen.
 *
 * The choice of an I/O is inlined into loops that are compiled once for each
 * shape of job, so that none of them tests the kind of job per I/O. The first
 * loop fills a batch. The second one, the burst, makes one I/O at a time, for
 * engines that do one at a time and for queues where each completion is
 * followed by one submission (iodepth_batch=1). It does not read the clock
 * between the end of one I/O and the start of the next: only the choice of the
 * block lies between them.
 */
#include <string.h>

#include "base/attributes.h"
#include "workload/offset/offsets.h"
#include "workload/thread/worker.h"

#define always_inline inline __attribute__((always_inline))

/* The I/Os are all alike, writes with stamps, or a mix. */
enum plain_what { PLAIN_SAME, PLAIN_STAMP, PLAIN_MIX, PLAIN_WHATS };

/*
 * Local copies of the constants of a loop and of the position of the pattern,
 * so that a store through a pointer does not force the compiler to load them
 * again.
 */
struct plain {
	uint64_t base, block, blocks, position;
	struct permutation permutation;
	struct pattern *pattern;
};

/* Prepare up to *n I/Os; sets *n to fewer if a pass ends before. */
static always_inline struct plain plain_begin(const struct worker *w, int kind,
					      unsigned *n)
{
	const struct region *s = w->region;
	struct pattern *p = s->by_op[w->only];

	if (kind == PATTERN_RANDOM) {
		if (__builtin_expect(p->left == 0, 0))
			pattern_begin_pass(p);
		if (__builtin_expect(*n > p->left, 0))
			*n = (unsigned)p->left;
	}
	return (struct plain){
		.base = s->base,
		.block = w->block_bytes,
		.blocks = p->blocks,
		.position = p->position,
		.permutation = p->permutation,
		.pattern = p,
	};
}

/* Store the position after n I/Os. */
static always_inline void plain_end(const struct plain *c, int kind, unsigned n)
{
	if (kind != PATTERN_RANDOM)
		return;
	c->pattern->position = c->position;
	c->pattern->left -= n;
}

/* The next block of a permutation. */
static always_inline uint64_t plain_permuted(struct plain *c)
{
	uint64_t block;

	do
		block = pattern_permute(&c->permutation, c->position++);
	while (block >= c->blocks);
	return block;
}

/*
 * The position after n blocks from the given one, so that the caller can choose
 * the later blocks again. The argument is a copy, so that the caller's stays in
 * registers.
 */
static __attribute__((noinline)) uint64_t plain_rewound(struct plain c,
							uint64_t position,
							unsigned n)
{
	c.position = position;
	while (n--)
		plain_permuted(&c);
	return c.position;
}

static always_inline uint64_t plain_place(struct plain *c, struct pattern *p,
					  int kind, const uint64_t *chosen)
{
	if (kind == PATTERN_SEQUENTIAL)
		return pattern_sequential(p);
	if (kind == PATTERN_RANDOM_REPEAT)
		return pattern_uniform(p);
	return chosen ? *chosen : plain_permuted(c);
}

/* A small block has one stamp: no call, no loop. */
static always_inline void plain_stamp(struct worker *w, struct io *io,
				      uint64_t block)
{
	if (!w->stamped)
		return;
	if (block <= SOURCE_STAMP_EVERY) {
		uint64_t *mark = (uint64_t *)(void *)io->buf;

		mark[0] = io->offset;
		mark[1] = w->serial++;
	} else {
		source_stamp(w, io);
	}
}

/*
 * Set the members that differ from the last I/O; chosen, if not NULL, is the
 * result of plain_permuted(). The direction of a mix is random, so compute it
 * without a branch.
 */
static always_inline void plain_next(struct worker *w, struct plain *c,
				     struct io *io, int kind,
				     enum plain_what what,
				     const uint64_t *chosen)
{
	struct pattern *p = c->pattern;

	if (what == PLAIN_MIX) {
		bool other = random_next(&w->random) >= w->read_below;

		io->op = w->mix_op[other];
		io->buf = w->mix_buffers[other] + io->slot * w->stride;
		if (kind == PATTERN_SEQUENTIAL)
			p = w->region->by_op[io->op];
	}
	io->offset = c->base + plain_place(c, p, kind, chosen) * c->block;
	if (what == PLAIN_STAMP || (what == PLAIN_MIX && io->op == JOB_WRITE))
		plain_stamp(w, io, c->block);
}

/*
 * The shapes of plain jobs; each loop has one instance per shape, and a table
 * of them.
 */
#define PLAIN_SHAPES(SHAPE)                                      \
	SHAPE(same_sequential, PATTERN_SEQUENTIAL, PLAIN_SAME)   \
	SHAPE(same_random, PATTERN_RANDOM, PLAIN_SAME)           \
	SHAPE(same_repeat, PATTERN_RANDOM_REPEAT, PLAIN_SAME)    \
	SHAPE(stamp_sequential, PATTERN_SEQUENTIAL, PLAIN_STAMP) \
	SHAPE(stamp_random, PATTERN_RANDOM, PLAIN_STAMP)         \
	SHAPE(stamp_repeat, PATTERN_RANDOM_REPEAT, PLAIN_STAMP)  \
	SHAPE(mix_sequential, PATTERN_SEQUENTIAL, PLAIN_MIX)     \
	SHAPE(mix_random, PATTERN_RANDOM, PLAIN_MIX)             \
	SHAPE(mix_repeat, PATTERN_RANDOM_REPEAT, PLAIN_MIX)

/*
 * The number of I/Os that may be made now, limited by the free I/Os and by the
 * rest of the run.
 */
static always_inline unsigned plain_room(struct worker *w, unsigned room)
{
	if (room > w->n_free)
		room = w->n_free;
	if (__builtin_expect(room > w->left_ios, 0)) {
		room = (unsigned)w->left_ios;
		w->exhausted = room == 0;
	}
	w->left_ios -= room;
	return room;
}

/* Make at most n I/Os; fewer if a pass of the pattern ends before. */
static always_inline unsigned make_run(struct worker *w, unsigned n, int kind,
				       enum plain_what what)
{
	struct plain c = plain_begin(w, kind, &n);
	struct io **from = w->free + w->n_free - n;
	struct io **to = w->pending + w->n_pending;

	for (unsigned i = 0; i < n; i++) {
		struct io *io = from[i];

		plain_next(w, &c, io, kind, what, NULL);
		to[i] = io;
	}
	plain_end(&c, kind, n);
	w->n_free -= n;
	w->n_pending += n;
	return n;
}

static always_inline unsigned source_make(struct worker *w, unsigned room,
					  int kind, enum plain_what what)
{
	unsigned n = plain_room(w, room), made = 0;
	uint64_t bytes = n * w->block_bytes;

	do
		made += make_run(w, n - made, kind, what);
	while (__builtin_expect(made < n, 0));
	w->pass_left -= bytes < w->pass_left ? bytes : w->pass_left;
	return n;
}

#define MAKE(name, kind, what)                                       \
	static unsigned make_##name(struct worker *w, unsigned room) \
	{                                                            \
		return source_make(w, room, kind, what);             \
	}
PLAIN_SHAPES(MAKE)

#define ROW(name, kind, what) [kind][what] = make_##name,
static const source_fn sources[][PLAIN_WHATS] = { PLAIN_SHAPES(ROW) };

/*
 * The number of I/Os of a burst, before the loop updates the figures of the
 * worker.
 */
#define BURST_IOS 256

/* The number of I/Os that may be made before the loop must check its state. */
static unsigned burst_room(const struct worker *w)
{
	uint64_t n = w->left_ios < BURST_IOS ? w->left_ios : BURST_IOS;

	/* Leave the last I/O of a pass to the loop. */
	if (unlikely(n * w->block_bytes >= w->pass_left))
		n = w->pass_left ? (w->pass_left - 1) / w->block_bytes : 0;
	return (unsigned)n;
}

/* Whether the loop must check its state. */
static always_inline bool called(const struct worker *w)
{
	return worker_stopped(w) ||
	       atomic_load_explicit(&w->control->serial,
				    memory_order_relaxed) != w->control_seen;
}

/*
 * The number of blocks that are chosen at once, while the keys are in
 * registers.
 */
#define AHEAD 16

/* Latencies, in locals of the loop. */
struct burst_count {
	struct latency_counters *latency;
	_Atomic uint64_t *bucket;
	uint64_t min_ns, max_ns;
};

static always_inline struct burst_count burst_count(struct latency_counters *c)
{
	return (struct burst_count){
		.latency = c,
		.bucket = latency_buckets(c),
		.min_ns = counter_get(&c->min_ns),
		.max_ns = counter_get(&c->max_ns),
	};
}

static always_inline void burst_add(struct burst_count *c, uint64_t ns)
{
	counter_add(&c->bucket[histogram_index(ns)], 1);
	if (unlikely(ns > c->max_ns))
		counter_set(&c->latency->max_ns, c->max_ns = ns);
	if (unlikely(ns < c->min_ns))
		counter_set(&c->latency->min_ns, c->min_ns = ns);
}

/* Of an engine that does an I/O within submit(), or one that keeps a queue. */
enum burst_how { BURST_NOW, BURST_QUEUE };

struct burst {
	const struct engine *engine;
	struct plain plain;
	_Atomic uint64_t *bytes;	   /* of the only direction */
	struct burst_count service, submit, complete; /* the same */
	struct io *io;			   /* the free one */
	uint64_t last_ns, until_ns;
	unsigned started, taken; /* of a queue */
	bool called;
};

/*
 * Start the free I/O of a queue that is full but for one, and wait for any: a
 * completed I/O. NULL: the loop must do the rest, for which the worker is set.
 */
static always_inline struct io *burst_swap(struct worker *w, struct burst *b,
					   enum plain_what what)
{
	uint64_t ns;
	struct io *io = b->io;

	io->submit_ns = b->last_ns;
	if (unlikely(!b->engine->start(w->state, io))) {
		w->pending[w->n_pending++] = io;
		w->n_free = 0;
		return NULL;
	}
	b->started++;
	if (w->timed_submit) {
		io->submitted_ns = stopwatch_ns(&w->watch);
		ns = io->submitted_ns - b->last_ns;
		if (what == PLAIN_MIX)
			latency_add(&w->count->op[io->op].submit, ns, 1);
		else
			burst_add(&b->submit, ns);
	}
	io = b->engine->take(w->state);
	if (likely(io)) {
		b->taken++;
		return io;
	}
	w->in_flight++;
	w->n_free = 0;
	return NULL;
}

static always_inline struct io *burst_do(struct worker *w, struct burst *b,
					 enum plain_what what,
					 enum burst_how how)
{
	if (how == BURST_QUEUE)
		return burst_swap(w, b, what);
	b->io->submit_ns = b->last_ns;
	b->engine->now(w->state, b->io);
	return b->io;
}

/* An I/O that failed or was done in part goes through worker_complete(). */
static void burst_odd(struct worker *w, struct burst *b, struct io *io)
{
	w->now_ns = b->last_ns;
	w->n_free = 0;
	w->done[0] = io;
	w->complete(w, 1);
	b->called = true;
}

/* Make and count an I/O; pass one that did not succeed to burst_odd(). */
static always_inline void burst_one(struct worker *w, struct burst *b,
				    enum plain_what what, enum burst_how how)
{
	struct io *io = burst_do(w, b, what, how);
	const uint64_t block = b->plain.block;
	uint64_t ns;

	b->last_ns = stopwatch_ns(&w->watch);
	b->called = b->last_ns >= b->until_ns || called(w);
	if (how == BURST_QUEUE && unlikely(!io)) {
		b->called = true;
		return;
	}
	if (unlikely(io->result != (ssize_t)block)) {
		burst_odd(w, b, io);
		return;
	}
	if (how == BURST_QUEUE)
		w->free[0] = b->io = io;
	if (how == BURST_QUEUE && w->timed_submit) {
		ns = b->last_ns - io->submitted_ns;
		if (what == PLAIN_MIX)
			latency_add(&w->count->op[io->op].complete, ns, 1);
		else
			burst_add(&b->complete, ns);
	}
	ns = b->last_ns - io->submit_ns;
	if (what == PLAIN_MIX) {
		latency_add(&w->count->op[io->op].service, ns, 1);
		counter_add(&w->count->op[io->op].bytes, block);
	} else {
		burst_add(&b->service, ns);
		counter_add(b->bytes, block);
	}
}

/* Count the calls, as the loop does for each of its own. */
static void burst_count_calls(struct worker *w, const struct burst *b,
			      unsigned n, enum burst_how how)
{
	if (how == BURST_NOW) {
		counter_add(&w->count->depth[0], n);
		return;
	}
	counter_add(&w->count->depth[worker_depth_level(w, w->depth)],
		    b->started);
	counter_add(&w->count->submits[worker_batch_level(1)], b->started);
	counter_add(&w->count->reaps[worker_batch_level(1)], b->taken);
}

static always_inline void burst(struct worker *w, int kind,
				enum plain_what what, enum burst_how how)
{
	struct op_counters *count = &w->count->op[w->only];
	unsigned n = burst_room(w), i = 0;
	struct burst b = {
		.engine = w->engine,
		.plain = plain_begin(w, kind, &n),
		.bytes = &count->bytes,
		.service = burst_count(&count->service),
		.submit = burst_count(&count->submit),
		.complete = burst_count(&count->complete),
		.io = w->free[0],
		.last_ns = w->now_ns,
		.until_ns = w->deadline_ns < w->watch.correct_ns
				    ? w->deadline_ns
				    : w->watch.correct_ns,
	};
	uint64_t place[AHEAD];

	while (i < n && !b.called) {
		unsigned ahead = n - i < AHEAD ? n - i : AHEAD, k = 0;
		uint64_t position = b.plain.position;

		for (; kind == PATTERN_RANDOM && k < ahead; k++)
			place[k] = plain_permuted(&b.plain);
		for (k = 0; k < ahead && !b.called; k++) {
			plain_next(w, &b.plain, b.io, kind, what, &place[k]);
			burst_one(w, &b, what, how);
		}
		if (kind == PATTERN_RANDOM && unlikely(k < ahead))
			b.plain.position = plain_rewound(b.plain, position, k);
		i += k;
	}
	plain_end(&b.plain, kind, i);
	w->now_ns = b.last_ns;
	w->left_ios -= i;
	w->pass_left -= i * b.plain.block;
	burst_count_calls(w, &b, i, how);
}

#define BURST(name, kind, what)                        \
	static void burst_##name(struct worker *w)     \
	{                                              \
		burst(w, kind, what, BURST_NOW);       \
	}                                              \
	static void queue_##name(struct worker *w)     \
	{                                              \
		burst(w, kind, what, BURST_QUEUE);     \
	}
PLAIN_SHAPES(BURST)

#undef ROW
#define ROW(name, kind, what) [kind][what] = { burst_##name, queue_##name },
static const burst_fn bursts[][PLAIN_WHATS][2] = { PLAIN_SHAPES(ROW) };

/* The burst for this worker, or NULL. */
static burst_fn burst_choose(const struct worker *w, unsigned kind,
			     enum plain_what what)
{
	if (w->engine->now && w->depth == 1)
		return bursts[kind][what][BURST_NOW];
	if (w->engine->start && w->batch == 1 && w->batch_complete == 1 &&
	    w->batch_complete_max == 1 && w->low == w->depth)
		return bursts[kind][what][BURST_QUEUE];
	return NULL;
}

/* Whether the direction has one block size, each block at a multiple of it. */
static bool plain_blocks(const struct job *job, unsigned op)
{
	const struct job_bs *bs = &job->bs[op];

	return op != JOB_TRIM && bs->min == bs->max && !bs->split &&
	       (!job->ba[op] || job->ba[op] == bs->min);
}

/* Whether writes carry only stamps, or the same bytes each time. */
static bool plain_data(const struct job *job)
{
	return !job_writes(job) ||
	       (job->verify == VERIFY_NONE && !job->refill_buffers &&
		!job->buffer_pattern && !job->compress_pct &&
		!job->fsync_every && !job->fdatasync_every &&
		!job->write_barrier && !job->range_every);
}

static bool source_is_plain(const struct worker *w)
{
	const struct job *job = w->job;
	unsigned kind = w->region->pattern[w->only].kind;

	return w->n_regions == 1 && !w->cmdprio &&
	       kind <= PATTERN_RANDOM_REPEAT && plain_blocks(job, w->only) &&
	       (!w->mixed ||
		(plain_blocks(job, w->other) &&
		 job->bs[w->other].max == job->bs[w->only].max &&
		 w->region->pattern[w->other].kind == kind &&
		 (kind == PATTERN_SEQUENTIAL ||
		  w->region->by_op[w->only] == w->region->by_op[w->other]))) &&
	       !job->bs_unaligned && !job->bs_is_seq_rand &&
	       job->verify == VERIFY_NONE && plain_data(job) &&
	       w->limit_bytes == UINT64_MAX;
}

static source_fn plain_source(struct worker *w)
{
	const struct region *s = w->region;
	unsigned kind = s->pattern[w->only].kind;
	enum plain_what what = PLAIN_SAME;

	if (!source_is_plain(w))
		return NULL;
	w->block_bytes = w->job->bs[w->only].max;
	w->uniform = !w->mixed;
	if (w->mixed)
		what = PLAIN_MIX;
	else if (w->only == JOB_WRITE && w->stamped)
		what = PLAIN_STAMP;
	/* Set the members that are equal in all I/Os. */
	for (unsigned i = 0; i < w->depth; i++) {
		struct io *io = &w->ios[i];

		io->op = w->only;
		io->bytes = io->whole = w->block_bytes;
		io->buf = worker_buffer(w, io);
		io->fd = s->fd;
		io->owner = w->region;
		io->alike = w->uniform;
	}
	w->source_burst = burst_choose(w, kind, what);
	return sources[kind][what];
}

/*
 * Each stamp lies one cache line further into its part than the one before. At
 * equal offsets the stamps would share one set of the cache and evict each
 * other, which takes eight times as long.
 */
void source_stamp(struct worker *w, const struct io *io)
{
	const size_t whole = io->bytes & ~(size_t)(SOURCE_STAMP_EVERY - 1);
	const uint64_t serial = w->serial++;
	uint64_t place = io->offset;
	char *p = io->buf;

	for (size_t at = 0; at < whole; at += SOURCE_STAMP_EVERY) {
		uint64_t mark[2] = { place + at, serial };

		memcpy(p + at + (at / 64 & (SOURCE_STAMP_EVERY - 64)), mark,
		       sizeof(mark));
	}
	if (whole + 16 <= io->bytes) {
		uint64_t mark[2] = { place + whole, serial };

		memcpy(p + whole, mark, sizeof(mark));
	}
}

bool source_next(struct worker *w, struct io *io)
{
	if (unlikely(!w->left_ios || !w->left_bytes))
		return false;
	offsets_next(w, io);
	io->buf = worker_buffer(w, io);
	if (unlikely(w->cmdprio != NULL))
		io->prio = worker_cmdprio_next(w->cmdprio, io->op, io->bytes);
	w->left_ios--;
	w->left_bytes -= io->bytes < w->left_bytes ? io->bytes : w->left_bytes;
	w->pass_left -= io->bytes < w->pass_left ? io->bytes : w->pass_left;
	if (io->op == JOB_WRITE && !w->verify) {
		if (w->stamped)
			source_stamp(w, io);
		else if (w->data.refill)
			data_fill(&w->data, io->buf, io->bytes);
	}
	return true;
}

static unsigned source_any(struct worker *w, unsigned room)
{
	return worker_pend(w, room, source_next);
}

void source_choose(struct worker *w)
{
	w->source_burst = NULL;
	w->uniform = false;
	w->source.make = offsets_needed(w) ? NULL : plain_source(w);
	w->plain = w->source.make != NULL;
	if (!w->plain)
		w->source.make = source_any;
	w->source.complete =
		w->uniform ? worker_complete_uniform : worker_complete;
}
