/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job JSON: write a job to the log's header and read it back. */
#include "model/job/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/job/job_kind.h"

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
static void job_put_given(struct json_writer *w, const struct job *job,
			  const char *key, bool global)
{
	size_t n = 0;

	for (size_t i = 0; i < job->n_given; i++) {
		if (job->given[i].global != global)
			continue;
		if (!n++) {
			json_writer_begin(w, key, '{');
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
	job_put_given(w, job, "given", false);
	job_put_given(w, job, "given_to_all", true);
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
static bool job_whole(const struct job_option *o, double v, uint64_t *out)
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
			 job_whole(o, json_number(value), &n))
			o->kind->from_number(member, n);
	}
	point_cell_read(j, &job->cell);
	job->nth = 1;
	if (json_get_number(j, "nth") > 1 && json_get_number(j, "nth") < 1e9)
		job->nth = (unsigned)json_get_number(j, "nth");
	if (json_get_string(j, "id")) {
		text_set(job->id, json_get_string(j, "id"));
		text_clean(job->id);
	}
}
