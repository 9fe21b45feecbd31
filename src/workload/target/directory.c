/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directory: make and remove the directory that a job works in.
 */
#include "workload/target/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"

/* Nothing that we make is as deep. */
#define DEEPEST 64

static int look(struct target *t)
{
	struct stat st;

	if (stat(t->path, &st))
		return fail(errno,
			    "job %s: cannot use the directory %s: %s; give "
			    "--directory where files can be made",
			    t->job->name, t->path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fail(ENOTDIR,
			    "job %s: %s is not a directory; kind=%s makes "
			    "files in one",
			    t->job->name, t->path, t->job->kind);
	t->exists = true;
	t->dev = st.st_dev;
	t->ino = st.st_ino;
	return 0;
}

static struct target *find(const struct targets *ts, const struct target *like)
{
	for (size_t i = 0; i < ts->n; i++) {
		struct target *t = ts->item[i];

		if (t->is_directory && t->job == like->job &&
		    t->dev == like->dev && t->ino == like->ino)
			return t;
	}
	return NULL;
}

int directory_add(struct targets *ts, const struct job *job, const char *parent,
		  uint64_t bytes, struct target **out)
{
	struct target *t = xcalloc(1, sizeof(*t)), *same;
	int rc;

	t->path = xstrdup(parent);
	t->job = job;
	t->is_directory = t->bare = t->writes = t->unlink = true;
	t->fd = t->guard_fd = t->lock_fd = -1;
	rc = look(t);
	same = rc ? NULL : find(ts, t);
	if (rc || same) {
		free(t->path);
		free(t);
	} else {
		ts->item = xgrow(ts->item, &ts->cap, ts->n + 1, sizeof(t));
		ts->item[ts->n++] = same = t;
	}
	if (rc)
		return rc;
	if (__builtin_add_overflow(same->need_bytes, bytes, &same->need_bytes))
		same->need_bytes = UINT64_MAX;
	*out = same;
	return 0;
}

static bool is_empty(int fd)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	unsigned n = 0;

	if (!dir) {
		if (again >= 0)
			close(again);
		return false;
	}
	while (n < 3 && readdir(dir))
		n++;
	closedir(dir);
	/* Itself and its parent. */
	return n < 3;
}

/* The owner of what this process makes in it: NFS and others map users. */
static bool is_owner(int fd, uid_t uid)
{
	const char name[] = "owner";
	struct stat st;
	int file;
	bool same;

	if (uid == geteuid())
		return true;
	file = openat(fd, name,
		      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      0600);
	if (file < 0)
		return false;
	same = !fstat(file, &st) && st.st_uid == uid;
	(void)unlinkat(fd, name, 0);
	close(file);
	return same;
}

int directory_open_new(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && is_empty(fd) && is_owner(fd, st.st_uid))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

int directory_make(struct target *t)
{
	struct stat st;

	t->own = xasprintf("%s/iodyno.%s.XXXXXX", t->path, t->job->kind);
	if (!mkdtemp(t->own)) {
		int code = errno;

		free(t->own);
		t->own = NULL;
		return fail(code == EPERM ? EACCES : code,
			    "job %s: cannot make a directory in %s: %s",
			    t->job->name, t->path, strerror(code));
	}
	t->made = true;
	t->fd = directory_open_new(t->own);
	if (t->fd < 0 || fstat(t->fd, &st))
		return fail(errno, "job %s: cannot open the directory %s: %s",
			    t->job->name, t->own, strerror(errno));
	t->dev = st.st_dev;
	t->ino = st.st_ino;
	return 0;
}

int directory_open(const struct target *t)
{
	int fd = openat(t->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	return fail(errno, "job %s: cannot open the directory %s: %s",
		    t->job->name, t->own, strerror(errno));
}

/* All below a directory of that device, whose descriptor it closes. */
static void empty(int fd, dev_t dev, unsigned depth)
{
	struct stat st;
	bool here = fd >= 0 && !fstat(fd, &st) && st.st_dev == dev;
	DIR *dir = here ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (!unlinkat(fd, e->d_name, 0) || depth >= DEEPEST)
			continue;
		empty(openat(fd, e->d_name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
		      dev, depth + 1);
		unlinkat(fd, e->d_name, AT_REMOVEDIR);
	}
	closedir(dir);
}

void directory_remove(struct target *t)
{
	struct stat st;

	if (!t->own || t->fd < 0)
		return;
	empty(openat(t->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	      t->dev, 0);
	/* Another directory may have been put in its place. */
	if (!lstat(t->own, &st) && st.st_dev == t->dev && st.st_ino == t->ino)
		rmdir(t->own);
}
