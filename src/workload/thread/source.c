/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source: chooses the next I/O of a job.
 */
#include "workload/thread/worker.h"

#include <string.h>

#include "base/attributes.h"
#include "workload/offset/offsets.h"
#include "workload/thread/cmdprio.h"
#include "workload/verify/verify.h"

/*
 * Each stamp lies one line further into its block than the one before: at the
 * same place in all of them they would fall into one set of the cache and
 * drive each other out, which costs eight times as much.
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
		io->prio = cmdprio_next(w->cmdprio, io->op, io->bytes);
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

unsigned source_any(struct worker *w, unsigned room)
{
	unsigned n = 0;

	while (n < room && w->n_free) {
		struct io *io = w->free[w->n_free - 1];

		if (!source_next(w, io)) {
			w->exhausted = true;
			break;
		}
		w->n_free--;
		w->pending[w->n_pending++] = io;
		n++;
	}
	return n;
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
