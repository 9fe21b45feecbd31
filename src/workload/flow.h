/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flow: when workers begin, and what ends them before their time.
 */
#ifndef WORKLOAD_FLOW_H
#define WORKLOAD_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

struct crew;
struct worker;
struct workload;

/*
 * Set every crew's stage, group and leader, and count who is awaited. 0, or
 * -EINVAL with a sentence.
 */
int flow_plan(struct workload *w) must_check;

/* In a worker: wait for layouts and earlier jobs; false: it shall end. */
bool flow_wait_turn(struct worker *w);
/* In a worker, once prepared: wait for those that begin with it, and for
 * startdelay. false: it shall end. */
bool flow_wait_start(struct worker *w);

/* In a worker: CPUs, nice, I/O priority. 0 or -errno with a sentence. */
int flow_place(struct worker *w) must_check;

/*
 * A worker is over: end others as exitall asks, and let those go on who waited
 * for it. In the worker, or in the main thread for a process that died.
 */
void flow_over(struct worker *w);

/* End a job's workers. */
void flow_stop(struct crew *c);

/* The main thread's look: rate_min. Returns when to look again, or
 * UINT64_MAX. */
uint64_t flow_look(struct crew *c, uint64_t now_ns);

#endif
