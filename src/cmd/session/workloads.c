/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workloads: a list of workloads behind one descriptor.
 */
#include "cmd/session/workloads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "model/schema/schema_job.h"

void workloads_init(struct workloads *ws)
{
	memset(ws, 0, sizeof(*ws));
	ws->fd = -1;
}

static void free_set(struct job_set *set)
{
	guard_allow_list_free(&set->allowed);
	free(set->identity);
	free(set->contents);
	for (size_t i = 0; i < set->n_jobs && set->owned; i++)
		job_free(&set->job[i]);
	if (set->owned)
		free(set->job);
	free(set);
}

void workloads_free_set(struct workloads *ws, struct job_set *set)
{
	struct job_set **at = &ws->first;

	while (*at && *at != set)
		at = &(*at)->next;
	if (*at)
		*at = set->next;
	free_set(set);
}

void workloads_free(struct workloads *ws)
{
	while (ws->first)
		workloads_free_set(ws, ws->first);
	if (ws->fd >= 0)
		close(ws->fd);
	workloads_init(ws);
}

/* Add a workload to the one epoll descriptor. */
static int watch(struct workloads *ws, const struct workload *w)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (ws->fd < 0)
		ws->fd = epoll_create1(EPOLL_CLOEXEC);
	if (ws->fd >= 0 &&
	    !epoll_ctl(ws->fd, EPOLL_CTL_ADD, workload_fd(w), &event))
		return 0;
	return fail(errno, "cannot watch the workers: %s", strerror(errno));
}

static void append(struct workloads *ws, struct job_set *set)
{
	struct job_set **last = &ws->first;

	while (*last)
		last = &(*last)->next;
	*last = set;
	set->number = ++ws->numbers;
	set->jobs_before = ws->jobs;
	ws->jobs += set->n_jobs;
}

int workloads_open(struct workloads *ws, struct job_set **out,
		   const struct root *root, struct job *job, size_t n_jobs,
		   bool owned, const struct allow_list *allowed)
{
	struct job_set *set = xcalloc(1, sizeof(*set));
	int rc;

	set->job = job;
	set->n_jobs = n_jobs;
	set->owned = owned;
	if (allowed)
		set->allowed = guard_allow_list_copy(allowed);
	rc = workload_open(&set->workload, root, job, n_jobs, &set->allowed);
	if (rc == 0)
		rc = watch(ws, set->workload);
	if (rc) {
		/* Nothing was started, so closing cannot fail or block. */
		if (set->workload && workload_close(set->workload, 0))
			rc = rc ? rc : -EIO;
		free_set(set);
		return rc;
	}
	set->identity = xcalloc(n_jobs, sizeof(*set->identity));
	set->contents = xcalloc(n_jobs, sizeof(*set->contents));
	for (size_t i = 0; i < n_jobs; i++)
		set->identity[i] = preview_identity(set->workload, i);
	/* Identify the contents before a job destroys them. */
	for (size_t i = 0;
	     i < n_jobs && set->allowed.n_override + set->allowed.n_overwrite;
	     i++)
		set->contents[i] = preview_contents(set->workload, i);
	append(ws, set);
	*out = set;
	return 0;
}

bool workloads_any(const struct workloads *ws)
{
	for (struct job_set *set = ws->first; set; set = set->next)
		if (set->workload)
			return true;
	return false;
}

bool workloads_set_done(const struct job_set *set)
{
	return !set->workload || workload_done(set->workload);
}

bool workloads_done(const struct workloads *ws)
{
	for (struct job_set *set = ws->first; set; set = set->next)
		if (!workloads_set_done(set))
			return false;
	return ws->numbers;
}

bool workloads_event(struct workloads *ws, struct event *e)
{
	for (struct job_set *set = ws->first; set; set = set->next)
		if (set->workload && workload_event(set->workload, e))
			return true;
	return false;
}

/* Sample a set; its groups have numbers after those of earlier sets. */
static void sample_set(const struct job_set *set, struct sample *s)
{
	static const enum schema_id tables[] = { SCHEMA_JOB, SCHEMA_CLONE };
	size_t before[ARRAY_SIZE(tables)];

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		before[i] = s->table[tables[i]].n;
	workload_sample(set->workload, s);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		for (size_t n = before[i]; n < s->table[tables[i]].n; n++) {
			struct job_raw *row = sample_row(s, tables[i], n);

			row->group += (unsigned)set->jobs_before;
		}
	}
}

void workloads_sample(struct workloads *ws, struct sample *s)
{
	for (struct job_set *set = ws->first; set; set = set->next) {
		/*
		 * Note the end before reading the figures: they may still
		 * change.
		 */
		bool done = workloads_set_done(set);

		if (set->workload)
			sample_set(set, s);
		set->sampled = done;
	}
}

void workloads_stop(struct workloads *ws)
{
	for (struct job_set *set = ws->first; set; set = set->next)
		if (set->workload)
			workload_stop(set->workload);
}

struct job *workloads_job(const struct job_set *set, const char *id)
{
	for (size_t i = 0; i < set->n_jobs; i++)
		if (!strcmp(job_id(&set->job[i]), id))
			return &set->job[i];
	return NULL;
}

int workloads_find(const struct workloads *ws, const char *id,
		   struct job_set **out)
{
	for (struct job_set *set = ws->first; set; set = set->next)
		if (workloads_job(set, id)) {
			*out = set;
			return 0;
		}
	return fail(ENOENT, "there is no job %s in this run", id);
}

int workloads_readahead(struct workloads *ws, const char *device, char *words,
			size_t size)
{
	int files = 0;
	char some[160];

	*words = '\0';
	for (struct job_set *set = ws->first; set; set = set->next) {
		if (!set->workload)
			continue;
		files += workload_readahead(set->workload, device, some,
					    sizeof(some));
		if (*some)
			text_copy(words, size, some);
	}
	return files;
}

int workloads_close_set(struct workloads *ws, struct job_set *set,
			uint64_t timeout_ns)
{
	int rc;

	if (!set->workload)
		return 0;
	epoll_ctl(ws->fd, EPOLL_CTL_DEL, workload_fd(set->workload), NULL);
	rc = workload_close(set->workload, timeout_ns);
	set->workload = NULL;
	if (!rc)
		return 0;
	set->error = -rc;
	text_copy(set->failed, sizeof(set->failed), fail_sentence());
	if (!*ws->failed)
		text_copy(ws->failed, sizeof(ws->failed), set->failed);
	/* A stuck worker still uses its job. */
	if (rc == -ETIMEDOUT)
		set->owned = false;
	return rc;
}

void workloads_close_sampled(struct workloads *ws)
{
	for (struct job_set *set = ws->first; set; set = set->next)
		if (set->sampled && workloads_close_set(ws, set, 0))
			continue; /* kept in ws->failed */
}

int workloads_close(struct workloads *ws, uint64_t timeout_ns)
{
	workloads_stop(ws);
	for (struct job_set *set = ws->first; set; set = set->next)
		if (workloads_close_set(ws, set, timeout_ns))
			continue; /* kept in ws->failed */
	return *ws->failed ? fail(EIO, "%s", ws->failed) : 0;
}
