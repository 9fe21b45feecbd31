/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of schema_device: iostat's formulas against values worked out by hand,
 * counters that wrap or are reset, old kernels.
 */
#include "check_model.h"

#include <math.h>
#include <string.h>

#include "model/schema/schema_machine.h"

/* Two looks at a disk, two seconds apart. */
static const struct device_raw before = {
	.ios = { 1000, 500, 10 },
	.merges = { 50, 20, 0 },
	.sectors = { 80000, 40000, 2048 },
	.ms = { 2000, 4000, 5 },
	.flush_ios = 100,
	.flush_ms = 300,
	.queue_depth = 3,
	.busy_ms = 10000,
	.weighted_ms = 20000,
	.columns = 17,
	.in_flight_read = 2,
	.in_flight_write = 1,
	.read_ahead_kb = 128,
};

/*
 * In those two seconds: 200 reads of 6400 sectors and 50 merged ones, taking
 * 300 ms in all; 100 writes of 1600 sectors, none merged, 250 ms; no discard;
 * 20 flushes of 80 ms; 1500 ms busy; 550 ms weighted.
 */
static const struct device_raw after = {
	.ios = { 1200, 600, 10 },
	.merges = { 100, 20, 0 },
	.sectors = { 86400, 41600, 2048 },
	.ms = { 2300, 4250, 5 },
	.flush_ios = 120,
	.flush_ms = 380,
	.queue_depth = 7,
	.busy_ms = 11500,
	.weighted_ms = 20550,
	.columns = 17,
	.in_flight_read = 4,
	.in_flight_write = -1,
	.read_ahead_kb = 128,
	.scheduler = "bfq",
	.stall_ns = 5,
	.counted = true,
};

static double value(const char *key, const struct device_raw *prev,
		    const struct device_raw *now)
{
	struct span s = { prev, now, 2 };
	int i = schema_field(SCHEMA_DEVICE, key);

	ck_assert_msg(i >= 0, "%s", key);
	return schema_number(&schema_device.fields[i], &s);
}

static void expect(const char *key, double want)
{
	double got = value(key, &before, &after);

	ck_assert_msg(fabs(got - want) < 1e-9 * (fabs(want) + 1),
		      "%s is %g, not %g", key, got, want);
}

START_TEST(figures_are_those_of_iostat)
{
	expect("read_iops", 100);
	expect("read_bytes_per_s", 6400 * 512 / 2);
	expect("read_merges_per_s", 25);
	expect("read_merge_pct", 20);
	expect("read_await_ns", 1.5e6);
	expect("read_size_bytes", 32 * 512);
	expect("write_iops", 50);
	expect("write_bytes_per_s", 1600 * 512 / 2);
	expect("write_merges_per_s", 0);
	expect("write_merge_pct", 0);
	expect("write_await_ns", 2.5e6);
	expect("write_size_bytes", 16 * 512);
	expect("discard_iops", 0);
	expect("discard_merge_pct", 0);
	expect("flush_iops", 10);
	expect("flush_await_ns", 4e6);
	expect("queue_size", 0.275);
	expect("util_pct", 75);
}
END_TEST

START_TEST(gauges_need_no_past)
{
	struct span s = { NULL, &after, 0 };
	int scheduler = schema_field(SCHEMA_DEVICE, "scheduler");
	int parent = schema_field(SCHEMA_DEVICE, "parent");

	ck_assert_double_eq(value("queue_depth", NULL, &after), 7);
	ck_assert_double_eq(value("in_flight_read", NULL, &after), 4);
	ck_assert(isnan(value("in_flight_write", NULL, &after)));
	ck_assert_double_eq(value("read_ahead_kb", NULL, &after), 128);
	ck_assert_double_eq(value("stall_ns", NULL, &after), 5);
	ck_assert_double_eq(value("counted", NULL, &after), 1);
	ck_assert_str_eq(schema_text(&schema_device.fields[scheduler], &s), "bfq");
	ck_assert_ptr_null(schema_text(&schema_device.fields[parent], &s));
}
END_TEST

START_TEST(without_a_past_there_is_no_rate)
{
	static const char *const keys[] = { "read_iops",      "write_await_ns",
					    "read_merge_pct", "flush_iops",
					    "queue_size",     "util_pct" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		ck_assert(isnan(value(keys[i], NULL, &after)));
}
END_TEST

START_TEST(without_an_io_there_is_no_mean)
{
	ck_assert_double_eq(value("read_iops", &after, &after), 0);
	ck_assert_double_eq(value("read_merge_pct", &after, &after), 0);
	ck_assert(isnan(value("read_await_ns", &after, &after)));
	ck_assert(isnan(value("read_size_bytes", &after, &after)));
	ck_assert(isnan(value("flush_await_ns", &after, &after)));
	ck_assert_double_eq(value("util_pct", &after, &after), 0);
	ck_assert(isnan(value("discard_await_ns", &before, &after)));
}
END_TEST

START_TEST(milliseconds_wrap_at_32_bits)
{
	struct device_raw a = before, b = after;

	a.ms[DEVICE_READ] = 0xffffff9c; /* 100 below the wrap */
	b.ms[DEVICE_READ] = 200;
	a.busy_ms = 0xfffffc18;
	b.busy_ms = 500;
	a.weighted_ms = 0xffffffff;
	b.weighted_ms = 549;
	ck_assert_double_eq(value("read_await_ns", &a, &b), 1.5e6);
	ck_assert_double_eq(value("util_pct", &a, &b), 75);
	ck_assert_double_eq(value("queue_size", &a, &b), 0.275);
}
END_TEST

START_TEST(a_reset_gives_no_nonsense)
{
	static const char *const keys[] = { "read_iops",     "read_bytes_per_s",
					    "read_await_ns", "queue_size",
					    "write_iops",    "write_size_bytes",
					    "flush_iops",    "util_pct",
					    "read_merge_pct" };
	struct device_raw zero = { .columns = 17 };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		ck_assert_msg(isnan(value(keys[i], &after, &zero)), "%s",
			      keys[i]);
}
END_TEST

START_TEST(old_kernels_and_switched_off_counters)
{
	struct device_raw a = before, b = after;

	b.columns = 11;
	ck_assert_double_eq(value("read_iops", &a, &b), 100);
	ck_assert(isnan(value("discard_iops", &a, &b)));
	ck_assert(isnan(value("flush_iops", &a, &b)));
	b.columns = 15;
	ck_assert_double_eq(value("discard_iops", &a, &b), 0);
	ck_assert(isnan(value("flush_iops", &a, &b)));
	b = after;
	b.stats_off = true;
	ck_assert(isnan(value("read_iops", &a, &b)));
	ck_assert(isnan(value("util_pct", &a, &b)));
	ck_assert_double_eq(value("stats_off", &a, &b), 1);
	ck_assert(isnan(value("stats_off", &a, &a)));
}
END_TEST

TCase *device_case(void)
{
	TCase *c = tcase_create("device");

	tcase_add_test(c, figures_are_those_of_iostat);
	tcase_add_test(c, gauges_need_no_past);
	tcase_add_test(c, without_a_past_there_is_no_rate);
	tcase_add_test(c, without_an_io_there_is_no_mean);
	tcase_add_test(c, milliseconds_wrap_at_32_bits);
	tcase_add_test(c, a_reset_gives_no_nonsense);
	tcase_add_test(c, old_kernels_and_switched_off_counters);
	return c;
}
