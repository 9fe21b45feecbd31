/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of what becomes of failed I/Os: by themselves, and of a loop device
 * that lost half of its file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"

#include "workload_help.h"

static struct job job;
static struct worker *w;
static struct barrier gate;
static atomic_bool stop;
static char device[] = "/dev/x";
static struct target target = { .path = device };
static struct region stream = { .target = &target };

static void begin(void)
{
	job_init(&job);
	set_option(&job, "name", "e");
	gate.event_fd = eventfd(0, EFD_NONBLOCK);
	atomic_store(&stop, false);
	w = xshared(sizeof(*w));
	w->job = &job;
	w->barrier = &gate;
	w->stop = &stop;
	w->count = &w->run;
}

static void end(void)
{
	worker_errors_close(w->tolerance);
	close(gate.event_fd);
	xshared_free(w, sizeof(*w));
	job_free(&job);
}

static void fail_one(uint8_t op, int code)
{
	const struct io io = { .op = op,
			       .bytes = 4096,
			       .offset = 8192,
			       .owner = &stream,
			       .result = -code };

	worker_errors_io(w, &io);
}

START_TEST(an_error_ends_the_job)
{
	char words[120];

	w->tolerance = worker_errors_open(&job);
	fail_one(JOB_READ, EIO);
	ck_assert(worker_stopped(w) && w->failed);
	/* The C library has its own words for an error. */
	snprintf(words, sizeof(words),
		 "job e: read of 4096 bytes at offset 8192 of /dev/x "
		 "failed: %s",
		 strerror(EIO));
	ck_assert_str_eq(w->words, words);
	ck_assert_uint_eq(w->run.errors, 1);
}
END_TEST

START_TEST(a_short_file_is_an_error)
{
	w->tolerance = worker_errors_open(&job);
	fail_one(JOB_READ, 0);
	ck_assert_ptr_nonnull(strstr(w->words, "the file ends there"));
	ck_assert_uint_eq(w->run.by_errno[EIO], 1);
}
END_TEST

START_TEST(continued_errors_fail_the_run_at_its_end)
{
	char words[80];

	set_option(&job, "continue_on_error", "read");
	w->tolerance = worker_errors_open(&job);
	for (int i = 0; i < 5; i++)
		fail_one(JOB_READ, i == 4 ? ENXIO : EIO);
	ck_assert(!worker_stopped(w) && !w->failed);
	ck_assert_uint_eq(w->run.errors, 5);
	ck_assert_uint_eq(w->run.by_errno[EIO], 4);
	ck_assert_uint_eq(w->run.by_errno[ENXIO], 1);
	worker_errors_finish(w);
	ck_assert(w->failed);
	snprintf(words, sizeof(words), "%s; 4 more", strerror(EIO));
	ck_assert_ptr_nonnull(strstr(w->words, words));
}
END_TEST

START_TEST(only_the_named_kind_continues)
{
	set_option(&job, "continue_on_error", "read");
	w->tolerance = worker_errors_open(&job);
	fail_one(JOB_WRITE, EIO);
	ck_assert(worker_stopped(w) && w->failed);
}
END_TEST

START_TEST(an_ignored_error_is_none)
{
	set_option(&job, "ignore_error", "EAGAIN,ENOSPC:5");
	w->tolerance = worker_errors_open(&job);
	fail_one(JOB_READ, EAGAIN);
	fail_one(JOB_WRITE, ENOSPC);
	fail_one(JOB_SYNC, EIO);
	ck_assert_uint_eq(w->run.errors, 0);
	worker_errors_finish(w);
	ck_assert(!w->failed && !worker_stopped(w));
	fail_one(JOB_READ, ENOSPC);
	ck_assert(w->failed);
}
END_TEST

/* The upper half of a device is gone: each read of it is counted. */
START_TEST(a_device_that_lost_its_end)
{
	char *dir = make_dir(), path[300], name[64];
	struct outcome o;

	snprintf(path, sizeof(path), "%s/image", dir);
	make_file(path, 1 << 20, 'x');
	if (geteuid() || !loop_attach(path, false, name, sizeof(name))) {
		remove_dir(dir);
		return;
	}
	ck_assert_int_eq(truncate(path, 512 << 10), 0);
	set_option(&job, "filename", name);
	set_option(&job, "rw", "read");
	set_option(&job, "direct", "1");
	set_option(&job, "continue_on_error", "io");
	run_jobs(&o, &job, 1, NULL);
	loop_detach(name);
	ck_assert_int_eq(o.open_rc, 0);
	ck_assert_int_ne(o.close_rc, 0);
	ck_assert_msg(strstr(o.sentence, "at offset 524288") &&
			      strstr(o.sentence, "127 more"),
		      "%s", o.sentence);
	ck_assert_uint_eq(o.row->errors, 128);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 128);
	free_outcome(&o);
	remove_dir(dir);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("errors");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, an_error_ends_the_job);
	tcase_add_test(t, a_short_file_is_an_error);
	tcase_add_test(t, continued_errors_fail_the_run_at_its_end);
	tcase_add_test(t, only_the_named_kind_continues);
	tcase_add_test(t, an_ignored_error_is_none);
	tcase_add_test(t, a_device_that_lost_its_end);
	suite_add_tcase(suite, t);
}
