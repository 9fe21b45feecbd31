/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain source: one file, one block size, nothing but places to choose.
 */
#include "workload/plain_inline.h"

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

/* n at most; fewer when a pass of the pattern ends before. */
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

static always_inline unsigned make(struct worker *w, unsigned room, int kind,
				   enum plain_what what)
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
		return make(w, room, kind, what);                    \
	}
PLAIN_SHAPES(MAKE)

#define ROW(name, kind, what) [kind][what] = make_##name,
static const source_fn sources[][PLAIN_WHATS] = { PLAIN_SHAPES(ROW) };

/* One block size in this direction, each block at a multiple of it. */
static bool plain_blocks(const struct job *job, unsigned op)
{
	const struct job_bs *bs = &job->bs[op];

	return op != JOB_TRIM && bs->min == bs->max && !bs->split &&
	       (!job->ba[op] || job->ba[op] == bs->min);
}

/* Nothing but writes with ever new stamps, or the same bytes each time. */
static bool plain_data(const struct job *job)
{
	return !job_writes(job) ||
	       (job->verify == VERIFY_NONE && !job->refill_buffers &&
		!job->buffer_pattern && !job->compress_pct &&
		!job->fsync_every && !job->fdatasync_every &&
		!job->write_barrier && !job->range_every);
}

static bool is_plain(const struct worker *w)
{
	const struct job *job = w->job;
	unsigned kind = w->stream->pattern[w->only].kind;

	return w->n_streams == 1 && !w->prios && kind <= PATTERN_RANDOM_REPEAT &&
	       plain_blocks(job, w->only) &&
	       (!w->mixed ||
		(plain_blocks(job, w->other) &&
		 job->bs[w->other].max == job->bs[w->only].max &&
		 w->stream->pattern[w->other].kind == kind &&
		 (kind == PATTERN_SEQUENTIAL ||
		  w->stream->by_op[w->only] == w->stream->by_op[w->other]))) &&
	       !job->bs_unaligned && !job->bs_is_seq_rand &&
	       job->verify == VERIFY_NONE && plain_data(job) &&
	       w->limit_bytes == UINT64_MAX;
}

source_fn source_plain(struct worker *w)
{
	const struct stream *s = w->stream;
	unsigned kind = s->pattern[w->only].kind;
	enum plain_what what = PLAIN_SAME;

	w->burst = NULL;
	w->uniform = false;
	if (!is_plain(w))
		return NULL;
	w->block_bytes = w->job->bs[w->only].max;
	w->uniform = !w->mixed;
	if (w->mixed)
		what = PLAIN_MIX;
	else if (w->only == JOB_WRITE && w->stamped)
		what = PLAIN_STAMP;
	/* What is alike in all of them is set once. */
	for (unsigned i = 0; i < w->depth; i++) {
		struct io *io = &w->ios[i];

		io->op = w->only;
		io->bytes = io->whole = w->block_bytes;
		io->buf = worker_buffer(w, io);
		io->fd = s->fd;
		io->owner = w->stream;
		io->alike = w->uniform;
	}
	if (w->engine->now && w->depth == 1)
		w->burst = worker_bursts[kind][what];
	return sources[kind][what];
}
