/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/workload: what writes carry, read back from the file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "workload/data.h"

#include "workload_help.h"

static char *dir;

static void setup(void)
{
	dir = make_dir();
}

static void teardown(void)
{
	remove_dir(dir);
}

#define FILE_BYTES 65536

/* Run a writer with these options ("a=1 b=2") and take what it wrote. */
static char *written(const char *options)
{
	char *copy = xstrdup(options), *save = NULL, path[300];
	char *buf = xmalloc(FILE_BYTES);
	struct outcome o;
	struct job job;
	int fd;

	job_init(&job);
	set_option(&job, "name", "data");
	set_option(&job, "directory", dir);
	set_option(&job, "rw", "write");
	set_option(&job, "size", "64k");
	for (char *p = strtok_r(copy, " ", &save); p;
	     p = strtok_r(NULL, " ", &save)) {
		char *value = strchr(p, '=');

		*value++ = '\0';
		set_option(&job, p, value);
	}
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	snprintf(path, sizeof(path), "%s/data.0.0", dir);
	fd = open(path, O_RDONLY);
	ck_assert_int_eq(read(fd, buf, FILE_BYTES), FILE_BYTES);
	close(fd);
	free_outcome(&o);
	job_free(&job);
	free(copy);
	return buf;
}

/* How many 512-byte segments of the file hold the same as the first one. */
static unsigned twins(const char *buf)
{
	unsigned n = 0;

	for (size_t at = 512; at < FILE_BYTES; at += 512)
		n += !memcmp(buf, buf + at, 512);
	return n;
}

static void expect_pattern(const char *options, const char *bytes, size_t n,
			   size_t block)
{
	char *buf = written(options);

	for (size_t at = 0; at < FILE_BYTES; at++)
		ck_assert_msg(buf[at] == bytes[at % block % n],
			      "%s: byte %zu is %02x", options, at,
			      (unsigned char)buf[at]);
	free(buf);
}

/* A file that would keep its reader waiting is none. */
START_TEST(pattern_of_a_fifo)
{
	char folder[] = "/var/tmp/iodyno-data-XXXXXX", path[64], text[80];
	struct data_pattern n;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/fifo", folder);
	snprintf(text, sizeof(text), "'%s'", path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!data_pattern_parse(&n, text, false));
	unlink(path);
	rmdir(folder);
	ck_assert(!data_pattern_parse(&n, "'/dev/zero'", false));
}
END_TEST


/* The bytes that fio 3.33 writes for these. */
START_TEST(notation)
{
	static const struct {
		const char *text, *bytes;
		size_t n;
	} rows[] = {
		{ "\"abcd\"", "abcd", 4 },
		{ "0xdeadbee", "\x0d\xea\xdb\xee", 4 },
		{ "-12", "\xf4\xff\xff\xff", 4 },
		{ "70000", "\x70\x11\x01", 3 },
		{ "255", "\xff", 1 },
		{ "0", "\0", 1 },
		{ "0x12\"x\"7", "\x12x\x07", 3 },
	};
	static const char *const bad[] = { "",      "\"\"",  "\"ab",
					   "0x",    "hello", "1 2",
					   "0x12g", "''",    "'/no/such/file'",
					   "%o" };
	struct data_pattern n;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ck_assert(data_pattern_parse(&n, rows[i].text, false));
		ck_assert_uint_eq(n.n, rows[i].n);
		ck_assert_int_eq(memcmp(n.bytes, rows[i].bytes, n.n), 0);
		data_pattern_free(&n);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(!data_pattern_parse(&n, bad[i], false), "%s",
			      bad[i]);
}
END_TEST

START_TEST(patterns_are_written)
{
	char path[300], *options;

	expect_pattern("zero_buffers=1", "\0", 1, 4096);
	expect_pattern("zero_buffers=1 iodepth=4 ioengine=libaio bs=8k", "\0",
		       1, 8192);
	expect_pattern("buffer_pattern=0xabcdef bs=4k", "\xab\xcd\xef", 3,
		       4096);
	expect_pattern("buffer_pattern=\"wal\" rw=randwrite refill_buffers=1",
		       "wal", 3, 4096);
	snprintf(path, sizeof(path), "%s/seed", dir);
	make_file(path, 100, 'q');
	options = xasprintf("buffer_pattern='%s'", path);
	expect_pattern(options, "q", 1, 4096);
	free(options);
}
END_TEST

START_TEST(random_is_not_repeated)
{
	char *buf;

	/* Each block has a mark of its own, and 512 bytes are unlike. */
	buf = written("bs=4k");
	ck_assert_uint_eq(twins(buf), 0);
	for (size_t at = 4096; at < FILE_BYTES; at += 4096)
		ck_assert_int_ne(memcmp(buf, buf + at, 4096), 0);
	free(buf);
	/* Filled once and never touched: the same block over and over. */
	buf = written("bs=4k scramble_buffers=0");
	ck_assert_uint_eq(twins(buf), 15);
	free(buf);
	buf = written("bs=4k refill_buffers=1 scramble_buffers=0");
	ck_assert_uint_eq(twins(buf), 0);
	free(buf);
}
END_TEST

START_TEST(compressible_share)
{
	static const unsigned pct[] = { 25, 50, 90, 100 };

	for (size_t i = 0; i < ARRAY_SIZE(pct); i++) {
		char *options =
			xasprintf("buffer_compress_percentage=%u", pct[i]);
		char *buf = written(options);
		size_t zeros = 0, tail = 512 * pct[i] / 100;

		for (size_t at = 0; at < FILE_BYTES; at++)
			zeros += buf[at] == 0;
		for (size_t at = 0; at < FILE_BYTES; at += 512)
			for (size_t k = 512 - tail; k < 512; k++)
				ck_assert_int_eq(buf[at + k], 0);
		/* Of the rest, one byte in 256 is 0 by chance. */
		ck_assert_uint_lt(zeros, FILE_BYTES * pct[i] / 100 + 600);
		if (pct[i] < 100)
			ck_assert_uint_eq(twins(buf), 0);
		free(options);
		free(buf);
	}
	/* Larger pieces. */
	{
		char *buf = written("buffer_compress_percentage=50 "
				    "buffer_compress_chunk=4k");

		for (size_t at = 0; at < FILE_BYTES; at += 4096)
			for (size_t k = 2048; k < 4096; k++)
				ck_assert_int_eq(buf[at + k], 0);
		ck_assert_int_ne(buf[512] | buf[513] | buf[514] | buf[515], 0);
		free(buf);
	}
	/* The pattern takes the place of zeros. */
	{
		char *buf = written("buffer_compress_percentage=50 "
				    "buffer_pattern=\"z\"");

		for (size_t at = 0; at < FILE_BYTES; at += 512)
			for (size_t k = 256; k < 512; k++)
				ck_assert_int_eq(buf[at + k], 'z');
		free(buf);
	}
}
END_TEST

#define SECTORS (FILE_BYTES / 512)

static bool holds(const char *sectors, unsigned n, const char *one)
{
	while (n--)
		if (!memcmp(sectors + n * 512, one, 512))
			return true;
	return false;
}

/* How many sectors hold the same as one before them. */
static unsigned repeats(const char *options)
{
	char *buf = written(options);
	unsigned n = 0;

	for (unsigned i = 1; i < SECTORS; i++)
		n += holds(buf, i, buf + i * 512);
	free(buf);
	return n;
}

/* Shares are taken as met within five standard deviations. */
START_TEST(blocks_repeat)
{
	ck_assert_uint_eq(repeats("bs=512 refill_buffers=1"), 0);
	ck_assert_uint_eq(repeats("bs=512 dedupe_percentage=100"), SECTORS - 1);
	ck_assert_uint_ge(repeats("bs=512 dedupe_percentage=50"),
			  SECTORS / 2 - 29);
	ck_assert_uint_le(repeats("bs=512 dedupe_percentage=50"),
			  SECTORS / 2 + 29);
	/* Of a set of twelve each is written for the first time once. */
	ck_assert_uint_ge(repeats("bs=512 dedupe_percentage=90 "
				  "dedupe_mode=working_set "
				  "dedupe_working_set_percentage=10"),
			  SECTORS * 9 / 10 - 12 - 17);
}
END_TEST

static void two_writers(struct job job[2], const char *global)
{
	for (int i = 0; i < 2; i++) {
		job_init(&job[i]);
		set_option(&job[i], "name", i ? "b" : "a");
		set_option(&job[i], "directory", dir);
		set_option(&job[i], "rw", "write");
		set_option(&job[i], "size", "64k");
		set_option(&job[i], "bs", "512");
		set_option(&job[i], "dedupe_percentage", "99");
		set_option(&job[i], "dedupe_mode", "working_set");
		set_option(&job[i], "dedupe_working_set_percentage", "10");
		set_option(&job[i], "dedupe_global", global);
	}
}

/* How many sectors of one job's file the other's holds as well. */
static unsigned common(const char *global)
{
	char buf[2][FILE_BYTES], path[300];
	struct outcome o;
	struct job job[2];
	unsigned n = 0;

	two_writers(job, global);
	run_jobs(&o, job, 2, NULL);
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	for (int i = 0; i < 2; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/%s.0.0", dir, i ? "b" : "a");
		fd = open(path, O_RDONLY);
		ck_assert_int_eq(read(fd, buf[i], FILE_BYTES), FILE_BYTES);
		close(fd);
		job_free(&job[i]);
	}
	for (unsigned i = 0; i < SECTORS; i++)
		n += holds(buf[0], SECTORS, buf[1] + i * 512);
	return n;
}

START_TEST(sets_are_shared)
{
	ck_assert_uint_eq(common("0"), 0);
	ck_assert_uint_gt(common("1"), SECTORS * 3 / 4);
}
END_TEST

START_TEST(bad_pattern_is_refused)
{
	struct outcome o;
	struct job job;

	job_init(&job);
	set_option(&job, "name", "data");
	set_option(&job, "directory", dir);
	set_option(&job, "rw", "write");
	set_option(&job, "size", "64k");
	set_option(&job, "buffer_pattern", "hello");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, -EINVAL);
	ck_assert_ptr_nonnull(strstr(o.sentence, "buffer_pattern=hello"));
	job_free(&job);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("data");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, pattern_of_a_fifo);
	tcase_add_test(tc, notation);
	tcase_add_test(tc, patterns_are_written);
	tcase_add_test(tc, random_is_not_repeated);
	tcase_add_test(tc, compressible_share);
	tcase_add_test(tc, blocks_repeat);
	tcase_add_test(tc, sets_are_shared);
	tcase_add_test(tc, bad_pattern_is_refused);
	suite_add_tcase(suite, tc);
}
