/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File service: which of several files the next I/O goes to
 * (file_service_type).
 *
 * Each file is used for as many bytes as its part has; then it is done until
 * all are, which ends the pass. With openfiles only so many are in use at a
 * time: one that is done makes room for the next. Files that are drawn by
 * popularity (zipf, pareto, normal) are never done.
 */
#ifndef WORKLOAD_SERVE_H
#define WORKLOAD_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job/job.h"
#include "workload/offset/distribution.h"
#include "base/random.h"

struct file_service {
	unsigned n;              /* files */
	unsigned kind;           /* enum job_file_service */
	unsigned turns, left;    /* I/Os to one file; what is left of them */
	unsigned now, before;    /* the file; in a ring, the one before it */
	unsigned open;           /* files in use at the same time */
	unsigned n_live, unused; /* those in use; the first never used */
	unsigned *ring; /* the next live one; of random, the live ones */
	uint64_t *bytes, *pass_left;
	struct distribution popular;
	struct scatter no_scatter;
	struct random random;
};

/* bytes of each of n files; copied. */
void file_service_init(struct file_service *v, const struct job *job,
		       const uint64_t *bytes, unsigned n, uint64_t seed);
void file_service_free(struct file_service *v);

/* The file of the next I/O. */
unsigned file_service_next(struct file_service *v);
/* Record that it moved so many bytes of the file chosen last. */
void file_service_used(struct file_service *v, uint64_t bytes);

#endif
