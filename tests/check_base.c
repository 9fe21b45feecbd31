/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/base: units, text, arenas, clock, failure, root. */
#include "check_base.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/root.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/units.h"

#include "fixture.h"

struct reading {
	const char *text;
	bool valid;
	uint64_t value;
};

/* A list without room for all its words says so, and never has half a word. */
START_TEST(test_add_words)
{
	char list[16] = "";

	text_add_words(list, sizeof(list), "sda  sdb sda");
	ck_assert_str_eq(list, "sda sdb");
	text_add_words(list, sizeof(list), "nvme0n1 c");
	ck_assert_str_eq(list, "sda sdb ...");
	text_add_words(list, sizeof(list), "c");
	ck_assert_str_eq(list, "sda sdb ...");
}
END_TEST

START_TEST(bytes_are_read)
{
	static const struct reading cases[] = {
		{ "0", true, 0 },
		{ "4096", true, 4096 },
		{ "512b", true, 512 },
		{ "4k", true, 4096 },
		{ "4K", true, 4096 },
		{ "4kb", true, 4096 },
		{ "4KiB", true, 4096 },
		{ "1.5g", true, 1610612736 },
		{ "2T", true, 2199023255552 },
		{ "1p", true, 1125899906842624 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "9223372036854775808", false, 0 },
		{ "8388608t", false, 0 },
		{ "", false, 0 },
		{ "k", false, 0 },
		{ "-1", false, 0 },
		{ "+1", false, 0 },
		{ " 1", false, 0 },
		{ "1 k", false, 0 },
		{ "4kk", false, 0 },
		{ "0x10", false, 0 },
		{ "1e3", false, 0 },
		{ "1.2.3k", false, 0 },
		{ ".5k", true, 512 },
		{ ".k", false, 0 },
		{ "..5k", false, 0 },
		{ "inf", false, 0 },
		{ "nan", false, 0 },
		{ "4096x", false, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t n = 0;
		bool ok = units_parse_bytes(cases[i].text, &n);

		ck_assert_msg(ok == cases[i].valid, "%s", cases[i].text);
		if (ok)
			ck_assert_uint_eq(n, cases[i].value);
	}
}
END_TEST

START_TEST(times_are_read)
{
	static const struct reading cases[] = {
		{ "30", true, 30000000000 },
		{ "30s", true, 30000000000 },
		{ "0.01", true, 10000000 },
		{ "250us", true, 250000 },
		{ "10ms", true, 10000000 },
		{ "7ns", true, 7 },
		{ "5m", true, 300000000000 },
		{ "2h", true, 7200000000000 },
		{ "1d", true, 86400000000000 },
		{ "1.5S", true, 1500000000 },
		{ "300000000h", false, 0 },
		{ "5 m", false, 0 },
		{ "5x", false, 0 },
		{ "-5", false, 0 },
		{ "", false, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t n = 0;
		bool ok = units_parse_ns(cases[i].text, NS_PER_S, &n);

		ck_assert_msg(ok == cases[i].valid, "%s", cases[i].text);
		if (ok)
			ck_assert_uint_eq(n, cases[i].value);
	}
}
END_TEST

START_TEST(counts_are_bounded)
{
	uint64_t n = 7;

	ck_assert(units_parse_count("1", 1, 4, &n) && n == 1);
	ck_assert(units_parse_count("4", 1, 4, &n) && n == 4);
	ck_assert(!units_parse_count("0", 1, 4, &n));
	ck_assert(!units_parse_count("5", 1, 4, &n));
	ck_assert(!units_parse_count("3x", 1, 4, &n));
	ck_assert(!units_parse_count("-3", 0, UINT64_MAX, &n));
	ck_assert(units_parse_count("18446744073709551615", 0, UINT64_MAX, &n));
	ck_assert(
		!units_parse_count("18446744073709551616", 0, UINT64_MAX, &n));
}
END_TEST

START_TEST(numbers_are_made_whole)
{
	ck_assert_int_eq(units_whole(2.9, 0, 7), 2);
	ck_assert_int_eq(units_whole(-2.9, -7, 7), -2);
	ck_assert_int_eq(units_whole(7.5, 0, 7), 7);
	ck_assert_int_eq(units_whole(-0.5, 0, 7), 0);
	ck_assert_int_eq(units_whole(NAN, -3, 7), -3);
	ck_assert_int_eq(units_whole(INFINITY, 0, INT64_MAX), INT64_MAX);
	ck_assert_int_eq(units_whole(0x1p63, 0, INT64_MAX), INT64_MAX);
	ck_assert_int_eq(units_whole(0x1p62, 0, INT64_MAX), INT64_C(1) << 62);
	ck_assert_int_eq(units_whole(-1e300, INT64_MIN, 0), INT64_MIN);
	ck_assert_uint_eq(clock_span_ns(1.5), 1500000000);
	ck_assert_uint_eq(clock_span_ns(-1), 0);
	ck_assert_uint_eq(clock_span_ns(NAN), 0);
	ck_assert_uint_eq(clock_span_ns(1e300), CLOCK_SPAN_MAX_NS);
}
END_TEST

START_TEST(values_are_written)
{
	ck_assert_str_eq(units_bytes(0).text, "0B");
	ck_assert_str_eq(units_bytes(812).text, "812B");
	ck_assert_str_eq(units_bytes(812 * 1024.0).text, "812KiB");
	ck_assert_str_eq(units_bytes(1610612736).text, "1.50GiB");
	ck_assert_str_eq(units_bytes(NAN).text, "-");
	ck_assert_str_eq(units_ns(830e3).text, "830us");
	ck_assert_str_eq(units_ns(1.25e6).text, "1.25ms");
	ck_assert_str_eq(units_ns(12e9).text, "12.0s");
	ck_assert_str_eq(units_count(812).text, "812");
	ck_assert_str_eq(units_count(69100).text, "69.1k");
	ck_assert_str_eq(units_count(1.2e6).text, "1.20M");
	/* Rounding must not give 1000k. */
	ck_assert_str_eq(units_count(999999).text, "1.00M");
	ck_assert_str_eq(units_span(42).text, "0:42");
	ck_assert_str_eq(units_span(725).text, "12:05");
	ck_assert_str_eq(units_span(11400).text, "3:10:00");
	ck_assert_str_eq(units_span(NAN).text, "-");
}
END_TEST

START_TEST(copies_are_cut)
{
	char b[4];

	ck_assert(text_copy(b, 4, "abc"));
	ck_assert_str_eq(b, "abc");
	ck_assert(!text_copy(b, 4, "abcd"));
	ck_assert_str_eq(b, "abc");
	ck_assert(!text_copy(b, 1, "a"));
	ck_assert_str_eq(b, "");
}
END_TEST

/* What stands there, and what becomes of it. */
static const char *const cleaned[][2] = {
	{ "plain, with ~ and \" and '", "plain, with ~ and \" and '" },
	{ "\033[31mred\033[0m", "?[31mred?[0m" },
	{ "a\tb\nc\r\x7f", "a?b?c??" },
	{ "grün €  𝄞", "grün €  𝄞" },
	{ "\xc2\x9b"
	  "31m",
	  "??31m" },                    /* C1: CSI in one character */
	{ "\xc2\x80\xc2\x9f", "????" }, /* C1, first and last */
	{ "\x9b"
	  "31m",
	  "?31m" },           /* the byte alone */
	{ "\xc0\xaf", "??" }, /* overlong slash */
	{ "\xe0\x80\xaf", "???" },
	{ "\xf0\x80\x80\xaf", "????" },
	{ "\xed\xa0\x80", "???" },      /* surrogate */
	{ "\xf4\x90\x80\x80", "????" }, /* beyond U+10FFFF */
	{ "\xf8\x88\x80\x80\x80", "?????" },
	{ "cut \xe2\x82", "cut ??" }, /* the end within a character */
	{ "\xe2\x80\xae"
	  "abc",
	  "???abc" },                             /* right-to-left override */
	{ "\xe2\x80\x8b", "???" },                /* zero width space */
	{ "\xe2\x81\xa6\xe2\x81\xa9", "??????" }, /* isolates */
	{ "\xd8\x9c", "??" },                     /* Arabic letter mark */
	{ "\xe2\x80\xa8", "???" },                /* line separator */
	{ "\xef\xbb\xbf", "???" },                /* byte order mark */
};

START_TEST(foreign_text_is_harmless)
{
	char b[64];

	for (size_t i = 0; i < ARRAY_SIZE(cleaned); i++) {
		text_copy(b, sizeof(b), cleaned[i][0]);
		text_clean(b);
		ck_assert_str_eq(b, cleaned[i][1]);
	}
	for (int c = 1; c < 256; c++) {
		b[0] = (char)c;
		b[1] = '\0';
		text_clean(b);
		ck_assert(b[0] == '?' || (c >= 0x20 && c < 0x7f && b[0] == c));
	}
}
END_TEST

static const char *word_at(size_t i, const void *arg)
{
	return ((const char *const *)arg)[i];
}

START_TEST(words_are_trimmed_and_guessed)
{
	static const char *const words[] = { "runtime", "rw", "iodepth",
					     "iodepth_batch" };
	char b[] = " \t two words \n";

	ck_assert_str_eq(text_trim(b), "two words");
	ck_assert_str_eq(text_closest("iodeth", 4, word_at, words), "iodepth");
	ck_assert_str_eq(text_closest("run_time", 4, word_at, words),
			 "runtime");
	ck_assert_ptr_null(text_closest("compression", 4, word_at, words));
	ck_assert_ptr_null(text_closest("x", 0, word_at, words));
}
END_TEST

START_TEST(an_arena_keeps_what_it_gave)
{
	struct arena a = { 0 };
	char *p[200];

	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < 200; i++) {
			p[i] = arena_alloc(&a, i * 7 + 1);
			ck_assert_uint_eq(
				(uintptr_t)p[i] % alignof(max_align_t), 0);
			memset(p[i], (int)i, i * 7 + 1);
		}
		for (size_t i = 0; i < 200; i++) {
			char want[200 * 7 + 1];

			memset(want, (int)i, sizeof(want));
			ck_assert_int_eq(memcmp(p[i], want, i * 7 + 1), 0);
		}
		arena_reset(&a);
	}
	/* Larger than a block, and after it a small one. */
	memset(arena_alloc(&a, 100000), 1, 100000);
	ck_assert_str_eq(arena_strdup(&a, "text"), "text");
	ck_assert_str_eq(arena_printf(&a, "%d-%s", 7, "x"), "7-x");
	ck_assert_int_eq(*(int *)arena_zalloc(&a, sizeof(int)), 0);
	arena_free(&a);
	ck_assert_ptr_null(a.first);
	ck_assert_str_eq(arena_strdup(&a, "again"), "again");
	arena_free(&a);
}
END_TEST

START_TEST(arrays_grow)
{
	size_t cap = 0;
	int *p = xgrow(NULL, &cap, 1, sizeof(int));

	ck_assert_uint_ge(cap, 1);
	for (size_t i = 0; i < 1000; i++) {
		p = xgrow(p, &cap, i + 1, sizeof(int));
		ck_assert_uint_gt(cap, i);
		p[i] = (int)i;
	}
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(p[i], i);
	free(p);
}
END_TEST

static void say_goodbye(void)
{
	ck_assert(write(2, "hook\n", 5) == 5);
}

START_TEST(die_runs_the_hook)
{
	die_hook(say_goodbye);
	die("nothing is left of %d", 5);
}
END_TEST

START_TEST(wall_time_goes_there_and_back)
{
	ck_assert_str_eq(clock_utc(1795456800123000000).text,
			 "2026-11-23T18:00:00.123Z");
	ck_assert_uint_eq(clock_parse_utc("2026-11-23T18:00:00.123Z"),
			  1795456800123000000);
	ck_assert_uint_eq(clock_parse_utc("yesterday"), 0);
	ck_assert_uint_eq(clock_parse_utc(""), 0);
	/* 2^63 ns end in 2262; later times would wrap around. */
	ck_assert_uint_eq(clock_parse_utc("2262-04-11T23:47:15.000Z"),
			  INT64_C(9223372035000000000));
	ck_assert_uint_eq(clock_parse_utc("2262-04-11T23:47:17.000Z"), 0);
	ck_assert_uint_eq(clock_parse_utc("9999-12-31T23:59:59.999Z"), 0);
	ck_assert_uint_gt(clock_wall_ns(), 1600000000000000000);
}
END_TEST

/* Seconds that pass on each clock between two looks, and what is said. */
START_TEST(clocks_that_jump)
{
	static const struct {
		double mono, raw, wall, boot;
		bool jumped;
		const char *words;
	} c[] = {
		{ 1, 1, 1, 1, false, "" },
		/* A slewed clock, and two clocks that were read apart. */
		{ 3600, 3601.8, 3600, 3600, false, "" },
		{ 0.9, 1, 0.9, 0.9, false, "" },
		{ 0.01, 0.06, 0.05, 0.02, false, "" },
		{ 1, 1, 3601, 1, false,
		  "the wall clock was set by +3600.000 s" },
		{ 1, 1, -3599, 1, false,
		  "the wall clock was set by -3600.000" },
		{ 1, 1, 61, 61, false, "the machine was suspended for 60.000" },
		{ 3601, 1, 3601, 3601, true, "clock jumped by +3600.000 s" },
		{ -1, 0.1, 0.1, -1, true, "clock jumped by -1.100 s" },
		{ -0.01, 0.01, 0.01, 0, true, "clock jumped by -0.020 s" },
	};
	const double s = (double)NS_PER_S;
	struct clock_look from, to;
	char words[200];
	int64_t off_ns;

	clock_look(&from);
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		to = from;
		to.mono_ns += (uint64_t)(int64_t)(c[i].mono * s);
		to.raw_ns += (uint64_t)(int64_t)(c[i].raw * s);
		to.wall_ns += (uint64_t)(int64_t)(c[i].wall * s);
		to.boot_ns += (uint64_t)(int64_t)(c[i].boot * s);
		ck_assert_int_eq(clock_compare(&from, &to, &off_ns, words,
					       sizeof(words)),
				 c[i].jumped);
		if (*c[i].words)
			ck_assert_msg(strstr(words, c[i].words) != NULL, "%s",
				      words);
		else
			ck_assert_str_eq(words, "");
		ck_assert_int_eq(
			off_ns / 1000000,
			c[i].jumped ? (int64_t)((c[i].mono - c[i].raw) * 1000)
				    : 0);
	}
	/* The live ones. */
	clock_look(&to);
	ck_assert_msg(!clock_compare(&from, &to, &off_ns, words, sizeof(words)),
		      "%s", words);
}
END_TEST

/* Of version 1, of both and of version 2, and the groups above. */
START_TEST(own_control_group)
{
	static const struct {
		const char *text, *controller;
		unsigned up;
		const char *path;
	} c[] = {
		{ "0::/a/b\n", "memory", 0, "sys/fs/cgroup/a/b" },
		{ "0::/a/b\n", "memory", 1, "sys/fs/cgroup/a" },
		{ "0::/a/b\n", "memory", 2, "sys/fs/cgroup" },
		{ "0::/a/b\n", "memory", 3, NULL },
		{ "0::/\n", "cpu", 0, "sys/fs/cgroup" },
		{ "4:memory:/x\n0::/\n", "memory", 0,
		  "sys/fs/cgroup/memory/x" },
		{ "0::/y\n3:cpu,cpuacct:/x\n", "cpu", 0,
		  "sys/fs/cgroup/cpu,cpuacct/x" },
		{ "3:cpuacct:/x\n", "cpu", 0, NULL },
		{ "nonsense\n5\n", "cpu", 0, NULL },
		{ "", "cpu", 0, NULL },
	};
	char *dir = make_tree(NULL), path[200], file[300];
	struct root r;

	ck_assert_int_eq(run_command("mkdir -p %s/proc/self", dir), 0);
	snprintf(file, sizeof(file), "%s/proc/self/cgroup", dir);
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		FILE *f = fopen(file, "w");

		ck_assert_ptr_nonnull(f);
		fputs(c[i].text, f);
		ck_assert_int_eq(fclose(f), 0);
		ck_assert_int_eq(root_open(&r, dir), 0);
		ck_assert_int_eq(root_control_group(&r, 0, c[i].controller,
						    c[i].up, path,
						    sizeof(path)),
				 c[i].path != NULL);
		if (c[i].path)
			ck_assert_str_eq(path, c[i].path);
		root_close(&r);
	}
	remove_dir(dir);
}
END_TEST

/* 2026-11-23T18:00:00Z */
#define EVENING 1795456800000000000ull
#define HOUR    (3600 * NS_PER_S)

/* A time of day is the next one; a date says which. */
START_TEST(local_times)
{
	/* One hour east of Greenwich it is 19:00. */
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{ "19:00", EVENING },
		{ "19:00:00.25", EVENING + NS_PER_S / 4 },
		{ "20:30", EVENING + HOUR * 3 / 2 },
		{ "18:59:59", EVENING + HOUR * 24 - NS_PER_S },
		{ "2026-11-23 18:00", EVENING - HOUR },
		{ "2026-11-23T17:00:00Z", EVENING - HOUR },
		{ "9999-11-23T17:00:00Z", 0 },
		{ "2026-11-23", 0 },
		{ "2026-13-23 17:00", 0 },
		{ "2026-11-23 17:00 ", 0 },
		{ "24:00", 0 },
		{ "3:60", 0 },
		{ "3", 0 },
		{ "", 0 },
		{ "12:00x", 0 },
		{ "-1:00", 0 },
		{ "99999999999999:00", 0 },
	};

	setenv("TZ", "XXX-1", 1);
	tzset();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_msg(clock_parse_local(cases[i].text, EVENING) ==
				      cases[i].ns,
			      "%s", cases[i].text);
	ck_assert_str_eq(clock_local(EVENING, true).text,
			 "2026-11-23 19:00:00");
	ck_assert_str_eq(clock_local(EVENING, false).text, "19:00:00");
	ck_assert_str_eq(clock_local(0, false).text, "");
}
END_TEST

/* A moment for several hosts has its zone. */
START_TEST(instants)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{ "2026-11-23T18:00:00Z", EVENING },
		{ "2026-11-23t18:00:00.25z", 0 },
		{ "2026-11-23T18:00:00.25z", EVENING + NS_PER_S / 4 },
		{ "2026-11-23T19:30:00+01:30", EVENING },
		{ "2026-11-23 13:00:00-05:00", EVENING },
		{ "@1795456800", EVENING },
		{ "@1795456800.000000001", EVENING + 1 },
		{ "@1795456800.0000000009999999999", EVENING },
		{ "@99999999999999999999", 0 },
		{ "@1.", 0 },
		{ "@-1", 0 },
		{ "@", 0 },
		{ "1795456800", 0 },
		{ "2026-11-23T18:00:00", 0 },
		{ "2026-11-23T18:00:00+24:00", 0 },
		{ "2026-11-23T18:00:00Zx", 0 },
		{ "18:00:00Z", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_msg(clock_parse_instant(cases[i].text) ==
				      cases[i].ns,
			      "%s", cases[i].text);
}
END_TEST

START_TEST(a_failure_keeps_its_sentence)
{
	char longer[5000];

	ck_assert_int_eq(fail(ENOENT, "no %s", "such thing"), -ENOENT);
	ck_assert_str_eq(fail_sentence(), "no such thing");
	ck_assert_int_eq(fail(EIO, "outer: %s", fail_sentence()), -EIO);
	ck_assert_str_eq(fail_sentence(), "outer: no such thing");
	(void)fail(EIO, "bad \033[2J name");
	ck_assert_str_eq(fail_sentence(), "bad ?[2J name");
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	(void)fail(EIO, "%s", longer);
	ck_assert_uint_eq(strlen(fail_sentence()), 4095);
}
END_TEST

/* A directory with a few files, as a captured tree has them. */
static void make_files(char *dir)
{
	static const char *const files[][2] = {
		{ "number", " 42\n" },
		{ "line", "  mq-deadline [none] \n" },
		{ "empty", "" },
		{ "words", "none\n" },
	};
	char path[256];

	ck_assert_ptr_nonnull(mkdtemp(dir));
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", dir, files[i][0]);
		f = fopen(path, "w");
		ck_assert_ptr_nonnull(f);
		fputs(files[i][1], f);
		fclose(f);
	}
	snprintf(path, sizeof(path), "%s/link", dir);
	ck_assert_int_eq(symlink("../../block/sda", path), 0);
}

static void remove_tree(const char *dir)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(a_root_reads_below_itself)
{
	char dir[] = "/tmp/check-base-XXXXXX", b[64];
	long long n = -1;
	struct root r;
	int fd;

	make_files(dir);
	ck_assert_int_eq(root_open(&r, dir), 0);
	ck_assert(!r.live);
	ck_assert_str_eq(r.path, dir);
	ck_assert(root_read_number(&r, "number", &n) && n == 42);
	ck_assert(!root_read_number(&r, "words", &n));
	ck_assert(!root_read_number(&r, "empty", &n));
	ck_assert(!root_read_number(&r, "nowhere", &n));
	ck_assert_int_eq(root_read_line(&r, "line", b, sizeof(b)), 18);
	ck_assert_str_eq(b, "mq-deadline [none]");
	ck_assert_int_eq(root_read(&r, "line", b, 5), 4);
	ck_assert_str_eq(b, "  mq");
	ck_assert_int_eq(root_read(&r, "empty", b, sizeof(b)), 0);
	ck_assert_str_eq(b, "");
	ck_assert_int_eq(root_read(&r, "nowhere", b, sizeof(b)), -ENOENT);
	ck_assert(root_link_name(&r, "link", b, sizeof(b)));
	ck_assert_str_eq(b, "sda");
	ck_assert(!root_link_name(&r, "line", b, sizeof(b)));
	ck_assert(root_exists(&r, "line") && !root_exists(&r, "nowhere"));
	ck_assert_ptr_null(root_open_dir(&r, "line"));
	fd = root_open_file(&r, "number", O_RDONLY);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(root_reread(fd, b, sizeof(b)), 4);
	close(fd);
	root_close(&r);
	ck_assert_ptr_null(r.path);
	remove_tree(dir);
}
END_TEST

/* Rename a file again and again until it is killed. */
static pid_t start_renaming(const char *dir)
{
	char one[300], two[300];
	pid_t pid;
	int fd;

	snprintf(one, sizeof(one), "%s/one", dir);
	snprintf(two, sizeof(two), "%s/two", dir);
	fd = open(one, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	pid = fork();
	while (pid == 0)
		if (rename(one, two) || rename(two, one))
			_exit(1);
	return pid;
}

static bool has_openat2(void)
{
	return syscall(__NR_openat2, -1, NULL, NULL, 0) < 0 && errno != ENOSYS;
}

/*
 * openat2() gives up with EAGAIN when anything is renamed while it follows a
 * "..", as the links of sys/block have: some of 100 such calls here.
 */
START_TEST(a_root_reads_while_files_are_renamed)
{
	static const char *const parts[] = { "sys" };
	char dir[] = "/tmp/check-base-XXXXXX", path[300], text[16];
	struct root r;
	pid_t pid;

	make_files(dir);
	snprintf(path, sizeof(path),
		 "cd %s && mkdir -p sys/block sys/devices/vda && "
		 "echo 9 >sys/devices/vda/diskseq && "
		 "ln -s ../devices/vda sys/block/vda",
		 dir);
	ck_assert_int_eq(system(path), 0);
	pid = start_renaming(dir);
	ck_assert_int_eq(root_open(&r, dir), 0);
	if (_i)
		root_narrow(&r, parts, 1);
	/* Without openat2(2), as under qemu-user, a path with a link is
	 * refused. */
	for (int i = 0; i < 20000 && has_openat2(); i++)
		ck_assert_int_eq(root_read_line(&r, "sys/block/vda/diskseq",
						text, sizeof(text)),
				 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	root_close(&r);
	remove_tree(dir);
}
END_TEST

START_TEST(a_root_that_is_none_says_so)
{
	struct root r;

	ck_assert_int_eq(root_open(&r, "/no/such/place"), -ENOENT);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "/no/such/place"));
	root_close(&r);
	ck_assert_int_eq(root_open(&r, NULL), 0);
	ck_assert(r.live);
	root_close(&r);
}
END_TEST

START_TEST(a_command_line_is_quoted)
{
	static const char words[] = "iodyno\0run\0--name=two words\0it's\0";
	char b[80], small[50];

	ck_assert_str_eq(fail_rerun(b, sizeof(b), words, sizeof(words) - 1),
			 "; as root: sudo iodyno run '--name=two words' "
			 "'it'\\''s'");
	/* What is cut is not shown. */
	ck_assert_str_eq(fail_rerun(small, sizeof(small), words,
				    sizeof(words) - 1),
			 "; as root: the same command with sudo");
	/* No escape gets to a terminal, and the shell gives it back. */
	ck_assert_str_eq(fail_rerun(b, sizeof(b), "x\033[2J'\xc2\x9b\\", 10),
			 "; as root: sudo $'x\\033[2J\\047\\302\\233\\134'");
	ck_assert_str_eq(fail_rerun(b, sizeof(b), "iodyno run", 10),
			 "; as root: the same command with sudo");
}
END_TEST

/* The examples of FIPS 180-4, and lengths around the end of a block. */
START_TEST(hashes)
{
	static const struct {
		const char *text;
		unsigned times;
		const char *hash;
	} of[] = {
		{ "", 1,
		  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b785"
		  "2b855" },
		{ "abc", 1,
		  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20"
		  "015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419d"
		  "b06c1" },
		{ "a", 1000000,
		  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc71"
		  "12cd0" },
	};
	char text[SHA256_TEXT], whole[SHA256_TEXT];
	char many[200];
	uint64_t bytes;
	int fd;
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		struct sha256 s;

		sha256_begin(&s);
		for (unsigned k = 0; k < of[i].times; k++)
			sha256_add(&s, of[i].text, strlen(of[i].text));
		ck_assert_str_eq(sha256_end(&s, text), of[i].hash);
	}
	memset(many, 'x', sizeof(many));
	for (size_t n = 50; n < 140; n++) {
		struct sha256 s;

		sha256_begin(&s);
		sha256_add(&s, many, n);
		sha256_end(&s, whole);
		sha256_begin(&s);
		sha256_add(&s, many, n / 3);
		sha256_add(&s, many, n - n / 3);
		ck_assert_str_eq(sha256_end(&s, text), whole);
	}
	/* The size is that of the file, without the padding of the hash. */
	ck_assert_int_eq(sha256_file("/proc/self/exe", text, &bytes), 0);
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(fstat(fd, &st), 0); /* under qemu stat() sees qemu */
	close(fd);
	ck_assert_uint_eq(bytes, (uint64_t)st.st_size);
	ck_assert_int_lt(sha256_file("/", text, &bytes), 0);
	ck_assert_int_lt(sha256_file("/nothing/here", text, &bytes), 0);
}
END_TEST

static TCase *base_case(void)
{
	TCase *c = tcase_create("base");

	tcase_add_test(c, test_add_words);
	tcase_add_test(c, bytes_are_read);
	tcase_add_test(c, times_are_read);
	tcase_add_test(c, counts_are_bounded);
	tcase_add_test(c, numbers_are_made_whole);
	tcase_add_test(c, values_are_written);
	tcase_add_test(c, copies_are_cut);
	tcase_add_test(c, foreign_text_is_harmless);
	tcase_add_test(c, words_are_trimmed_and_guessed);
	tcase_add_test(c, an_arena_keeps_what_it_gave);
	tcase_add_test(c, arrays_grow);
	if (!getenv("CK_FORK"))
		tcase_add_test_raise_signal(c, die_runs_the_hook, SIGABRT);
	tcase_add_test(c, wall_time_goes_there_and_back);
	tcase_add_test(c, clocks_that_jump);
	tcase_add_test(c, own_control_group);
	tcase_add_test(c, local_times);
	tcase_add_test(c, instants);
	tcase_add_test(c, a_failure_keeps_its_sentence);
	tcase_add_test(c, a_root_reads_below_itself);
	tcase_add_loop_test(c, a_root_reads_while_files_are_renamed, 0, 2);
	tcase_add_test(c, a_root_that_is_none_says_so);
	tcase_add_test(c, a_command_line_is_quoted);
	tcase_add_test(c, hashes);
	return c;
}

void test_suite(Suite *suite)
{
	suite_add_tcase(suite, base_case());
	suite_add_tcase(suite, json_case());
}
