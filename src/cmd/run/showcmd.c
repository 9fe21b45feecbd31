/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Show the jobs for fio: as one command line, and as a job file. Both name all
 * that was given for each job and every default that differs from fio's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rerun.h"
#include "base/text.h"
#include "cmd/run/jobs.h"
#include "model/job/job_kind.h"

/* Calls put for each option that fio is to be given; quoted or not. */
typedef void put_fn(const char *name, const char *value);

static void put_word(const char *name, const char *value)
{
	printf(" --%s=", name);
	rerun_put_word(stdout, value);
}

/* fio cuts a line of a job file at these characters, wherever they are. */
static void put_line(const char *name, const char *value)
{
	if (!text_is_clean(value)) {
		printf("; no job file can hold the control characters of %s: "
		       "give it on the command line\n",
		       name);
		return;
	}
	if (strpbrk(value, ";#"))
		printf("; no job file can hold '%c', give on the command "
		       "line: ",
		       *strpbrk(value, ";#"));
	printf("%s=%s\n", name, value);
}

/* fio knows few errors by name, so print numbers. */
static void put_errors(const char *name, const char *value, put_fn *put)
{
	char *text = xstrdup("");

	while (*value) {
		size_t n = strcspn(value, ",:");
		char *word = strndup(value, n);
		char *more = *word ? xasprintf("%s%d", text, job_errno(word))
				   : xstrdup(text);

		free(word);
		free(text);
		value += n;
		text = *value ? xasprintf("%s%c", more, *value++)
			      : xstrdup(more);
		free(more);
	}
	put(name, text);
	free(text);
}

static bool given(const struct job *j, const char *name)
{
	for (size_t i = 0; i < j->n_given; i++)
		if (!strcmp(j->given[i].name, name))
			return true;
	return false;
}

static void put_number(put_fn *put, const char *name, unsigned long long n)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", n);
	put(name, text);
}

/* Defaults that differ from fio's: threads, and batches as they come. */
static void put_defaults(const struct job *j, put_fn *put)
{
	if (!j->process && !given(j, "thread"))
		put("thread", "1");
	if (j->iodepth > 1 && !given(j, "iodepth_batch"))
		put_number(put, "iodepth_batch", j->iodepth);
	if (j->iodepth > 1 && !given(j, "iodepth_batch_complete_max"))
		put_number(put, "iodepth_batch_complete_max", j->iodepth);
	if (j->stonewall && !given(j, "stonewall"))
		put("stonewall", "1");
}

/* An option of the job that a default has, too, wins. */
static bool overridden(const struct job *j, size_t i)
{
	for (size_t k = 0; k < j->n_given; k++)
		if (j->given[i].global && !j->given[k].global &&
		    !strcmp(j->given[i].name, j->given[k].name))
			return true;
	return false;
}

/* fio would read only the whole number of "1.5g", so print the bytes. */
static void put_given(const struct job *j, const struct job_given *g,
		      put_fn *put)
{
	const struct job_option *o = job_option_find(g->name);
	const char *member = (const char *)j + o->offset;
	char text[32];

	if (o->kind == &job_errors) {
		put_errors(g->name, g->value, put);
		return;
	}
	if (!strchr(g->value, '.') ||
	    (o->kind != &job_size && o->kind != &job_ns)) {
		put(g->name, g->value);
		return;
	}
	if (o->kind == &job_size)
		snprintf(text, sizeof(text), "%.0f", o->kind->number(member));
	else
		snprintf(text, sizeof(text), "%.0fus",
			 o->kind->number(member) / 1000);
	put(g->name, text);
}

/* Put elsewhere, or unknown to fio and without effect on its I/O. */
static bool is_left_out(const char *name)
{
	static const char *const names[] = { "name", "process", "kb_base",
					     "assert" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static void put_job(const struct job *j, put_fn *put)
{
	/* In fio, sizes are read with the base that was given before them. */
	if (given(j, "kb_base"))
		put_number(put, "kb_base", j->kb_base);
	for (size_t i = 0; i < j->n_given; i++) {
		const struct job_given *g = &j->given[i];

		if (!is_left_out(g->name) && !overridden(j, i))
			put_given(j, g, put);
	}
	put_defaults(j, put);
}

/* A section's name cannot hold these characters either, nor ']'. */
static void put_section(const char *name)
{
	fputs("\n[", stdout);
	for (; *name; name++)
		putchar(strchr(";#]", *name) ? '_' : *name);
	fputs("]\n", stdout);
}

void showcmd_jobs(const struct settings *s)
{
	/* A comment: the whole is a job file, for fio and for us. */
	fputs("# fio", stdout);
	for (size_t i = 0; i < s->n_jobs; i++) {
		put_word("name", s->job[i].name);
		put_job(&s->job[i], put_word);
	}
	putchar('\n');
	for (size_t i = 0; i < s->n_jobs; i++) {
		put_section(s->job[i].name);
		put_job(&s->job[i], put_line);
	}
}
