/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Serve: which of several files the next I/O goes to (file_service_type).
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

#include "model/job.h"
#include "workload/random.h"
#include "workload/spread.h"

struct serve {
	unsigned n;              /* files */
	unsigned kind;           /* enum job_file_service */
	unsigned turns, left;    /* I/Os to one file; what is left of them */
	unsigned now, before;    /* the file; in a ring, the one before it */
	unsigned open;           /* files in use at the same time */
	unsigned n_live, unused; /* those in use; the first never used */
	unsigned *ring; /* the next live one; of random, the live ones */
	uint64_t *bytes, *pass_left;
	struct spread popular;
	struct scatter no_scatter;
	struct random random;
};

/* bytes of each of n files; copied. */
void serve_init(struct serve *v, const struct job *job, const uint64_t *bytes,
		unsigned n, uint64_t seed);
void serve_free(struct serve *v);

/* The file of the next I/O. */
unsigned serve_next(struct serve *v);
/* It moved that many bytes of the file that was chosen last. */
void serve_used(struct serve *v, uint64_t bytes);

#endif
