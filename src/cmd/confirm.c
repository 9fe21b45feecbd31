/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Confirm: ask once for each device.
 */
#include "cmd/confirm.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/root.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/options.h"
#include "collect/collect.h"
#include "model/header.h"
#include "workload/workload.h"

struct named_device {
	char *path, *found;
};

struct devices {
	struct named_device *item;
	size_t n, cap;
};

static void add_device(const char *path, const char *found, void *arg)
{
	struct devices *d = arg;

	d->item = xgrow(d->item, &d->cap, d->n + 1, sizeof(*d->item));
	d->item[d->n++] = (struct named_device){ xstrdup(path), xstrdup(found) };
}

static void free_devices(struct devices *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->item[i].path);
		free(d->item[i].found);
	}
	free(d->item);
}

/* The kernel's name: "sdb" of /dev/disk/by-id/ata-X, "dm-3" of /dev/vg/lv. */
static void kernel_name(const char *path, char *name, size_t size)
{
	char *real = realpath(path, NULL);
	const char *from = real ? real : path, *slash = strrchr(from, '/');

	text_copy(name, size, slash ? slash + 1 : from);
	free(real);
}

static void show(const struct root *root, const struct named_device *d,
		 const char *name)
{
	struct device_info info;
	char size[24] = "unknown size", line[1600];

	if (!device_header_collect(root, name, &info))
		memset(&info, 0, sizeof(info));
	else
		units_format_bytes(size, sizeof(size), (double)info.size_bytes);
	snprintf(line, sizeof(line), "%s: model %s, serial number %s, %s",
		 d->path, *info.model ? info.model : "unknown",
		 *info.serial ? info.serial : "unknown", size);
	text_clean(line);
	fprintf(stderr, "%s\n", line);
	snprintf(line, sizeof(line), "content: %s",
		 *d->found ? d->found : "no signature of data was found");
	text_clean(line);
	fprintf(stderr, "  %s\n", line);
}

static int ask(const struct root *root, const struct named_device *d)
{
	char name[NAME_MAX + 1], word[PATH_MAX] = "", *typed;

	kernel_name(d->path, name, sizeof(name));
	text_clean(name);
	show(root, d, name);
	fprintf(stderr,
		"All data on it will be lost. Type %s to go on: ", name);
	fflush(stderr);
	if (!fgets(word, sizeof(word), stdin))
		putc('\n', stderr);
	typed = text_trim(word);
	if (!strcmp(typed, name) || !strcmp(typed, d->path))
		return 0;
	return fail(EPERM,
		    "nothing was written: the name of %s was not typed; type "
		    "it, or give --yes",
		    d->path);
}

int confirm_loss(const struct settings *s, const struct job *jobs,
		 size_t n_jobs, const struct allow_list *allowed)
{
	struct devices devices = { 0 };
	struct root root;
	int rc;

	if (s->yes || !s->destroy.n || !isatty(STDIN_FILENO))
		return 0;
	rc = root_open(&root, s->root);
	if (rc)
		return rc;
	rc = preview_lost_devices(&root, jobs, n_jobs, allowed, add_device,
				  &devices);
	for (size_t i = 0; i < devices.n && rc == 0; i++)
		rc = ask(&root, &devices.item[i]);
	free_devices(&devices);
	root_close(&root);
	return rc;
}
