/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Directory: make and remove the directory that a job works in. */
#include "workload/target/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/kernel.h"
#include "base/root.h"

/* Directories that iodyno makes are less deep. */
#define DEEPEST 64
#define PREFIX	"iodyno."
#define RANDOM	6 /* letters that mkdtemp(3) chooses */
/*
 * This file in each directory holds the identity of the directory, so that a
 * copy does not match, and that of its run.
 */
#define MARK	".made-by-iodyno"

static int directory_look(struct target *t)
{
	struct stat st;

	if (stat(t->path, &st))
		return job_fail(t->job, errno,
				"cannot use the directory %s: %s; give "
				"--directory where files can be made",
				t->path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return job_fail(
			t->job, ENOTDIR,
			"%s is not a directory; kind=%s makes files in one",
			t->path, t->job->kind);
	t->exists = true;
	t->dev = st.st_dev;
	t->ino = st.st_ino;
	return 0;
}

static struct target *directory_find(const struct targets *ts,
				     const struct target *like)
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
	rc = directory_look(t);
	same = rc ? NULL : directory_find(ts, t);
	if (rc || same) {
		free(t->path);
		free(t);
	} else {
		*xadd(ts->item, ts->n, ts->cap) = same = t;
	}
	if (rc)
		return rc;
	if (__builtin_add_overflow(same->need_bytes, bytes, &same->need_bytes))
		same->need_bytes = UINT64_MAX;
	*out = same;
	return 0;
}

static bool directory_is_empty(int fd)
{
	DIR *dir = descriptor_entries(
		openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	unsigned n = 0;

	if (!dir)
		return false;
	while (n < 3 && readdir(dir))
		n++;
	closedir(dir);
	/* An empty directory has two entries: itself and its parent. */
	return n < 3;
}

/*
 * Whether files that this process makes in the directory belong to uid: NFS and
 * other file systems map users.
 */
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
	if (!fstat(fd, &st) && directory_is_empty(fd) &&
	    is_owner(fd, st.st_uid))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

/*
 * The identity of the directory, and the boot and machine of the run that made
 * it.
 */
struct mark {
	char directory[64], boot[64], host[200];
};

#define MARK_BYTES 400

static bool mark_now(int dir, struct mark *m)
{
	struct root root;

	if (!descriptor_identity(dir, m->directory, sizeof(m->directory)) ||
	    root_open(&root, NULL))
		return false;
	root_boot_id(&root, m->boot, sizeof(m->boot));
	root_host_id(&root, m->host, sizeof(m->host));
	root_close(&root);
	return true;
}

/*
 * Write one line for each member. false: the boot is unknown, so the run leaves
 * no mark.
 */
static bool mark_words(const struct mark *m, char buf[MARK_BYTES])
{
	snprintf(buf, MARK_BYTES, "iodyno directory 2\n%s\n%s\n%s\n",
		 m->directory, m->boot, m->host);
	return *m->boot != '\0';
}

int directory_mark(int fd)
{
	char text[MARK_BYTES];
	struct mark mark;
	int file, err;

	if (flock(fd, LOCK_EX | LOCK_NB))
		return -errno;
	if (!mark_now(fd, &mark) || !mark_words(&mark, text))
		return -EIO;
	file = openat(fd, MARK,
		      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      0600);
	if (file < 0)
		return -errno;
	errno = EIO;
	err = write(file, text, strlen(text)) == (ssize_t)strlen(text) ? 0
								       : -errno;
	close(file);
	return err;
}

/*
 * The next line of the text; its newline becomes a NUL. "" after the last line.
 */
static char *directory_take_line(char **text)
{
	char *line = *text;

	*text += strcspn(line, "\n");
	if (**text)
		*(*text)++ = '\0';
	return line;
}

/*
 * Whether a run of this machine left the mark. Locks of other machines may be
 * invisible (a network file system with local locks), so an absent lock proves
 * the end of a run only on this machine. A run of an earlier boot has ended.
 */
static bool is_of_here(char *text, const struct mark *here)
{
	const char *title = directory_take_line(&text),
		   *directory = directory_take_line(&text);
	const char *boot = directory_take_line(&text),
		   *host = directory_take_line(&text);

	if (strcmp(title, "iodyno directory 2") != 0 || !*here->boot ||
	    strcmp(directory, here->directory) != 0)
		return false;
	return !strcmp(boot, here->boot) ||
	       (*boot && *here->host && !strcmp(host, here->host));
}

static bool has_mark(int dir)
{
	int fd = openat(dir, MARK,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char text[MARK_BYTES];
	struct mark here;
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	    st.st_uid == geteuid() && mark_now(dir, &here))
		n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return is_of_here(text, &here);
}

/* "iodyno.KIND.XXXXXX" */
static bool is_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return !strncmp(name, PREFIX, sizeof(PREFIX) - 1) &&
	       dot > name + sizeof(PREFIX) - 1 && strlen(dot + 1) == RANDOM;
}

bool directory_is_left(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == geteuid() && has_mark(fd) &&
	       !flock(fd, LOCK_EX | LOCK_NB);
}

static bool directory_remove_left(int parent, const char *name)
{
	int fd = openat(parent, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool gone;

	if (fd < 0)
		return false;
	gone = directory_is_left(fd) && directory_remove_at(parent, name, fd);
	close(fd);
	return gone;
}

static unsigned remove_all_left(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	unsigned n = 0;

	while (dir && (e = readdir(dir)))
		n += is_name(e->d_name) &&
		     directory_remove_left(dirfd(dir), e->d_name);
	if (dir)
		closedir(dir);
	return n;
}

int directory_make(struct target *t)
{
	struct stat st;

	t->left_removed = remove_all_left(t->path);
	t->own = xasprintf("%s/" PREFIX "%s.XXXXXX", t->path, t->job->kind);
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
		return job_fail(t->job, errno,
				"cannot open the directory %s: %s", t->own,
				strerror(errno));
	t->dev = st.st_dev;
	t->ino = st.st_ino;
	/*
	 * Without the lock or the mark, the directory stays after a SIGKILL;
	 * all else works.
	 */
	if (t->unlink)
		(void)!directory_mark(t->fd);
	return 0;
}

int directory_open(const struct target *t)
{
	int fd = openat(t->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	return job_fail(t->job, errno, "cannot open the directory %s: %s",
			t->own, strerror(errno));
}

/* st_dev does not reveal a bind mount, so ask statx(). */
static bool is_mount(int fd)
{
	struct statx st;

	return !statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) &&
	       st.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

/* Remove all entries on that device below the directory fd; closes fd. */
static void directory_empty(int fd, dev_t dev, unsigned depth)
{
	struct stat st;
	bool here = fd >= 0 && !fstat(fd, &st) && st.st_dev == dev &&
		    (!depth || !is_mount(fd));
	DIR *dir = here ? descriptor_entries(fd) : NULL;
	struct dirent *e;

	if (!here && fd >= 0)
		close(fd);
	if (!dir)
		return;
	while ((e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		/*
		 * Remove the mark last, so that a second try recognizes the
		 * directory.
		 */
		if (!depth && !strcmp(e->d_name, MARK))
			continue;
		if (!unlinkat(fd, e->d_name, 0) || depth >= DEEPEST)
			continue;
		directory_empty(
			openat(fd, e->d_name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
			dev, depth + 1);
		unlinkat(fd, e->d_name, AT_REMOVEDIR);
	}
	closedir(dir);
}

/* Whether the directory holds only the mark. */
static bool only_mark(int fd)
{
	DIR *dir = descriptor_entries(
		openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct dirent *e;
	bool only = dir != NULL;

	while (only && (e = readdir(dir)))
		only = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		       !strcmp(e->d_name, MARK);
	if (dir)
		closedir(dir);
	return only;
}

bool directory_remove_at(int parent, const char *path, int fd)
{
	struct stat st, now;

	if (fstat(fd, &st))
		return false;
	directory_empty(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
			st.st_dev, 0);
	if (only_mark(fd))
		unlinkat(fd, MARK, 0);
	/* Another directory may have replaced it. */
	return !fstatat(parent, path, &now, AT_SYMLINK_NOFOLLOW) &&
	       now.st_dev == st.st_dev && now.st_ino == st.st_ino &&
	       !unlinkat(parent, path, AT_REMOVEDIR);
}

void directory_remove(struct target *t)
{
	if (t->own && t->fd >= 0)
		(void)directory_remove_at(AT_FDCWD, t->own, t->fd);
}
