/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/workload: who begins when, who ends whom. */
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

#include "stages_rig.h"

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
	ck_assert_uint_eq(w->clones[1].group, 0);
	ck_assert_uint_eq(w->clones[2].group, 1);
	ck_assert_uint_eq(w->clones[3].group, 2);
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
			  counter_get(&w->clones[1].worker[0]->start->at_ns) +
				  50000000);
	ck_assert_uint_eq(ended_ns(0), 0);
	ck_assert_uint_eq(w->clones[3].group, 1);
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
	ck_assert_ptr_nonnull(strstr(o.sentence, "is not a list of CPUs"));
	free_outcome(&o);
	free(job[0].cpus_allowed);
	job[0].cpus_allowed = xstrdup("1023");
	run_jobs(&o, job, 1, NULL);
	ck_assert_int_eq(o.close_rc, -EIO);
	free_outcome(&o);
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
	ck_assert_int_eq(atomic_load(&w->clones[0].worker[0]->noted), _i == 0);
	if (_i == 0)
		ck_assert_ptr_nonnull(
			strstr(w->clones[0].worker[0]->note, "job b writes"));
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
	struct work_kind kind[2];
	struct sample s = { 0 };
	const struct job_raw *row;

	set_option(&job[0], "rw", "write");
	set_option(&job[0], "ramp_time", "200ms");
	set_option(&job[0], "runtime", "400ms");
	set_option(&job[0], "time_based", "1");
	endless(&job[1]);
	ck_assert_int_eq(workload_open(&w, &root, job, 2, NULL), 0);
	for (int i = 0; i < 2; i++) {
		kind[i] = kind_io;
		kind[i].run = loop_of_another_kind;
		w->clones[i].worker[0]->kind = &kind[i];
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
	ck_assert_uint_eq(counter_get(&w->clones[0].shared->control.rate_iops[0]),
			  1000);
	ck_assert_uint_eq(counter_get(&w->clones[1].shared->control.rate_iops[0]),
			  50);
	ck_assert_int_eq(workload_stop_job(w, "a#2"), 0);
	ck_assert_int_eq(workload_stop_job(w, "a"), 0);
	until(all_done);
	close_ok();
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("stages");

	tcase_set_timeout(t, 300);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, stonewall_waits);
	tcase_add_test(t, wait_for_waits);
	tcase_add_test(t, stop_of_one_starts_another);
	tcase_add_loop_test(t, exitall_ends_others, 0, 3);
	tcase_add_test(t, loops_repeat);
	tcase_add_test(t, workers_are_placed);
	tcase_add_test(t, another_kind_of_worker);
	tcase_add_loop_test(t, unverified_writers, 0, 3);
	tcase_add_test(t, namesakes);
	suite_add_tcase(suite, t);
}
