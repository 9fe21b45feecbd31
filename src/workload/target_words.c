/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target words: what a path is, for people.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/units.h"
#include "workload/target.h"

#define MOUNTS_BYTES (1u << 20)

static void device_words(const struct root *root, dev_t dev, char *buf,
			 size_t size)
{
	char path[64], bytes[32];
	long long sectors;

	snprintf(path, sizeof(path), "sys/dev/block/%u:%u/size", major(dev),
		 minor(dev));
	if (root_read_number(root, path, &sectors))
		snprintf(buf, size, "block device, %s",
			 units_format_bytes(bytes, sizeof(bytes),
					    (double)sectors * 512));
	else
		snprintf(buf, size, "block device");
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw", proc(5) */
static bool mount_words(char *line, dev_t dev, char *buf, size_t size)
{
	char type[64], source[128], *tail = strstr(line, " - ");
	unsigned a, b;

	if (!tail || sscanf(line, "%*s %*s %u:%u", &a, &b) != 2 ||
	    makedev(a, b) != dev ||
	    sscanf(tail, " - %63s %127s", type, source) != 2)
		return false;
	snprintf(buf, size, "%s on %s", type, source);
	text_clean(buf);
	return true;
}

void target_words(const struct root *root, const char *path, char *buf,
		  size_t size)
{
	char *mounts, *rest, *line;
	bool found = false;
	struct stat st;

	snprintf(buf, size, "file");
	if (stat(path, &st))
		return;
	if (S_ISBLK(st.st_mode)) {
		device_words(root, st.st_rdev, buf, size);
		return;
	}
	mounts = rest = xmalloc(MOUNTS_BYTES);
	if (root_read(root, "proc/self/mountinfo", mounts, MOUNTS_BYTES) > 0)
		while (!found && (line = strsep(&rest, "\n")))
			found = mount_words(line, st.st_dev, buf, size);
	free(mounts);
}
