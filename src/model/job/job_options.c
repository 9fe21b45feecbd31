/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job options: the table of all themes; set one option. */
#include "model/job/job.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "model/job/job_kind.h"
#include "model/job/job_rows.h"

static const struct job_option_group *const groups[] = {
	&job_rows_files,   &job_rows_pattern, &job_rows_engine,
	&job_rows_command, &job_rows_fileio,  &job_rows_iozone,
	&job_rows_fsmark,  &job_rows_dbench,
	&job_rows_pgbench, &job_rows_startup, &job_rows_engines,
	&job_rows_flow,    &job_rows_rate,
	&job_rows_sync,    &job_rows_data,    &job_rows_results,
	&job_rows_accepted, &job_rows_refused,
};

const struct job_option_group *job_option_group_at(size_t i)
{
	return i < ARRAY_SIZE(groups) ? groups[i] : NULL;
}

const struct job_option *job_option_at(size_t i)
{
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		if (i < groups[g]->n)
			return &groups[g]->option[i];
		i -= groups[g]->n;
	}
	return NULL;
}

const struct job_option *job_option_find(const char *name)
{
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		for (size_t i = 0; i < groups[g]->n; i++) {
			const struct job_option *o = &groups[g]->option[i];

			if (!strcmp(o->name, name) ||
			    (o->alias && !strcmp(o->alias, name)))
				return o;
		}
	}
	return NULL;
}

bool job_option_bare(const struct job_option *o)
{
	return o->kind->bare;
}

void job_note(struct job *job, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_clean(text);
	for (size_t i = 0; i < job->n_notes; i++)
		if (!strcmp(job->note[i], text))
			return;
	if (job->n_notes >= JOB_MAX_NOTES)
		return;
	*xadd(job->note, job->n_notes, job->cap_notes) = xstrdup(text);
}

static const char *option_name_at(size_t i, const void *arg)
{
	return job_option_at(i)->name;
}

static int job_unknown(const char *name)
{
	size_t n = 0;

	while (job_option_at(n))
		n++;
	return fail(EOPNOTSUPP,
		    "job option %s is not supported%s; iodyno list options "
		    "shows the supported ones",
		    name,
		    text_did_you_mean("", text_closest(name, n, option_name_at,
						       NULL))
			    .text);
}

static int job_refused(const struct job_option *o, const char *value)
{
	if (o->words && value && !strcmp(value, o->words->word))
		return 0;
	return fail(EOPNOTSUPP, "job option %s is not supported: %s%s%s",
		    o->name, o->why, o->near ? "; the nearest is " : "",
		    o->near ? o->near : "");
}

/*
 * Record the option as given; a later one of the same name replaces it, or
 * stands beside it.
 */
static void job_remember(struct job *job, const struct job_option *o,
			 const char *value)
{
	const char *name = o->name;
	char *old;
	size_t i = 0;

	while (i < job->n_given && (job->given[i].global != job->defaults ||
				    strcmp(job->given[i].name, name)))
		i++;
	if (i == job->n_given) {
		job->given = xgrow(job->given, &job->cap_given, i + 1,
				   sizeof(*job->given));
		job->given[i].name = name;
		job->given[i].value = NULL;
		job->given[i].global = job->defaults;
		job->n_given++;
	}
	job->given[i].foreign = job->foreign;
	old = job->given[i].value;
	job->given[i].value = old && o->repeats
				      ? xasprintf("%s\n%s", old, value)
				      : xstrdup(value);
	free(old);
}

/* Check the value of an option without effect, and note it. */
static int accepted(struct job *job, const struct job_option *o,
		    const char *value)
{
	union {
		uint64_t number[JOB_DIRS];
		char *text;
	} scratch = { { 0 } };
	int err = o->kind->parse(job, o, value, &scratch);

	if (o->kind->owned && o->kind->owned(job, &scratch, 0) == &scratch.text)
		free(scratch.text);
	if (!err)
		job_note(job, "%s is accepted and has no effect here: %s",
			 o->name, o->why);
	return err;
}

int job_set(struct job *job, const char *name, const char *value)
{
	const struct job_option *o = job_option_find(name);
	int err;

	if (!o)
		return job_unknown(name);
	if (o->class == JOB_REFUSED)
		err = job_refused(o, value);
	else if (!value && !o->kind->bare)
		err = fail(EINVAL, "%s needs a value: %s=%s", o->name, o->name,
			   o->value);
	else if (o->class == JOB_ACCEPTED)
		err = accepted(job, o, value);
	else
		err = o->kind->parse(job, o, value, (char *)job + o->offset);
	if (!err)
		job_remember(job, o, value ? value : "1");
	return err;
}
