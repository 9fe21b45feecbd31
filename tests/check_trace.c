/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the trace's counters: the buckets of times, and the fields of a device
 * from two sets of counters, also across the wrap of a 32-bit count.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/frame.h"
#include "model/schema/schema_machine.h"
#include "model/schema/schema_trace.h"

START_TEST(buckets_hold_their_times)
{
	for (uint32_t i = 0; i < TRACE_BUCKETS; i++) {
		const uint64_t low = trace_bucket_low(i);
		const uint64_t high = trace_bucket_low(i + 1);

		ck_assert_uint_eq(trace_bucket(low), i);
		ck_assert_uint_eq(trace_bucket(high - 1), i);
		/* 1.6 % off at most, from the middle. */
		ck_assert_double_le((double)(high - low) / 2 / (double)low,
				    1.0 / 64);
	}
	ck_assert_uint_eq(trace_bucket(0), 0);
	ck_assert_uint_eq(trace_bucket(UINT64_MAX), TRACE_BUCKETS - 1);
	for (unsigned bit = 0; bit < 64; bit++)
		ck_assert_uint_eq(trace_log2(UINT64_C(1) << bit), bit);
	ck_assert_uint_eq(trace_size_bucket(0), 0);
	ck_assert_uint_eq(trace_size_bucket(512), 0);
	ck_assert_uint_eq(trace_size_bucket(4096), 3);
	ck_assert_uint_eq(trace_size_bucket(UINT32_MAX), TRACE_SIZES - 1);
}
END_TEST

static void add(struct trace_counts *c, uint64_t queue_ns, uint64_t device_ns)
{
	const uint32_t whole = trace_bucket(queue_ns + device_ns);

	c->ios++;
	c->timed++;
	c->queue_ns += queue_ns;
	c->device_ns += device_ns;
	c->whole[whole]++;
	c->queue[trace_bucket(queue_ns)]++;
	c->device[trace_bucket(device_ns)]++;
	c->queue_ns_of[whole / 8] += queue_ns;
}

struct pair {
	struct trace_counts before, after;
	struct device_trace trace[2];
	struct device_raw raw[2];
	struct span span;
};

static struct pair *new_pair(void)
{
	struct pair *p = xcalloc(1, sizeof(*p));

	p->trace[0].op[TRACE_READ] = &p->before;
	p->trace[1].op[TRACE_READ] = &p->after;
	p->trace[0].split = p->trace[1].split = true;
	p->raw[0].trace = &p->trace[0];
	p->raw[1].trace = &p->trace[1];
	p->span = (struct span){ &p->raw[0], &p->raw[1], 2 };
	return p;
}

static double value(const struct pair *p, const char *key)
{
	int i = schema_field(SCHEMA_DEVICE, key);

	ck_assert_msg(i >= 0, "%s", key);
	return schema_number(&schemas[SCHEMA_DEVICE]->fields[i], &p->span);
}

static void near(double is, double should)
{
	ck_assert_msg(fabs(is - should) <= should / 60, "%g, not %g", is,
		      should);
}

START_TEST(split_of_an_interval)
{
	struct pair *p = new_pair();
	struct histogram *h = xcalloc(1, sizeof(*h));

	/* The counts before are large enough to wrap. */
	memset(p->before.whole, 0xff, sizeof(p->before.whole));
	memset(p->before.queue, 0xff, sizeof(p->before.queue));
	memset(p->before.device, 0xff, sizeof(p->before.device));
	p->before.ios = p->before.timed = 1000;
	p->after = p->before;
	/* 980 fast ones, 20 that waited 9 of 10 ms. */
	for (int i = 0; i < 980; i++)
		add(&p->after, 10000, 90000);
	for (int i = 0; i < 20; i++)
		add(&p->after, 9000000, 1000000);
	near(value(p, "read_p50_ns"), 100000);
	near(value(p, "read_p99_ns"), 10e6);
	near(value(p, "read_max_ns"), 10e6);
	near(value(p, "read_queue_p50_ns"), 10000);
	near(value(p, "read_queue_p99_ns"), 9e6);
	near(value(p, "read_device_p50_ns"), 90000);
	near(value(p, "read_device_p99_ns"), 1e6);
	near(value(p, "read_queue_pct"),
	     100 * (980 * 1e4 + 20 * 9e6) / (980 * 1e5 + 20 * 1e7));
	near(value(p, "read_slow_queue_pct"), 90);
	ck_assert(schema_trace_hist(
		&p->span, &(struct field){ .arg = { .op = TRACE_READ, .part = TRACE_WHOLE } },
		h));
	ck_assert_uint_eq(histogram_count(h), 1000);
	/* Two hours in the queue, in one interval. */
	for (int i = 0; i < 1000; i++)
		add(&p->after, UINT64_C(7200000000), 1000000);
	near(value(p, "read_slow_queue_pct"), 100);
	p->after.sequential = p->after.ios + 1;
	ck_assert_double_eq(value(p, "read_sequential_pct"), 100);
	free(h);
	free(p);
}
END_TEST

/* A process without requests since the last look has no times. */
START_TEST(times_of_a_process)
{
	struct trace_owner *o = xcalloc(2, sizeof(*o));
	struct task_raw raw = { 0 };
	const struct span span = { NULL, &raw, 1 };
	const struct field *fields = schemas[SCHEMA_TASK]->fields;
	const struct field *p99 =
		&fields[schema_field(SCHEMA_TASK, "io_p99_ns")];
	const struct field *queue =
		&fields[schema_field(SCHEMA_TASK, "io_queue_pct")];

	ck_assert_double_nan(schema_number(p99, &span));
	raw.trace = (struct owner_trace){ &o[1], &o[1] };
	ck_assert_double_nan(schema_number(p99, &span));
	raw.trace.was = &o[0];
	o[1].changes = 1;
	o[0].whole[7] = UINT32_MAX;
	o[1].whole[trace_bucket(100000)] = 99;
	o[1].whole[trace_bucket(5000000)] = 1;
	o[1].whole[7] = UINT32_MAX;
	near(schema_number(p99, &span), 100000);
	near(schema_number(&fields[schema_field(SCHEMA_TASK, "io_max_ns")],
			   &span),
	     5000000);
	ck_assert_double_nan(schema_number(queue, &span));
	o[1].queue_ns = 1;
	o[1].device_ns = 3;
	ck_assert_double_eq(schema_number(queue, &span), 25);
	free(o);
}
END_TEST

/* Absent, never 0, where nothing was measured. */
START_TEST(absent_where_not_measured)
{
	struct pair *p = new_pair();

	ck_assert_double_nan(value(p, "read_p99_ns"));
	ck_assert_double_nan(value(p, "write_p99_ns"));
	ck_assert_double_nan(value(p, "requeues_per_s"));
	/* None completes, and the driver puts them back. */
	p->after.requeues = 6;
	ck_assert_double_eq(value(p, "requeues_per_s"), 3);
	ck_assert_double_nan(value(p, "read_p99_ns"));
	p->after.requeues = 0;
	add(&p->after, 10000, 90000);
	ck_assert(!isnan(value(p, "read_p99_ns")));
	ck_assert_double_eq(value(p, "requeues_per_s"), 0);
	p->trace[1].split = false;
	ck_assert(!isnan(value(p, "read_p99_ns")));
	ck_assert_double_nan(value(p, "read_queue_p99_ns"));
	ck_assert_double_nan(value(p, "read_device_p99_ns"));
	ck_assert_double_nan(value(p, "read_queue_pct"));
	p->raw[0].trace = NULL;
	ck_assert_double_nan(value(p, "read_p99_ns"));
	ck_assert_double_nan(value(p, "trace_missed"));
	free(p);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("trace");

	tcase_add_test(t, buckets_hold_their_times);
	tcase_add_test(t, split_of_an_interval);
	tcase_add_test(t, times_of_a_process);
	tcase_add_test(t, absent_where_not_measured);
	suite_add_tcase(suite, t);
}
