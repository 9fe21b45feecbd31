/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/workload: what holds for every engine, and the workers' clock.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "workload/engine/engine.h"
#include "workload/thread/stopwatch.h"

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

/* Submit ios one and all, reap them all. */
static void do_ios(const struct engine *e, struct io *ios, unsigned n)
{
	unsigned depth = e->max_depth ? e->max_depth : n, sent = 0, got = 0;
	struct io *list[64], *done[64];
	void *state;

	ck_assert_int_eq(engine_open(e, &state, depth), 0);
	while (got < n) {
		unsigned want = n - sent < depth ? n - sent : depth, k = 0;
		int r;

		for (unsigned i = 0; i < want; i++)
			list[i] = &ios[sent + i];
		if (want)
			k = e->submit(state, list, want);
		sent += k;
		r = e->reap(state, done, 1, sent - got, ENGINE_WAIT);
		ck_assert_int_ge(r, 1);
		got += (unsigned)r;
	}
	e->close(state);
}

#define BLOCK 4096
#define N_IOS 32

/* Right bytes at right offsets, short read at the end, errors, syncs. */
START_TEST(engine_conforms)
{
	const struct engine *e = engines[_i];
	char path[256], *buf = NULL;
	struct io ios[N_IOS + 3] = { 0 };
	int fd;

	ck_assert(*e->name && *e->help);
	if (e->null || !engine_usable(e))
		return;
	snprintf(path, sizeof(path), "%s/conform", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(posix_memalign((void **)&buf, BLOCK, N_IOS * BLOCK),
			 0);
	for (unsigned i = 0; i < N_IOS; i++) {
		memset(buf + i * BLOCK, (int)i + 1, BLOCK);
		ios[i] = (struct io){ .offset = (N_IOS - 1 - i) * BLOCK,
				      .buf = buf + i * BLOCK,
				      .bytes = BLOCK,
				      .fd = fd,
				      .slot = i,
				      .op = JOB_WRITE };
	}
	do_ios(e, ios, N_IOS);
	for (unsigned i = 0; i < N_IOS; i++) {
		char block[BLOCK];

		ck_assert_int_eq(ios[i].result, BLOCK);
		ck_assert_int_eq(pread(fd, block, BLOCK, i * BLOCK), BLOCK);
		ck_assert_int_eq(block[0], (int)(N_IOS - i));
		ck_assert_int_eq(block[BLOCK - 1], (int)(N_IOS - i));
		ios[i].op = JOB_READ;
		ios[i].offset = i * BLOCK;
	}
	memset(buf, 0, N_IOS * BLOCK);
	ck_assert_int_eq(ftruncate(fd, N_IOS * BLOCK - 100), 0);
	do_ios(e, ios, N_IOS);
	for (unsigned i = 0; i < N_IOS; i++) {
		ck_assert_int_eq(ios[i].result,
				 i == N_IOS - 1 ? BLOCK - 100 : BLOCK);
		ck_assert_int_eq(buf[i * BLOCK + 5], (int)(N_IOS - i));
	}
	ios[0].offset = N_IOS * BLOCK; /* beyond the end */
	ios[1].fd = 9999;              /* a bad descriptor */
	ios[2].op = ios[3].op = JOB_SYNC;
	ios[2].bytes = ios[3].bytes = 0;
	ios[3].sync = SYNC_DATA;
	do_ios(e, ios, 5);
	ck_assert_int_eq(ios[0].result, 0);
	ck_assert_int_eq(ios[1].result, -EBADF);
	ck_assert_int_eq(ios[2].result, 0);
	ck_assert_int_eq(ios[3].result, 0);
	ck_assert_int_eq(ios[4].result, BLOCK);
	free(buf);
	close(fd);
}
END_TEST

/* Asynchronous engines keep the depth that they are asked for. */
START_TEST(engine_takes_depth)
{
	const struct engine *e = engines[_i];
	struct io ios[8] = { 0 }, *list[8], *done[8];
	char buf[8] = "", path[256];
	unsigned n = e->max_depth ? e->max_depth : 8;
	void *state;
	int fd;

	if (!engine_usable(e))
		return;
	snprintf(path, sizeof(path), "%s/depth", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	for (unsigned i = 0; i < 8; i++) {
		ios[i] = (struct io){ .buf = buf + i,
				      .bytes = 1,
				      .fd = fd,
				      .slot = i,
				      .offset = i,
				      .op = JOB_WRITE };
		list[i] = &ios[i];
	}
	ck_assert_int_eq(engine_open(e, &state, n), 0);
	ck_assert_uint_eq(e->submit(state, list, n), n);
	ck_assert_int_eq(e->reap(state, done, n, n, ENGINE_WAIT), (int)n);
	e->close(state);
	close(fd);
}
END_TEST

START_TEST(engine_names)
{
	const struct engine *e;
	const char *help;

	ck_assert_int_eq(engine_find("pvsync", &e), 0);
	ck_assert_str_eq(e->name, "psync");
	ck_assert_int_eq(engine_find("pvsync2", &e), 0);
	ck_assert_str_eq(e->name, "pvsync2");
	ck_assert_int_eq(engine_find("sync", &e), 0);
	ck_assert_int_eq(engine_find("libai", &e), -EINVAL);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "did you mean libaio"));
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "psync, pvsync2, libaio"));
	ck_assert_int_eq(engine_find("", &e), -EINVAL);
	ck_assert_ptr_null(engine_name(n_engines, &help));
	for (size_t i = 0; i < n_engines; i++)
		ck_assert_str_eq(engine_name(i, &help), engines[i]->name);
}
END_TEST

static int make_conform_file(char *path, size_t size)
{
	int fd;

	snprintf(path, size, "%s/file", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	return fd;
}

/* What is discarded reads as zeros; the rest stays. */
START_TEST(engine_trims)
{
	const struct engine *e = engines[_i];
	char path[256], block[BLOCK];
	struct io io = { .offset = BLOCK, .bytes = BLOCK, .op = JOB_TRIM };

	if (e->null || !engine_usable(e))
		return;
	snprintf(path, sizeof(path), "%s/file", dir);
	make_file(path, 65536, 'x');
	io.fd = open(path, O_RDWR);
	do_ios(e, &io, 1);
	if (io.result == -EOPNOTSUPP)
		return; /* the file system has no holes */
	ck_assert_int_eq(io.result, BLOCK);
	ck_assert_int_eq(pread(io.fd, block, BLOCK, BLOCK), BLOCK);
	ck_assert(block[0] == 0 && !memcmp(block, block + 1, BLOCK - 1));
	ck_assert_int_eq(pread(io.fd, block, BLOCK, 0L), BLOCK);
	ck_assert_int_eq(block[BLOCK - 1], 'x');
	ck_assert_int_eq(pread(io.fd, block, BLOCK, 2L * BLOCK), BLOCK);
	ck_assert_int_eq(block[0], 'x');
	close(io.fd);
}
END_TEST

/*
 * A file that loses its end under the engine: a short result, no death.
 * (ThreadSanitizer's memcpy() holds SIGBUS back, which is death for mmap.)
 */
#ifdef __SANITIZE_THREAD__
#define SURVIVES(e) (strcmp((e)->name, "mmap") != 0)
#else
#define SURVIVES(e) true
#endif

START_TEST(engine_survives_truncation)
{
	const struct engine *e = engines[_i];
	char path[256], buf[BLOCK];
	struct io io = { .offset = 8 * BLOCK, .bytes = BLOCK, .buf = buf };
	struct io *list[1] = { &io }, *done[1];
	void *state;

	if (e->null || !engine_usable(e) || !SURVIVES(e))
		return;
	snprintf(path, sizeof(path), "%s/file", dir);
	make_file(path, 65536, 'x');
	io.fd = open(path, O_RDWR);
	ck_assert_int_eq(engine_open(e, &state, 1), 0);
	for (int round = 0; round < 3; round++) {
		ck_assert_uint_eq(e->submit(state, list, 1), 1);
		ck_assert_int_eq(e->reap(state, done, 1, 1, ENGINE_WAIT), 1);
		ck_assert_ptr_eq(done[0], &io);
		ck_assert_int_eq(io.result, round ? 0 : BLOCK);
		ck_assert_int_eq(ftruncate(io.fd, BLOCK), 0);
	}
	e->close(state);
	close(io.fd);
}
END_TEST

/* A range that is written back is a sync without an end. */
START_TEST(engine_syncs_range)
{
	const struct engine *e = engines[_i];
	char path[256];
	struct io io = { .bytes = BLOCK, .op = JOB_SYNC, .sync = SYNC_RANGE };

	if (!engine_usable(e))
		return;
	io.fd = make_conform_file(path, sizeof(path));
	io.result = 1;
	do_ios(e, &io, 1);
	ck_assert_int_eq(io.result, 0);
	close(io.fd);
}
END_TEST

/* Waiting ends in time when nothing comes: a pipe that nobody writes to. */
START_TEST(engine_stops_waiting)
{
	const struct engine *e;
	char buf[8];
	struct io io = { .bytes = 1, .buf = buf }, *list[1] = { &io }, *done[1];
	uint64_t begin_ns;
	void *state;
	int ends[2];

	if (engine_find("io_uring", &e) || !engine_usable(e))
		return;
	ck_assert_int_eq(pipe(ends), 0);
	io.fd = ends[0];
	ck_assert_int_eq(engine_open(e, &state, 1), 0);
	ck_assert_uint_eq(e->submit(state, list, 1), 1);
	begin_ns = clock_mono_ns();
	ck_assert_int_eq(e->reap(state, done, 1, 1, 0), 0);
	ck_assert_int_eq(e->reap(state, done, 1, 1, 20000000), 0);
	ck_assert_uint_ge(clock_mono_ns() - begin_ns, 20000000);
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	ck_assert_int_eq(e->reap(state, done, 1, 1, ENGINE_WAIT), 1);
	ck_assert_int_eq(io.result, 1);
	ck_assert_int_eq(buf[0], 'x');
	e->close(state);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

/* In one call, what submit() and reap() do in two. */
START_TEST(engine_does_now)
{
	const struct engine *e = engines[_i];
	char path[256], buf[BLOCK] = "";
	struct io io = { .offset = BLOCK, .bytes = BLOCK, .buf = buf };
	void *state;

	if (!e->now || !engine_usable(e))
		return;
	snprintf(path, sizeof(path), "%s/file", dir);
	make_file(path, 2 * BLOCK, 'y');
	io.fd = open(path, O_RDWR);
	ck_assert_int_eq(engine_open(e, &state, 1), 0);
	e->now(state, &io);
	ck_assert_int_eq(io.result, BLOCK);
	ck_assert_int_eq(buf[BLOCK - 1], e->null ? 0 : 'y');
	io.fd = 9999;
	e->now(state, &io);
	ck_assert_int_eq(io.result, e->null ? BLOCK : -EBADF);
	e->close(state);
}
END_TEST

/* A write that fails leaves nothing in the pipe for the next I/O. */
START_TEST(engine_splice_forgets)
{
	char path[256], buf[BLOCK];
	struct io io = { .bytes = BLOCK, .buf = buf, .op = JOB_WRITE };
	void *state;

	if (!engine_usable(&engine_splice))
		return;
	snprintf(path, sizeof(path), "%s/file", dir);
	make_file(path, BLOCK, 'y');
	io.fd = open(path, O_RDONLY);
	ck_assert_int_eq(engine_open(&engine_splice, &state, 1), 0);
	memset(buf, 'x', BLOCK);
	engine_splice.now(state, &io);
	ck_assert_int_eq(io.result, -EBADF);
	io.op = JOB_READ;
	engine_splice.now(state, &io);
	ck_assert_int_eq(io.result, BLOCK);
	ck_assert(buf[0] == 'y' && !memcmp(buf, buf + 1, BLOCK - 1));
	engine_splice.close(state);
	close(io.fd);
}
END_TEST

static void refuse(const char *name, struct job *job, const char *words)
{
	const struct engine_setup setup = { .depth = 1, .job = job };
	const struct engine *e;
	void *state;

	if (engine_find(name, &e) || !engine_usable(e))
		return;
	ck_assert_int_lt(e->open(&state, &setup), 0);
	ck_assert_msg(strstr(fail_sentence(), words) != NULL, "%s",
		      fail_sentence());
}

/* What cannot work is refused with a sentence, not run otherwise. */
START_TEST(engine_refusals)
{
	struct job job;

	job_init(&job);
	job.hipri = true;
	refuse("io_uring", &job, "needs direct=1");
	job_init(&job);
	job.sqthread_poll = true;
	job.sqthread_poll_cpu = 4000;
	refuse("io_uring", &job, "sqthread_poll");
	job_init(&job);
	job.fixedbufs = true;
	refuse("io_uring", &job, "fixedbufs");
	job_init(&job);
	job.direct = true;
	refuse("mmap", &job, "page cache");
}
END_TEST

/* The counter tells the time that the kernel tells, and never goes back. */
START_TEST(stopwatch_agrees)
{
	struct stopwatch s;
	uint64_t last_ns = 0;

	stopwatch_begin(&s, stopwatch_possible());
	stopwatch_set(&s);
	for (int i = 0; i < 20; i++) {
		uint64_t before_ns = clock_mono_ns();
		uint64_t ns = stopwatch_ns(&s);
		uint64_t after_ns = clock_mono_ns();

		ck_assert_uint_ge(ns, last_ns);
		ck_assert_uint_ge(ns + 50000, before_ns);
		ck_assert_uint_le(ns, after_ns + 50000);
		last_ns = ns;
		if (i % 5 == 4)
			stopwatch_correct(&s);
		usleep(2000);
	}
	stopwatch_begin(&s, false);
	stopwatch_set(&s);
	ck_assert_uint_eq(s.scale, 0);
	ck_assert_uint_ge(stopwatch_ns(&s), last_ns);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("engine");
	int n = (int)n_engines;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, engine_conforms, 0, n);
	tcase_add_loop_test(tc, engine_takes_depth, 0, n);
	tcase_add_loop_test(tc, engine_trims, 0, n);
	tcase_add_loop_test(tc, engine_survives_truncation, 0, n);
	tcase_add_loop_test(tc, engine_syncs_range, 0, n);
	tcase_add_loop_test(tc, engine_does_now, 0, n);
	tcase_add_test(tc, engine_splice_forgets);
	tcase_add_test(tc, engine_stops_waiting);
	tcase_add_test(tc, engine_refusals);
	tcase_add_test(tc, engine_names);
	tcase_add_test(tc, stopwatch_agrees);
	suite_add_tcase(suite, tc);
}
