/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mounts: the lines of /proc/self/mountinfo.
 */
#ifndef COLLECT_MOUNTS_H
#define COLLECT_MOUNTS_H

#include <stdbool.h>

#include "base/root.h"

/* One line; the texts lie in it. */
struct mount {
	unsigned major, minor;
	char *point;        /* "/mnt/my disk" */
	const char *source; /* "vda1": behind "/dev/"; "" it is no device */
};

/* Take a line to pieces, in place; false when it is none. */
bool mount_parse(char *line, struct mount *out);

/* All lines, ended with NUL; to be freed. "" where there is no such file. */
char *mounts_read(const struct root *root);

#endif
