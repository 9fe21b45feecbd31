/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job control: starts, changes, stops and restarts sets of jobs. It knows no
 * screen and no driver: the caller names the origin (by: operator, plan, ab,
 * sweep), and each change becomes an event of the pipeline.
 */
#ifndef CMD_SESSION_JOB_CONTROL_H
#define CMD_SESSION_JOB_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/root.h"
#include "cmd/session/pipeline.h"
#include "cmd/session/workloads.h"

/* The ids in use: per name, the highest number. */
struct job_names {
	struct job_name *slot; /* a hash table, open addressing */
	size_t n, cap;
};

/* Only job_control.c changes the members. */
struct job_control {
	const struct root *root;     /* borrowed */
	struct pipeline *pipeline;   /* borrowed */
	struct workloads *workloads; /* borrowed */
	struct job_names names;
};

/* A set of jobs to be started. */
struct job_request {
	struct job *job;
	size_t n_jobs;
	bool owned; /* the jobs and the array are freed with the set */
	const struct allow_list
		*allowed; /* copied; NULL: nothing is permitted */
	const char *by;
	bool keep_ids; /* the ids are settled (the jobs of a command line) */
};

void job_control_init(struct job_control *jc, const struct root *root,
		      struct pipeline *pipeline, struct workloads *workloads);
void job_control_free(struct job_control *jc);

/*
 * Check and open the targets of a request, without starting the jobs. Owned
 * jobs are freed when this fails. 0, or -errno with a sentence; -EPERM is a
 * refusal by the guard.
 */
int job_control_open(struct job_control *jc, const struct job_request *request,
		     struct job_set **out) must_check;
/* Start the jobs of a set that is open. 0, or -errno with a sentence. */
int job_control_begin(struct job_control *jc, struct job_set *set) must_check;
/*
 * Open and begin a set beside the jobs that run: closes the sets whose end was
 * sampled, gives the jobs ids that no job of the session had, and adds them to
 * the log. When the jobs cannot begin, the set stays, closed, as failed. 0, or
 * -errno with a sentence.
 */
int job_control_start(struct job_control *jc, const struct job_request *request,
		      struct job_set **out) must_check;
/*
 * Start a finished job again. It keeps its permissions if its targets are still
 * the same files and devices. Take a sample first if a set that is done has
 * none yet. 0, or -errno with a sentence: -EBUSY when the job still runs.
 */
int job_control_again(struct job_control *jc, const char *job, const char *by,
		      struct job_set **out) must_check;

/* Reserve the ids of that name up to that number, of an earlier session. */
void job_control_used_id(struct job_control *jc, const char *name,
			 unsigned number);

/* Ask one job, or all of a set, to end. 0, or -errno with a sentence. */
int job_control_stop(struct job_control *jc, const char *job,
		     const char *by) must_check;
void job_control_stop_set(struct job_control *jc, struct job_set *set,
			  const char *by);

/*
 * Change an option of a running job. A refusal is an event as well. 0, with
 * the event in e unless that is NULL, or -errno with a sentence.
 */
int job_control_set(struct job_control *jc, const char *job, const char *option,
		    const char *value, const char *by,
		    struct event *e) must_check;

/* Move the workloads' events (phases, failures, notes) to the pipeline. */
void job_control_take_events(struct job_control *jc);
/* Close the sets whose end was sampled. */
void job_control_close_sampled(struct job_control *jc);
/* Close a set and forget its jobs. 0, or -errno as workloads_close_set(). */
int job_control_forget(struct job_control *jc, struct job_set *set,
		       uint64_t timeout_ns) must_check;

/* The largest block of a job: "16k", "512B". Returns buf. */
const char *job_control_block(const struct job *job, char *buf, size_t size);

#endif
