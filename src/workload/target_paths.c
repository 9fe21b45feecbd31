/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target paths: which files a clone uses, by fio's rules.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "workload/target.h"

/* Split at ':' (a literal one is written "\:"); NULL gives no items. */
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

char **target_paths(const struct job *job, unsigned jobnum, size_t *n)
{
	size_t n_directories;
	char **directories = split(job->directory, &n_directories);
	const char *directory =
		n_directories ? directories[jobnum % n_directories] : NULL;
	char **paths = split(job->filename, n);

	if (*n == 0) {
		free(paths);
		paths = xcalloc(1, sizeof(*paths));
		paths[0] = xasprintf("%s.%u.0", job->name, jobnum);
		*n = 1;
	}
	for (size_t i = 0; i < *n; i++)
		paths[i] = join(directory, paths[i]);
	free_all(directories, n_directories);
	return paths;
}
