/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Btrfs: the members of mounted file systems. */
#include "block/mounts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/descriptor.h"
#include "base/text.h"
#include "block/sysfs.h"

#define FILE_SYSTEMS "sys/fs/btrfs"

static void mounts_name_of(const struct root *root, const char *uuid, char *out,
			   size_t size)
{
	char path[SYSFS_PATH_MAX], label[256];

	snprintf(path, sizeof(path), FILE_SYSTEMS "/%s/label", uuid);
	if (root_read_line(root, path, label, sizeof(label)) <= 0)
		snprintf(label, sizeof(label), "%.8s", uuid);
	text_clean(label);
	text_copy(out, size, "btrfs:");
	text_copy(out + 6, size - 6, label);
}

void mounts_btrfs_each(const struct root *root,
		       void (*fn)(const char *file_system, const char *device,
				  void *arg),
		       void *arg)
{
	DIR *list = root_open_dir(root, FILE_SYSTEMS);
	const char *entry;

	/* The folder also holds "features", which has no devices. */
	while ((entry = descriptor_entry(&list))) {
		char folder[SYSFS_PATH_MAX], name[128];
		struct sysfs_name *device;
		size_t n;

		snprintf(folder, sizeof(folder), FILE_SYSTEMS "/%s", entry);
		device = sysfs_names(root, folder, "devices", &n);
		if (n)
			mounts_name_of(root, entry, name, sizeof(name));
		for (size_t i = 0; i < n; i++)
			fn(name, device[i].text, arg);
		free(device);
	}
}

void mounts_btrfs_disks(const struct root *root, const char *uuid, char *names,
			size_t size)
{
	char folder[SYSFS_PATH_MAX], name[SYSFS_NAME_MAX];
	struct sysfs_name *device;
	size_t n;

	names[0] = '\0';
	snprintf(folder, sizeof(folder), FILE_SYSTEMS "/%s", uuid);
	device = sysfs_names(root, folder, "devices", &n);
	for (size_t i = 0; i < n; i++) {
		dev_t dev, disk;

		snprintf(folder, sizeof(folder), FILE_SYSTEMS "/%s/devices/%s",
			 uuid, device[i].text);
		if (sysfs_number(root, folder, &dev) &&
		    sysfs_whole_disk(root, dev, &disk) &&
		    sysfs_device_name(root, disk, name, sizeof(name)))
			text_add_words(names, size, name);
	}
	free(device);
}
