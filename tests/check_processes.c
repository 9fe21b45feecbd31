/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/workload: workers that are processes, what they used and what
 * happens when they are killed.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/role.h"
#include "workload/thread/process.h"

#include "stages_rig.h"

/* The same figures as from threads; the kernel's count is of the child. */
START_TEST(processes_count_too)
{
	struct outcome o;
	uint64_t start_ns = clock_mono_ns();

	set_option(&job[0], "numjobs", "3");
	set_option(&job[0], "io_size", "4m");
	job[0].process = true;
	job[0].thinktime_ns = 200000000;
	job[0].thinktime_spin_ns = 20000000;
	job[0].thinktime_blocks = 1000;
	run_jobs(&o, job, 2, NULL);
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 3 * 1024);
	ck_assert_uint_ge(clock_mono_ns() - start_ns, 200000000);
	/* Of a second core that is busy there may be little. */
	ck_assert_uint_gt(o.row->cpu_ns, 1000000);
	ck_assert_uint_gt(o.row->usage.user_ns + o.row->usage.system_ns, 0);
	free_outcome(&o);
	/* None is left. */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

/* Clones that are threads: one process, whose end is the end of them all. */
START_TEST(threads_share_a_process)
{
	struct outcome o;
	const struct worker *k;
	char *dir = make_dir();

	set_option(&job[0], "numjobs", "3");
	set_option(&job[0], "thread", "1");
	set_option(&job[0], "ioengine", "psync");
	set_option(&job[0], "directory", dir);
	set_option(&job[0], "size", "4m");
	run_jobs(&o, job, 2, NULL);
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 3 * 1024);
	ck_assert_uint_gt(o.row->cpu_ns, 0);
	ck_assert_uint_gt(o.row->usage.user_ns + o.row->usage.system_ns, 0);
	free_outcome(&o);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);

	endless(&job[0]);
	begin(1);
	while (!began_ns(0))
		poll(NULL, 0, 1);
	k = w->clones[0].worker[0];
	ck_assert_int_ne(k->pid, getpid());
	for (unsigned i = 1; i < 3; i++) {
		const struct worker *other = w->clones[0].worker[i];

		ck_assert_int_eq(other->pid, k->pid);
		ck_assert_int_ne(other->tid, k->tid);
	}
	kill(k->pid, SIGKILL);
	until(all_done);
	ck_assert_int_eq(workload_close(w, 5 * NS_PER_S), -EIO);
	remove_dir(dir);
}
END_TEST

/* Neither the ramp nor what is read back to verify it is in it. */
START_TEST(usage_is_of_the_run)
{
	char dir[] = "/var/tmp/iodyno-stages-XXXXXX", path[64];
	struct outcome o;
	uint64_t used_ns;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/v", dir);
	set_option(&job[0], "ioengine", "psync");
	set_option(&job[0], "filename", path);
	set_option(&job[0], "rw", "write");
	set_option(&job[0], "size", "16m");
	set_option(&job[0], "io_size", "64k");
	set_option(&job[0], "verify", "crc32c");
	set_option(&job[0], "ramp_time", "300ms");
	run_jobs(&o, job, 1, NULL);
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	used_ns = o.row->usage.user_ns + o.row->usage.system_ns;
	/* The kernel counts a little after we look at the clock. */
	ck_assert_msg(used_ns < o.row->run_ns + 20000000,
		      "%llu ns of processor in %llu ns",
		      (unsigned long long)used_ns,
		      (unsigned long long)o.row->run_ns);
	ck_assert_uint_ge(o.row->cpu_ns, used_ns);
	free_outcome(&o);
	unlink(path);
	rmdir(dir);
}
END_TEST

/* Its CPU clock is read from here while it runs. */
START_TEST(process_cpu_is_seen)
{
	struct sample s = { 0 };
	const struct job_raw *row;

	endless(&job[1]);
	for (int i = 0; i < JOB_DIRS; i++)
		job[1].rate_iops[i] = 0;
	job[1].process = true;
	begin(2);
	until(b_runs);
	for (int i = 0; i < 1000; i++) {
		sample_reset(&s);
		workload_sample(w, &s);
		row = sample_row(&s, SCHEMA_JOB, 1);
		if (row->cpu_ns > 20000000 && row->op[JOB_READ].ios)
			break;
		poll(NULL, 0, 10);
	}
	ck_assert_uint_gt(row->cpu_ns, 20000000);
	sample_free(&s);
	close_ok();
}
END_TEST

/* Killed, it is a failed job with a sentence; the others go on. */
START_TEST(killed_child_is_told)
{
	char words[64];
	int pid;

	endless(&job[0]);
	job[0].process = true;
	set_option(&job[0], "numjobs", "2");
	job[1].stonewall = true;
	begin(2);
	while (!began_ns(0))
		poll(NULL, 0, 1);
	pid = w->clones[0].worker[0]->pid;
	kill(pid, SIGKILL);
	until(all_done);
	ck_assert_uint_ne(began_ns(1), 0);
	ck_assert_int_eq(workload_close(w, 5 * NS_PER_S), -EIO);
	snprintf(words, sizeof(words), "process %d was killed by signal 9",
		 pid);
	ck_assert_msg(strstr(fail_sentence(), words) != NULL, "%s",
		      fail_sentence());
}
END_TEST

/*
 * Killed while it verifies: what it claimed would never be free again, and the
 * other job of the same file must not wait for that.
 */
START_TEST(killed_verifier)
{
	char *dir = make_dir(), path[300];
	struct sample s = { 0 };
	const struct job_raw *row;

	snprintf(path, sizeof(path), "%s/file", dir);
	ck_assert_int_eq(chdir(dir), 0);
	for (int i = 0; i < 2; i++) {
		set_option(&job[i], "ioengine", "psync");
		set_option(&job[i], "filename", path);
		set_option(&job[i], "rw", "randwrite");
		set_option(&job[i], "verify", "crc32c");
		set_option(&job[i], "process", "1");
		set_option(&job[i], "verify_state_save", i ? "0" : "1");
		job[i].time_based = true;
		job[i].runtime_ns = 600 * NS_PER_S;
	}
	begin(2);
	while (!began_ns(0) || !began_ns(1))
		poll(NULL, 0, 1);
	kill(w->clones[0].worker[0]->pid, SIGKILL);
	until(all_done);
	ck_assert_int_eq(workload_close(w, 5 * NS_PER_S), -EIO);
	/* The state knows what was acknowledged until then. */
	set_option(&job[0], "verify_state_save", "0");
	set_option(&job[0], "verify_state_load", "1");
	set_option(&job[0], "verify_only", "1");
	set_option(&job[0], "process", "0");
	job[0].time_based = false;
	job[0].runtime_ns = 0;
	begin(1);
	until(all_done);
	sample_reset(&s);
	workload_sample(w, &s);
	row = sample_row(&s, SCHEMA_JOB, 0);
	ck_assert_uint_gt(row->op[JOB_VERIFY].bytes, 0);
	sample_free(&s);
	close_ok();
	ck_assert_int_eq(chdir("/"), 0);
	remove_dir(dir);
}
END_TEST

/* Killed before anyone began: those who wait with it do not hang. */
START_TEST(killed_while_waiting)
{
	endless(&job[0]);
	job[0].process = true;
	endless(&job[1]);
	job[1].startdelay_ns = job[0].startdelay_ns = 100 * NS_PER_S;
	begin(2);
	kill(w->clones[0].worker[0]->pid, SIGKILL);
	ck_assert_int_eq(workload_stop_job(w, "b"), 0);
	until(all_done);
	ck_assert_int_eq(workload_close(w, 5 * NS_PER_S), -EIO);
}
END_TEST

/* Killed while it writes a file: the turn to write is the next one's. */
START_TEST(killed_while_laying_out)
{
	char *dir = make_dir();

	for (int i = 0; i < 2; i++) {
		set_option(&job[i], "ioengine", "psync");
		set_option(&job[i], "directory", dir);
	}
	job[0].process = true;
	ck_assert_int_eq(workload_open(&w, &root, job, 2, NULL), 0);
	/* It never gets further, as on a device that is stuck. */
	atomic_store(&w->barrier->writing, (uintptr_t)w->clones[0].worker[0]);
	ck_assert_int_eq(workload_start(w), 0);
	kill(w->clones[0].worker[0]->pid, SIGKILL);
	until(all_done);
	ck_assert_uint_ne(began_ns(1), 0);
	ck_assert_int_eq(workload_close(w, 5 * NS_PER_S), -EIO);
	remove_dir(dir);
}
END_TEST

/* The parent is killed: no child survives it. */
START_TEST(children_die_with_us)
{
	int pipes[2], status, pid[2];
	uint64_t end_ns = clock_mono_ns() + 20 * NS_PER_S;
	pid_t parent;

	ck_assert_int_eq(pipe(pipes), 0);
	parent = fork();
	if (parent == 0) {
		endless(&job[0]);
		job[0].process = true;
		set_option(&job[0], "numjobs", "2");
		begin(1);
		while (!began_ns(0))
			poll(NULL, 0, 1);
		for (int i = 0; i < 2; i++)
			pid[i] = w->clones[0].worker[i]->pid;
		if (write(pipes[1], pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		pause();
	}
	ck_assert_int_eq(read(pipes[0], pid, sizeof(pid)), sizeof(pid));
	kill(parent, SIGKILL);
	waitpid(parent, &status, 0);
	/* Nobody may reap them but init: a zombie is dead as well. */
	for (int i = 0; i < 2; i++) {
		char path[64], line[512];

		snprintf(path, sizeof(path), "/proc/%d/stat", pid[i]);
		for (;;) {
			FILE *f = fopen(path, "r");
			bool alive = f && fgets(line, sizeof(line), f) &&
				     !strstr(line, ") Z ");

			if (f)
				fclose(f);
			if (!alive)
				break;
			ck_assert(clock_mono_ns() < end_ns);
			poll(NULL, 0, 10);
		}
	}
	close(pipes[0]);
	close(pipes[1]);
}
END_TEST

static void nap(int socket, void *arg)
{
	for (int i = 0; i < *(int *)arg; i++)
		poll(NULL, 0, 100);
}

/* A helper that works is waited for, beyond the time after which others hang. */
START_TEST(helper_with_much_to_do)
{
	int naps = (int)(ROLE_HANG_NS / 100000000) + 10;
	const struct role_start start = { .role = ROLE_CLEANER,
					  .serve = nap,
					  .arg = &naps };
	pid_t pid;

	if (access("/proc/self/schedstat", R_OK))
		return;
	pid = role_start(&start, NULL);
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(role_wait(pid), 0);
	pid = role_start(&start, NULL);
	ck_assert_int_gt(pid, 0);
	kill(pid, SIGSTOP);
	ck_assert_int_eq(role_wait(pid), -ETIMEDOUT);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("processes");

	tcase_set_timeout(t, 300);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, processes_count_too);
	tcase_add_test(t, threads_share_a_process);
	tcase_add_test(t, usage_is_of_the_run);
	tcase_add_test(t, process_cpu_is_seen);
	tcase_add_test(t, killed_child_is_told);
	tcase_add_test(t, killed_verifier);
	tcase_add_test(t, killed_while_waiting);
	tcase_add_test(t, killed_while_laying_out);
	tcase_add_test(t, children_die_with_us);
	tcase_add_test(t, helper_with_much_to_do);
	suite_add_tcase(suite, t);
}
