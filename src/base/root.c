/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Root: reads files under a root directory, and keeps some of them open. */
#include "base/root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"

int root_open(struct root *r, const char *dir)
{
	const char *run = getenv("XDG_RUNTIME_DIR");

	memset(r, 0, sizeof(*r));
	r->user_run = -1;
	r->live = !dir || !strcmp(dir, "/");
	r->fd = open(dir ? dir : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->fd < 0)
		return fail(errno,
			    "cannot open %s: %s; give --root a directory that "
			    "holds proc and sys",
			    dir ? dir : "/", strerror(errno));
	if (r->live && run && run[0] == '/')
		r->user_run = open(run, O_PATH | O_DIRECTORY | O_CLOEXEC);
	r->path = xstrdup(dir ? dir : "/");
	return 0;
}

static void root_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void root_close(struct root *r)
{
	for (size_t i = 0; i < r->n_parts; i++)
		root_close_fd(&r->part[i].fd);
	r->n_parts = 0;
	root_close_fd(&r->fd);
	if (r->path)
		root_close_fd(&r->user_run);
	free(r->path);
	r->path = NULL;
}

/*
 * The replacement of openat2() on older kernels: every component is opened by
 * itself and may be no link.
 */
static int open_without_links(int dir, const char *path, int flags, mode_t mode)
{
	int at = dir, next;

	for (;;) {
		char name[256];
		size_t n;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (n >= sizeof(name))
			next = -ENAMETOOLONG;
		else if (n == 2 && !memcmp(path, "..", 2))
			next = -EXDEV;
		else {
			bool last = !path[n + strspn(path + n, "/")];

			memcpy(name, n ? path : ".", n ? n : 1);
			name[n ? n : 1] = '\0';
			next = openat(at, name,
				      (last ? flags : O_PATH | O_DIRECTORY) |
					      O_NOFOLLOW | O_CLOEXEC,
				      mode);
			if (next < 0)
				next = -errno;
		}
		if (at != dir)
			close(at);
		if (next < 0)
			return next;
		path += n;
		if (!path[strspn(path, "/")])
			return next;
		at = next;
	}
}

/* Each try can fail when a file is renamed meanwhile: far more than enough. */
#define TRIES 1000

/*
 * openat2(), fd or -errno. The kernel gives up with EAGAIN when anything is
 * renamed or mounted on the machine while it follows a "..", which the links
 * below sys/block have; that says nothing about the file, so try again.
 */
static int open_how(int dir, const char *path, struct open_how *how)
{
	long fd = -EAGAIN;

	for (int i = 0; i < TRIES && fd == -EAGAIN; i++) {
		fd = syscall(__NR_openat2, dir, path, how, sizeof(*how));
		if (fd < 0)
			fd = -errno;
	}
	return (int)fd;
}

/* Open a path that must not lead out of the directory. fd or -errno. */
static int open_inside(int dir, const char *path, int flags, mode_t mode,
		       uint64_t resolve)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = resolve | RESOLVE_NO_MAGICLINKS,
	};
	int fd = open_how(dir, *path ? path : ".", &how);

	/* Sandboxes that do not know the call say EPERM. */
	if (fd != -ENOSYS && fd != -EPERM)
		return fd;
	return open_without_links(dir, path, flags, mode);
}

/*
 * The directory part that holds a path, and the rest of the path; NULL: none.
 */
static const struct root_part *part_of(const struct root *r, const char **path)
{
	for (size_t i = 0; i < r->n_parts; i++) {
		size_t n = strlen(r->part[i].path);

		if (strncmp(*path, r->part[i].path, n) ||
		    ((*path)[n] && (*path)[n] != '/'))
			continue;
		*path += n + strspn(*path + n, "/");
		return &r->part[i];
	}
	return NULL;
}

int root_open_file(const struct root *r, const char *path, int flags)
{
	const struct root_part *part;
	int fd;

	if (r->fd < 0) {
		part = part_of(r, &path);
		return part ? open_inside(part->fd, path, flags, 0600,
					  RESOLVE_BENEATH)
			    : -EACCES;
	}
	/* A pipe of a captured tree, which nobody writes to, must hold nobody. */
	if (!r->live)
		return open_inside(r->fd, path,
				   flags & O_PATH ? flags : flags | O_NONBLOCK,
				   0600, RESOLVE_IN_ROOT);
	fd = openat(r->fd, path, flags | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

void root_narrow(struct root *r, const char *const *path, size_t n)
{
	struct root_part part[ROOT_PARTS_MAX];
	size_t have = 0;

	for (size_t i = 0; i < n && have < ROOT_PARTS_MAX; i++) {
		part[have].path = path[i];
		part[have].fd =
			root_open_file(r, path[i], O_PATH | O_DIRECTORY);
		have += part[have].fd >= 0;
	}
	root_close_fd(&r->fd);
	memcpy(r->part, part, have * sizeof(*part));
	r->n_parts = have;
}

ssize_t root_reread(int fd, char *buf, size_t size)
{
	size_t have = 0;

	while (have < size - 1) {
		ssize_t n = pread(fd, buf + have, size - 1 - have, (off_t)have);

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

/* "4:cpu,cpuacct:/a/b" of version 1, "0::/a/b" of version 2. */
static char *group_line(char *line, const char *controller, char **names)
{
	char *group, *name, *save = NULL, copy[200];

	*names = strchr(line, ':');
	if (!*names)
		return NULL;
	++*names;
	group = strchr(*names, ':');
	if (!group || group[1] != '/')
		return NULL;
	*group++ = '\0';
	if (!**names)
		return group;
	text_set(copy, *names);
	for (name = strtok_r(copy, ",", &save); name;
	     name = strtok_r(NULL, ",", &save))
		if (!strcmp(name, controller))
			return group;
	return NULL;
}

bool root_control_group(const struct root *r, pid_t pid, const char *controller,
			unsigned up, char *path, size_t size)
{
	char text[4096], *line, *save = NULL, *names, *slash;
	char *group = NULL, *folder = NULL, file[32] = "proc/self/cgroup";

	if (pid)
		snprintf(file, sizeof(file), "proc/%d/cgroup", (int)pid);
	if (root_read(r, file, text, sizeof(text)) <= 0)
		return false;
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *found = group_line(line, controller, &names);

		/*
		 * Where both versions are mounted, version 1 has the
		 * controller.
		 */
		if (found && (!folder || !*folder)) {
			group = found;
			folder = names;
		}
	}
	if (!group)
		return false;
	for (; up; up--) {
		slash = strrchr(group, '/');
		if (!slash[1])
			return false;
		/* The root of the hierarchy is "/". */
		slash[slash == group] = '\0';
	}
	return (size_t)snprintf(path, size, "sys/fs/cgroup%s%s%s",
				*folder ? "/" : "", folder,
				group[1] ? group : "") < size;
}

/* The limit in a folder; 0: none, as "max" and version 1's greatest number. */
static long long memory_limit_in(const struct root *r, const char *folder)
{
	static const char *const files[] = { "memory.max",
					     "memory.limit_in_bytes" };
	char path[640];
	long long bytes;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		if (root_read_number(r, path, &bytes) && bytes > 0 &&
		    bytes <= 1ll << 60)
			return bytes;
	}
	return 0;
}

long long root_memory_limit(const struct root *r)
{
	long long least = 0, bytes;
	char folder[600];

	/* In a container the last one, the root, may be the only one there. */
	for (unsigned up = 0; root_control_group(r, 0, "memory", up, folder,
						 sizeof(folder));
	     up++) {
		bytes = memory_limit_in(r, folder);
		if (bytes && (!least || bytes < least))
			least = bytes;
	}
	return least;
}

bool root_cgroup2(const struct root *r, char *path, size_t size)
{
	static const char *const files[] = {
		"sys/fs/cgroup/cgroup.stat",
		"sys/fs/cgroup/unified/cgroup.stat",
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (!root_exists(r, files[i]) ||
		    !text_copy(path, size, files[i]))
			continue;
		*strrchr(path, '/') = '\0';
		return true;
	}
	return false;
}

DIR *root_open_dir(const struct root *r, const char *path)
{
	int fd = root_open_file(r, path, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		errno = -fd;
	return descriptor_entries(fd);
}

/* Open the directory of a path's last component, to which *last points. */
static int open_parent(const struct root *r, const char *path,
		       const char **last)
{
	const char *slash = strrchr(path, '/');
	char dir[4096];

	*last = slash ? slash + 1 : path;
	if (!slash)
		return root_open_file(r, ".", O_PATH | O_DIRECTORY);
	if ((size_t)(slash - path) >= sizeof(dir))
		return -ENAMETOOLONG;
	memcpy(dir, path, (size_t)(slash - path));
	dir[slash - path] = '\0';
	return root_open_file(r, dir, O_PATH | O_DIRECTORY);
}

bool root_link_name(const struct root *r, const char *path, char *buf,
		    size_t size)
{
	char target[4096], *slash;
	const char *last;
	ssize_t n;

	if (r->live && r->fd >= 0) {
		n = readlinkat(r->fd, path, target, sizeof(target) - 1);
	} else {
		int dir = open_parent(r, path, &last);

		if (dir < 0)
			return false;
		n = readlinkat(dir, last, target, sizeof(target) - 1);
		close(dir);
	}
	if (n <= 0)
		return false;
	target[n] = '\0';
	slash = strrchr(target, '/');
	return text_copy(buf, size, slash ? slash + 1 : target);
}

bool root_exists(const struct root *r, const char *path)
{
	int fd;

	if (r->live && r->fd >= 0)
		return faccessat(r->fd, path, F_OK, 0) == 0;
	fd = root_open_file(r, path, O_PATH);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

int root_can_write(const struct root *r, const char *path)
{
	int fd;

	if (r->live && r->fd >= 0)
		return faccessat(r->fd, path, W_OK, AT_EACCESS) ? -errno : 0;
	fd = root_open_file(r, path, O_WRONLY);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int root_make_dir(const struct root *r, const char *path, mode_t mode)
{
	const char *last;
	int dir = open_parent(r, path, &last), rc;

	if (dir < 0)
		return dir;
	rc = mkdirat(dir, last, mode) ? -errno : 0;
	close(dir);
	return rc;
}

bool root_error_passes(int error)
{
	return error == EAGAIN || error == EINTR || error == EMFILE ||
	       error == ENFILE || error == ENOMEM;
}

void root_boot_id(const struct root *r, char *buf, size_t size)
{
	if (root_read_line(r, "proc/sys/kernel/random/boot_id", buf, size) < 0)
		buf[0] = '\0';
}

void root_host_id(const struct root *r, char *buf, size_t size)
{
	struct utsname host;
	char id[64];

	buf[0] = '\0';
	if (root_read_line(r, "etc/machine-id", id, sizeof(id)) <= 0 ||
	    strcspn(id, " \t") != strlen(id) || !strcmp(id, "uninitialized"))
		return;
	if (uname(&host) == 0)
		snprintf(buf, size, "%s.%s", id, host.nodename);
}

char *root_fd_path(char buf[ROOT_FD_PATH], int fd)
{
	snprintf(buf, ROOT_FD_PATH, "/proc/self/fd/%d", fd);
	return buf;
}

#define KEPT_MOST 1024u
/* Descriptors left for jobs, logs, timers and the screen. */
#define KEPT_SPARED    64u
#define TEXT_SIZE_MOST ((size_t)64 << 20)

static bool root_has_magic(const struct root *root, const char *path,
			   long magic)
{
	int fd = root_open_file(root, path, O_RDONLY | O_DIRECTORY);
	struct statfs fs;
	bool yes;

	if (fd < 0)
		return false;
	yes = fstatfs(fd, &fs) == 0 && (long)fs.f_type == magic;
	close(fd);
	return yes;
}

void root_kept_init(struct kept_files *f, const struct root *root)
{
	struct rlimit limit;

	f->root = root;
	f->live_proc = root_has_magic(root, "proc", PROC_SUPER_MAGIC);
	f->live_sys = root_has_magic(root, "sys", SYSFS_MAGIC);
	f->open = 0;
	f->limit = 0;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	if (limit.rlim_cur < limit.rlim_max) {
		struct rlimit raised = { limit.rlim_max, limit.rlim_max };

		if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
			limit = raised;
	}
	if (limit.rlim_cur / 2 > KEPT_MOST)
		f->limit = KEPT_MOST;
	else if (limit.rlim_cur > KEPT_SPARED)
		f->limit = (unsigned)(limit.rlim_cur - KEPT_SPARED) / 2;
}

ssize_t root_kept_again(const struct kept *k, char *buf, size_t size)
{
	return k->fd < 0 ? -EBADF : root_reread(k->fd, buf, size);
}

ssize_t root_kept_first(struct kept_files *f, struct kept *k, const char *path,
			char *buf, size_t size)
{
	bool live = path[0] == 'p' ? f->live_proc : f->live_sys;
	ssize_t n;
	int fd;

	root_kept_close(f, k);
	fd = root_open_file(f->root, path, O_RDONLY);
	if (fd < 0)
		return fd;
	n = root_reread(fd, buf, size);
	if (n < 0 || !live || f->open >= f->limit) {
		close(fd);
		return n;
	}
	k->fd = fd;
	f->open++;
	return n;
}

ssize_t root_kept_read(struct kept_files *f, struct kept *k, const char *path,
		       char *buf, size_t size)
{
	ssize_t n = root_kept_again(k, buf, size);

	return n < 0 ? root_kept_first(f, k, path, buf, size) : n;
}

void root_kept_close(struct kept_files *f, struct kept *k)
{
	if (k->fd < 0)
		return;
	close(k->fd);
	k->fd = -1;
	f->open--;
}

ssize_t root_kept_text_read(struct kept_files *f, struct kept_text *t)
{
	if (!t->buf) {
		t->size = 16384;
		t->buf = xmalloc(t->size);
	}
	for (;;) {
		ssize_t n =
			root_kept_read(f, &t->file, t->path, t->buf, t->size);

		if (n < 0)
			t->buf[0] = '\0';
		if (n < (ssize_t)t->size - 1 || t->size >= TEXT_SIZE_MOST)
			return n;
		t->size *= 2;
		t->buf = xrealloc(t->buf, t->size);
	}
}

void root_kept_text_close(struct kept_files *f, struct kept_text *t)
{
	root_kept_close(f, &t->file);
	free(t->buf);
	t->buf = NULL;
}
