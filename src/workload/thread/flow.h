/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flow: jobs of one flow_id make I/Os in proportion to their weights (flow).
 *
 * A clone that is ahead of its weight waits until the other running clones have
 * caught up. Each clone writes its own count and reads the counts of the
 * others.
 */
#ifndef WORKLOAD_THREAD_FLOW_H
#define WORKLOAD_THREAD_FLOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct workload;
struct worker;

struct flow {
	struct worker **peer; /* itself as well; NULL: no flow */
	unsigned n_peers;
	/* shared: read by the peers */
	_Atomic uint64_t made;
	atomic_bool running;
};

/* Find the peers of every worker. */
void flow_plan(struct workload *w);
void flow_free(struct worker *k);

/* The clone begins to make I/Os, or stops. */
void flow_set_running(struct worker *w, bool running);

#endif
