/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Found: the regular files below a directory, for opendir. It follows no link,
 * and leaves out files that hold no block of the job.
 */
#include "base/descriptor.h"
#include "workload/target/target.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "model/job/job.h"

#define FOUND_FILES_MAX (1u << 20)
#define FOUND_DEPTH_MAX 64

struct found {
	char **path;
	size_t n, cap;
	uint64_t least; /* bytes of a file */
};

static void found_look(struct found *f, int fd, const char *dir,
		       unsigned depth);

static void found_entry(struct found *f, int dir_fd, const char *dir,
			const char *name, unsigned depth)
{
	char *path;
	struct stat st;
	int fd;

	if (!strcmp(name, ".") || !strcmp(name, "..") ||
	    fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return;
	path = xasprintf("%s/%s", dir, name);
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size >= f->least &&
	    f->n < FOUND_FILES_MAX) {
		*xadd(f->path, f->n, f->cap) = path;
		return;
	}
	if (S_ISDIR(st.st_mode) && depth < FOUND_DEPTH_MAX) {
		fd = openat(dir_fd, name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			found_look(f, fd, path, depth + 1);
	}
	free(path);
}

/* Takes the descriptor. */
static void found_look(struct found *f, int fd, const char *dir, unsigned depth)
{
	DIR *d = descriptor_entries(fd);
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d)))
		found_entry(f, fd, dir, e->d_name, depth);
	closedir(d);
}

static int found_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **target_found(const struct job *job, size_t *n)
{
	struct found f = { .least = job_min_block(job) };
	int fd = open(job->opendir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		found_look(&f, fd, job->opendir, 0);
	/* The order of a directory differs from one machine to the next. */
	if (f.n)
		qsort(f.path, f.n, sizeof(*f.path), found_compare);
	*n = f.n;
	return f.path;
}
