/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/workload: a latency holds the I/O and nothing else.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "model/histogram.h"

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

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("latency");

	tcase_add_loop_test(t, latency_without_filling, 0, 6);
	suite_add_tcase(suite, t);
}
