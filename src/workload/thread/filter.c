/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters: the table, and the connection of a worker's filters. */
#include "workload/thread/filter.h"

#include <stdio.h>

#include "workload/thread/worker.h"

const struct filter *const filters[FILTERS] = {
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
