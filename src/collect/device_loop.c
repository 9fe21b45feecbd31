/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loop devices: where the file behind one lies.
 *
 * The file itself is not touched, for it may lie on a server that does not
 * answer; its path is looked up in /proc/self/mountinfo instead (proc(5)):
 * "id parent major:minor root mount-point options ... - type source options".
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "collect/device.h"

#define MOUNTINFO_SIZE (1 << 18)

/* mountinfo writes blanks and backslashes as \ooo; undo it in place. */
static void undo_octal(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' &&
		    s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
				       (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

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
	char *tail = strstr(line, " - "), *source, *point, *save = NULL;
	unsigned major, minor;
	size_t depth;

	if (!tail)
		return;
	*tail = '\0';
	source = strchr(tail + 3, ' ');
	if (sscanf(line, "%*u %*u %u:%u", &major, &minor) != 2 || !source)
		return;
	point = strtok_r(line, " ", &save);
	for (int i = 0; point && i < 4; i++)
		point = strtok_r(NULL, " ", &save);
	if (!point)
		return;
	undo_octal(point);
	depth = strlen(point);
	if (!below(path, point) || depth < *deepest)
		return;
	*deepest = depth;
	out->major = major;
	out->minor = minor;
	source = strtok_r(source, " ", &save);
	out->name[0] = '\0';
	/* btrfs has a number of its own; its source names the device. */
	if (source && !strncmp(source, "/dev/", 5))
		text_copy(out->name, sizeof(out->name), source + 5);
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
	mounts = xmalloc(MOUNTINFO_SIZE);
	if (root_read(root, "proc/self/mountinfo", mounts, MOUNTINFO_SIZE) > 0)
		for (line = strtok_r(mounts, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			try_mount(line, path, &deepest, out);
	free(mounts);
}
