/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target: create files, open files and devices.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fail.h"
#include "workload/target.h"

/* EPERM is the guard's word; a plain lack of rights is EACCES. */
static int open_failed(const char *what, const struct job *job,
		       const char *path)
{
	int code = errno == EPERM ? EACCES : errno;

	return fail(code, "job %s: cannot %s %s: %s", job->name, what, path,
		    strerror(errno));
}

/* The file that was looked at must be the one that was opened. */
static int check_same(const struct target *t, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return open_failed("look at", t->job, t->path);
	if (t->is_device ? S_ISBLK(st.st_mode) && st.st_rdev == t->rdev
			 : st.st_dev == t->dev && st.st_ino == t->ino)
		return 0;
	return fail(ESTALE,
		    "job %s: %s was replaced while it was being opened; try "
		    "again",
		    t->job->name, t->path);
}

static int create(struct target *t)
{
	struct stat st;

	t->fd = open(t->path,
		     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (t->fd < 0)
		return open_failed("create", t->job, t->path);
	t->made = t->ours = true;
	/* Where this fails the next run asks for --overwrite. */
	if (fsetxattr(t->fd, TARGET_XATTR, "1", 1, 0) < 0 && errno == EIO)
		return open_failed("mark", t->job, t->path);
	if (fstat(t->fd, &st))
		return open_failed("look at", t->job, t->path);
	t->dev = st.st_dev;
	t->ino = st.st_ino;
	t->exists = true;
	return 0;
}

static int open_existing(struct target *t)
{
	t->fd = open(t->path, (t->may_write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	/* Another user's file, one of a read-only file system: it can be read
	 * as it is. */
	if (t->fd < 0 && (errno == EACCES || errno == EROFS) &&
	    target_is_whole(t)) {
		t->may_write = false;
		t->fd = open(t->path, O_RDONLY | O_CLOEXEC);
	}
	if (t->fd < 0)
		return open_failed("open", t->job, t->path);
	return check_same(t, t->fd);
}

/* fallocate= of the first job that uses the file; false with errno. */
static bool give_space(const struct target *t)
{
	off_t size = (off_t)t->need_bytes;

	switch (t->job->fallocate) {
	case FALLOCATE_NONE:
		return true; /* it grows as it is written */
	case FALLOCATE_TRUNCATE:
		return ftruncate(t->fd, size) == 0;
	case FALLOCATE_POSIX:
		errno = posix_fallocate(t->fd, 0, size);
		return errno == 0;
	case FALLOCATE_KEEP:
		return fallocate(t->fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0 ||
		       errno == EOPNOTSUPP;
	default:
		return fallocate(t->fd, 0, 0, size) == 0 ||
		       (errno == EOPNOTSUPP && ftruncate(t->fd, size) == 0);
	}
}

/*
 * A pure writer's file gets its space now, so that running out of it shows
 * at once; what is laid out grows by being written, so that its size tells how
 * much of it is real.
 */
static int allocate(struct target *t)
{
	if (!t->writes || t->reads || t->overwrite || t->fill ||
	    t->job->create_on_open || t->need_bytes <= t->size_bytes)
		return 0;
	if (!give_space(t))
		return open_failed("give space to", t->job, t->path);
	if (t->job->create_fsync && fsync(t->fd))
		return open_failed("sync", t->job, t->path);
	return 0;
}

/* The first hole (unwritten space reads without any I/O) or the end. */
static void plan_layout(struct target *t)
{
	off_t hole;

	/* Unwritten space of which a page is cached passes for data. */
	if (t->job->invalidate)
		(void)posix_fadvise(t->fd, 0, 0, POSIX_FADV_DONTNEED);
	hole = lseek(t->fd, 0, SEEK_HOLE);
	t->layout_from = t->need_bytes;
	if (hole < 0)
		hole = (off_t)t->size_bytes;
	if ((uint64_t)hole >= t->need_bytes || t->fill ||
	    t->job->create_on_open)
		return;
	if (!t->may_write) {
		t->has_hole = t->reads;
		t->hole_at = (uint64_t)hole;
	} else if (t->reads || t->overwrite) {
		t->layout_from = (uint64_t)hole;
	}
}

int target_open(struct target *t)
{
	int rc;

	t->layout_from = t->need_bytes;
	if (t->is_device)
		return 0;
	rc = t->exists ? open_existing(t) : create(t);
	if (rc)
		return rc;
	rc = allocate(t);
	if (rc == 0)
		plan_layout(t);
	return rc;
}

/* sync=sync or dsync: every write is on the medium when it is done. */
static int sync_flags(const struct job *job)
{
	return job->sync_open == SYNC_OPEN_SYNC    ? O_SYNC
	       : job->sync_open == SYNC_OPEN_DSYNC ? O_DSYNC
						   : 0;
}

/*
 * A device's node needs no time of its last access, which costs something with
 * each read; only its owner may leave it out.
 */
static int open_quiet(const struct target *t, int flags)
{
	int fd = t->is_device ? open(t->path, flags | O_NOATIME) : -1;

	return fd >= 0 ? fd : open(t->path, flags);
}

int target_open_clone(const struct target *t, const struct job *job)
{
	int flags = O_CLOEXEC | (job_writes(job) ? O_RDWR : O_RDONLY) |
		    (job->direct ? O_DIRECT : 0) | sync_flags(job);
	int fd = open_quiet(t, flags), rc;

	if (fd < 0 && errno == EINVAL && job->direct)
		return fail(EINVAL,
			    "job %s: the file system of %s does not support "
			    "direct I/O; give --direct=0 or a file elsewhere",
			    job->name, t->path);
	if (fd < 0 && errno == EMFILE)
		return fail(EMFILE,
			    "job %s: too many open files; lower numjobs or "
			    "raise the limit (ulimit -n)",
			    job->name);
	if (fd < 0)
		return open_failed("open", job, t->path);
	rc = check_same(t, fd);
	if (rc) {
		close(fd);
		return rc;
	}
	return fd;
}
