/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind sqlite: rows inserted one by one, each a transaction of its own, with a
 * rollback journal and synchronous=full, the defaults of SQLite 3.
 *
 * sqlite_engine=lib does it through libsqlite3. sqlite_engine=pattern needs no
 * library: it makes the calls of write, sync and unlink that SQLite 3.40 makes
 * for these rows, with the same sizes and offsets (page of 4096 bytes), while
 * the root page of the table has space for its leaves, which is up to some
 * 40000 rows. Locks, looks for a journal of another process and reads of the
 * header are left out.
 *
 * Each clone has a database of its own in a directory that the run makes for
 * itself. It makes a table, then opens the database anew for each loop of
 * number_ios rows. The result is the time of all that.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

#include "base/alloc.h"
#include "base/fail.h"
#include "base/root.h"
#include "workload/kind/kind.h"
#include "workload/target/target.h"
#include "workload/thread/clones.h"

#define PAGE 4096u
/* Of a leaf, without its header. */
#define LEAF_BYTES (PAGE - 8)
#define ROWS       2500 /* of a loop */
#define LOOPS      3
/* The columns DT, F1 and F2: 19, 4 and 16 characters. */
#define TEXT_BYTES 39

struct sqlite {
	uint64_t rows; /* inserted, for their numbers */
	int db;        /* pattern */
	char *page;
	uint64_t pages; /* of the database */
	unsigned leaf_used;
#ifdef HAVE_SQLITE
	sqlite3 *handle;
#endif
	/* shared */
	uint64_t begin_ns, end_ns, counted;
};

static void settle(struct job *job)
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
	(void)job;
	return 0;
#else
	if (job->sqlite_pattern)
		return 0;
	return fail(ENOTSUP,
		    "job %s: this iodyno was built without libsqlite3; give "
		    "sqlite_engine=pattern, or install libsqlite3-dev and "
		    "build it again",
		    job->name);
#endif
}

/* A row is 64 bytes at most, and the journal three pages. */
static uint64_t most_bytes(const struct job *job)
{
	uint64_t bytes;

	return __builtin_mul_overflow(job->number_ios, job->loops * 64ull,
				      &bytes) ||
			       bytes > UINT64_MAX - 16 * PAGE
		       ? UINT64_MAX
		       : bytes + 16 * PAGE;
}

static int plan(struct workload *w, struct worker *k, uint64_t seed)
{
	const struct job *job = k->job;
	struct sqlite *s = xshared(sizeof(*s));
	int rc = check_engine(job);

	k->work = s;
	s->db = -1;
	if (rc)
		return rc;
	random_seed(&k->random, seed);
	k->limit_bytes = UINT64_MAX;
	k->limit_ios = job->time_based ? UINT64_MAX : job->number_ios;
	return kind_files_add_directory(w, k, most_bytes(job), false);
}

static void release(struct worker *k)
{
	xshared_free(k->work, sizeof(struct sqlite));
	k->work = NULL;
	kind_files_free(k);
}

static const char *file_name(const struct worker *w, const char *end, char *buf,
			     size_t size)
{
	snprintf(buf, size, "test%u.db%s", w->jobnum, end);
	return buf;
}

static int prepare(struct worker *w)
{
	struct sqlite *s = w->work;

	s->page = kind_files_buffer(w->job, PAGE);
	if (!s->page)
		return -ENOMEM;
	layout_fill(&w->random, s->page, PAGE);
	return 0;
}

/* --- the calls of SQLite --- */

static bool failed(struct worker *w, unsigned op, ssize_t moved,
		   const char *end, uint64_t at)
{
	char name[32], path[300];

	snprintf(path, sizeof(path), "%.240s/%s", w->region->target->own,
		 file_name(w, end, name, sizeof(name)));
	return kind_files_failed(w, op, moved, path, at);
}

static bool put(struct worker *w, int fd, const char *end, size_t bytes,
		uint64_t at)
{
	const struct sqlite *s = w->work;
	uint64_t begin_ns = stopwatch_ns(&w->watch);
	ssize_t n = pwrite(fd, s->page, bytes, (off_t)at);

	if (n != (ssize_t)bytes)
		return failed(w, JOB_WRITE, n, end, at);
	kind_files_done(w, JOB_WRITE, begin_ns);
	counter_add(&w->count->op[JOB_WRITE].bytes, bytes);
	return true;
}

static bool sync_it(struct worker *w, int fd, const char *end)
{
	uint64_t begin_ns = stopwatch_ns(&w->watch);

	if (fdatasync(fd))
		return failed(w, JOB_SYNC, -1, end, 0);
	kind_files_done(w, JOB_SYNC, begin_ns);
	return true;
}

/* A new name is durable once its directory is synced. */
static bool sync_directory(struct worker *w)
{
	int fd = openat(w->region->fd, ".", O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && sync_it(w, fd, "-journal");

	if (fd >= 0)
		close(fd);
	return good;
}

/* The journal: its header, the old pages, a sync of it and of its name. */
static bool write_journal(struct worker *w, int fd, unsigned old_pages)
{
	static const char end[] = "-journal";
	bool good = put(w, fd, end, 512, 0);
	uint64_t at = 512;

	for (unsigned i = 0; i < old_pages && good; i++) {
		/* The number of the page, the page, its checksum. */
		good = put(w, fd, end, 4, at) && put(w, fd, end, PAGE, at + 4) &&
		       put(w, fd, end, 4, at + 4 + PAGE);
		at += PAGE + 8;
	}
	/* Then the header, that says how many pages are valid. */
	return good && sync_it(w, fd, end) && sync_directory(w) &&
	       put(w, fd, end, 12, 0) && sync_it(w, fd, end);
}

/* One transaction that writes those pages of the database, n of them. */
static bool commit(struct worker *w, unsigned old_pages, const uint64_t *page,
		   unsigned n)
{
	const struct sqlite *s = w->work;
	char name[32];
	uint64_t begin_ns;
	bool good;
	int fd;

	file_name(w, "-journal", name, sizeof(name));
	fd = openat(w->region->fd, name,
		    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return failed(w, JOB_CREATE, -1, "-journal", 0);
	good = write_journal(w, fd, old_pages);
	for (unsigned i = 0; i < n && good; i++)
		good = put(w, s->db, "", PAGE, page[i] * PAGE);
	good = good && sync_it(w, s->db, "");
	close(fd);
	begin_ns = stopwatch_ns(&w->watch);
	if (unlinkat(w->region->fd, name, 0))
		return failed(w, JOB_UNLINK, -1, "-journal", 0) && good;
	kind_files_done(w, JOB_UNLINK, begin_ns);
	return good;
}

/* Bytes of a number in SQLite's variable length. */
static unsigned varint_bytes(uint64_t n)
{
	unsigned bytes = 1;

	while (n >>= 7)
		bytes++;
	return bytes;
}

/* Of a value in a record: 0 and 1 take none. */
static unsigned integer_bytes(uint64_t n)
{
	return n < 2 ? 0 : n < 0x80 ? 1 : n < 0x8000 ? 2 : n < 0x800000 ? 3 : 4;
}

/* The bytes of row i in a leaf: its cell and the cell's place in the page. */
static unsigned row_bytes(uint64_t i)
{
	/* The record: a byte for its header and for the type of each column. */
	unsigned record = 1 + 4 + integer_bytes(i) + TEXT_BYTES;

	return varint_bytes(record) + varint_bytes(i) + record + 2;
}

static bool pattern_insert(struct worker *w)
{
	struct sqlite *s = w->work;
	const unsigned bytes = row_bytes(s->rows + 1);
	uint64_t page[4] = { 0 };
	unsigned n = 1;

	if (s->leaf_used + bytes <= LEAF_BYTES) {
		page[n++] = s->pages - 1;
		s->leaf_used += bytes;
		return commit(w, 2, page, n);
	}
	/*
	 * The root of the table: at first the only leaf, then above two leaves.
	 */
	page[n++] = 1;
	if (s->pages == 2)
		page[n++] = s->pages++;
	page[n++] = s->pages++;
	s->leaf_used = bytes;
	return commit(w, 2, page, n);
}

/* The first page and the table's. */
static bool pattern_create(struct worker *w)
{
	static const uint64_t page[] = { 0, 1 };
	struct sqlite *s = w->work;

	s->pages = 2;
	return commit(w, 0, page, 2);
}

static void pattern_close(struct worker *w)
{
	struct sqlite *s = w->work;

	if (s->db >= 0)
		close(s->db);
	s->db = -1;
}

static bool pattern_open(struct worker *w)
{
	struct sqlite *s = w->work;
	char name[32];

	s->db = openat(w->region->fd, file_name(w, "", name, sizeof(name)),
		       O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	return s->db >= 0 || failed(w, JOB_CREATE, -1, "", 0);
}

/* --- the library --- */

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
	char name[32], held[ROOT_FD_PATH], folder[PATH_MAX], *path;
	bool good;
	/*
	 * The library takes a path and follows no link in it: give it the real
	 * path of the open directory.
	 */
	ssize_t n = readlink(root_fd_path(held, w->region->fd), folder,
			     sizeof(folder) - 1);

	folder[n > 0 ? n : 0] = '\0';
	path = xasprintf("%s/%s", n > 0 ? folder : w->region->target->own,
			 file_name(w, "", name, sizeof(name)));
	good = sqlite3_open_v2(path, &s->handle,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				       SQLITE_OPEN_NOFOLLOW,
			       NULL) == SQLITE_OK ||
	       lib_failed(w, "open a database");
	free(path);
	return good;
}

#endif

/* --- the run --- */

static const struct sqlite_way {
	bool (*open)(struct worker *w);
	bool (*create)(struct worker *w);
	bool (*insert)(struct worker *w);
	void (*close)(struct worker *w);
} ways[] = {
#ifdef HAVE_SQLITE
	{ lib_open, lib_create, lib_insert, lib_close },
#else
	{ pattern_open, pattern_create, pattern_insert, pattern_close },
#endif
	{ pattern_open, pattern_create, pattern_insert, pattern_close },
};

static const struct sqlite_way *way_of(const struct job *job)
{
	return &ways[job->sqlite_pattern];
}

static bool insert(struct worker *w)
{
	struct sqlite *s = w->work;
	uint64_t begin_ns = stopwatch_ns(&w->watch);

	if (!way_of(w->job)->insert(w))
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

static void run(struct worker *w)
{
	const struct sqlite_way *e = way_of(w->job);
	struct sqlite *s = w->work;
	bool good;

	kind_files_begin(w);
	/* The table is made within the time, unless there is a ramp. */
	if (kind_files_is_run(w))
		s->begin_ns = w->now_ns;
	good = e->open(w) && e->create(w);
	e->close(w);
	while (good && w->left_ios) {
		good = e->open(w);
		for (uint64_t i = 0;
		     good && w->left_ios && i < w->job->number_ios; i++)
			good = insert(w);
		e->close(w);
	}
	kind_files_end(w);
	s->end_ns = w->now_ns;
	if (s->counted)
		kind_files_tell(w, "elapsed_ns",
				(double)(s->end_ns - s->begin_ns), -1);
}

static void unprepare(struct worker *w)
{
	struct sqlite *s = w->work;

	free(s->page);
	s->page = NULL;
}

static void describe(const struct clones *c, char *buf, size_t size)
{
	snprintf(buf, size, "sqlite insertions, %s",
		 c->job->sqlite_pattern ? "calls without the library"
					: "libsqlite3");
}

static char *summary(const struct clones *c)
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
		return NULL;
	return xasprintf("Timed SQLite insertions: %llu in %.3f seconds, %.3f "
			 "ms each\n",
			 (unsigned long long)rows,
			 (double)(end_ns - begin_ns) / 1e9,
			 (double)(end_ns - begin_ns) / 1e6 * c->n /
				 (double)rows);
}

static const char *const options[] = { "sqlite_engine", NULL };

static const char *const of_io[] = { "directory", "randrepeat", "randseed",
				     NULL };

const struct work_kind kind_sqlite = {
	.name = "sqlite",
	.help = "inserts rows into an SQLite database, one transaction each",
	.options = options,
	.of_io = of_io,
	.ops = 1u << JOB_INSERT | 1u << JOB_WRITE | 1u << JOB_SYNC |
	       1u << JOB_UNLINK,
	.limit_ops = 1u << JOB_INSERT,
	KIND_FILES_CALLS,
	.summary = summary,
};
