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

/* Version 1 has a file for each; version 2 has these words in a line of io.max. */
static const struct {
	const char *file, *key, *what;
	bool bytes;
} limits[] = {
	{ "blkio.throttle.read_bps_device", "rbps=", " read", true },
	{ "blkio.throttle.write_bps_device", "wbps=", " write", true },
	{ "blkio.throttle.read_iops_device", "riops=", " reads/s", false },
	{ "blkio.throttle.write_iops_device", "wiops=", " writes/s", false },
};

/* "400KiB/s read on vda in /slow"; NULL: the line is of another device. */
static char *io_limit_words(const struct root *root, size_t which,
			    uint64_t value, const char *line, const char *group,
			    const char *device)
{
	char amount[40], name[SYSFS_NAME_MAX];
	unsigned major, minor;
	char *text;

	if (limits[which].bytes)
		snprintf(amount, sizeof(amount), "%s/s",
			 units_bytes((double)value).text);
	else
		snprintf(amount, sizeof(amount), "%llu",
			 (unsigned long long)value);
	if (sscanf(line, "%u:%u", &major, &minor) != 2)
		return NULL;
	if (sysfs_device_name(root, makedev(major, minor), name, sizeof(name)))
		sysfs_name_swap(name, false);
	else
		snprintf(name, sizeof(name), "%u:%u", major, minor);
	if (device && strcmp(device, name) != 0)
		return NULL;
	text = xasprintf("%s%s on %s in %.64s", amount, limits[which].what,
			 name, group);
	text_clean(text);
	return text;
}

/*
 * Lines "8:0 400000" of the files of version 1, "8:16 rbps=2097152 wbps=max
 * riops=max wiops=120" of version 2.
 */
static char *io_limit_of_group(const struct root *root, const char *folder,
			       const char *group, bool v2, const char *device)
{
	char path[700], text[LIMIT_BYTES], *line, *words = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(limits) && !words; i++) {
		const char *key = v2 ? limits[i].key : " ";
		char *rest = text;

		snprintf(path, sizeof(path), "%s/%s", folder,
			 v2 ? "io.max" : limits[i].file);
		if (root_read(root, path, text, sizeof(text)) <= 0)
			continue;
		while (!words && (line = strsep(&rest, "\n"))) {
			const char *at = strstr(line, key);
			uint64_t value =
				at ? strtoull(at + strlen(key), NULL, 10) : 0;

			if (value)
				words = io_limit_words(root, i, value, line,
						       group, device);
		}
	}
	return words;
}

char *io_limit_of_task(const struct root *root, pid_t pid, const char *device)
{
	static const char *const controllers[] = { "blkio", "io" };
	char folder[600];
	char *text = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(controllers) && !text; i++)
		for (unsigned up = 0;
		     !text && up < LEVELS_MOST &&
		     root_control_group(root, pid, controllers[i], up, folder,
					sizeof(folder));
		     up++) {
			const char *group = folder;

			for (int slash = 0; slash < 3; slash++)
				group += strcspn(group + 1, "/") + 1;
			text = io_limit_of_group(root, folder, group, i,
						 device);
		}
	return text;
}
