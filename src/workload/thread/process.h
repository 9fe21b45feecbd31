/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process: workers that are processes, other processes of a run, and workers
 * that do not answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "model/schema/schema_job.h"

struct clones;
struct event;
struct worker;
struct workload;

/*
 * Fork the process of the worker, if the worker is the host of one; the process
 * dies with this one. 0 or -errno with a sentence.
 */
int process_start(struct workload *w, struct worker *k) must_check;

/*
 * In the main thread: continue a paused process, and check for its death. A
 * worker whose process died early, as by a SIGKILL, has failed; the main thread
 * releases the barrier in its place.
 */
void process_check(struct worker *k);

/*
 * Wait for the end of the process; with kill_it, send SIGKILL and do not wait.
 */
void process_join(struct worker *k, bool kill_it);

/*
 * Usage: what getrusage(2) counts of who (RUSAGE_THREAD, RUSAGE_CHILDREN); and
 * add what came since an earlier reading (NULL: all), where less than 0 is 0.
 */
struct job_usage_raw process_usage(int who);
void process_usage_add(struct job_usage_raw *to,
		       const struct job_usage_raw *since,
		       const struct job_usage_raw *now);

/*
 * Hang: detects I/O without an answer, and stopped workers.
 *
 * The main thread reads the counters of each worker four times a second. When a
 * worker has I/O in flight and its counters do not change for HANG_NS, its I/O
 * hangs. No signal ends a thread in the kernel's uninterruptible sleep (state
 * D) before the kernel answers.
 */

#define HANG_NS 5000000000ull

struct hang {
	uint64_t progress, since_ns; /* the counters, and the time of their last
				      * change */
	uint64_t for_ns;             /* duration of the hang at the last check
				      */
	bool hangs, told;
	bool abandoned; /* its job ends without waiting for it */
	char state;     /* of the thread: 'D', 'T' when it is stopped */
};

/*
 * Check all workers; returns when to check again. A worker whose I/O hangs
 * beyond the end of its runtime fails its job and is abandoned: the run ends
 * without it.
 */
uint64_t process_hang_check(struct workload *w, uint64_t now_ns);

/*
 * Take an event: I/O of the job hangs, its worker is stopped, or the I/O was
 * answered; each once. false: there is none.
 */
bool process_hang_event(struct clones *c, struct event *e);

/* Whether a worker was abandoned and is still stuck. */
bool process_hang_abandoned(const struct workload *w);

/* Read the state of all workers that are not over, for process_hang_fail(). */
void process_hang_describe(struct workload *w);
/*
 * -ETIMEDOUT, with a sentence that says why a job does not end, and the given
 * words after it.
 */
int process_hang_fail(const struct workload *w, const char *words) must_check;

/*
 * The state of a thread as in /proc/PID/stat: 'R', 'S', 'D', 'T', ... tid 0:
 * the main thread of the process. 0: there is no such thread.
 */
char process_state(int pid, int tid);
