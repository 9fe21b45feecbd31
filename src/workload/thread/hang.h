/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hang: I/O without an answer, and workers that are stopped.
 *
 * The main thread looks at the counters of each worker four times a second. A worker
 * that has I/O in flight and whose counters stand still for HANG_NS has hung
 * I/O. A thread in the kernel's uninterruptible sleep (state D) cannot be ended
 * by any signal until the kernel answers.
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
	uint64_t progress, since_ns; /* the counters, and since when */
	uint64_t for_ns;             /* how long it hung, at the last look */
	bool hangs, told;
	bool abandoned; /* its job ends without it */
	char state;     /* of the thread: 'D', 'T' when it is stopped */
};

/*
 * Look at all workers; returns when to look again. A worker whose I/O hangs
 * beyond the end of its runtime fails its job and is abandoned: the run ends
 * with what it has.
 */
uint64_t hang_check(struct workload *w, uint64_t now_ns);

/*
 * A note that I/O of the job hangs, that its worker is stopped, or that the I/O
 * was answered; each once. false: nothing new.
 */
bool hang_event(struct clones *c, struct event *e);

/* Whether a worker was abandoned and is still stuck. */
bool hang_abandoned(const struct workload *w);

/* Read the state of all workers that are not over, for hang_fail(). */
void hang_describe(struct workload *w);
/* -ETIMEDOUT, with the sentence why a job does not end, and words behind it. */
int hang_fail(const struct workload *w, const char *words) must_check;

/*
 * The state of a process's thread as the kernel has it: 'R', 'S', 'D', 'T', ...
 * tid 0: its main thread. 0: there is none.
 */
char hang_state(int pid, int tid);

#endif
