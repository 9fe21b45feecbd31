/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preview thread: read the request, examine its targets. */
#include "cmd/session/preview_thread.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/run/jobs.h"
#include "workload/jobfile/jobfile.h"
#include "workload/workload.h"

#define PATIENCE_MS 1000

struct preview_thread {
	struct run_request request;
	struct run_preview result;
	struct allow_list need;
	uint64_t *identity;       /* of each job's targets, taken first */
	struct settings settings; /* a command line of its own */
	char *argument;
	struct root root;      /* its own: the thread may be left behind */
	struct opener *opener; /* likewise */
	pthread_t thread;
	bool ended; /* the thread has ended */
	int fd;
};

static const char *preview_thread_given(const struct run_request *r,
					const char *name)
{
	for (size_t i = 0; i < r->n_options; i++)
		if (!strcmp(r->option[i].name, name))
			return r->option[i].value;
	return NULL;
}

/* A path that is not a directory, or does not exist, is the name of a file. */
static int preview_thread_set_target(struct job *job, const char *target)
{
	struct stat st;
	bool dir = stat(target, &st) == 0 && S_ISDIR(st.st_mode);

	return dir ? job_set(job, "directory", target)
		   : jobs_target_filename(job, target);
}

/* Name a job of options alone after its pattern. */
static int make_job(struct preview_thread *k)
{
	const char *rw = preview_thread_given(&k->request, "rw");
	struct job *job = settings_add_job(&k->settings);
	int rc = job_set(job, "name", rw ? rw : "read");

	if (rc == 0 && preview_thread_given(&k->request, "runtime"))
		rc = job_set(job, "time_based", NULL);
	return rc;
}

static int read_source(struct preview_thread *k)
{
	const char *source = k->request.source;
	struct stat st;

	if (!*source)
		return make_job(k);
	k->argument = xstrdup(source);
	if (preset_find(source)) {
		k->settings.arg.word = &k->argument;
		k->settings.arg.n = 1;
	} else {
		if (stat(source, &st))
			return fail(errno,
				    "%s is neither a preset nor a job file: %s",
				    source, strerror(errno));
		if (!S_ISREG(st.st_mode))
			return fail(EINVAL, "%s is not a job file", source);
		k->settings.jobfile.word = &k->argument;
		k->settings.jobfile.n = 1;
	}
	return jobs_parse(&k->settings);
}

/* Give the options of the request to all jobs of the source. */
static int preview_thread_set_options(struct preview_thread *k)
{
	const struct run_request *r = &k->request;
	int rc = 0;

	for (size_t i = 0; i < k->settings.n_jobs && rc == 0; i++) {
		struct job *job = &k->settings.job[i];

		if (*r->target)
			rc = preview_thread_set_target(job, r->target);
		for (size_t o = 0; o < r->n_options && rc == 0; o++)
			rc = job_set(job, r->option[o].name,
				     r->option[o].value);
	}
	return rc;
}

/* Give a new file a size; an existing file has one. */
static int preview_thread_set_size(struct preview_thread *k)
{
	struct stat st;
	struct job *job = k->settings.job;

	if (*k->request.source || job->size_bytes || job->size_pct ||
	    (job->filename && stat(job->filename, &st) == 0))
		return 0;
	return job_set(job, "size", "1g");
}

static int identify(const struct preview_thread *k, uint64_t **out)
{
	const struct settings *s = &k->settings;

	*out = xcalloc(s->n_jobs, sizeof(**out));
	return preview_identities(*out, &k->root, s->job, s->n_jobs);
}

/*
 * Destroy only the device that the preview showed, not another one that got its
 * name.
 */
static int preview_thread_check_same(const struct preview_thread *k)
{
	uint64_t *now;
	int rc;

	if (!*k->result.demand && !k->result.asks)
		return 0;
	rc = identify(k, &now);
	if (rc == 0 &&
	    memcmp(now, k->identity, k->settings.n_jobs * sizeof(*now)) != 0)
		rc = fail(ESTALE, "not started: what is to be destroyed is not "
				  "what was previewed; preview it again");
	free(now);
	return rc;
}

static int find_out(struct preview_thread *k)
{
	struct settings *s = &k->settings;
	struct run_preview *o = &k->result;
	char words[120];
	int rc = read_source(k);

	if (rc == 0)
		rc = preview_thread_set_options(k);
	if (rc == 0 && s->n_jobs == 0)
		rc = fail(EINVAL, "%s has no job", k->request.source);
	if (rc == 0)
		rc = preview_thread_set_size(k);
	if (rc == 0)
		rc = jobs_check(s);
	if (rc < 0)
		return rc;
	o->n_jobs = s->n_jobs;
	for (size_t i = 0; i < s->n_jobs && i < RUN_LINES; i++)
		snprintf(o->job[i], sizeof(o->job[i]), "%.32s: %s",
			 job_id(&s->job[i]),
			 jobs_words(&s->job[i], words, sizeof(words)));
	rc = identify(k, &k->identity);
	if (rc < 0)
		return rc;
	rc = preview_jobs(o, &k->need, &k->root, s->job, s->n_jobs);
	if (rc == 0 && strlen(o->demand) >= sizeof(k->request.confirm))
		rc = fail(E2BIG, "too much would be destroyed to name it here; "
				 "use iodyno run with --destroy-data");
	return rc;
}

static void *preview_thread(void *arg)
{
	struct preview_thread *k = arg;
	const uint64_t one = 1;

	int rc = find_out(k);

	if (rc < 0)
		text_set(k->result.error, fail_sentence());
	/* Explain the refusal to a user of sudo. */
	if (rc == -EACCES && getenv("SUDO_UID") && geteuid() != 0)
		snprintf(k->result.error, sizeof(k->result.error),
			 "%.300s; this screen has given up the rights of root: "
			 "give the job to sudo iodyno run",
			 fail_sentence());
	if (write(k->fd, &one, sizeof(one)) < 0)
		die("cannot report the end of a preview: %s", strerror(errno));
	return NULL;
}

int preview_thread_begin(struct preview_thread **out, const struct root *root,
			 const struct allow_list *given,
			 const struct run_request *request)
{
	/* Where files may be made; what may be lost is asked for anew. */
	const struct allow_list paths = {
		.readonly = given->readonly,
		.place = given->place,
		.n_place = given->n_place,
		.path = given->path,
		.n_path = given->n_path,
		.folder = given->folder,
	};
	struct preview_thread *k = xcalloc(1, sizeof(*k));
	sigset_t all, before;
	int rc = root_open(&k->root, root->live ? NULL : root->path);

	if (rc < 0) {
		free(k);
		return rc;
	}
	k->root.opener = k->opener = opener_copy(root->opener);
	k->request = *request;
	settings_init(&k->settings, 0, NULL);
	k->settings.readonly = given->readonly;
	k->need = guard_allow_list_copy(&paths);
	k->fd = eventfd(0, EFD_CLOEXEC);
	if (k->fd < 0) {
		rc = errno;
	} else {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		rc = pthread_create(&k->thread, NULL, preview_thread, k);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	if (rc) {
		if (k->fd >= 0)
			close(k->fd);
		root_close(&k->root);
		opener_stop(k->opener);
		settings_free(&k->settings);
		free(k);
		return fail(rc, "cannot preview the job: %s", strerror(rc));
	}
	*out = k;
	return 0;
}

int preview_thread_fd(const struct preview_thread *preview)
{
	return preview->fd;
}

void preview_thread_end(struct preview_thread *preview)
{
	if (!preview->ended)
		pthread_join(preview->thread, NULL);
	preview->ended = true;
}

const struct run_preview *
preview_thread_result(const struct preview_thread *preview)
{
	return &preview->result;
}

/* Compare the requests without the typed confirmation. */
static bool preview_thread_same(const struct run_request *a,
				const struct run_request *b)
{
	bool equal = !strcmp(a->source, b->source) &&
		     !strcmp(a->target, b->target) &&
		     a->n_options == b->n_options;

	for (size_t i = 0; equal && i < a->n_options; i++)
		equal = !strcmp(a->option[i].name, b->option[i].name) &&
			!strcmp(a->option[i].value, b->option[i].value);
	return equal;
}

int preview_thread_take(struct preview_thread *preview,
			const struct run_request *request, struct job **job,
			size_t *n, const struct allow_list **allowed)
{
	int rc;

	if (!preview || !preview->settings.n_jobs ||
	    !preview_thread_same(&preview->request, request))
		return fail(EINVAL, "preview the jobs before starting them");
	if (*preview->result.error)
		return fail(EINVAL, "%s", preview->result.error);
	if (strcmp(request->confirm, preview->result.demand) != 0)
		return fail(EPERM, "to destroy it type: %s",
			    preview->result.demand);
	rc = preview_thread_check_same(preview);
	if (rc < 0)
		return rc;
	*job = preview->settings.job;
	*n = preview->settings.n_jobs;
	*allowed = &preview->need;
	preview->settings.job = NULL;
	preview->settings.n_jobs = preview->settings.cap_jobs = 0;
	return 0;
}

char *const *preview_thread_devices(const struct preview_thread *preview,
				    size_t *n)
{
	*n = preview && preview->result.asks ? preview->need.n_destroy : 0;
	return *n ? preview->need.destroy : NULL;
}

void preview_thread_free(struct preview_thread *preview)
{
	struct pollfd p = { .events = POLLIN };

	if (!preview)
		return;
	p.fd = preview->fd;
	if (!preview->ended && poll(&p, 1, PATIENCE_MS) != 1) {
		pthread_detach(preview->thread);
		return;
	}
	preview_thread_end(preview);
	close(preview->fd);
	/* The list has one word, made here. */
	preview->settings.arg = preview->settings.jobfile =
		(struct words){ .n = 0 };
	settings_free(&preview->settings);
	root_close(&preview->root);
	opener_stop(preview->opener);
	guard_allow_list_free(&preview->need);
	free(preview->identity);
	free(preview->argument);
	free(preview);
}
