/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probe: what works on this kernel and target, found out by a read.
 */
#ifndef WORKLOAD_PROBE_H
#define WORKLOAD_PROBE_H

#include <stdbool.h>

#include "base/attributes.h"
#include "model/job/job.h"

struct probe {
	/* in: whether to choose; else the job's own setting stays */
	bool choose_engine, choose_direct;
	/* out */
	const char *engine;
	bool direct;
	char words[300]; /* what the best choice lacks, and why; or "" */
};

/*
 * Read one block of a file or device that is there, opened read-only, with the
 * depth and block of the job: direct if it can be, by the first of io_uring,
 * libaio and psync that does it. 0, or -errno with a sentence when the target
 * cannot be opened or nothing reads it.
 */
int probe_target(struct probe *p, const struct job *job,
		 const char *path) must_check;

#endif
