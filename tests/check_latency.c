/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/workload: a latency holds the I/O and nothing else. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/histogram.h"
#include "workload/thread/clones.h"

#include "workload_help.h"

/* The median: a busy machine takes the processor away in the middle of some. */
static double median_ns(const struct job_raw *row, enum job_op op)
{
	ck_assert_ptr_nonnull(row->op[op].service.hist);
	return histogram_percentile(row->op[op].service.hist, 50);
}

/*
 * The engine null takes some ns per I/O; filling its buffer of 1 MiB takes
 * hundreds of us, at depth 1 as at depth 2, with a rate or without.
 */
START_TEST(latency_without_filling)
{
	static const char *const filling[][2] = {
		{ "refill_buffers", "1" },
		{ "buffer_compress_percentage", "50" },
		{ "dedupe_percentage", "50" },
	};
	struct outcome o;
	struct job job;

	null_job(&job, "fill");
	set_option(&job, "rw", "write");
	set_option(&job, "bs", "1m");
	set_option(&job, "size", "64m");
	set_option(&job, filling[_i % 3][0], filling[_i % 3][1]);
	if (_i >= 3)
		set_option(&job, "rate_iops", "2000");
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->op[JOB_WRITE].ios, 64);
	ck_assert_double_lt(median_ns(o.row, JOB_WRITE), 20000);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

static struct workload *load;
static struct root root;

static void open_load(const struct job *job)
{
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_msg(workload_open(&load, &root, job, 1, NULL) == 0, "%s",
		      fail_sentence());
	ck_assert_int_eq(workload_start(load), 0);
}

/* Serve its events for so long or until it is done; true: one had the words. */
static bool serve(uint64_t ns, const char *words)
{
	uint64_t end_ns = clock_mono_ns() + ns;
	bool found = false;
	struct event e;

	while (clock_mono_ns() < end_ns && !workload_done(load)) {
		poll(NULL, 0, 1);
		while (workload_event(load, &e))
			found |= strstr(e.text, words) != NULL;
	}
	while (workload_event(load, &e))
		found |= strstr(e.text, words) != NULL;
	return found;
}

static void close_load(void)
{
	ck_assert_msg(workload_close(load, 5 * NS_PER_S) == 0, "%s",
		      fail_sentence());
	root_close(&root);
}

/* The device stands still from the middle of the run to beyond its end. */
START_TEST(stall_at_the_end)
{
	struct sample s = { 0 };
	const struct job_raw *row;
	const struct job_op_raw *op;
	struct worker *k;
	struct job job;

	null_job(&job, "stall");
	set_option(&job, "size", "1g");
	set_option(&job, "time_based", "1");
	set_option(&job, "runtime", "1");
	set_option(&job, "rate_iops", "1000");
	set_option(&job, "process", "1");
	open_load(&job);
	k = load->clones[0].worker[0];
	serve(500000000, "-");
	ck_assert_int_eq(kill(k->pid, SIGSTOP), 0);
	serve(800000000, "-");
	ck_assert_int_eq(kill(k->pid, SIGCONT), 0);
	ck_assert(serve(20 * NS_PER_S, "had arrived and were not submitted"));
	workload_sample(load, &s);
	row = sample_row(&s, SCHEMA_JOB, 0);
	op = &row->op[JOB_READ];
	/* Some 500 I/Os had no chance; the first has waited 800 ms. */
	ck_assert_uint_ge(histogram_count(op->response.hist), op->ios + 300);
	ck_assert_uint_ge(op->response.max_ns, 600000000);
	sample_free(&s);
	close_load();
	job_free(&job);
}
END_TEST

/* As after a suspend: the processor's counter ran on, the kernel's clock not. */
START_TEST(clock_jumps)
{
	struct sample s = { 0 };
	const struct job_raw *row;
	const struct job_op_raw *op;
	struct worker *k;
	struct job job;

#ifdef __SANITIZE_THREAD__
	/* The test changes the clock of a running thread: that is a race. */
	return;
#endif
	null_job(&job, "jump");
	set_option(&job, "size", "1g");
	set_option(&job, "time_based", "1");
	set_option(&job, "runtime", "500ms");
	set_option(&job, "rw", "randread");
	if (_i)
		set_option(&job, "norandommap", "1");
	set_option(&job, "iodepth", _i ? "8" : "1");
	set_option(&job, "thread", "1");
	open_load(&job);
	k = load->clones[0].worker[0];
	serve(200000000, "-");
	if (k->ticks) {
		__atomic_fetch_add(&k->watch.base_ns, 3600 * NS_PER_S,
				   __ATOMIC_RELAXED);
		ck_assert(serve(20 * NS_PER_S, "clock jumped by 3.6e+03 s"));
	}
	serve(20 * NS_PER_S, "-");
	workload_sample(load, &s);
	row = sample_row(&s, SCHEMA_JOB, 0);
	op = &row->op[JOB_READ];
	ck_assert_uint_lt(op->service.max_ns, 5 * NS_PER_S);
	ck_assert_uint_eq(histogram_count(op->service.hist), op->ios);
	ck_assert_uint_eq(op->bytes, op->ios * job.bs[JOB_READ].min);
	ck_assert_uint_ge(row->run_ns, 450000000);
	ck_assert_uint_le(row->run_ns, 20 * NS_PER_S);
	sample_free(&s);
	close_load();
	job_free(&job);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("latency");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, latency_without_filling, 0, 6);
	tcase_add_test(t, stall_at_the_end);
	tcase_add_loop_test(t, clock_jumps, 0, 2);
	suite_add_tcase(suite, t);
}
