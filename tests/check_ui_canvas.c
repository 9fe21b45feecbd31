/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of what graphs are made of: units, axes and the canvas.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/unit.h"
#include "test.h"
#include "ui/axis.h"
#include "ui/canvas.h"

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
	char buf[32];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_int_eq(unit_of(cases[i].key), cases[i].unit);
		unit_format(buf, sizeof(buf), cases[i].unit, cases[i].v);
		ck_assert_str_eq(buf, cases[i].text);
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

		axis_fit(&a, cases[i].unit, false, 0, cases[i].most);
		ck_assert_double_eq_tol(a.high, cases[i].high,
					cases[i].high * 1e-9);
		ck_assert_double_eq(a.low, 0);
		ck_assert_double_eq(axis_part(&a, 0), 0);
		ck_assert_double_eq(axis_part(&a, a.high), 1);
		ck_assert_double_eq(axis_part(&a, a.high * 9), 1);
		ck_assert_double_eq(axis_part(&a, -5), 0);
		ck_assert(isnan(axis_part(&a, NAN)));
		n = axis_ticks(&a, 4, tick);
		ck_assert_uint_eq(n, 3);
		ck_assert_double_eq_tol(tick[1], a.high / 2, a.high * 1e-9);
		ck_assert_uint_eq(axis_ticks(&a, 5, tick), 5);
		ck_assert_uint_eq(axis_ticks(&a, 0, tick), 2);
		ck_assert_uint_eq(axis_ticks(&a, 99, tick), 9);
	}
}
END_TEST

START_TEST(log_axis)
{
	struct axis a;
	double tick[AXIS_TICKS];
	size_t n;

	axis_fit(&a, UNIT_NS, true, 130e3, 42e6);
	ck_assert_double_eq_tol(a.low, 1e5, 1);
	ck_assert_double_eq_tol(a.high, 1e8, 1);
	ck_assert_double_eq_tol(axis_part(&a, 1e6), 1.0 / 3, 1e-9);
	ck_assert_double_eq(axis_part(&a, 0), 0);
	ck_assert_double_eq(axis_part(&a, 1e12), 1);
	ck_assert(isnan(axis_part(&a, NAN)));
	ck_assert_double_eq_tol(axis_value(&a, 2.0 / 3), 1e7, 1);
	n = axis_ticks(&a, 8, tick);
	ck_assert_uint_eq(n, 4);
	ck_assert_double_eq_tol(tick[1], 1e6, 1);
	ck_assert_double_eq_tol(tick[3], 1e8, 1);
	/* A power is its own end; a single value has an axis, too. */
	axis_fit(&a, UNIT_NS, true, 1e3, 1e6);
	ck_assert_double_eq_tol(a.low, 1e3, 1e-6);
	ck_assert_double_eq_tol(a.high, 1e6, 1e-3);
	axis_fit(&a, UNIT_COUNT, true, 10, 10);
	ck_assert_double_eq_tol(a.low, 10, 1e-9);
	ck_assert_double_eq_tol(a.high, 100, 1e-6);
	axis_fit(&a, UNIT_COUNT, true, NAN, NAN);
	ck_assert(a.high > a.low && a.low > 0);
	/* Bytes go by twos. */
	axis_fit(&a, UNIT_BYTES, true, 4096, 1000000);
	ck_assert_double_eq_tol(a.low, 4096, 1e-6);
	ck_assert_double_eq_tol(a.high, MIB, 1e-3);
	/* Whatever the room, they rise from one end to the other. */
	axis_fit(&a, UNIT_BYTES, true, 1, 1e15);
	for (size_t room = 2; room < 40; room++) {
		n = axis_ticks(&a, room, tick);
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

int main(void)
{
	Suite *suite = suite_create("ui_canvas");
	TCase *tc = tcase_create("canvas");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, units_by_key);
	tcase_add_test(tc, linear_axis);
	tcase_add_test(tc, log_axis);
	tcase_add_test(tc, bars);
	tcase_add_test(tc, lines_in_ascii);
	tcase_add_test(tc, lines_in_braille);
	tcase_add_test(tc, marks_differ);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
