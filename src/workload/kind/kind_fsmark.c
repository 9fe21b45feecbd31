/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind fsmark: makes many files, as fs_mark 3.3 does with the same options.
 *
 * Each clone makes nrfiles files of filesize bytes, by writes of bs bytes of
 * zeros, and syncs them by one of seven methods; then, outside the timing, it
 * removes them, unless there are several such loops. Its files per second are
 * the clones' files over the clones' times, added up; the application overhead
 * is the rest of these times without the calls: the making of names, mkdir, and
 * the second opening of methods 2 to 6. Unlike fs_mark the files are in a
 * directory that the run makes for itself, and no file is opened that is there
 * already.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "workload/kind/kind.h"
#include "workload/thread/clones.h"

#define STAMP_CHARS  16 /* of a name: seconds in hex, then '~' */
#define RANDOM_CHARS 24
#define SUBDIR_S     180 /* of a subdirectory that is chosen by time */
/* "ffff/", the name, its end. */
#define PATH_CHARS (8 + STAMP_CHARS + RANDOM_CHARS)
/* Loops with a line of their own in the summary. */
#define LOOPS_MAX 1000

enum call { CREAT, WRITE, FSYNC, SYNC, CLOSE, UNLINK, CALLS };

static const unsigned op_of[CALLS] = {
	[CREAT] = JOB_CREATE, [WRITE] = JOB_WRITE, [FSYNC] = JOB_SYNC,
	[SYNC] = JOB_SYNCALL, [CLOSE] = JOB_CLOSE, [UNLINK] = JOB_UNLINK,
};

static const char *const call_names[CALLS] = {
	[CREAT] = "CREAT", [WRITE] = "WRITE", [FSYNC] = "FSYNC",
	[SYNC] = "SYNC",   [CLOSE] = "CLOSE", [UNLINK] = "UNLINK",
};

/* Whether sync(2) comes first, and the order of the fsyncs after the loop. */
static const struct method {
	const char *words;
	bool in_loop, sync, one, all, reverse;
} methods[] = {
	{ .words = "no sync" },
	{ .words = "fsync before close", .in_loop = true },
	{ .words = "sync, then one fsync", .sync = true, .one = true },
	{ .words = "fsync of all in reverse order at the end",
	  .all = true,
	  .reverse = true },
	{ .words = "sync, then fsync of all in reverse order",
	  .sync = true,
	  .all = true,
	  .reverse = true },
	{ .words = "fsync of all in order at the end", .all = true },
	{ .words = "sync, then fsync of all in order",
	  .sync = true,
	  .all = true },
};

/* One loop of one clone. */
struct fsmark_loop {
	uint64_t files, wall_ns;
	unsigned used_pct; /* of the file system, behind the timed part */
	struct kind_times times[CALLS];
};

/* Of one clone; loop is shared with the main thread. */
struct fsmark {
	struct fsmark_loop *loop;
	unsigned n_loops; /* begun within the run */
	struct fsmark_loop now;
	uint64_t begin_ns; /* of the loop, or of its part within the run */
	bool run;          /* the loop is counted */
	char (*path)[PATH_CHARS]; /* of the files that are there */
	unsigned n_paths;
	uint64_t made; /* files, for the round robin */
	time_t start_s;
};

static uint64_t loops_of(const struct job *job)
{
	return job->loops ? job->loops : 1;
}

static size_t kind_fsmark_lines_of(const struct job *job)
{
	return job->time_based || loops_of(job) > LOOPS_MAX ? LOOPS_MAX
							    : loops_of(job);
}

/*
 * Whether files stay to the end of the run: with several loops fs_mark removes
 * none.
 */
static bool stays(const struct job *job)
{
	return job->fsmark.keep ||
	       (loops_of(job) > 1 && !job_was_given(job, "keep_files"));
}

static void kind_fsmark_settle(struct job *job)
{
	job->rw = RW_WRITE;
	kind_files_block(job, 16384);
	if (!job_was_given(job, "nrfiles"))
		job->nrfiles = 1000;
	if (!job->filesize_min)
		job->filesize_min = 51200;
}

static int kind_fsmark_check_options(const struct job *job)
{
	const struct job_fsmark *o = &job->fsmark;

	if (job->filesize_max > job->filesize_min)
		return job_fail(job, EINVAL,
				"kind=fsmark makes files of one size; give "
				"filesize=SIZE");
	if (o->per_subdir && o->subdirs < 2)
		return job_fail(job, EINVAL,
				"files_per_subdir needs subdirs=2 or more");
	return 0;
}

/* The most bytes that the files of a clone hold. */
static uint64_t kind_fsmark_most_bytes(const struct job *job)
{
	uint64_t files = job->nrfiles * (stays(job) ? loops_of(job) : 1), bytes;

	return __builtin_mul_overflow(files, job->filesize_min, &bytes)
		       ? UINT64_MAX
		       : bytes;
}

static int kind_fsmark_plan(struct workload *w, struct worker *k, uint64_t seed)
{
	const struct job *job = k->job;
	struct fsmark *f = k->work;
	int rc = kind_fsmark_check_options(job);

	f->loop = xshared(kind_fsmark_lines_of(job) * sizeof(*f->loop));
	if (rc)
		return rc;
	/* Of one loop; stages.c multiplies it by the loops. */
	k->limit_ios = job->time_based ? UINT64_MAX : job->nrfiles;
	if (job->number_ios && job->number_ios < k->limit_ios)
		k->limit_ios = job->number_ios;
	return kind_files_add_directory(w, k, kind_fsmark_most_bytes(job),
					job->fsmark.keep);
}

static void kind_fsmark_release(struct worker *k)
{
	struct fsmark *f = k->work;

	xshared_free(f->loop, kind_fsmark_lines_of(k->job) * sizeof(*f->loop));
}

static int kind_fsmark_prepare(struct worker *w)
{
	struct fsmark *f = w->work;

	if (kind_files_buffer(w, w->job->bs[0].max))
		return -ENOMEM;
	f->path = xcalloc(w->job->nrfiles, sizeof(*f->path));
	f->start_s = time(NULL);
	return 0;
}

/* --- names --- */

static unsigned subdir_of(const struct worker *w)
{
	const struct job_fsmark *o = &w->job->fsmark;
	const struct fsmark *f = w->work;
	uint64_t n = o->per_subdir
			     ? f->made / o->per_subdir
			     : (uint64_t)f->start_s +
				       (uint64_t)(time(NULL) - f->start_s) /
					       SUBDIR_S;

	return (unsigned)(n % o->subdirs);
}

/* "02/6b02cf32~~~~~~~~C7DLDMU1JKB4SH4POZS3P011". */
static void make_path(struct worker *w, char *path)
{
	static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	char *p = path;

	if (w->job->fsmark.subdirs > 1)
		p += snprintf(p, 8, "%02x/", subdir_of(w));
	p += snprintf(p, 9, "%08x", (unsigned)time(NULL));
	memset(p, '~', STAMP_CHARS - 8);
	p += STAMP_CHARS - 8;
	for (int i = 0; i < RANDOM_CHARS; i++)
		*p++ = chars[random_below(&w->random, sizeof(chars) - 1)];
	*p = '\0';
}

/* fs_mark does so for each file, although the folder mostly exists. */
static void make_subdir(const struct worker *w, const char *path)
{
	char dir[8] = ".";
	const char *slash = strchr(path, '/');

	if (slash)
		memcpy(dir, path, (size_t)(slash - path) + 1);
	(void)mkdirat(w->region->fd, dir, 0777);
}

/* --- the run --- */

/* A call is done: count it. */
static void kind_fsmark_done(struct worker *w, enum call call,
			     uint64_t begin_ns)
{
	struct fsmark *f = w->work;

	kind_times_add(&f->now.times[call],
		       kind_files_done(w, op_of[call], begin_ns));
}

static bool kind_fsmark_failed(struct worker *w, enum call call, ssize_t moved,
			       const char *path)
{
	char whole[300];

	snprintf(whole, sizeof(whole), "%.200s/%s", w->region->target->own,
		 path);
	return kind_files_failed(w, op_of[call], moved, whole, 0);
}

/* After the ramp the loop is counted from here on. */
static bool kind_fsmark_tick(struct worker *w)
{
	struct fsmark *f = w->work;
	const bool good = worker_tick(w);

	if (!f->run && kind_files_is_run(w)) {
		f->run = true;
		f->begin_ns = w->now_ns;
		memset(&f->now, 0, sizeof(f->now));
	}
	return good;
}

static bool kind_fsmark_write_file(struct worker *w, int fd, const char *path)
{
	const uint64_t block = w->job->bs[0].max;
	uint64_t left = w->job->filesize_min;

	while (left) {
		size_t bytes = left < block ? left : block;
		uint64_t begin_ns = stopwatch_ns(&w->watch);
		ssize_t n = write(fd, w->buffers, bytes);

		if (n != (ssize_t)bytes)
			return kind_fsmark_failed(w, WRITE, n, path);
		kind_fsmark_done(w, WRITE, begin_ns);
		counter_add(&w->count->op[JOB_WRITE].bytes, bytes);
		left -= bytes;
		/* Stop within a file only when the job is over. */
		if (!kind_fsmark_tick(w) && left)
			return false;
	}
	return true;
}

static bool kind_fsmark_sync_file(struct worker *w, int fd, const char *path)
{
	uint64_t begin_ns = stopwatch_ns(&w->watch);

	if (fsync(fd))
		return kind_fsmark_failed(w, FSYNC, -1, path);
	kind_fsmark_done(w, FSYNC, begin_ns);
	return true;
}

static bool close_file(struct worker *w, int fd, const char *path)
{
	uint64_t begin_ns = stopwatch_ns(&w->watch);

	if (close(fd))
		return kind_fsmark_failed(w, CLOSE, -1, path);
	kind_fsmark_done(w, CLOSE, begin_ns);
	return true;
}

/* false: the job is over. */
static bool kind_fsmark_make_file(struct worker *w)
{
	struct fsmark *f = w->work;
	char *path = f->path[f->n_paths];
	const bool in_loop = methods[w->job->fsmark.sync].in_loop;
	uint64_t begin_ns;
	bool good;
	int fd;

	make_path(w, path);
	make_subdir(w, path);
	begin_ns = stopwatch_ns(&w->watch);
	fd = openat(w->region->fd, path,
		    O_RDWR | O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		    0666);
	if (fd < 0)
		return kind_fsmark_failed(w, CREAT, -1, path) &&
		       kind_fsmark_tick(w);
	kind_fsmark_done(w, CREAT, begin_ns);
	f->n_paths++;
	f->made++;
	good = kind_fsmark_write_file(w, fd, path) &&
	       (!in_loop || kind_fsmark_sync_file(w, fd, path));
	if (!close_file(w, fd, path) || !good)
		return false;
	f->now.files++;
	if (kind_files_is_run(w))
		w->left_ios--;
	return kind_fsmark_tick(w);
}

/* Open a file anew and sync it, as the methods do after the loop. */
static bool sync_again(struct worker *w, unsigned i)
{
	const struct fsmark *f = w->work;
	const char *path = f->path[i];
	int fd = openat(w->region->fd, path,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool good;

	if (fd < 0)
		return kind_fsmark_failed(w, CREAT, -1, path);
	good = kind_fsmark_sync_file(w, fd, path);
	return close_file(w, fd, path) && good && kind_fsmark_tick(w);
}

static bool sync_after(struct worker *w)
{
	const struct method *m = &methods[w->job->fsmark.sync];
	const struct fsmark *f = w->work;
	const unsigned n = f->n_paths;
	uint64_t begin_ns = stopwatch_ns(&w->watch);
	bool good = true;

	if (m->sync) {
		sync();
		kind_fsmark_done(w, SYNC, begin_ns);
		good = kind_fsmark_tick(w);
	}
	if (m->one && good && n)
		good = sync_again(w, 0);
	for (unsigned i = 0; m->all && good && i < n; i++)
		good = sync_again(w, m->reverse ? n - 1 - i : i);
	return good;
}

/* In per cent, as fs_mark counts: blocks reserved for root are in use. */
static unsigned used_pct(const struct worker *w)
{
	struct statvfs v;

	if (fstatvfs(w->region->fd, &v) || !v.f_blocks)
		return 0;
	return (unsigned)((v.f_blocks - v.f_bavail) * 100 / v.f_blocks);
}

/* The loop's timed part is over: keep its figures. */
static void end_loop(struct worker *w)
{
	struct fsmark *f = w->work;

	f->now.wall_ns = stopwatch_ns(&w->watch) - f->begin_ns;
	if (!f->run || !f->now.files ||
	    f->n_loops == kind_fsmark_lines_of(w->job))
		return;
	f->now.used_pct = used_pct(w);
	f->loop[f->n_loops++] = f->now;
}

/* Unlinks are timed, but are in no rate of files. */
static bool remove_files(struct worker *w)
{
	struct fsmark *f = w->work;
	bool good = true;

	for (unsigned i = 0; i < f->n_paths && good; i++) {
		uint64_t begin_ns = stopwatch_ns(&w->watch);

		if (unlinkat(w->region->fd, f->path[i], 0)) {
			good = kind_fsmark_failed(w, UNLINK, -1, f->path[i]);
			continue;
		}
		kind_fsmark_done(w, UNLINK, begin_ns);
		good = kind_fsmark_tick(w);
	}
	/*
	 * A stopped job does not remove the rest; the end of the run removes
	 * the directory.
	 */
	f->n_paths = good ? 0 : f->n_paths;
	if (f->run && f->n_loops)
		f->loop[f->n_loops - 1].times[UNLINK] = f->now.times[UNLINK];
	return good;
}

static bool run_loop(struct worker *w)
{
	struct fsmark *f = w->work;
	bool good = true;

	memset(&f->now, 0, sizeof(f->now));
	f->run = kind_files_is_run(w);
	f->begin_ns = stopwatch_ns(&w->watch);
	while (good && f->n_paths < w->job->nrfiles && w->left_ios)
		good = kind_fsmark_make_file(w);
	good = good && sync_after(w);
	end_loop(w);
	if (!good || !w->left_ios)
		counter_set(&w->run_end_at_ns, stopwatch_ns(&w->watch));
	if (stays(w->job))
		f->n_paths = 0;
	else if (good)
		good = remove_files(w);
	return good;
}

static void kind_fsmark_run(struct worker *w)
{
	kind_files_begin(w);
	while (w->left_ios && run_loop(w))
		;
	kind_files_end(w);
}

static void kind_fsmark_unprepare(struct worker *w)
{
	struct fsmark *f = w->work;

	free(f->path);
	f->path = NULL;
}

static void kind_fsmark_describe(const struct clones *c, char *buf, size_t size)
{
	snprintf(buf, size, "fs-mark, %s", methods[c->job->fsmark.sync].words);
}

/* --- the result --- */

/* All clones' loop i added up; files_per_s is the sum of their rates. */
struct fsmark_line {
	uint64_t files;
	double files_per_s, overhead_us;
	unsigned used_pct; /* the greatest */
	struct kind_times times[CALLS];
};

static void kind_fsmark_add_line(struct fsmark_line *to,
				 const struct fsmark_loop *l)
{
	uint64_t calls_ns = 0;

	for (int i = 0; i < CALLS; i++) {
		kind_times_merge(&to->times[i], &l->times[i]);
		calls_ns += i == UNLINK ? 0 : l->times[i].sum_ns;
	}
	to->files += l->files;
	if (l->used_pct > to->used_pct)
		to->used_pct = l->used_pct;
	if (!l->wall_ns)
		return;
	to->files_per_s += (double)l->files * 1e9 / (double)l->wall_ns;
	if (l->wall_ns > calls_ns)
		to->overhead_us += (double)(l->wall_ns - calls_ns) / 1e3;
}

static bool kind_fsmark_line_of(const struct clones *c, unsigned i,
				struct fsmark_line *out)
{
	bool any = false;

	memset(out, 0, sizeof(*out));
	for (unsigned j = 0; j < c->n; j++) {
		const struct fsmark *f = c->worker[j]->work;

		if (i >= f->n_loops)
			continue;
		any = true;
		kind_fsmark_add_line(out, &f->loop[i]);
	}
	return any;
}

static void print_times(const struct fsmark_line *l, FILE *out)
{
	fprintf(out, "%6s  Min/Avg/Max microseconds\n", "Call");
	for (int i = 0; i < CALLS; i++)
		fprintf(out, "%6s %8.0f %8.0f %8.0f\n", call_names[i],
			(double)l->times[i].min_ns / 1e3,
			kind_times_mean_ns(&l->times[i]) / 1e3,
			(double)l->times[i].max_ns / 1e3);
}

static void kind_fsmark_summary(const struct clones *c, FILE *out)
{
	struct fsmark_line line, all = { .files = 0 };

	if (!kind_fsmark_line_of(c, 0, &line))
		return;
	fprintf(out, "%6s %12s %12s %12s %16s\n", "FSUse%", "Count", "Size",
		"Files/sec", "App Overhead");
	for (unsigned i = 0; kind_fsmark_line_of(c, i, &line); i++) {
		all.files += line.files;
		for (int j = 0; j < CALLS; j++)
			kind_times_merge(&all.times[j], &line.times[j]);
		fprintf(out, "%6u %12llu %12llu %12.1f %16.0f\n",
			line.used_pct,
			(unsigned long long)all.files,
			(unsigned long long)c->job->filesize_min,
			line.files_per_s, line.overhead_us);
	}
	print_times(&all, out);
	if (c->job->fsmark.keep)
		fprintf(out, "files kept in %s\n",
			c->worker[0]->region->target->own);
}

const struct work_kind kind_fsmark = {
	.name = "fsmark",
	.help = "makes, syncs and removes many files, as fs_mark does",
	.options = "sync_method subdirs files_per_subdir keep_files",
	.of_io = "directory nrfiles filesize bs randrepeat randseed",
	.state = sizeof(struct fsmark),
	.ops = 1u << JOB_CREATE | 1u << JOB_WRITE | 1u << JOB_SYNC |
	       1u << JOB_SYNCALL | 1u << JOB_CLOSE | 1u << JOB_UNLINK,
	.limit_ops = 1u << JOB_CREATE,
	.settle = kind_fsmark_settle,
	.plan = kind_fsmark_plan,
	.release = kind_fsmark_release,
	.prepare = kind_fsmark_prepare,
	.run = kind_fsmark_run,
	.unprepare = kind_fsmark_unprepare,
	.describe = kind_fsmark_describe,
	.summary = kind_fsmark_summary,
	.profile = "fs_mark",
};
