/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads: the workloads of a session. The first is that of the command line;
 * others are started from the screen while it runs, each beside the others.
 */
#ifndef CMD_LOADS_H
#define CMD_LOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "workload/workload.h"

struct load {
	struct workload *workload; /* NULL: it is over and was closed */
	struct job *job;
	size_t n_jobs;
	bool owns;                 /* the jobs are freed with it */
	struct allow_list allowed; /* a copy */
	uint64_t *identity; /* of each job's targets, when it was opened */
	bool told;          /* a sample has told its end */
};

/* Zeroed but for fd, which is -1, it is empty. */
struct loads {
	struct load *load;
	size_t n, cap;
	int fd; /* to poll for what any of them has to tell; -1: none */
	char failed[512]; /* of the first that failed and was closed, or "" */
};

/*
 * Open a workload; owned jobs are freed with the loads, and at once when that
 * fails. Its index, or -errno with a sentence.
 */
int loads_open(struct loads *ls, const struct root *root, struct job *job,
	       size_t n_jobs, bool owned,
	       const struct allow_list *allowed) must_check;
int loads_start(struct loads *ls, size_t i) must_check;

/* There is one that has not been closed. */
bool loads_any(const struct loads *ls);
/* All are over; false when there is none. */
bool loads_done(const struct loads *ls);
bool loads_event(struct loads *ls, struct event *e);
void loads_sample(struct loads *ls, struct sample *s);
void loads_stop(struct loads *ls);

/* The load that has a job of that id; -ENOENT with a sentence. */
int loads_find(const struct loads *ls, const char *job,
	       struct load **out) must_check;
/* The job of that id in it. */
struct job *load_job(const struct load *load, const char *job);

/* workload_readahead() of all. */
int loads_readahead(struct loads *ls, const char *device, char *words,
		    size_t size);

/* Close those that are over and have told so. */
void loads_sweep(struct loads *ls);
/* Close all; what workload_close() says of the first that failed. */
int loads_close(struct loads *ls, uint64_t timeout_ns) must_check;
/* What remains when all are closed: the jobs. */
void loads_free(struct loads *ls);

#endif
