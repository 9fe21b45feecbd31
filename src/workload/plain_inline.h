/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain source: the choice of one I/O, to be inlined into loops that are made
 * once for each shape, so that none of it asks what kind of job it is.
 */
#ifndef WORKLOAD_PLAIN_INLINE_H
#define WORKLOAD_PLAIN_INLINE_H

#include "workload/pattern.h"
#include "workload/worker.h"

#define always_inline inline __attribute__((always_inline))

/* All alike, writes that are stamped, or a mix. */
enum plain_what { PLAIN_SAME, PLAIN_STAMP, PLAIN_MIX, PLAIN_WHATS };

/*
 * What stays the same from one I/O to the next, and where the pattern is, in
 * locals: no store through a pointer makes the compiler load it again.
 */
struct plain {
	uint64_t base, block, blocks, position;
	struct permutation permutation;
	struct pattern *pattern;
};

/* For up to *n I/Os; fewer when a pass ends before. */
static always_inline struct plain plain_begin(const struct worker *w, int kind,
					      unsigned *n)
{
	const struct stream *s = w->stream;
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

/* n were made. */
static always_inline void plain_end(const struct plain *c, int kind, unsigned n)
{
	if (kind != PATTERN_RANDOM)
		return;
	c->pattern->position = c->position;
	c->pattern->left -= n;
}

/* The next of a permutation. */
static always_inline uint64_t plain_permuted(struct plain *c)
{
	uint64_t block;

	do
		block = pattern_permute(&c->permutation, c->position++);
	while (block >= c->blocks);
	return block;
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
 * Set what differs; chosen, if not NULL, holds what plain_permuted() said.
 * Which direction a mix takes cannot be predicted, so it is
 * computed, not branched upon.
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
			p = w->stream->by_op[io->op];
	}
	io->offset = c->base + plain_place(c, p, kind, chosen) * c->block;
	if (what == PLAIN_STAMP || (what == PLAIN_MIX && io->op == JOB_WRITE))
		plain_stamp(w, io, c->block);
}

/* Make one instance of a loop per shape, and the table of them. */
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

/* By pattern and what: the loop for engines with now(). */
extern const burst_fn worker_bursts[][PLAIN_WHATS];

#endif
