/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters: the table, and the connection of a worker's filters. */
#include "workload/thread/filter.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/units.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"
#include "workload/verify/verify.h"

static const struct filter *const filters[FILTERS] = {
	[FILTER_RATE] = &rate_filter,
	[FILTER_FLOW] = &flow_filter,
	[FILTER_LATENCY_TARGET] = &latency_target_filter,
	[FILTER_MAX_LATENCY] = &max_latency_filter,
	[FILTER_IOLOG] = &iolog_filter,
	[FILTER_FLUSH] = &flush_filter,
	[FILTER_SYNC] = &sync_filter,
	[FILTER_VERIFY] = &verify_filter,
};

void filter_begin(struct worker *w)
{
	for (int i = FILTERS - 1; i >= 0; i--)
		if (filters[i]->begin && filters[i]->wanted(w))
			filters[i]->begin(w);
}

void filter_connect(struct worker *w)
{
	struct filter_link link = w->source;
	bool any = false;

	for (int i = FILTERS - 1; i >= 0; i--) {
		const struct filter *f = filters[i];

		w->next[i] = link;
		if (!f->wanted(w))
			continue;
		any = true;
		if (f->make)
			link.make = f->make;
		if (f->complete)
			link.complete = f->complete;
	}
	w->make = link.make;
	w->complete = link.complete;
	w->burst = any ? NULL : w->source_burst;
	w->clock_after_make = any || !w->plain || w->depth > 1;
}

/*
 * Sync: the filter that counts writes and adds syncs after them.
 *
 * fio's meaning: every N writes issued, of all files together, one sync of the
 * file that was written last.
 */

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

/* Flow: the filter that throttles a clone that is ahead of its weight. */

/*
 * The least time that a clone ahead of its weight waits before it checks again.
 */
#define PAUSE_NS 10000

static void add_peers(struct workload *w, struct worker *k)
{
	struct flow *s = &k->flow;
	size_t cap = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct clones *c = &w->clones[i];

		if (!c->job->flow || c->job->flow_id != k->job->flow_id)
			continue;
		for (unsigned j = 0; j < c->n; j++) {
			*xadd(s->peer, s->n_peers, cap) = c->worker[j];
		}
	}
}

void filter_flow_plan(struct workload *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (unsigned j = 0; j < w->clones[i].n; j++)
			if (w->clones[i].job->flow)
				add_peers(w, w->clones[i].worker[j]);
}

void filter_flow_free(struct worker *k)
{
	free(k->flow.peer);
}

/* As in fio: whether its share of the I/Os exceeds its share of the weights. */
static bool ahead(const struct worker *w)
{
	const struct flow *s = &w->flow;
	uint64_t made = counter_get(&s->made), all = 0, weights = 0;

	for (unsigned i = 0; i < s->n_peers; i++) {
		const struct worker *k = s->peer[i];

		if (!atomic_load_explicit(&k->flow.running,
					  memory_order_relaxed))
			continue;
		all += counter_get(&k->flow.made);
		weights += k->job->flow;
	}
	return (unsigned __int128)made * weights >
	       (unsigned __int128)all * w->job->flow;
}

static unsigned flow_make(struct worker *w, unsigned room)
{
	uint64_t pause_ns = w->job->flow_sleep_ns;
	unsigned n = 0;

	w->due_ns = 0;
	while (n < room) {
		if (ahead(w)) {
			w->now_ns = stopwatch_ns(&w->watch);
			w->due_ns =
				w->now_ns + (pause_ns ? pause_ns : PAUSE_NS);
			break;
		}
		if (!filter_make(w, FILTER_FLOW, 1))
			break;
		counter_add(&w->flow.made, 1);
		n++;
	}
	return n;
}

static bool flow_wanted(const struct worker *w)
{
	return w->flow.peer != NULL;
}

const struct filter flow_filter = {
	.name = "flow",
	.wanted = flow_wanted,
	.make = flow_make,
};

void filter_flow_set_running(struct worker *w, bool running)
{
	atomic_store_explicit(&w->flow.running, running, memory_order_relaxed);
}

/* Latency target: the filter that limits the depth and judges it. */

/* A clone at its depth makes no more I/Os until some are done. */
static unsigned target_make(struct worker *w, unsigned room)
{
	unsigned busy = w->in_flight + w->n_pending,
		 depth = w->latency_target.depth;

	if (busy >= depth)
		return 0;
	return filter_make(w, FILTER_LATENCY_TARGET,
			   room < depth - busy ? room : depth - busy);
}

static void filter_tell(struct worker *w)
{
	const struct latency_target *s = &w->latency_target;
	const struct text_short target =
		units_ns((double)w->job->latency_target_ns);

	if (s->good)
		worker_note(w,
			    "job %s: latency_target: iodepth %u keeps %.4g %% "
			    "of I/Os within %s",
			    w->job->name, s->good, w->job->latency_percentile,
			    target.text);
	else
		worker_note(w,
			    "job %s: latency_target: not even iodepth 1 keeps "
			    "%.4g %% of I/Os within %s",
			    w->job->name, w->job->latency_percentile,
			    target.text);
}

/* The window is over: choose the next depth, or end. */
static void filter_judge(struct worker *w)
{
	struct latency_target *s = &w->latency_target;
	double fast = (double)(s->ios - s->slow) / (double)s->ios * 100;

	if (fast >= w->job->latency_percentile)
		s->good = s->depth;
	else
		s->bad = s->depth;
	if (s->good == s->depth || s->depth == 1) {
		s->best.ns = w->now_ns - s->until_ns +
			     w->job->latency_window_ns;
		s->best.ios = s->ios;
		s->best.slow = s->slow;
	}
	if (s->bad - s->good > 1 && s->good < w->depth) {
		unsigned twice = s->depth * 2;

		s->depth = s->bad <= w->depth ? (s->good + s->bad) / 2
			   : twice < w->depth ? twice
					      : w->depth;
		return;
	}
	s->found = true;
	s->depth = s->good ? s->good : 1;
	filter_tell(w);
	if (!w->job->latency_run)
		w->left_ios = 0;
}

/* Only windows with I/Os count. */
static void complete(struct worker *w, unsigned n)
{
	struct latency_target *s = &w->latency_target;

	for (unsigned i = 0; i < n && w->count == &w->run; i++) {
		const struct io *io = w->done[i];

		if (io->op >= JOB_DIRS)
			continue;
		s->ios++;
		s->slow +=
			w->now_ns - io->submit_ns > w->job->latency_target_ns;
	}
	filter_complete(w, FILTER_LATENCY_TARGET, n);
	if (s->found || w->count != &w->run)
		return;
	if (!s->until_ns)
		s->until_ns = w->now_ns + w->job->latency_window_ns;
	if (w->now_ns < s->until_ns || !s->ios)
		return;
	filter_judge(w);
	s->ios = s->slow = 0;
	s->until_ns = w->now_ns + w->job->latency_window_ns;
}

static bool target_wanted(const struct worker *w)
{
	return w->job->latency_target_ns != 0;
}

static void target_begin(struct worker *w)
{
	struct latency_target *s = &w->latency_target;

	/* When the I/Os are made anew the search goes on. */
	if (!s->depth)
		s->depth = 1;
	if (!s->bad || s->bad > w->depth)
		s->bad = w->depth + 1;
}

/* "4", or "3 to 5" of clones that found different depths. */
static const char *depth_words(unsigned least, unsigned most, char *buf,
			       size_t size)
{
	if (least == most)
		snprintf(buf, size, "%u", most);
	else
		snprintf(buf, size, "%u to %u", least, most);
	return buf;
}

void filter_target_words(const struct clones *c, FILE *out)
{
	unsigned least = UINT_MAX, most = 0, tried = 0, n_found = 0;
	double iops = 0, ios = 0, slow = 0;
	char depth[32];

	for (unsigned i = 0; i < c->n; i++) {
		const struct latency_target *s = &c->worker[i]->latency_target;

		if (!s->best.ns)
			continue;
		tried++;
		n_found += s->found;
		least = s->good < least ? s->good : least;
		most = s->good > most ? s->good : most;
		iops += (double)s->best.ios * 1e9 / (double)s->best.ns;
		ios += (double)s->best.ios;
		slow += (double)s->best.slow;
	}
	if (!tried)
		return;
	fprintf(out,
		"latency_target %s: iodepth %s%s, %s IOPS, %.4g %% of I/Os "
		"within it%s\n",
		units_ns((double)c->job->latency_target_ns).text,
		depth_words(most ? least : 1, most ? most : 1, depth,
			    sizeof(depth)),
		most ? "" : " is too slow", units_count(iops).text,
		100 * (ios - slow) / ios,
		n_found == c->n ? "" : "; the search did not end");
}

const struct filter latency_target_filter = {
	.name = "latency_target",
	.wanted = target_wanted,
	.begin = target_begin,
	.make = target_make,
	.complete = complete,
};

/* Maximum latency: the filter that ends the job when an I/O took longer. */

static void filter_too_slow(struct worker *w, const struct io *io)
{
	counter_error(w->count, ETIMEDOUT);
	worker_fail(w,
		    "job %s: %s of %zu bytes at offset %llu of %s took %s, "
		    "more than max_latency=%s",
		    w->job->name, job_ops[io->op].words, io->whole,
		    (unsigned long long)io->offset, io->owner->target->path,
		    units_ns((double)(w->now_ns - io->submit_ns)).text,
		    units_ns((double)w->job->latency_max_ns[io->op]).text);
}

static void filter_max_latency_complete(struct worker *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct io *io = w->done[i];
		uint64_t most_ns = io->op < JOB_DIRS
					   ? w->job->latency_max_ns[io->op]
					   : 0;

		if (unlikely(most_ns && w->now_ns - io->submit_ns > most_ns))
			filter_too_slow(w, io);
	}
	filter_complete(w, FILTER_MAX_LATENCY, n);
}

static bool filter_max_latency_wanted(const struct worker *w)
{
	for (unsigned op = 0; op < JOB_DIRS; op++)
		if (w->job->latency_max_ns[op])
			return true;
	return false;
}

const struct filter max_latency_filter = {
	.name = "max_latency",
	.wanted = filter_max_latency_wanted,
	.complete = filter_max_latency_complete,
};
