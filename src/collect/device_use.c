/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device use: what a disk is mounted on, in words, and where the file system
 * of each device is mounted.
 */
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/text.h"
#include "block/mounts.h"
#include "block/sysfs.h"
#include "collect/collect.h"
#include "collect/device.h"

/* Append a word to a list, once; what does not fit is "...". */
static void add_word(char *buf, size_t size, const char *head, const char *word)
{
	size_t n = strlen(buf), k = strlen(word);
	const char *at = n ? strstr(buf, word) : NULL;

	if (at && (at[k] == ',' || !at[k]) && at > buf && at[-1] == ' ')
		return;
	if (n >= 3 && !strcmp(buf + n - 3, "..."))
		return;
	if (n + strlen(head) + k + 8 > size)
		word = "...";
	snprintf(buf + n, size - n, "%s%s", n ? ", " : head, word);
}

static void add_all(const struct root *root, const struct mounts *m,
		    const char *disk, const char *head, char *buf, size_t size)
{
	const struct mount *mount;
	char point[256];

	for (size_t i = 0; (mount = mounts_at(m, i)); i++) {
		if (!mounts_is_on(root, mount, disk))
			continue;
		text_copy(point, sizeof(point),
			  *mount->point ? mount->point : "swap");
		text_clean(point);
		add_word(buf, size, head, point);
	}
}

bool device_use_collect(const struct root *root, const char *device, char *buf,
			size_t size)
{
	struct mounts *mounts = mounts_read(root);
	struct mounts *swaps = mounts_read_swaps(root);
	char name[SYSFS_NAME_MAX];

	buf[0] = '\0';
	text_copy(name, sizeof(name), device);
	sysfs_name_swap(name, false);
	add_all(root, mounts, name, "mounted on ", buf, size);
	add_all(root, swaps, name, "used for ", buf, size);
	mounts_free(mounts);
	mounts_free(swaps);
	return buf[0];
}

static struct device *mounted_device(const struct device_set *set,
				     const struct mount *m)
{
	struct device *d = m->dev ? device_find_number(set, major(m->dev),
						       minor(m->dev))
				  : NULL;
	const char *name = mounts_source_name(m);

	/* btrfs has a number of its own; its source names the device. */
	return d || !*name ? d : device_find(set, name, strlen(name));
}

static void note_mount(const struct device_set *set, const struct mount *m)
{
	struct device *d = mounted_device(set, m);
	const char *point = *m->point ? m->point : "[SWAP]";

	if (!d || (d->mount_point[0] &&
		   strlen(d->mount_point) <= strlen(point)))
		return;
	text_copy(d->mount_point, sizeof(d->mount_point), point);
	text_clean(d->mount_point);
	text_copy(d->file_system, sizeof(d->file_system), m->type);
	text_clean(d->file_system);
	d->fs_read_only = m->read_only;
	d->fs_was_writable |= !m->read_only;
}

static void note_mounts(const struct device_set *set, const struct mounts *m)
{
	const struct mount *mount;

	for (size_t i = 0; (mount = mounts_at(m, i)); i++)
		note_mount(set, mount);
}

void device_mounts(struct device_set *set, bool look, bool renew)
{
	struct mounts *mounts, *swaps;

	if (!mounts_watch_changed(&set->watch, look) && !renew)
		return;
	mounts = mounts_read(set->files->root);
	swaps = mounts_read_swaps(set->files->root);
	for (size_t i = 0; i < set->n; i++) {
		struct device *d = set->device[i];

		d->mount_point[0] = d->file_system[0] = '\0';
		d->fs_read_only = false;
	}
	note_mounts(set, mounts);
	note_mounts(set, swaps);
	for (size_t i = 0; i < set->n; i++)
		set->device[i]->fs_was_writable &=
			set->device[i]->mount_point[0] != '\0';
	mounts_free(mounts);
	mounts_free(swaps);
}
