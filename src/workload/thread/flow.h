/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Share: jobs of one flow_id make I/Os in proportion to their weights (flow).
 *
 * A clone that is ahead of its share waits until the others, of those that are
 * running, have caught up. Each writes its own count and reads those of the
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
	/* What make was before share.c came between. */
	unsigned (*make)(struct worker *w, unsigned room);
	/* shared: read by the peers */
	_Atomic uint64_t made;
	atomic_bool running;
};

/* Find the peers of every worker. */
void flow_plan(struct workload *w);
void flow_free(struct worker *k);

/* Come between the loop and the source, if the job asks for it. */
void flow_choose(struct worker *w);

/* It begins to make I/Os, or makes no more. */
void flow_set_running(struct worker *w, bool running);

#endif
