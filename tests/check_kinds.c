/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the kinds that work in a directory of their own: counts of
 * operations, what they leave, what they refuse.
 */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "workload/kind/dbench_load.h"
#include "workload/kind/kind.h"
#include "workload/target/guard.h"
#include "workload/target/target.h"

#include "workload_help.h"

static char *dir;

static void begin_job(struct job *job, const char *kind)
{
	job_init(job);
	set_option(job, "name", "k");
	set_option(job, "kind", kind);
	set_option(job, "directory", dir);
}

static void settle(struct job *job)
{
	const struct work_kind *kind;

	ck_assert_msg(kind_settle(job, &kind) == 0, "%s", fail_sentence());
}

/* How many names the test's directory holds. */
static unsigned left(void)
{
	DIR *d = opendir(dir);
	unsigned n = 0;

	ck_assert_ptr_nonnull(d);
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void run_kind(struct outcome *o, struct job *job)
{
	settle(job);
	run_well(o, job, 1);
	ck_assert_msg(o->close_rc == 0, "%s", o->sentence);
}

static void check_ops(const struct outcome *o, enum job_op op, uint64_t n)
{
	ck_assert_msg(o->row->op[op].ios == n, "operation %d: %llu, not %llu",
		      op, (unsigned long long)o->row->op[op].ios,
		      (unsigned long long)n);
}

/* --- fsmark --- */

static void fsmark_job(struct job *job, const char *files, const char *size)
{
	begin_job(job, "fsmark");
	set_option(job, "nrfiles", files);
	set_option(job, "filesize", size);
}

/* 20 files of 1 MiB: 20 creations, 1280 writes, 20 fsyncs, 20 unlinks. */
START_TEST(fsmark_golden)
{
	struct outcome o;
	struct job job;

	fsmark_job(&job, "20", "1m");
	set_option(&job, "thread", _i ? "1" : "0");
	run_kind(&o, &job);
	check_ops(&o, JOB_CREATE, 20);
	check_ops(&o, JOB_WRITE, 1280);
	check_ops(&o, JOB_SYNC, 20);
	check_ops(&o, JOB_CLOSE, 20);
	check_ops(&o, JOB_UNLINK, 20);
	check_ops(&o, JOB_SYNCALL, 0);
	ck_assert_uint_eq(o.row->op[JOB_WRITE].bytes, 20 << 20);
	ck_assert_uint_eq(left(), 0);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* Two clones of 5 files: syncs of each method. */
START_TEST(fsmark_methods)
{
	static const unsigned fsyncs[] = { 0, 10, 2, 10, 10, 10, 10 };
	static const unsigned syncs[] = { 0, 0, 2, 0, 2, 0, 2 };
	static const unsigned closes[] = { 10, 10, 12, 20, 20, 20, 20 };
	struct outcome o;
	struct job job;
	char method[4];

	snprintf(method, sizeof(method), "%d", _i);
	fsmark_job(&job, "5", "100");
	set_option(&job, "numjobs", "2");
	set_option(&job, "sync_method", method);
	run_kind(&o, &job);
	check_ops(&o, JOB_CREATE, 10);
	check_ops(&o, JOB_SYNC, fsyncs[_i]);
	check_ops(&o, JOB_SYNCALL, syncs[_i]);
	check_ops(&o, JOB_CLOSE, closes[_i]);
	check_ops(&o, JOB_UNLINK, 10);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* Names in the directory that the run made and kept; their sum of sizes. */
static unsigned kept(const char *sub)
{
	char command[600];
	unsigned n = 0;
	FILE *f;

	snprintf(command, sizeof(command),
		 "find '%s'/iodyno.fsmark.*%s -type f | wc -l", dir, sub);
	f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%u", &n), 1);
	pclose(f);
	return n;
}

/* Two files in each of three subdirectories, twice as many loops, all kept. */
START_TEST(fsmark_round_robin)
{
	struct outcome o;
	struct job job;

	fsmark_job(&job, "6", "1000");
	set_option(&job, "subdirs", "3");
	set_option(&job, "files_per_subdir", "2");
	set_option(&job, "keep_files", "1");
	set_option(&job, "loops", "2");
	run_kind(&o, &job);
	check_ops(&o, JOB_CREATE, 12);
	check_ops(&o, JOB_UNLINK, 0);
	free_outcome(&o);
	job_free(&job);
	ck_assert_uint_eq(left(), 1);
	ck_assert_uint_eq(kept("/00"), 4);
	ck_assert_uint_eq(kept("/01"), 4);
	ck_assert_uint_eq(kept("/02"), 4);
}
END_TEST

/* By time: all files of a short run are in one or two subdirectories. */
START_TEST(fsmark_time_hash)
{
	struct outcome o;
	struct job job;

	fsmark_job(&job, "8", "10");
	set_option(&job, "subdirs", "32");
	set_option(&job, "keep_files", "1");
	run_kind(&o, &job);
	free_outcome(&o);
	job_free(&job);
	ck_assert_uint_eq(kept("/*"), 8);
}
END_TEST

/* --- dbench --- */

/* A pass of dbench 4's client.txt; the synthetic one has a tenth of it. */
static const struct {
	enum dbench_type type;
	unsigned n;
} dbench_golden[] = {
	{ DBENCH_READX, 124199 },    { DBENCH_NTCREATEX, 79230 },
	{ DBENCH_QPATHINFO, 71814 }, { DBENCH_CLOSE, 58200 },
	{ DBENCH_WRITEX, 39502 },    { DBENCH_FIND, 27765 },
	{ DBENCH_UNLINK, 16000 },    { DBENCH_QFSINFO, 13168 },
	{ DBENCH_QFILEINFO, 12585 }, { DBENCH_SFILEINFO, 6454 },
	{ DBENCH_FLUSH, 5553 },      { DBENCH_RENAME, 3355 },
	{ DBENCH_LOCKX, 258 },       { DBENCH_UNLOCKX, 258 },
};

START_TEST(dbench_packaged)
{
	struct dbench_load *l;

	if (access("/usr/share/dbench/client.txt", R_OK))
		return;
	ck_assert_msg(dbench_load(&l, "d", NULL) == 0, "%s", fail_sentence());
	ck_assert_uint_eq(l->n_ops, 458344);
	for (size_t i = 0; i < ARRAY_SIZE(dbench_golden); i++)
		ck_assert_msg(l->count[dbench_golden[i].type] ==
				      dbench_golden[i].n,
			      "%s: %llu", dbench_syntax[dbench_golden[i].type].name,
			      (unsigned long long)
				      l->count[dbench_golden[i].type]);
	ck_assert_uint_eq((l->written_bytes + 500000) / 1000000, 1016);
	ck_assert_uint_eq((l->read_bytes + 500000) / 1000000, 1472);
	dbench_load_free(l);
}
END_TEST

static void check_tenth(const char *what, double is, double whole)
{
	ck_assert_msg(is > whole / 10 * 0.95 - 2 && is < whole / 10 * 1.05 + 2,
		      "%s: %.0f is no tenth of %.0f", what, is, whole);
}

START_TEST(dbench_synthetic)
{
	struct dbench_load *l;

	ck_assert_msg(dbench_load(&l, "d", "synthetic") == 0, "%s",
		      fail_sentence());
	for (size_t i = 0; i < ARRAY_SIZE(dbench_golden); i++)
		check_tenth(dbench_syntax[dbench_golden[i].type].name,
			    (double)l->count[dbench_golden[i].type],
			    dbench_golden[i].n);
	check_tenth("written", (double)l->written_bytes, 1016e6);
	check_tenth("read", (double)l->read_bytes, 1472e6);
	ck_assert_uint_ge(l->footprint_bytes, 20 << 20);
	ck_assert_uint_le(l->footprint_bytes, 200 << 20);
	dbench_load_free(l);
}
END_TEST

/* Two clients, each one pass of the synthetic loadfile; nothing is left. */
START_TEST(dbench_pass)
{
	struct dbench_load *l;
	struct outcome o;
	struct job job;

	ck_assert_int_eq(dbench_load(&l, "d", "synthetic"), 0);
	begin_job(&job, "dbench");
	set_option(&job, "loadfile", "synthetic");
	set_option(&job, "loops", "1");
	set_option(&job, "numjobs", "2");
	run_kind(&o, &job);
	check_ops(&o, JOB_SYNC, 2 * l->count[DBENCH_FLUSH]);
	check_ops(&o, JOB_READ, 2 * l->count[DBENCH_READX]);
	check_ops(&o, JOB_WRITE, 2 * l->count[DBENCH_WRITEX]);
	check_ops(&o, JOB_RENAME, 2 * l->count[DBENCH_RENAME]);
	check_ops(&o, JOB_CREATE, 2 * (l->count[DBENCH_NTCREATEX] + 1));
	ck_assert_uint_eq(o.row->op[JOB_READ].bytes, 2 * l->read_bytes);
	ck_assert_uint_eq(o.row->op[JOB_WRITE].bytes, 2 * l->written_bytes);
	ck_assert_uint_eq(o.row->errors, 0);
	ck_assert_uint_eq(left(), 0);
	free_outcome(&o);
	job_free(&job);
	dbench_load_free(l);
}
END_TEST

/* A loadfile that does not agree with what is there ends the job. */
START_TEST(dbench_surprise)
{
	static const char *const text[] = {
		"Unlink \"\\nothing\" 0x6 NT_STATUS_OK\n",
		("NTCreateX \"\\a\" 0x40 0x2 1 NT_STATUS_OK\n"
		 "ReadX 1 0 4096 4096 NT_STATUS_OK\n"),
		"NTCreateX \"\\a\" 0x40 0x2 1 NT_STATUS_SHARING_VIOLATION\n",
		"Close 7 NT_STATUS_OK\n",
	};
	struct outcome o;
	struct job job;
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/load", dir);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text[_i], f);
	fclose(f);
	begin_job(&job, "dbench");
	set_option(&job, "loadfile", path);
	set_option(&job, "loops", "1");
	settle(&job);
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, 0);
	ck_assert_int_ne(o.close_rc, 0);
	ck_assert_ptr_nonnull(strstr(o.sentence, "the loadfile says that the operation"));
	ck_assert_uint_eq(left(), 1);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* What is no loadfile, or would leave the directory. */
START_TEST(dbench_bad_files)
{
	static const char *const text[] = {
		"",
		"nonsense\n",
		"Unlink NT_STATUS_OK\n",
		"Unlink \"\\..\\passwd\" 0x6 NT_STATUS_OK\n",
		"Unlink \"a/../../b\" 0x6 NT_STATUS_OK\n",
		"Unlink \"\\\" 0x6 NT_STATUS_OK\n",
		"Close 65536 NT_STATUS_OK\n",
		"Close -1 NT_STATUS_OK\n",
		"Close 1\n",
		"WriteX 1 0 99999999 99999999 NT_STATUS_OK\n",
		"WriteX 1 99999999999999 1 1 NT_STATUS_OK\n",
		"ReadX 1 x 1 1 NT_STATUS_OK\n",
		"Rename \"a\" NT_STATUS_OK\n",
	};
	struct dbench_load *l;
	char copy[200];

	snprintf(copy, sizeof(copy), "%s", text[_i]);
	ck_assert_int_eq(dbench_load_text(&l, "d", "x", copy), -EINVAL);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "loadfile x"));
}
END_TEST

/* --- sqlite --- */

/* Through the library, or the sentence that it is not there. */
START_TEST(sqlite_library)
{
	struct outcome o;
	struct job job;

	begin_job(&job, "sqlite");
	set_option(&job, "number_ios", "20");
	set_option(&job, "numjobs", "2");
	settle(&job);
	run_jobs(&o, &job, 1, NULL);
	if (o.open_rc) {
		ck_assert_int_eq(o.open_rc, -ENOTSUP);
		ck_assert_ptr_nonnull(strstr(o.sentence, "libsqlite3-dev"));
	} else {
		ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
		check_ops(&o, JOB_INSERT, 120);
		free_outcome(&o);
	}
	ck_assert_uint_eq(left(), 0);
	job_free(&job);
}
END_TEST

/* --- all of them --- */

static const char *const own_directory[] = {
	"fsmark",
	"dbench",
#ifdef HAVE_SQLITE
	"sqlite",
#endif
};

/* --readonly, and a directory that is not there. */
START_TEST(refusals)
{
	struct allow_list readonly = { .readonly = true };
	struct outcome o;
	struct job job;

	begin_job(&job, own_directory[_i]);
	settle(&job);
	run_jobs(&o, &job, 1, &readonly);
	ck_assert_int_eq(o.open_rc, -EPERM);
	ck_assert_ptr_nonnull(strstr(o.sentence, "would make files in"));
	job_free(&job);
	ck_assert_uint_eq(left(), 0);
	begin_job(&job, own_directory[_i]);
	set_option(&job, "directory", "/nowhere/at/all");
	settle(&job);
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, -ENOENT);
	ck_assert_ptr_nonnull(strstr(o.sentence, "give --directory"));
	job_free(&job);
}
END_TEST

/* More than the file system has: nothing is made. */
START_TEST(no_space)
{
	struct outcome o;
	struct job job;

	fsmark_job(&job, "1000000", "1g");
	settle(&job);
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, -ENOSPC);
	ck_assert_uint_eq(left(), 0);
	job_free(&job);
}
END_TEST

/* Rows whose bytes are more than a number of 64 bits holds. */
START_TEST(no_space_for_rows)
{
	struct outcome o;
	struct job job;

	begin_job(&job, "sqlite");
	set_option(&job, "number_ios", "288230376151711744");
	set_option(&job, "loops", "1");
	set_option(&job, "runtime", "200ms");
	settle(&job);
	run_jobs(&o, &job, 1, NULL);
#ifdef HAVE_SQLITE
	ck_assert_int_eq(o.open_rc, -ENOSPC);
#else
	ck_assert_int_eq(o.open_rc, -ENOTSUP);
#endif
	job_free(&job);
}
END_TEST

/* A named pipe is no loadfile, and nobody waits for its writer. */
START_TEST(dbench_pipe)
{
	char *path = xasprintf("%s/pipe", dir);
	struct dbench_load *l;

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(dbench_load(&l, "d", path), -EFBIG);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "it is not a regular file"));
	ck_assert_int_eq(unlink(path), 0);
	free(path);
}
END_TEST

/* Only a new directory of this user is taken for the run's own. */
START_TEST(only_a_new_directory)
{
	char *path = xasprintf("%s/new", dir), *in = xasprintf("%s/x", path);
	int fd;

	ck_assert_int_eq(mkdir(path, 0700), 0);
	fd = directory_open_new(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(mkdir(in, 0700), 0);
	ck_assert_int_eq(directory_open_new(path), -1);
	ck_assert_int_eq(errno, ESTALE);
	ck_assert_int_eq(rmdir(in), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(path, 65534, 65534), 0);
		ck_assert_int_eq(directory_open_new(path), -1);
		ck_assert_int_eq(errno, ESTALE);
	}
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(symlink("/", path), 0);
	ck_assert_int_eq(directory_open_new(path), -1);
	ck_assert_int_eq(unlink(path), 0);
	free(in);
	free(path);
}
END_TEST

/* What is mounted in the run's directory stays; its other files go. */
START_TEST(mounted_below)
{
	struct target t = { .path = dir, .fd = -1 };
	struct job job = { .name = "k", .kind = "dbench" };
	char *mounted, *file;
	struct stat st;

	if (geteuid() || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return;
	t.job = &job;
	ck_assert_int_eq(directory_make(&t), 0);
	mounted = xasprintf("%s/mounted", t.own);
	file = xasprintf("%s/data", mounted);
	ck_assert_int_eq(mkdir(mounted, 0700), 0);
	ck_assert_int_eq(mount("x", mounted, "tmpfs", 0, NULL), 0);
	ck_assert_int_eq(mknod(file, S_IFREG | 0600, 0), 0);
	directory_remove(&t);
	ck_assert_int_eq(stat(file, &st), 0);
	ck_assert_int_eq(umount(mounted), 0);
	directory_remove(&t);
	ck_assert_int_eq(stat(t.own, &st), -1);
	close(t.fd);
	free(t.own);
	free(mounted);
	free(file);
}
END_TEST

/* A time ends it, the ramp is not counted, and nothing is left. */
START_TEST(runtime_and_ramp)
{
	struct outcome o;
	struct job job;

	begin_job(&job, own_directory[_i]);
	set_option(&job, "ramp_time", "200ms");
	set_option(&job, "runtime", "500ms");
	set_option(&job, "time_based", "1");
	run_kind(&o, &job);
	ck_assert(o.row->running);
	ck_assert_uint_gt(o.row->op[JOB_WRITE].ios +
				  o.row->op[JOB_INSERT].ios,
			  0);
	ck_assert_uint_ge(o.row->run_ns, 450000000);
	ck_assert_uint_le(o.row->run_ns, 5000000000);
	ck_assert_uint_eq(left(), 0);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

static void set_up(void)
{
	dir = make_dir();
}

static void tear_down(void)
{
	remove_dir(dir);
}

void test_suite(Suite *suite)
{
	const int n = (int)ARRAY_SIZE(own_directory);
	TCase *t = tcase_create("kinds");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, fsmark_golden, 0, 2);
	tcase_add_loop_test(t, fsmark_methods, 0, 7);
	tcase_add_test(t, fsmark_round_robin);
	tcase_add_test(t, fsmark_time_hash);
	tcase_add_test(t, dbench_packaged);
	tcase_add_test(t, dbench_synthetic);
	tcase_add_test(t, dbench_pass);
	tcase_add_loop_test(t, dbench_surprise, 0, 4);
	tcase_add_loop_test(t, dbench_bad_files, 0, 13);
	tcase_add_test(t, sqlite_library);
	tcase_add_loop_test(t, refusals, 0, n);
	tcase_add_test(t, no_space);
	tcase_add_test(t, no_space_for_rows);
	tcase_add_test(t, dbench_pipe);
	tcase_add_test(t, only_a_new_directory);
	tcase_add_test(t, mounted_below);
	tcase_add_loop_test(t, runtime_and_ramp, 0, n);
	suite_add_tcase(suite, t);
}
