/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker loop: the path of every I/O.
 *
 * Fill free I/Os from the pattern, stamp the batch with one clock reading,
 * submit; reap, stamp the batch with another, count. At depth 1 the stamp of
 * a completion is that of the next submission: only the choice of the next
 * block, some tens of ns, lies between them. Latency is completion minus
 * submission, the time within submit() included.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "workload/worker.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/*
 * Make each 4 KiB of a write unlike any other, so that nothing between here
 * and the medium can drop it: where it belongs and which write it is.
 */
static inline void stamp(struct worker *w, const struct io *io)
{
	char *p = io->buf;

	for (unsigned i = 0; i < w->n_stamps; i++, p += 4096) {
		const uint64_t mark[2] = { io->offset + i * 4096ull,
					   w->serial };

		memcpy(p, mark, sizeof(mark));
	}
	w->serial++;
}

/* Count down to the next fsync or fdatasync. */
static inline void after_write(struct worker *w, struct stream *s)
{
	if (w->fsync_left && --w->fsync_left == 0) {
		w->fsync_left = w->job->fsync_every;
		w->sync_stream = s;
		w->sync_data_only = false;
	}
	if (w->fdatasync_left && --w->fdatasync_left == 0) {
		w->fdatasync_left = w->job->fdatasync_every;
		w->sync_data_only = !w->sync_stream;
		w->sync_stream = s;
	}
}

static void make_sync(struct worker *w, struct io *io)
{
	io->op = JOB_SYNC;
	io->data_only = w->sync_data_only;
	io->owner = w->sync_stream;
	io->fd = w->sync_stream->fd;
	io->bytes = 0;
	io->offset = 0;
	w->sync_stream = NULL;
}

/* The next I/O; false when the limit is reached. */
static inline bool next_io(struct worker *w, struct io *io)
{
	struct stream *s;

	if (unlikely(w->sync_stream != NULL)) {
		make_sync(w, io);
		return true;
	}
	if (unlikely(w->left == 0))
		return false;
	w->left--;
	w->pass_left--;
	s = &w->stream[w->turn];
	if (++w->turn == w->n_streams)
		w->turn = 0;
	io->op = w->only;
	if (w->mixed)
		io->op = random_next(&w->random) < w->read_below ? JOB_READ
								 : JOB_WRITE;
	io->offset = s->base + s->by_op[io->op]->next(s->by_op[io->op]) *
				       w->job->bs[0].max;
	io->bytes = w->job->bs[0].max;
	io->buf = w->buffers + io->slot * w->stride;
	io->fd = s->fd;
	io->owner = s;
	if (io->op == JOB_WRITE) {
		stamp(w, io);
		after_write(w, s);
	}
	return true;
}

/*
 * Submit what is free, a batch at a time. What the kernel does not take yet
 * stays pending, with the time of its first attempt.
 */
static void fill_and_submit(struct worker *w)
{
	unsigned old, n;

	do {
		old = w->n_pending;
		while (w->n_pending < w->batch && w->n_free &&
		       next_io(w, w->free[w->n_free - 1]))
			w->pending[w->n_pending++] = w->free[--w->n_free];
		if (!w->n_pending)
			return;
		if (w->depth > 1)
			w->now_ns = clock_mono_ns();
		for (unsigned i = old; i < w->n_pending; i++)
			w->pending[i]->submit_ns = w->now_ns;
		n = w->engine->submit(w->state, w->pending, w->n_pending);
		w->in_flight += n;
		w->n_pending -= n;
		if (unlikely(w->n_pending)) {
			memmove(w->pending, w->pending + n,
				w->n_pending * sizeof(struct io *));
			return;
		}
	} while (w->n_free);
}

static void io_failed(struct worker *w, const struct io *io)
{
	static const char *const what[] = { "read", "write", "sync" };
	const struct stream *s = io->owner;
	const char *why =
		io->result ? strerror((int)-io->result) : "the file ends there";

	counter_add(&w->counters.errors, 1);
	worker_fail(w,
		    "job %s: %s of %zu bytes at offset %llu of %s failed: "
		    "%s%s",
		    w->job->name, what[io->op], io->bytes,
		    (unsigned long long)io->offset, s->target->path, why,
		    io->result == -ENOSPC ? "; free some space or reduce size"
		    : io->result == -EINVAL && w->job->direct
			    ? "; direct I/O may need a larger block here"
			    : "");
}

/* Failed, or moved in part: the rest is submitted again. */
static void complete_odd(struct worker *w, struct io *io)
{
	if (io->result <= 0 || (size_t)io->result > io->bytes) {
		io_failed(w, io);
		w->free[w->n_free++] = io;
		return;
	}
	io->buf += io->result;
	io->offset += (uint64_t)io->result;
	io->bytes -= (size_t)io->result;
	w->pending[w->n_pending++] = io;
}

static inline void complete(struct worker *w, struct io *io)
{
	if (unlikely(io->result != (ssize_t)io->bytes)) {
		complete_odd(w, io);
		return;
	}
	counters_latency(&w->counters.op[io->op], w->now_ns - io->submit_ns);
	w->moved += io->op != JOB_SYNC;
	w->free[w->n_free++] = io;
}

static void begin_run(struct worker *w)
{
	w->left = w->limit_blocks;
	w->moved = 0;
	w->deadline_ns = w->job->runtime_ns ? w->now_ns + w->job->runtime_ns
					    : UINT64_MAX;
	counter_set(&w->run_start_ns, w->now_ns);
	worker_set_phase(w, PHASE_RUN);
}

static void next_phase(struct worker *w)
{
	if (atomic_load_explicit(&w->phase, memory_order_relaxed) ==
	    PHASE_RAMP) {
		begin_run(w);
		return;
	}
	w->ended = true;
	w->deadline_ns = UINT64_MAX;
}

static void begin(struct worker *w)
{
	w->now_ns = clock_mono_ns();
	if (!w->job->ramp_ns) {
		begin_run(w);
		return;
	}
	w->left = UINT64_MAX;
	w->deadline_ns = w->now_ns + w->job->ramp_ns;
	worker_set_phase(w, PHASE_RAMP);
}

static inline void publish(struct worker *w)
{
	atomic_store_explicit(&w->counters.in_flight, w->in_flight,
			      memory_order_relaxed);
}

/* Take what is done, at least batch_complete; false when that cannot be. */
static bool reap(struct worker *w)
{
	unsigned min = w->batch_complete < w->in_flight ? w->batch_complete
							: w->in_flight;
	int n = w->engine->reap(w->state, w->done, min, w->in_flight);

	w->now_ns = clock_mono_ns();
	if (unlikely(n < 0)) {
		counter_add(&w->counters.errors, 1);
		worker_fail(w, "job %s: waiting for I/O failed: %s",
			    w->job->name, strerror(-n));
		return false;
	}
	w->in_flight -= (unsigned)n;
	for (int i = 0; i < n; i++)
		complete(w, w->done[i]);
	counter_set(&w->counters.moved_blocks,
		    counter_get(&w->run_start_ns) ? w->moved : 0);
	return true;
}

/* The kernel takes no I/O though none of ours is in flight: wait a little. */
static void nap(struct worker *w)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	nanosleep(&pause, NULL);
	w->now_ns = clock_mono_ns();
}

/* A pass is over: what it read must not serve the next from the cache. */
static void next_pass(struct worker *w)
{
	w->pass_left = w->pass_blocks;
	if (w->job->direct)
		return;
	worker_cool(w);
	w->now_ns = clock_mono_ns();
}

void worker_loop(struct worker *w)
{
	begin(w);
	for (;;) {
		bool stop = w->ended || worker_stopped(w);

		if (unlikely(w->pass_left > w->pass_blocks ||
			     w->pass_left == 0))
			next_pass(w);
		if (likely(!stop))
			fill_and_submit(w);
		publish(w);
		if (unlikely(!w->in_flight)) {
			if (stop || !w->n_pending)
				break;
			nap(w);
		} else if (!reap(w)) {
			break;
		}
		if (unlikely(w->now_ns >= w->deadline_ns))
			next_phase(w);
	}
	w->in_flight = 0;
	publish(w);
}
