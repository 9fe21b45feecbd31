/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flow: the filter that throttles a clone that is ahead of its weight. */
#include "workload/thread/filter.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"

/*
 * The least time that a clone ahead of its weight waits before it checks again.
 */
#define PAUSE_NS 10000

static void add_peers(struct workload *w, struct worker *k)
{
	struct flow *s = &k->flow;
	size_t cap = 0;

	for (size_t i = 0; i < w->n_workers; i++)
		if (w->worker[i]->job->flow &&
		    w->worker[i]->job->flow_id == k->job->flow_id)
			*xadd(s->peer, s->n_peers, cap) = w->worker[i];
}

void filter_flow_plan(struct workload *w)
{
	for (size_t i = 0; i < w->n_workers; i++)
		if (w->worker[i]->job->flow)
			add_peers(w, w->worker[i]);
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
