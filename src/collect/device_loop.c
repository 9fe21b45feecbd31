/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loop devices: where the file behind one lies.
 *
 * The file itself is not touched, for it may lie on a server that does not
 * answer; its path is looked up in /proc/self/mountinfo instead.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "collect/device.h"
#include "collect/mounts.h"

/* Whether a path lies at or below a mount point. */
static bool below(const char *path, const char *point)
{
	size_t n = strlen(point);

	if (n > 0 && point[n - 1] == '/')
		n--;
	return !strncmp(path, point, n) && (path[n] == '/' || !path[n]);
}

/*
 * Take a mount's device if the path lies below it and no deeper mount was met
 * before; of two on one point the later one hides the other.
 */
static void try_mount(char *line, const char *path, size_t *deepest,
		      struct device_backing *out)
{
	struct mount m;
	size_t depth;

	if (!mount_parse(line, &m))
		return;
	depth = strlen(m.point);
	if (!below(path, m.point) || depth < *deepest)
		return;
	*deepest = depth;
	out->major = m.major;
	out->minor = m.minor;
	/* btrfs has a number of its own; its source names the device. */
	text_copy(out->name, sizeof(out->name), m.source);
}

void device_loop_backing(const struct root *root, const char *dir,
			 struct device_backing *out)
{
	char path[4096], name[512];
	size_t deepest = 0;
	char *mounts, *line, *save = NULL;

	memset(out, 0, sizeof(*out));
	snprintf(name, sizeof(name), "%s/loop/backing_file", dir);
	if (root_read_line(root, name, path, sizeof(path)) <= 0)
		return;
	if (!strncmp(path, "/dev/", 5)) {
		text_copy(out->name, sizeof(out->name), path + 5);
		return;
	}
	mounts = mounts_read(root);
	for (line = strtok_r(mounts, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		try_mount(line, path, &deepest, out);
	free(mounts);
}
