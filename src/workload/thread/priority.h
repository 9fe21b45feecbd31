/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU affinity and priority: of a worker (cpus_allowed, nice, prio), and of
 * single I/Os, drawn by share (cmdprio_percentage) or by share among those of
 * their size (cmdprio_bssplit).
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

/* In a worker: CPUs, nice, I/O priority. 0 or -errno with a sentence. */
int priority_set(struct worker *w) must_check;

struct cmdprio {
	struct prio_part {
		uint64_t bytes; /* of the I/O; 0: any */
		uint64_t below; /* the draw, less what parts before it took */
		uint16_t value; /* class and level, as the kernel has them */
	} * part[JOB_DIRS];
	size_t n[JOB_DIRS];
	struct random random;
};

/* Whether the job uses any. */
bool priority_cmdprio_wanted(const struct job *job);
/* NULL with a sentence when what was given cannot be read. */
struct cmdprio *priority_cmdprio_new(const struct job *job,
				     uint64_t seed) must_check;
void priority_cmdprio_free(struct cmdprio *p);

/* That of the next I/O of a direction and size; 0: that of its thread. */
uint16_t priority_cmdprio_next(struct cmdprio *p, unsigned dir, uint64_t bytes);

#endif
