/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Side file: make a new file and let it replace an earlier one. */
#include "base/side_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/fail.h"

#define XATTR "user.iodyno.side"
#define TRIES 16

static void left_words(char *buf, size_t size, const struct stat *st)
{
	snprintf(buf, size, "left %llu %lld %lld.%09ld",
		 (unsigned long long)st->st_ino, (long long)st->st_size,
		 (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
}

/* "run INODE BORN": inode numbers are reused, birth times are not. */
static bool run_words(int fd, char *buf, size_t size)
{
	char identity[64];

	if (!descriptor_identity(fd, identity, sizeof(identity)))
		return false;
	snprintf(buf, size, "run %s", identity);
	return true;
}

static void mark_run(int fd)
{
	char value[80];

	if (!run_words(fd, value, sizeof(value)))
		return;
	/* If this fails, the next run does not replace the file. */
	(void)!fsetxattr(fd, XATTR, value, strlen(value), 0);
}

void side_file_left(int fd)
{
	char value[80];
	struct stat st;

	if (fstat(fd, &st) || fgetxattr(fd, XATTR, value, sizeof(value)) < 0)
		return;
	left_words(value, sizeof(value), &st);
	(void)!fsetxattr(fd, XATTR, value, strlen(value), 0);
}

/*
 * cp copies the attribute, and a write by another program keeps it: so the
 * value must match the inode, size and time that the last run left. A file
 * whose run is not over, or did not end, has "run INODE BORN".
 */
static bool is_ours(const char *path, const struct stat *st)
{
	char value[80], want[80];
	ssize_t n = lgetxattr(path, XATTR, value, sizeof(value) - 1);
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	bool runs = fd >= 0 && run_words(fd, want, sizeof(want));

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	value[n] = '\0';
	if (runs && !strcmp(value, want))
		return true;
	left_words(want, sizeof(want), st);
	return !strcmp(value, want);
}

/* Check that the name is free, or its file may be replaced: 0 or errno. */
static int side_file_check_name(const char *path, struct stat *was)
{
	memset(was, 0, sizeof(*was));
	if (lstat(path, was))
		return errno == ENOENT ? 0 : errno;
	if (!S_ISREG(was->st_mode))
		return EEXIST;
	if (!was->st_size)
		return 0;
	return is_ours(path, was) ? 0 : EEXIST;
}

int side_file_new(const char *path, int flags, mode_t mode)
{
	int fd =
		open(path,
		     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | flags,
		     mode);

	return fd < 0 ? -errno : fd;
}

/* A new file with a free name, beside path; its descriptor or -errno. */
static int make_aside(const char *path, char **aside)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path + 1) : 0;

	for (int i = 0; i < TRIES; i++) {
		int fd;

		*aside = xasprintf("%.*s.%s.%d-%d", dir, path, path + dir,
				   (int)getpid(), i);
		fd = side_file_new(*aside, 0, 0644);
		if (fd >= 0)
			return fd;
		free(*aside);
		*aside = NULL;
		if (fd != -EEXIST)
			return fd;
	}
	return -EEXIST;
}

/*
 * Rename the new file to its name, unless another program made a file of that
 * name meanwhile.
 */
static int side_file_put(struct side_file *f, const struct stat *was)
{
	struct stat now;
	int err = side_file_check_name(f->path, &now);

	if (!err && was &&
	    (now.st_dev != was->st_dev || now.st_ino != was->st_ino))
		err = EEXIST;
	if (!err && !now.st_ino) {
		/*
		 * Do not replace a file that another program creates at this
		 * moment.
		 */
		if (!linkat(AT_FDCWD, f->aside, AT_FDCWD, f->path, 0))
			(void)unlink(f->aside);
		else if (errno == EEXIST || rename(f->aside, f->path))
			err = errno;
	} else if (!err && rename(f->aside, f->path)) {
		err = errno;
	}
	if (err)
		(void)unlink(f->aside);
	free(f->aside);
	f->aside = NULL;
	return err;
}

static int explain(int err, const char *what, const char *path)
{
	if (err == EEXIST)
		return fail(EEXIST,
			    "%s %s exists and was not written by iodyno; "
			    "remove it or give another name",
			    what, path);
	/* Callers give EPERM and EINVAL a meaning of their own. */
	return fail(err == EPERM || err == EINVAL ? EACCES : err,
		    "%s %s cannot be written: %s", what, path, strerror(err));
}

int side_file_open(struct side_file *f, const char *path, const char *what,
		   enum side_file_when when)
{
	struct stat was;
	int err = side_file_check_name(path, &was);

	*f = (struct side_file){ .fd = -1 };
	if (err)
		return explain(err, what, path);
	f->fd = make_aside(path, &f->aside);
	if (f->fd < 0)
		return explain(-f->fd, what, path);
	f->path = xstrdup(path);
	mark_run(f->fd);
	err = when == SIDE_FILE_NOW ? side_file_put(f, &was) : 0;
	if (!err)
		return 0;
	side_file_close(f);
	return explain(err, what, path);
}

int side_file_commit(struct side_file *f)
{
	int err = f->aside ? side_file_put(f, NULL) : 0;

	if (close(f->fd) && !err)
		err = errno;
	f->fd = -1;
	side_file_close(f);
	return -err;
}

void side_file_close(struct side_file *f)
{
	if (f->aside)
		(void)unlink(f->aside);
	if (f->fd >= 0)
		close(f->fd);
	free(f->aside);
	free(f->path);
	*f = (struct side_file){ .fd = -1 };
}
