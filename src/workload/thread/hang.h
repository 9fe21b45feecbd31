/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hang: detects I/O without an answer, and stopped workers.
 *
 * The main thread reads the counters of each worker four times a second. When a
 * worker has I/O in flight and its counters do not change for HANG_NS, its I/O
 * hangs. No signal ends a thread in the kernel's uninterruptible sleep (state
 * D) before the kernel answers.
 */
#ifndef WORKLOAD_THREAD_HANG_H
#define WORKLOAD_THREAD_HANG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

#define HANG_NS 5000000000ull

struct clones;
struct event;
struct workload;

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
uint64_t hang_check(struct workload *w, uint64_t now_ns);

/*
 * Take an event: I/O of the job hangs, its worker is stopped, or the I/O was
 * answered; each once. false: there is none.
 */
bool hang_event(struct clones *c, struct event *e);

/* Whether a worker was abandoned and is still stuck. */
bool hang_abandoned(const struct workload *w);

/* Read the state of all workers that are not over, for hang_fail(). */
void hang_describe(struct workload *w);
/*
 * -ETIMEDOUT, with a sentence that says why a job does not end, and the given
 * words after it.
 */
int hang_fail(const struct workload *w, const char *words) must_check;

/*
 * The state of a thread as in /proc/PID/stat: 'R', 'S', 'D', 'T', ... tid 0:
 * the main thread of the process. 0: there is no such thread.
 */
char hang_state(int pid, int tid);

#endif
