/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job options: the table of all themes, and how one is set.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "model/job/job.h"
#include "model/job/job_kind.h"
#include "model/job/job_rows.h"

static const struct job_option_group *const groups[] = {
	&job_rows_files,   &job_rows_pattern, &job_rows_engine,
	&job_rows_command, &job_rows_fileio,  &job_rows_iozone,
	&job_rows_fsmark,  &job_rows_dbench,  &job_rows_sqlite,
	&job_rows_pgbench, &job_rows_startup,
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
	job->note = xgrow(job->note, &job->cap_notes, job->n_notes + 1,
			  sizeof(*job->note));
	job->note[job->n_notes++] = xstrdup(text);
}

static const char *option_name_at(size_t i, const void *arg not_used)
{
	return job_option_at(i)->name;
}

static int unknown(const char *name)
{
	char near[TEXT_NEAR_MAX];
	size_t n = 0;

	while (job_option_at(n))
		n++;
	return fail(EOPNOTSUPP,
		    "job option %s is not supported%s; iodyno list options "
		    "shows the supported ones",
		    name,
		    text_did_you_mean(near, "",
				      text_closest(name, n, option_name_at,
						   NULL)));
}

static int refused(const struct job_option *o, const char *value)
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
static void remember(struct job *job, const struct job_option *o,
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
		job->given[i].name = xstrdup(name);
		job->given[i].value = NULL;
		job->given[i].global = job->defaults;
		job->n_given++;
	}
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
		return unknown(name);
	if (o->class == JOB_REFUSED)
		err = refused(o, value);
	else if (!value && !o->kind->bare)
		err = fail(EINVAL, "%s needs a value: %s=%s", o->name, o->name,
			   o->value);
	else if (o->class == JOB_ACCEPTED)
		err = accepted(job, o, value);
	else
		err = o->kind->parse(job, o, value, (char *)job + o->offset);
	if (!err)
		remember(job, o, value ? value : "1");
	return err;
}

/*
 * Job JSON: the way into the log's header and back.
 */

static void put_option(struct json_writer *w, const struct job *job,
		       const struct job_option *o)
{
	const void *member = (const char *)job + o->offset;
	const char *text = o->kind->text ? o->kind->text(member) : NULL;

	if (text)
		json_writer_put_text(w, o->key, text);
	else if (o->kind->number)
		json_writer_put_number(w, o->key, o->kind->number(member));
}

/* The given options, in order. */
static void put_given(struct json_writer *w, const struct job *job,
		      const char *key, bool global)
{
	size_t n = 0;

	for (size_t i = 0; i < job->n_given; i++) {
		if (job->given[i].global != global)
			continue;
		if (!n++) {
			json_writer_key(w, key);
			json_writer_open(w, '{');
		}
		json_writer_put_text(w, job->given[i].name,
				     job->given[i].value);
	}
	if (n)
		json_writer_close(w, '}');
}

void job_json_write(struct json_writer *w, const struct job *job)
{
	const struct job_option *o;

	json_writer_open(w, '{');
	for (size_t i = 0; (o = job_option_at(i)); i++)
		if (o->key)
			put_option(w, job, o);
	put_given(w, job, "given", false);
	put_given(w, job, "given_to_all", true);
	/* The name of rows and events, where it differs from the job's name. */
	if (*job->id && strcmp(job->id, job->name) != 0)
		json_writer_put_text(w, "id", job->id);
	if (job->nth > 1)
		json_writer_put_number(w, "nth", job->nth);
	point_cell_write(w, &job->cell);
	json_writer_close(w, '}');
}

/* Set the given options again; skip those that are no longer valid. */
static void read_given(const char *name, struct json *value, void *job)
{
	char *text = xstrdup(json_string(value) ? json_string(value) : "");

	text_clean(text);
	if (job_option_find(name) && job_set(job, name, text) < 0)
		job_note(job, "%s of the log is left out", name);
	free(text);
}

/*
 * A number within the option's range, whole. A 0 below it means "not given",
 * which is the default.
 */
static bool whole(const struct job_option *o, double v, uint64_t *out)
{
	uint64_t most = o->max ? o->max : UINT64_MAX;

	if (!(v >= 0 && v < 0x1p63) || v != (double)(uint64_t)v)
		return false;
	*out = (uint64_t)v;
	return *out >= o->min && *out <= most;
}

void job_json_read(struct job *job, struct json *j)
{
	const struct job_option *o;
	uint64_t n;

	job_init(job);
	job->defaults = true;
	json_each(json_get(j, "given_to_all"), read_given, job);
	job->defaults = false;
	json_each(json_get(j, "given"), read_given, job);
	for (size_t i = 0; (o = job_option_at(i)); i++) {
		struct json *value = o->key ? json_get(j, o->key) : NULL;
		void *member = (char *)job + o->offset;

		if (json_string(value) && o->kind->from_text)
			o->kind->from_text(member, json_string(value));
		else if (o->kind->from_number &&
			 whole(o, json_number(value), &n))
			o->kind->from_number(member, n);
	}
	point_cell_read(j, &job->cell);
	job->nth = 1;
	if (json_get_number(j, "nth") > 1 && json_get_number(j, "nth") < 1e9)
		job->nth = (unsigned)json_get_number(j, "nth");
	if (json_get_string(j, "id")) {
		text_copy(job->id, sizeof(job->id), json_get_string(j, "id"));
		text_clean(job->id);
	}
}
