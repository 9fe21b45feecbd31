/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/workload: every engine, jobs on files.
 */
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
#include "workload/engine.h"
#include "workload/scratch.h"
#include "workload/target.h"

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

static int open_engine(const struct engine *e, void **state, unsigned depth)
{
	static struct job job;
	const struct engine_setup setup = { .depth = depth, .job = &job };

	job_init(&job);
	return e->open(state, &setup);
}

/* Submit ios one and all, reap them all. */
static void do_ios(const struct engine *e, struct io *ios, unsigned n)
{
	unsigned depth = e->max_depth ? e->max_depth : n, sent = 0, got = 0;
	struct io *list[64], *done[64];
	void *state;

	ck_assert_int_eq(open_engine(e, &state, depth), 0);
	while (got < n) {
		unsigned want = n - sent < depth ? n - sent : depth, k = 0;
		int r;

		for (unsigned i = 0; i < want; i++)
			list[i] = &ios[sent + i];
		if (want)
			k = e->submit(state, list, want);
		sent += k;
		r = e->reap(state, done, 1, sent - got, ENGINE_WAIT);
		ck_assert_int_ge(r, 1);
		got += (unsigned)r;
	}
	e->close(state);
}

/* Whether this machine lets the engine be used (io_uring may be off). */
static bool usable(const struct engine *e)
{
	void *state;

	if (open_engine(e, &state, 1))
		return false;
	e->close(state);
	return true;
}

#define BLOCK 4096
#define N_IOS 32

/* Right bytes at right offsets, short read at the end, errors, syncs. */
START_TEST(engine_conforms)
{
	const struct engine *e = engines[_i];
	char path[256], *buf;
	struct io ios[N_IOS + 3] = { 0 };
	int fd;

	ck_assert(*e->name && *e->help);
	if (e->null || !usable(e))
		return;
	snprintf(path, sizeof(path), "%s/conform", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(posix_memalign((void **)&buf, BLOCK, N_IOS * BLOCK),
			 0);
	for (unsigned i = 0; i < N_IOS; i++) {
		memset(buf + i * BLOCK, (int)i + 1, BLOCK);
		ios[i] = (struct io){ .offset = (N_IOS - 1 - i) * BLOCK,
				      .buf = buf + i * BLOCK,
				      .bytes = BLOCK,
				      .fd = fd,
				      .slot = i,
				      .op = JOB_WRITE };
	}
	do_ios(e, ios, N_IOS);
	for (unsigned i = 0; i < N_IOS; i++) {
		char block[BLOCK];

		ck_assert_int_eq(ios[i].result, BLOCK);
		ck_assert_int_eq(pread(fd, block, BLOCK, i * BLOCK), BLOCK);
		ck_assert_int_eq(block[0], (int)(N_IOS - i));
		ck_assert_int_eq(block[BLOCK - 1], (int)(N_IOS - i));
		ios[i].op = JOB_READ;
		ios[i].offset = i * BLOCK;
	}
	memset(buf, 0, N_IOS * BLOCK);
	ck_assert_int_eq(ftruncate(fd, N_IOS * BLOCK - 100), 0);
	do_ios(e, ios, N_IOS);
	for (unsigned i = 0; i < N_IOS; i++) {
		ck_assert_int_eq(ios[i].result,
				 i == N_IOS - 1 ? BLOCK - 100 : BLOCK);
		ck_assert_int_eq(buf[i * BLOCK + 5], (int)(N_IOS - i));
	}
	ios[0].offset = N_IOS * BLOCK; /* beyond the end */
	ios[1].fd = 9999;              /* a bad descriptor */
	ios[2].op = ios[3].op = JOB_SYNC;
	ios[2].bytes = ios[3].bytes = 0;
	ios[3].sync = SYNC_DATA;
	do_ios(e, ios, 5);
	ck_assert_int_eq(ios[0].result, 0);
	ck_assert_int_eq(ios[1].result, -EBADF);
	ck_assert_int_eq(ios[2].result, 0);
	ck_assert_int_eq(ios[3].result, 0);
	ck_assert_int_eq(ios[4].result, BLOCK);
	free(buf);
	close(fd);
}
END_TEST

/* Asynchronous engines keep the depth that they are asked for. */
START_TEST(engine_takes_depth)
{
	const struct engine *e = engines[_i];
	struct io ios[8] = { 0 }, *list[8], *done[8];
	char buf[8] = "", path[256];
	unsigned n = e->max_depth ? e->max_depth : 8;
	void *state;
	int fd;

	if (!usable(e))
		return;
	snprintf(path, sizeof(path), "%s/depth", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	for (unsigned i = 0; i < 8; i++) {
		ios[i] = (struct io){ .buf = buf + i,
				      .bytes = 1,
				      .fd = fd,
				      .slot = i,
				      .offset = i,
				      .op = JOB_WRITE };
		list[i] = &ios[i];
	}
	ck_assert_int_eq(open_engine(e, &state, n), 0);
	ck_assert_uint_eq(e->submit(state, list, n), n);
	ck_assert_int_eq(e->reap(state, done, n, n, ENGINE_WAIT), (int)n);
	e->close(state);
	close(fd);
}
END_TEST

START_TEST(engine_names)
{
	const struct engine *e;

	ck_assert_int_eq(engine_find("pvsync2", &e), 0);
	ck_assert_str_eq(e->name, "psync");
	ck_assert_int_eq(engine_find("sync", &e), 0);
	ck_assert_int_eq(engine_find("libai", &e), -EINVAL);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "did you mean libaio"));
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "psync, libaio"));
	ck_assert_int_eq(engine_find("", &e), -EINVAL);
	ck_assert_ptr_null(engine_name(n_engines));
	for (size_t i = 0; i < n_engines; i++)
		ck_assert_str_eq(engine_name(i), engines[i]->name);
}
END_TEST

/* Totals are exact, and histograms hold every I/O, for each engine. */
START_TEST(job_counts)
{
	const struct engine *e = engines[_i];
	struct outcome o;
	struct job job;

	if (!usable(e))
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
		if (o.row->op[op].ios || op != JOB_TRIM)
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
	ck_assert_str_eq(o.row->phase, "done");
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

	if (e->null || !usable(e))
		return;
	init_job(&job, "place");
	set_option(&job, "ioengine", e->name);
	set_option(&job, "rw", "randwrite");
	set_option(&job, "size", "4m");
	set_option(&job, "offset", "64k");
	set_option(&job, "iodepth", "4");
	set_option(&job, "direct", "1");
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
	ck_assert_int_gt(getxattr(path, TARGET_XATTR, NULL, 0), 0);
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
	/* A larger size later extends what is ours. */
	set_option(&job, "size", "5m");
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
			strcat(strcat(seen, e.text), " ");
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
		strcat(strcat(seen, e.text), " ");
	ck_assert_str_eq(seen, "wait ramp run done ");
	ck_assert_uint_ge(ns, 695000000);
	ck_assert_uint_lt(ns, 1500000000);
	ck_assert_int_eq(workload_close(w, NS_PER_S), 0);
	sample_free(&s);
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

	if (!usable(e))
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
	usleep(300000);
	begin_ns = clock_mono_ns();
	workload_stop(w);
	ck_assert_int_eq(workload_close(w, 2 * NS_PER_S), 0);
	ck_assert_uint_lt(clock_mono_ns() - begin_ns, 2 * NS_PER_S);
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

static void expect_refusal(struct job *job, int code, const char *words)
{
	struct outcome o;

	run_jobs(&o, job, 1, NULL);
	ck_assert_msg(o.open_rc == code, "%d: %s", o.open_rc, o.sentence);
	ck_assert_msg(strstr(o.sentence, words) != NULL, "%s", o.sentence);
}

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
	struct permit permit = { .overwrite = names, .n_overwrite = 1 };
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
	run_jobs(&o, &job, 1, &permit);
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
	rc = workload_close(w, NS_PER_S);
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
	struct permit permit = { .n_destroy = 1, .n_overwrite = 1 };
	struct scratch s;
	struct outcome o;
	struct job job;
	char *names[1];

	ck_assert_msg(scratch_make(&s, dir, 4 << 20) == 0, "%s",
		      fail_sentence());
	names[0] = s.path;
	permit.destroy = permit.overwrite = names;
	init_job(&job, "scratch");
	set_option(&job, "filename", s.path);
	set_option(&job, "rw", "randrw");
	run_jobs(&o, &job, 1, &permit);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios + o.row->op[JOB_WRITE].ios,
			  1024);
	free_outcome(&o);
	scratch_remove(&s);
	job_free(&job);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("workload");
	TCase *jobs = tcase_create("jobs");
	SRunner *runner = srunner_create(suite);
	int failed, n = (int)n_engines;

	tcase_add_test(jobs, engine_names);
	tcase_add_checked_fixture(jobs, setup, teardown);
	tcase_set_timeout(jobs, 60);
	tcase_add_loop_test(jobs, engine_conforms, 0, n);
	tcase_add_loop_test(jobs, engine_takes_depth, 0, n);
	tcase_add_loop_test(jobs, job_counts, 0, n);
	tcase_add_loop_test(jobs, job_writes_in_place, 0, n);
	tcase_add_loop_test(jobs, job_stops, 0, n);
	tcase_add_test(jobs, job_syncs);
	tcase_add_test(jobs, job_lays_out);
	tcase_add_test(jobs, job_time_and_phases);
	tcase_add_test(jobs, job_file_list);
	tcase_add_test(jobs, job_refusals);
	tcase_add_test(jobs, file_overwrite);
	tcase_add_test(jobs, job_end_of_file);
	tcase_add_test(jobs, scratch_serves);
	suite_add_tcase(suite, jobs);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
