/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Root: reads under a root directory.
 */
#include "base/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"

int root_open(struct root *r, const char *dir)
{
	r->live = !dir || !strcmp(dir, "/");
	r->fd = open(dir ? dir : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->fd < 0) {
		r->path = NULL;
		return fail(errno,
			    "cannot open %s: %s; give --root a directory that "
			    "holds proc and sys",
			    dir ? dir : "/", strerror(errno));
	}
	r->path = xstrdup(dir ? dir : "/");
	return 0;
}

void root_close(struct root *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->path);
	r->fd = -1;
	r->path = NULL;
}

int root_open_file(const struct root *r, const char *path, int flags)
{
	int fd = openat(r->fd, path, flags | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

ssize_t root_reread(int fd, char *buf, size_t size)
{
	size_t have = 0;

	while (have < size - 1) {
		ssize_t n = pread(fd, buf + have, size - 1 - have,
				  (off_t)have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		have += (size_t)n;
		/* Kernel files of one page or less come in one piece. */
		if (n < 2048)
			break;
	}
	buf[have] = '\0';
	return (ssize_t)have;
}

ssize_t root_read(const struct root *r, const char *path, char *buf,
		  size_t size)
{
	int fd = root_open_file(r, path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = root_reread(fd, buf, size);
	close(fd);
	return n;
}

ssize_t root_read_line(const struct root *r, const char *path, char *buf,
		       size_t size)
{
	ssize_t n = root_read(r, path, buf, size);
	char *start;

	if (n < 0)
		return n;
	start = text_trim(buf);
	memmove(buf, start, strlen(start) + 1);
	return (ssize_t)strlen(buf);
}

bool root_read_number(const struct root *r, const char *path, long long *out)
{
	char buf[64], *end;
	long long value;

	if (root_read_line(r, path, buf, sizeof(buf)) <= 0)
		return false;
	errno = 0;
	value = strtoll(buf, &end, 10);
	if (errno || end == buf)
		return false;
	*out = value;
	return true;
}

DIR *root_open_dir(const struct root *r, const char *path)
{
	int fd = root_open_file(r, path, O_RDONLY | O_DIRECTORY);
	DIR *d;

	if (fd < 0)
		return NULL;
	d = fdopendir(fd);
	if (!d)
		close(fd);
	return d;
}

bool root_link_name(const struct root *r, const char *path, char *buf,
		    size_t size)
{
	char target[4096], *slash;
	ssize_t n = readlinkat(r->fd, path, target, sizeof(target) - 1);

	if (n <= 0)
		return false;
	target[n] = '\0';
	slash = strrchr(target, '/');
	return text_copy(buf, size, slash ? slash + 1 : target);
}

bool root_exists(const struct root *r, const char *path)
{
	return faccessat(r->fd, path, F_OK, 0) == 0;
}

void root_boot_id(const struct root *r, char *buf, size_t size)
{
	if (root_read_line(r, "proc/sys/kernel/random/boot_id", buf, size) < 0)
		buf[0] = '\0';
}

char *root_fd_path(char buf[ROOT_FD_PATH], int fd)
{
	snprintf(buf, ROOT_FD_PATH, "/proc/self/fd/%d", fd);
	return buf;
}
