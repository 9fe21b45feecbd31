/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target paths: the files of a clone, by fio's rules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "workload/target/target.h"

/* Split a list at ':' ("\:" is a literal colon); NULL gives no items. */
static char **split(const char *list, size_t *n)
{
	char **items = NULL, *item;
	size_t cap = 0, len = 0;

	*n = 0;
	if (!list)
		return NULL;
	item = xmalloc(strlen(list) + 1);
	for (const char *p = list;; p++) {
		if (*p == '\\' && p[1] == ':') {
			item[len++] = *++p;
			continue;
		}
		if (*p && *p != ':') {
			item[len++] = *p;
			continue;
		}
		item[len] = '\0';
		if (len) {
			items = xgrow(items, &cap, *n + 1, sizeof(*items));
			items[(*n)++] = xstrdup(item);
		}
		len = 0;
		if (!*p)
			break;
	}
	free(item);
	return items;
}

static void free_all(char **items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(items[i]);
	free(items);
}

/* directory/name, unless the name is absolute or there is no directory. */
static char *join(const char *directory, char *name)
{
	char *path;

	if (!directory || name[0] == '/')
		return name;
	path = xasprintf("%s/%s", directory, name);
	free(name);
	return path;
}

/* The words of filename_format and their meanings, as fio has them. */
enum { VARIABLE_TEXT = 24 };

static const char *const variables[] = { "$jobname", "$clientuid", "$jobnum",
					 "$filenum" };

/* The i-th of the variables, as text. */
static const char *variable(size_t i, const struct job *job, unsigned jobnum,
			    unsigned filenum, char *buf)
{
	if (i == 0)
		return job->name;
	/* A run without a server has this client id. */
	if (i == 1)
		return "localhost";
	snprintf(buf, VARIABLE_TEXT, "%u", i == 2 ? jobnum : filenum);
	return buf;
}

/* A variable that is not known stays as it is. */
static char *format_name(const struct job *job, unsigned jobnum,
			 unsigned filenum)
{
	const char *p = job->filename_format;
	char *name = xstrdup(""), buf[VARIABLE_TEXT], *longer;

	if (!p || !*p)
		p = "$jobname.$jobnum.$filenum";
	while (*p) {
		const char *word = NULL;
		size_t skip = 1;

		for (size_t i = 0; i < ARRAY_SIZE(variables) && !word; i++) {
			if (strncmp(p, variables[i], strlen(variables[i])) != 0)
				continue;
			word = variable(i, job, jobnum, filenum, buf);
			skip = strlen(variables[i]);
		}
		longer = word ? xasprintf("%s%s", name, word)
			      : xasprintf("%s%c", name, *p);
		free(name);
		name = longer;
		p += skip;
	}
	return name;
}

char *target_directory(const struct job *job, unsigned jobnum)
{
	size_t n;
	char **all = split(job->directory, &n);
	char *one = xstrdup(n ? all[jobnum % n] : ".");

	free_all(all, n);
	return one;
}

char **target_paths(const struct job *job, unsigned jobnum, size_t *n)
{
	size_t n_directories;
	char **directories = split(job->directory, &n_directories);
	const char *directory =
		n_directories ? directories[jobnum % n_directories] : NULL;
	char **paths = split(job->filename, n);

	if (*n == 0) {
		free(paths);
		*n = job->nrfiles ? job->nrfiles : 1;
		paths = xcalloc(*n, sizeof(*paths));
		for (size_t i = 0; i < *n; i++)
			paths[i] = format_name(job, jobnum, (unsigned)i);
	}
	for (size_t i = 0; i < *n; i++)
		paths[i] = join(directory, paths[i]);
	free_all(directories, n_directories);
	return paths;
}
