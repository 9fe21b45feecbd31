/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind dbench: replays the requests of file server clients, as dbench 4 does.
 *
 * Each clone is a client. It replays the whole loadfile over and over in
 * clients/clientN of a directory that the run makes for itself, without pauses,
 * and looks up each name as dbench does: stat(2), and for a name that is not
 * there a search through the directory that ignores case. An operation whose
 * outcome differs from that in the loadfile ends the job. The result is the
 * bytes read and written since the warm-up over the time since then, in 10^6
 * bytes per second, and the times of each operation.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "workload/kind/dbench_load.h"
#include "workload/kind/kind.h"
#include "workload/thread/clones.h"

/* As a client of dbench without a time limit. */
#define RUNTIME_NS (600 * 1000000000ull)
#define WARM_UP    5 /* the part of the runtime */
#define NAME_CHARS 600

struct dbench {
	struct dbench_load *load; /* of all clones, owned by the first */
	const struct dbench_op *now;
	int *fd;        /* of each handle; -1 */
	uint32_t *path; /* of each handle */
	/* shared: of the run */
	uint64_t bytes, begin_ns, end_ns;
	uint64_t next_ns; /* when the throughput so far is due */
	struct kind_times times[DBENCH_TYPES];
	bool run;
	char name[NAME_CHARS], other[NAME_CHARS];
};

/* The operation of enum job_op for each of dbench's. */
static const unsigned op_of[DBENCH_TYPES] = {
	[DBENCH_NTCREATEX] = JOB_CREATE, [DBENCH_CLOSE] = JOB_CLOSE,
	[DBENCH_RENAME] = JOB_RENAME,    [DBENCH_UNLINK] = JOB_UNLINK,
	[DBENCH_DELTREE] = JOB_UNLINK,   [DBENCH_RMDIR] = JOB_UNLINK,
	[DBENCH_MKDIR] = JOB_CREATE,     [DBENCH_QPATHINFO] = JOB_STAT,
	[DBENCH_QFILEINFO] = JOB_STAT,   [DBENCH_QFSINFO] = JOB_STAT,
	[DBENCH_SFILEINFO] = JOB_SETATTR, [DBENCH_FIND] = JOB_LIST,
	[DBENCH_WRITEX] = JOB_WRITE,     [DBENCH_READX] = JOB_READ,
	[DBENCH_LOCKX] = JOB_LOCK,       [DBENCH_UNLOCKX] = JOB_LOCK,
	[DBENCH_FLUSH] = JOB_SYNC,
};

static void kind_dbench_settle(struct job *job)
{
	const bool passes = job_was_given(job, "loops") ||
			    job_was_given(job, "number_ios");

	job->rw = RW_RW;
	if (passes)
		return;
	if (!job_was_given(job, "runtime"))
		job->runtime_ns = RUNTIME_NS;
	if (!job_was_given(job, "ramp_time"))
		job->ramp_ns = job->runtime_ns / WARM_UP;
}

static int kind_dbench_plan(struct workload *w, struct worker *k, uint64_t seed)
{
	const struct job *job = k->job;
	struct dbench *d = k->work;
	int rc = 0;

	if (k->jobnum)
		d->load = ((struct dbench *)k->clones->worker[0]->work)->load;
	else
		rc = dbench_load(&d->load, job->name, job->dbench.loadfile);
	if (rc)
		return rc;
	k->limit_ios = job->number_ios                  ? job->number_ios
		       : job_was_given(job, "loops") ? d->load->n_ops
						     : UINT64_MAX;
	if (job->time_based)
		k->limit_ios = UINT64_MAX;
	return kind_files_add_directory(w, k, d->load->footprint_bytes, false);
}

static void kind_dbench_release(struct worker *k)
{
	struct dbench *d = k->work;

	if (k->jobnum == 0)
		dbench_load_free(d->load);
}

static int kind_dbench_prepare(struct worker *w)
{
	struct dbench *d = w->work;
	const unsigned n = d->load->handles + 1;

	if (kind_files_buffer(w, d->load->most_bytes + 1))
		return -ENOMEM;
	d->fd = xcalloc(n, sizeof(*d->fd));
	d->path = xcalloc(n, sizeof(*d->path));
	for (unsigned i = 0; i < n; i++)
		d->fd[i] = -1;
	return 0;
}

static void close_handles(struct dbench *d)
{
	for (unsigned i = 0; d->fd && i <= d->load->handles; i++) {
		descriptor_close(d->fd[i]);
		d->fd[i] = -1;
	}
}

static void kind_dbench_unprepare(struct worker *w)
{
	struct dbench *d = w->work;

	if (!d->load)
		return;
	close_handles(d);
	free(d->fd);
	free(d->path);
	d->fd = NULL;
	d->path = NULL;
}

/* --- names --- */

/* Put another spelling of the last part of a path in its place. */
static bool find_spelling(int dirfd, char *path)
{
	char *slash = strrchr(path, '/');
	const char *last = slash ? slash + 1 : path;
	struct dirent *e;
	bool found = false;
	DIR *dir;

	if (slash)
		*slash = '\0';
	dir = descriptor_entries(
		openat(dirfd, slash ? path : ".",
		       O_RDONLY | O_NONBLOCK | O_DIRECTORY | O_CLOEXEC));
	if (slash)
		*slash = '/';
	if (!dir)
		return false;
	while (!found && (e = readdir(dir))) {
		found = !strcasecmp(e->d_name, last);
		if (found)
			memcpy(path + (last - path), e->d_name, strlen(last));
	}
	closedir(dir);
	return found;
}

/* The path of an operation in the spelling that exists; 0, or -1 with errno. */
static int kind_dbench_resolve(const struct worker *w, uint32_t path,
			       char *name)
{
	const struct dbench *d = w->work;
	char buf[NAME_CHARS];
	struct stat st;

	snprintf(name, NAME_CHARS, "%s",
		 dbench_load_path(d->load, path, w->jobnum, buf, sizeof(buf)));
	if (fstatat(w->region->fd, name, &st, 0) == 0)
		return 0;
	if (w->job->dbench.plain_names)
		return -1;
	if (find_spelling(w->region->fd, name))
		return fstatat(w->region->fd, name, &st, 0);
	errno = ENOENT;
	return -1;
}

/* sync_dir: a change of a name is on the medium when it is done. */
static void sync_parent(const struct worker *w, const char *name)
{
	const char *slash = strrchr(name, '/');
	char parent[NAME_CHARS] = ".";
	int fd;

	if (!w->job->dbench.sync_dir)
		return;
	if (slash)
		snprintf(parent, sizeof(parent), "%.*s", (int)(slash - name),
			 name);
	fd = openat(w->region->fd, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* --- operations: 0 or more, or -1 with errno --- */

static int handle_of(const struct dbench *d)
{
	int fd = d->fd[d->now->handle];

	if (fd < 0)
		errno = EBADF;
	return fd;
}

static int open_flags(const struct worker *w, const struct dbench_op *op)
{
	const struct job *job = w->job;

	return (op->flags & DBENCH_CREATE ? O_CREAT : 0) |
	       (op->flags & DBENCH_TRUNCATE ? O_TRUNC : 0) |
	       (job->sync_open == SYNC_OPEN_SYNC    ? O_SYNC
		: job->sync_open == SYNC_OPEN_DSYNC ? O_DSYNC
						    : 0);
}

static int open_it(struct worker *w, const struct dbench_op *op)
{
	struct dbench *d = w->work;
	const int dir = w->region->fd, all = O_NOFOLLOW | O_CLOEXEC;
	int fd;

	if (!(op->flags & DBENCH_DIRECTORY)) {
		fd = openat(dir, d->name, O_RDWR | all | open_flags(w, op),
			    0600);
		if (fd >= 0 || errno != EISDIR)
			return fd;
	} else if (op->flags & DBENCH_CREATE &&
		   mkdirat(dir, d->name, 0700) && errno != EEXIST) {
		return -1;
	}
	return openat(dir, d->name, O_RDONLY | O_DIRECTORY | all);
}

static ssize_t do_ntcreatex(struct worker *w, const struct dbench_op *op)
{
	struct dbench *d = w->work;
	const bool there = !kind_dbench_resolve(w, op->path, d->name);
	struct stat st;
	int fd = open_it(w, op);

	if (fd < 0)
		return -1;
	if (!there)
		sync_parent(w, d->name);
	(void)fstat(fd, &st);
	if (!op->succeeds) {
		close(fd);
		return 0;
	}
	descriptor_close(d->fd[op->handle]);
	d->fd[op->handle] = fd;
	d->path[op->handle] = op->path;
	return 0;
}

static ssize_t do_close(struct worker *w, const struct dbench_op *op)
{
	struct dbench *d = w->work;
	int fd = handle_of(d);

	d->fd[op->handle] = -1;
	return fd < 0 ? -1 : close(fd);
}

static ssize_t do_rename(struct worker *w, const struct dbench_op *op)
{
	struct dbench *d = w->work;

	(void)kind_dbench_resolve(w, op->path, d->name);
	(void)kind_dbench_resolve(w, op->to, d->other);
	if (renameat(w->region->fd, d->name, w->region->fd, d->other))
		return -1;
	sync_parent(w, d->other);
	return 0;
}

static ssize_t do_unlink(struct worker *w, const struct dbench_op *op)
{
	struct dbench *d = w->work;

	(void)kind_dbench_resolve(w, op->path, d->name);
	if (unlinkat(w->region->fd, d->name,
		     op->type == DBENCH_RMDIR ? AT_REMOVEDIR : 0))
		return -1;
	sync_parent(w, d->name);
	return 0;
}

/* Files below a directory; as in dbench the directories stay. */
static void delete_tree(int fd)
{
	DIR *dir = descriptor_entries(fd);
	struct dirent *e;
	struct stat st;

	if (!dir)
		return;
	while ((e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (!S_ISDIR(st.st_mode)) {
			(void)unlinkat(fd, e->d_name, 0);
			continue;
		}
		delete_tree(openat(fd, e->d_name,
				   O_RDONLY | O_NONBLOCK | O_DIRECTORY |
					   O_NOFOLLOW | O_CLOEXEC));
	}
	closedir(dir);
}

static ssize_t do_deltree(struct worker *w, const struct dbench_op *op)
{
	struct dbench *d = w->work;
	char buf[NAME_CHARS];

	delete_tree(openat(w->region->fd,
			   dbench_load_path(d->load, op->path, w->jobnum, buf,
					    sizeof(buf)),
			   O_RDONLY | O_NONBLOCK | O_DIRECTORY | O_NOFOLLOW |
				   O_CLOEXEC));
	return 0;
}

static ssize_t do_mkdir(struct worker *w, const struct dbench_op *op)
{
	struct dbench *d = w->work;

	if (!kind_dbench_resolve(w, op->path, d->name))
		return 0;
	if (mkdirat(w->region->fd, d->name, 0777) && errno != EEXIST)
		return -1;
	sync_parent(w, d->name);
	return 0;
}

/* Set the times back by 10 and 12 s, as dbench does. */
static ssize_t do_sfileinfo(struct worker *w, const struct dbench_op *op)
{
	struct dbench *d = w->work;
	struct timespec times[2];
	struct stat st;

	if (fstat(handle_of(d), &st))
		return -1;
	times[0] = (struct timespec){ .tv_sec = st.st_atime - 10 };
	times[1] = (struct timespec){ .tv_sec = st.st_mtime - 12 };
	snprintf(d->name, sizeof(d->name), "%s",
		 dbench_load_path(d->load, d->path[op->handle], w->jobnum,
				  d->other, sizeof(d->other)));
	return utimensat(w->region->fd, d->name, times, 0);
}

static ssize_t do_find(struct worker *w, const struct dbench_op *op)
{
	struct dbench *d = w->work;
	char *slash;
	uint32_t n = 0;
	DIR *dir;

	(void)kind_dbench_resolve(w, op->path, d->name);
	slash = strrchr(d->name, '/');
	if (slash)
		*slash = '\0';
	dir = descriptor_entries(
		openat(w->region->fd, slash ? d->name : ".",
		       O_RDONLY | O_NONBLOCK | O_DIRECTORY | O_CLOEXEC));
	if (!dir)
		return 0;
	while (n < op->bytes && readdir(dir))
		n++;
	closedir(dir);
	return 0;
}

static ssize_t do_writex(struct worker *w, const struct dbench_op *op)
{
	const struct dbench *d = w->work;
	const int fd = handle_of(d);
	ssize_t n = pwrite(fd, w->buffers, op->bytes, (off_t)op->offset);

	if (n == (ssize_t)op->bytes && w->job->dbench.sync_writes &&
	    fsync(fd))
		return -1;
	return n;
}

static ssize_t do_lock(struct worker *w, const struct dbench_op *op)
{
	const struct dbench *d = w->work;
	struct flock lock = {
		.l_type = op->type == DBENCH_LOCKX ? F_WRLCK : F_UNLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)op->offset,
		.l_len = op->bytes,
	};

	/*
	 * Another client may hold the lock for any time: a wait in the kernel
	 * would not see the end of the job.
	 */
	while (fcntl(handle_of(d), F_SETLK, &lock)) {
		if (errno != EAGAIN && errno != EACCES)
			return -1;
		if (!worker_tick(w) || worker_stopped(w))
			return op->succeeds ? 0 : -1;
		clock_pause_ns(200000);
	}
	return 0;
}

static ssize_t do_operation(struct worker *w, const struct dbench_op *op)
{
	struct dbench *d = w->work;
	struct statfs v;
	struct stat st;

	switch ((enum dbench_type)op->type) {
	case DBENCH_NTCREATEX:
		return do_ntcreatex(w, op);
	case DBENCH_CLOSE:
		return do_close(w, op);
	case DBENCH_RENAME:
		return do_rename(w, op);
	case DBENCH_UNLINK:
	case DBENCH_RMDIR:
		return do_unlink(w, op);
	case DBENCH_DELTREE:
		return do_deltree(w, op);
	case DBENCH_MKDIR:
		return do_mkdir(w, op);
	case DBENCH_QPATHINFO:
		return kind_dbench_resolve(w, op->path, d->name);
	case DBENCH_QFILEINFO:
		return fstat(handle_of(d), &st);
	case DBENCH_QFSINFO:
		return fstatfs(w->region->fd, &v);
	case DBENCH_SFILEINFO:
		return do_sfileinfo(w, op);
	case DBENCH_FIND:
		return do_find(w, op);
	case DBENCH_WRITEX:
		return do_writex(w, op);
	case DBENCH_READX:
		return pread(handle_of(d), w->buffers, op->bytes,
			     (off_t)op->offset);
	case DBENCH_LOCKX:
	case DBENCH_UNLOCKX:
		return do_lock(w, op);
	case DBENCH_FLUSH:
		return fsync(handle_of(d));
	case DBENCH_TYPES:
		break;
	}
	return 0;
}

/* --- the run --- */

static bool kind_dbench_moves(const struct dbench_op *op)
{
	return op->type == DBENCH_READX || op->type == DBENCH_WRITEX;
}

/*
 * Whether the result is that of the loadfile. dbench examines no result of a
 * listing or of a question about a path: from the second pass on, directories
 * are there that the first pass did not find.
 */
static bool as_said(const struct dbench_op *op, ssize_t n)
{
	if (op->type == DBENCH_FIND || op->type == DBENCH_QPATHINFO)
		return true;
	if (kind_dbench_moves(op) && op->succeeds)
		return n == (ssize_t)op->bytes;
	return (n >= 0) == op->succeeds;
}

/* false: the job fails. */
static bool surprise(struct worker *w, const struct dbench_op *op, ssize_t n)
{
	const struct dbench *d = w->work;
	const int code = n < 0 ? errno : EIO;

	counter_error(w->count, code);
	if (w->job->continue_on_error)
		return true;
	worker_fail(w,
		    "job %s: %s of line %u of the loadfile %.100s %s%s; the "
		    "loadfile says that the operation %s",
		    w->job->name, dbench_syntax[op->type].name, op->line,
		    d->load->source,
		    n >= 0 && kind_dbench_moves(op) ? "moved too little"
		    : n >= 0                        ? "succeeded"
						    : "failed: ",
		    n >= 0 ? "" : strerror(code),
		    op->succeeds ? "succeeds" : "fails");
	return false;
}

static bool kind_dbench_replay(struct worker *w, const struct dbench_op *op)
{
	struct dbench *d = w->work;
	uint64_t begin_ns = stopwatch_ns(&w->watch), ns;
	ssize_t n;

	d->now = op;
	n = do_operation(w, op);
	if (!as_said(op, n))
		return surprise(w, op, n) && worker_tick(w);
	ns = kind_files_done(w, op_of[op->type], begin_ns);
	if (kind_dbench_moves(op) && n > 0)
		counter_add(&w->count->op[op_of[op->type]].bytes, (uint64_t)n);
	if (kind_files_is_run(w)) {
		if (!d->run)
			d->begin_ns = begin_ns;
		d->run = true;
		kind_times_add(&d->times[op->type], ns);
		d->bytes += kind_dbench_moves(op) && n > 0 ? (uint64_t)n : 0;
		w->left_ios--;
	}
	return worker_tick(w);
}

/*
 * As dbench's line of each second: all clients' bytes since the warm-up over
 * the time since then. The first client reports it for all.
 */
static void tell_throughput(struct worker *w, bool final)
{
	struct dbench *d = w->work;
	uint64_t bytes = 0;

	if (w->jobnum || !d->run)
		return;
	if (!d->next_ns)
		d->next_ns = d->begin_ns + NS_PER_S;
	if (!final && w->now_ns < d->next_ns)
		return;
	d->next_ns = w->now_ns + NS_PER_S;
	for (unsigned i = 0; i < w->clones->n; i++) {
		const struct worker *k = w->clones->worker[i];

		bytes += counter_get(&k->run.op[JOB_READ].bytes) +
			 counter_get(&k->run.op[JOB_WRITE].bytes);
	}
	if (w->now_ns <= d->begin_ns)
		return;
	kind_metric(w, "bytes_per_s",
		    (double)bytes * 1e9 / (double)(w->now_ns - d->begin_ns), 1,
		    final);
}

static void kind_dbench_run(struct worker *w)
{
	struct dbench *d = w->work;
	bool good = true;

	kind_files_begin(w);
	while (good && w->left_ios) {
		for (size_t i = 0; good && w->left_ios && i < d->load->n_ops;
		     i++) {
			good = kind_dbench_replay(w, &d->load->op[i]);
			if (good)
				tell_throughput(w, false);
		}
		close_handles(d);
	}
	kind_files_end(w);
	d->end_ns = w->now_ns;
	tell_throughput(w, true);
}

static void kind_dbench_describe(const struct clones *c, char *buf, size_t size)
{
	const struct dbench *d = c->worker[0]->work;

	snprintf(buf, size, "dbench replay of %.40s",
		 d->load ? text_base(d->load->source) : "a loadfile");
}

/* --- the result --- */

static void kind_dbench_summary(const struct clones *c, FILE *out)
{
	struct kind_times times[DBENCH_TYPES] = { { .n = 0 } };
	uint64_t begin_ns = UINT64_MAX, end_ns = 0, bytes = 0, most_ns = 0;

	for (unsigned i = 0; i < c->n; i++) {
		const struct dbench *d = c->worker[i]->work;

		if (!d->run)
			continue;
		bytes += d->bytes;
		begin_ns = d->begin_ns < begin_ns ? d->begin_ns : begin_ns;
		end_ns = d->end_ns > end_ns ? d->end_ns : end_ns;
		for (int j = 0; j < DBENCH_TYPES; j++)
			kind_times_merge(&times[j], &d->times[j]);
	}
	if (end_ns <= begin_ns)
		return;
	fprintf(out, " Operation      Count    AvgLat    MaxLat\n"
		     " ----------------------------------------\n");
	for (int j = 0; j < DBENCH_TYPES; j++) {
		if (!times[j].n)
			continue;
		most_ns = times[j].max_ns > most_ns ? times[j].max_ns : most_ns;
		fprintf(out, " %-10s %9llu %9.3f %9.3f\n", dbench_syntax[j].name,
			(unsigned long long)times[j].n,
			kind_times_mean_ns(&times[j]) / 1e6,
			(double)times[j].max_ns / 1e6);
	}
	fprintf(out,
		"\nThroughput %g MB/sec  %u clients  %u procs  "
		"max_latency=%.3f ms\n",
		(double)bytes * 1e3 / (double)(end_ns - begin_ns), c->n, c->n,
		(double)most_ns / 1e6);
}

const struct work_kind kind_dbench = {
	.name = "dbench",
	.help = "replays the requests of file server clients, as dbench does",
	.options = "loadfile sync_dir sync_writes plain_names",
	.of_io = "directory sync",
	.state = sizeof(struct dbench),
	.ops = 1u << JOB_READ | 1u << JOB_WRITE | 1u << JOB_SYNC |
	       1u << JOB_CREATE | 1u << JOB_CLOSE | 1u << JOB_UNLINK |
	       1u << JOB_STAT | 1u << JOB_LIST | 1u << JOB_RENAME |
	       1u << JOB_SETATTR | 1u << JOB_LOCK,
	.limit_ops = ~0u,
	.settle = kind_dbench_settle,
	.plan = kind_dbench_plan,
	.release = kind_dbench_release,
	.prepare = kind_dbench_prepare,
	.run = kind_dbench_run,
	.unprepare = kind_dbench_unprepare,
	.describe = kind_dbench_describe,
	.summary = kind_dbench_summary,
	.profile = "dbench",
};
