/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help for the workload tests: temporary directories, loop devices, runs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/root.h"
#include "model/frame.h"
#include "model/job/job.h"
#include "model/schema/schema_job.h"
#include "workload/engine/engine.h"
#include "workload/workload.h"

#include "fixture.h"
#include "test.h"

/* Whether this machine lets the engine be used (io_uring may be off). */
bool engine_usable(const struct engine *e);
/* Open it for a job that reads and writes buffered files. */
int engine_open(const struct engine *e, void **state, unsigned depth);

/* Set one job option; it must work. */
void set_option(struct job *job, const char *name, const char *value);

/* A job of 4 KiB on the null engine. */
void null_job(struct job *job, const char *name);

/* The same rate for reads, writes and trims. */
void all_dirs(uint64_t *rate, uint64_t value);

/* What a run came to. The histograms live in the sample. */
struct outcome {
	int open_rc, close_rc;
	char sentence[1024];
	struct sample sample;
	struct job_raw *row; /* of the first job */
};

/* Open, run to the end (at most 20 s), sample, close. */
void run_jobs(struct outcome *o, const struct job *jobs, size_t n,
	      const struct allow_list *allowed);
/* The same without an allow list; it must go well. */
void run_well(struct outcome *o, const struct job *jobs, size_t n);
void free_outcome(struct outcome *o);

/* Whether all jobs together have done that many reads and writes by now. */
bool workload_did(struct workload *w, uint64_t ios);

/* Whether this machine lets root make loop devices. */
bool have_loop(void);

/* Another program that has a lock on a file until pclose(). */
FILE *lock_by_other(const char *path);
