/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * I/O limit: the limit of bytes or I/Os per second that the control group of a
 * process, or one above it, puts on a device: io.max of version 2 and
 * blkio.throttle.* of version 1 (cgroup-v2.rst, blkio-controller.rst).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"
#include "base/units.h"
#include "block/sysfs.h"
#include "collect/task.h"

/* The limits of one group: a line of about 60 bytes for each device. */
#define LIMIT_BYTES 4096
#define LEVELS_MOST 16

/* Version 1 has a file for each; version 2 has these words in a line of io.max.
 */
static const struct {
	const char *file, *key, *what;
	bool bytes;
} limits[] = {
	{ "blkio.throttle.read_bps_device", "rbps=", " read", true },
	{ "blkio.throttle.write_bps_device", "wbps=", " write", true },
	{ "blkio.throttle.read_iops_device", "riops=", " reads/s", false },
	{ "blkio.throttle.write_iops_device", "wiops=", " writes/s", false },
};

/* A limit of one kind. */
struct limit {
	uint64_t value; /* 0: none */
	char device[SYSFS_NAME_MAX], group[65];
};

static void io_limit_device(const struct root *root, const char *line,
			    char name[SYSFS_NAME_MAX])
{
	unsigned major, minor;

	*name = '\0';
	if (sscanf(line, "%u:%u", &major, &minor) != 2)
		return;
	if (sysfs_device_name(root, makedev(major, minor), name,
			      SYSFS_NAME_MAX))
		sysfs_name_swap(name, false);
	else
		snprintf(name, SYSFS_NAME_MAX, "%u:%u", major, minor);
}

/*
 * Lines "8:0 400000" of the files of version 1, "8:16 rbps=2097152 wbps=max
 * riops=max wiops=120" of version 2.
 */
static void io_limit_of_group(const struct root *root, const char *folder,
			      bool v2, size_t which, const char *device,
			      struct limit *least)
{
	const char *key = v2 ? limits[which].key : " ", *group = folder;
	char path[700], text[LIMIT_BYTES], *line, *rest = text;

	snprintf(path, sizeof(path), "%s/%s", folder,
		 v2 ? "io.max" : limits[which].file);
	if (root_read(root, path, text, sizeof(text)) <= 0)
		return;
	/* sys/fs/cgroup, and the controllers of version 1. */
	for (int slash = 0; slash < (v2 ? 3 : 4); slash++)
		group += strcspn(group + 1, "/") + 1;
	while ((line = strsep(&rest, "\n"))) {
		const char *at = strstr(line, key);
		uint64_t value = at ? strtoull(at + strlen(key), NULL, 10) : 0;
		char name[SYSFS_NAME_MAX];

		io_limit_device(root, line, name);
		if (!value || !*name || (device && strcmp(device, name)) ||
		    (least->value && least->value <= value))
			continue;
		least->value = value;
		text_set(least->device, name);
		text_set(least->group, *group ? group : "/");
	}
}

/* The least limit of a kind, over the group of the process and those above it.
 */
static struct limit io_limit_of_kind(const struct root *root, pid_t pid,
				     size_t which, const char *device)
{
	static const char *const controllers[] = { "blkio", "io" };
	struct limit least = { 0 };
	char folder[600];

	for (size_t i = 0; i < ARRAY_SIZE(controllers); i++)
		for (unsigned up = 0;
		     up < LEVELS_MOST &&
		     root_control_group(root, pid, controllers[i], up, folder,
					sizeof(folder));
		     up++)
			io_limit_of_group(root, folder, i, which, device,
					  &least);
	return least;
}

char *io_limit_of_task(const struct root *root, pid_t pid, const char *device)
{
	char all[600] = "";

	for (size_t i = 0; i < ARRAY_SIZE(limits) && (device || !*all); i++) {
		struct limit l = io_limit_of_kind(root, pid, i, device);
		char amount[40];

		if (!l.value)
			continue;
		if (limits[i].bytes)
			snprintf(amount, sizeof(amount), "%s/s",
				 units_bytes((double)l.value).text);
		else
			snprintf(amount, sizeof(amount), "%llu",
				 (unsigned long long)l.value);
		text_join(all, sizeof(all), ", ", "%s%s on %s in %s", amount,
			  limits[i].what, l.device, l.group);
	}
	text_clean(all);
	return *all ? xstrdup(all) : NULL;
}
