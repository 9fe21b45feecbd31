/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of kind=iozone and kind=stream: counts of calls, files, stonewall. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "workload/kind/kind.h"

#include "workload_help.h"

static char *dir;

static void begin_job(struct job *job, const char *kind, const char *name)
{
	job_init(job);
	set_option(job, "name", name);
	set_option(job, "kind", kind);
	set_option(job, "directory", dir);
}

static void settle(struct job *job, size_t n)
{
	const struct work_kind *kind;

	for (size_t i = 0; i < n; i++)
		ck_assert_msg(kind_settle(&job[i], &kind) == 0, "%s",
			      fail_sentence());
}

static uint64_t ios(struct outcome *o, size_t i, enum job_op op)
{
	const struct job_raw *row = sample_row(&o->sample, SCHEMA_JOB, i);

	return row->op[op].ios;
}

static off_t size_of(const char *name)
{
	char path[300];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return stat(path, &st) ? -1 : st.st_size;
}

/* -t 3 -s 2m -r 64k: 32 records per clone; some are not counted. */
START_TEST(iozone_four_phases)
{
	static const char *const phase[] = { "write", "rewrite", "read",
					     "reread" };
	struct job job[4];
	struct outcome o;

	for (int i = 0; i < 4; i++) {
		begin_job(&job[i], "iozone", phase[i]);
		set_option(&job[i], "phase", phase[i]);
		set_option(&job[i], "size", "2m");
		set_option(&job[i], "bs", "64k");
		set_option(&job[i], "numjobs", "3");
		set_option(&job[i], "stonewall", "1");
		set_option(&job[i], "thread", _i ? "1" : "0");
	}
	settle(job, 4);
	run_well(&o, job, 4);
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	for (size_t i = 0; i < 4; i++) {
		enum job_op op = i < 2 ? JOB_WRITE : JOB_READ;

		/* The first one through counts in full, none more. */
		ck_assert_uint_ge(ios(&o, i, op), 32);
		ck_assert_uint_le(ios(&o, i, op), 3 * 32);
	}
	/* Each writer syncs behind the timed part. */
	ck_assert_uint_eq(ios(&o, 0, JOB_SYNC), 3);
	/* What was not counted was written all the same. */
	ck_assert_int_eq(size_of("iozone.DUMMY.0"), 2 << 20);
	ck_assert_int_eq(size_of("iozone.DUMMY.2"), 2 << 20);
	free_outcome(&o);
	for (int i = 0; i < 4; i++)
		job_free(&job[i]);
}
END_TEST

/* Without a stonewall all is counted. */
START_TEST(iozone_whole)
{
	struct outcome o;
	struct job job;

	begin_job(&job, "iozone", "w");
	set_option(&job, "size", "2m");
	set_option(&job, "bs", "64k");
	set_option(&job, "numjobs", "3");
	set_option(&job, "no_stonewall", "1");
	set_option(&job, "include_flush", "1");
	settle(&job, 1);
	run_well(&o, &job, 1);
	ck_assert_uint_eq(ios(&o, 0, JOB_WRITE), 96);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* Each loop begins at the file's beginning again. */
START_TEST(iozone_loops)
{
	struct outcome o;
	struct job job;

	begin_job(&job, "iozone", "w");
	set_option(&job, "size", "2m");
	set_option(&job, "bs", "64k");
	set_option(&job, "loops", "3");
	settle(&job, 1);
	run_well(&o, &job, 1);
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(ios(&o, 0, JOB_WRITE), 96);
	ck_assert_int_eq(size_of("iozone.DUMMY.0"), 2 << 20);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* N calls each way, of 4 MiB unless bs says something else. */
START_TEST(stream_both_ways)
{
	struct outcome o;
	struct job job[2];

	begin_job(&job[0], "stream", "w");
	set_option(&job[0], "rw", "write");
	begin_job(&job[1], "stream", "r");
	set_option(&job[1], "rw", "read");
	for (int i = 0; i < 2; i++) {
		char path[300];

		snprintf(path, sizeof(path), "%s/file", dir);
		set_option(&job[i], "filename", path);
		set_option(&job[i], "number_ios", "5");
		set_option(&job[i], "stonewall", "1");
		set_option(&job[i], "invalidate", "1");
	}
	settle(job, 2);
	run_well(&o, job, 2);
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(ios(&o, 0, JOB_WRITE), 5);
	ck_assert_uint_eq(ios(&o, 0, JOB_SYNC), 1);
	ck_assert_uint_eq(ios(&o, 1, JOB_READ), 5);
	ck_assert_uint_eq(o.row->op[JOB_WRITE].bytes, 5 * (4 << 20));
	ck_assert_int_eq(size_of("file"), 5 * (4 << 20));
	free_outcome(&o);
	for (int i = 0; i < 2; i++)
		job_free(&job[i]);
}
END_TEST

/* What is not there cannot be read, and the sentence says what to do. */
START_TEST(nothing_to_read)
{
	struct outcome o;
	struct job job;

	begin_job(&job, _i ? "stream" : "iozone", "r");
	set_option(&job, _i ? "rw" : "phase", "read");
	set_option(&job, "size", "8m");
	settle(&job, 1);
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, 0);
	ck_assert_int_ne(o.close_rc, 0);
	ck_assert_ptr_nonnull(strstr(o.sentence, "before"));
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
	TCase *t = tcase_create("streams");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, iozone_four_phases, 0, 2);
	tcase_add_test(t, iozone_whole);
	tcase_add_test(t, iozone_loops);
	tcase_add_test(t, stream_both_ways);
	tcase_add_loop_test(t, nothing_to_read, 0, 2);
	suite_add_tcase(suite, t);
}
