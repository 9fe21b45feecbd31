/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs, shown for fio: as one command line, and as a job file. Both contain
 * every option that was given and every default that differs from fio's.
 */
#include "cmd/run/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/job/job_kind.h"

/* Prints one option for fio, for the command line or for a job file. */
typedef void put_fn(const char *name, const char *value);

static void jobs_put_word(const char *name, const char *value)
{
	printf(" --%s=", name);
	text_put_word(stdout, value);
}

/* fio cuts a line of a job file at these characters, wherever they are. */
static void jobs_put_line(const char *name, const char *value)
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
static void jobs_put_errors(const char *name, const char *value, put_fn *put)
{
	char *text = xstrdup("");

	while (*value) {
		size_t n = strcspn(value, ",:");
		char *word = strndup(value, n);

		if (*word)
			xappend(&text, "%d", job_errno(word));
		free(word);
		value += n;
		if (*value)
			xappend(&text, "%c", *value++);
	}
	put(name, text);
	free(text);
}

static void jobs_put_number(put_fn *put, const char *name, unsigned long long n)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", n);
	put(name, text);
}

/* Whether a job's own option replaces this option of the defaults. */
static bool jobs_overridden(const struct job *j, size_t i)
{
	for (size_t k = 0; k < j->n_given; k++)
		if (j->given[i].global && !j->given[k].global &&
		    !strcmp(j->given[i].name, j->given[k].name))
			return true;
	return false;
}

/* fio would read only the whole number of "1.5g", so print the bytes. */
static void jobs_put_given(const struct job *j, const struct job_given *g,
			   put_fn *put)
{
	const struct job_option *o = job_option_find(g->name);
	const char *member = (const char *)j + o->offset;
	char text[32];

	if (o->kind == &job_errors) {
		jobs_put_errors(g->name, g->value, put);
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

/* Options that jobs_put_job() prints itself, or that fio does not have. */
static bool is_left_out(const char *name)
{
	return text_among(name, "name", "process", "kb_base", "assert");
}

static void jobs_put_job(const struct job *j, put_fn *put)
{
	/* fio reads sizes with the kb_base that stands before them. */
	if (job_was_given(j, "kb_base"))
		jobs_put_number(put, "kb_base", j->kb_base);
	for (size_t i = 0; i < j->n_given; i++) {
		const struct job_given *g = &j->given[i];

		if (!is_left_out(g->name) && !jobs_overridden(j, i))
			jobs_put_given(j, g, put);
	}
	/* What the next job file of a command line begins with. */
	if (j->stonewall && !job_was_given(j, "stonewall"))
		put("stonewall", "1");
}

/* A section's name cannot hold these characters either, nor ']'. */
static void put_section(const char *name)
{
	fputs("\n[", stdout);
	for (; *name; name++)
		putchar(strchr(";#]", *name) ? '_' : *name);
	fputs("]\n", stdout);
}

void jobs_showcmd(const struct settings *s)
{
	/* The command line is a comment: the output is a job file. */
	fputs("# fio", stdout);
	for (size_t i = 0; i < s->n_jobs; i++) {
		jobs_put_word("name", s->job[i].name);
		jobs_put_job(&s->job[i], jobs_put_word);
	}
	putchar('\n');
	for (size_t i = 0; i < s->n_jobs; i++) {
		put_section(s->job[i].name);
		jobs_put_job(&s->job[i], jobs_put_line);
	}
}
