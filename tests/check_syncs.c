/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of fsync and its kin: when they come, and how they are counted. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#include "workload_help.h"

/* Every kind has its own count; all are syncs in the figures. */
START_TEST(syncs_follow_writes)
{
	struct outcome o;
	struct job job;

	null_job(&job, "sync");
	set_option(&job, "rw", "write");
	set_option(&job, "io_size", "400k"); /* 100 writes */
	job.fsync_every = 10;
	job.fdatasync_every = 4; /* 25, of which 5 fall on an fsync */
	job.range_every = 50;
	job.write_barrier = 20;
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->op[JOB_WRITE].ios, 100);
	ck_assert_uint_eq(o.row->op[JOB_SYNC].ios, 10 + 20 + 2 + 5);
	free_outcome(&o);
	set_option(&job, "iodepth", "8");
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->op[JOB_WRITE].ios, 100);
	ck_assert_uint_eq(o.row->op[JOB_SYNC].ios, 10 + 20 + 2 + 5);
	free_outcome(&o);
	/* With a rate the syncs do not arrive, they follow. */
	all_dirs(job.rate_iops, 2000);
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->op[JOB_SYNC].ios, 10 + 20 + 2 + 5);
	ck_assert_uint_eq(histogram_count(o.row->op[JOB_WRITE].response.hist),
			  100);
	ck_assert_ptr_null(o.row->op[JOB_SYNC].response.hist);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* Real files: ranges, the open flag, the end. */
START_TEST(syncs_of_files)
{
	struct outcome o;
	struct job job;
	char *dir = make_dir(), files[256];

	job_init(&job);
	set_option(&job, "name", "files");
	snprintf(files, sizeof(files), "%s/a:%s/b", dir, dir);
	set_option(&job, "filename", files);
	set_option(&job, "rw", "randwrite");
	set_option(&job, "size", "800k");
	job.sync_open = SYNC_OPEN_DSYNC;
	job.range_every = 10;
	job.range_flags = 7;
	job.fsync_on_close = true;
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->op[JOB_WRITE].ios, 200);
	ck_assert_uint_eq(o.row->op[JOB_SYNC].ios, 20 + 2);
	free_outcome(&o);
	job_free(&job);
	remove_dir(dir);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("syncs");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, syncs_follow_writes);
	tcase_add_test(t, syncs_of_files);
	suite_add_tcase(suite, t);
}
