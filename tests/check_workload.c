/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/workload: every engine, jobs on files. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "workload/engine/engine.h"
#include "workload/target/target.h"

#include "workload_help.h"

static char *dir;

static void setup(void)
{
	dir = make_dir();
}

static void teardown(void)
{
	remove_dir(dir);
}

static void init_job(struct job *job, const char *name)
{
	job_init(job);
	set_option(job, "name", name);
	set_option(job, "directory", dir);
}

/* Totals are exact, and histograms hold every I/O, for each engine. */
START_TEST(job_counts)
{
	const struct engine *e = engines[_i];
	struct outcome o;
	struct job job;

	if (!engine_usable(e))
		return;
	init_job(&job, "count");
	set_option(&job, "ioengine", e->name);
	set_option(&job, "rw", "randrw");
	set_option(&job, "rwmixread", "70");
	set_option(&job, "size", "4097000"); /* the tail is dropped */
	set_option(&job, "bs", "1k");
	set_option(&job, "iodepth", "8");
	set_option(&job, "numjobs", "2");
	set_option(&job, "fsync", "100");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios + o.row->op[JOB_WRITE].ios,
			  2 * 4000);
	ck_assert_uint_eq(o.row->op[JOB_READ].bytes,
			  o.row->op[JOB_READ].ios * 1024);
	ck_assert_double_gt((double)o.row->op[JOB_READ].ios, 8000 * 0.67);
	ck_assert_double_lt((double)o.row->op[JOB_READ].ios, 8000 * 0.73);
	for (int op = 0; op < JOB_OPS; op++)
		if (o.row->op[op].ios ||
		    (op != JOB_TRIM && op <= JOB_SYNC))
			ck_assert_uint_eq(
				histogram_count(o.row->op[op].service.hist),
				o.row->op[op].ios);
	ck_assert_uint_ge(o.row->op[JOB_SYNC].ios,
			  o.row->op[JOB_WRITE].ios / 100 - 2);
	ck_assert_uint_le(o.row->op[JOB_SYNC].ios,
			  o.row->op[JOB_WRITE].ios / 100);
	ck_assert_uint_eq(o.row->errors, 0);
	ck_assert_uint_gt(o.row->cpu_ns, 0);
	ck_assert_uint_ge(o.row->op[JOB_READ].service.max_ns,
			  o.row->op[JOB_READ].service.min_ns);
	ck_assert_int_eq(o.row->phase, PHASE_DONE);
	ck_assert_double_eq(o.row->progress_pct, 100);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* Every block of a random write carries its own offset: one pass, no gap. */
START_TEST(job_writes_in_place)
{
	const struct engine *e = engines[_i];
	struct outcome o;
	struct job job;
	char path[300];
	uint64_t mark;
	int fd;

	if (e->null || !engine_usable(e))
		return;
	init_job(&job, "place");
	set_option(&job, "ioengine", e->name);
	set_option(&job, "rw", "randwrite");
	set_option(&job, "size", "4m");
	set_option(&job, "offset", "64k");
	set_option(&job, "iodepth", "4");
	/* mmap has no direct I/O. */
	set_option(&job, "direct", strcmp(e->name, "mmap") ? "1" : "0");
	run_jobs(&o, &job, 1, NULL);
	if (o.open_rc == -EINVAL && strstr(o.sentence, "direct I/O"))
		goto out; /* tmpfs */
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	snprintf(path, sizeof(path), "%s/place.0.0", dir);
	fd = open(path, O_RDONLY);
	for (off_t at = 0; at < 65536 + (4 << 20); at += 4096) {
		ck_assert_int_eq(pread(fd, &mark, sizeof(mark), at),
				 sizeof(mark));
		ck_assert_uint_eq(mark, at < 65536 ? 0 : (uint64_t)at);
	}
	close(fd);
	ck_assert_int_gt(getxattr(path, MARK_XATTR, NULL, 0), 0);
	free_outcome(&o);
out:
	job_free(&job);
}
END_TEST

START_TEST(job_syncs)
{
	struct outcome o;
	struct job job;

	init_job(&job, "sync");
	set_option(&job, "rw", "write");
	set_option(&job, "size", "400k");
	set_option(&job, "fdatasync", "10");
	set_option(&job, "end_fsync", "1");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, 0);
	ck_assert_int_eq(o.close_rc, 0);
	ck_assert_uint_eq(o.row->op[JOB_WRITE].ios, 100);
	ck_assert_uint_eq(o.row->op[JOB_SYNC].ios, 11);
	ck_assert_ptr_null(o.row->op[JOB_READ].service.hist);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

static void expect_refusal(struct job *job, int code, const char *words)
{
	struct outcome o;

	run_jobs(&o, job, 1, NULL);
	ck_assert_msg(o.open_rc == code, "%d: %s", o.open_rc, o.sentence);
	ck_assert_msg(strstr(o.sentence, words) != NULL, "%s", o.sentence);
}

/* A read job writes its file first, and finds real data in it. */
START_TEST(job_lays_out)
{
	struct outcome o;
	struct job job;
	char path[300];
	struct stat st;

	init_job(&job, "lay");
	set_option(&job, "size", "3m");
	set_option(&job, "io_size", "8k");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 2);
	free_outcome(&o);
	snprintf(path, sizeof(path), "%s/lay.0.0", dir);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 3 << 20);
	ck_assert_int_ge(st.st_blocks * 512, 3 << 20);
	/* A job that only reads does not extend a file that is there, ... */
	set_option(&job, "size", "5m");
	expect_refusal(&job, -EPERM, "--overwrite=");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 3 << 20);
	/* ... one that writes as well does. */
	set_option(&job, "rw", "randrw");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_ge(st.st_blocks * 512, 5 << 20);
	job_free(&job);
}
END_TEST

START_TEST(job_time_and_phases)
{
	struct sample s = { 0 };
	struct workload *w;
	struct root root;
	struct event e;
	char seen[200] = "";
	struct job job;
	uint64_t begin_ns, ns;

	init_job(&job, "time");
	set_option(&job, "ioengine", "null");
	set_option(&job, "size", "1m");
	set_option(&job, "time_based", NULL);
	set_option(&job, "ramp_time", "200ms");
	set_option(&job, "runtime", "400ms");
	set_option(&job, "startdelay", "100ms");
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_int_eq(workload_open(&w, &root, &job, 1, NULL), 0);
	begin_ns = clock_mono_ns();
	ck_assert_int_eq(workload_start(w), 0);
	while (!workload_done(w)) {
		struct job_raw *row;

		while (workload_event(w, &e))
			strcat(strcat(seen, event_phase_name(e.phase)), " ");
		sample_reset(&s);
		workload_sample(w, &s);
		row = sample_row(&s, SCHEMA_JOB, 0);
		if (row->op[JOB_READ].ios)
			ck_assert_uint_eq(
				histogram_count(row->op[JOB_READ].service.hist),
				row->op[JOB_READ].ios);
		usleep(5000);
	}
	ns = clock_mono_ns() - begin_ns;
	while (workload_event(w, &e))
		strcat(strcat(seen, event_phase_name(e.phase)), " ");
	ck_assert_str_eq(seen, "wait ramp run done ");
	ck_assert_uint_ge(ns, 695000000);
	ck_assert_uint_lt(ns, 20 * NS_PER_S);
	ck_assert_int_eq(workload_close(w, 60 * NS_PER_S), 0);
	sample_free(&s);
	root_close(&root);
	job_free(&job);
}
END_TEST

/* workload_done() says so only when the event "done" is there to be taken. */
START_TEST(done_is_an_event)
{
	struct root root;
	struct job job;

	null_job(&job, "short");
	set_option(&job, "size", "4k");
	ck_assert_int_eq(root_open(&root, NULL), 0);
	for (int i = 0; i < 50; i++) {
		struct workload *w;
		bool seen = false;
		struct event e;

		ck_assert_int_eq(workload_open(&w, &root, &job, 1, NULL), 0);
		ck_assert_int_eq(workload_start(w), 0);
		while (!workload_done(w))
			;
		while (workload_event(w, &e))
			seen |= e.kind == EVENT_PHASE &&
				e.phase == PHASE_DONE;
		ck_assert_msg(seen, "run %d ended without the event", i);
		ck_assert_int_eq(workload_close(w, 60 * NS_PER_S), 0);
	}
	root_close(&root);
	job_free(&job);
}
END_TEST

START_TEST(job_stops)
{
	const struct engine *e = engines[_i];
	struct workload *w;
	struct root root;
	struct job job;
	uint64_t begin_ns;

	if (!engine_usable(e))
		return;
	init_job(&job, "stop");
	set_option(&job, "ioengine", e->name);
	set_option(&job, "rw", "randrw");
	set_option(&job, "size", "1m");
	set_option(&job, "iodepth", "8");
	set_option(&job, "numjobs", "2");
	set_option(&job, "time_based", NULL);
	set_option(&job, "runtime", "1h");
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_int_eq(workload_open(&w, &root, &job, 1, NULL), 0);
	ck_assert_int_eq(workload_start(w), 0);
	ck_assert(test_within(60, workload_did(w, 100)));
	begin_ns = clock_mono_ns();
	workload_stop(w);
	/* Of an hour. */
	ck_assert_int_eq(workload_close(w, 60 * NS_PER_S), 0);
	ck_assert_uint_lt(clock_mono_ns() - begin_ns, 60 * NS_PER_S);
	root_close(&root);
	job_free(&job);
}
END_TEST

/* Two files, given by name, one with a colon in it: taken in turn. */
START_TEST(job_file_list)
{
	struct outcome o;
	struct job job;
	char path[300];
	struct stat st;

	init_job(&job, "list");
	set_option(&job, "filename", "a:b\\:c");
	set_option(&job, "rw", "write");
	set_option(&job, "size", "800k");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_WRITE].ios, 200);
	free_outcome(&o);
	snprintf(path, sizeof(path), "%s/b:c", dir);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 400 << 10);
	job_free(&job);
}
END_TEST

START_TEST(job_refusals)
{
	struct job job;
	char path[300];

	init_job(&job, "no");
	expect_refusal(&job, -EINVAL, "give its size");
	set_option(&job, "size", "1000t");
	set_option(&job, "rw", "write");
	expect_refusal(&job, -ENOSPC, "MiB are free");
	set_option(&job, "filename", dir);
	expect_refusal(&job, -EINVAL, "a directory");
	set_option(&job, "filename", "/dev/zero");
	expect_refusal(&job, -EINVAL, "a character device");
	set_option(&job, "ioengine", "nosuch");
	expect_refusal(&job, -EINVAL, "there is no I/O engine nosuch");
	set_option(&job, "rate", "1m");
	set_option(&job, "rate_iops", ",5");
	expect_refusal(&job, -EINVAL, "exclude each other");
	job_free(&job);
	init_job(&job, "foreign");
	snprintf(path, sizeof(path), "%s/foreign", dir);
	make_file(path, 8192, 'x');
	set_option(&job, "filename", "foreign");
	set_option(&job, "rw", "write");
	expect_refusal(&job, -EPERM, "--overwrite=");
	set_option(&job, "rw", "read");
	set_option(&job, "size", "1m");
	expect_refusal(&job, -EPERM, "--overwrite=");
	ck_assert(file_is_all(path, 'x'));
	job_free(&job);
}
END_TEST

START_TEST(file_overwrite)
{
	char path[300], link[300];
	char *names[] = { link };
	struct allow_list allowed = { .overwrite = names, .n_overwrite = 1 };
	struct outcome o;
	struct job job;

	snprintf(path, sizeof(path), "%s/foreign", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	make_file(path, 8192, 'x');
	ck_assert_int_eq(symlink(path, link), 0);
	init_job(&job, "over");
	set_option(&job, "filename", path);
	/* Reading needs no permission. */
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 2);
	ck_assert(file_is_all(path, 'x'));
	free_outcome(&o);
	set_option(&job, "rw", "write");
	run_jobs(&o, &job, 1, &allowed);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert(!file_is_all(path, 'x'));
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* The file shrinks under a running reader: a sentence, not a hang. */
START_TEST(job_end_of_file)
{
	struct workload *w;
	struct root root;
	struct job job;
	char path[300];
	int rc;

	init_job(&job, "shrink");
	snprintf(path, sizeof(path), "%s/shrink", dir);
	make_file(path, 1 << 20, 'x');
	set_option(&job, "filename", path);
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_int_eq(workload_open(&w, &root, &job, 1, NULL), 0);
	ck_assert_int_eq(truncate(path, (512 << 10) + 100), 0);
	ck_assert_int_eq(workload_start(w), 0);
	while (!workload_done(w))
		usleep(1000);
	rc = workload_close(w, 60 * NS_PER_S);
	ck_assert_int_eq(rc, -EIO);
	ck_assert_msg(strstr(fail_sentence(),
			     "read of 3996 bytes at offset 524388 of") != NULL,
		      "%s", fail_sentence());
	root_close(&root);
	job_free(&job);
}
END_TEST

/* A loop device as root, a nameless file otherwise: both can be loaded. */
START_TEST(scratch_serves)
{
	struct allow_list allowed = { .n_destroy = 1, .n_overwrite = 1 };
	struct scratch s;
	struct outcome o;
	struct job job;
	char *names[1];

	ck_assert_msg(scratch_make(&s, dir, 4 << 20) == 0, "%s",
		      fail_sentence());
	names[0] = s.path;
	allowed.destroy = allowed.overwrite = names;
	init_job(&job, "scratch");
	set_option(&job, "filename", s.path);
	set_option(&job, "rw", "randrw");
	run_jobs(&o, &job, 1, &allowed);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios + o.row->op[JOB_WRITE].ios,
			  1024);
	free_outcome(&o);
	scratch_remove(&s);
	job_free(&job);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *jobs = tcase_create("jobs");
	int n = (int)n_engines;

	tcase_add_checked_fixture(jobs, setup, teardown);
	tcase_add_loop_test(jobs, job_counts, 0, n);
	tcase_add_loop_test(jobs, job_writes_in_place, 0, n);
	tcase_add_loop_test(jobs, job_stops, 0, n);
	tcase_add_test(jobs, done_is_an_event);
	tcase_add_test(jobs, job_syncs);
	tcase_add_test(jobs, job_lays_out);
	tcase_add_test(jobs, job_time_and_phases);
	tcase_add_test(jobs, job_file_list);
	tcase_add_test(jobs, job_refusals);
	tcase_add_test(jobs, file_overwrite);
	tcase_add_test(jobs, job_end_of_file);
	tcase_add_test(jobs, scratch_serves);
	suite_add_tcase(suite, jobs);
}
