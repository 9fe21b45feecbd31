/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Launch: what was looked at becomes a workload beside the others.
 */
#include "cmd/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/live.h"
#include "cmd/look.h"

/* Close what is over; what it has to tell is told before. */
static void sweep(struct live *l)
{
	struct event e;

	while (loads_event(&l->loads, &e))
		live_add_event(l, &e);
	loads_sweep(&l->loads);
}

void launch_look(struct live *l, const struct run_request *request)
{
	struct launch *a = &l->launch;

	if (a->look) {
		a->next = *request;
		a->has_next = true;
		return;
	}
	look_free(a->ready);
	a->ready = NULL;
	/* What we hold ourselves is no reason against it. */
	sweep(l);
	if (look_begin(&a->look, &l->root, l->settings->readonly, request) < 0)
		live_say(l, "%s", fail_sentence());
}

int launch_fd(const struct launch *a)
{
	return a->look ? look_fd(a->look) : -1;
}

void launch_looked(struct live *l)
{
	struct launch *a = &l->launch;
	struct run_request next = a->next;

	look_end(a->look);
	a->ready = a->look;
	a->look = NULL;
	if (!a->has_next)
		return;
	a->has_next = false;
	launch_look(l, &next);
}

const struct run_preview *launch_preview(const struct launch *a)
{
	return a->ready ? look_preview(a->ready) : NULL;
}

void launch_close(struct launch *a)
{
	look_free(a->look);
	look_free(a->ready);
	a->look = a->ready = NULL;
}

static bool id_taken(const struct live *l, const struct job *job, size_t n,
		     const char *id)
{
	for (size_t i = 0; i < l->header.n_jobs; i++)
		if (!strcmp(job_id(&l->header.job[i]), id))
			return true;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(job[i].id, id))
			return true;
	return false;
}

/* Rows, events and the log have one job of each id, those that are over too. */
static void set_ids(const struct live *l, struct job *job, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned nth = 1;

		do
			job_set_nth(&job[i], nth++);
		while (id_taken(l, job, i, job[i].id));
	}
}

static void tell_log(struct live *l, const struct job *job, size_t n)
{
	struct header *h = &l->header;

	h->job = xrealloc(h->job, (h->n_jobs + n + 1) * sizeof(*h->job));
	for (size_t i = 0; i < n; i++)
		h->job[h->n_jobs++] = job[i];
	if (l->log && !l->log_error)
		live_log_wrote(l, log_jobs(l->log, job, n));
}

/* "4k", "512B": as short as it can be told. */
static const char *block_words(const struct job *job, char *buf, size_t size)
{
	unsigned long long n = job_max_block(job);

	snprintf(buf, size, n % 1024 ? "%lluB" : "%lluk",
		 n % 1024 ? n : n / 1024);
	return buf;
}

static void add_start(struct live *l, const struct job *job, size_t n)
{
	struct event e = { .kind = EVENT_JOB_START, .by = "operator" };
	size_t used = 0;
	char block[24];

	text_copy(e.job, sizeof(e.job), job_id(&job[0]));
	for (size_t i = 0; i < n && used < sizeof(e.text); i++)
		used += (size_t)snprintf(
			e.text + used, sizeof(e.text) - used,
			"%s%s%s%s of %s on %s", i ? ", " : "",
			i ? job_id(&job[i]) : "", i ? " " : "",
			job_rw_name(job[i].rw),
			block_words(&job[i], block, sizeof(block)),
			job[i].filename    ? job[i].filename
			: job[i].directory ? job[i].directory
					   : "a file here");
	text_clean(e.text);
	live_add_event(l, &e);
}

static bool noted(const struct job *job, size_t i, size_t k)
{
	for (size_t j = 0; j <= i; j++)
		for (size_t m = 0; m < (j == i ? k : job[j].n_notes); m++)
			if (!strcmp(job[j].note[m], job[i].note[k]))
				return true;
	return false;
}

/* What was accepted but does less than it says, each once. */
static void add_notes(struct live *l, const struct job *job, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < job[i].n_notes; k++) {
			struct event e = { .kind = EVENT_NOTE };

			if (noted(job, i, k))
				continue;
			text_copy(e.job, sizeof(e.job), job_id(&job[i]));
			text_copy(e.text, sizeof(e.text), job[i].note[k]);
			live_add_event(l, &e);
		}
}

/* The jobs are taken over, whatever becomes of them. */
static void start(struct live *l, struct job *job, size_t n,
		  const struct allow_list *allowed)
{
	int i;

	sweep(l);
	set_ids(l, job, n);
	/* Nor is it reported together with what was before. */
	job[0].new_group = true;
	i = loads_open(&l->loads, &l->root, job, n, true, allowed);
	if (i < 0) {
		live_say(l, "not started: %s", fail_sentence());
		return;
	}
	l->launch.by_hand = true;
	l->launch.said_done = false;
	tell_log(l, job, n);
	add_start(l, job, n);
	add_notes(l, job, n);
	if (loads_start(&l->loads, (size_t)i) < 0) {
		live_say(l, "%s", fail_sentence());
		return;
	}
	launch_title(l);
	live_say(l, "job %s%s started", job_id(&job[0]),
		 n > 1 ? " and others are" : " is");
}

void launch_run(struct live *l, const struct run_request *request)
{
	const struct allow_list *allowed;
	struct job *job;
	size_t n;

	if (look_take(l->launch.ready, request, &job, &n, &allowed) < 0)
		live_say(l, "%s", fail_sentence());
	else
		start(l, job, n, allowed);
}

/*
 * What was allowed was allowed for what was there: neither a file that has been
 * put in its place since, nor a disk that got its name.
 */
static int check_same(const struct live *l, const struct load *load,
		      const char *id, const struct job *again)
{
	const struct allow_list *p = &load->allowed;
	uint64_t now;
	int rc;

	if (!p->n_destroy && !p->n_overwrite && !p->n_override)
		return 0;
	rc = preview_identities(&now, &l->root, again, 1);
	if (rc < 0 || now == load->identity[load_job(load, id) - load->job])
		return rc;
	return fail(ESTALE,
		    "not started: what job %s was allowed to destroy is not "
		    "what is there now; r asks anew",
		    id);
}

void launch_again(struct live *l, const char *id)
{
	struct load *load;
	struct allow_list allowed;
	struct job *job;

	if (loads_find(&l->loads, id, &load) < 0) {
		live_say(l, "%s", fail_sentence());
		return;
	}
	if (load->workload && !workload_job_over(load->workload, id)) {
		live_say(l, "job %s still runs", id);
		return;
	}
	if (load->workload && workload_done(load->workload) && !load->told) {
		live_say(l, "job %s has just ended; once more, please", id);
		return;
	}
	job = xcalloc(1, sizeof(*job));
	job_copy(job, load_job(load, id));
	/* Those that it waited for are not started with it. */
	job->stonewall = false;
	free(job->wait_for);
	job->wait_for = NULL;
	if (check_same(l, load, id, job) < 0) {
		live_say(l, "%s", fail_sentence());
		job_free(job);
		free(job);
		return;
	}
	/* The list of loads moves when it grows. */
	allowed = load->allowed;
	start(l, job, 1, &allowed);
}

static bool over(const struct live *l, const char *id)
{
	struct load *load;

	return loads_find(&l->loads, id, &load) < 0 || !load->workload ||
	       workload_job_over(load->workload, id);
}

void launch_title(struct live *l)
{
	size_t n = (size_t)snprintf(l->title, sizeof(l->title), "run:");
	bool any = false;
	char block[24];

	for (size_t i = 0; i < l->header.n_jobs && n < sizeof(l->title); i++) {
		const struct job *j = &l->header.job[i];

		if (over(l, job_id(j)))
			continue;
		n += (size_t)snprintf(l->title + n, sizeof(l->title) - n,
				      "%s %s (%s %s)", any ? "," : "",
				      job_id(j), job_rw_name(j->rw),
				      block_words(j, block, sizeof(block)));
		any = true;
	}
	if (!any)
		text_copy(l->title, sizeof(l->title), "monitor; r runs a job");
}
