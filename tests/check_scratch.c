/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the scratch device, or file where no loop device can be had: it is
 * there for a job and gone after it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
static bool is_attached(const char *device)
{
	char path[100];

	snprintf(path, sizeof(path), "/sys/block/%.32s/loop/backing_file",
		 device);
	return access(path, F_OK) == 0;
}

/* It passes the guard when it is named, and goes when its maker is killed. */
START_TEST(scratch_vanishes)
{
	struct scratch s;
	int pipe_fd[2];
	pid_t pid;

	ck_assert_int_eq(pipe(pipe_fd), 0);
	pid = fork();
	if (pid == 0) {
		if (scratch_make(&s, dir, 8 << 20) || !s.is_device)
			_exit(1);
		if (write(pipe_fd[1], &s, sizeof(s)) != sizeof(s))
			_exit(1);
		pause();
		_exit(0);
	}
	close(pipe_fd[1]);
	ck_assert_int_eq(read(pipe_fd[0], &s, sizeof(s)), sizeof(s));
	ck_assert(is_attached(s.device));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 100 && is_attached(s.device); i++)
		usleep(20000);
	ck_assert(!is_attached(s.device));
	ck_assert_int_eq(run_command("ls %s/*scratch*", dir) != 0, 1);
}
END_TEST

static void init_job(struct job *job, const char *target)
{
	job_init(job);
	set_option(job, "name", "dev");
	set_option(job, "filename", target);
	set_option(job, "rw", "randwrite");
	set_option(job, "bs", "64k");
	set_option(job, "io_size", "1m");
}

START_TEST(scratch_is_used)
{
	struct allow_list p = { .n_destroy = 1 };
	struct scratch s;
	struct outcome o;
	struct job job;
	char *names[1];

	ck_assert_msg(scratch_make(&s, dir, 8 << 20) == 0, "%s",
		      fail_sentence());
	names[0] = s.path;
	p.destroy = names;
	init_job(&job, s.path);
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, -EPERM);
	run_jobs(&o, &job, 1, &p);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	scratch_remove(&s);
	ck_assert_int_eq(scratch_make(&s, dir, 1ull << 50), -ENOSPC);
	job_free(&job);
}
END_TEST

/* A file needs no permit, has real data, and no name that could stay behind. */
START_TEST(scratch_file_is_used)
{
	struct scratch s;
	struct outcome o;
	struct job job;

	ck_assert_msg(scratch_make_file(&s, dir, 1 << 20, 8 << 20) == 0, "%s",
		      fail_sentence());
	ck_assert(!s.is_device);
	ck_assert(!file_is_all(s.path, 0));
	ck_assert_int_eq(run_command("test -z \"$(ls -A %s)\"", dir), 0);
	init_job(&job, s.path);
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	scratch_remove(&s);
	ck_assert_int_eq(scratch_make(&s, dir, 1ull << 50), -ENOSPC);
	job_free(&job);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("scratch");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, scratch_file_is_used);
	if (can_loop()) {
		tcase_add_test(tc, scratch_vanishes);
		tcase_add_test(tc, scratch_is_used);
	} else {
		test_in_part(NEEDS_LOOP);
	}
	suite_add_tcase(suite, tc);
}
