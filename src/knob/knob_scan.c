/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob scan: all settings of one device at one moment.
 */
#include "knob/knob_scan.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "knob/knob_value.h"

/* More than any scheduler has; a bound for captured trees. */
#define TUNABLES_MAX 64

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

void knob_scan_tunables(const struct root *root, const struct knob *row,
			const char *device,
			void (*fn)(const char *knob, void *arg), void *arg)
{
	char name[TUNABLES_MAX][KNOB_NAME_MAX], path[KNOB_PATH_MAX];
	size_t n = 0;
	struct dirent *e;
	DIR *d;

	if (!knob_device_path(device, row->path, path))
		return;
	d = root_open_dir(root, path);
	if (!d)
		return;
	while (n < TUNABLES_MAX && (e = readdir(d))) {
		int len;

		if (e->d_name[0] == '.')
			continue;
		len = snprintf(name[n], KNOB_NAME_MAX, "%s.%s", row->name,
			       e->d_name);
		n += len < KNOB_NAME_MAX;
	}
	closedir(d);
	qsort(name, n, KNOB_NAME_MAX, by_name);
	for (size_t i = 0; i < n; i++)
		fn(name[i], arg);
}

struct scanning {
	struct knob_scan *scan;
	const struct root *root;
	const struct knob *row;
	const char *device;
	char scheduler[KNOB_VALUE_MAX];
};

/* Add one setting; one that cannot be read, or not whole, is absent. */
static void scan_one(const char *name, void *arg)
{
	struct scanning *c = arg;
	struct knob_scan *s = c->scan;
	char path[KNOB_PATH_MAX], text[KNOB_TEXT_MAX];
	struct knob_setting *new;

	if (!knob_path(c->row, c->device, name, path) ||
	    root_read(c->root, path, text, sizeof(text)) < 0)
		return;
	s->at = xgrow(s->at, &s->cap, s->n + 1, sizeof(*s->at));
	new = &s->at[s->n];
	memset(new, 0, sizeof(*new));
	new->row = c->row;
	text_copy(new->name, sizeof(new->name), name);
	if (!knob_value_parse(c->row, text, new->value, sizeof(new->value),
			      NULL, 0) ||
	    !new->value[0])
		return;
	if (c->row->kind == KNOB_CHOICE)
		text_copy(c->scheduler, sizeof(c->scheduler), new->value);
	if (c->row->kind == KNOB_FOUND)
		text_copy(new->scheduler, sizeof(new->scheduler), c->scheduler);
	s->n++;
}

void knob_scan_read(struct knob_scan *s, const struct root *root,
		    const char *device)
{
	struct scanning c = { .scan = s, .root = root, .device = device };
	bool host = !strcmp(device, KNOB_HOST);

	s->n = 0;
	for (size_t i = 0; i < n_knobs; i++) {
		c.row = &knobs[i];
		if (c.row->host != host)
			continue;
		if (c.row->kind == KNOB_FOUND)
			knob_scan_tunables(root, c.row, device, scan_one, &c);
		else
			scan_one(c.row->name, &c);
	}
}

void knob_scan_free(struct knob_scan *s)
{
	free(s->at);
	memset(s, 0, sizeof(*s));
}

const struct knob_setting *knob_scan_find(const struct knob_scan *s,
					  const char *name,
					  const char *scheduler)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->at[i].name, name) &&
		    (!scheduler || !strcmp(s->at[i].scheduler, scheduler)))
			return &s->at[i];
	return NULL;
}
