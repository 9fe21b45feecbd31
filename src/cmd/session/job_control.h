/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job control: starts, changes, stops and restarts sets of jobs. It knows no
 * screen and no driver: the caller names the origin (by: operator, plan, ab,
 * sweep), and each change becomes an event of the pipeline.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"
#include "cmd/session/pipeline.h"
#include "workload/workload.h"

/*
 * Workloads: the sets of jobs of a session, one after the other or side by
 * side. A set holds jobs that are started together: those of a command line,
 * of a run dialog, of a cell of a sweep.
 *
 * A set goes through: open (targets checked and opened), running, done (all
 * its jobs have ended), sampled (a sample holds its last figures), closed
 * (threads and files are gone, the jobs remain to be looked up) and freed.
 */

struct job_set {
	struct job_set *next;
	uint64_t number; /* 1 for the first of the session, and so on */
	struct workload *workload; /* NULL: closed */
	struct job *job;
	size_t n_jobs;
	bool owned;                /* the jobs are freed with the set */
	struct allow_list allowed; /* a copy */
	uint64_t *identity; /* of each job's targets, when they were opened */
	uint64_t *contents; /* the content at that time; 0: no file system */
	size_t jobs_before; /* of all sets that were opened before it */
	enum event_by by;   /* operator, plan, ab, sweep */
	bool over;          /* its jobs had ended before the sample began */
	bool sampled;       /* a sample holds its last figures */
	bool reported;      /* the driver knows that it is over */
	int error;          /* errno of its end when it was closed; 0 */
	char failed[512];   /* the sentence of that error, or "" */
};

/* The sets that were not freed, oldest first. */
struct workloads {
	struct job_set *first;
	uint64_t numbers;
	size_t jobs;      /* of all sets so far, freed ones too */
	int fd;           /* readable when a set has an event; -1: none */
	char failed[512]; /* of the first that failed and was closed, or "" */
};

void workloads_init(struct workloads *ws);
/* Frees the sets, which must be closed. */
void workloads_free(struct workloads *ws);

/*
 * Check and open the targets of jobs. Owned jobs are freed with the set, and
 * at once when this fails. The allow list is copied; NULL: it is empty. 0, or
 * -errno with a sentence; -EPERM is a refusal by the guard.
 */
int workloads_open(struct workloads *ws, struct job_set **out,
		   const struct root *root, struct job *job, size_t n_jobs,
		   bool owned, const struct allow_list *allowed) must_check;

/* Whether there is a set that is not closed. */
bool workloads_any(const struct workloads *ws);
/* Whether all sets are done; false when there is none. */
bool workloads_done(const struct workloads *ws);
bool workloads_set_done(const struct job_set *set);
/*
 * Call this before the first figure of a sample is read. A set whose jobs end
 * later than that is not sampled yet: the devices' figures may lack its last
 * I/Os. True: the sample holds the last figures of a set.
 */
bool workloads_sample_begin(struct workloads *ws);
void workloads_sample(struct workloads *ws, struct sample *s);
/* Ask all jobs to end; returns at once. */
void workloads_stop(struct workloads *ws);

/* Find the set that has a job of that id. 0, or -ENOENT with a sentence. */
int workloads_find(const struct workloads *ws, const char *id,
		   struct job_set **out) must_check;

/* workload_readahead() of all sets. */
int workloads_readahead(struct workloads *ws, const char *device, char *words,
			size_t size);

/* Close all. 0, or -errno with the sentence of the first that failed. */
int workloads_close(struct workloads *ws, uint64_t timeout_ns) must_check;

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

struct witness_options;

/* A set of jobs to be started. */
struct job_request {
	struct job *job;
	size_t n_jobs;
	bool owned; /* the jobs and the array are freed with the set */
	const struct allow_list
		*allowed; /* copied; NULL: nothing is permitted */
	enum event_by by;
	const struct witness_options *witness; /* of the writes; NULL: none */
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
int job_control_begin(struct job_set *set) must_check;
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
int job_control_again(struct job_control *jc, const char *job, enum event_by by,
		      struct job_set **out) must_check;

/* Reserve the ids of that name up to that number, of an earlier session. */
void job_control_used_id(struct job_control *jc, const char *name,
			 unsigned number);

/* Ask one job, or all of a set, to end. 0, or -errno with a sentence. */
int job_control_stop(struct job_control *jc, const char *job,
		     enum event_by by) must_check;
void job_control_stop_set(struct job_control *jc, struct job_set *set,
			  enum event_by by);

/*
 * Change an option of a running job. A refusal is an event as well. 0, with
 * the event in e unless that is NULL, or -errno with a sentence.
 */
int job_control_set(struct job_control *jc, const char *job, const char *option,
		    const char *value, enum event_by by,
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
