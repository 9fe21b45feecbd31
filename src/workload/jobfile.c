/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job file: jobs from a fio job file.
 */
#include "workload/jobfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"

#define MAX_BYTES (1u << 20)
#define MAX_JOBS  1024
#define MAX_LINE  4096

struct parser {
	const char *path;
	unsigned line, jobs;
	struct job *global, *job; /* job: the section being read */
	struct job *(*add)(void *arg);
	void *arg;
};

/* Put file and line in front of the kept sentence. */
static int at_line(const struct parser *p)
{
	return fail(EINVAL, "%s:%u: %s", p->path, p->line, fail_sentence());
}

/* Replace ${NAME} by the environment's value, into out. */
static int expand(const char *in, char *out, size_t size)
{
	size_t n = 0;

	while (*in) {
		const char *end =
			in[0] == '$' && in[1] == '{' ? strchr(in, '}') : NULL;
		char name[128];
		const char *value;
		int len;

		if (!end) {
			if (n + 1 >= size)
				return fail(EINVAL, "the line is too long");
			out[n++] = *in++;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)(end - in - 2),
			 in + 2);
		value = getenv(name);
		if (!value)
			return fail(EINVAL,
				    "${%s} is not set in the environment",
				    name);
		len = snprintf(out + n, size - n, "%s", value);
		if (len < 0 || (size_t)len >= size - n)
			return fail(EINVAL, "the line is too long");
		n += (size_t)len;
		in = end + 1;
	}
	out[n] = '\0';
	return 0;
}

static int section(struct parser *p, char *line)
{
	char *end = strchr(line, ']');
	int err;

	if (!end || end == line + 1)
		return fail(EINVAL, "a section is [NAME]");
	*end = '\0';
	/* fio takes any name that begins so for the defaults. */
	if (!strncmp(line + 1, "global", 6)) {
		p->job = p->global;
		return 0;
	}
	if (++p->jobs > MAX_JOBS)
		return fail(EINVAL, "more than %u jobs", MAX_JOBS);
	p->job = p->add(p->arg);
	err = job_set(p->job, "name", line + 1);
	return err;
}

static int option(struct parser *p, char *line)
{
	char *eq = strchr(line, '='), *name, *value = NULL;

	if (!p->job)
		return fail(EINVAL, "an option stands before any [section]");
	if (eq) {
		*eq = '\0';
		value = text_trim(eq + 1);
	}
	name = text_trim(line);
	if (!strncmp(name, "include ", 8))
		return fail(EINVAL, "include is not supported; paste the file");
	return job_set(p->job, name, value);
}

static int parse_line(struct parser *p, char *line)
{
	char expanded[MAX_LINE], *start;
	int err;

	line[strcspn(line, ";#")] = '\0';
	start = text_trim(line);
	if (!*start)
		return 0;
	err = expand(start, expanded, sizeof(expanded));
	if (err < 0)
		return at_line(p);
	err = expanded[0] == '[' ? section(p, expanded) : option(p, expanded);
	return err < 0 ? at_line(p) : 0;
}

int jobfile_parse(const char *path, char *text, struct job *global,
		  struct job *(*add)(void *arg), void *arg)
{
	struct parser p = {
		.path = path, .global = global, .add = add, .arg = arg
	};
	char *line;

	while ((line = strsep(&text, "\n"))) {
		int err;

		p.line++;
		err = parse_line(&p, line);
		if (err < 0)
			return err;
	}
	if (!p.jobs)
		return fail(EINVAL, "%s holds no job; a job is a [section]",
			    path);
	return 0;
}

int jobfile_read(const char *path, struct job *global,
		 struct job *(*add)(void *arg), void *arg)
{
	FILE *in = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *text;
	size_t n;
	int err;

	if (!in)
		return fail(errno, "cannot read job file %s: %s", path,
			    strerror(errno));
	text = xmalloc(MAX_BYTES + 1);
	n = fread(text, 1, MAX_BYTES + 1, in);
	err = ferror(in) ? errno : 0;
	if (in != stdin)
		fclose(in);
	if (err)
		err = fail(err, "cannot read job file %s: %s", path,
			   strerror(err));
	else if (n > MAX_BYTES)
		err = fail(EFBIG, "job file %s is larger than 1 MiB", path);
	else if (memchr(text, '\0', n))
		err = fail(EINVAL, "job file %s is not text", path);
	if (!err) {
		text[n] = '\0';
		err = jobfile_parse(path, text, global, add, arg);
	}
	free(text);
	return err;
}
