/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scratch: a temporary loop device or file. */
#include "workload/target/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/role.h"
#include "base/root.h"
#include "base/text.h"
#include "block/loop_device.h"

/* The advice where the directory is that of TMPDIR. */
#define ADVICE "; set TMPDIR to a directory that can be written"

static int scratch_check_space(const char *dir, uint64_t size_bytes)
{
	struct statvfs v;
	uint64_t have;

	if (statvfs(dir, &v))
		return fail(errno, "cannot use %s for scratch space: %s" ADVICE,
			    dir, strerror(errno));
	have = (uint64_t)v.f_bavail * v.f_frsize;
	if (have / 2 >= size_bytes)
		return 0;
	return fail(ENOSPC,
		    "scratch space of %llu MiB needs twice that free in %s, "
		    "where %llu MiB are; set TMPDIR to a larger place",
		    (unsigned long long)(size_bytes >> 20), dir,
		    (unsigned long long)(have >> 20));
}

/*
 * Write real data to the whole file: reads of holes and unwritten extents cause
 * no I/O. 0 or -errno.
 */
static int scratch_write_all(int fd, uint64_t size_bytes)
{
	struct random random;

	random_seed(&random, clock_wall_ns());
	if (layout_data(fd, 0, size_bytes, &random, NULL) < size_bytes ||
	    fsync(fd))
		return -errno;
	return 0;
}

/* Reserve the space and write the whole file. */
static int scratch_fill(int fd, uint64_t size_bytes)
{
	int rc = -posix_fallocate(fd, 0, (off_t)size_bytes);

	if (rc == 0 || rc == -EOPNOTSUPP || rc == -EINVAL)
		rc = scratch_write_all(fd, size_bytes);
	return rc ? fail(-rc, "cannot fill the scratch file: %s", strerror(-rc))
		  : 0;
}

/* Open a file without a name, or make a file and unlink it. */
static int make_unnamed(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char *path;

	if (fd >= 0)
		return fd;
	path = xasprintf("%s/iodyno-scratch-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

/* Whether the file, or one made in its directory, cannot be opened directly. */
bool scratch_refuses_direct(const char *path)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	char *copy = xstrdup(path), again[ROOT_FD_PATH];
	int plain = open(path, flags), direct = -1, error = 0;

	if (plain < 0 && errno == ENOENT)
		plain = make_unnamed(dirname(copy));
	if (plain >= 0) {
		root_fd_path(again, plain);
		direct = open(again, flags | O_DIRECT);
		error = errno;
		close(plain);
	}
	descriptor_close(direct);
	free(copy);
	return plain >= 0 && direct < 0 && error == EINVAL;
}

/* Make the file. It has no name, so jobs open it through our descriptor. */
static int make_file(struct scratch *s, const char *dir, uint64_t size_bytes,
		     const char *advice)
{
	int rc;

	s->fd = make_unnamed(dir);
	if (s->fd < 0)
		return fail(errno, "cannot make a scratch file in %s: %s%s",
			    dir, strerror(errno), advice);
	root_fd_path(s->path, s->fd);
	rc = scratch_fill(s->fd, size_bytes);
	layout_mark_left(s->fd);
	return rc;
}

int scratch_make_file(struct scratch *s, const char *dir, uint64_t first_bytes,
		      uint64_t free_bytes)
{
	struct statvfs v;
	uint64_t have;
	int rc;

	memset(s, 0, sizeof(*s));
	s->fd = -1;
	if (statvfs(dir, &v))
		return fail(errno, "cannot use %s for a scratch file: %s", dir,
			    strerror(errno));
	have = (uint64_t)v.f_bavail * v.f_frsize;
	if (have < free_bytes)
		return fail(ENOSPC,
			    "%s has %llu MiB free, and its scratch file is not "
			    "made with less than %llu MiB; give a --size, or "
			    "another directory",
			    dir, (unsigned long long)(have >> 20),
			    (unsigned long long)(free_bytes >> 20));
	rc = make_file(s, dir, first_bytes, "");
	if (rc)
		scratch_remove(s);
	return rc;
}

static int make_device(struct scratch *s, const char *dir, uint64_t size_bytes)
{
	struct loop_device loop;
	int fd, rc;

	if (!loop_device_may())
		return -ENOENT;
	fd = make_unnamed(dir);
	if (fd < 0)
		return -errno;
	rc = scratch_fill(fd, size_bytes);
	if (rc == 0)
		rc = loop_device_attach(&loop, fd, "iodyno-scratch");
	close(fd); /* the loop device keeps it */
	if (rc == 0) {
		s->fd = loop.fd;
		text_set(s->device, loop.device);
		text_set(s->path, loop.path);
	}
	return rc;
}

int scratch_make(struct scratch *s, const char *dir, uint64_t size_bytes)
{
	int rc;

	memset(s, 0, sizeof(*s));
	s->fd = -1;
	if (!dir)
		dir = getenv("TMPDIR");
	if (!dir || !*dir)
		dir = "/var/tmp";
	size_bytes = (size_bytes + 4095) & ~4095ull;
	rc = scratch_check_space(dir, size_bytes);
	if (rc)
		return rc;
	s->is_device = make_device(s, dir, size_bytes) == 0;
	if (s->is_device)
		return 0;
	s->device[0] = '\0';
	rc = make_file(s, dir, size_bytes, ADVICE);
	if (rc)
		scratch_remove(s);
	return rc;
}

/* Wait until the program closes its end of the pipe. */
static void hold(int socket, void *arg)
{
	const int *pipe_fd = arg;
	char c;

	while (read(*pipe_fd, &c, 1) < 0 && errno == EINTR)
		;
}

/* Whether this process has the file open a second time. A job that hangs keeps
 * its own descriptor. */
static bool is_open_again(int fd)
{
	DIR *dir = opendir("/proc/self/fd");
	struct stat ours, st;
	unsigned n = 0;
	struct dirent *e;

	while (dir && !fstat(fd, &ours) && (e = readdir(dir)))
		n += !fstatat(dirfd(dir), e->d_name, &st, 0) &&
		     (S_ISBLK(st.st_mode)
			      ? S_ISBLK(ours.st_mode) &&
					st.st_rdev == ours.st_rdev
			      : st.st_dev == ours.st_dev &&
					st.st_ino == ours.st_ino);
	if (dir)
		closedir(dir);
	return n > 1;
}

/*
 * The last close removes the file or detaches the device, and waits for the
 * disk below. A helper does the last close, so that the program can end.
 */
void scratch_remove(struct scratch *s)
{
	int fd[2], keep[2];
	const struct role_start start = { .role = ROLE_HOLDER,
					  .keep = keep,
					  .n = ARRAY_SIZE(keep),
					  .serve = hold,
					  .arg = fd };
	pid_t last = -1;

	if (s->fd >= 0 && !pipe2(fd, O_CLOEXEC)) {
		keep[0] = s->fd;
		keep[1] = fd[0];
		last = role_start(&start, NULL);
		close(fd[0]);
		/* The end of the program closes the other end of the pipe. */
		if (is_open_again(s->fd))
			last = -1;
		close(s->fd);
		s->fd = -1;
		if (last > 0)
			close(fd[1]);
	}
	descriptor_close(s->fd);
	if (last > 0)
		(void)role_wait(last);
	s->fd = -1;
	s->path[0] = s->device[0] = '\0';
}
