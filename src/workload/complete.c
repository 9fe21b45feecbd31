/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Complete: count what came back from the engine.
 */
#include "base/attributes.h"
#include "workload/errors.h"

/* An I/O as it was before parts of it were done. */
static void make_whole(struct worker *w, struct io *io)
{
	io->bytes = io->whole;
	io->buf = worker_buffer(w, io);
	io->kept = false;
}

/* Failed, or moved in part: the rest is submitted again. */
void complete_odd(struct worker *w, struct io *io)
{
	if (io->result <= 0 || (size_t)io->result > io->bytes) {
		errors_io(w, io);
		make_whole(w, io);
		w->free[w->n_free++] = io;
		return;
	}
	counter_add(&w->count->op[io->op].short_ios, 1);
	io->kept = false;
	io->buf += io->result;
	io->offset += (uint64_t)io->result;
	io->bytes -= (size_t)io->result;
	w->pending[w->n_pending++] = io;
}

static void complete_some(struct worker *w, struct io **done, unsigned n)
{
	struct io **free = w->free + w->n_free;
	struct op_counters *ops = w->count->op;
	uint64_t now_ns = w->now_ns, bytes[JOB_OPS] = { 0 };

	for (unsigned i = 0; i < n; i++) {
		struct io *io = done[i];

		if (unlikely(io->result != (ssize_t)io->bytes &&
			     (io->op != JOB_SYNC || io->result))) {
			w->n_free = (unsigned)(free - w->free);
			complete_odd(w, io);
			free = w->free + w->n_free;
			continue;
		}
		if (unlikely(io->bytes != io->whole))
			make_whole(w, io);
		latency_add(&ops[io->op].service, now_ns - io->submit_ns, 1);
		bytes[io->op] += io->whole;
		*free++ = io;
	}
	w->n_free = (unsigned)(free - w->free);
	for (int op = 0; op < JOB_DIRS; op++)
		if (bytes[op])
			counter_add(&ops[op].bytes, bytes[op]);
}

void complete_plain(struct worker *w, unsigned n)
{
	complete_some(w, w->done, n);
}

void complete_uniform(struct worker *w, unsigned n)
{
	struct op_counters *count = &w->count->op[w->only];
	_Atomic uint64_t *bucket = count->service.bucket;
	const uint64_t now_ns = w->now_ns, block = w->block_bytes;
	struct io *const *done = w->done;
	struct io **to = w->free + w->n_free;
	uint64_t min_ns = UINT64_MAX, max_ns = 0;

	for (unsigned i = 0; i < n; i++) {
		struct io *io = done[i];
		uint64_t ns = now_ns - io->submit_ns;

		if (unlikely(io->result != (ssize_t)block)) {
			w->n_free += i;
			complete_some(w, w->done + i, n - i);
			n = i;
			goto out;
		}
		min_ns = ns < min_ns ? ns : min_ns;
		max_ns = ns > max_ns ? ns : max_ns;
		counter_add(&bucket[histogram_index(ns)], 1);
		*to++ = io;
	}
	w->n_free += n;
out:
	latency_span(&count->service, min_ns, max_ns);
	counter_add(&count->bytes, n * block);
}
