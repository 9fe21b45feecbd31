/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads: several workloads as if they were one.
 */
#include "cmd/loads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "model/schema_job.h"

static void free_load(struct load *load)
{
	allow_list_free(&load->allowed);
	free(load->identity);
	for (size_t i = 0; i < load->n_jobs && load->owns; i++)
		job_free(&load->job[i]);
	if (load->owns)
		free(load->job);
}

/* One descriptor tells of all of them. */
static int watch(struct loads *ls, const struct workload *w)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (ls->fd < 0)
		ls->fd = epoll_create1(EPOLL_CLOEXEC);
	if (ls->fd >= 0 &&
	    !epoll_ctl(ls->fd, EPOLL_CTL_ADD, workload_fd(w), &event))
		return 0;
	return fail(errno, "cannot watch over the workers: %s",
		    strerror(errno));
}

int loads_open(struct loads *ls, const struct root *root, struct job *job,
	       size_t n_jobs, bool owned, const struct allow_list *allowed)
{
	struct load load = { .job = job, .n_jobs = n_jobs, .owns = owned };
	int rc;

	load.allowed = allow_list_copy(allowed);
	rc = workload_open(&load.workload, root, job, n_jobs, &load.allowed);
	if (rc == 0)
		rc = watch(ls, load.workload);
	if (rc) {
		/* What did not begin cannot fail to end. */
		if (load.workload && workload_close(load.workload, 0))
			rc = rc ? rc : -EIO;
		free_load(&load);
		return rc;
	}
	load.identity = xcalloc(n_jobs, sizeof(*load.identity));
	for (size_t i = 0; i < n_jobs; i++)
		load.identity[i] = preview_identity(load.workload, i);
	ls->load = xgrow(ls->load, &ls->cap, ls->n + 1, sizeof(*ls->load));
	ls->load[ls->n] = load;
	return (int)ls->n++;
}

int loads_start(struct loads *ls, size_t i)
{
	return workload_start(ls->load[i].workload);
}

bool loads_any(const struct loads *ls)
{
	for (size_t i = 0; i < ls->n; i++)
		if (ls->load[i].workload)
			return true;
	return false;
}

bool loads_done(const struct loads *ls)
{
	for (size_t i = 0; i < ls->n; i++)
		if (ls->load[i].workload &&
		    !workload_done(ls->load[i].workload))
			return false;
	return ls->n;
}

bool loads_event(struct loads *ls, struct event *e)
{
	for (size_t i = 0; i < ls->n; i++)
		if (ls->load[i].workload &&
		    workload_event(ls->load[i].workload, e))
			return true;
	return false;
}

/* The groups of a load follow those of the loads before it. */
static void sample_load(const struct load *load, struct sample *s,
			size_t before)
{
	size_t n = s->table[SCHEMA_JOB].n;

	workload_sample(load->workload, s);
	for (; n < s->table[SCHEMA_JOB].n; n++) {
		struct job_raw *row = sample_row(s, SCHEMA_JOB, n);

		row->group += (unsigned)before;
	}
}

void loads_sample(struct loads *ls, struct sample *s)
{
	size_t before = 0;

	for (size_t i = 0; i < ls->n; i++) {
		struct load *load = &ls->load[i];
		bool over = load->workload && workload_done(load->workload);

		if (load->workload)
			sample_load(load, s, before);
		load->told = over;
		before += load->n_jobs;
	}
}

void loads_stop(struct loads *ls)
{
	for (size_t i = 0; i < ls->n; i++)
		if (ls->load[i].workload)
			workload_stop(ls->load[i].workload);
}

struct job *load_job(const struct load *load, const char *job)
{
	for (size_t i = 0; i < load->n_jobs; i++)
		if (!strcmp(job_id(&load->job[i]), job))
			return &load->job[i];
	return NULL;
}

int loads_find(const struct loads *ls, const char *job, struct load **out)
{
	for (size_t i = 0; i < ls->n; i++)
		if (load_job(&ls->load[i], job)) {
			*out = &ls->load[i];
			return 0;
		}
	return fail(ENOENT, "there is no job %s in this run", job);
}

int loads_readahead(struct loads *ls, const char *device, char *words,
		    size_t size)
{
	int told = 0;
	char some[160];

	*words = '\0';
	for (size_t i = 0; i < ls->n; i++) {
		if (!ls->load[i].workload)
			continue;
		told += workload_readahead(ls->load[i].workload, device, some,
					   sizeof(some));
		if (*some)
			text_copy(words, size, some);
	}
	return told;
}

/* The sentence of the first that failed is kept. */
static int close_one(struct loads *ls, struct load *load, uint64_t timeout_ns)
{
	int rc;

	if (!load->workload)
		return 0;
	epoll_ctl(ls->fd, EPOLL_CTL_DEL, workload_fd(load->workload), NULL);
	rc = workload_close(load->workload, timeout_ns);
	load->workload = NULL;
	if (rc && !*ls->failed)
		text_copy(ls->failed, sizeof(ls->failed), fail_sentence());
	/* A stuck worker still uses its job. */
	if (rc == -ETIMEDOUT)
		load->owns = false;
	return rc;
}

void loads_sweep(struct loads *ls)
{
	for (size_t i = 0; i < ls->n; i++)
		if (ls->load[i].told && close_one(ls, &ls->load[i], 0))
			continue;
}

int loads_close(struct loads *ls, uint64_t timeout_ns)
{
	loads_stop(ls);
	for (size_t i = 0; i < ls->n; i++)
		if (close_one(ls, &ls->load[i], timeout_ns))
			continue;
	if (ls->fd >= 0)
		close(ls->fd);
	ls->fd = -1;
	return *ls->failed ? fail(EIO, "%s", ls->failed) : 0;
}

void loads_free(struct loads *ls)
{
	for (size_t i = 0; i < ls->n; i++)
		free_load(&ls->load[i]);
	free(ls->load);
	memset(ls, 0, sizeof(*ls));
	ls->fd = -1;
}
