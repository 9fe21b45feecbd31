/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running job: its workers' counters added up.
 */
#ifndef MODEL_SCHEMA_JOB_H
#define MODEL_SCHEMA_JOB_H

#include "model/schema.h"

enum job_op { JOB_READ, JOB_WRITE, JOB_TRIM, JOB_SYNC, JOB_OPS };
/* The operations that move or discard data, in front of the syncs. */
#define JOB_DIRS JOB_SYNC

/* Cumulative since the start, the ramp included. latency lives in the sample's
 * arena. */
struct job_op_raw {
	uint64_t ios, bytes;
	uint64_t min_ns, max_ns;         /* of all; 0 when there is none */
	const struct histogram *latency; /* submission to completion, in ns;
					    NULL when ios is 0 */
};

/* id is the job's name. */
struct job_raw {
	struct row_key key;
	struct job_op_raw op[JOB_OPS];
	uint64_t errors;
	uint64_t cpu_ns;   /* of its workers */
	char device[64];   /* the disks under its targets, blank-separated */
	const char *phase; /* "layout", "wait" (for others' layout, startdelay),
			      "ramp", "run", "done": a constant */
	double progress_pct; /* NaN when it has no end */
	double eta_s;        /* NaN when unknown */
	double in_flight;    /* I/Os submitted and not reaped */
};

extern const struct schema schema_job;

#endif
