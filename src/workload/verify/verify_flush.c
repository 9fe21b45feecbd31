/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify, flushes: each sync of the job has a number, so that the map knows
 * the writes that it covers; the witness counts its own.
 */
#include "workload/verify/verify.h"

#include <errno.h>
#include <stdio.h>

#include "workload/witness/witness.h"

static bool is_flush(const struct io *io)
{
	return io->op == JOB_SYNC && io->sync != SYNC_RANGE;
}

static unsigned make_flushes(struct worker *w, unsigned room)
{
	unsigned n = filter_make(w, FILTER_FLUSH, room);

	for (unsigned i = w->n_pending - n; i < w->n_pending; i++) {
		const struct io *io = w->pending[i];

		if (!is_flush(io))
			continue;
		w->verify->flush[io->slot] =
			verify_map_flush_begin(io->owner->target->verify);
		if (w->witness)
			w->verify->witnessed[io->slot] =
				witness_flush(w, io->owner->target->verify);
	}
	return n;
}

static void complete_flushes(struct worker *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct io *io = w->done[i];

		if (!is_flush(io))
			continue;
		verify_map_flush_done(io->owner->target->verify,
				      w->verify->flush[io->slot],
				      io->result == 0);
		if (w->witness)
			witness_flushed(w, io->owner->target->verify,
					w->verify->witnessed[io->slot],
					(int)-io->result);
	}
	filter_complete(w, FILTER_FLUSH, n);
}

static bool flushes_wanted(const struct worker *w)
{
	return w->verify && filter_sync_wanted(w->job);
}

const struct filter flush_filter = {
	.name = "flush",
	.wanted = flushes_wanted,
	.make = make_flushes,
	.complete = complete_flushes,
};

int verify_sync(struct worker *w, const struct region *s, int (*sync)(int fd))
{
	struct verify_map *map = w->verify ? s->target->verify : NULL;
	uint64_t number = map ? verify_map_flush_begin(map) : 0, seen = 0;
	int rc, error;

	if (map && w->witness)
		seen = witness_flush(w, map);
	rc = sync(s->fd);
	error = rc ? errno : 0;
	if (map)
		verify_map_flush_done(map, number, rc == 0);
	if (seen)
		witness_flushed(w, map, seen, error);
	errno = error;
	return rc;
}
