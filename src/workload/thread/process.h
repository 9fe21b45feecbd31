/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process: workers that are processes, not threads.
 */
#ifndef WORKLOAD_THREAD_PROCESS_H
#define WORKLOAD_THREAD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"

struct worker;
struct workload;

/*
 * Fork the process that the worker is the host of; it dies with us. 0 or -errno
 * with a sentence.
 */
int process_start(struct workload *w, struct worker *k) must_check;

/*
 * In a child: close all descriptors from 3 on but the n of keep; those below 0
 * are skipped. Calls only what signal-safety(7) allows.
 */
void process_close_others(int *keep, size_t n);

/*
 * Whether it died. One that ended before it was over, as by a SIGKILL, is a
 * failed worker; the main thread releases the barrier in its place.
 */
void process_check(struct worker *k);

/* Wait for its end; with kill, kill it first. */
void process_join(struct worker *k, bool kill_it);

#endif
