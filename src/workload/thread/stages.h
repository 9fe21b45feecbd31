/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stages: when workers begin, and what ends them early.
 */
#ifndef WORKLOAD_THREAD_STAGES_H
#define WORKLOAD_THREAD_STAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

struct clones;
struct worker;
struct workload;

/*
 * Set each job's stage, group and leader, and count its workers in the barrier.
 * 0, or -EINVAL with a sentence.
 */
int stages_plan(struct workload *w) must_check;

/*
 * In a worker: wait for layouts and earlier jobs; false: the worker must end.
 */
bool stages_wait_turn(struct worker *w);
/*
 * In a worker, once prepared: wait for those that begin with it, and for
 * startdelay. false: the worker must end.
 */
bool stages_wait_start(struct worker *w);

/*
 * A worker is over: end others as exitall asks, and start the workers that
 * waited for it. Called in the worker, or in the main thread for a process that
 * died.
 */
void stages_over(struct worker *w);

/* End a job's workers. */
void stages_stop_job(struct clones *c);

/*
 * Check rate_min in the main thread. Returns when to check again, or
 * UINT64_MAX.
 */
uint64_t stages_check(struct clones *c, uint64_t now_ns);

#endif
