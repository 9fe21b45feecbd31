/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/workload: priorities of single I/Os (fio's cmdprio). */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/kernel.h"
#include "workload/thread/worker.h"

#include "workload_help.h"

#define DRAWS 20000

/* How many of so many draws have that priority, as a share. */
static double share(struct cmdprio *p, unsigned dir, uint64_t bytes,
		    unsigned class, unsigned level)
{
	unsigned n = 0;

	for (int i = 0; i < DRAWS; i++)
		n += worker_cmdprio_next(p, dir, bytes) ==
		     (class << IOPRIO_CLASS_SHIFT | level);
	return (double)n / DRAWS;
}

#define expect_share(share, want) \
	ck_assert_double_eq_tol(share, want, 5 * sqrt(0.25 / DRAWS))

START_TEST(by_share)
{
	struct cmdprio *p;
	struct job job;

	job_init(&job);
	ck_assert(!worker_cmdprio_wanted(&job));
	set_option(&job, "cmdprio_percentage", "20,0");
	set_option(&job, "cmdprio_class", "2,3");
	set_option(&job, "cmdprio", "5");
	ck_assert(worker_cmdprio_wanted(&job));
	p = worker_cmdprio_new(&job, 1);
	expect_share(share(p, JOB_READ, 4096, 2, 5), 0.2);
	expect_share(share(p, JOB_READ, 4096, 0, 0), 0.8);
	ck_assert_uint_eq(worker_cmdprio_next(p, JOB_WRITE, 4096), 0);
	ck_assert_uint_eq(worker_cmdprio_next(p, JOB_TRIM, 4096), 0);
	worker_cmdprio_free(p);
	/* The default class is real time. */
	job_free(&job);
	job_init(&job);
	set_option(&job, "cmdprio_percentage", "100");
	p = worker_cmdprio_new(&job, 1);
	ck_assert_double_eq(share(p, JOB_WRITE, 512, 1, 0), 1);
	worker_cmdprio_free(p);
	job_free(&job);
}
END_TEST

/* The example that comes with fio. */
START_TEST(by_size)
{
	struct cmdprio *p;
	struct job job;

	job_init(&job);
	set_option(&job, "cmdprio_bssplit",
		   "64k/25/1/1:64k/75/3/2:1024k/0,1024k/0");
	p = worker_cmdprio_new(&job, 1);
	expect_share(share(p, JOB_READ, 65536, 1, 1), 0.25);
	expect_share(share(p, JOB_READ, 65536, 3, 2), 0.75);
	ck_assert_double_eq(share(p, JOB_READ, 1 << 20, 0, 0), 1);
	ck_assert_double_eq(share(p, JOB_WRITE, 65536, 0, 0), 1);
	worker_cmdprio_free(p);
	set_option(&job, "cmdprio_bssplit", "64k/100:1024k/0,1024k/0");
	set_option(&job, "cmdprio_class", "2");
	set_option(&job, "cmdprio", "3");
	p = worker_cmdprio_new(&job, 1);
	ck_assert_double_eq(share(p, JOB_READ, 65536, 2, 3), 1);
	worker_cmdprio_free(p);
	ck_assert_int_eq(job_set(&job, "cmdprio_bssplit", "64k"), -EINVAL);
	ck_assert_int_eq(job_set(&job, "cmdprio_bssplit", "64k/9/4/0"),
			 -EINVAL);
	ck_assert_int_eq(job_set(&job, "cmdprio_bssplit", "64k/9/1"), -EINVAL);
	job_free(&job);
}
END_TEST

/* Both engines hand them to the kernel, which takes them; others refuse. */
START_TEST(engines_take_them)
{
	char *dir = make_dir();

	for (size_t i = 0; i < n_engines; i++) {
		const struct engine *e = engines[i];
		struct outcome o;
		struct job job;

		if (!engine_usable(e))
			continue;
		job_init(&job);
		set_option(&job, "name", "prio");
		set_option(&job, "directory", dir);
		set_option(&job, "size", "256k");
		set_option(&job, "rw", "randrw");
		set_option(&job, "fsync", "8");
		set_option(&job, "ioengine", e->name);
		set_option(&job, "cmdprio_percentage", "50");
		set_option(&job, "cmdprio_class", "2");
		set_option(&job, "cmdprio", "7");
		run_jobs(&o, &job, 1, NULL);
		if (e->prio) {
			ck_assert_msg(o.open_rc == 0 && o.close_rc == 0,
				      "%s: %s", e->name, o.sentence);
			ck_assert_uint_eq(o.row->op[JOB_READ].ios +
						  o.row->op[JOB_WRITE].ios,
					  64);
		} else {
			ck_assert_int_eq(o.open_rc, -EINVAL);
			ck_assert_ptr_nonnull(strstr(o.sentence, "cmdprio"));
		}
		free_outcome(&o);
		job_free(&job);
	}
	remove_dir(dir);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("prio");

	tcase_add_test(tc, by_share);
	tcase_add_test(tc, by_size);
	tcase_add_test(tc, engines_take_them);
	suite_add_tcase(suite, tc);
}
