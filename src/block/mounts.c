/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mounts: /proc/self/mountinfo and /proc/swaps. */
#include "block/mounts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "block/sysfs.h"

/* How deep devices are stacked, at most; a captured tree may hold a ring. */
#define MAX_DEPTH 8

struct mounts {
	struct libmnt_table *table, *outer; /* own the texts; outer or NULL */
	struct mount *mount;
	size_t n, cap;
	bool readable, in_chroot; /* the latter: "/" is no mount */
};

static const char *text_or_none(const char *text)
{
	return text ? text : "";
}

/* ext4 that met errors says "emergency_ro" since Linux 6.14, and "ro" before. */
static bool is_read_only(struct libmnt_fs *fs)
{
	static const char *const options[] = { "ro", "emergency_ro",
					       "shutdown" };
	const char *list = mnt_fs_get_fs_options(fs);
	char *value;
	size_t size;

	for (size_t i = 0; list && i < ARRAY_SIZE(options); i++)
		if (!mnt_optstr_get_option(list, options[i], &value, &size))
			return true;
	return false;
}

static struct mount *mounts_add(struct mounts *m, struct libmnt_fs *fs)
{
	m->mount = xgrow(m->mount, &m->cap, m->n + 1, sizeof(*m->mount));
	m->mount[m->n] = (struct mount){
		.dev = mnt_fs_get_devno(fs),
		.point = text_or_none(mnt_fs_get_target(fs)),
		.subtree = text_or_none(mnt_fs_get_root(fs)),
		.type = text_or_none(mnt_fs_get_fstype(fs)),
		.source = text_or_none(mnt_fs_get_source(fs)),
		.options = text_or_none(mnt_fs_get_options(fs)),
		.read_only = is_read_only(fs),
	};
	return &m->mount[m->n++];
}

static void mounts_add_all(struct mounts *m)
{
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;

	while (it && mnt_table_next_fs(m->table, it, &fs) == 0)
		mounts_add(m, fs);
	mnt_free_iter(it);
}

static struct libmnt_table *mounts_parse(const struct root *root,
					 const char *process)
{
	struct libmnt_table *table = mnt_new_table();
	char path[64];
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "proc/%.20s/mountinfo", process);
	fd = root_open_file(root, path, O_RDONLY);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!table || !file ||
	    mnt_table_parse_stream(table, file, "mountinfo") != 0) {
		mnt_unref_table(table);
		table = NULL;
	}
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return table;
}

/*
 * In a chroot "/" is no mount. Its file system is a mount of the first process
 * nevertheless; where that cannot be read, its number alone is known.
 */
static void mounts_add_root(struct mounts *m, const struct root *root)
{
	struct libmnt_fs *fs = NULL;
	struct mount *mount;
	struct stat st;

	if (!root->live || mounts_of_path(m, "/") || stat("/", &st))
		return;
	m->in_chroot = true;
	m->outer = mounts_parse(root, "1");
	if (m->outer)
		fs = mnt_table_find_devno(m->outer, st.st_dev,
					  MNT_ITER_FORWARD);
	if (fs) {
		mount = mounts_add(m, fs);
	} else {
		mount = xadd(m->mount, m->n, m->cap);
		*mount = (struct mount){ .dev = st.st_dev, .type = "",
					 .source = "", .options = "" };
	}
	mount->point = mount->subtree = "/";
}

/* Read the mounts of a process: "self" or its number. */
static struct mounts *read_of(const struct root *root, const char *process)
{
	struct mounts *m = xcalloc(1, sizeof(*m));

	m->table = mounts_parse(root, process);
	m->readable = m->table != NULL;
	if (m->readable)
		mounts_add_all(m);
	return m;
}

struct mounts *mounts_read(const struct root *root)
{
	struct mounts *m = read_of(root, "self");

	if (m->readable)
		mounts_add_root(m, root);
	return m;
}

/* The mount namespace of a process, "mnt:[4026531841]"; false: not readable. */
static bool namespace_of(const struct root *root, const char *process,
			 char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%.20s/ns/mnt", process);
	return root_link_name(root, path, text, size);
}

/* Whether the text is among the n known ones; adds it if not. */
static bool mounts_seen_before(char (**seen)[40], size_t *n, size_t *cap,
			       const char *text)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp((*seen)[i], text))
			return true;
	*seen = xgrow(*seen, cap, *n + 1, sizeof(**seen));
	text_copy((*seen)[(*n)++], sizeof(**seen), text);
	return false;
}

void mounts_each_namespace(const struct root *root,
			   void (*fn)(const struct mounts *m, int pid,
				      void *arg),
			   void *arg)
{
	struct mounts *m = mounts_read(root);
	char text[40], (*seen)[40] = NULL;
	size_t n = 0, cap = 0;
	const char *pid;
	DIR *dir;

	fn(m, 0, arg);
	/* A process in a chroot sees a part of the mounts of its namespace. */
	if (namespace_of(root, "self", text, sizeof(text)) && !m->in_chroot)
		(void)mounts_seen_before(&seen, &n, &cap, text);
	mounts_free(m);
	dir = root_open_dir(root, "proc");
	while ((pid = descriptor_entry(&dir))) {
		if (atoi(pid) <= 0 ||
		    !namespace_of(root, pid, text, sizeof(text)) ||
		    mounts_seen_before(&seen, &n, &cap, text))
			continue;
		m = read_of(root, pid);
		fn(m, atoi(pid), arg);
		mounts_free(m);
	}
	free(seen);
}

struct mounts *mounts_read_swaps(const struct root *root)
{
	struct mounts *m = xcalloc(1, sizeof(*m));
	char path[ROOT_FD_PATH] = "/proc/swaps";
	int fd = root->live ? -1 : root_open_file(root, path + 1, O_RDONLY);
	struct stat st;

	/* A captured tree may have a pipe there, or a link that leads out of it. */
	if (fd >= 0)
		root_fd_path(path, fd);
	m->table = mnt_new_table();
	m->readable = m->table &&
		      (root->live || (fd >= 0 && !fstat(fd, &st) &&
				      S_ISREG(st.st_mode))) &&
		      mnt_table_parse_swaps(m->table, path) == 0;
	if (fd >= 0)
		close(fd);
	if (m->readable)
		mounts_add_all(m);
	for (size_t i = 0; i < m->n; i++) {
		m->mount[i].dev = 0;
		m->mount[i].point = m->mount[i].type = "";
	}
	return m;
}

static const char *const lists[MOUNTS_LISTS] = { "proc/self/mountinfo",
						 "proc/swaps" };

void mounts_watch_open(struct mounts_watch *w, const struct root *root)
{
	w->root = root;
	w->hash = 0;
	/* Files of a captured tree may be replaced by others. */
	for (int i = 0; i < MOUNTS_LISTS; i++)
		w->fd[i] = root->live ? root_open_file(root, lists[i], O_RDONLY)
				      : -1;
}

void mounts_watch_close(struct mounts_watch *w)
{
	for (int i = 0; i < MOUNTS_LISTS; i++)
		if (w->fd[i] >= 0)
			close(w->fd[i]);
}

static uint64_t add_hash(uint64_t hash, int fd)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		hash = text_hash(hash, buf, (size_t)n);
	return hash;
}

static uint64_t mounts_hash_of(const struct mounts_watch *w)
{
	uint64_t hash = TEXT_HASH;

	for (int i = 0; i < MOUNTS_LISTS; i++) {
		int fd = w->fd[i];

		if (fd < 0)
			fd = root_open_file(w->root, lists[i], O_RDONLY);
		if (fd < 0)
			continue;
		if (lseek(fd, 0, SEEK_SET) == 0)
			hash = add_hash(hash, fd);
		if (w->fd[i] < 0)
			close(fd);
	}
	return hash;
}

/* The kernel marks an open list when it changes (proc(5)). */
static bool is_marked(const struct mounts_watch *w)
{
	struct pollfd p[MOUNTS_LISTS];

	if (!w->root->live)
		return true;
	for (int i = 0; i < MOUNTS_LISTS; i++)
		p[i] = (struct pollfd){ .fd = w->fd[i], .events = POLLPRI };
	return poll(p, MOUNTS_LISTS, 0) != 0;
}

bool mounts_watch_changed(struct mounts_watch *w, bool look)
{
	uint64_t hash;

	if (!is_marked(w) && !look && w->hash)
		return false;
	hash = mounts_hash_of(w);
	if (hash == w->hash)
		return false;
	w->hash = hash;
	return true;
}

void mounts_free(struct mounts *m)
{
	if (!m)
		return;
	mnt_unref_table(m->table);
	mnt_unref_table(m->outer);
	free(m->mount);
	free(m);
}

bool mounts_readable(const struct mounts *m)
{
	return m->readable;
}

const struct mount *mounts_at(const struct mounts *m, size_t i)
{
	return i < m->n ? &m->mount[i] : NULL;
}

const char *mounts_source_name(const struct mount *m)
{
	return strncmp(m->source, "/dev/", 5) ? "" : m->source + 5;
}

/* Whether a path is the mount point or below it. */
static bool mounts_is_below(const char *path, const char *point)
{
	size_t n = strlen(point);

	if (n > 0 && point[n - 1] == '/')
		n--;
	return !strncmp(path, point, n) && (path[n] == '/' || !path[n]);
}

const struct mount *mounts_of_path(const struct mounts *m, const char *path)
{
	const struct mount *best = NULL;

	/*
	 * Take the deepest one; of two on one point the later hides the other.
	 */
	for (size_t i = 0; i < m->n; i++)
		if (mounts_is_below(path, m->mount[i].point) &&
		    (!best || strlen(m->mount[i].point) >= strlen(best->point)))
			best = &m->mount[i];
	return best;
}

const struct mount *mounts_of_device(const struct mounts *m, dev_t dev)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->mount[i].dev == dev)
			return &m->mount[i];
	return NULL;
}

/*
 * Whether a device, by its kernel name, is the disk itself, a partition of it,
 * or built on one of these.
 */
static bool mounts_lies_on(const struct root *root, const char *name,
			   const char *disk, int depth)
{
	char path[SYSFS_PATH_MAX];
	struct sysfs_name *member;
	bool found = false;
	size_t n;

	if (!*name || depth > MAX_DEPTH)
		return false;
	if (!strcmp(name, disk))
		return true;
	if (sysfs_path_of_part(path, sizeof(path), disk, name) &&
	    root_exists(root, path))
		return true;
	if (!sysfs_path_of(path, sizeof(path), name, ""))
		return false;
	member = sysfs_names(root, path, "slaves", &n);
	for (size_t i = 0; i < n && !found; i++)
		found = mounts_lies_on(root, member[i].text, disk, depth + 1);
	free(member);
	return found;
}

bool mounts_is_on(const struct root *root, const struct mount *m,
		  const char *disk)
{
	char name[SYSFS_NAME_MAX];

	if (m->dev && sysfs_device_name(root, m->dev, name, sizeof(name)))
		sysfs_name_swap(name, false);
	else
		text_set(name, mounts_source_name(m));
	return mounts_lies_on(root, name, disk, 0);
}

/* --- a namespace of mounts --- */

/*
 * No mount or umount of this namespace reaches another one; those of the system
 * still come here, or a disk that is unmounted there would stay busy.
 */
static int make_slave(void)
{
	return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
}

/*
 * The same where "/" is no mount, as after chroot(): only a mount can be made
 * a slave, so step out of the root for that moment. ".." leads up to the root of
 * the namespace once the working directory is above the root.
 */
static int make_slave_outside(void)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int rc = -1;

	if (root >= 0 && here >= 0 && !fchdir(root) && !chroot("proc")) {
		struct stat now = { 0 }, up;

		while (!stat("..", &up) && (up.st_dev != now.st_dev ||
					    up.st_ino != now.st_ino)) {
			now = up;
			if (chdir(".."))
				break;
		}
		rc = chroot(".") ? -1 : make_slave();
		if (fchdir(root) || chroot(".") || fchdir(here))
			rc = -1;
	}
	if (root >= 0)
		close(root);
	if (here >= 0)
		close(here);
	return rc;
}

int mounts_own(void)
{
	if (unshare(CLONE_NEWNS) < 0)
		return -1;
	if (make_slave() == 0)
		return 0;
	return errno == EINVAL ? make_slave_outside() : -1;
}
