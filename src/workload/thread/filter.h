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

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct job;
struct region;
struct worker;
struct workload;

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

/* The functions of the steps after one step. */
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

/*
 * Sync: which writes are followed by a sync, and what is synced at the end.
 */

/* How many writes until the next sync of each kind; 0: never. */
struct sync_plan {
	bool begun;
	uint64_t fsync_left, fdatasync_left, range_left, barrier_left;
	unsigned due;          /* bits 1 << enum sync_kind, and SYNC_BARRIER */
	struct region *region; /* of the write that asked for it */
	bool barrier_wait;     /* one is under way */
};

/* Whether writes are followed by syncs. */
bool filter_sync_wanted(const struct job *job);

/* end_fsync, fsync_on_close: sync all files, counted as syncs of the run. */
void filter_sync_end(struct worker *w);

/*
 * Flow: jobs of one flow_id make I/Os in proportion to their weights (flow).
 *
 * A clone that is ahead of its weight waits until the other running clones have
 * caught up. Each clone writes its own count and reads the counts of the
 * others.
 */

struct flow {
	struct worker **peer; /* itself as well; NULL: no flow */
	unsigned n_peers;
	/* shared: read by the peers */
	_Atomic uint64_t made;
	atomic_bool running;
};

/* Find the peers of every worker. */
void filter_flow_plan(struct workload *w);
void filter_flow_free(struct worker *k);

/* The clone begins to make I/Os, or stops. */
void filter_flow_set_running(struct worker *w, bool running);

/*
 * Latency target: finds the largest depth that keeps latency below a target
 * (latency_target), as fio looks for it.
 *
 * A clone begins at depth 1. After each latency_window it doubles the depth,
 * or takes the middle of what was good and what was bad, until good and bad
 * are next to each other; then it ends, or goes on at that depth
 * (latency_run). A depth is good when latency_percentile of the I/Os of its
 * window were no slower than the target.
 */

struct latency_target {
	unsigned depth;     /* that is tried; 0: no search */
	unsigned good, bad; /* the largest good depth, the least bad one */
	bool found;
	uint64_t until_ns; /* of the window; 0: not begun */
	uint64_t ios, slow;
	/* of the window of the depth that is good, or of depth 1 */
	struct {
		uint64_t ns, ios, slow;
	} best;
};

struct clones;

/*
 * Once all clones are over: the depth that the clones found, their rate in the
 * windows of that depth and the share of their I/Os within the target, as a
 * line that ends in a newline, owned by the caller; NULL: no clone tried a
 * depth.
 */
char *filter_target_words(const struct clones *c);

#endif
