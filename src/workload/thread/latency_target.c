/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latency target: the filter that limits the depth and judges it.
 */
#include "workload/thread/latency_target.h"

#include <stdio.h>

#include "base/units.h"
#include "workload/thread/worker.h"

/* A clone at its depth makes no more I/Os until some are done. */
static unsigned make(struct worker *w, unsigned room)
{
	unsigned busy = w->in_flight + w->n_pending,
		 depth = w->latency_target.depth;

	if (busy >= depth)
		return 0;
	return filter_make(w, FILTER_LATENCY_TARGET,
			   room < depth - busy ? room : depth - busy);
}

static void tell(struct worker *w)
{
	const struct latency_target *s = &w->latency_target;
	char target[32];

	units_format_ns(target, sizeof(target),
			(double)w->job->latency_target_ns);
	if (s->good)
		worker_note(w,
			    "job %s: latency_target: iodepth %u keeps %.4g %% "
			    "of I/Os within %s",
			    w->job->name, s->good, w->job->latency_percentile,
			    target);
	else
		worker_note(w,
			    "job %s: latency_target: not even iodepth 1 keeps "
			    "%.4g %% of I/Os within %s",
			    w->job->name, w->job->latency_percentile, target);
}

/* The window is over: choose the next depth, or end. */
static void judge(struct worker *w)
{
	struct latency_target *s = &w->latency_target;
	double fast = (double)(s->ios - s->slow) / (double)s->ios * 100;

	if (fast >= w->job->latency_percentile)
		s->good = s->depth;
	else
		s->bad = s->depth;
	if (s->bad - s->good > 1 && s->good < w->depth) {
		unsigned twice = s->depth * 2;

		s->depth = s->bad <= w->depth ? (s->good + s->bad) / 2
			   : twice < w->depth ? twice
					      : w->depth;
		return;
	}
	s->found = true;
	s->depth = s->good ? s->good : 1;
	tell(w);
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
	judge(w);
	s->ios = s->slow = 0;
	s->until_ns = w->now_ns + w->job->latency_window_ns;
}

static bool wanted(const struct worker *w)
{
	return w->job->latency_target_ns != 0;
}

static void begin(struct worker *w)
{
	struct latency_target *s = &w->latency_target;

	/* When the I/Os are made anew the search goes on. */
	if (!s->depth)
		s->depth = 1;
	if (!s->bad || s->bad > w->depth)
		s->bad = w->depth + 1;
}

const struct filter latency_target_filter = {
	.name = "latency_target",
	.wanted = wanted,
	.begin = begin,
	.make = make,
	.complete = complete,
};
