/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Btrfs: which devices hold a file system, alone or together.
 *
 * No block device stands for a btrfs of several devices, so nothing in
 * sys/block tells that they belong together; sys/fs/btrfs/UUID/devices/ does,
 * for those that are mounted.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "collect/device.h"

#define PATH_SIZE 512

/* "btrfs:LABEL", or the start of the UUID where there is no label. */
static void name_of(const struct root *root, const char *uuid, char *out,
		    size_t size)
{
	char path[PATH_SIZE], label[256];

	snprintf(path, sizeof(path), "sys/fs/btrfs/%s/label", uuid);
	if (root_read_line(root, path, label, sizeof(label)) <= 0)
		snprintf(label, sizeof(label), "%.8s", uuid);
	text_clean(label);
	text_copy(out, size, "btrfs:");
	text_copy(out + 6, size - 6, label);
}

/* Note the file system in those of its devices that are known. */
static void read_one(struct device_set *set, const char *uuid)
{
	const struct root *root = set->files->root;
	char path[PATH_SIZE], name[sizeof(set->device[0]->member_of)];
	struct dirent *e;
	DIR *list;

	snprintf(path, sizeof(path), "sys/fs/btrfs/%s/devices", uuid);
	list = root_open_dir(root, path);
	if (!list)
		return;
	name_of(root, uuid, name, sizeof(name));
	while ((e = readdir(list))) {
		char device[ROW_ID_MAX];
		struct device *d;

		if (e->d_name[0] == '.')
			continue;
		text_copy(device, sizeof(device), e->d_name);
		device_name_swap(device, false);
		d = device_find(set, device, strlen(device));
		if (d)
			text_copy(d->member_of, sizeof(d->member_of), name);
	}
	closedir(list);
}

void device_btrfs(struct device_set *set)
{
	struct dirent *e;
	DIR *list;

	for (size_t i = 0; i < set->n; i++)
		set->device[i]->member_of[0] = '\0';
	list = root_open_dir(set->files->root, "sys/fs/btrfs");
	if (!list)
		return;
	/* "features" stands there as well; it has no devices. */
	while ((e = readdir(list)))
		if (e->d_name[0] != '.')
			read_one(set, e->d_name);
	closedir(list);
}
