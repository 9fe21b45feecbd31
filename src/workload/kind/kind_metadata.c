/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind metadata: makes, opens, looks up or removes files or directories, one
 * call at a time, as fio's engines filecreate, fileopen, filestat, filedelete,
 * dircreate, dirstat and dirdelete.
 *
 * Each clone has nrfiles names in a directory that the run makes for itself, and
 * a pass is one call for each. What must be there or must not be there is made
 * before each pass, outside of the figures.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "workload/kind/kind.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"

/* "f", a number, its end. */
#define NAME_CHARS 16

enum metadata_call { METADATA_CREATE, METADATA_OPEN, METADATA_LOOKUP, METADATA_DELETE };

/* The engines: what they call, and on what. */
static const struct metadata_row {
	const char *engine;
	enum metadata_call call;
	bool directory;
	enum job_op op;
} rows[] = {
	{ "filecreate", METADATA_CREATE, false, JOB_CREATE },
	{ "fileopen", METADATA_OPEN, false, JOB_CREATE },
	{ "filestat", METADATA_LOOKUP, false, JOB_STAT },
	{ "filedelete", METADATA_DELETE, false, JOB_UNLINK },
	{ "dircreate", METADATA_CREATE, true, JOB_CREATE },
	{ "dirstat", METADATA_LOOKUP, true, JOB_STAT },
	{ "dirdelete", METADATA_DELETE, true, JOB_UNLINK },
};

static const char engine_names[] =
	"filecreate fileopen filestat filedelete dircreate dirstat dirdelete";

struct metadata {
	const struct metadata_row *row;
	uint64_t made; /* names that are there: those below it */
};

static const struct metadata_row *kind_metadata_row(const struct job *job)
{
	return text_row(job->engine, rows, ARRAY_SIZE(rows), engine);
}

/* It writes no data, but the directory of its files is one that it changes. */
static void kind_metadata_settle(struct job *job)
{
	job->rw = RW_WRITE;
	job->direct = false;
}

static int kind_metadata_plan(struct workload *w, struct worker *k,
			      uint64_t seed)
{
	const struct job *job = k->job;
	struct metadata *m = k->work;

	m->row = kind_metadata_row(job);
	if (!m->row)
		return job_fail(job, EINVAL,
				"kind=metadata needs ioengine=, one of %s",
				engine_names);
	k->limit_ios = job->time_based ? UINT64_MAX : job->nrfiles;
	if (job->number_ios && job->number_ios < k->limit_ios)
		k->limit_ios = job->number_ios;
	return kind_files_add_directory(w, k, 0, false);
}

static void kind_metadata_name(char name[NAME_CHARS], uint64_t i)
{
	snprintf(name, NAME_CHARS, "f%u", (unsigned)i);
}

/* Make the name; 0 or -1 with errno. */
static int kind_metadata_make(const struct worker *w, const char *name)
{
	const struct metadata *m = w->work;
	int dir = w->region->fd, fd;

	if (m->row->directory)
		return mkdirat(dir, name, 0777);
	fd = openat(dir, name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	if (w->job->filesize_min && m->row->call != METADATA_CREATE &&
	    ftruncate(fd, (off_t)w->job->filesize_min)) {
		close(fd);
		return -1;
	}
	return close(fd);
}

static int kind_metadata_unlink(const struct worker *w, const char *name)
{
	const struct metadata *m = w->work;

	return unlinkat(w->region->fd, name,
			m->row->directory ? AT_REMOVEDIR : 0);
}

static int kind_metadata_stat(const struct worker *w, const char *name)
{
	struct statx x;
	struct stat st;

	if (w->job->stat_type == METADATA_STATX)
		return statx(w->region->fd, name, 0, STATX_BASIC_STATS, &x);
	return fstatat(w->region->fd, name, &st,
		       w->job->stat_type == METADATA_LSTAT ? AT_SYMLINK_NOFOLLOW
							   : 0);
}

static int kind_metadata_open(const struct worker *w, const char *name)
{
	int fd = openat(w->region->fd, name, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -1 : close(fd);
}

static int kind_metadata_call(const struct worker *w, const char *name)
{
	switch (((const struct metadata *)w->work)->row->call) {
	case METADATA_CREATE:
		return kind_metadata_make(w, name);
	case METADATA_OPEN:
		return kind_metadata_open(w, name);
	case METADATA_LOOKUP:
		return kind_metadata_stat(w, name);
	default:
		return kind_metadata_unlink(w, name);
	}
}

/* Make all names, or remove all, as the next pass needs it. */
static bool kind_metadata_set_up(struct worker *w)
{
	struct metadata *m = w->work;
	const bool want = m->row->call != METADATA_CREATE;
	char name[NAME_CHARS];

	while (want ? m->made < w->job->nrfiles : m->made > 0) {
		kind_metadata_name(name, want ? m->made : m->made - 1);
		if (want ? kind_metadata_make(w, name)
			 : kind_metadata_unlink(w, name)) {
			worker_fail(w, "job %s: cannot %s %s/%s: %s",
				    w->job->name, want ? "make" : "remove",
				    w->region->target->path, name,
				    strerror(errno));
			return false;
		}
		m->made += want ? 1 : -(uint64_t)1;
		if (worker_stopped(w))
			return false;
	}
	return true;
}

static int kind_metadata_prepare(struct worker *w)
{
	return kind_metadata_set_up(w) || worker_stopped(w) ? 0 : -EIO;
}

/* One call and its figures; false: the job fails. */
static bool kind_metadata_one(struct worker *w, uint64_t i)
{
	struct metadata *m = w->work;
	char name[NAME_CHARS];
	uint64_t begin_ns;

	kind_metadata_name(name, i);
	begin_ns = stopwatch_ns(&w->watch);
	if (kind_metadata_call(w, name))
		return kind_files_failed(w, m->row->op, -1, name, 0);
	(void)kind_files_done(w, m->row->op, begin_ns);
	if (m->row->call == METADATA_CREATE)
		m->made = i + 1;
	return true;
}

static void kind_metadata_run(struct worker *w)
{
	struct metadata *m = w->work;
	uint64_t i = 0;

	kind_files_begin(w);
	while (w->left_ios) {
		if (i == w->job->nrfiles) {
			if (m->row->call == METADATA_DELETE)
				m->made = 0;
			if (!kind_metadata_set_up(w))
				break;
			i = 0;
		}
		if (!kind_metadata_one(w, i++))
			break;
		w->left_ios--;
		if (!worker_tick(w))
			break;
	}
	kind_files_end(w);
}

static void kind_metadata_describe(const struct clones *c, char *buf,
				   size_t size)
{
	snprintf(buf, size, "%s of %u names, one call at a time",
		 c->job->engine, c->job->nrfiles);
}

const struct work_kind kind_metadata = {
	.name = "metadata",
	.help = "makes, opens, looks up or removes files or directories, as "
		"fio's engines filecreate, fileopen, filestat, ...",
	.fio_engine = engine_names,
	.options = "stat_type",
	.of_io = "ioengine directory nrfiles filesize size bs rw fallocate "
		 "create_on_open openfiles unlink",
	.state = sizeof(struct metadata),
	.ops = 1u << JOB_CREATE | 1u << JOB_STAT | 1u << JOB_UNLINK,
	.settle = kind_metadata_settle,
	.plan = kind_metadata_plan,
	.prepare = kind_metadata_prepare,
	.run = kind_metadata_run,
	.describe = kind_metadata_describe,
};
