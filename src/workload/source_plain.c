/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain source: one file, one block size, nothing but places to choose. The
 * loop is made once for each kind of place and operation, so that none of it
 * asks what kind of job it is.
 */
#include "workload/pattern_inline.h"
#include "workload/worker.h"

#define always_inline inline __attribute__((always_inline))

enum plain_op { PLAIN_READ, PLAIN_WRITE, PLAIN_MIX };

static always_inline uint64_t place(struct pattern *p, int kind)
{
	if (kind == PATTERN_SEQUENTIAL)
		return pattern_sequential(p);
	if (kind == PATTERN_RANDOM)
		return pattern_permuted(p);
	return pattern_uniform(p);
}

/* How many may be made now: the room, and what is left of run and pass. */
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

static always_inline unsigned make(struct worker *w, unsigned room, int kind,
				   enum plain_op what)
{
	struct stream *s = w->stream;
	struct pattern *p = s->by_op[w->only];
	unsigned n = plain_room(w, room);
	struct io **from = w->free + w->n_free;
	struct io **to = w->pending + w->n_pending;
	const uint64_t base = s->base, block = w->block_bytes;
	uint64_t bytes = n * block;

	for (unsigned i = 0; i < n; i++) {
		struct io *io = *--from;

		if (what == PLAIN_MIX) {
			io->op = random_next(&w->random) < w->read_below
					 ? w->only
					 : w->other;
			p = s->by_op[io->op];
		}
		io->offset = base + place(p, kind) * block;
		if (what == PLAIN_WRITE ||
		    (what == PLAIN_MIX && io->op == JOB_WRITE))
			source_stamp(w, io);
		*to++ = io;
	}
	w->n_free -= n;
	w->n_pending += n;
	w->pass_left -= bytes < w->pass_left ? bytes : w->pass_left;
	return n;
}

#define PLAIN(name, kind, op)                                        \
	static unsigned plain_##name(struct worker *w, unsigned room) \
	{                                                            \
		return make(w, room, kind, op);                      \
	}

PLAIN(read_sequential, PATTERN_SEQUENTIAL, PLAIN_READ)
PLAIN(read_random, PATTERN_RANDOM, PLAIN_READ)
PLAIN(read_repeat, PATTERN_RANDOM_REPEAT, PLAIN_READ)
PLAIN(write_sequential, PATTERN_SEQUENTIAL, PLAIN_WRITE)
PLAIN(write_random, PATTERN_RANDOM, PLAIN_WRITE)
PLAIN(write_repeat, PATTERN_RANDOM_REPEAT, PLAIN_WRITE)
PLAIN(mix_sequential, PATTERN_SEQUENTIAL, PLAIN_MIX)
PLAIN(mix_random, PATTERN_RANDOM, PLAIN_MIX)
PLAIN(mix_repeat, PATTERN_RANDOM_REPEAT, PLAIN_MIX)

/* By pattern and operation. */
static const source_fn sources[][3] = {
	[PATTERN_SEQUENTIAL] = { plain_read_sequential, plain_write_sequential,
				 plain_mix_sequential },
	[PATTERN_RANDOM] = { plain_read_random, plain_write_random,
			     plain_mix_random },
	[PATTERN_RANDOM_REPEAT] = { plain_read_repeat, plain_write_repeat,
				    plain_mix_repeat },
};

static bool is_plain(const struct worker *w)
{
	const struct job *job = w->job;
	const struct job_bs *bs = &job->bs[w->only];

	return w->n_streams == 1 && w->only != JOB_TRIM &&
	       (!w->mixed || w->other != JOB_TRIM) && bs->min == bs->max &&
	       !bs->split &&
	       (!w->mixed || (job->bs[w->other].min == bs->min &&
			      job->bs[w->other].max == bs->max &&
			      !job->bs[w->other].split)) &&
	       w->limit_bytes == UINT64_MAX && !job->fsync_every &&
	       !job->fdatasync_every;
}

source_fn source_plain(struct worker *w)
{
	const struct stream *s = w->stream;

	if (!is_plain(w))
		return NULL;
	w->block_bytes = w->job->bs[w->only].max;
	w->uniform = !w->mixed;
	/* What is alike in all of them is set once. */
	for (unsigned i = 0; i < w->depth; i++) {
		struct io *io = &w->ios[i];

		io->op = w->only;
		io->bytes = io->whole = w->block_bytes;
		io->buf = w->buffers + io->slot * w->stride;
		io->fd = s->fd;
		io->owner = w->stream;
	}
	return sources[s->pattern[w->only].kind]
		      [w->mixed ? PLAIN_MIX : w->only == JOB_WRITE];
}
