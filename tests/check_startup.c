/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Startup trace: its counts are those of the traces that it stands for, and it
 * is the same each time.
 */
#include "workload/kind/startup_trace.c"

#include "model/job/job.h"
#include "test.h"

static void startup_trace_count(const struct startup_trace *t,
			 struct startup_counts *out)
{
	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < t->of->count.requests; i++) {
		const struct trace_request *q = &t->request[i];

		out->requests++;
		out->sequential += q->sequential;
		out->readahead += q->action == READAHEAD;
		out->metadata += q->action == METADATA;
		out->small += q->blocks == 1;
		out->large += q->blocks == LARGE;
		out->bytes += q->blocks * BLOCK;
	}
}

START_TEST(counts_of_gnome_terminal)
{
	struct startup_trace *t = startup_trace_new(STARTUP_GNOME_TERMINAL);
	struct startup_counts n;

	startup_trace_count(t, &n);
	ck_assert_uint_eq(n.requests, 2781);
	ck_assert_uint_eq(n.sequential, 2377);
	ck_assert_uint_eq(n.requests - n.sequential, 404);
	ck_assert_uint_eq(n.readahead, 1992);
	ck_assert_uint_eq(n.metadata, 355);
	ck_assert_uint_eq(n.small, 2546);
	ck_assert_uint_eq(n.large, 22);
	/* 20.1 MiB */
	ck_assert_uint_eq(n.bytes * 10 / (1 << 20), 201);
	ck_assert_uint_eq(startup_trace_bytes(t), 7 * 20ull << 20);
	startup_trace_free(t);
}
END_TEST

START_TEST(counts_of_the_others)
{
	struct startup_trace *t = startup_trace_new(STARTUP_XTERM);
	struct startup_counts n;

	startup_trace_count(t, &n);
	ck_assert_uint_eq(n.requests, 718);
	ck_assert_uint_eq((n.bytes * 100 / (1 << 20) + 5) / 10, 59);
	startup_trace_free(t);
	t = startup_trace_new(STARTUP_LOWRITER);
	startup_trace_count(t, &n);
	ck_assert_uint_eq(n.requests, 1268);
	ck_assert_uint_eq(n.large, 249);
	ck_assert_uint_eq((n.bytes * 100 / (1 << 20) + 5) / 10, 464);
	startup_trace_free(t);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("trace");

	tcase_add_test(t, counts_of_gnome_terminal);
	tcase_add_test(t, counts_of_the_others);
	suite_add_tcase(suite, t);
}
