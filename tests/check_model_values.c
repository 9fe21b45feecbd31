/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of values of job options: read as fio reads them. */
#include "check_model.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/attributes.h"
#include "base/fail.h"
#include "model/disk_class.h"
#include "model/job/job.h"
#include "model/job/job_kind.h"

static struct job job;

static void begin(void)
{
	job_init(&job);
}

static void end(void)
{
	job_free(&job);
}

static void set(const char *name, const char *value)
{
	ck_assert_msg(!job_set(&job, name, value), "%s", fail_sentence());
}

static void refuse(const char *name, const char *value)
{
	ck_assert_msg(job_set(&job, name, value) == -EINVAL, "%s=%s", name,
		      value);
	ck_assert_msg(strstr(fail_sentence(), name) != NULL, "%s",
		      fail_sentence());
}

/* As fio 3.33 made them (but for 1.5k, 2t and 1p), by kb_base. */
static const struct {
	const char *text;
	uint64_t binary, decimal;
} sizes[] = {
	{ "4096", 4096, 4096 },
	{ "0x1000", 4096, 4096 },
	{ "4k", 4096, 4000 },
	{ "4K", 4096, 4000 },
	{ "4kb", 4096, 4000 },
	{ "4KiB", 4000, 4096 },
	{ "1m", 1048576, 1000000 },
	{ "1MiB", 1000000, 1048576 },
	{ "1g", 1ull << 30, 1000000000 },
	{ "1Gib", 1000000000, 1ull << 30 },
	{ "2t", 2ull << 40, 2000000000000 },
	{ "1p", 1ull << 50, 1000000000000000 },
	{ "7b", 7, 7 },
	{ "1.5k", 1536, 1500 },
};

START_TEST(sizes_are_those_of_fio)
{
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		ck_assert_msg(job_bytes(sizes[i].text, 1024, &v, NULL) &&
				      v == sizes[i].binary,
			      "%s", sizes[i].text);
		ck_assert_msg(job_bytes(sizes[i].text, 1000, &v, NULL) &&
				      v == sizes[i].decimal,
			      "%s", sizes[i].text);
	}
}
END_TEST

START_TEST(odd_sizes_are_refused)
{
	static const char *const bad[] = {
		"",       "k",
		"-1",     "+1",
		"4q",     "1k ",
		"4kfoo",  "0x",
		"1.5",    "1..5k",
		"1e3",    "nan",
		"16384p", "99999999999999999999",
	};
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(!job_bytes(bad[i], 1024, &v, NULL), "%s", bad[i]);
}
END_TEST

START_TEST(times_are_those_of_fio)
{
	uint64_t v;

	ck_assert(job_time("5", 1000, &v, NULL) && v == 5000);
	ck_assert(job_time("5us", 1, &v, NULL) && v == 5000);
	ck_assert(job_time("5ms", 1, &v, NULL) && v == 5000000);
	ck_assert(job_time("5s", 1, &v, NULL) && v == 5000000000);
	ck_assert(job_time("5m", 1, &v, NULL) && v == 300000000000);
	ck_assert(job_time("1D", 1, &v, NULL) && v == 86400000000000);
	ck_assert(job_time("0.5s", 1, &v, NULL) && v == 500000000);
	/* fio takes these for microseconds. */
	ck_assert(!job_time("30sec", 1, &v, NULL));
	ck_assert(!job_time("5min", 1, &v, NULL));
	set("thinktime", "500");
	ck_assert_uint_eq(job.thinktime_ns, 500000);
	set("runtime", "2");
	ck_assert_uint_eq(job.runtime_ns, 2000000000);
	set("log_avg_msec", "1k");
	ck_assert_uint_eq(job.log_avg_ns, 1024000000);
	set("startdelay", "5-1");
	ck_assert_uint_eq(job.startdelay_ns, 1000000000);
	ck_assert_uint_eq(job.startdelay_max_ns, 5000000000);
}
END_TEST

START_TEST(inverted_units_are_noted)
{
	set("bs", "4k");
	ck_assert_uint_eq(job.n_notes, 0);
	set("bs", "4KiB");
	set("bs", "4KiB");
	ck_assert_uint_eq(job.n_notes, 1);
	ck_assert_ptr_nonnull(strstr(job.note[0], "4000 bytes"));
	ck_assert_uint_eq(job.bs[JOB_READ].min, 4000);
	set("kb_base", "1000");
	set("bs", "4KiB");
	ck_assert_uint_eq(job.bs[JOB_READ].min, 4096);
	ck_assert_uint_eq(job.n_notes, 1);
}
END_TEST

START_TEST(lists_are_per_direction)
{
	set("bs", "8k,16k");
	ck_assert_uint_eq(job.bs[JOB_READ].max, 8192);
	ck_assert_uint_eq(job.bs[JOB_WRITE].max, 16384);
	ck_assert_uint_eq(job.bs[JOB_TRIM].max, 16384);
	set("bs", ",4k");
	ck_assert_uint_eq(job.bs[JOB_READ].max, 8192);
	ck_assert_uint_eq(job.bs[JOB_WRITE].max, 4096);
	set("rate", ",500k");
	ck_assert_uint_eq(job.rate_bytes[JOB_READ], 0);
	ck_assert_uint_eq(job.rate_bytes[JOB_WRITE], 512000);
	set("percentage_random", "100,0,50");
	ck_assert_uint_eq(job.percentage_random[JOB_TRIM], 50);
	set("bsrange", "64k-4k,8k-8k");
	ck_assert_uint_eq(job.bs[JOB_READ].min, 4096);
	ck_assert_uint_eq(job.bs[JOB_READ].max, 65536);
	ck_assert_uint_eq(job.bs[JOB_TRIM].max, 8192);
	refuse("bs", "1k,2k,3k,4k");
	refuse("bsrange", "4k");
	refuse("percentage_random", "101");
}
END_TEST

START_TEST(shares_make_a_hundred)
{
	struct job_split s;

	ck_assert(!job_split_parse("4k/10:64k/50:32k", 1024, &s));
	ck_assert_uint_eq(s.n, 3);
	ck_assert_uint_eq(s.part[1].bytes, 65536);
	ck_assert_double_eq(s.part[2].pct, 40);
	ck_assert(!job_split_parse("1k:2k:3k/:4k/40", 1024, &s));
	ck_assert_double_eq(s.part[0].pct, 20);
	/* What is missing goes to the last. */
	ck_assert(!job_split_parse("1k/60:2k/10", 1024, &s));
	ck_assert_double_eq(s.part[1].pct, 40);
	ck_assert(job_split_parse("1k/60:2k/60", 1024, &s) == -EINVAL);
	ck_assert(job_split_parse("1k/x", 1024, &s) == -EINVAL);
	ck_assert(job_split_parse("", 1024, &s) == -EINVAL);
	ck_assert(!job_zones_parse("60/10:30/20:8/30:2/40", 1024, false, &s));
	ck_assert_double_eq(s.part[3].size_pct, 40);
	ck_assert(!job_zones_parse("60/20g:40/100g", 1024, true, &s));
	ck_assert_uint_eq(s.part[1].bytes, 100ull << 30);
	ck_assert(job_zones_parse("60:40", 1024, true, &s) == -EINVAL);
	set("kb_base", "1000");
	set("bssplit", "4k/50:8k/50,16k");
	ck_assert_str_eq(job.bs[JOB_READ].split, "4000/50:8000/50");
	ck_assert_str_eq(job.bs[JOB_TRIM].split, "16000/100");
	ck_assert_uint_eq(job.bs[JOB_READ].max, 8000);
	set("bs", "4k");
	ck_assert_ptr_null(job.bs[JOB_READ].split);
}
END_TEST

START_TEST(patterns_have_suffixes)
{
	set("rw", "randrw:8");
	ck_assert_uint_eq(job.rw_nr, 8);
	set("rw", "read:-8k");
	ck_assert_int_eq(job.rw_skip_bytes, -8192);
	ck_assert_uint_eq(job.rw_nr, 0);
	set("rw", "write");
	ck_assert_int_eq(job.rw_skip_bytes, 0);
	refuse("rw", "rand");
	refuse("rw", "randread:x");
	set("random_distribution", "zipf:1.2:0.5");
	ck_assert_uint_eq(job.distribution_kind, DISTRIBUTION_ZIPF);
	ck_assert_double_eq(job.distribution_arg, 1.2);
	ck_assert_double_eq(job.distribution_center, 0.5);
	set("random_distribution", "pareto");
	ck_assert_double_eq(job.distribution_arg, 0.2);
	set("random_distribution", "zoned:60/10:40/90,50/50:50/50");
	ck_assert_str_eq(job.distribution, "60/10:40/90,50/50:50/50");
	refuse("random_distribution", "zipf:1");
	refuse("random_distribution", "pareto:1");
	refuse("random_distribution", "zoned:x");
	set("file_service_type", "random:4");
	ck_assert_uint_eq(job.file_service_n, 4);
	set("file_service_type", "zipf:1.3");
	ck_assert_double_eq(job.file_service_arg, 1.3);
}
END_TEST

START_TEST(words_and_flags)
{
	set("continue_on_error", "read,verify");
	ck_assert_uint_eq(job.continue_on_error,
			  CONTINUE_READ | CONTINUE_VERIFY);
	set("sync_file_range", "wait_before,write:8");
	ck_assert_uint_eq(job.range_flags, 3);
	ck_assert_uint_eq(job.range_every, 8);
	set("ss", "bw_slope:0.3%");
	ck_assert(job.steady == STEADY_BW && job.steady_slope &&
		  job.steady_pct);
	ck_assert_double_eq(job.steady_limit, 0.3);
	set("ss", "lat:200us");
	ck_assert_double_eq(job.steady_limit, 200000);
	set("nice", "-20");
	ck_assert_int_eq(job.nice, -20);
	refuse("nice", "20");
	refuse("prio", "-1");
	set("cpumask", "0x5");
	ck_assert_str_eq(job.cpus_allowed, "0,2");
	refuse("cpus_allowed", "3-1");
	set("ignore_error", "EAGAIN,ENOSPC:5");
	refuse("ignore_error", "EIEIO");
	ck_assert_int_eq(job_errno("EIO"), EIO);
	refuse("direct", "true");
	refuse("time_based", "2");
	refuse("size", "(1+2)");
	refuse("size", "10z");
	set("verify", "md5");
	ck_assert_uint_eq(job.verify, VERIFY_XXHASH);
	ck_assert_uint_eq(job.n_notes, 1);
	set("cpus_allowed_policy", "split");
	ck_assert(job.cpus_split);
	ck_assert_int_eq(job_set(&job, "force_async", "0"), 0);
	ck_assert_int_eq(job_set(&job, "force_async", "1"), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "nearest"));
}
END_TEST

START_TEST(what_was_given_is_kept)
{
	struct job copy;

	job.defaults = true;
	set("blocksize", "8k");
	job_copy(&copy, &job);
	copy.defaults = false;
	ck_assert(!job_set(&copy, "time_based", NULL));
	ck_assert(!job_set(&copy, "bs", "4k"));
	ck_assert(!job_set(&copy, "bs", "16k"));
	ck_assert_uint_eq(copy.n_given, 3);
	ck_assert_str_eq(copy.given[0].name, "bs");
	ck_assert(copy.given[0].global && !copy.given[2].global);
	ck_assert_str_eq(copy.given[1].value, "1");
	ck_assert_str_eq(copy.given[2].value, "16k");
	job_free(&copy);
}
END_TEST

START_TEST(jobs_of_one_name)
{
	struct job three[3], read;
	struct json *j;

	for (int i = 0; i < 3; i++) {
		job_init(&three[i]);
		ck_assert(!job_set(&three[i], "name", i == 2 ? "a#2" : "a"));
	}
	ck_assert(!job_set(&three[1], "write_bw_log", NULL));
	jobs_settle(three, 3);
	ck_assert_str_eq(job_id(&three[0]), "a");
	ck_assert_str_eq(job_id(&three[1]), "a#2");
	ck_assert_str_eq(job_id(&three[2]), "a#2#2");
	ck_assert_str_eq(three[1].bw_log, "a#2");
	j = job_in_log(&three[0]);
	ck_assert_ptr_null(json_get(j, "id"));
	json_free(j);
	j = job_in_log(&three[1]);
	job_json_read(&read, j);
	json_free(j);
	ck_assert_str_eq(job_id(&read), "a#2");
	ck_assert_uint_eq(read.nth, 2);
	ck_assert_str_eq(read.name, "a");
	job_free(&read);
	for (int i = 0; i < 3; i++)
		job_free(&three[i]);
}
END_TEST

/* A median names the classes that it fits, and the sentence says when the p99 fits none. */
START_TEST(test_disk_classes)
{
	char buf[400];

	ck_assert_str_eq(disk_class_sentence(buf, sizeof(buf), DISK_CLASS_READ,
					     382e3, 900e3),
			 "A read of 4 KiB takes 382us (median): as a network "
			 "volume.");
	disk_class_sentence(buf, sizeof(buf), DISK_CLASS_READ, 100e3, 12e6);
	ck_assert_ptr_nonnull(strstr(buf, "an NVMe SSD or a SATA SSD."));
	ck_assert_ptr_nonnull(strstr(buf, "Its p99 of 12.0ms is not: "));
	disk_class_sentence(buf, sizeof(buf), DISK_CLASS_READ, 13e6, NAN);
	ck_assert_ptr_nonnull(strstr(buf, ": as a disk of 7200/min."));
	ck_assert_ptr_nonnull(strstr(disk_class_fits(buf, sizeof(buf),
						     DISK_CLASS_READ, 900),
				     "a cache answers"));
	ck_assert_ptr_nonnull(strstr(disk_class_fits(buf, sizeof(buf),
						     DISK_CLASS_READ, 1e9),
				     "slower than any"));
	/* 1.6 ms are a consumer's NVMe SSD, or others; never a disk's turn. */
	disk_class_fits(buf, sizeof(buf), DISK_CLASS_SYNC, 1.6e6);
	ck_assert_ptr_nonnull(strstr(buf, "NVMe"));
	ck_assert_ptr_null(strstr(buf, "7200"));
	for (size_t i = 0; i < n_disk_classes; i++)
		for (int io = 0; io < DISK_CLASS_IOS; io++)
			ck_assert(disk_classes[i].io[io].least_ns <
				  disk_classes[i].io[io].most_ns);
}
END_TEST

TCase *values_case(void)
{
	TCase *c = tcase_create("values");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, sizes_are_those_of_fio);
	tcase_add_test(c, odd_sizes_are_refused);
	tcase_add_test(c, times_are_those_of_fio);
	tcase_add_test(c, inverted_units_are_noted);
	tcase_add_test(c, lists_are_per_direction);
	tcase_add_test(c, shares_make_a_hundred);
	tcase_add_test(c, patterns_have_suffixes);
	tcase_add_test(c, words_and_flags);
	tcase_add_test(c, what_was_given_is_kept);
	tcase_add_test(c, jobs_of_one_name);
	tcase_add_test(c, test_disk_classes);
	return c;
}
