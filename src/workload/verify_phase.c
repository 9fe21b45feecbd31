/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify phase: after the run, read back what was written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "workload/thread/clones.h"
#include "workload/thread/stages.h"
#include "workload/verify.h"
#include "workload/verify_state.h"

/* As many intervals of the file in one read as a buffer holds. */
static unsigned run_length(struct worker *w, struct verify_map *map,
			   uint64_t first, uint64_t end)
{
	uint64_t most = job_max_block(w->job) / map->bytes, n = 1;

	while (n < most && first + n < end &&
	       verify_map_next(map, first + n, first + n + 1,
			       w->verify->self) == first + n)
		n++;
	return (unsigned)n;
}

/* The next part of what was written; false when there is no more. */
static bool next_read(struct worker *w, struct io *io)
{
	struct verify *v = w->verify;

	for (; v->stream < w->n_streams; v->stream++, v->next = 0) {
		struct stream *s = &w->stream[v->stream];
		struct verify_map *map = s->target->verify;
		uint64_t begin = s->base / map->bytes;
		uint64_t end = (s->base + s->bytes) / map->bytes;
		uint64_t i = v->next > begin ? v->next : begin;
		unsigned n;

		i = verify_map_next(map, i, end, v->self);
		if (i >= end)
			continue;
		n = run_length(w, map, i, end);
		v->next = i + n;
		io->op = JOB_READ;
		io->owner = s;
		io->fd = s->fd;
		io->offset = i * map->bytes;
		io->bytes = io->whole = n * map->bytes;
		io->buf = w->buffers + io->slot * w->stride;
		return true;
	}
	return false;
}

static unsigned source_read_back(struct worker *w, unsigned room)
{
	unsigned n = 0;

	while (n < room && w->n_free) {
		struct io *io = w->free[w->n_free - 1];

		if (!next_read(w, io)) {
			w->exhausted = true;
			break;
		}
		w->n_free--;
		w->pending[w->n_pending++] = io;
		n++;
	}
	return n;
}

static bool shares(const struct clones *c, const struct target *t)
{
	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < c->worker[i]->n_streams; k++)
			if (c->worker[i]->stream[k].target == t)
				return true;
	return false;
}

void verify_abandon(struct worker *w)
{
	const struct workload *all = w->clones->all;

	for (size_t i = 0; i < all->n && w->verify_joined; i++)
		for (unsigned k = 0; k < w->n_streams; k++)
			if (shares(&all->clones[i], w->stream[k].target))
				stages_stop_job(&all->clones[i]);
	verify_leave(w);
}

static bool wait_for_writers(const struct worker *w)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (unsigned i = 0; i < w->n_streams; i++)
		while (atomic_load(&w->stream[i].target->verify->writers)) {
			if (worker_stopped(w))
				return false;
			nanosleep(&pause, NULL);
		}
	return true;
}

/* Cached pages would be checked instead of the disk. */
static void drop_cache(const struct worker *w)
{
	for (unsigned i = 0; i < w->n_streams && !w->job->direct; i++) {
		int fd = w->stream[i].fd;

		if (job_writes(w->job))
			(void)fdatasync(fd);
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
}

static void read_back(struct worker *w)
{
	struct verify *v = w->verify;

	worker_set_phase(w, PHASE_VERIFY);
	drop_cache(w);
	v->at_end = true;
	v->stream = 0;
	v->next = 0;
	/* These I/Os are in no figure: the ramp's are over. */
	w->count = &w->ramp;
	w->make = source_read_back;
	w->exhausted = w->ended = false;
	w->due_ns = 0;
	w->deadline_ns = w->pass_left = UINT64_MAX;
	worker_rounds(w);
	w->count = &w->run;
}

void verify_phase(struct worker *w)
{
	struct verify *v = w->verify;

	if (!v)
		return;
	verify_leave(w);
	if (wait_for_writers(w)) {
		verify_state_save(w);
		if ((w->job->do_verify && job_writes(w->job)) ||
		    w->job->verify_only)
			read_back(w);
	}
	if (v->bad > 1)
		worker_fail(w, "%s; %llu more are bad", v->first,
			    (unsigned long long)v->bad - 1);
	else if (v->bad)
		worker_fail(w, "%s", v->first);
}
