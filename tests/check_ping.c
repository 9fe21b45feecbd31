/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of what reads a target without a run: ping, probe, and the look that
 * tells job files from targets.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "workload/jobfile/jobfile.h"
#include "workload/ping.h"
#include "workload/target/target.h"

#include "workload_help.h"

#define SIZE (1u << 20)

static char *dir;
static char file[300];
static struct root root;

static void setup(void)
{
	dir = make_dir();
	snprintf(file, sizeof(file), "%s/file", dir);
	make_file(file, SIZE, 'x');
	ck_assert_int_eq(root_open(&root, NULL), 0);
}

static void teardown(void)
{
	root_close(&root);
	remove_dir(dir);
}

static void init_job(struct job *job, const char *rw, const char *engine)
{
	job_init(job);
	set_option(job, "name", "ping");
	set_option(job, "filename", file);
	set_option(job, "rw", rw);
	set_option(job, "ioengine", engine);
	set_option(job, "bs", "64k");
}

/* Ask and wait, at most 20 s. */
static struct ping_answer ask(struct ping *p)
{
	struct pollfd fd = { .fd = ping_fd(p), .events = POLLIN };
	struct ping_answer a;

	ping_ask(p);
	ck_assert_int_eq(poll(&fd, 1, 20000), 1);
	ck_assert(ping_take(p, &a));
	ck_assert(!ping_take(p, &a));
	return a;
}

/* Every engine: each place once, then again, with a time for each. */
START_TEST(every_place_once)
{
	const struct engine *e = engines[_i];
	unsigned seen[SIZE / 65536] = { 0 };
	uint64_t last_ns = clock_mono_ns();
	struct ping *p;
	struct job job;

	if (e->null || !engine_usable(e))
		return;
	init_job(&job, "randread", e->name);
	ck_assert_msg(ping_open(&p, &root, &job, true, NULL) == 0, "%s",
		      fail_sentence());
	for (size_t i = 0; i < 2 * ARRAY_SIZE(seen); i++) {
		struct ping_answer a = ask(p);

		ck_assert_int_eq(a.error, 0);
		ck_assert(!a.write);
		ck_assert_uint_eq(a.bytes, 65536);
		ck_assert_uint_eq(a.offset % 65536, 0);
		ck_assert_uint_lt(a.offset, SIZE);
		ck_assert_uint_eq(seen[a.offset / 65536]++,
				  i / ARRAY_SIZE(seen));
		ck_assert_uint_ge(a.begin_ns, last_ns);
		ck_assert_uint_gt(a.latency_ns, 0);
		last_ns = a.begin_ns + a.latency_ns;
		ck_assert_uint_le(last_ns, clock_mono_ns());
	}
	ck_assert_int_eq(ping_close(p, NS_PER_S), 0);
	ck_assert(file_is_all(file, 'x'));
	job_free(&job);
}
END_TEST

START_TEST(writes_ask_the_guard)
{
	char *names[] = { file };
	struct allow_list allowed = { .overwrite = names, .n_overwrite = 1 };
	struct ping_answer a;
	struct ping *p;
	struct job job;

	init_job(&job, "write", "psync");
	ck_assert_int_eq(ping_open(&p, &root, &job, false, NULL), -EPERM);
	ck_assert(file_is_all(file, 'x'));
	ck_assert_int_eq(ping_open(&p, &root, &job, false, &allowed), 0);
	a = ask(p);
	ck_assert(a.write && a.error == 0 && a.offset == 0);
	ck_assert_uint_eq(ask(p).offset, 65536);
	ck_assert_int_eq(ping_close(p, NS_PER_S), 0);
	ck_assert(!file_is_all(file, 'x'));
	job_free(&job);
}
END_TEST

/* What comes back short is an error, and the next is asked for all the same. */
START_TEST(errors_do_not_end_it)
{
	struct ping *p;
	struct job job;

	init_job(&job, "read", "psync");
	ck_assert_int_eq(ping_open(&p, &root, &job, false, NULL), 0);
	ck_assert_int_eq(ask(p).error, 0);
	ck_assert_int_eq(truncate(file, 65536 + 100), 0);
	ck_assert_int_eq(ask(p).error, EIO);
	ck_assert_int_eq(ask(p).error, EIO);
	ck_assert_int_eq(truncate(file, SIZE), 0);
	ck_assert_int_eq(ask(p).error, 0);
	ck_assert_int_eq(ping_close(p, NS_PER_S), 0);
	job_free(&job);
}
END_TEST

/* Closed with an answer that nobody took, and without any request. */
START_TEST(closed_at_any_time)
{
	struct ping *p;
	struct job job;

	init_job(&job, "randread", "psync");
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(ping_open(&p, &root, &job, false, NULL), 0);
		if (i & 1)
			ping_ask(p);
		ck_assert_int_eq(ping_close(p, 20 * NS_PER_S), 0);
	}
	set_option(&job, "filename", "/nonexistent/file");
	ck_assert_int_lt(ping_open(&p, &root, &job, false, NULL), 0);
	job_free(&job);
}
END_TEST

START_TEST(probe_finds_what_works)
{
	struct probe p = { .choose_engine = true, .choose_direct = true };
	const struct engine *e;
	struct job job;

	init_job(&job, "randread", "psync");
	set_option(&job, "bs", "4k");
	set_option(&job, "iodepth", "32");
	ck_assert_msg(ping_probe(&p, &job, file) == 0, "%s", fail_sentence());
	ck_assert_int_eq(engine_find(p.engine, &e), 0);
	ck_assert(engine_usable(e));
	/* The best is named unless it cannot be had, which is told. */
	ck_assert(!strcmp(p.engine, "io_uring") || strstr(p.words, "io_uring"));
	ck_assert(p.direct || strstr(p.words, "direct I/O"));
	ck_assert(file_is_all(file, 'x'));
	/* Blocks that no direct I/O takes. */
	set_option(&job, "bs", "1000");
	ck_assert_int_eq(ping_probe(&p, &job, file), 0);
	ck_assert(!p.direct && strstr(p.words, "direct I/O: refused"));
	/* libaio would wait for each. */
	ck_assert_str_ne(p.engine, "libaio");
	/* What was asked for is not left out in silence. */
	p = (struct probe){ .choose_engine = true };
	job.direct = true;
	ck_assert_int_eq(ping_probe(&p, &job, file), -EINVAL);
	ck_assert_int_eq(ping_probe(&p, &job, "/nonexistent"), -ENOENT);
	job_free(&job);
}
END_TEST

static const struct {
	const char *name, *text;
	bool is;
} looks[] = {
	{ "a", "[global]\nrw=read\n", true },
	{ "a", "\n ; x\n# y\n\t[job] ; z\n", true },
	{ "a", "rw=randread\n[a]\n", true },
	{ "a", "time_based\n[a]\n", true },
	{ "a", "bs = 4k", true },
	{ "a.fio", "xxxxxx", true },
	{ "a.job", "", true },
	{ "a", "", false },
	{ "a", "# only a comment\n", false },
	{ "a", "size matters\n[a]\n", false },
	{ "a", "nosuchoption=1\n[a]\n", false },
	{ "a", "xxxxxx", false },
	{ "a",
	  "\x7f"
	  "ELF\x02\x01[a]\n",
	  false },
	{ "a", "\x01[a]\n", false },
};

START_TEST(job_files_look_so)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, looks[_i].name);
	f = fopen(path, "w");
	fputs(looks[_i].text, f);
	fclose(f);
	ck_assert_msg(jobfile_looks_so(path) == looks[_i].is, "%s",
		      looks[_i].text);
	/* No job file is that large. */
	if (!strchr(looks[_i].name, '.')) {
		ck_assert_int_eq(truncate(path, (1 << 20) + 1), 0);
		ck_assert(!jobfile_looks_so(path));
	}
}
END_TEST

START_TEST(words_of_targets)
{
	char words[256];

	target_words(&root, file, words, sizeof(words));
	ck_assert_msg(!strcmp(words, "file") || strstr(words, " on "), "%s",
		      words);
	target_words(&root, "/nonexistent", words, sizeof(words));
	ck_assert_str_eq(words, "file");
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("ping");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, every_place_once, 0, (int)n_engines);
	tcase_add_test(tc, writes_ask_the_guard);
	tcase_add_test(tc, errors_do_not_end_it);
	tcase_add_test(tc, closed_at_any_time);
	tcase_add_test(tc, probe_finds_what_works);
	tcase_add_loop_test(tc, job_files_look_so, 0, ARRAY_SIZE(looks));
	tcase_add_test(tc, words_of_targets);
	suite_add_tcase(suite, tc);
}
