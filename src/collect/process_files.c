/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process files: one look at the descriptors of a process, compared with the
 * look before.
 */
#include "collect/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/kernel.h"
#include "base/text.h"
#include "block/sysfs.h"
#include "collect/task.h"

#define PATH_SIZE 64

/* A descriptor of a regular file or a block device. */
struct file_seen {
	int descriptor;
	unsigned flags; /* of open(2) */
	int64_t position;
	double moved; /* bytes per second; NaN: not known */
	char *path;   /* as the kernel prints it */
};

struct look {
	struct file_seen *seen; /* by descriptor */
	size_t n, cap;
	uint64_t at_ns;
	bool has_calls;
	uint64_t read_calls, write_calls; /* bytes */
};

struct process_files {
	char pid[12], name[64];
	bool met;       /* start is known */
	uint64_t start; /* distinguishes it from another process of that pid */
	struct look now, before;
};

struct process_files *process_files_new(const char *pid, const char *name)
{
	struct process_files *p = xcalloc(1, sizeof(*p));

	text_set(p->pid, pid);
	text_set(p->name, name);
	return p;
}

static void process_files_empty(struct look *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->seen[i].path);
	l->n = 0;
	l->at_ns = 0;
	l->has_calls = false;
}

void process_files_free(struct process_files *p)
{
	if (!p)
		return;
	process_files_empty(&p->now);
	process_files_empty(&p->before);
	free(p->now.seen);
	free(p->before.seen);
	free(p);
}

/* Whether it is still the process that was asked for. */
static bool process_files_is_still(struct process_files *p,
				   const struct root *root)
{
	char path[PATH_SIZE], text[1536];
	struct task_stat stat;

	snprintf(path, sizeof(path), "proc/%s/stat", p->pid);
	if (root_read(root, path, text, sizeof(text)) <= 0 ||
	    !task_stat_parse(text, &stat))
		return false;
	if (p->met)
		return stat.start == p->start;
	p->start = stat.start;
	p->met = !strcmp(stat.comm, p->name);
	return p->met;
}

/*
 * Whether a file with that path is regular or a block device.
 * AT_STATX_DONT_SYNC takes cached attributes: a server that does not answer
 * blocks nothing.
 */
static bool is_storage(const struct root *root, int dir, const char *entry,
		       const char *path)
{
	static const char dev[] = "/dev/", shm[] = "/dev/shm/";
	struct statx st;

	if (root->live &&
	    !statx(dir, entry, AT_STATX_DONT_SYNC, STATX_TYPE, &st))
		return S_ISREG(st.stx_mode) || S_ISBLK(st.stx_mode);
	/* A captured tree has the names only. */
	if (strncmp(path, dev, strlen(dev)) != 0 ||
	    !strncmp(path, shm, strlen(shm)))
		return true;
	return sysfs_has(root, path + strlen(dev));
}

/* "pos:\t4096\nflags:\t0100002\n..." */
static bool read_position(const struct process_files *p,
			  const struct root *root, struct file_seen *s)
{
	char path[PATH_SIZE], text[1024];
	long long position;

	snprintf(path, sizeof(path), "proc/%s/fdinfo/%d", p->pid,
		 s->descriptor);
	if (root_read(root, path, text, sizeof(text)) <= 0 ||
	    sscanf(text, "pos: %lld flags: %o", &position, &s->flags) != 2)
		return false;
	s->position = position;
	return true;
}

/* Keep a descriptor if it is one of a file; 0, or -errno of its link. */
static int process_files_look_at(struct process_files *p,
				 const struct root *root, int dir,
				 const char *entry)
{
	struct file_seen s = { .moved = NAN };
	char path[4096];
	ssize_t n = readlinkat(dir, entry, path, sizeof(path) - 1);

	if (n < 0)
		return -errno;
	path[n] = '\0';
	s.descriptor = atoi(entry);
	/* Others are "socket:[123]", "pipe:[123]", "anon_inode:[eventfd]". */
	if (path[0] != '/' || !is_storage(root, dir, entry, path) ||
	    !read_position(p, root, &s) ||
	    s.flags & (O_DIRECTORY | O_PATH))
		return 0;
	s.path = xstrdup(path);
	*xadd(p->now.seen, p->now.n, p->now.cap) = s;
	return 0;
}

static int by_descriptor(const void *pa, const void *pb)
{
	const struct file_seen *a = pa, *b = pb;

	return a->descriptor < b->descriptor ? -1
					     : a->descriptor > b->descriptor;
}

/* Its descriptors: 0, or -errno. */
static int process_files_list(struct process_files *p, const struct root *root,
			      struct open_files *out)
{
	size_t refused = 0;
	char path[PATH_SIZE];
	const char *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "proc/%s/fd", p->pid);
	dir = root_open_dir(root, path);
	if (!dir)
		return -errno;
	while ((entry = descriptor_entry(&dir))) {
		int err;

		if (out->n_looked == PROCESS_FILES_MAX) {
			out->more_than = PROCESS_FILES_MAX;
			break;
		}
		out->n_looked++;
		err = process_files_look_at(p, root, dirfd(dir), entry);
		refused += err == -EACCES || err == -EPERM;
	}
	if (dir)
		closedir(dir);
	if (p->now.n > 1)
		qsort(p->now.seen, p->now.n, sizeof(*p->now.seen),
		      by_descriptor);
	return refused && refused == out->n_looked ? -EACCES : 0;
}

/* A descriptor with another file or another mode is a new one. */
static void process_files_compare(struct process_files *p)
{
	double seconds = (double)(p->now.at_ns - p->before.at_ns) / 1e9;

	for (size_t i = 0; p->before.at_ns && i < p->now.n; i++) {
		struct file_seen *s = &p->now.seen[i];
		const struct file_seen *b =
			bsearch(s, p->before.seen, p->before.n, sizeof(*b),
				by_descriptor);

		if (b && seconds > 0 && b->flags == s->flags &&
		    !strcmp(b->path, s->path))
			s->moved = ((double)s->position -
				    (double)b->position) /
				   seconds;
	}
}

/* "rchar: 123\nwchar: 456\n..." */
static void read_calls(struct process_files *p, const struct root *root,
		       struct open_files *out)
{
	double seconds = (double)(p->now.at_ns - p->before.at_ns) / 1e9;
	unsigned long long rchar, wchar;
	char path[PATH_SIZE], text[512];
	struct look *l = &p->now;

	out->read_call_bytes_per_s = out->write_call_bytes_per_s = NAN;
	snprintf(path, sizeof(path), "proc/%s/io", p->pid);
	if (root_read(root, path, text, sizeof(text)) <= 0 ||
	    sscanf(text, "rchar: %llu wchar: %llu", &rchar, &wchar) != 2)
		return;
	l->has_calls = true;
	l->read_calls = rchar;
	l->write_calls = wchar;
	if (!p->before.has_calls || !(seconds > 0) ||
	    l->read_calls < p->before.read_calls ||
	    l->write_calls < p->before.write_calls)
		return;
	out->read_call_bytes_per_s =
		(double)(l->read_calls - p->before.read_calls) / seconds;
	out->write_call_bytes_per_s =
		(double)(l->write_calls - p->before.write_calls) / seconds;
}

static double process_files_distance(const struct file_seen *s)
{
	return isnan(s->moved) ? 0 : fabs(s->moved);
}

/* The farthest moved first, then those that can be written. */
static int by_distance(const void *pa, const void *pb)
{
	const struct file_seen *a = *(const struct file_seen *const *)pa;
	const struct file_seen *b = *(const struct file_seen *const *)pb;
	bool a_reads = (a->flags & O_ACCMODE) == O_RDONLY;
	bool b_reads = (b->flags & O_ACCMODE) == O_RDONLY;

	if (process_files_distance(a) != process_files_distance(b))
		return process_files_distance(a) > process_files_distance(b)
			       ? -1
			       : 1;
	if (a_reads != b_reads)
		return a_reads ? 1 : -1;
	return by_descriptor(a, b);
}

static void process_files_add(const struct file_seen *s, struct open_file *f)
{
	static const char *const access[] = { "r", "w", "rw", "-" };

	f->descriptor = s->descriptor;
	f->position_bytes = s->position;
	f->moved_bytes_per_s = s->moved;
	snprintf(f->mode, sizeof(f->mode), "%s%s",
		 access[s->flags & O_ACCMODE],
		 s->flags & O_DIRECT ? " direct" : "");
	text_copy_end(f->path, sizeof(f->path), s->path);
	text_clean(f->path);
}

static void process_files_fill(const struct process_files *p,
			       struct open_files *out)
{
	const struct file_seen **order =
		xmalloc((p->now.n + 1) * sizeof(const struct file_seen *));

	out->n_found = p->now.n;
	for (size_t i = 0; i < p->now.n; i++)
		order[i] = &p->now.seen[i];
	if (p->now.n > 1)
		qsort(order, p->now.n, sizeof(const struct file_seen *),
		      by_distance);
	while (out->n < p->now.n && out->n < OPEN_FILES_MAX) {
		process_files_add(order[out->n], &out->file[out->n]);
		out->n++;
	}
	free(order);
}

static void say_why(int err, struct open_files *out)
{
	if (err == -EACCES || err == -EPERM)
		snprintf(out->sentence, sizeof(out->sentence),
			 "The files of process %s (%s) cannot be read: the "
			 "kernel shows them to its user and to root only; "
			 "start the monitor in a root shell (sudo -i).",
			 out->pid, out->name);
	else if (err == -ENOENT || err == -ESRCH)
		snprintf(out->sentence, sizeof(out->sentence),
			 "Process %s (%s) is gone.", out->pid, out->name);
	else
		snprintf(out->sentence, sizeof(out->sentence),
			 "The files of process %s (%s) cannot be read: %s.",
			 out->pid, out->name, strerror(-err));
}

void process_files_look(struct process_files *p, const struct root *root,
			uint64_t now_ns, struct open_files *out)
{
	struct look oldest = p->before;
	int err;

	memset(out, 0, sizeof(*out));
	text_set(out->pid, p->pid);
	text_set(out->name, p->name);
	p->before = p->now;
	p->now = oldest;
	process_files_empty(&p->now);
	p->now.at_ns = now_ns;
	read_calls(p, root, out);
	err = process_files_list(p, root, out);
	/*
	 * Check this last: then the readings are of the process that was asked
	 * for.
	 */
	if (!process_files_is_still(p, root))
		err = -ENOENT;
	if (err < 0) {
		say_why(err, out);
		return;
	}
	process_files_compare(p);
	process_files_fill(p, out);
}
