/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workloads: the sets of jobs of a session, one after the other or side by
 * side. A set holds jobs that are started together: those of a command line,
 * of a run dialog, of a cell of a sweep.
 *
 * A set goes through: open (targets checked and opened), running, done (all
 * its jobs have ended), sampled (a sample holds its last figures), closed
 * (threads and files are gone, the jobs remain to be looked up) and freed.
 */
#ifndef CMD_SESSION_WORKLOADS_H
#define CMD_SESSION_WORKLOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "workload/workload.h"

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
	char by[12];        /* operator, plan, ab, sweep */
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
/* Take one event of any set; false: there is none. */
bool workloads_event(struct workloads *ws, struct event *e);
void workloads_sample(struct workloads *ws, struct sample *s);
/* Ask all jobs to end; returns at once. */
void workloads_stop(struct workloads *ws);

/* The job of that id in a set, or NULL. */
struct job *workloads_job(const struct job_set *set, const char *id);
/* Find the set that has a job of that id. 0, or -ENOENT with a sentence. */
int workloads_find(const struct workloads *ws, const char *id,
		   struct job_set **out) must_check;

/* workload_readahead() of all sets. */
int workloads_readahead(struct workloads *ws, const char *device, char *words,
			size_t size);

/*
 * Close a set: stop it if it runs and wait for its workers. 0, or -errno with
 * a sentence: an I/O error of a job, or -ETIMEDOUT (stuck in the kernel).
 */
int workloads_close_set(struct workloads *ws, struct job_set *set,
			uint64_t timeout_ns) must_check;
/* Close the sets whose end was sampled; their failures are kept in ws. */
void workloads_close_sampled(struct workloads *ws);
/* Close all. 0, or -errno with the sentence of the first that failed. */
int workloads_close(struct workloads *ws, uint64_t timeout_ns) must_check;
/* Free a closed set: its jobs are forgotten. */
void workloads_free_set(struct workloads *ws, struct job_set *set);

#endif
