/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/workload: jobs that share by weight, the search for a depth,
 * least rates. Engine null, so that counts are exact.
 */
#include <errno.h>

#include "base/clock.h"

#include "workload_help.h"

/* fio's flow: I/Os in proportion to weights, while more than one runs. */
START_TEST(flow_shares)
{
	const struct job_raw *other;
	struct outcome o;
	struct job job[2];

	for (int i = 0; i < 2; i++) {
		null_job(&job[i], i ? "eight" : "one");
		set_option(&job[i], "flow", i ? "8" : "1");
		set_option(&job[i], "iodepth", "4");
	}
	/* How far it gets alone is bounded, so that it is caught up with. */
	set_option(&job[0], "thinktime", "400us");
	set_option(&job[1], "rate_iops", "16000");
	set_option(&job[1], "number_ios", "8000");
	set_option(&job[1], "exitall", "1");
	run_well(&o, job, 2);
	other = sample_row(&o.sample, SCHEMA_JOB, 1);
	ck_assert_uint_eq(other->op[JOB_READ].ios, 8000);
	ck_assert_uint_ge(o.row->op[JOB_READ].ios, 990);
	ck_assert_uint_le(o.row->op[JOB_READ].ios, 1100);
	free_outcome(&o);
	/* Who is done is waited for no more. */
	job[0].thinktime_ns = 0;
	set_option(&job[0], "number_ios", "10000");
	set_option(&job[1], "number_ios", "1000");
	set_option(&job[1], "exitall", "0");
	run_well(&o, job, 2);
	other = sample_row(&o.sample, SCHEMA_JOB, 1);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 10000);
	ck_assert_uint_eq(other->op[JOB_READ].ios, 1000);
	free_outcome(&o);
	for (int i = 0; i < 2; i++)
		job_free(&job[i]);
}
END_TEST

/* The search ends by itself: at the last depth, or at the first. */
START_TEST(latency_is_searched)
{
	for (int good = 0; good < 2; good++) {
		struct outcome o;
		struct job job;

		null_job(&job, "search");
		set_option(&job, "iodepth", "8");
		set_option(&job, "time_based", "1");
		set_option(&job, "runtime", "15");
		set_option(&job, "latency_window", "20ms");
		set_option(&job, "latency_percentile", "50");
		job.latency_target_ns = good ? NS_PER_S : 1;
		run_well(&o, &job, 1);
		ck_assert_uint_lt(o.row->run_ns, 10 * NS_PER_S);
		ck_assert_uint_gt(o.row->depth[0], 0);
		for (int i = 1; i < 4; i++)
			ck_assert(good == (o.row->depth[i] > 0));
		free_outcome(&o);
		/* With latency_run it goes on. */
		set_option(&job, "latency_run", "1");
		set_option(&job, "runtime", "400ms");
		run_well(&o, &job, 1);
		ck_assert_uint_ge(o.row->run_ns, 399 * 1000000ull);
		free_outcome(&o);
		job_free(&job);
	}
}
END_TEST

/*
 * One I/O in 100 ms is no rate of 0 for being none in 50 ms. The least rate is one
 * in 500 ms: an I/O of a busy machine may be late.
 */
START_TEST(slow_is_not_too_slow)
{
	struct outcome o;
	struct job job;

	null_job(&job, "slow");
	set_option(&job, "rate", "40960");
	set_option(&job, "rate_min", "8192");
	set_option(&job, "rate_cycle", "50");
	set_option(&job, "io_size", "24k");
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 6);
	free_outcome(&o);
	/* One in a second is. */
	set_option(&job, "rate", "4096");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.close_rc, -EIO);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("share");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, flow_shares);
	tcase_add_test(t, latency_is_searched);
	tcase_add_test(t, slow_is_not_too_slow);
	suite_add_tcase(suite, t);
}
