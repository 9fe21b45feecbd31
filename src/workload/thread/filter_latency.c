/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latency filters: one limits the depth and judges it, one ends the job when
 * an I/O took longer than allowed.
 */
#include "workload/thread/filter.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "base/units.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"

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

/* --- the one that ends the job --- */

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
