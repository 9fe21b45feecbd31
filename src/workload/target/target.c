/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target: examine files and devices, create and open them. */
#include "workload/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/role.h"
#include "base/text.h"
#include "base/units.h"
#include "block/mounts.h"
#include "block/sysfs.h"
#include "workload/target/guard.h"

/*
 * EPERM is reserved for the guard; a lack of rights is EACCES. For a device,
 * suggest root.
 */
static int open_failed(const char *what, const struct job *job,
		       const char *path)
{
	int code = errno == EPERM ? EACCES : errno;
	char rerun[FAIL_ROOT_MAX] = "";
	struct stat st;

	if (code == EACCES && !stat(path, &st) && S_ISBLK(st.st_mode))
		fail_as_root(rerun, sizeof(rerun));
	return job_fail(job, code, "cannot %s %s: %s%s", what, path,
			strerror(code), rerun);
}

int target_open_as(const struct target *t, int flags)
{
	const char *path = *t->open_path ? t->open_path : t->path;

	return opener_open(t->is_device ? t->opener : NULL, path, flags);
}

void target_release(struct target *t)
{
	descriptor_close(t->guard_fd);
	descriptor_close(t->lock_fd);
	t->guard_fd = t->lock_fd = -1;
	if (t->claim)
		opener_release(t->opener, t->claim);
	t->claim = 0;
}

static int device_size(const struct target *t, uint64_t *bytes)
{
	int fd = target_open_as(t, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return open_failed("open", t->job, t->path);
	rc = ioctl(fd, BLKGETSIZE64, bytes);
	close(fd);
	if (rc || !*bytes)
		return job_fail(t->job, ENXIO, "device %s has no size",
				t->path);
	return 0;
}

/* The words for a path that is not a target; NULL: a file or block device. */
static const char *odd_kind(mode_t mode)
{
	return S_ISDIR(mode)    ? "a directory"
	       : S_ISCHR(mode)  ? "a character device"
	       : S_ISFIFO(mode) ? "a FIFO"
	       : S_ISSOCK(mode) ? "a socket"
				: NULL;
}

/*
 * A path in /dev that does not exist is a typing error; a new file there would
 * fill memory.
 */
static bool mistyped_device(const char *path)
{
	return !strncmp(path, "/dev/", 5) && strncmp(path, "/dev/shm/", 9) != 0;
}

/* The file system of a file that will be made; false with errno. */
static bool look_at_parent(struct target *t)
{
	char *dir = text_folder(t->path);
	struct stat st;
	const int error = stat(dir, &st) ? errno : 0;

	free(dir);
	if (!error)
		t->dev = st.st_dev;
	errno = error;
	return !error;
}

static int target_look(struct target *t)
{
	const char *name = t->job->name, *odd;
	struct stat st;

	if (stat(t->path, &st)) {
		if (errno == ENOENT && mistyped_device(t->path))
			return fail(ENODEV,
				    "job %s: there is no device %s; see lsblk",
				    name, t->path);
		if (errno == ENOENT) {
			(void)look_at_parent(t);
			return 0;
		}
		return fail(errno, "job %s: cannot examine %s: %s", name,
			    t->path, strerror(errno));
	}
	odd = odd_kind(st.st_mode);
	if (odd)
		return fail(EINVAL,
			    "job %s: %s is %s; give a file or a block device",
			    name, t->path, odd);
	t->exists = true;
	t->dev = st.st_dev;
	t->ino = st.st_ino;
	t->is_device = S_ISBLK(st.st_mode);
	if (t->is_device) {
		t->rdev = st.st_rdev;
		return device_size(t, &t->size_bytes);
	}
	t->size_bytes = (uint64_t)st.st_size;
	t->present_bytes = (uint64_t)st.st_blocks * 512;
	t->mark = layout_mark_of_path(t->path, &st);
	return 0;
}

static bool target_same(const struct target *a, const struct target *b)
{
	if (a->exists != b->exists || a->is_device != b->is_device)
		return false;
	if (!a->exists)
		return !strcmp(a->path, b->path);
	if (a->is_device)
		return a->rdev == b->rdev;
	return a->dev == b->dev && a->ino == b->ino;
}

static void free_target(struct target *t)
{
	descriptor_close(t->fd);
	target_release(t);
	free(t->path);
	free(t->own);
	free(t);
}

int targets_add(struct targets *ts, const struct job *job, const char *path,
		bool null, struct target **out)
{
	struct target *t = xcalloc(1, sizeof(*t));
	int rc;

	t->path = xstrdup(path);
	t->job = job;
	t->null = null;
	t->foreign = job_is_foreign(job, NULL);
	t->opener = ts->opener;
	t->fd = t->guard_fd = t->lock_fd = -1;
	rc = null ? 0 : target_look(t);
	if (rc) {
		free_target(t);
		return rc;
	}
	for (size_t i = 0; i < ts->n && !null; i++) {
		if (target_same(ts->item[i], t)) {
			ts->item[i]->foreign &= t->foreign;
			free_target(t);
			*out = ts->item[i];
			return 0;
		}
	}
	*xadd(ts->item, ts->n, ts->cap) = *out = t;
	return 0;
}

/* The bytes that the file system still has to allocate to a file. */
static uint64_t target_growth(const struct target *t)
{
	if (t->is_device || !t->may_write || t->fill ||
	    t->need_bytes <= t->present_bytes)
		return 0;
	return t->need_bytes - t->present_bytes;
}

/*
 * Set the file system of a target: that of the directory if there is no file
 * yet.
 */
static int file_system(struct target *t)
{
	if (t->exists || t->is_device || look_at_parent(t))
		return 0;
	return job_fail(t->job, errno,
			"cannot make %s: %s; give --directory or --filename "
			"where a file can be made",
			t->path, strerror(errno));
}

static int check_one_space(const struct target *t, uint64_t want)
{
	char *dir = text_folder(t->path);
	struct statvfs v;
	int rc = statvfs(t->exists ? t->path : dir, &v);
	uint64_t have = rc ? 0 : (uint64_t)v.f_bavail * v.f_frsize;

	free(dir);
	if (rc || want <= have)
		return 0;
	return job_fail(t->job, ENOSPC,
			"the files of this run need %llu MiB more where %s is, "
			"but only %llu MiB are free; reduce size or give "
			"--directory elsewhere",
			(unsigned long long)((want >> 20) + 1), t->path,
			(unsigned long long)(have >> 20));
}

int targets_check_space(const struct targets *ts)
{
	int rc;

	for (size_t i = 0; i < ts->n; i++) {
		rc = target_growth(ts->item[i]) ? file_system(ts->item[i]) : 0;
		if (rc)
			return rc;
	}
	for (size_t i = 0; i < ts->n; i++) {
		const struct target *t = ts->item[i];
		uint64_t want = 0;
		bool told = false;

		if (!target_growth(t))
			continue;
		for (size_t j = 0; j < ts->n; j++) {
			if (!target_growth(ts->item[j]) ||
			    ts->item[j]->dev != t->dev)
				continue;
			told |= j < i;
			want += target_growth(ts->item[j]);
		}
		rc = told ? 0 : check_one_space(t, want);
		if (rc)
			return rc;
	}
	return 0;
}

/*
 * Another file may have replaced the one that was used: remove only the same
 * one.
 */
static void remove_file(const struct target *t)
{
	struct stat st;

	if (stat(t->path, &st) == 0 && st.st_dev == t->dev &&
	    st.st_ino == t->ino)
		unlink(t->path);
}

/* The file stays; mark its present state for the next run. */
static void target_leave(const struct target *t)
{
	if (t->marked)
		layout_mark_left(t->fd);
}

/* The last file that a worker, maybe of another process, has made anew. */
static void target_follow(struct target *t)
{
	int fd = open(t->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) || layout_mark_of_fd(fd, &st) != MARK_RUNNING ||
	    dup3(fd, t->fd, O_CLOEXEC) < 0) {
		close(fd);
		return;
	}
	close(fd);
	t->dev = st.st_dev;
	t->ino = st.st_ino;
	t->marked = true;
}

static bool is_removed(const struct target *t, bool undo)
{
	return undo ? t->made : t->unlink && t->may_write;
}

static void leave_or_remove(struct targets *ts, bool undo)
{
	for (size_t i = 0; i < ts->n; i++) {
		if (ts->item[i]->renews && ts->item[i]->fd >= 0)
			target_follow(ts->item[i]);
		if (!is_removed(ts->item[i], undo))
			target_leave(ts->item[i]);
		else if (ts->item[i]->is_directory)
			directory_remove(ts->item[i]);
		else
			remove_file(ts->item[i]);
	}
}

static void leave_all(int socket, void *ts)
{
	leave_or_remove(ts, false);
}

static void undo_all(int socket, void *ts)
{
	leave_or_remove(ts, true);
}

/*
 * Marks and removals write to the file system, which may not answer. A process
 * makes them, so that the program can end. false: there is nothing to do, or no
 * process could be started.
 */
static bool is_done_aside(struct targets *ts, bool undo)
{
	int *keep = xcalloc(3 * ts->n + 1, sizeof(*keep));
	bool work = false;
	pid_t cleaner = -1;
	size_t n = 0;

	for (size_t i = 0; i < ts->n; i++) {
		struct target *t = ts->item[i];

		work |= t->marked || is_removed(t, undo);
		keep[n++] = t->fd;
		keep[n++] = t->guard_fd;
		keep[n++] = t->lock_fd;
	}
	if (work)
		cleaner = role_start(
			&(struct role_start){
				.role = ROLE_CLEANER,
				.keep = keep,
				.n = n,
				.serve = undo ? undo_all : leave_all,
				.arg = ts,
			},
			NULL);
	free(keep);
	if (cleaner > 0)
		(void)role_wait(cleaner);
	return cleaner > 0;
}

void targets_free(struct targets *ts, bool undo)
{
	if (!is_done_aside(ts, undo))
		leave_or_remove(ts, undo);
	for (size_t i = 0; i < ts->n; i++)
		free_target(ts->item[i]);
	free(ts->item);
	ts->item = NULL;
	ts->n = ts->cap = 0;
}

unsigned target_logical_block(const struct root *root, const struct target *t)
{
	long long bytes;

	return sysfs_value(root, t->is_device ? t->rdev : t->dev,
			   "queue/logical_block_size", &bytes) &&
			       bytes >= 512
		       ? (unsigned)bytes
		       : 512;
}

bool target_disk(const struct root *root, const struct target *t, char *name,
		 size_t size)
{
	dev_t dev = t->is_device ? t->rdev : t->dev;

	/*
	 * Without a file "dev" in sysfs, use the number of the partition
	 * itself.
	 */
	if (sysfs_is_part(root, dev) && !sysfs_whole_disk(root, dev, &dev))
		return false;
	return sysfs_device_name(root, dev, name, size);
}

/* As sysfs spells the UUID of the btrfs that holds the file: "" for others. */
static void btrfs_uuid(const struct target *t, char out[40])
{
	int fd = target_open_as(t, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct btrfs_ioctl_fs_info_args info = { 0 };
	struct statfs fs;

	out[0] = '\0';
	if (fd < 0)
		return;
	if (!fstatfs(fd, &fs) && fs.f_type == BTRFS_SUPER_MAGIC &&
	    !ioctl(fd, BTRFS_IOC_FS_INFO, &info))
		for (unsigned i = 0, n = 0; i < sizeof(info.fsid); i++)
			n += (unsigned)sprintf(out + n, "%s%02x",
					       i == 4 || i == 6 || i == 8 ||
							       i == 10
						       ? "-"
						       : "",
					       info.fsid[i]);
	close(fd);
}

void target_disks(const struct root *root, const struct target *t, char *names,
		  size_t size)
{
	char uuid[40];

	names[0] = '\0';
	if (target_disk(root, t, names, size))
		return;
	names[0] = '\0';
	if (t->is_device)
		return;
	btrfs_uuid(t, uuid);
	if (*uuid)
		mounts_btrfs_disks(root, uuid, names, size);
}

/* The opened file must be the one that was examined. */
static int target_check_same(const struct target *t, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return open_failed("examine", t->job, t->path);
	if (t->is_device ? S_ISBLK(st.st_mode) && st.st_rdev == t->rdev
			 : st.st_dev == t->dev && st.st_ino == t->ino)
		return 0;
	return job_fail(t->job, ESTALE,
			"%s was replaced while it was being opened; try again",
			t->path);
}

int target_lock_owner(ino_t inode)
{
	FILE *f = fopen("/proc/locks", "re");
	unsigned long long ino;
	char line[200];
	int pid, owner = 0;

	while (f && !owner && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*d: FLOCK %*s %*s %d %*x:%*x:%llu", &pid,
			   &ino) == 2 &&
		    ino == inode && pid > 0)
			owner = pid;
	if (f)
		fclose(f);
	return owner;
}

static int target_in_use(const struct target *t)
{
	return job_fail(t->job, EBUSY,
			"another iodyno (pid %d) uses %s; wait until it ends, "
			"or name another file",
			t->other_pid, t->path);
}

int target_check_unused(struct target *t)
{
	int fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		t->other_pid = target_lock_owner(t->ino);
	descriptor_close(fd);
	return t->other_pid ? target_in_use(t) : 0;
}

/*
 * Two runs that write one file make each other's figures and verification
 * wrong. The writer keeps a lock as long as the file is open; a reader, such as
 * ping, only notes the writer.
 */
static int lock_file(struct target *t)
{
	if (!flock(t->fd, (t->may_write ? LOCK_EX : LOCK_SH) | LOCK_NB)) {
		if (!t->may_write)
			(void)flock(t->fd, LOCK_UN);
		return 0;
	}
	/* The file system has no locks. */
	if (errno != EWOULDBLOCK)
		return 0;
	t->other_pid = target_lock_owner(t->ino);
	return t->may_write ? target_in_use(t) : 0;
}

/*
 * Unlink a file with unlink=1 at once, so that it disappears however the run
 * ends. Clones open it through our descriptor.
 */
static void target_take_name(struct target *t)
{
	struct stat st;

	if (stat(t->path, &st) || st.st_dev != t->dev || st.st_ino != t->ino ||
	    unlink(t->path))
		return;
	root_fd_path(t->open_path, t->fd);
}

static int target_create(struct target *t)
{
	struct stat st;
	int rc;

	t->fd = open(t->path,
		     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (t->fd < 0)
		return open_failed("create", t->job, t->path);
	t->made = true;
	t->mark = MARK_RUNNING;
	rc = lock_file(t);
	if (rc)
		return rc;
	/* If this fails, the next run asks for --overwrite. */
	t->marked = layout_mark_running(t->fd) == 0;
	if (fstat(t->fd, &st))
		return open_failed("examine", t->job, t->path);
	t->dev = st.st_dev;
	t->ino = st.st_ino;
	t->exists = true;
	if (t->unlink)
		target_take_name(t);
	return 0;
}

/* Another program may have written to the file since the guard passed it. */
static int take_over(struct target *t)
{
	struct stat st;

	if (t->mark != MARK_EXACT)
		return 0;
	if (fstat(t->fd, &st))
		return open_failed("examine", t->job, t->path);
	if (layout_mark_of_fd(t->fd, &st) != MARK_EXACT)
		return job_fail(
			t->job, ESTALE,
			"%s was changed while it was being opened; try again",
			t->path);
	t->marked = layout_mark_running(t->fd) == 0;
	if (!t->marked)
		return open_failed("mark", t->job, t->path);
	return 0;
}

static int target_open_existing(struct target *t)
{
	int rc;

	t->fd = open(t->path, (t->may_write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	/*
	 * A file of another user or of a read-only file system can only be
	 * read.
	 */
	if (t->fd < 0 && (errno == EACCES || errno == EROFS) &&
	    target_is_whole(t)) {
		t->may_write = false;
		t->fd = open(t->path, O_RDONLY | O_CLOEXEC);
	}
	if (t->fd < 0)
		return open_failed("open", t->job, t->path);
	rc = target_check_same(t, t->fd);
	if (rc == 0)
		rc = lock_file(t);
	return rc || !t->may_write ? rc : take_over(t);
}

/*
 * Allocate space by fallocate= of the first job that uses the file; false with
 * errno.
 */
static bool give_space(const struct target *t)
{
	off_t size = (off_t)t->need_bytes;

	switch (t->job->fallocate) {
	case FALLOCATE_NONE:
		return true; /* the file grows with the writes */
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
 * Allocate the file of a job that only writes now, so that a lack of space
 * shows at once. A file with a layout grows with the writes, so that its size
 * tells how much is written.
 */
static int allocate(struct target *t)
{
	if (!t->writes || t->reads || t->overwrite || t->fill || t->bare ||
	    t->job->create_on_open || t->need_bytes <= t->size_bytes)
		return 0;
	if (!give_space(t))
		return open_failed("give space to", t->job, t->path);
	if (t->job->create_fsync && fsync(t->fd))
		return open_failed("sync", t->job, t->path);
	return 0;
}

int target_open(struct target *t)
{
	int rc;

	t->layout_from = t->need_bytes;
	if (t->is_device)
		return 0;
	if (t->is_directory)
		return directory_make(t);
	rc = t->exists ? target_open_existing(t) : target_create(t);
	if (rc == 0)
		rc = allocate(t);
	if (rc == 0)
		layout_plan(t);
	return rc;
}

/* sync=sync or dsync: a write completes once its data are on the medium. */
static int sync_flags(const struct job *job)
{
	return job->sync_open == SYNC_OPEN_SYNC    ? O_SYNC
	       : job->sync_open == SYNC_OPEN_DSYNC ? O_DSYNC
						   : 0;
}

/*
 * Open a device with O_NOATIME: an update of its access time costs time with
 * each read. Only the owner of the node may do so.
 */
static int open_quiet(const struct target *t, int flags)
{
	int fd = t->is_device ? target_open_as(t, flags | O_NOATIME) : -1;

	return fd >= 0 ? fd : target_open_as(t, flags);
}

int target_open_clone(const struct target *t, const struct job *job)
{
	int flags = O_CLOEXEC | (job_changes(job) ? O_RDWR : O_RDONLY) |
		    (job->direct ? O_DIRECT : 0) | sync_flags(job);
	int fd = t->is_directory ? directory_open(t) : open_quiet(t, flags), rc;

	if (t->is_directory)
		return fd;
	if (fd < 0 && errno == EINVAL && job->direct)
		return job_fail(job, EINVAL,
				"the file system of %s does not support direct "
				"I/O; give --direct=0 or a file elsewhere",
				t->path);
	if (fd < 0 && errno == EMFILE)
		return job_fail(job, EMFILE,
				"too many open files; lower numjobs or raise "
				"the limit (ulimit -n)");
	if (fd < 0)
		return open_failed("open", job, t->path);
	rc = target_check_same(t, fd);
	if (rc) {
		close(fd);
		return rc;
	}
	return fd;
}

bool target_is_link(const struct target *t)
{
	struct stat st;

	return !lstat(t->path, &st) && S_ISLNK(st.st_mode);
}

bool target_is_of_another(const struct target *t)
{
	struct stat st;

	return geteuid() != 0 && !lstat(t->path, &st) && st.st_uid != geteuid();
}

/* Put the file of that descriptor into the place of another one. */
static int target_replace(int fd, int place)
{
	int rc = dup3(fd, place, O_CLOEXEC) < 0 ? -errno : 0;

	close(fd);
	return rc;
}

int target_renew(struct target *t, const struct job *job, int fd)
{
	struct stat was, st;
	int fresh, rc;

	if (fstat(fd, &was))
		return open_failed("examine", job, t->path);
	/* A file of unlink=1 that the run made has no name. */
	if (!*t->open_path) {
		if (lstat(t->path, &st) || st.st_dev != was.st_dev ||
		    st.st_ino != was.st_ino)
			return job_fail(job, ESTALE,
					"%s is another file than at the start "
					"of the loop; it stays",
					t->path);
		if (unlink(t->path))
			return open_failed("remove", job, t->path);
	}
	fresh = open(t->path,
		     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fresh < 0)
		return open_failed("create", job, t->path);
	if (fchown(fresh, was.st_uid, was.st_gid) ||
	    fchmod(fresh, was.st_mode & 07777) || fstat(fresh, &st)) {
		rc = open_failed("set the owner and mode of", job, t->path);
		close(fresh);
		return rc;
	}
	rc = target_replace(fresh, t->fd);
	if (rc)
		return job_fail(job, -rc, "%s: %s", t->path, strerror(-rc));
	t->dev = st.st_dev;
	t->ino = st.st_ino;
	t->marked = layout_mark_running(t->fd) == 0;
	rc = lock_file(t);
	if (rc == 0 && *t->open_path)
		target_take_name(t);
	fresh = rc ? rc : target_open_clone(t, job);
	return fresh < 0 ? fresh : target_replace(fresh, fd);
}

static void target_device_words(const struct root *root, dev_t dev, char *buf,
				size_t size)
{
	uint64_t bytes;

	if (sysfs_bytes(root, dev, &bytes))
		snprintf(buf, size, "block device, %s",
			 units_bytes((double)bytes).text);
	else
		snprintf(buf, size, "block device");
}

void target_words(const struct root *root, const char *path, char *buf,
		  size_t size)
{
	const struct mount *m;
	struct mounts *mounts;
	struct stat st;

	snprintf(buf, size, "file");
	if (stat(path, &st))
		return;
	if (S_ISBLK(st.st_mode)) {
		target_device_words(root, st.st_rdev, buf, size);
		return;
	}
	mounts = mounts_read(root);
	m = mounts_of_device(mounts, st.st_dev);
	if (m) {
		snprintf(buf, size, "%s on %s", m->type, m->source);
		text_clean(buf);
	}
	mounts_free(mounts);
}

/* --- the names of the files of a clone, by fio's rules --- */

/* Split a list at ':' ("\:" is a literal colon); NULL gives no items. */
static char **split(const char *list, size_t *n)
{
	char **items = NULL, *item;
	size_t cap = 0, len = 0;

	*n = 0;
	if (!list)
		return NULL;
	item = xmalloc(strlen(list) + 1);
	for (const char *p = list;; p++) {
		if (*p == '\\' && p[1] == ':') {
			item[len++] = *++p;
			continue;
		}
		if (*p && *p != ':') {
			item[len++] = *p;
			continue;
		}
		item[len] = '\0';
		if (len) {
			*xadd(items, *n, cap) = xstrdup(item);
		}
		len = 0;
		if (!*p)
			break;
	}
	free(item);
	return items;
}

/* directory/name, unless the name is absolute or there is no directory. */
static char *target_join(const char *directory, char *name)
{
	char *path;

	if (!directory || name[0] == '/')
		return name;
	path = xasprintf("%s/%s", directory, name);
	free(name);
	return path;
}

/* The words of filename_format and their meanings, as fio has them. */
enum { VARIABLE_TEXT = 24 };

static const char *const variables[] = { "$jobname", "$clientuid", "$jobnum",
					 "$filenum" };

/* The i-th of the variables, as text. */
static const char *variable(size_t i, const struct job *job, unsigned jobnum,
			    unsigned filenum, char *buf)
{
	if (i == 0)
		return job->name;
	/* A run without a server has this client id. */
	if (i == 1)
		return "localhost";
	snprintf(buf, VARIABLE_TEXT, "%u", i == 2 ? jobnum : filenum);
	return buf;
}

/* A variable that is not known stays as it is. */
static char *format_name(const struct job *job, unsigned jobnum,
			 unsigned filenum)
{
	const char *p = job->filename_format;
	char *name = xstrdup(""), buf[VARIABLE_TEXT];

	if (!p || !*p)
		p = "$jobname.$jobnum.$filenum";
	while (*p) {
		const char *word = NULL;
		size_t skip = 1;

		for (size_t i = 0; i < ARRAY_SIZE(variables) && !word; i++) {
			if (strncmp(p, variables[i], strlen(variables[i])) != 0)
				continue;
			word = variable(i, job, jobnum, filenum, buf);
			skip = strlen(variables[i]);
		}
		xappend(&name, "%.*s", word ? (int)strlen(word) : 1,
			word ? word : p);
		p += skip;
	}
	return name;
}

char *target_directory(const struct job *job, unsigned jobnum)
{
	size_t n;
	char **all = split(job->directory, &n);
	char *one = xstrdup(n ? all[jobnum % n] : ".");

	xfree_list(all, n);
	return one;
}

char **target_paths(const struct job *job, unsigned jobnum, size_t *n)
{
	size_t n_directories;
	char **directories = split(job->directory, &n_directories);
	const char *directory =
		n_directories ? directories[jobnum % n_directories] : NULL;
	char **paths = split(job->filename, n);

	if (*n == 0 && job->opendir) {
		free(paths);
		xfree_list(directories, n_directories);
		return target_found(job, n);
	}
	if (*n == 0) {
		free(paths);
		*n = job->nrfiles ? job->nrfiles : 1;
		paths = xcalloc(*n, sizeof(*paths));
		for (size_t i = 0; i < *n; i++)
			paths[i] = format_name(job, jobnum, (unsigned)i);
	}
	for (size_t i = 0; i < *n; i++)
		paths[i] = target_join(directory, paths[i]);
	xfree_list(directories, n_directories);
	return paths;
}
