/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stages: decides when workers begin, and ends them early. */
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
 * In a worker, once prepared: wait for the workers that begin at the same time,
 * and for startdelay. false: the worker must end.
 */
bool stages_wait_start(struct worker *w);

/*
 * Report that a worker is over: end other jobs if exitall is set, and wake the
 * workers that waited for this one. Called in the worker, or in the main thread
 * if its process died.
 */
void stages_over(struct worker *w);

/* Ask a job's workers to end, and wake those that wait. */
void stages_stop_job(struct clones *c);

/*
 * Check rate_min in the main thread. Returns the time of the next check, or
 * UINT64_MAX: never.
 */
uint64_t stages_check(struct clones *c, uint64_t now_ns);

#endif
