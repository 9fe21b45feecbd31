/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process: workers that are processes, not threads.
 */
#ifndef WORKLOAD_THREAD_PROCESS_H
#define WORKLOAD_THREAD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"

struct worker;
struct workload;

/*
 * Fork the process of the worker, if the worker is the host of one; the process
 * dies with this one. 0 or -errno with a sentence.
 */
int process_start(struct workload *w, struct worker *k) must_check;

/*
 * In a child: close all descriptors from 3 on except the n in keep; negative
 * numbers in keep are ignored. Async-signal-safe, see signal-safety(7).
 */
void process_close_others(int *keep, size_t n);

/*
 * Fork a helper: fn runs in a process that keeps only the n descriptors, neither
 * terminal nor signals, and ends when fn returns. dies: it is killed when the
 * calling thread ends. The pid, or -errno with a sentence.
 */
pid_t process_helper(void (*fn)(void *arg), void *arg, int *keep, size_t n,
		     bool dies) must_check;

/*
 * Wait for a helper, at most HANG_NS: it may wait for a disk that does not
 * answer. works: it may have much to do, as to remove many files, so only time
 * counts in which it was on no processor. 0, or -ETIMEDOUT: it ends when the
 * disk answers.
 */
int process_wait(pid_t helper, bool works);

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

#endif
