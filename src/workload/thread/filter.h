/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters: steps between a worker's loop and its I/O source.
 *
 * The loop asks for I/Os (make) and hands back those that are done (complete).
 * A filter stands between: it may hold I/Os back, add I/Os, or look at those
 * that completed, and calls the next filter through filter_make() and
 * filter_complete(). The last one is the source.
 *
 * The order is that of enum filter_id, from the loop to the source:
 *
 *   rate            an I/O begins when it arrives or after thinktime; nothing
 *                   behind it knows of arrivals, so it stands first
 *   flow            a clone that is ahead of its weight waits
 *   latency_target  no more I/Os in flight than the depth that is tried
 *   iolog           each completion is logged; it sees syncs, too
 *   sync            a sync follows every N writes that come from the source
 *   verify          claims blocks, fills writes, checks reads
 *   (source)        chooses the next I/O, counts completions
 *
 * A worker whose job needs no filter calls the source directly: its path has
 * none of this.
 *
 * To add a filter: write a struct filter, add its id here and its row to
 * filters[] in filter.c, at its place in the order.
 */
#ifndef WORKLOAD_THREAD_FILTER_H
#define WORKLOAD_THREAD_FILTER_H

#include <stdbool.h>

struct worker;

/*
 * Move up to room I/Os from free to pending, ready but for the time of their
 * submission; returns how many. Sets exhausted when there are no more, due_ns
 * when the next is not due before then.
 */
typedef unsigned (*source_fn)(struct worker *w, unsigned room);
/* Count n I/Os of done[] and give them back to free. */
typedef void (*complete_fn)(struct worker *w, unsigned n);

enum filter_id {
	FILTER_RATE,
	FILTER_FLOW,
	FILTER_LATENCY_TARGET,
	FILTER_IOLOG,
	FILTER_SYNC,
	FILTER_VERIFY,
	FILTERS
};

struct filter {
	const char *name;
	/* Whether the worker's job needs it at present. */
	bool (*wanted)(const struct worker *w);
	/* NULL, or: the worker's I/Os were made; called where it is wanted. */
	void (*begin)(struct worker *w);
	source_fn make;       /* NULL: it leaves that to the next */
	complete_fn complete; /* NULL: the same */
};

/* What one step calls: the functions of the steps after it. */
struct filter_link {
	source_fn make;
	complete_fn complete;
};

extern const struct filter rate_filter, flow_filter, latency_target_filter,
	iolog_filter, sync_filter, verify_filter;

/* The I/Os of w were made anew: start the filters that its job needs. */
void filter_begin(struct worker *w);

/*
 * Set what the loop calls (make, complete, burst, clock_after_make) and what
 * each filter calls, from the source and from the filters that are wanted now.
 */
void filter_connect(struct worker *w);

#endif
