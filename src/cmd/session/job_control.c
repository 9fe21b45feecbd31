/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job control: turns requests into sets of jobs and their events. */
#include "cmd/session/job_control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "model/schema/schema_job.h"
#include "workload/witness/witness.h"

/* A name, and the highest number of its ids so far ("mix#3"). */
struct job_name {
	char name[64];
	unsigned highest;
};

void job_control_init(struct job_control *jc, const struct root *root,
		      struct pipeline *pipeline, struct workloads *workloads)
{
	memset(jc, 0, sizeof(*jc));
	jc->root = root;
	jc->pipeline = pipeline;
	jc->workloads = workloads;
}

void job_control_free(struct job_control *jc)
{
	free(jc->names.slot);
	memset(&jc->names, 0, sizeof(jc->names));
}

/* --- workloads behind one descriptor --- */

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

/* Free a closed set: its jobs are forgotten. */
static void workloads_free_set(struct workloads *ws, struct job_set *set)
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

static void job_control_append(struct workloads *ws, struct job_set *set)
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
	job_control_append(ws, set);
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

/* Take one event of any set; false: there is none. */
static bool workloads_event(struct workloads *ws, struct event *e)
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

bool workloads_sample_begin(struct workloads *ws)
{
	bool ends = false;

	for (struct job_set *set = ws->first; set; set = set->next) {
		set->over = workloads_set_done(set);
		ends |= set->workload && set->over && !set->sampled;
	}
	return ends;
}

void workloads_sample(struct workloads *ws, struct sample *s)
{
	for (struct job_set *set = ws->first; set; set = set->next) {
		if (set->workload)
			sample_set(set, s);
		set->sampled = set->over;
	}
}

void workloads_stop(struct workloads *ws)
{
	for (struct job_set *set = ws->first; set; set = set->next)
		if (set->workload)
			workload_stop(set->workload);
}

/* The job of that id in a set, or NULL. */
static struct job *workloads_job(const struct job_set *set, const char *id)
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
	*out = NULL;
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

/*
 * Close a set: stop it if it runs and wait for its workers. 0, or -errno with
 * a sentence: an I/O error of a job, or -ETIMEDOUT (stuck in the kernel).
 */
static int workloads_close_set(struct workloads *ws, struct job_set *set,
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
	text_set(set->failed, fail_sentence());
	if (!*ws->failed)
		text_set(ws->failed, set->failed);
	/* A stuck worker still uses its job. */
	if (rc == -ETIMEDOUT)
		set->owned = false;
	return rc;
}

/* Close the sets whose end was sampled; their failures are kept in ws. */
static void workloads_close_sampled(struct workloads *ws)
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

/* --- ids --- */

/* The slot of a name, or the free one where it belongs. */
static struct job_name *job_control_slot_of(const struct job_names *names,
					    const char *name)
{
	size_t i = text_hash(TEXT_HASH, name, strlen(name)) & (names->cap - 1);

	while (*names->slot[i].name && strcmp(names->slot[i].name, name))
		i = (i + 1) & (names->cap - 1);
	return &names->slot[i];
}

static void make_room(struct job_names *names)
{
	struct job_names bigger = { .n = names->n };

	if (names->n * 2 < names->cap)
		return;
	bigger.cap = names->cap ? names->cap * 2 : 32;
	bigger.slot = xcalloc(bigger.cap, sizeof(*bigger.slot));
	for (size_t i = 0; i < names->cap; i++)
		if (*names->slot[i].name)
			*job_control_slot_of(&bigger, names->slot[i].name) =
				names->slot[i];
	free(names->slot);
	*names = bigger;
}

/* Numbers up to this one are in use for that name. */
static void note_number(struct job_names *names, const char *name,
			unsigned number)
{
	struct job_name *slot;

	make_room(names);
	slot = job_control_slot_of(names, name);
	if (!*slot->name) {
		text_set(slot->name, name);
		names->n++;
	}
	if (slot->highest < number)
		slot->highest = number;
}

static unsigned highest(struct job_names *names, const char *name)
{
	make_room(names);
	return job_control_slot_of(names, name)->highest;
}

/* Split "mix#3" into its name and number; false when it has no number. */
static bool split_id(const char *id, char name[64], unsigned *number)
{
	const char *sign = strrchr(id, '#');
	char *end;

	if (!sign || sign == id)
		return false;
	*number = (unsigned)strtoul(sign + 1, &end, 10);
	text_copy(name, 64, id);
	name[sign - id] = '\0';
	return !*end && end != sign + 1;
}

static bool is_taken(struct job_names *names, const char *id)
{
	unsigned number;
	char name[64];

	return highest(names, id) ||
	       (split_id(id, name, &number) && highest(names, name) >= number);
}

/* Reserve a given id, also if it looks like a name with a number. */
static void note_id(struct job_names *names, const char *id)
{
	unsigned number;
	char name[64];

	note_number(names, id, 1);
	if (split_id(id, name, &number))
		note_number(names, name, number);
}

void job_control_used_id(struct job_control *jc, const char *name,
			 unsigned number)
{
	note_number(&jc->names, name, number);
}

/*
 * Rows, events and the log have one job per id, also after its end: the first
 * is "mix", the next "mix#2". The table has one slot per name.
 */
static void give_id(struct job_names *names, struct job *job)
{
	unsigned nth = highest(names, job->name), number;
	char name[64];

	do
		job_set_nth(job, ++nth);
	while (is_taken(names, job->id));
	note_number(names, job->name, nth);
	/* The id of a long name contains only a part of the name. */
	if (split_id(job->id, name, &number))
		note_number(names, name, number);
}

static void set_ids(struct job_control *jc, const struct job_request *request)
{
	for (size_t i = 0; i < request->n_jobs; i++)
		if (request->keep_ids)
			note_id(&jc->names, job_id(&request->job[i]));
		else
			give_id(&jc->names, &request->job[i]);
}

/* --- events --- */

const char *job_control_block(const struct job *job, char *buf, size_t size)
{
	unsigned long long n = job_max_block(job);

	snprintf(buf, size, n % 1024 ? "%lluB" : "%lluk",
		 n % 1024 ? n : n / 1024);
	return buf;
}

static void add_start(struct job_control *jc, const struct job_set *set)
{
	struct event e = { .kind = EVENT_JOB_START };
	char block[24];

	e.by = set->by;
	text_set(e.job, job_id(&set->job[0]));
	e.cell = set->job[0].cell;
	for (size_t i = 0; i < set->n_jobs; i++) {
		const struct job *job = &set->job[i];

		text_append(e.text, "%s%s%s%s of %s on %s", i ? ", " : "",
			    i ? job_id(job) : "", i ? " " : "",
			    job_rw_name(job->rw),
			    job_control_block(job, block, sizeof(block)),
			    job->filename    ? job->filename
			    : job->directory ? job->directory
					     : "a file here");
	}
	text_clean(e.text);
	pipeline_add_event(jc->pipeline, &e);
}

static bool noted(const struct job *job, size_t i, size_t k)
{
	for (size_t j = 0; j <= i; j++)
		for (size_t m = 0; m < (j == i ? k : job[j].n_notes); m++)
			if (!strcmp(job[j].note[m], job[i].note[k]))
				return true;
	return false;
}

/* Report the notes on the jobs' options, each once. */
static void job_control_add_notes(struct job_control *jc, const struct job *job,
				  size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < job[i].n_notes; k++) {
			struct event e = { .kind = EVENT_NOTE };

			if (noted(job, i, k))
				continue;
			text_set(e.job, job_id(&job[i]));
			e.cell = job[i].cell;
			text_set(e.text, job[i].note[k]);
			pipeline_add_event(jc->pipeline, &e);
		}
}

void job_control_take_events(struct job_control *jc)
{
	struct event e;

	while (workloads_event(jc->workloads, &e))
		pipeline_add_event(jc->pipeline, &e);
}

/* --- start --- */

void job_control_close_sampled(struct job_control *jc)
{
	job_control_take_events(jc);
	workloads_close_sampled(jc->workloads);
}

int job_control_open(struct job_control *jc, const struct job_request *request,
		     struct job_set **out)
{
	int err;

	set_ids(jc, request);
	err = workloads_open(jc->workloads, out, jc->root, request->job,
			     request->n_jobs, request->owned, request->allowed);
	if (err < 0)
		return err;
	(*out)->by = request->by;
	return request->witness
		       ? witness_open((*out)->workload, request->witness)
		       : 0;
}

int job_control_begin(struct job_set *set)
{
	return workload_start(set->workload);
}

int job_control_start(struct job_control *jc, const struct job_request *request,
		      struct job_set **out)
{
	int err;

	job_control_close_sampled(jc);
	/* The job is not reported together with the jobs before it. */
	request->job[0].new_group = true;
	err = job_control_open(jc, request, out);
	if (err < 0)
		return err;
	pipeline_add_jobs(jc->pipeline, (*out)->job, (*out)->n_jobs);
	add_start(jc, *out);
	job_control_add_notes(jc, (*out)->job, (*out)->n_jobs);
	return job_control_begin(*out);
}

/*
 * A permission holds only for the targets that existed when it was given: not
 * for a new file or disk of the same name, nor for a file system that was made
 * on the disk since.
 */
static int job_control_check_same(const struct job_control *jc,
				  const struct job_set *set, const char *id,
				  const struct job *again)
{
	const struct allow_list *p = &set->allowed;
	const size_t i = (size_t)(workloads_job(set, id) - set->job);
	uint64_t now = 0, contents = 0;
	int rc;

	if (!p->n_destroy && !p->n_overwrite && !p->n_override)
		return 0;
	rc = preview_identities(&now, jc->root, again, 1);
	if (rc == 0)
		rc = preview_contents_now(&contents, jc->root, again, 1);
	if (rc < 0)
		return rc;
	if (now != set->identity[i])
		return fail(ESTALE,
			    "not started: the target that job %s was allowed "
			    "to destroy has been replaced; r starts a new job",
			    id);
	if (contents && contents != set->contents[i])
		return fail(ESTALE,
			    "not started: the content of the target has changed "
			    "since job %s was allowed to destroy it; r starts a "
			    "new job",
			    id);
	return 0;
}

int job_control_again(struct job_control *jc, const char *id, enum event_by by,
		      struct job_set **out)
{
	struct job_request request = { .n_jobs = 1, .owned = true, .by = by };
	struct job_set *set;
	int err = workloads_find(jc->workloads, id, &set);

	if (err < 0)
		return err;
	if (set->workload && !workload_job_over(set->workload, id))
		return fail(EBUSY, "job %s still runs", id);
	request.job = xcalloc(1, sizeof(*request.job));
	request.allowed = &set->allowed;
	job_copy(request.job, workloads_job(set, id));
	/* The jobs that it waited for are not started with it. */
	request.job->stonewall = false;
	free(request.job->wait_for);
	request.job->wait_for = NULL;
	err = job_control_check_same(jc, set, id, request.job);
	if (err < 0) {
		job_free(request.job);
		free(request.job);
		return err;
	}
	return job_control_start(jc, &request, out);
}

/* --- change and stop --- */

/* The set of a job that has not ended and been closed. */
static int find_running(struct job_control *jc, const char *job,
			struct job_set **set)
{
	int rc = workloads_find(jc->workloads, job, set);

	if (rc < 0)
		return rc;
	return (*set)->workload ? 0 : fail(EINVAL, "job %s is over", job);
}

static void add_stop(struct job_control *jc, const struct job *job,
		     enum event_by by)
{
	struct event e = { .kind = EVENT_JOB_STOP, .cell = job->cell };

	text_set(e.job, job_id(job));
	e.by = by;
	pipeline_add_event(jc->pipeline, &e);
}

int job_control_stop(struct job_control *jc, const char *job, enum event_by by)
{
	struct job_set *set;
	int err = find_running(jc, job, &set);

	if (err >= 0)
		err = workload_stop_job(set->workload, job);
	if (err < 0)
		return err;
	add_stop(jc, workloads_job(set, job), by);
	return 0;
}

void job_control_stop_set(struct job_control *jc, struct job_set *set,
			  enum event_by by)
{
	if (!set->workload)
		return;
	for (size_t i = 0; i < set->n_jobs; i++)
		if (!workload_job_over(set->workload, job_id(&set->job[i])))
			add_stop(jc, &set->job[i], by);
	workload_stop(set->workload);
}

/* A refusal is an event as well: a reader of the log needs the reason. */
static void add_refused(struct job_control *jc, const char *job,
			const char *option, const char *value, enum event_by by,
			int error)
{
	struct event e = { .kind = EVENT_JOB_SET, .error = error };

	text_set(e.job, job);
	text_set(e.knob, option);
	text_set(e.wanted, value);
	e.by = by;
	text_set(e.text, fail_sentence());
	pipeline_add_event(jc->pipeline, &e);
}

int job_control_set(struct job_control *jc, const char *job, const char *option,
		    const char *value, enum event_by by, struct event *out)
{
	struct job_set *set;
	struct event e;
	int err = find_running(jc, job, &set);

	if (err >= 0)
		err = workload_control(set->workload, job, option, value, &e);
	if (err < 0) {
		add_refused(jc, job, option, value, by, -err);
		return err;
	}
	e.by = by;
	e.cell = workloads_job(set, job)->cell;
	pipeline_add_event(jc->pipeline, &e);
	if (out)
		*out = e;
	return 0;
}

int job_control_forget(struct job_control *jc, struct job_set *set,
		       uint64_t timeout_ns)
{
	int err = workloads_close_set(jc->workloads, set, timeout_ns);

	pipeline_forget_jobs(jc->pipeline, set->job, set->n_jobs);
	workloads_free_set(jc->workloads, set);
	return err;
}
