/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job JSON: the way into the log's header and back.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/job.h"
#include "model/job_kind.h"

static void put_option(struct json *j, const struct job *job,
		       const struct job_option *o)
{
	const void *member = (const char *)job + o->offset;
	const char *text = o->kind->text ? o->kind->text(member) : NULL;

	if (text)
		json_put_text(j, o->key, text);
	else if (o->kind->number)
		json_put_number(j, o->key, o->kind->number(member));
}

/* What the user gave, in order. */
static void put_given(struct json *j, const struct job *job, const char *key,
		      bool global)
{
	struct json *given = json_new_object();
	size_t n = 0;

	for (size_t i = 0; i < job->n_given; i++) {
		if (job->given[i].global != global)
			continue;
		json_put_text(given, job->given[i].name, job->given[i].value);
		n++;
	}
	if (n)
		json_put(j, key, given);
	else
		json_free(given);
}

struct json *job_json(const struct job *job)
{
	struct json *j = json_new_object();
	const struct job_option *o;

	for (size_t i = 0; (o = job_option_at(i)); i++)
		if (o->key)
			put_option(j, job, o);
	put_given(j, job, "given", false);
	put_given(j, job, "given_to_all", true);
	/* Rows and events call it so when another job has its name. */
	if (*job->id && strcmp(job->id, job->name))
		json_put_text(j, "id", job->id);
	return j;
}

/* Set again what was given; what cannot be set any more is left out. */
static void read_given(const char *name, struct json *value, void *job)
{
	char *text = xstrdup(json_string(value) ? json_string(value) : "");

	text_clean(text);
	if (job_option_find(name) && job_set(job, name, text) < 0)
		job_note(job, "%s of the log is left out", name);
	free(text);
}

/*
 * A whole number within the option's range. A 0 below it says "not given",
 * which is what the default says, too.
 */
static bool whole(const struct job_option *o, double v, uint64_t *out)
{
	uint64_t most = o->max ? o->max : UINT64_MAX;

	if (!(v >= 0 && v < 0x1p63) || v != (double)(uint64_t)v)
		return false;
	*out = (uint64_t)v;
	return *out >= o->min && *out <= most;
}

void job_from_json(struct job *job, struct json *j)
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
	if (json_get_string(j, "id")) {
		text_copy(job->id, sizeof(job->id), json_get_string(j, "id"));
		text_clean(job->id);
	}
}
