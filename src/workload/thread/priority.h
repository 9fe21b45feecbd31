/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU affinity and priority of a worker (cpus_allowed, nice, prio), and the
 * priority of single I/Os, drawn by its share of all I/Os (cmdprio_percentage)
 * or of the I/Os of one size (cmdprio_bssplit).
 */
#ifndef WORKLOAD_THREAD_PRIORITY_H
#define WORKLOAD_THREAD_PRIORITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/random.h"
#include "model/job/job.h"

struct io;
struct worker;

/*
 * In a worker: set its CPUs, nice value and I/O priority. 0 or -errno with a
 * sentence.
 */
int priority_set(struct worker *w) must_check;

struct cmdprio {
	struct prio_part {
		uint64_t bytes; /* of the I/O; 0: any */
		uint64_t below; /* limit of the draw, after subtracting the
				 * earlier parts */
		uint16_t value; /* class and level, as in sqe->ioprio */
	} * part[JOB_DIRS];
	size_t n[JOB_DIRS];
	struct random random;
};

/* Whether the job gives priorities to single I/Os. */
bool priority_cmdprio_wanted(const struct job *job);
/*
 * Prepare the draws; freed by priority_cmdprio_free(). NULL with a sentence:
 * cmdprio_bssplit is not valid.
 */
struct cmdprio *priority_cmdprio_new(const struct job *job,
				     uint64_t seed) must_check;
void priority_cmdprio_free(struct cmdprio *p);

/*
 * Draw the priority of the next I/O of a direction and size; 0: the priority of
 * the thread.
 */
uint16_t priority_cmdprio_next(struct cmdprio *p, unsigned dir, uint64_t bytes);

#endif
