/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind sqlite: rows inserted one by one, each a transaction of its own, with a
 * rollback journal and synchronous=full, the defaults of SQLite 3.
 *
 * The library, libsqlite3, makes the writes and syncs.
 *
 * Each clone has a database of its own in a directory that the run makes for
 * itself. It makes a table, then opens the database anew for each loop of
 * number_ios rows. The result is the time of all that.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

#include "base/alloc.h"
#include "base/root.h"
#include "workload/kind/kind.h"
#include "workload/target/target.h"
#include "workload/thread/clones.h"

#define PAGE  4096u
#define ROWS  2500 /* of a loop */
#define LOOPS 3

struct sqlite {
	uint64_t rows; /* inserted, for their numbers */
#ifdef HAVE_SQLITE
	sqlite3 *handle;
#endif
	/* shared */
	uint64_t begin_ns, end_ns, counted;
};

static void kind_sqlite_settle(struct job *job)
{
	job->rw = RW_WRITE;
	if (!job->number_ios)
		job->number_ios = ROWS;
	if (!job_was_given(job, "loops"))
		job->loops = LOOPS;
}

static int check_engine(const struct job *job)
{
#ifdef HAVE_SQLITE
	return 0;
#else
	return job_fail(job, ENOTSUP,
			"this iodyno was built without libsqlite3; install "
			"libsqlite3-dev and build it again");
#endif
}

/* A row is 64 bytes at most, and the journal three pages. */
static uint64_t kind_sqlite_most_bytes(const struct job *job)
{
	uint64_t bytes;

	return __builtin_mul_overflow(job->number_ios, job->loops * 64ull,
				      &bytes) ||
			       bytes > UINT64_MAX - 16 * PAGE
		       ? UINT64_MAX
		       : bytes + 16 * PAGE;
}

static int kind_sqlite_plan(struct workload *w, struct worker *k, uint64_t seed)
{
	const struct job *job = k->job;
	int rc = check_engine(job);

	if (rc)
		return rc;
	k->limit_ios = job->time_based ? UINT64_MAX : job->number_ios;
	return kind_files_add_directory(w, k, kind_sqlite_most_bytes(job),
					false);
}

#ifdef HAVE_SQLITE

static bool lib_failed(struct worker *w, const char *what)
{
	struct sqlite *s = w->work;
	int code = s->handle ? sqlite3_system_errno(s->handle) : 0;

	counter_error(w->count, code ? code : EIO);
	if (w->job->continue_on_error && s->handle)
		return true;
	worker_fail(w, "job %s: SQLite cannot %s in %.200s: %.100s",
		    w->job->name, what, w->region->target->own,
		    s->handle ? sqlite3_errmsg(s->handle) : "no memory");
	return false;
}

static bool lib_run(struct worker *w, const char *what, const char *sql)
{
	struct sqlite *s = w->work;

	return sqlite3_exec(s->handle, sql, NULL, NULL, NULL) == SQLITE_OK ||
	       lib_failed(w, what);
}

static bool lib_create(struct worker *w)
{
	return lib_run(w, "make a table",
		       "CREATE TABLE pts1 (I SMALLINT NOT NULL, DT TIMESTAMP "
		       "NOT NULL DEFAULT CURRENT_TIMESTAMP, F1 VARCHAR(4) NOT "
		       "NULL, F2 VARCHAR(16) NOT NULL)");
}

static bool lib_insert(struct worker *w)
{
	const struct sqlite *s = w->work;
	char sql[120];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO pts1 (I, F1, F2) VALUES (%llu, 'abcd', "
		 "'abcdefghijklmnop')",
		 (unsigned long long)s->rows + 1);
	return lib_run(w, "insert a row", sql);
}

static void lib_close(struct worker *w)
{
	struct sqlite *s = w->work;

	sqlite3_close(s->handle);
	s->handle = NULL;
}

static bool lib_open(struct worker *w)
{
	struct sqlite *s = w->work;
	char held[ROOT_FD_PATH], folder[PATH_MAX], *path;
	bool good;
	/*
	 * The library takes a path and follows no link in it: give it the real
	 * path of the open directory.
	 */
	ssize_t n = readlink(root_fd_path(held, w->region->fd), folder,
			     sizeof(folder) - 1);

	folder[n > 0 ? n : 0] = '\0';
	path = xasprintf("%s/test%u.db", n > 0 ? folder : w->region->target->own,
			 w->jobnum);
	good = sqlite3_open_v2(path, &s->handle,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				       SQLITE_OPEN_NOFOLLOW,
			       NULL) == SQLITE_OK ||
	       lib_failed(w, "open a database");
	free(path);
	return good;
}

/* --- the run --- */

static bool kind_sqlite_insert(struct worker *w)
{
	struct sqlite *s = w->work;
	uint64_t begin_ns = stopwatch_ns(&w->watch);

	if (!lib_insert(w))
		return false;
	kind_files_done(w, JOB_INSERT, begin_ns);
	s->rows++;
	if (kind_files_is_run(w)) {
		if (!s->begin_ns)
			s->begin_ns = begin_ns;
		s->counted++;
		w->left_ios--;
	}
	return worker_tick(w);
}

static void kind_sqlite_run(struct worker *w)
{
	struct sqlite *s = w->work;
	bool good;

	kind_files_begin(w);
	/* The table is made within the time, unless there is a ramp. */
	if (kind_files_is_run(w))
		s->begin_ns = w->now_ns;
	good = lib_open(w) && lib_create(w);
	lib_close(w);
	while (good && w->left_ios) {
		good = lib_open(w);
		for (uint64_t i = 0;
		     good && w->left_ios && i < w->job->number_ios; i++)
			good = kind_sqlite_insert(w);
		lib_close(w);
	}
	kind_files_end(w);
	s->end_ns = w->now_ns;
	if (s->counted)
		kind_metric(w, "elapsed_ns", (double)(s->end_ns - s->begin_ns),
			    -1, true);
}

#else

/* kind_sqlite_plan() has refused the job. */
static void kind_sqlite_run(struct worker *w)
{
}

#endif

static void kind_sqlite_describe(const struct clones *c, char *buf, size_t size)
{
	snprintf(buf, size, "sqlite insertions, libsqlite3");
}

static void kind_sqlite_summary(const struct clones *c, FILE *out)
{
	uint64_t begin_ns = UINT64_MAX, end_ns = 0, rows = 0;

	for (unsigned i = 0; i < c->n; i++) {
		const struct sqlite *s = c->worker[i]->work;

		if (!s->counted)
			continue;
		rows += s->counted;
		begin_ns = s->begin_ns < begin_ns ? s->begin_ns : begin_ns;
		end_ns = s->end_ns > end_ns ? s->end_ns : end_ns;
	}
	if (end_ns <= begin_ns)
		return;
	fprintf(out,
		"Timed SQLite insertions: %llu in %.3f seconds, %.3f ms each\n",
		(unsigned long long)rows, (double)(end_ns - begin_ns) / 1e9,
		(double)(end_ns - begin_ns) / 1e6 * c->n / (double)rows);
}

const struct work_kind kind_sqlite = {
	.name = "sqlite",
	.help = "inserts rows into an SQLite database, one transaction each",
	.options = "",
	.of_io = "directory randrepeat randseed",
	.state = sizeof(struct sqlite),
	.ops = 1u << JOB_INSERT,
	.limit_ops = 1u << JOB_INSERT,
	.settle = kind_sqlite_settle,
	.plan = kind_sqlite_plan,
	.run = kind_sqlite_run,
	.describe = kind_sqlite_describe,
	.summary = kind_sqlite_summary,
	.figures = "elapsed_ns",
};
