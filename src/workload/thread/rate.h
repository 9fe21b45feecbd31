/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rate: when the next I/O is made: rate, arrivals, thinktime.
 *
 * With a rate, I/Os arrive by a schedule that runs on from a fixed epoch and
 * does not depend on completions. An I/O that finds all slots busy waits, and
 * its response time counts from its arrival. So a stall of the device appears
 * in the response times of all I/Os that arrived meanwhile, not only in those
 * of the I/Os in flight.
 */
#ifndef WORKLOAD_THREAD_RATE_H
#define WORKLOAD_THREAD_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "model/schema/schema_job.h"

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

/*
 * Take the rates from w->control, before the run and when they changed;
 * filter_connect() must follow. The schedule begins anew: arrivals that wait
 * are forgotten.
 */
void rate_take(struct worker *w);

/*
 * The run is over, nothing is in flight. I/Os that had arrived by then and were
 * not submitted count in the response times with what they have waited, the
 * least that their response time can be. Without them a stall that lasts to
 * the end would not show (coordinated omission). A note says how many.
 */
void rate_end(struct worker *w);

/*
 * Nothing is in flight: sleep, then spin, until w->due_ns, the end of the
 * phase, or for a while; sets w->now_ns.
 */
void rate_wait(struct worker *w);

/* How long reap() may wait, w->due_ns being set. 0: it must poll. */
uint64_t rate_timeout_ns(const struct worker *w);

#endif
