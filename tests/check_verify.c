/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of verify: every kind of damage by name, lost writes of a second run,
 * maps, and whole jobs over a file that is damaged behind their back.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "workload/target/target.h"
#include "workload/verify/verify.h"

#include "workload_help.h"

#define BYTES 4096

static const struct verify_rule rule = { .bytes = BYTES, .payload = true };
static const struct verify_id id = { .run = 77, .generation = 3, .offset = 8192 };
static char block[BYTES], scratch[BYTES], words[200];

static enum verify_damage check(void)
{
	return verify_check(&rule, &id, block, scratch, words, sizeof(words));
}

static void fill(uint64_t run, uint64_t generation, uint64_t offset)
{
	const struct verify_id other = {
		.run = run, .generation = generation, .offset = offset
	};

	verify_fill(&rule, &other, block);
}

START_TEST(good_is_good)
{
	fill(77, 3, 8192);
	ck_assert_int_eq(check(), DAMAGE_NONE);
	/* Two blocks are never alike. */
	verify_fill(&rule,
		    &(struct verify_id){
			    .run = 77, .generation = 4, .offset = 8192 },
		    scratch);
	ck_assert_int_ne(memcmp(block + 100, scratch + 100, 64), 0);
}
END_TEST

START_TEST(every_damage_has_its_name)
{
	memset(block, 0, BYTES);
	ck_assert_int_eq(check(), DAMAGE_ZERO);
	fill(77, 2, 8192);
	ck_assert_int_eq(check(), DAMAGE_STALE);
	ck_assert_ptr_nonnull(strstr(words, "write 2 of this place"));
	fill(76, 3, 8192);
	ck_assert_int_eq(check(), DAMAGE_STALE);
	ck_assert_ptr_nonnull(strstr(words, "another run"));
	fill(77, 3, 4096);
	ck_assert_int_eq(check(), DAMAGE_MISPLACED);
	ck_assert_ptr_nonnull(strstr(words, "offset 4096"));
	for (int i = 0; i < BYTES; i++)
		block[i] = (char)(i * 7 + 1);
	ck_assert_int_eq(check(), DAMAGE_LOST);
}
END_TEST

/* A bit anywhere, in header or payload, is found and called a flip. */
START_TEST(any_flipped_bit_is_found)
{
	for (size_t bit = 0; bit < BYTES * 8; bit += 41) {
		fill(77, 3, 8192);
		block[bit / 8] ^= (char)(1 << bit % 8);
		ck_assert_int_eq(check(), DAMAGE_BIT_FLIP);
	}
	ck_assert_ptr_nonnull(strstr(words, "1 bit flipped"));
}
END_TEST

/* Sectors of two writes in one block, the header of either. */
START_TEST(torn_blocks_are_found)
{
	char old[BYTES];

	fill(77, 2, 8192);
	memcpy(old, block, BYTES);
	for (size_t cut = 512; cut < BYTES; cut += 512) {
		fill(77, 3, 8192);
		memcpy(block + cut, old + cut, BYTES - cut);
		ck_assert_int_eq(check(), DAMAGE_TORN);
		fill(77, 3, 8192);
		memcpy(block, old, cut);
		ck_assert_int_eq(check(), DAMAGE_TORN);
	}
	/* Zeros in one sector. */
	fill(77, 3, 8192);
	memset(block + 1024, 0, 512);
	ck_assert_int_eq(check(), DAMAGE_TORN);
	ck_assert_ptr_nonnull(strstr(words, "sector 2 to 2"));
}
END_TEST

START_TEST(unknown_writers_must_agree_with_themselves)
{
	const struct verify_id any = { .offset = 8192 };

	fill(5, 9, 8192);
	ck_assert_int_eq(
		verify_check(&rule, &any, block, scratch, words, sizeof(words)),
		DAMAGE_NONE);
	block[2000] ^= 1;
	ck_assert_int_eq(
		verify_check(&rule, &any, block, scratch, words, sizeof(words)),
		DAMAGE_BIT_FLIP);
	fill(5, 9, 4096);
	ck_assert_int_eq(
		verify_check(&rule, &any, block, scratch, words, sizeof(words)),
		DAMAGE_MISPLACED);
	memset(block, 7, BYTES);
	ck_assert_int_eq(
		verify_check(&rule, &any, block, scratch, words, sizeof(words)),
		DAMAGE_LOST);
}
END_TEST

/* fio: %o is the block's offset, eight bytes, the least first. */
START_TEST(patterns_hold_the_offset)
{
	struct verify_rule r = { .bytes = BYTES };
	struct verify_id other = id;
	uint64_t offset;

	ck_assert(data_pattern_parse(&r.pattern, "0xff%o\"abcd\"-12", true));
	ck_assert_uint_eq(r.pattern.n, 1 + 8 + 4 + 4);
	verify_fill(&r, &id, block);
	memcpy(&offset, block + 17 + 1, sizeof(offset));
	ck_assert_uint_eq(le64toh(offset), id.offset);
	ck_assert_mem_eq(block + 17 + 9, "abcd\xf4\xff\xff\xff\xff", 9);
	ck_assert_int_eq(
		verify_check(&r, &id, block, scratch, words, sizeof(words)),
		DAMAGE_NONE);
	other.offset += BYTES;
	ck_assert_int_ne(
		verify_check(&r, &other, block, scratch, words, sizeof(words)),
		DAMAGE_NONE);
	block[99] ^= 4;
	ck_assert_int_eq(
		verify_check(&r, &id, block, scratch, words, sizeof(words)),
		DAMAGE_BIT_FLIP);
	data_pattern_free(&r.pattern);
	ck_assert(!data_pattern_parse(&r.pattern, "%x", true));
}
END_TEST

START_TEST(a_claim_excludes)
{
	struct verify_map *m = verify_map_new(4096, 10000, 1, false);

	ck_assert(verify_map_claim(m, 5000, 4));
	ck_assert(!verify_map_claim(m, 4998, 3));
	/* What could not be had whole was not taken at all. */
	ck_assert(verify_map_claim(m, 4998, 2));
	verify_map_release(m, 5000, 4);
	ck_assert(verify_map_claim(m, 5000, 4));
	verify_map_set(m, 5001, 1);
	verify_map_set(m, 5002, VERIFY_UNSURE);
	verify_map_set(m, 5003, 2);
	ck_assert_uint_eq(verify_map_next(m, 0, 10000), 5001);
	ck_assert_uint_eq(verify_map_next(m, 0, 10000), 5003);
	ck_assert_uint_eq(verify_map_next(m, 0, 10000), 10000);
	verify_map_free(m);
}
END_TEST

/* Whole jobs. */

static char *dir;
static char path[300];

static void setup(void)
{
	dir = make_dir();
	snprintf(path, sizeof(path), "%s/file", dir);
	ck_assert_int_eq(chdir(dir), 0);
}

static void teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	remove_dir(dir);
}

/* Options as words "key=value", NULL at the end. */
static void init_job(struct job *job, const char *const *word)
{
	job_init(job);
	set_option(job, "name", "v");
	set_option(job, "filename", path);
	set_option(job, "size", "1m");
	for (; *word; word++) {
		char *text = xstrdup(*word), *eq = strchr(text, '=');

		*eq = '\0';
		set_option(job, text, eq + 1);
		free(text);
	}
}

static void run_words(struct outcome *o, const char *const *word)
{
	struct job job;

	init_job(&job, word);
	run_jobs(o, &job, 1, NULL);
	job_free(&job);
}

#define RUN(o, ...) run_words(&(o), (const char *const[]){ __VA_ARGS__, NULL })

static const char *const engines_of_files[] = { "psync", "libaio" };
static const char *const shapes[][3] = {
	{ "rw=write", "bs=4k", "numjobs=1" },
	{ "rw=randwrite", "bs=4k", "numjobs=1" },
	{ "rw=randwrite", "norandommap=1", "io_size=3m" },
	{ "rw=randrw", "bs=4k", "io_size=4m" },
	{ "rw=write", "bs=16k", "verify_interval=4096" },
	{ "rw=randwrite", "verify_backlog=7", "io_size=2m" },
	{ "rw=randwrite", "verify=pattern", "verify_pattern=0xabcd" },
	{ "rw=write", "verify_offset=100", "bs=4k" },
	{ "rw=randwrite", "bs_is_seq_rand=1", "bs=4k,64k" },
	{ "rw=randwrite", "numjobs=3", "norandommap=1" },
	{ "rw=randwrite", "numjobs=3", "process=1" },
};

/* Nothing is wrong, and nothing is found; all that was written is read. */
START_TEST(sound_files_pass)
{
	const char *const *s = shapes[_i / 2];
	char engine[40];
	struct outcome o;

	snprintf(engine, sizeof(engine), "ioengine=%s",
		 engines_of_files[_i % 2]);
	RUN(o, "verify=xxhash", engine, "iodepth=8", "direct=0", s[0], s[1],
	    s[2]);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_gt(o.row->op[JOB_WRITE].ios, 0);
	if (!strncmp(s[1], "verify_backlog", 14))
		ck_assert_uint_gt(o.row->op[JOB_VERIFY].ios, 0);
	ck_assert_uint_gt(o.row->op[JOB_VERIFY].bytes, 0);
	if (!strcmp(s[0], "rw=write"))
		ck_assert_uint_eq(o.row->op[JOB_VERIFY].bytes, 1 << 20);
	free_outcome(&o);
}
END_TEST

static const char *const crowds[][3] = {
	{ "time_based=1", "runtime=500ms", "iodepth=1" },
	{ "time_based=1", "runtime=500ms", "iodepth=4" },
	{ "loops=300", "rate_iops=20000", "iodepth=1" },
	{ "loops=300", "fdatasync=8", "iodepth=1" },
};

/*
 * Clones that write the same few places wait for each other's I/Os all the
 * time, with no other I/O left: neither that nor the end of the run, which may
 * come in the midst of it, keeps one waiting for ever.
 */
START_TEST(clones_in_one_place_end)
{
	const char *const *c = crowds[_i];
	struct outcome o;

	RUN(o, "size=8k", "rw=randwrite", "numjobs=4", "verify=crc32c",
	    "ioengine=libaio", "direct=0", c[0], c[1], c[2]);
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_gt(o.row->op[JOB_WRITE].ios, 0);
	ck_assert_uint_eq(o.row->op[JOB_VERIFY].bytes, 8 << 10);
	free_outcome(&o);
}
END_TEST

/*
 * One that is through with its writes, and waits for another's before it reads
 * back its own, has no rate to keep.
 */
START_TEST(reading_back_keeps_no_rate)
{
	static const char *const quick[] = {
		"rw=write",         "verify=crc32c",  "size=64k",
		"rate_iops_min=10", "rate_cycle=100", NULL
	};
	static const char *const slow[] = {
		"name=b",   "rw=write",   "verify=crc32c",
		"size=64k", "offset=64k", "rate_iops=16",
		NULL
	};
	struct job job[2];
	struct outcome o;

	init_job(&job[0], quick);
	init_job(&job[1], slow);
	run_well(&o, job, 2);
	ck_assert_uint_eq(o.row->op[JOB_VERIFY].bytes, 64 << 10);
	free_outcome(&o);
	job_free(&job[0]);
	job_free(&job[1]);
}
END_TEST

/* As a medium does it: the file system does not notice. */
static void damage(off_t offset, const void *bytes, size_t n)
{
	int fd = open(path, O_RDWR);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, bytes, n, offset), (ssize_t)n);
	layout_mark_left(fd);
	close(fd);
}

static void must_find(struct outcome *o, const char *what, const char *where)
{
	ck_assert_int_ne(o->close_rc, 0);
	ck_assert_msg(strstr(o->sentence, what) != NULL, "%s", o->sentence);
	ck_assert_msg(strstr(o->sentence, where) != NULL, "%s", o->sentence);
	free_outcome(o);
}

START_TEST(a_later_run_finds_damage)
{
	struct outcome o;
	char zeros[4096] = "", saved[4096];
	int fd;

	RUN(o, "rw=write", "verify=xxhash", "verify_state_save=1");
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	/* By headers alone, and by the state of that run. */
	RUN(o, "rw=read", "verify=xxhash");
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	RUN(o, "rw=write", "verify=xxhash", "verify_only=1",
	    "verify_state_load=1");
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_VERIFY].bytes, 1 << 20);
	ck_assert_uint_eq(o.row->op[JOB_WRITE].ios, 0);
	free_outcome(&o);

	fd = open(path, O_RDONLY);
	ck_assert_int_eq(pread(fd, saved, 4096, 40960), 4096);
	close(fd);
	damage(81920, saved, 4096);
	RUN(o, "rw=randread", "verify=xxhash");
	must_find(&o, "misplaced", "offset 81920");
	damage(81920, zeros, 4096);
	RUN(o, "rw=read", "verify=xxhash");
	must_find(&o, "all zeros", "offset 81920");
}
END_TEST

/*
 * A second run of the same job whose write of one block is lost: the block of
 * the first run is whole and in its place, and still found.
 */
START_TEST(a_write_lost_in_a_second_run_is_found)
{
	struct outcome o;
	char saved[4096];
	int fd;

	RUN(o, "rw=write", "verify=crc32c");
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	fd = open(path, O_RDONLY);
	ck_assert_int_eq(pread(fd, saved, 4096, 65536), 4096);
	close(fd);
	RUN(o, "rw=write", "verify=crc32c", "verify_state_save=1");
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	damage(65536, saved, 4096);
	RUN(o, "rw=write", "verify=crc32c", "verify_only=1",
	    "verify_state_load=1", "verify_dump=1");
	must_find(&o, "stale", "offset 65536");
	ck_assert_int_eq(access("file.65536.received", R_OK), 0);
	ck_assert_int_eq(access("file.65536.expected", R_OK), 0);
	/* A state that is of something else is kept. */
	RUN(o, "rw=write", "verify=crc32c", "verify_state_save=1",
	    "verify_state_load=1", "bs=8k");
	ck_assert_int_ne(o.open_rc, 0);
	free_outcome(&o);
	ck_assert_int_eq(access("v-0-verify.state", R_OK), 0);
}
END_TEST

/* A good disk is good, wherever the I/Os begin. */
static const char *const offset_jobs[][3] = {
	{ "rw=randwrite", "blockalign=512", "norandommap=1" },
	{ "rw=write:1k", "io_size=512k", "bs=4k" },
	{ "rw=write", "blockalign=1k", "bs=4k" },
	{ "rw=write:-1k", "io_size=256k", "bs=4k" },
};

START_TEST(offsets_that_are_no_multiples_of_the_block)
{
	const char *const *o = offset_jobs[_i];
	struct outcome outcome;

	RUN(outcome, "verify=crc32c", o[0], o[1], o[2]);
	ck_assert_msg(outcome.open_rc == 0 && outcome.close_rc == 0,
		      "%s %s: %s", o[0], o[1], outcome.sentence);
	ck_assert_uint_gt(outcome.row->op[JOB_VERIFY].bytes, 0);
	free_outcome(&outcome);
}
END_TEST

START_TEST(what_cannot_be_verified_is_refused)
{
	struct outcome o;
	struct job job;

	RUN(o, "rw=write", "verify=xxhash", "bs=64");
	ck_assert_int_ne(o.open_rc, 0);
	ck_assert_ptr_nonnull(strstr(o.sentence, "at least 128"));
	RUN(o, "rw=write", "verify=xxhash", "verify_offset=4090");
	ck_assert_int_ne(o.open_rc, 0);
	RUN(o, "rw=write", "verify=xxhash", "ioengine=null");
	ck_assert_int_ne(o.open_rc, 0);
	RUN(o, "rw=write", "verify=xxhash", "verify_interval=3000");
	ck_assert_int_ne(o.open_rc, 0);
	/* An interval that is no divisor of the blocks becomes one. */
	RUN(o, "rw=write", "verify=xxhash", "verify_interval=3k");
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	RUN(o, "rw=randwrite", "verify=xxhash", "bsrange=1k-7k",
	    "verify_interval=4k");
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	RUN(o, "rw=write", "verify=pattern", "verify_pattern=%o",
	    "verify_pattern_interval=512");
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	RUN(o, "rw=write", "verify=xxhash", "bssplit=4k/30:6k/40:8k/30");
	ck_assert_int_ne(o.open_rc, 0);
	ck_assert_ptr_nonnull(strstr(o.sentence, "verify_interval"));
	RUN(o, "rw=randwrite", "verify=xxhash", "bssplit=4k/30:6k/40:8k/30",
	    "verify_interval=2k");
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	free_outcome(&o);
	job_init(&job);
	ck_assert_int_eq(job_set(&job, "verify_backlog", "1t"), -EINVAL);
	job_free(&job);
	RUN(o, "rw=write", "verify=pattern");
	ck_assert_int_ne(o.close_rc, 0);
	free_outcome(&o);
}
END_TEST

static void blocks(Suite *s)
{
	TCase *t = tcase_create("blocks");

	tcase_add_test(t, good_is_good);
	tcase_add_test(t, every_damage_has_its_name);
	tcase_add_test(t, any_flipped_bit_is_found);
	tcase_add_test(t, torn_blocks_are_found);
	tcase_add_test(t, unknown_writers_must_agree_with_themselves);
	tcase_add_test(t, patterns_hold_the_offset);
	tcase_add_test(t, a_claim_excludes);
	suite_add_tcase(s, t);
}

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("jobs");

	blocks(suite);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, sound_files_pass, 0,
			    2 * (int)ARRAY_SIZE(shapes));
	tcase_add_loop_test(t, clones_in_one_place_end, 0, ARRAY_SIZE(crowds));
	tcase_add_test(t, reading_back_keeps_no_rate);
	tcase_add_loop_test(t, offsets_that_are_no_multiples_of_the_block, 0,
			    ARRAY_SIZE(offset_jobs));
	tcase_add_test(t, a_later_run_finds_damage);
	tcase_add_test(t, a_write_lost_in_a_second_run_is_found);
	tcase_add_test(t, what_cannot_be_verified_is_refused);
	suite_add_tcase(suite, t);
}
