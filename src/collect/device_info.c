/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device facts: values of sysfs that do not change while a device exists, or
 * rarely do.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/alloc.h"
#include "base/text.h"
#include "collect/device.h"

/* The path of a file in a device's directory. */
#define FILE_PATH(buf, d, file) snprintf(buf, sizeof(buf), "%s/" file, (d)->dir)
#define PATH_SIZE               512

/*
 * A partition is called after its disk: "sda1", or "nvme0n1p2" when the disk's
 * own name ends with a digit. Cut the name of a partition to that of its disk;
 * false: not a partition's.
 */
static bool cut_partition(char *name)
{
	size_t n = strlen(name), digits = n;

	while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
		digits--;
	if (digits == n || digits == 0)
		return false;
	if (digits > 1 && name[digits - 1] == 'p' &&
	    isdigit((unsigned char)name[digits - 2]))
		digits--;
	else if (isdigit((unsigned char)name[digits - 1]))
		return false;
	name[digits] = '\0';
	return true;
}

/* Find the directory, and the disk if it is a partition. */
static void find_dir(const struct device_set *set, struct device *d)
{
	char name[ROW_ID_MAX], disk[ROW_ID_MAX];

	text_copy(name, sizeof(name), d->name);
	sysfs_name_swap(name, true);
	d->disk[0] = '\0';
	if (sysfs_path_of(d->dir, sizeof(d->dir), name, "") &&
	    root_exists(set->files->root, d->dir))
		return;
	text_copy(disk, sizeof(disk), name);
	if (!cut_partition(disk)) {
		d->dir[0] = '\0';
		return;
	}
	sysfs_name_swap(disk, false);
	if (!sysfs_path_of_part(d->dir, sizeof(d->dir), disk, name) ||
	    !root_exists(set->files->root, d->dir)) {
		/* Without sysfs only the names are known. */
		d->dir[0] = '\0';
		if (!device_find(set, disk, strlen(disk)))
			return;
	}
	text_copy(d->disk, sizeof(d->disk), disk);
}

bool device_nvme_head(const char *name, char *head, size_t size)
{
	unsigned subsystem, path, space;
	char end;

	if (sscanf(name, "nvme%uc%un%u%c", &subsystem, &path, &space, &end) !=
	    3)
		return false;
	snprintf(head, size, "nvme%un%u", subsystem, space);
	return true;
}

/* By name where the driver gives it, else by the driver's own directory. */
static const char *find_kind(const struct device_set *set, struct device *d)
{
	static const char *const by_name[][2] = {
		{ "loop", "loop" }, { "zram", "zram" }, { "ram", "ram" },
		{ "dm-", "dm" },    { "md", "md" },     { "sr", "rom" },
		{ "scd", "rom" },
	};
	static const char *const by_dir[] = { "dm", "md" };
	const struct root *root = set->files->root;
	char path[PATH_SIZE];

	if (d->disk[0])
		return "part";
	for (size_t i = 0; i < ARRAY_SIZE(by_name); i++) {
		size_t n = strlen(by_name[i][0]);

		if (!strncmp(d->name, by_name[i][0], n) &&
		    isdigit((unsigned char)d->name[n]))
			return by_name[i][1];
	}
	if (device_nvme_head(d->name, d->disk, sizeof(d->disk))) {
		long long hidden;

		FILE_PATH(path, d, "hidden");
		if (root_read_number(root, path, &hidden) && hidden == 1)
			return "nvme-path";
		d->disk[0] = '\0';
	}
	for (size_t i = 0; d->dir[0] && i < ARRAY_SIZE(by_dir); i++) {
		snprintf(path, sizeof(path), "%s/%s", d->dir, by_dir[i]);
		if (root_exists(root, path))
			return by_dir[i];
	}
	return "disk";
}

/*
 * The file itself is not touched, for it may lie on a server that does not
 * answer; its path is looked up among the mounts.
 */
static void find_backing(struct device_set *set, struct device *d)
{
	const struct root *root = set->files->root;
	const struct mount *m;
	char path[4096];

	if (!device_is(d, "loop") ||
	    !sysfs_backing_file(root, d->dir, path, sizeof(path)))
		return;
	if (!strncmp(path, "/dev/", 5)) {
		text_copy(d->backing.name, sizeof(d->backing.name), path + 5);
		return;
	}
	if (!set->mounts)
		set->mounts = mounts_read(root);
	m = mounts_of_path(set->mounts, path);
	if (!m)
		return;
	d->backing.major = major(m->dev);
	d->backing.minor = minor(m->dev);
	/* btrfs has a number of its own; its source names the device. */
	text_copy(d->backing.name, sizeof(d->backing.name),
		  mounts_source_name(m));
}

void device_read_stats_off(const struct device_set *set, struct device *d)
{
	char path[PATH_SIZE];
	long long on;

	/* A zram has 0 there from the start, and counts nevertheless. */
	if (!d->dir[0] || device_is(d, "part") || device_is(d, "zram"))
		return;
	FILE_PATH(path, d, "queue/iostats");
	if (root_read_number(set->files->root, path, &on))
		d->stats_off = !on;
}

uint64_t device_generation(const struct device_set *set, struct device *d)
{
	char buf[32], *end;
	uint64_t n;

	if (!d->has_diskseq ||
	    device_read(set, d, DEVICE_DISKSEQ, buf, sizeof(buf)) <= 0)
		return d->generation;
	n = strtoull(buf, &end, 10);
	return end == buf ? d->generation : n;
}

bool device_refresh(const struct device_set *set, struct device *d)
{
	struct sysfs_name *member;
	bool same;
	size_t n;

	if (!d->dir[0] || device_is(d, "part"))
		return false;
	device_read_stats_off(set, d);
	/* The member of a loop device follows from its backing file. */
	if (device_is(d, "loop"))
		return false;
	member = sysfs_names(set->files->root, d->dir, "slaves", &n);
	same = n == d->n_members &&
	       (n == 0 || !memcmp(member, d->member, n * sizeof(*member)));
	if (same) {
		free(member);
		return false;
	}
	free(d->member);
	d->member = member;
	d->n_members = n;
	return true;
}

void device_facts(struct device_set *set, struct device *d)
{
	char path[PATH_SIZE];

	device_files_close(set, d);
	free(d->member);
	d->member = NULL;
	d->n_members = 0;
	d->stats_off = d->fs_was_writable = d->fs_read_only = false;
	d->mount_point[0] = d->file_system[0] = '\0';
	memset(&d->health, 0, sizeof(d->health));
	d->heat = DEVICE_HEAT_NONE;
	d->asked_ns = 0;
	d->owner = NULL;
	find_dir(set, d);
	text_copy(d->kind, sizeof(d->kind), find_kind(set, d));
	d->generation = (uint64_t)d->major << 20 | d->minor;
	d->has_diskseq = d->has_inflight = false;
	memset(&d->backing, 0, sizeof(d->backing));
	if (!d->dir[0])
		return;
	find_backing(set, d);
	FILE_PATH(path, d, "inflight");
	d->has_inflight = root_exists(set->files->root, path);
	FILE_PATH(path, d, "diskseq");
	d->has_diskseq = root_exists(set->files->root, path);
	d->generation = device_generation(set, d);
	device_refresh(set, d);
}
