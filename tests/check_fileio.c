/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of kind=fileio: the counts of calls that sysbench makes with the same
 * options, in the generator alone and in whole runs on files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workload/kind/fileio.h"
#include "workload/kind/kind.h"

#include "workload_help.h"

/* What a generator hands out, with all requests done at once. */
struct counts {
	uint64_t ops[JOB_OPS];
	char order[64]; /* "w100 s4 w100": runs of reads or writes, and syncs */
};

static void pull(struct counts *c, const struct job_fileio *opt)
{
	struct fileio_pool p;
	struct fileio_request r;
	unsigned last = 0, n = 0;

	memset(c, 0, sizeof(*c));
	fileio_pool_init(&p, opt, 1, 1);
	for (;;) {
		bool good = fileio_pool_next(&p, true, 0, &r);
		unsigned now = !good ? 0 : r.op == JOB_SYNC ? 's' : 'w';
		size_t len = strlen(c->order);

		if (now != last && last && len + 16 < sizeof(c->order))
			snprintf(c->order + len, sizeof(c->order) - len,
				 "%s%c%u", len ? " " : "", (char)last, n);
		n = now == last ? n + 1 : 1;
		last = now;
		if (!good)
			break;
		c->ops[r.op]++;
		fileio_pool_done(&p, 0, r.op);
	}
	while (opt->compat == FILEIO_0_4 && opt->fsync_end &&
	       fileio_pool_next_end(&p, &r))
		c->ops[JOB_SYNC]++;
	fileio_pool_free(&p);
}

static struct job_fileio options_of(unsigned mode, uint64_t events,
				    unsigned files)
{
	return (struct job_fileio){
		.mode = mode,
		.num = files,
		.merged = 1,
		.total_bytes = 96 << 20,
		.block_bytes = 16384,
		.fsync_freq = 100,
		.events = events,
		.ratio = 1.5,
		.fsync_end = true,
	};
}

/* E events, F, N files: q = E / (F + N), m the rest: qF + min(m, F) requests. */
START_TEST(events_of_1_0)
{
	static const struct {
		uint64_t events, requests, syncs;
		unsigned files;
	} golden[] = {
		{ 1000, 900, 100, 12 },
		{ 22672, 10000, 12672, 128 },
		{ 300, 292, 8, 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(golden); i++) {
		struct job_fileio o = options_of(
			FILEIO_RNDWR, golden[i].events, golden[i].files);
		struct counts c;

		pull(&c, &o);
		ck_assert_uint_eq(c.ops[JOB_WRITE], golden[i].requests);
		ck_assert_uint_eq(c.ops[JOB_SYNC], golden[i].syncs);
	}
}
END_TEST

START_TEST(order_of_1_0)
{
	struct job_fileio o = options_of(FILEIO_SEQWR, 300, 4);
	struct counts c;

	pull(&c, &o);
	ck_assert_str_eq(c.order, "w100 s4 w100 s4 w92");
}
END_TEST

/* M requests: N x ((M - 1) / F) + N syncs; of a sequential pass only N. */
START_TEST(requests_of_0_4)
{
	struct job_fileio o = options_of(FILEIO_RNDWR, 10000, 128);
	struct counts c;

	o.compat = FILEIO_0_4;
	pull(&c, &o);
	ck_assert_uint_eq(c.ops[JOB_WRITE], 10000);
	ck_assert_uint_eq(c.ops[JOB_SYNC], 12800);
	o.mode = FILEIO_SEQREWR;
	o.events = 7;
	pull(&c, &o);
	ck_assert_uint_eq(c.ops[JOB_WRITE], (96 << 20) / 16384);
	ck_assert_uint_eq(c.ops[JOB_SYNC], 128);
}
END_TEST

/* 1.5 reads per write: 6000 and 4000 of 10000, of one thread. */
START_TEST(mix_of_reads_and_writes)
{
	struct job_fileio o = options_of(FILEIO_RNDRW, 10000, 128);
	struct counts c;

	o.compat = FILEIO_0_4;
	pull(&c, &o);
	ck_assert_int_le(labs((long)c.ops[JOB_READ] - 6000), 1);
	ck_assert_uint_eq(c.ops[JOB_READ] + c.ops[JOB_WRITE], 10000);
}
END_TEST

/* No sync in modes that only read, nor without a frequency. */
START_TEST(no_syncs)
{
	struct job_fileio o = options_of(FILEIO_RNDRD, 1000, 12);
	struct counts c;

	pull(&c, &o);
	ck_assert_uint_eq(c.ops[JOB_READ], 1000);
	ck_assert_uint_eq(c.ops[JOB_SYNC], 0);
	o.mode = FILEIO_RNDWR;
	o.fsync_freq = 0;
	pull(&c, &o);
	ck_assert_uint_eq(c.ops[JOB_WRITE], 1000);
}
END_TEST

/* --- whole runs --- */

static char *dir;

static void fileio_job(struct job *job, const char *mode, const char *events)
{
	job_init(job);
	set_option(job, "name", "f");
	set_option(job, "kind", "fileio");
	set_option(job, "directory", dir);
	set_option(job, "file-test-mode", mode);
	set_option(job, "file-num", "12");
	set_option(job, "file-total-size", "6m");
	set_option(job, "num-threads", "4");
	set_option(job, "events", events);
	set_option(job, "max-time", "0");
}

static void run_fileio(struct outcome *o, struct job *job)
{
	const struct work_kind *kind;

	ck_assert_msg(kind_settle(job, &kind) == 0, "%s", fail_sentence());
	run_well(o, job, 1);
	ck_assert_msg(o->close_rc == 0, "%s", o->sentence);
}

static uint64_t ios(const struct outcome *o, enum job_op op)
{
	return o->row->op[op].ios;
}

/* Four threads, three ways of I/O: 1000 events, and 4 x 12 syncs at the end. */
START_TEST(ways_of_io)
{
	static const char *const way[] = { "sync", "async", "mmap" };
	struct outcome o;
	struct job job;

#ifdef __SANITIZE_THREAD__
	/* Threads of sysbench may write the same mapped block at once. */
	if (!strcmp(way[_i], "mmap"))
		return;
#endif
	fileio_job(&job, "rndwr", "1000");
	set_option(&job, "file-io-mode", way[_i]);
	set_option(&job, "file-async-backlog", "8");
	run_fileio(&o, &job);
	ck_assert_uint_eq(ios(&o, JOB_WRITE), 900);
	ck_assert_uint_eq(ios(&o, JOB_SYNC), 148);
	ck_assert_uint_eq(o.row->op[JOB_WRITE].bytes, 900 * 16384);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* The files of sysbench's names and sizes are there afterwards. */
START_TEST(files)
{
	struct outcome o;
	struct stat st;
	struct job job;
	char path[300];

	fileio_job(&job, "rndrd", "50");
	run_fileio(&o, &job);
	ck_assert_uint_eq(ios(&o, JOB_READ), 50);
	for (unsigned i = 0; i < 12; i++) {
		snprintf(path, sizeof(path), "%s/test_file.%u", dir,
			 i);
		ck_assert_int_eq(stat(path, &st), 0);
		ck_assert_int_eq(st.st_size, (6 << 20) / 12);
		ck_assert_int_ge(st.st_blocks * 512, st.st_size);
	}
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* Each write has its sync, and there is none at the end. */
START_TEST(sync_after_each_write)
{
	struct outcome o;
	struct job job;

	fileio_job(&job, "seqwr", "500");
	set_option(&job, "file-fsync-all", "on");
	set_option(&job, "fd", "private");
	run_fileio(&o, &job);
	ck_assert_uint_eq(ios(&o, JOB_WRITE), 500);
	ck_assert_uint_eq(ios(&o, JOB_SYNC), 500);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* What was written with checksums is read back with them. */
START_TEST(validation)
{
	struct outcome o;
	struct job job;
	char block[64];
	struct random r;

	fileio_job(&job, "rndrw", "2000");
	set_option(&job, "validate", "on");
	run_fileio(&o, &job);
	ck_assert_uint_gt(ios(&o, JOB_READ), 0);
	ck_assert_uint_eq(o.row->errors, 0);
	free_outcome(&o);
	job_free(&job);
	random_seed(&r, 7);
	fileio_check_fill(&r, block, sizeof(block), 4096);
	ck_assert(fileio_check_good(block, sizeof(block), 4096));
	ck_assert(!fileio_check_good(block, sizeof(block), 8192));
	block[3] ^= 1;
	ck_assert(!fileio_check_good(block, sizeof(block), 4096));
}
END_TEST

/* What cannot be run says so. */
START_TEST(refusals)
{
	const struct work_kind *kind;
	struct outcome o;
	struct job job;

	fileio_job(&job, "rndrw", "10");
	set_option(&job, "process", "1");
	ck_assert_int_eq(kind_settle(&job, &kind), 0);
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, -EINVAL);
	ck_assert_ptr_nonnull(strstr(o.sentence, "leave process=1 out"));
	job_free(&job);
	fileio_job(&job, "rndrw", "10");
	set_option(&job, "iodepth", "4");
	ck_assert_int_eq(kind_settle(&job, &kind), -EINVAL);
	job_free(&job);
}
END_TEST

static void set_up(void)
{
	dir = make_dir();
}

static void tear_down(void)
{
	remove_dir(dir);
}

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("generator"), *runs = tcase_create("runs");

	tcase_add_test(t, events_of_1_0);
	tcase_add_test(t, order_of_1_0);
	tcase_add_test(t, requests_of_0_4);
	tcase_add_test(t, mix_of_reads_and_writes);
	tcase_add_test(t, no_syncs);
	suite_add_tcase(suite, t);
	tcase_add_checked_fixture(runs, set_up, tear_down);
	tcase_set_timeout(runs, 300);
	tcase_add_loop_test(runs, ways_of_io, 0, 3);
	tcase_add_test(runs, files);
	tcase_add_test(runs, sync_after_each_write);
	tcase_add_test(runs, validation);
	tcase_add_test(runs, refusals);
	suite_add_tcase(suite, runs);
}
