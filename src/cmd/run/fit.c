/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fit: replaces what this system refuses in the jobs of presets. */
#include "cmd/run/fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "workload/engine/engine.h"
#include "workload/kind/kind.h"
#include "workload/target/target.h"

/* The value of an option that the job was given, or "". */
static const char *given_value(const struct job *job, const char *option)
{
	const char *value = "";

	for (size_t i = 0; i < job->n_given; i++)
		if (!strcmp(job->given[i].name, option))
			value = job->given[i].value;
	return value;
}

void fit_read(struct fit_given *given, const struct job *global)
{
	text_set(given->engine, given_value(global, "ioengine"));
	text_set(given->direct, given_value(global, "direct"));
}

/* Whether the job has the value of the command line. */
static bool is_of_user(const struct job *job, const char *option,
		       const char *given)
{
	return *given && !strcmp(given_value(job, option), given);
}

/* The first file of the job, or the directory that it works in. */
static char *first_path(const struct job *job)
{
	size_t n;
	char **path = target_paths(job, 0, &n);
	char *first = n ? path[0] : target_directory(job, 0);

	for (size_t i = 1; i < n; i++)
		free(path[i]);
	free(path);
	return first;
}

static int fit_direct(struct job *job, const char *preset)
{
	char *path = first_path(job);
	const bool refused = scratch_refuses_direct(path);

	if (refused)
		job_note(job,
			 "preset %s uses direct=0 in place of direct=1, so the "
			 "page cache takes part: the file system of %s has no "
			 "direct I/O",
			 preset, path);
	free(path);
	return refused ? job_set(job, "direct", "0") : 0;
}

static int fit_engine(struct job *job, const char *preset)
{
	const struct engine *e, *other;
	char why[500];

	if (engine_find(job->engine, &e) || engine_try(e) == 0)
		return 0;
	text_set(why, fail_sentence());
	other = engine_instead(e, job->direct);
	job_note(job, "preset %s uses %s in place of %s%s: %s", preset,
		 other->name, e->name,
		 other->max_depth == 1 ? ", with 1 I/O in flight" : "", why);
	return job_set(job, "ioengine", other->name);
}

int fit_job(struct job *job, const struct fit_given *given, const char *preset)
{
	int err = 0;

	if (*job->kind && strcmp(job->kind, kind_io.name) != 0)
		return 0;
	if (job->direct && !is_of_user(job, "direct", given->direct))
		err = fit_direct(job, preset);
	if (err == 0 && !is_of_user(job, "ioengine", given->engine))
		err = fit_engine(job, preset);
	return err;
}
