/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/workload: rates, pauses, syncs. Engine null, so that counts are
 * exact and no disk is awaited.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "workload/thread/filter.h"

#include "workload_help.h"

/* The recipe of a filter; without its row each job ends by a signal. */
START_TEST(filters_have_their_rows)
{
	for (int id = 0; id < FILTERS; id++)
		ck_assert_msg(filters[id] && filters[id]->name &&
				      filters[id]->wanted,
			      "filters[] has no whole row for filter %d of enum filter_id",
			      id);
}
END_TEST

/* How long the n I/Os of a job at that rate take: (n - 1) gaps at least. */
START_TEST(rate_is_kept)
{
	struct outcome o;
	struct job job;

	null_job(&job, "rate");
	all_dirs(job.rate_iops, 1000);
	set_option(&job, "io_size", "1200k"); /* 300 I/Os */
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 300);
	ck_assert_uint_ge(o.row->run_ns, 299 * 1000000ull);
	ck_assert_uint_lt(o.row->run_ns, 20 * NS_PER_S);
	ck_assert_uint_eq(histogram_count(o.row->op[JOB_READ].response.hist),
			  300);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* Bytes instead of I/Os: 4 MiB/s of 4 KiB are 1024 a second. */
START_TEST(rate_of_bytes)
{
	struct outcome o;
	struct job job;

	null_job(&job, "bytes");
	all_dirs(job.rate_bytes, 4 << 20);
	set_option(&job, "io_size", "1m");
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 256);
	ck_assert_uint_ge(o.row->run_ns, 255 * NS_PER_S / 1024 - 1000);
	ck_assert_uint_lt(o.row->run_ns, 20 * NS_PER_S);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* Each direction of a mix has its own rate, whatever the mix says. */
START_TEST(rate_per_direction)
{
	struct outcome o;
	struct job job;
	double ratio;

	null_job(&job, "both");
	set_option(&job, "rw", "randrw");
	job.rate_iops[JOB_READ] = 3000;
	job.rate_iops[JOB_WRITE] = 1000;
	set_option(&job, "io_size", "8m"); /* 2048 I/Os */
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios + o.row->op[JOB_WRITE].ios,
			  2048);
	ratio = (double)o.row->op[JOB_READ].ios /
		(double)o.row->op[JOB_WRITE].ios;
	ck_assert_double_gt(ratio, 2.95);
	ck_assert_double_lt(ratio, 3.05);
	free_outcome(&o);
	/* One is limited only: the other does not wait for it. */
	job.rate_iops[JOB_READ] = 0;
	job.rate_iops[JOB_WRITE] = 50;
	run_well(&o, &job, 1);
	ck_assert_uint_lt(o.row->op[JOB_WRITE].ios, 1000);
	ck_assert_uint_gt(o.row->op[JOB_READ].ios, 1000);
	ck_assert_ptr_null(o.row->op[JOB_READ].response.hist);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* ThreadSanitizer makes an I/O ten times as long. */
#ifdef __SANITIZE_THREAD__
#define POISSON_PER_S 30000
#else
#define POISSON_PER_S 300000
#endif

/*
 * 300 k/s in exponential gaps: as many arrive as should. The schedule does not
 * drift, so what a loaded machine delays is caught up with, but at the end.
 */
START_TEST(poisson_delivers)
{
	struct outcome o;
	struct job job;
	double s, n;

	null_job(&job, "poisson");
	set_option(&job, "rw", "randread");
	all_dirs(job.rate_iops, POISSON_PER_S);
	job.rate_process = RATE_POISSON;
	job.time_based = true;
	job.runtime_ns = 2 * NS_PER_S;
	run_well(&o, &job, 1);
	n = (double)o.row->op[JOB_READ].ios;
	s = (double)o.row->run_ns / 1e9;
	ck_assert_double_lt(n / s, POISSON_PER_S * 1.01);
	/* Late by the last of the machine's absences only. */
	ck_assert_double_gt(n, 2 * POISSON_PER_S * 0.99 -
				       POISSON_PER_S * (s - 2) -
				       POISSON_PER_S * 0.3);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

START_TEST(thinktime_pauses)
{
	struct outcome o;
	struct job job;

	null_job(&job, "think");
	set_option(&job, "io_size", "400k"); /* 100 I/Os */
	job.thinktime_ns = 10000000;
	job.thinktime_spin_ns = 2000000;
	job.thinktime_blocks = 10;
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 100);
	/* No pause follows the last I/O for sure. */
	ck_assert_uint_ge(o.row->run_ns, 9 * 10000000ull);
	ck_assert_uint_lt(o.row->run_ns, 20 * NS_PER_S);
	/* 18 ms, less what others had of them; a job that sleeps uses none. */
	ck_assert_uint_ge(o.row->usage.user_ns + o.row->usage.system_ns,
			  9 * 300000ull);
	free_outcome(&o);
	/* So many pauses, too, where more completes than was waited for. */
	job.iodepth = 8;
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 100);
	ck_assert_uint_ge(o.row->run_ns, 9 * 10000000ull);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/*
 * Buffered I/O of libaio is done within its submission, one after the other;
 * fio tells the depth it was asked for.
 */
START_TEST(depth_that_is_none)
{
	char *dir = make_dir();
	struct outcome o;
	struct job job;

	job_init(&job);
	set_option(&job, "name", "depth");
	set_option(&job, "directory", dir);
	set_option(&job, "ioengine", "libaio");
	set_option(&job, "rw", "randread");
	set_option(&job, "size", "1m");
	set_option(&job, "iodepth", "16");
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->depth[0], 256);
	free_outcome(&o);
	set_option(&job, "direct", "1");
	run_jobs(&o, &job, 1, NULL);
	/* Not every file system can. */
	if (o.open_rc == 0)
		ck_assert_uint_gt(o.row->depth[4], 0);
	if (o.open_rc == 0)
		free_outcome(&o);
	job_free(&job);
	remove_dir(dir);
}
END_TEST

/* A run that is looked at while it goes on. */
struct live_run {
	struct workload *w;
	struct root root;
	struct event event[32];
	unsigned n_events;
};

static void begin(struct live_run *r, const struct job *job, size_t n)
{
	memset(r, 0, sizeof(*r));
	ck_assert_int_eq(root_open(&r->root, NULL), 0);
	ck_assert_msg(workload_open(&r->w, &r->root, job, n, NULL) == 0, "%s",
		      fail_sentence());
	ck_assert_int_eq(workload_start(r->w), 0);
}

/* Poll for a while, or (0) until all is done. */
static void look(struct live_run *r, uint64_t ns)
{
	uint64_t end_ns = clock_mono_ns() + (ns ? ns : 20 * NS_PER_S);

	while (clock_mono_ns() < end_ns) {
		struct pollfd p = { .fd = workload_fd(r->w), .events = POLLIN };
		struct event e;

		poll(&p, 1, 10);
		while (workload_event(r->w, &e))
			if (r->n_events < ARRAY_SIZE(r->event))
				r->event[r->n_events++] = e;
		if (workload_done(r->w))
			return;
	}
	ck_assert(ns);
}

/* I/Os of the first job so far. */
static uint64_t done_ios(struct live_run *r, enum job_op op)
{
	struct sample s = { 0 };
	uint64_t n;

	workload_sample(r->w, &s);
	n = ((struct job_raw *)sample_row(&s, SCHEMA_JOB, 0))->op[op].ios;
	sample_free(&s);
	return n;
}

static int end(struct live_run *r)
{
	int rc = workload_close(r->w, 5 * NS_PER_S);

	root_close(&r->root);
	return rc;
}

static const struct event *steady_event(const struct live_run *r)
{
	for (unsigned i = 0; i < r->n_events; i++)
		if (r->event[i].kind == EVENT_STEADY)
			return &r->event[i];
	return NULL;
}

static void control(struct live_run *r, const char *option, const char *value,
		    const char *old)
{
	struct event e;

	ck_assert_msg(workload_control(r->w, "live", option, value, &e) == 0,
		      "%s", fail_sentence());
	ck_assert_int_eq(e.kind, EVENT_JOB_SET);
	ck_assert_str_eq(e.job, "live");
	ck_assert_str_eq(e.knob, option);
	ck_assert_str_eq(e.old_value, old);
}

static void refused(struct live_run *r, const char *option, const char *value,
		    const char *words)
{
	struct event e;

	ck_assert_int_lt(workload_control(r->w, "live", option, value, &e), 0);
	ck_assert_msg(strstr(fail_sentence(), words) != NULL, "%s",
		      fail_sentence());
}

/* Wait until what() holds of two looks 50 ms apart, at most 20 s. */
static bool soon(struct live_run *r, enum job_op op, double least, double most)
{
	uint64_t end_ns = clock_mono_ns() + 20 * NS_PER_S;

	while (clock_mono_ns() < end_ns) {
		uint64_t from_ns = clock_mono_ns(), from = done_ios(r, op);
		double rate;

		look(r, 50000000);
		rate = (double)(done_ios(r, op) - from) * 1e9 /
		       (double)(clock_mono_ns() - from_ns);
		if (rate >= least && rate <= most)
			return true;
	}
	return false;
}

START_TEST(settings_of_a_running_job)
{
	struct live_run r;
	struct job job;

	null_job(&job, "live");
	set_option(&job, "rw", "randrw");
	set_option(&job, "iodepth", "4");
	set_option(&job, "runtime", "60");
	job.time_based = true;
	begin(&r, &job, 1);
	ck_assert(soon(&r, JOB_READ, 5000, 1e12));
	control(&r, "rate_iops", "200,100", "0");
	ck_assert(soon(&r, JOB_READ, 100, 400));
	ck_assert(soon(&r, JOB_WRITE, 50, 200));
	control(&r, "rate_iops", "0", "200,100,0");
	ck_assert(soon(&r, JOB_READ, 5000, 1e12));
	control(&r, "rwmixread", "100", "50");
	ck_assert(soon(&r, JOB_WRITE, 0, 0));
	control(&r, "rwmixread", "0", "100");
	ck_assert(soon(&r, JOB_READ, 0, 0));
	ck_assert(soon(&r, JOB_WRITE, 5000, 1e12));
	control(&r, "iodepth", "64", "4");
	ck_assert(soon(&r, JOB_WRITE, 5000, 1e12));
	control(&r, "rate", "4m", "0");
	ck_assert(soon(&r, JOB_WRITE, 700, 1400));
	/* Both have a rate: these make the mix. */
	refused(&r, "rwmixread", "50", "change rate_iops or rate");
	refused(&r, "iodepth", "0", "from 1 to 4096");
	refused(&r, "iodepth", "5000", "from 1 to 4096");
	refused(&r, "rwmixread", "101", "0 to 100");
	refused(&r, "rate_iops", "fast", "a count");
	refused(&r, "rate_iop", "5", "did you mean rate_iops");
	ck_assert_int_eq(workload_stop_job(r.w, "none"), -ENOENT);
	ck_assert_int_eq(workload_stop_job(r.w, "live"), 0);
	look(&r, 0);
	ck_assert_int_eq(workload_stop_job(r.w, "live"), -EINVAL);
	refused(&r, "iodepth", "8", "done");
	ck_assert_int_eq(end(&r), 0);
	job_free(&job);
}
END_TEST

/* What an engine or a job cannot do. */
START_TEST(settings_that_cannot_be)
{
	char *dir = make_dir();
	struct live_run r;
	struct job job;

	job_init(&job);
	set_option(&job, "name", "live");
	set_option(&job, "directory", dir);
	set_option(&job, "size", "64k");
	set_option(&job, "runtime", "60");
	job.time_based = true;
	begin(&r, &job, 1);
	refused(&r, "iodepth", "8", "psync keeps 1 I/O");
	refused(&r, "rwmixread", "8", "not a mix");
	workload_stop(r.w);
	ck_assert_int_eq(end(&r), 0);
	job_free(&job);
	remove_dir(dir);
}
END_TEST

START_TEST(steady_state_ends_the_job)
{
	const struct event *steady;
	struct live_run r;
	struct sample s = { 0 };
	struct job_raw *row;
	unsigned pairs = 0;
	struct job job;

	null_job(&job, "steady");
	all_dirs(job.rate_iops, 2000);
	set_option(&job, "runtime", "60");
	job.time_based = true;
	job.steady = STEADY_IOPS;
	job.steady_pct = true;
	job.steady_limit = 50;
	job.steady_duration_ns = NS_PER_S / 2;
	job.steady_check_ns = NS_PER_S / 10;
	begin(&r, &job, 1);
	look(&r, 0);
	workload_sample(r.w, &s);
	row = sample_row(&s, SCHEMA_JOB, 0);
	ck_assert(row->steady.attained);
	ck_assert_str_eq(row->steady.criterion_name, "iops:50%");
	ck_assert_uint_eq(row->steady.n, 5);
	/* In words: IOPS:bytes per second, five of them. */
	ck_assert_ptr_nonnull(row->steady.samples);
	for (const char *p = row->steady.samples; (p = strchr(p, ':')); p++)
		pairs++;
	ck_assert_uint_eq(pairs, 5);
	ck_assert_double_gt(row->steady.iops, 500);
	ck_assert_double_lt(row->steady.criterion, 50);
	ck_assert(row->run_ns < 20 * NS_PER_S);
	steady = steady_event(&r);
	ck_assert_ptr_nonnull(steady);
	ck_assert(steady->steady.attained);
	ck_assert_str_eq(steady->wanted, "iops:50%");
	sample_free(&s);
	ck_assert_int_eq(end(&r), 0);
	/* What is too strict is not attained, and that is said. */
	job.steady_limit = 0;
	job.runtime_ns = NS_PER_S;
	begin(&r, &job, 1);
	look(&r, 0);
	steady = steady_event(&r);
	ck_assert_ptr_nonnull(steady);
	ck_assert(!steady->steady.attained);
	ck_assert_int_eq(end(&r), 0);
	job_free(&job);
}
END_TEST

START_TEST(too_slow_fails)
{
	struct outcome o;
	struct job job;

	null_job(&job, "slow");
	all_dirs(job.rate_iops, 100);
	all_dirs(job.rate_min_iops, 100000000);
	set_option(&job, "runtime", "30");
	job.time_based = true;
	job.rate_cycle_ns = NS_PER_S / 10;
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.close_rc, -EIO);
	ck_assert_msg(strstr(o.sentence, "is below rate_iops_min=100M") != NULL,
		      "%s", o.sentence);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* The driver of a job is told: closed or open. */
START_TEST(loop_is_named)
{
	struct outcome o;
	struct job job;

	null_job(&job, "named");
	set_option(&job, "io_size", "40k");
	set_option(&job, "iodepth", "8");
	run_well(&o, &job, 1);
	ck_assert_str_eq(o.row->loop, "closed loop, iodepth 8");
	free_outcome(&o);
	all_dirs(job.rate_iops, 500);
	job.rate_process = RATE_POISSON;
	run_well(&o, &job, 1);
	ck_assert_str_eq(o.row->loop, "open loop, rate_iops 500, poisson");
	free_outcome(&o);
	job_free(&job);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("flow");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, filters_have_their_rows);
	tcase_add_test(t, rate_is_kept);
	tcase_add_test(t, rate_of_bytes);
	tcase_add_test(t, rate_per_direction);
	tcase_add_test(t, poisson_delivers);
	tcase_add_test(t, depth_that_is_none);
	tcase_add_test(t, thinktime_pauses);
	tcase_add_test(t, settings_of_a_running_job);
	tcase_add_test(t, settings_that_cannot_be);
	tcase_add_test(t, steady_state_ends_the_job);
	tcase_add_test(t, too_slow_fails);
	tcase_add_test(t, loop_is_named);
	suite_add_tcase(suite, t);
}
