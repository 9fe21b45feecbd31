/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of job: the option table, values, defaults, checks, the log's view. */
#include "check_model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/fail.h"
#include "model/job/job.h"
#include "model/job/job_kind.h"

static struct job job;

struct json *job_in_log(const struct job *of)
{
	struct json_writer w = { 0 };
	struct json *j;

	job_json_write(&w, of);
	ck_assert(!json_parse(w.buf, w.len, &j));
	json_writer_free(&w);
	return j;
}

static void begin(void)
{
	job_init(&job);
}

static void end(void)
{
	job_free(&job);
}

START_TEST(defaults_are_those_of_fio)
{
	ck_assert_str_eq(job.engine, "psync");
	ck_assert_uint_eq(job.rw, RW_READ);
	ck_assert_uint_eq(job.rwmixread, 50);
	ck_assert_uint_eq(job.bs[0].max, 4096);
	ck_assert_uint_eq(job.iodepth, 1);
	ck_assert_uint_eq(job.numjobs, 1);
	ck_assert(job.randrepeat && job.invalidate);
	ck_assert(!job.direct && !job.time_based && !job.norandommap);
	ck_assert_uint_eq(job.runtime_ns, 0);
	ck_assert_ptr_null(job.filename);
}
END_TEST

/* What the log shows of a value, for each option that has a key there. */
static const struct {
	const char *name, *value;
	double number;
} settings[] = {
	{ "name", "x", NAN },           { "filename", "/tmp/a:/tmp/b", NAN },
	{ "directory", "/tmp", NAN },   { "size", "1g", 1073741824 },
	{ "io_size", "2m", 2097152 },   { "offset", "4k", 4096 },
	{ "rw", "randrw", NAN },        { "rwmixread", "60", 60 },
	{ "bs", "16k", 16384 },         { "ioengine", "libaio", NAN },
	{ "iodepth", "16", 16 },        { "iodepth_batch", "4", 4 },
	{ "iodepth_batch_complete", "2", 2 },
	{ "direct", "1", 1 },           { "numjobs", "3", 3 },
	{ "runtime", "60", 60e9 },      { "time_based", "1", 1 },
	{ "ramp_time", "500ms", 5e8 },  { "startdelay", "1s", 1e9 },
	{ "fsync", "32", 32 },          { "fdatasync", "8", 8 },
	{ "end_fsync", "1", 1 },        { "norandommap", "1", 1 },
	{ "randrepeat", "0", 0 },       { "randseed", "12345", 12345 },
	{ "invalidate", "0", 0 },
};

START_TEST(keyed_options_can_be_set)
{
	const struct job_option *o;
	size_t keyed = 0;

	for (size_t i = 0; (o = job_option_at(i)); i++)
		keyed += o->key != NULL;
	/* A new option with a key needs a line in the table above. */
	ck_assert_uint_eq(ARRAY_SIZE(settings), keyed);
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		struct json *j;

		o = job_option_find(settings[i].name);
		ck_assert_msg(o && o->key, "%s", settings[i].name);
		ck_assert_msg(!job_set(&job, o->name, settings[i].value), "%s",
			      fail_sentence());
		if (isnan(settings[i].number))
			continue;
		j = job_in_log(&job);
		ck_assert_double_eq(json_get_number(j, o->key),
				    settings[i].number);
		json_free(j);
	}
	ck_assert(job.direct);
}
END_TEST

START_TEST(options_are_well_formed)
{
	const struct job_option *o;
	size_t n;

	for (n = 0; (o = job_option_at(n)); n++) {
		size_t help = strlen(o->help);

		ck_assert_msg(help > 3 && o->help[help - 1] != '.', "%s",
			      o->name);
		ck_assert(*o->value && o->kind->parse);
		/* Each name and alias leads to its one row. */
		ck_assert_ptr_eq(job_option_find(o->name), o);
		if (o->alias)
			ck_assert_ptr_eq(job_option_find(o->alias), o);
		ck_assert_uint_lt(o->offset, sizeof(struct job));
		ck_assert_msg((o->class == JOB_ACTED) ==
				      (!o->why || o->kind == &job_engine),
			      "%s", o->name);
		/* What is recommended instead is an option that is there. */
		if (o->near && *o->near != '-') {
			char name[64];

			snprintf(name, sizeof(name), "%.*s",
				 (int)strcspn(o->near, "="), o->near);
			ck_assert_msg(job_option_find(name), "%s", o->near);
		}
		for (size_t k = 0; k < n && o->key; k++)
			if (job_option_at(k)->key)
				ck_assert_str_ne(o->key,
						 job_option_at(k)->key);
	}
	ck_assert_uint_ge(n, 200);
}
END_TEST

START_TEST(aliases_and_bare_words)
{
	ck_assert_int_eq(job_set(&job, "readwrite", "readwrite"), 0);
	ck_assert_uint_eq(job.rw, RW_RW);
	ck_assert_int_eq(job_set(&job, "blocksize", "8k"), 0);
	ck_assert_uint_eq(job.bs[0].max, 8192);
	ck_assert_int_eq(job_set(&job, "timeout", "5"), 0);
	ck_assert_uint_eq(job.runtime_ns, 5000000000);
	ck_assert_int_eq(job_set(&job, "time_based", NULL), 0);
	ck_assert(job.time_based);
	ck_assert_int_eq(job_set(&job, "direct", NULL), -EINVAL);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "direct needs a value"));
	ck_assert_int_eq(job_set(&job, "direct", "1"), 0);
	ck_assert(job.direct);
	ck_assert_int_eq(job_set(&job, "buffered", "1"), 0);
	ck_assert(!job.direct);
	ck_assert_int_eq(job_set(&job, "rwmixwrite", "30"), 0);
	ck_assert_uint_eq(job.rwmixread, 70);
	ck_assert_int_eq(job_set(&job, "size", "25%"), 0);
	ck_assert_uint_eq(job.size_pct, 25);
	ck_assert_uint_eq(job.size_bytes, 0);
	ck_assert_int_eq(job_set(&job, "size", "1m"), 0);
	ck_assert_uint_eq(job.size_pct, 0);
}
END_TEST

START_TEST(bad_values_are_refused)
{
	static const char *const bad[][2] = {
		{ "bs", "0" },
		{ "bs", "4q" },
		{ "bs", "2g" },
		{ "bs", "" },
		{ "size", "0" },
		{ "size", "101%" },
		{ "size", "%" },
		{ "size", "0%" },
		{ "iodepth", "0" },
		{ "iodepth", "1.5" },
				{ "rw", "sideways" },
		{ "direct", "yes" },
		{ "rwmixread", "101" },
		{ "rwmixwrite", "101" },
		{ "runtime", "soon" },
		{ "numjobs", "-1" },
		{ "verify", "md" },
		{ "name", "" },
		{ "filename", "" },
		{ "ioengine", "a-name-that-is-too-long" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ck_assert_msg(job_set(&job, bad[i][0], bad[i][1]) == -EINVAL,
			      "%s=%s", bad[i][0], bad[i][1]);
		ck_assert_ptr_nonnull(strstr(fail_sentence(), bad[i][0]));
	}
	ck_assert_int_eq(job_set(&job, "bs", NULL), -EINVAL);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "needs a value"));
}
END_TEST

START_TEST(unknown_options_get_a_hint)
{
	ck_assert_int_eq(job_set(&job, "iodeph", "4"), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "did you mean iodepth"));
	ck_assert_int_eq(job_set(&job, "zonemode", "zbd"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "zonemode"));
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "not supported"));
}
END_TEST

static void set(const char *name, const char *value)
{
	ck_assert_msg(!job_set(&job, name, value), "%s", fail_sentence());
}

START_TEST(a_job_is_checked)
{
	ck_assert_int_eq(job_check(&job), -EINVAL);
	set("name", "a/b");
	ck_assert_int_eq(job_check(&job), -EINVAL);
	set("name", "..");
	ck_assert_int_eq(job_check(&job), -EINVAL);
	set("name", "x");
	ck_assert_int_eq(job_check(&job), 0);
	set("time_based", "1");
	ck_assert_int_eq(job_check(&job), -EINVAL);
	set("runtime", "1");
	ck_assert_int_eq(job_check(&job), 0);
	set("direct", "1");
	set("bs", "1000");
	ck_assert_int_eq(job_check(&job), -EINVAL);
	set("bs", "4k");
	set("size", "1k");
	ck_assert_int_eq(job_check(&job), -EINVAL);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "job x"));
}
END_TEST

START_TEST(copies_are_deep)
{
	struct job copy;

	set("filename", "/tmp/one");
	job_copy(&copy, &job);
	set("filename", "/tmp/two");
	ck_assert_str_eq(copy.filename, "/tmp/one");
	job_free(&copy);
	ck_assert_ptr_null(copy.filename);
}
END_TEST

/* Values that some option takes; the first that fits is used. */
static const char *const candidates[] = {
	"x",      "1",	   "4k/50:64k/50",   "zoned:50/5:50/95",
	"read",   "4k-8k", "64k/25/1/1:64k", "iops:2%",
	"write:8", "EIO",   "0",	     "none",
	"64k/100/1/1", "errors==0", "more", "2m"
};

static void set_each_option(struct job *j)
{
	const struct job_option *o;

	for (size_t i = 0; (o = job_option_at(i)); i++) {
		size_t k = 0;

		if (o->class != JOB_ACTED)
			continue;
		if (o->words && !job_set(j, o->name, o->words->word) &&
		    !o->kind->owned)
			continue;
		while (k < ARRAY_SIZE(candidates) &&
		       job_set(j, o->name, candidates[k]) < 0)
			k++;
		ck_assert_msg(k < ARRAY_SIZE(candidates),
			      "%s takes none of the values of this test",
			      o->name);
	}
	/* The last of several that share a member, with a text of their own. */
	ck_assert(!job_set(j, "random_distribution", "zoned:50/5:50/95"));
	ck_assert(!job_set(j, "bssplit", "4k/50:64k/50"));
}

/* The options' texts in both jobs: no two pointers are equal. */
static void check_own_texts(struct job *a, struct job *b)
{
	const struct job_option *o;
	char **one, **two;

	for (size_t i = 0; (o = job_option_at(i)); i++) {
		if (o->class != JOB_ACTED || !o->kind->owned)
			continue;
		for (unsigned k = 0;
		     (one = o->kind->owned(a, (char *)a + o->offset, k)); k++) {
			two = o->kind->owned(b, (char *)b + o->offset, k);
			ck_assert_msg(k || *one, "%s has no text", o->name);
			ck_assert_msg(!*one || *one != *two,
				      "%s is shared by two jobs", o->name);
			if (*one)
				ck_assert_str_eq(*one, *two);
		}
	}
}

extern char _end; /* by the linker: the heap begins behind it */

/* No pointer into the heap stands in both jobs, whatever the rows say. */
static void check_shares_nothing(const struct job *a, const struct job *b)
{
	const uintptr_t low = (uintptr_t)&_end, high = (uintptr_t)sbrk(0);
	uintptr_t x, y;

	for (size_t at = 0; at + sizeof(x) <= sizeof(*a); at += sizeof(x)) {
		memcpy(&x, (const char *)a + at, sizeof(x));
		memcpy(&y, (const char *)b + at, sizeof(y));
		ck_assert_msg(x != y || x < low || x >= high,
			      "offset %zu of struct job is shared", at);
	}
}

START_TEST(a_copy_shares_no_text_of_an_option)
{
	struct job copy;

	set_each_option(&job);
	job_copy(&copy, &job);
	check_own_texts(&job, &copy);
	check_shares_nothing(&job, &copy);
	set_each_option(&copy);
	ck_assert(!job_set(&copy, "description", "changed"));
	ck_assert_str_eq(job.description, "x");
	job_free(&copy);
	ck_assert_ptr_null(copy.description);
	ck_assert_str_eq(job.description, "x");
	ck_assert_str_eq(job.distribution, "50/5:50/95");
	ck_assert_str_eq(job.bs[JOB_TRIM].split, "4096/50:65536/50");
}
END_TEST

START_TEST(the_log_tells_the_job)
{
	struct json *j;

	set("name", "x");
	set("rw", "randwrite");
	set("bs", "16k");
	j = job_in_log(&job);
	ck_assert_str_eq(json_get_string(j, "name"), "x");
	ck_assert_str_eq(json_get_string(j, "rw"), "randwrite");
	ck_assert_str_eq(json_get_string(j, "engine"), "psync");
	ck_assert_double_eq(json_get_number(j, "block_bytes"), 16384);
	ck_assert_ptr_null(json_get(j, "filename"));
	json_free(j);
	ck_assert_str_eq(job_rw_name(RW_RANDRW), "randrw");
	ck_assert_str_eq(job_rw_name(99), "?");
	ck_assert(job_writes(&job) && !job_reads(&job) && job_random(&job));
}
END_TEST

TCase *job_case(void)
{
	TCase *c = tcase_create("job");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, defaults_are_those_of_fio);
	tcase_add_test(c, keyed_options_can_be_set);
	tcase_add_test(c, options_are_well_formed);
	tcase_add_test(c, aliases_and_bare_words);
	tcase_add_test(c, bad_values_are_refused);
	tcase_add_test(c, unknown_options_get_a_hint);
	tcase_add_test(c, a_job_is_checked);
	tcase_add_test(c, copies_are_deep);
	tcase_add_test(c, a_copy_shares_no_text_of_an_option);
	tcase_add_test(c, the_log_tells_the_job);
	return c;
}
