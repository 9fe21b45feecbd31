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
 *   rate            an I/O begins when it arrives or after thinktime; the other
 *                   filters know no arrivals, so this one comes first
 *   flow            a clone that is ahead of its weight waits
 *   latency_target  limits the I/Os in flight to the depth under test
 *   max_latency     ends the job when an I/O took too long
 *   iolog           logs each completion, those of syncs included
 *   flush           numbers the syncs, for verify to know what they cover
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
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/random.h"
#include "model/schema/schema_job.h"

struct control;
struct job;
struct region;
struct worker;
struct workload;

/*
 * Move up to room I/Os from free to pending, complete except for the time of
 * submission; returns their number. Sets exhausted if there are no more, and
 * due_ns if the next I/O is due only then.
 */
typedef unsigned (*source_fn)(struct worker *w, unsigned room);
/* Count n I/Os of done[] and give them back to free. */
typedef void (*complete_fn)(struct worker *w, unsigned n);

enum filter_id {
	FILTER_RATE,
	FILTER_FLOW,
	FILTER_LATENCY_TARGET,
	FILTER_MAX_LATENCY,
	FILTER_IOLOG,
	FILTER_FLUSH,
	FILTER_SYNC,
	FILTER_VERIFY,
	FILTERS
};

struct filter {
	const char *name;
	/* Whether the worker's job needs it at present. */
	bool (*wanted)(const struct worker *w);
	/*
	 * Called after the worker's I/Os were made, if the filter is wanted; or
	 * NULL.
	 */
	void (*begin)(struct worker *w);
	source_fn make;       /* NULL: the next filter does it */
	complete_fn complete; /* NULL: the same */
};

/* The functions of the steps after one step. */
struct filter_link {
	source_fn make;
	complete_fn complete;
};

extern const struct filter rate_filter, flow_filter, latency_target_filter,
	max_latency_filter, iolog_filter, flush_filter, sync_filter, verify_filter;

/* All of them by enum filter_id. */
extern const struct filter *const filters[FILTERS];

/* Start the filters that the job needs, after the I/Os of w were made. */
void filter_begin(struct worker *w);

/*
 * Set what the loop calls (make, complete, burst, clock_after_make) and what
 * each filter calls, from the source and from the filters that are wanted now.
 */
void filter_connect(struct worker *w);

/* Sync: adds syncs after writes and at the end. */

/* The number of writes before the next sync of each kind; 0: never. */
struct sync_plan {
	bool begun;
	uint64_t fsync_left, fdatasync_left, range_left, barrier_left;
	unsigned due;          /* bits 1 << enum sync_kind, and SYNC_BARRIER */
	struct region *region; /* of the write after which the sync is due */
	bool barrier_wait;     /* a barrier sync is in flight */
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
	struct worker **peer; /* the peers, including itself; NULL: no flow */
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
 * (latency_target), by fio's method.
 *
 * A clone begins at depth 1. After each latency_window it doubles the depth, or
 * takes the middle of the largest good and the least bad depth, until these two
 * are neighbours; then it ends, or continues at the good depth (latency_run). A
 * depth is good when latency_percentile of the I/Os of its window were no
 * slower than the target.
 */

struct latency_target {
	unsigned depth;     /* the present depth; 0: no search */
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
 * Print the result, once all clones are over: the depth that they found, their
 * rate in the windows of that depth and the share of their I/Os within the
 * target; a line, nothing if no clone tried a depth.
 */
void filter_target_words(const struct clones *c, FILE *out);

/*
 * Rate: sets the time of the next I/O by rate, arrivals and thinktime.
 *
 * With a rate, I/Os arrive by a schedule that runs on from a fixed epoch and
 * does not depend on completions. An I/O that finds all slots busy waits, and
 * its response time counts from its arrival. So a stall of the device appears
 * in the response times of all I/Os that arrived meanwhile, not only in those
 * of the I/Os in flight.
 */

struct job;
struct worker;

/* An I/O submitted this much after its arrival is late. */
#define RATE_LATE_NS 100000

struct rate {
	bool rated, poisson, by_bytes;
	double gap_ns[JOB_DIRS];  /* per I/O or per byte; 0: no limit */
	uint64_t epoch_ns;        /* 0: begins with the first I/O */
	double next_ns[JOB_DIRS]; /* next arrival, since the epoch */
	struct random random;
	/* thinktime: I/Os and time until the next pause, its begin and end */
	bool thinks, think_due;
	uint64_t think_every;
	int64_t think_left;
	uint64_t think_at_ns, think_from_ns, think_until_ns;
};

/* Whether the job has a rate or pauses. */
bool rate_wanted(const struct job *job);

/* Put the rates of a job into what its workers share. */
void rate_set_up(struct control *c, const struct job *job);
/*
 * Take the rates from w->control, before the run and after each change; call
 * filter_connect() afterwards. The schedule begins again: waiting arrivals are
 * dropped.
 */
void rate_take(struct worker *w);

/*
 * The run is over, nothing is in flight. I/Os that had arrived and were not
 * submitted count in the response times with the time that they have waited,
 * which is the least possible response time. Without them a stall that lasts
 * until the end would not show (coordinated omission). A note reports their
 * number.
 */
void rate_end(struct worker *w);

/*
 * While nothing is in flight: sleep, then spin, until w->due_ns or the end of
 * the phase, for 20 ms at most; sets w->now_ns.
 */
void rate_wait(struct worker *w);

/*
 * The time in ns that reap() may wait if w->due_ns is set. 0: reap() must poll.
 */
uint64_t rate_timeout_ns(const struct worker *w);
