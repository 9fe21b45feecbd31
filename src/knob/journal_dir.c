/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Journal directory: find or make it.
 */
#include "knob/journal_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_private(int at, const char *path, bool create)
{
	struct stat st;
	int fd;

	if (create && mkdirat(at, path, 0700) && errno != EEXIST)
		return -errno;
	fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_uid != geteuid() ||
	    faccessat(fd, ".", W_OK, AT_EACCESS)) {
		close(fd);
		return -EACCES;
	}
	return fd;
}

int journal_dir_open(const struct root *root, bool create)
{
	const char *xdg;
	char path[4096];
	int fd;

	/* A captured tree has no run; then it is made inside it. */
	if (!root->live && create && mkdirat(root->fd, "run", 0755) &&
	    errno != EEXIST)
		return -errno;
	fd = open_private(root->fd, "run/iodyno", create);
	if (fd >= 0 || !root->live)
		return fd;
	xdg = getenv("XDG_RUNTIME_DIR");
	if (!xdg || xdg[0] != '/' ||
	    snprintf(path, sizeof(path), "%s/iodyno", xdg) >= (int)sizeof(path))
		return fd;
	return open_private(AT_FDCWD, path, create);
}
