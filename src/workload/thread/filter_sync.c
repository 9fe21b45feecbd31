/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sync: the filter that counts writes and adds syncs after them.
 *
 * fio's meaning: every N writes issued, of all files together, one sync of the
 * file that was written last.
 */
#include "workload/thread/filter.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "workload/thread/worker.h"
#include "workload/verify/verify.h"

/* A further sync kind: fdatasync while no other I/O is in flight. */
#define SYNC_BARRIER 7

bool filter_sync_wanted(const struct job *job)
{
	return job->fsync_every || job->fdatasync_every || job->range_every ||
	       job->write_barrier;
}

/* Count a write; true: the sync is due. */
static bool count_down(uint64_t *left, uint64_t every)
{
	if (!*left || --*left)
		return false;
	*left = every;
	return true;
}

/*
 * Extend the range for sync_file_range, which covers the writes since the last
 * one, as in fio.
 */
static void note_range(const struct io *io)
{
	struct region *s = io->owner;

	if (s->dirty_from == s->dirty_to) {
		s->dirty_from = io->offset;
		s->dirty_to = io->offset + io->bytes;
		return;
	}
	if (io->offset < s->dirty_from)
		s->dirty_from = io->offset;
	if (io->offset + io->bytes > s->dirty_to)
		s->dirty_to = io->offset + io->bytes;
}

static void count_write(struct worker *w, const struct io *io)
{
	const struct job *job = w->job;
	struct sync_plan *p = &w->sync;

	if (job->range_every)
		note_range(io);
	if (count_down(&p->fdatasync_left, job->fdatasync_every))
		p->due |= 1u << SYNC_DATA;
	/* A full sync covers the data as well. */
	if (count_down(&p->fsync_left, job->fsync_every))
		p->due = (p->due | 1u << SYNC_ALL) & ~(1u << SYNC_DATA);
	if (count_down(&p->range_left, job->range_every))
		p->due |= 1u << SYNC_RANGE;
	if (count_down(&p->barrier_left, job->write_barrier))
		p->due |= 1u << SYNC_BARRIER;
	if (p->due)
		p->region = io->owner;
}

/* Move one I/O from free to pending, as a sync of that kind. */
static void make_sync(struct worker *w, unsigned kind)
{
	struct io *io = w->free[--w->n_free];
	struct region *s = w->sync.region;

	io->op = JOB_SYNC;
	io->prio = 0;
	io->sync = kind == SYNC_BARRIER ? SYNC_DATA : (uint8_t)kind;
	io->owner = s;
	io->fd = s->fd;
	io->offset = 0;
	io->bytes = io->whole = 0;
	if (kind == SYNC_RANGE) {
		io->offset = s->dirty_from;
		io->bytes = io->whole = s->dirty_to - s->dirty_from;
		s->dirty_from = s->dirty_to = 0;
	}
	w->pending[w->n_pending++] = io;
}

/*
 * Make the sync that is due. false: a barrier must wait until all I/Os before
 * it are done.
 */
static bool make_due(struct worker *w)
{
	struct sync_plan *p = &w->sync;
	unsigned kind = (unsigned)__builtin_ctz(p->due);

	if (kind == SYNC_BARRIER) {
		if (w->in_flight || w->n_pending)
			return false;
		p->barrier_wait = true;
	}
	p->due &= p->due - 1;
	make_sync(w, kind);
	return true;
}

/* The number of I/Os that may be made before the next sync. */
static unsigned until_next(const struct sync_plan *p, unsigned room)
{
	const uint64_t left[] = { p->fsync_left, p->fdatasync_left,
				  p->range_left, p->barrier_left };

	for (unsigned i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		if (left[i] && left[i] < room)
			room = (unsigned)left[i];
	return room;
}

static unsigned sync_make(struct worker *w, unsigned room)
{
	struct sync_plan *p = &w->sync;
	unsigned made = 0, n;

	if (p->barrier_wait) {
		if (w->in_flight || w->n_pending)
			return 0;
		p->barrier_wait = false;
	}
	while (made < room && (w->n_free || w->held) && !p->barrier_wait) {
		if (p->due) {
			if (!w->n_free || !make_due(w))
				break;
			made++;
			continue;
		}
		n = filter_make(w, FILTER_SYNC, until_next(p, room - made));
		if (!n)
			break;
		for (unsigned i = w->n_pending - n; i < w->n_pending; i++)
			if (w->pending[i]->op == JOB_WRITE)
				count_write(w, w->pending[i]);
		made += n;
	}
	/* The syncs of the last write are still to come. */
	if (p->due)
		w->exhausted = false;
	return made;
}

static bool sync_filter_wanted(const struct worker *w)
{
	return filter_sync_wanted(w->job);
}

/* The count continues when the I/Os are made anew. */
static void sync_begin(struct worker *w)
{
	const struct job *job = w->job;

	if (w->sync.begun)
		return;
	w->sync.fsync_left = job->fsync_every;
	w->sync.fdatasync_left = job->fdatasync_every;
	w->sync.range_left = job->range_every;
	w->sync.barrier_left = job->write_barrier;
	w->sync.begun = true;
}

const struct filter sync_filter = {
	.name = "sync",
	.wanted = sync_filter_wanted,
	.begin = sync_begin,
	.make = sync_make,
};

void filter_sync_end(struct worker *w)
{
	if (!job_writes(w->job) ||
	    (!w->job->end_fsync && !w->job->end_syncfs &&
	     !w->job->fsync_on_close))
		return;
	for (unsigned i = 0; i < w->n_regions; i++) {
		uint64_t begin_ns = clock_mono_ns();

		if (w->region[i].fd < 0)
			continue;
		if (verify_sync(w, &w->region[i],
				w->job->end_syncfs ? syncfs : fsync)) {
			counter_error(w->count, errno);
			worker_fail(w, "job %s: sync of %s failed: %s",
				    w->job->name, w->region[i].target->path,
				    strerror(errno));
			return;
		}
		latency_add(&w->count->op[JOB_SYNC].service,
			    clock_mono_ns() - begin_ns, 1);
	}
	/*
	 * As in fio, the final sync belongs to the run: data in a cache are not
	 * written yet.
	 */
	counter_set(&w->run_end_at_ns, clock_mono_ns());
}
