/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/workload: logs of I/Os, their lines, and that none is lost. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "model/event.h"
#include "workload/iolog/iolog.h"

#include "workload_help.h"

#define MS 1000000ull

static char *dir;

static void setup(void)
{
	dir = make_dir();
	/* Prefixes of logs are relative, as a user's are. */
	ck_assert_int_eq(chdir(dir), 0);
}

static void teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	remove_dir(dir);
}

/* "a=1 b=2" */
static void init_job(struct job *job, const char *options)
{
	char *copy = xstrdup(options), *save = NULL;

	job_init(job);
	set_option(job, "name", "j");
	set_option(job, "directory", dir);
	for (char *p = strtok_r(copy, " ", &save); p;
	     p = strtok_r(NULL, " ", &save)) {
		char *value = strchr(p, '=');

		*value++ = '\0';
		set_option(job, p, value);
	}
	free(copy);
}

static char *content(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	ck_assert_msg(f != NULL, "there is no %s", path);
	if (getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = xstrdup("");
	}
	fclose(f);
	return text;
}

static void expect(const char *path, const char *want)
{
	char *text = content(path);

	ck_assert_str_eq(text, want);
	free(text);
}

/* Its lines; their second column is summed up. */
static size_t lines(const char *path, double *sum)
{
	char *text = content(path), *rest = text, *line;
	size_t n = 0;

	if (sum)
		*sum = 0;
	while ((line = strsep(&rest, "\n")) && *line) {
		unsigned long long ms, v;

		ck_assert_int_eq(sscanf(line, "%llu, %llu, ", &ms, &v), 2);
		if (sum)
			*sum += (double)v;
		n++;
	}
	free(text);
	return n;
}

/* Rows at these times of a run of 1200 ms that began at 5 s. */
static const struct iolog_row rows[] = {
	{ 5000 * MS + 10 * MS, 4 * MS, 5 * MS, 8192, 4096, 1000, JOB_READ, 0 },
	{ 5000 * MS + 400 * MS, 2 * MS, 2 * MS, 0, 4096, 3000, JOB_READ, 0 },
	{ 5000 * MS + 450 * MS, 1 * MS, 1 * MS, 4096, 8192, 0, JOB_WRITE, 0 },
	{ 5000 * MS + 1100 * MS, 8 * MS, 9 * MS, 0, 4096, 500, JOB_READ, 0 },
};

/* Write them as a job of these options does. */
static void write_rows(const char *options, bool slat)
{
	struct iolog_outs outs = { 0 };
	struct iolog_file f;
	struct job job;

	init_job(&job, options);
	ck_assert_int_eq(iolog_file_open(&f, &outs, &job, 3), 0);
	f.slat = slat;
	iolog_file_begin(&f, 5000 * MS);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		iolog_file_row(&f, &rows[i]);
	iolog_file_end(&f, 6200 * MS);
	iolog_file_free(&f);
	ck_assert_int_eq(iolog_outs_close(&outs), 0);
	job_free(&job);
}

START_TEST(each_io)
{
	write_rows("rw=randrw write_bw_log=a write_iops_log=a write_lat_log=a",
		   true);
	/* bytes / 1024 per time of completion */
	expect("a_bw.3.log", "10, 1000, 0, 4096, 0\n400, 2000, 0, 4096, 0\n"
			     "450, 8000, 1, 8192, 0\n1100, 500, 0, 4096, 0\n");
	expect("a_iops.3.log", "10, 1, 0, 4096, 0\n400, 1, 0, 4096, 0\n"
			       "450, 1, 1, 8192, 0\n1100, 1, 0, 4096, 0\n");
	expect("a_clat.3.log",
	       "10, 4000000, 0, 4096, 0\n400, 2000000, 0, 4096, 0\n"
	       "450, 1000000, 1, 8192, 0\n1100, 8000000, 0, 4096, 0\n");
	expect("a_lat.3.log",
	       "10, 5000000, 0, 4096, 0\n400, 2000000, 0, 4096, 0\n"
	       "450, 1000000, 1, 8192, 0\n1100, 9000000, 0, 4096, 0\n");
	expect("a_slat.3.log", "10, 1000, 0, 4096, 0\n400, 3000, 0, 4096, 0\n"
			       "450, 0, 1, 8192, 0\n1100, 500, 0, 4096, 0\n");
	ck_assert_int_ne(access("a_clat_hist.3.log", F_OK), 0);
}
END_TEST

START_TEST(columns)
{
	write_rows("rw=randrw write_lat_log=a log_offset=1 log_prio=1 "
		   "prioclass=2 prio=3 log_issue_time=1",
		   false);
	expect("a_clat.3.log",
	       "10, 4000000, 0, 4096, 8192, 0x4003, 6000000\n"
	       "400, 2000000, 0, 4096, 0, 0x4003, 398000000\n"
	       "450, 1000000, 1, 8192, 4096, 0x4003, 449000000\n"
	       "1100, 8000000, 0, 4096, 0, 0x4003, 1092000000\n");
	/* Nothing was timed. */
	expect("a_slat.3.log", "");
	write_rows("rw=randrw write_iops_log=b prioclass=1", false);
	expect("b_iops.3.log", "10, 1, 0, 4096, 1\n400, 1, 0, 4096, 1\n"
			       "450, 1, 1, 8192, 1\n1100, 1, 0, 4096, 1\n");
}
END_TEST

/* The second window is empty, the last one is 200 of 500 ms: too short. */
START_TEST(windows)
{
	write_rows("rw=randrw write_bw_log=a write_iops_log=a write_lat_log=a "
		   "log_avg_msec=500",
		   false);
	expect("a_bw.3.log", "500, 16, 0, 0, 0\n500, 16, 1, 0, 0\n"
			     "1000, 0, 0, 0, 0\n1000, 0, 1, 0, 0\n");
	expect("a_iops.3.log", "500, 4, 0, 0, 0\n500, 2, 1, 0, 0\n"
			       "1000, 0, 0, 0, 0\n1000, 0, 1, 0, 0\n");
	expect("a_clat.3.log",
	       "500, 3000000, 0, 0, 0\n500, 1000000, 1, 0, 0\n");
	write_rows("rw=randrw write_lat_log=b log_avg_msec=1000 log_offset=1 "
		   "log_max_value=1",
		   false);
	expect("b_lat.3.log",
	       "1000, 5000000, 0, 0, 0, 0\n1000, 1000000, 1, 0, 0, 0\n");
	write_rows("rw=randrw write_lat_log=c log_avg_msec=1000 "
		   "log_window_value=both",
		   false);
	expect("c_lat.3.log", "1000, 3500000, 5000000, 0, 0, 0\n"
			      "1000, 1000000, 1000000, 1, 0, 0\n");
	/* A run shorter than the window has a line all the same. */
	write_rows("rw=randrw write_iops_log=d log_avg_msec=2400", false);
	expect("d_iops.3.log", "1200, 3, 0, 0, 0\n1200, 1, 1, 0, 0\n");
}
END_TEST

static void check_hist(unsigned coarseness, unsigned buckets)
{
	char *options = xasprintf("rw=randrw bs=4k,8k write_hist_log=h "
				  "log_hist_msec=600 log_hist_coarseness=%u",
				  coarseness);
	char *text, *rest, *line;
	unsigned n = 0;

	write_rows(options, false);
	text = rest = content("h_clat_hist.3.log");
	while ((line = strsep(&rest, "\n")) && *line) {
		static const unsigned head[][4] = { { 600, 0, 4096, 2 },
						    { 600, 1, 8192, 1 },
						    { 1200, 0, 4096, 1 } };
		unsigned long sum = 0;
		unsigned i = 0;
		char *word;

		for (; (word = strsep(&line, ",")); i++) {
			unsigned long v = strtoul(word, NULL, 10);

			if (i < 3)
				ck_assert_uint_eq(v, head[n][i]);
			else
				sum += v;
			/* 1 ms: its bucket begins at 999424 ns */
			if (n == 1 && v && i >= 3)
				ck_assert_uint_eq(i - 3,
						  histogram_fio_bucket(MS) >>
							  coarseness);
		}
		ck_assert_uint_eq(i, 3 + buckets);
		ck_assert_uint_eq(sum, head[n][3]);
		n++;
	}
	ck_assert_uint_eq(n, 3);
	free(text);
	free(options);
}

START_TEST(histograms)
{
	ck_assert_uint_eq(histogram_fio_bucket_ns(histogram_fio_bucket(MS)),
			  1003520);
	check_hist(0, 1856);
	check_hist(3, 232);
	check_hist(6, 29);
}
END_TEST

START_TEST(epochs)
{
	uint64_t now_ms = clock_wall_ns() / MS;
	struct iolog_outs outs = { 0 };
	struct iolog_file f;
	unsigned long long ms;
	struct job job;
	char *text;

	init_job(&job, "rw=read write_iops_log=a log_unix_epoch=1");
	ck_assert_int_eq(iolog_file_open(&f, &outs, &job, 1), 0);
	iolog_file_begin(&f, clock_mono_ns());
	iolog_file_row(&f, &(struct iolog_row){ .end_ns = clock_mono_ns() +
							  7000 * MS });
	iolog_file_free(&f);
	ck_assert_int_eq(iolog_outs_close(&outs), 0);
	text = content("a_iops.1.log");
	ck_assert_int_eq(sscanf(text, "%llu,", &ms), 1);
	ck_assert_uint_ge(ms, now_ms + 6990);
	ck_assert_uint_le(ms, now_ms + 60000);
	free(text);
	job_free(&job);
	init_job(&job, "rw=read write_iops_log=a log_unix_epoch=1 "
		       "log_alternate_epoch_clock_id=60");
	ck_assert_int_eq(iolog_file_open(&f, &outs, &job, 1), -EINVAL);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "is not a clock"));
	job_free(&job);
}
END_TEST

/* Engine and depth, and whether its submission is timed. */
static const struct {
	const char *options;
	bool slat;
} loads[] = {
	{ "ioengine=psync direct=0", false },
	{ "ioengine=libaio iodepth=8 direct=0", true },
	{ "ioengine=null iodepth=4", false },
	{ "ioengine=psync direct=0 thread=0 process=1", false },
	{ "ioengine=psync direct=0 rate_iops=100000 ramp_time=50ms", false },
};

/* Each I/O of each clone has its line, and its latency is what was counted. */
START_TEST(none_is_lost)
{
	char *options = xasprintf("rw=randrw size=8m bs=4k numjobs=2 "
				  "filename=%s/f write_lat_log=a "
				  "write_bw_log=a io_size=32m %s",
				  dir, loads[_i].options);
	double sum_ns, all_ns = 0, counted_ns = 0;
	struct outcome o;
	uint64_t ios = 0;
	struct job job;
	size_t n = 0;

	init_job(&job, options);
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s: %s", options,
		      o.sentence);
	for (int d = 0; d < JOB_DIRS; d++)
		ios += o.row->op[d].ios;
	for (int i = 1; i <= 2; i++) {
		char path[] = "a_clat.N.log";

		path[strlen("a_clat.")] = (char)('0' + i);
		n += lines(path, &sum_ns);
		all_ns += sum_ns;
	}
	ck_assert_uint_gt(ios, 1000);
	ck_assert_uint_eq(n, ios);
	ck_assert_uint_eq(lines("a_lat.1.log", NULL),
			  lines("a_clat.1.log", NULL));
	ck_assert_uint_eq(lines("a_bw.2.log", NULL),
			  lines("a_clat.2.log", NULL));
	ck_assert_uint_eq(lines("a_slat.1.log", &sum_ns) > 0, loads[_i].slat);
	for (int d = 0; d < JOB_DIRS; d++) {
		const struct job_op_raw *op = &o.row->op[d];
		const struct histogram *h = op->complete.hist
						    ? op->complete.hist
						    : op->service.hist;

		if (h)
			counted_ns +=
				histogram_mean(h) * (double)histogram_count(h);
	}
	ck_assert_double_le(fabs(all_ns - counted_ns), 0.02 * all_ns);
	free_outcome(&o);
	job_free(&job);
	free(options);
}
END_TEST

START_TEST(shared)
{
	struct job job[2];
	struct outcome o;

	init_job(&job[0], "rw=read size=64k bs=4k numjobs=3 write_iops_log=s "
			  "per_job_logs=0 ioengine=null");
	init_job(&job[1], "rw=write size=32k bs=4k write_iops_log=s "
			  "per_job_logs=0 ioengine=null");
	run_jobs(&o, job, 2, NULL);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(lines("s_iops.log", NULL), 3 * 16 + 8);
	free_outcome(&o);
	job_free(&job[0]);
	job_free(&job[1]);
}
END_TEST

/* A log that cannot be written is an error of the run, with its name. */
START_TEST(full)
{
	const struct rlimit small = { 10000, 10000 };
	struct outcome o;
	struct job job;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	init_job(&job, "rw=read size=64m bs=4k write_iops_log=a "
		       "ioengine=null");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, 0);
	ck_assert_int_eq(o.close_rc, -EFBIG);
	ck_assert_ptr_nonnull(
		strstr(o.sentence, "the log a_iops.1.log is not complete"));
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* More in flight than can be set while it runs. */
START_TEST(very_deep)
{
	struct outcome o;
	struct job job;

	init_job(&job, "rw=read size=4m bs=512 number_ios=8000 iodepth=8000 "
		       "ioengine=libaio write_lat_log=a");
	run_jobs(&o, &job, 1, NULL);
	if (o.close_rc == 0) {
		ck_assert_uint_eq(lines("a_clat.1.log", NULL), 8000);
		ck_assert_uint_eq(lines("a_slat.1.log", NULL), 8000);
	} else {
		/* Others may have taken what there is of them. */
		ck_assert_msg(strstr(o.sentence, "fs.aio-max-nr") != NULL, "%s",
			      o.sentence);
	}
	free_outcome(&o);
	job_free(&job);
}
END_TEST

START_TEST(not_a_file)
{
	struct outcome o;
	struct job job;

	ck_assert_int_eq(symlink("/etc/passwd", "a_iops.1.log"), 0);
	init_job(&job, "rw=read size=64k write_iops_log=a ioengine=null");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, -EEXIST);
	ck_assert_int_eq(unlink("a_iops.1.log"), 0);
	ck_assert_int_eq(mkfifo("a_iops.1.log", 0600), 0);
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_lt(o.open_rc, 0);
	ck_assert_ptr_nonnull(strstr(o.sentence, "a_iops.1.log"));
	job_free(&job);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("iolog");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_io);
	tcase_add_test(tc, columns);
	tcase_add_test(tc, windows);
	tcase_add_test(tc, histograms);
	tcase_add_test(tc, epochs);
	tcase_add_test(tc, very_deep);
	tcase_add_loop_test(tc, none_is_lost, 0, ARRAY_SIZE(loads));
	tcase_add_test(tc, shared);
	tcase_add_test(tc, full);
	tcase_add_test(tc, not_a_file);
	suite_add_tcase(suite, tc);
}
