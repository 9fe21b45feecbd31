/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source: which I/O comes next, for every job that no faster source can do.
 */
#include <string.h>

#include "base/attributes.h"
#include "workload/places.h"
#include "workload/prio.h"
#include "workload/worker.h"

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
	places_next(w, io);
	io->buf = worker_buffer(w, io);
	if (unlikely(w->prios != NULL))
		io->prio = prio_next(w->prios, io->op, io->bytes);
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
