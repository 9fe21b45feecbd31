/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kept: kernel files that stay open.
 */
#include "collect/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/alloc.h"

#define KEPT_MOST      1024u
/* Descriptors left for jobs, logs, timers and the screen. */
#define KEPT_SPARED    64u
#define TEXT_SIZE_MOST ((size_t)64 << 20)

static bool has_magic(const struct root *root, const char *path, long magic)
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

void kept_init(struct kept_files *f, const struct root *root)
{
	struct rlimit limit;

	f->root = root;
	f->live_proc = has_magic(root, "proc", PROC_SUPER_MAGIC);
	f->live_sys = has_magic(root, "sys", SYSFS_MAGIC);
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

ssize_t kept_again(const struct kept *k, char *buf, size_t size)
{
	return k->fd < 0 ? -EBADF : root_reread(k->fd, buf, size);
}

ssize_t kept_first(struct kept_files *f, struct kept *k, const char *path,
		   char *buf, size_t size)
{
	bool live = path[0] == 'p' ? f->live_proc : f->live_sys;
	ssize_t n;
	int fd;

	kept_close(f, k);
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

ssize_t kept_read(struct kept_files *f, struct kept *k, const char *path,
		  char *buf, size_t size)
{
	ssize_t n = kept_again(k, buf, size);

	return n < 0 ? kept_first(f, k, path, buf, size) : n;
}

void kept_close(struct kept_files *f, struct kept *k)
{
	if (k->fd < 0)
		return;
	close(k->fd);
	k->fd = -1;
	f->open--;
}

ssize_t kept_text_read(struct kept_files *f, struct kept_text *t)
{
	if (!t->buf) {
		t->size = 16384;
		t->buf = xmalloc(t->size);
	}
	for (;;) {
		ssize_t n = kept_read(f, &t->file, t->path, t->buf, t->size);

		if (n < 0)
			t->buf[0] = '\0';
		if (n < (ssize_t)t->size - 1 || t->size >= TEXT_SIZE_MOST)
			return n;
		t->size *= 2;
		t->buf = xrealloc(t->buf, t->size);
	}
}

void kept_text_close(struct kept_files *f, struct kept_text *t)
{
	kept_close(f, &t->file);
	free(t->buf);
	t->buf = NULL;
}
