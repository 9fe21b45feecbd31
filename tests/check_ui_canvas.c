/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of what graphs are made of: units, axes, the canvas, columns of time,
 * maps and histograms.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/schema/schema.h"
#include "model/unit.h"
#include "test.h"
#include "ui/chart/chart.h"

START_TEST(units_by_key)
{
	static const struct {
		const char *key;
		enum unit unit;
		double v;
		const char *text;
	} cases[] = {
		{ "read_iops", UNIT_COUNT, 11200, "11.2k" },
		{ "read_bytes_per_s", UNIT_BYTES_PER_S, 1 << 20, "1.00MiB/s" },
		{ "dirty_bytes", UNIT_BYTES, 1536, "1.50KiB" },
		{ "read_p99_ns", UNIT_NS, 830000, "830us" },
		{ "util_pct", UNIT_PCT, 99.96, "100%" },
		{ "util_pct", UNIT_PCT, 0.25, "0.2%" },
		{ "queue_size", UNIT_COUNT, NAN, "-" },
		{ "ns", UNIT_COUNT, 5, "5" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_int_eq(unit_of(cases[i].key), cases[i].unit);
		ck_assert_str_eq(unit_format(cases[i].unit, cases[i].v).text,
				 cases[i].text);
	}
}
END_TEST

#define KIB 1024.0
#define MIB (1024.0 * 1024)

START_TEST(linear_axis)
{
	static const struct {
		enum unit unit;
		double most, high;
	} cases[] = {
		{ UNIT_COUNT, 0, 1 },
		{ UNIT_COUNT, NAN, 1 },
		{ UNIT_COUNT, 1, 1 },
		{ UNIT_COUNT, 1.01, 1.2 },
		{ UNIT_COUNT, 11200, 12000 },
		{ UNIT_COUNT, 20001, 30000 },
		{ UNIT_COUNT, 0.0031, 0.004 },
		{ UNIT_NS, 4.4e6, 5e6 },
		{ UNIT_PCT, 51, 100 },
		{ UNIT_PCT, 12, 12 },
		{ UNIT_PCT, 250, 300 },
		{ UNIT_BYTES, 900, 1024 },
		{ UNIT_BYTES, 1000, 1024 },
		{ UNIT_BYTES, 1025, 1.2 * KIB },
		{ UNIT_BYTES_PER_S, 175 * MIB, 200 * MIB },
		{ UNIT_BYTES_PER_S, 900 * MIB, 1024 * MIB },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct axis a;
		double tick[AXIS_TICKS];
		size_t n;

		chart_axis_fit(&a, cases[i].unit, false, 0, cases[i].most);
		ck_assert_double_eq_tol(a.high, cases[i].high,
					cases[i].high * 1e-9);
		ck_assert_double_eq(a.low, 0);
		ck_assert_double_eq(chart_axis_part(&a, 0), 0);
		ck_assert_double_eq(chart_axis_part(&a, a.high), 1);
		ck_assert_double_eq(chart_axis_part(&a, a.high * 9), 1);
		ck_assert_double_eq(chart_axis_part(&a, -5), 0);
		ck_assert(isnan(chart_axis_part(&a, NAN)));
		n = chart_axis_ticks(&a, 4, tick);
		ck_assert_uint_eq(n, 3);
		ck_assert_double_eq_tol(tick[1], a.high / 2, a.high * 1e-9);
		ck_assert_uint_eq(chart_axis_ticks(&a, 5, tick), 5);
		ck_assert_uint_eq(chart_axis_ticks(&a, 0, tick), 2);
		ck_assert_uint_eq(chart_axis_ticks(&a, 99, tick), 9);
	}
}
END_TEST

START_TEST(log_axis)
{
	struct axis a;
	double tick[AXIS_TICKS];
	size_t n;

	chart_axis_fit(&a, UNIT_NS, true, 130e3, 42e6);
	ck_assert_double_eq_tol(a.low, 1e5, 1);
	ck_assert_double_eq_tol(a.high, 1e8, 1);
	ck_assert_double_eq_tol(chart_axis_part(&a, 1e6), 1.0 / 3, 1e-9);
	ck_assert_double_eq(chart_axis_part(&a, 0), 0);
	ck_assert_double_eq(chart_axis_part(&a, 1e12), 1);
	ck_assert(isnan(chart_axis_part(&a, NAN)));
	n = chart_axis_ticks(&a, 8, tick);
	ck_assert_uint_eq(n, 4);
	ck_assert_double_eq_tol(tick[1], 1e6, 1);
	ck_assert_double_eq_tol(tick[3], 1e8, 1);
	/* A power is its own end; a single value has an axis, too. */
	chart_axis_fit(&a, UNIT_NS, true, 1e3, 1e6);
	ck_assert_double_eq_tol(a.low, 1e3, 1e-6);
	ck_assert_double_eq_tol(a.high, 1e6, 1e-3);
	chart_axis_fit(&a, UNIT_COUNT, true, 10, 10);
	ck_assert_double_eq_tol(a.low, 10, 1e-9);
	ck_assert_double_eq_tol(a.high, 100, 1e-6);
	chart_axis_fit(&a, UNIT_COUNT, true, NAN, NAN);
	ck_assert(a.high > a.low && a.low > 0);
	/* Bytes go by twos. */
	chart_axis_fit(&a, UNIT_BYTES, true, 4096, 1000000);
	ck_assert_double_eq_tol(a.low, 4096, 1e-6);
	ck_assert_double_eq_tol(a.high, MIB, 1e-3);
	/* Whatever the room, they rise from one end to the other. */
	chart_axis_fit(&a, UNIT_BYTES, true, 1, 1e15);
	for (size_t room = 2; room < 40; room++) {
		n = chart_axis_ticks(&a, room, tick);
		ck_assert_uint_ge(n, 2);
		ck_assert_uint_le(n, room < AXIS_TICKS ? room : AXIS_TICKS);
		ck_assert_double_eq(tick[0], a.low);
		ck_assert_double_eq(tick[n - 1], a.high);
		for (size_t i = 1; i < n; i++)
			ck_assert(tick[i] > tick[i - 1] * 1.5);
	}
}
END_TEST

/* A canvas as text, a line per line, in ASCII or as the code of each cell. */
static void expect_ascii(const struct canvas *c, const char *text)
{
	for (int y = 0; y < c->lines; y++)
		for (int x = 0; x < c->columns; x++)
			ck_assert_msg(
				canvas_code(c, x, y) ==
					(unsigned char)text[y * c->columns + x],
				"line %d column %d is '%c'", y, x,
				(char)canvas_code(c, x, y));
}

START_TEST(bars)
{
	struct canvas c;

	canvas_init(&c, 5, 3, CANVAS_ASCII);
	canvas_bar(&c, 0, 0, 1);
	canvas_bar(&c, 1, 0.001, 1);
	canvas_bar(&c, 2, 0.5, 1);
	canvas_bar(&c, 3, 1, 1);
	canvas_bar(&c, 4, NAN, 1);
	canvas_bar(&c, -1, 1, 1);
	canvas_bar(&c, 5, 1, 1);
	expect_ascii(&c, "   # "
			 "  :# "
			 " .## ");
	ck_assert_int_eq(canvas_series(&c, 3, 0), 1);
	ck_assert_int_eq(canvas_series(&c, 4, 0), 0);
	ck_assert_int_eq(canvas_series(&c, 99, 0), 0);
	canvas_free(&c);
	canvas_init(&c, 2, 1, CANVAS_BLOCK);
	canvas_bar(&c, 0, 0.5, 1);
	canvas_bar(&c, 1, 1, 1);
	ck_assert_uint_eq(canvas_code(&c, 0, 0), 0x2584);
	ck_assert_uint_eq(canvas_code(&c, 1, 0), 0x2588);
	canvas_free(&c);
	canvas_init(&c, 2, 2, CANVAS_BRAILLE);
	ck_assert_int_eq(canvas_per_cell(&c), 2);
	canvas_bar(&c, 0, 0.01, 1);
	canvas_bar(&c, 1, 1, 1);
	ck_assert_uint_eq(canvas_code(&c, 0, 1), 0x2800 + 0x40 + 0xb8);
	ck_assert_uint_eq(canvas_code(&c, 0, 0), 0x2800 + 0xb8);
	ck_assert_uint_eq(canvas_code(&c, 1, 0), ' ');
	canvas_free(&c);
}
END_TEST

/* Two series have two marks; a jump is drawn on its way. */
START_TEST(lines_in_ascii)
{
	struct canvas c;

	canvas_init(&c, 4, 4, CANVAS_ASCII);
	canvas_line(&c, 0, NAN, 0, 1);
	canvas_line(&c, 1, 0, 0.99, 1);
	canvas_line(&c, 2, 0.99, 0.8, 1);
	canvas_line(&c, 3, NAN, NAN, 1);
	canvas_line(&c, 0, NAN, 0.5, 2);
	canvas_line(&c, 2, NAN, 0, 2);
	expect_ascii(&c, " ** "
			 "o*  "
			 " *  "
			 "* o ");
	ck_assert_int_eq(canvas_series(&c, 2, 3), 2);
	canvas_tag(&c, 2, 0, 2, '2');
	ck_assert_uint_eq(canvas_code(&c, 2, 3), '2');
	canvas_free(&c);
}
END_TEST

START_TEST(lines_in_braille)
{
	struct canvas c;

	canvas_init(&c, 2, 1, CANVAS_BRAILLE);
	canvas_line(&c, 0, NAN, 0, 1);
	canvas_line(&c, 1, 0, 1, 1);
	canvas_line(&c, 2, 1, 1, 1);
	ck_assert_uint_eq(canvas_code(&c, 0, 0),
			  0x2800 + 0x40 + 0x08 + 0x10 + 0x20);
	ck_assert_uint_eq(canvas_code(&c, 1, 0), 0x2800 + 0x01);
	canvas_tag(&c, 3, 0.5, 1, 'A');
	ck_assert_uint_eq(canvas_code(&c, 1, 0), 'A');
	canvas_free(&c);
	/* Nothing to draw on. */
	canvas_init(&c, -3, 0, CANVAS_BRAILLE);
	canvas_bar(&c, 0, 1, 1);
	canvas_line(&c, 0, 0, 1, 1);
	canvas_tag(&c, 0, 0, 1, 'x');
	ck_assert_uint_eq(canvas_code(&c, 0, 0), ' ');
	canvas_free(&c);
}
END_TEST

START_TEST(marks_differ)
{
	for (int i = 1; i <= 8; i++)
		for (int k = 1; k < i; k++)
			ck_assert_int_ne(canvas_mark(i), canvas_mark(k));
}
END_TEST

/* Frames of a second: 100 I/Os at 1 ms, from 10 s on at 8 ms. */
static struct history *canned_history(void)
{
	struct history *h = history_new(100, 1 << 20);
	struct frame f = { 0 };

	for (int t = 1; t <= 20; t++) {
		struct histogram *g;
		struct row *row;

		frame_reset(&f);
		f.t_s = t;
		f.interval_s = 1;
		row = frame_add_row(&f, SCHEMA_JOB, "j");
		g = arena_zalloc(&f.arena, sizeof(*g));
		g->bucket[histogram_index(t <= 10 ? 1 << 20 : 1 << 23)] = 99;
		g->bucket[histogram_index(1 << 22)] = 1;
		if (t != 15)
			row->value[schema_field(SCHEMA_JOB, "read_hist")]
				.histogram = g;
		row->value[schema_field(SCHEMA_JOB, "read_iops")].number = t;
		history_push(h, &f);
	}
	frame_free(&f);
	return h;
}

START_TEST(heat_map)
{
	struct chart c = { .start_s = 0, .step_s = 1, .columns = 20 };
	struct history *h = canned_history();
	int field = schema_field(SCHEMA_JOB, "read_hist");
	struct heatmap m;

	/* A quarter of an octave to a line: 1 ms to 8 ms are 13 of them. */
	ck_assert(heatmap_fill(&m, &c, h, 0, SCHEMA_JOB, "j", field, 16));
	ck_assert_uint_eq(m.per_line, 1);
	ck_assert_int_eq(m.lines, 13);
	ck_assert_double_eq(heatmap_low(&m, 0), 1 << 20);
	ck_assert_double_eq(heatmap_low(&m, 12), 1 << 23);
	for (int x = 0; x < 20; x++) {
		bool none = x == 14;

		ck_assert_int_eq(heatmap_level(&m, x, 0),
				 x < 10 && !none ? HEATS : 0);
		ck_assert_int_eq(heatmap_level(&m, x, 12),
				 x >= 10 && !none ? HEATS : 0);
		ck_assert_int_eq(heatmap_level(&m, x, 8), none ? 0 : 1);
		ck_assert_uint_eq(m.total[x], none ? 0 : 100);
	}
	ck_assert_int_eq(heatmap_level(&m, 20, 0), 0);
	ck_assert_int_eq(heatmap_level(&m, 0, 13), 0);
	heatmap_free(&m);
	/* Few lines take whole octaves, and lose no count. */
	ck_assert(heatmap_fill(&m, &c, h, 0, SCHEMA_JOB, "j", field, 4));
	ck_assert_uint_eq(m.per_line, 4);
	ck_assert_int_eq(m.lines, 4);
	ck_assert_int_eq(heatmap_level(&m, 3, 0), HEATS);
	ck_assert_int_eq(heatmap_level(&m, 12, 3), HEATS);
	heatmap_free(&m);
	ck_assert(heatmap_fill(&m, &c, h, 0, SCHEMA_JOB, "j", field, 2));
	ck_assert_uint_eq(m.total[3], 100);
	ck_assert_uint_eq(m.cell[3 * m.lines], 99);
	heatmap_free(&m);
	/* Two frames to a column; a column without any stays empty. */
	c = (struct chart){ .start_s = 8, .step_s = 2, .columns = 8 };
	ck_assert(heatmap_fill(&m, &c, h, 0, SCHEMA_JOB, "j", field, 16));
	ck_assert_uint_eq(m.total[0], 200);
	ck_assert_uint_eq(m.total[3], 100);
	ck_assert_uint_eq(m.total[6], 0);
	heatmap_free(&m);
	ck_assert(!heatmap_fill(&m, &c, h, 0, SCHEMA_JOB, "nobody", field, 16));
	heatmap_free(&m);
	ck_assert(!heatmap_fill(&m, &c, h, 0, SCHEMA_JOB, "j", field, 0));
	heatmap_free(&m);
	history_free(h);
}
END_TEST

START_TEST(columns_of_time)
{
	struct chart c = { .start_s = 10, .step_s = 1, .columns = 10 };
	struct graph_series s = { .schema = SCHEMA_JOB, .row = "j" };
	struct history *h = canned_history();
	double v[40];

	s.field = schema_field(SCHEMA_JOB, "read_iops");
	chart_fill(&c, h, 0, &s, v);
	for (int x = 0; x < 10; x++)
		ck_assert_double_eq(v[x], 11 + x);
	/* Another log, 5 s later: its last frames are out of sight. */
	chart_fill(&c, h, 5, &s, v);
	for (int x = 0; x < 10; x++)
		ck_assert_double_eq(v[x], 6 + x);
	chart_fill(&c, h, 15, &s, v);
	ck_assert(isnan(v[4]));
	ck_assert_double_eq(v[5], 1);
	/* Finer than the frames: each holds as long as it lasted. */
	c = (struct chart){ .start_s = 10, .step_s = 0.25, .columns = 40 };
	chart_fill(&c, h, 0, &s, v);
	ck_assert_double_eq(v[0], 11);
	ck_assert_double_eq(v[3], 11);
	ck_assert_double_eq(v[4], 12);
	ck_assert_double_eq(v[39], 20);
	/* Coarser: their mean. */
	c = (struct chart){ .start_s = 10, .step_s = 5, .columns = 2 };
	chart_fill(&c, h, 0, &s, v);
	ck_assert_double_eq(v[0], 13);
	ck_assert_double_eq(v[1], 18);
	ck_assert_int_eq(chart_column(&c, 15), 0);
	ck_assert_int_eq(chart_column(&c, 15.1), 1);
	ck_assert_int_eq(chart_column(&c, 10), -1);
	ck_assert_int_eq(chart_column(&c, -1e300), -1);
	ck_assert_int_eq(chart_column(&c, 1e300), 2);
	ck_assert_double_eq(chart_value(h, 12.5, &s), 13);
	ck_assert_double_eq(chart_value(h, NAN, &s), 20);
	ck_assert(isnan(chart_value(h, 99, &s)));
	history_free(h);
}
END_TEST

START_TEST(histogram_bars)
{
	static struct histogram h;
	struct histbars b;
	double sum = 0;

	memset(&h, 0, sizeof(h));
	ck_assert(!heatmap_bars(&b, NULL, 60));
	ck_assert(!heatmap_bars(&b, &h, 60));
	h.bucket[histogram_index(1 << 20)] = 75;
	h.bucket[histogram_index(1 << 23)] = 25;
	ck_assert(!heatmap_bars(&b, &h, 0));
	for (int room = 1; room < 200; room++) {
		ck_assert(heatmap_bars(&b, &h, room));
		ck_assert_int_le(b.n * b.cells, room);
		sum = 0;
		for (int i = 0; i < b.n; i++)
			sum += b.share[i];
		ck_assert_double_eq_tol(sum, 1, 1e-9);
	}
	ck_assert_int_eq(b.n, 13);
	ck_assert_double_eq(b.most, 0.75);
	ck_assert_double_eq(b.low_ns[0], 1 << 20);
	ck_assert_double_eq(b.share[12], 0.25);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("canvas");

	tcase_add_test(tc, units_by_key);
	tcase_add_test(tc, linear_axis);
	tcase_add_test(tc, log_axis);
	tcase_add_test(tc, bars);
	tcase_add_test(tc, lines_in_ascii);
	tcase_add_test(tc, lines_in_braille);
	tcase_add_test(tc, marks_differ);
	tcase_add_test(tc, heat_map);
	tcase_add_test(tc, columns_of_time);
	tcase_add_test(tc, histogram_bars);
	suite_add_tcase(suite, tc);
}
