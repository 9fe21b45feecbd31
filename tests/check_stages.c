/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/workload: who begins when, who ends whom, processes.
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
#include "workload/crew.h"

#include "workload_help.h"

#define JOBS 4

static struct job job[JOBS];
static struct workload *w;
static struct root root;

/* Jobs a, b, c, d of engine null, ten I/Os each. */
static void setup(void)
{
	for (int i = 0; i < JOBS; i++) {
		char name[2] = { (char)('a' + i), '\0' };

		job_init(&job[i]);
		set_option(&job[i], "name", name);
		set_option(&job[i], "ioengine", "null");
		set_option(&job[i], "size", "40k");
	}
	ck_assert_int_eq(root_open(&root, NULL), 0);
	w = NULL;
}

static void teardown(void)
{
	for (int i = 0; i < JOBS; i++)
		job_free(&job[i]);
	root_close(&root);
}

/* It has no end of its own. */
static void endless(struct job *j)
{
	j->time_based = true;
	j->runtime_ns = 600 * NS_PER_S;
	for (int i = 0; i < JOB_DIRS; i++)
		j->rate_iops[i] = 1000;
}

static void begin(size_t n)
{
	ck_assert_msg(workload_open(&w, &root, job, n, NULL) == 0, "%s",
		      fail_sentence());
	ck_assert_int_eq(workload_start(w), 0);
}

static bool all_done(void)
{
	return workload_done(w);
}

/* Serve the workload until what() holds, at most 20 s. */
static void until(bool (*what)(void))
{
	uint64_t end_ns = clock_mono_ns() + 20 * NS_PER_S;

	for (;;) {
		struct pollfd p = { .fd = workload_fd(w), .events = POLLIN };
		struct event e;

		while (workload_event(w, &e))
			;
		if (what())
			return;
		ck_assert(clock_mono_ns() < end_ns);
		poll(&p, 1, 10);
	}
}

static uint64_t began_ns(int i)
{
	return counter_get(&w->crew[i].worker[0]->run_start_ns);
}

static uint64_t ended_ns(int i)
{
	return counter_get(&w->crew[i].worker[0]->run_end_at_ns);
}

static bool d_runs(void)
{
	return began_ns(3) != 0;
}

static bool b_runs(void)
{
	return began_ns(1) != 0;
}

static void close_ok(void)
{
	ck_assert_msg(workload_close(w, 5 * NS_PER_S) == 0, "%s",
		      fail_sentence());
}

/* a and b together, then c, then d; c is in a new group. */
START_TEST(stonewall_waits)
{
	job[1].startdelay_ns = 50000000;
	job[2].stonewall = true;
	set_option(&job[3], "numjobs", "3");
	job[3].stonewall = true;
	begin(4);
	until(all_done);
	ck_assert(ended_ns(0) < began_ns(1));
	ck_assert(began_ns(2) >= ended_ns(1));
	ck_assert(began_ns(3) >= ended_ns(2));
	ck_assert_uint_eq(w->crew[1].group, 0);
	ck_assert_uint_eq(w->crew[2].group, 1);
	ck_assert_uint_eq(w->crew[3].group, 2);
	close_ok();
}
END_TEST

/* d waits for b alone, not for a. */
START_TEST(wait_for_waits)
{
	endless(&job[0]);
	job[1].startdelay_ns = 50000000;
	job[1].startdelay_max_ns = 100000000;
	job[3].wait_for = xstrdup("b");
	job[2].new_group = true;
	begin(4);
	until(d_runs);
	ck_assert(began_ns(3) >= ended_ns(1));
	/* The others may begin late on a busy machine, but not it early. */
	ck_assert_uint_ge(began_ns(1),
			  counter_get(&w->crew[1].worker[0]->start->at_ns) +
				  50000000);
	ck_assert_uint_eq(ended_ns(0), 0);
	ck_assert_uint_eq(w->crew[3].group, 1);
	ck_assert_int_eq(workload_stop_job(w, "a"), 0);
	until(all_done);
	close_ok();
	free(job[3].wait_for);
	job[3].wait_for = xstrdup("z");
	ck_assert_int_eq(workload_open(&w, &root, job, 4, NULL), -EINVAL);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "no earlier job"));
}
END_TEST

/* A job that is stopped lets go those that wait for it. */
START_TEST(stop_of_one_starts_another)
{
	endless(&job[0]);
	job[1].stonewall = true;
	endless(&job[1]);
	begin(2);
	ck_assert_uint_eq(began_ns(1), 0);
	ck_assert_int_eq(workload_stop_job(w, "a"), 0);
	until(b_runs);
	workload_stop(w);
	until(all_done);
	close_ok();
}
END_TEST

/* exitall: the end of one ends its group, its stage, or all. */
START_TEST(exitall_ends_others)
{
	static const struct {
		unsigned what;
		bool later; /* whether d, behind a stonewall, still runs */
	} cases[] = {
		{ EXIT_WHAT_GROUP, true },
		{ EXIT_WHAT_STONEWALL, true },
		{ EXIT_WHAT_ALL, false },
	};

	job[0].exitall = true;
	job[0].exit_what = cases[_i].what;
	endless(&job[1]);
	endless(&job[2]);
	job[3].stonewall = true;
	begin(4);
	until(all_done);
	ck_assert_int_eq(began_ns(3) != 0, cases[_i].later);
	close_ok();
}
END_TEST

/* loops: the whole once more. number_ios and the rest are not touched. */
START_TEST(loops_repeat)
{
	struct outcome o;

	job[0].loops = 3;
	run_jobs(&o, job, 1, NULL);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 30);
	free_outcome(&o);
}
END_TEST

/* One CPU each, and the niceness of threads alone. */
START_TEST(workers_are_placed)
{
	int before = getpriority(PRIO_PROCESS, 0);
	struct outcome o;

	job[0].cpus_allowed = xstrdup("0");
	job[0].nice = 15;
	job[0].ioprio_class = 3;
	run_jobs(&o, job, 1, NULL);
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	ck_assert_int_eq(getpriority(PRIO_PROCESS, 0), before);
	free(job[0].cpus_allowed);
	job[0].cpus_allowed = xstrdup("0-");
	run_jobs(&o, job, 1, NULL);
	ck_assert_int_eq(o.close_rc, -EIO);
	ck_assert_ptr_nonnull(strstr(o.sentence, "no list of CPUs"));
	free_outcome(&o);
	free(job[0].cpus_allowed);
	job[0].cpus_allowed = xstrdup("1023");
	run_jobs(&o, job, 1, NULL);
	ck_assert_int_eq(o.close_rc, -EIO);
	free_outcome(&o);
}
END_TEST

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
	pid = w->crew[0].worker[0]->pid;
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

	snprintf(path, sizeof(path), "%s/file", dir);
	ck_assert_int_eq(chdir(dir), 0);
	/* The state of an earlier run; it is not that of this one. */
	make_file("a-0-verify.state", 1, 0);
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
	kill(w->crew[0].worker[0]->pid, SIGKILL);
	until(all_done);
	ck_assert_int_eq(workload_close(w, 5 * NS_PER_S), -EIO);
	ck_assert_int_ne(access("a-0-verify.state", F_OK), 0);
	ck_assert_int_eq(chdir("/"), 0);
	remove_dir(dir);
}
END_TEST

/* Another writes what a job verifies, at the same time or later. */
START_TEST(unverified_writers)
{
	char *dir = make_dir(), path[300];

	snprintf(path, sizeof(path), "%s/file", dir);
	for (int i = 0; i < 2; i++) {
		set_option(&job[i], "ioengine", "psync");
		set_option(&job[i], "filename", path);
		set_option(&job[i], "rw", "write");
	}
	set_option(&job[0], "verify", "crc32c");
	job[1].stonewall = _i == 1;
	if (_i == 2)
		set_option(&job[1], "offset", "1m");
	ck_assert_msg(workload_open(&w, &root, job, 2, NULL) == 0, "%s",
		      fail_sentence());
	ck_assert_int_eq(atomic_load(&w->crew[0].worker[0]->noted), _i == 0);
	if (_i == 0)
		ck_assert_ptr_nonnull(
			strstr(w->crew[0].worker[0]->note, "job b writes"));
	ck_assert_int_eq(workload_start(w), 0);
	until(all_done);
	/* Whatever came of it. */
	(void)!workload_close(w, 5 * NS_PER_S);
	remove_dir(dir);
}
END_TEST

/* What is no loop of reads and writes counts as any other worker does. */
static void loop_of_another_kind(struct worker *k)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	uint64_t begin_ns;

	worker_begin(k);
	do {
		struct op_counters *op = &k->count->op[JOB_WRITE];

		begin_ns = k->now_ns;
		nanosleep(&pause, NULL);
		k->now_ns = stopwatch_ns(&k->watch);
		counter_add(&op->bytes, 3);
		latency_add(&op->service, k->now_ns - begin_ns, 1);
	} while (worker_tick(k));
	counter_set(&k->run_end_at_ns, k->now_ns);
}

START_TEST(another_kind_of_worker)
{
	struct engine kind[2];
	struct sample s = { 0 };
	const struct job_raw *row;

	set_option(&job[0], "rw", "write");
	set_option(&job[0], "ramp_time", "200ms");
	set_option(&job[0], "runtime", "400ms");
	set_option(&job[0], "time_based", "1");
	endless(&job[1]);
	ck_assert_int_eq(workload_open(&w, &root, job, 2, NULL), 0);
	for (int i = 0; i < 2; i++) {
		kind[i] = *w->crew[i].worker[0]->engine;
		kind[i].loop = loop_of_another_kind;
		w->crew[i].worker[0]->engine = &kind[i];
	}
	ck_assert_int_eq(workload_start(w), 0);
	while (!ended_ns(0))
		poll(NULL, 0, 1);
	ck_assert_int_eq(workload_stop_job(w, "b"), 0);
	until(all_done);
	workload_sample(w, &s);
	row = sample_row(&s, SCHEMA_JOB, 0);
	/* The ramp is not in it. */
	ck_assert_uint_gt(row->op[JOB_WRITE].ios, 0);
	ck_assert_uint_le(row->op[JOB_WRITE].ios, 400);
	ck_assert_uint_eq(row->op[JOB_WRITE].bytes, 3 * row->op[JOB_WRITE].ios);
	ck_assert_uint_ge(row->op[JOB_WRITE].service.min_ns, 900000);
	ck_assert_uint_ge(row->run_ns, 400000000);
	sample_free(&s);
	close_ok();
}
END_TEST

/* fio lets jobs share a name; events and settings tell them apart. */
START_TEST(namesakes)
{
	struct event e;

	endless(&job[0]);
	endless(&job[1]);
	set_option(&job[1], "name", "a");
	jobs_settle(job, 2);
	begin(2);
	while (!began_ns(0) || !began_ns(1))
		poll(NULL, 0, 1);
	ck_assert_int_eq(workload_control(w, "a#2", "rate_iops", "50", &e), 0);
	ck_assert_str_eq(e.job, "a#2");
	ck_assert_uint_eq(counter_get(&w->crew[0].shared->control.rate_iops[0]),
			  1000);
	ck_assert_uint_eq(counter_get(&w->crew[1].shared->control.rate_iops[0]),
			  50);
	ck_assert_int_eq(workload_stop_job(w, "a#2"), 0);
	ck_assert_int_eq(workload_stop_job(w, "a"), 0);
	until(all_done);
	close_ok();
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
	kill(w->crew[0].worker[0]->pid, SIGKILL);
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
	atomic_store(&w->gate->writing, (uintptr_t)w->crew[0].worker[0]);
	ck_assert_int_eq(workload_start(w), 0);
	kill(w->crew[0].worker[0]->pid, SIGKILL);
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
			pid[i] = w->crew[0].worker[i]->pid;
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

int main(void)
{
	Suite *s = suite_create("stages");
	TCase *t = tcase_create("stages");
	SRunner *runner;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, stonewall_waits);
	tcase_add_test(t, wait_for_waits);
	tcase_add_test(t, stop_of_one_starts_another);
	tcase_add_loop_test(t, exitall_ends_others, 0, 3);
	tcase_add_test(t, loops_repeat);
	tcase_add_test(t, workers_are_placed);
	tcase_add_test(t, processes_count_too);
	tcase_add_test(t, usage_is_of_the_run);
	tcase_add_test(t, process_cpu_is_seen);
	tcase_add_test(t, killed_child_is_told);
	tcase_add_test(t, another_kind_of_worker);
	tcase_add_loop_test(t, unverified_writers, 0, 3);
	tcase_add_test(t, namesakes);
	tcase_add_test(t, killed_verifier);
	tcase_add_test(t, killed_while_waiting);
	tcase_add_test(t, killed_while_laying_out);
	tcase_add_test(t, children_die_with_us);
	suite_add_tcase(s, t);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
