/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the list under column list, series list, knob menu, run form,
 * segments and timeline.
 */
#include <curses.h>
#include <string.h>

#include "test.h"
#include "ui/list.h"

START_TEST(cursor_stays_within)
{
	struct list l = { 0 };

	list_scroll(&l, 40, 10);
	ck_assert(list_key(&l, 40, KEY_UP, LIST_ARROWS));
	ck_assert_uint_eq(l.at, 0);
	ck_assert(list_key(&l, 40, KEY_END, LIST_ARROWS));
	ck_assert_uint_eq(l.at, 39);
	ck_assert(list_key(&l, 40, KEY_DOWN, LIST_ARROWS));
	ck_assert_uint_eq(l.at, 39);
	ck_assert(list_key(&l, 40, KEY_HOME, LIST_ARROWS));
	ck_assert(list_key(&l, 40, KEY_NPAGE, LIST_ARROWS));
	ck_assert_uint_eq(l.at, 9);
	/* Nothing to move in. */
	ck_assert(list_key(&l, 0, KEY_DOWN, LIST_ARROWS));
	ck_assert_uint_eq(l.at, 0);
}
END_TEST

START_TEST(scroll_follows_the_cursor)
{
	struct list l = { .at = 25 };

	list_scroll(&l, 40, 10);
	ck_assert_uint_eq(l.top, 16);
	l.at = 3;
	list_scroll(&l, 40, 10);
	ck_assert_uint_eq(l.top, 3);
	/* Fewer rows than before, then fewer than lines. */
	list_scroll(&l, 2, 10);
	ck_assert_uint_eq(l.at, 1);
	ck_assert_uint_eq(l.top, 0);
	list_scroll(&l, 0, 10);
	ck_assert_uint_eq(l.at, 0);
}
END_TEST

START_TEST(letters_or_filter)
{
	struct list l = { 0 };

	list_scroll(&l, 40, 10);
	ck_assert(!list_key(&l, 40, 'j', LIST_ARROWS));
	ck_assert(list_key(&l, 40, 'j', LIST_LETTERS));
	ck_assert_uint_eq(l.at, 1);
	ck_assert(list_key(&l, 40, 'j', LIST_FILTER));
	ck_assert_str_eq(l.filter, "j");
	ck_assert_uint_eq(l.at, 0);
	ck_assert(list_matches(&l, "Job"));
	ck_assert(!list_matches(&l, "device"));
	ck_assert(list_key(&l, 40, KEY_BACKSPACE, LIST_FILTER));
	ck_assert_str_eq(l.filter, "");
	ck_assert(list_matches(&l, "device"));
	/* Esc clears the filter first; the next one is the owner's. */
	ck_assert(list_key(&l, 40, 'x', LIST_FILTER));
	ck_assert(list_key(&l, 40, 27, LIST_FILTER));
	ck_assert_str_eq(l.filter, "");
	ck_assert(!list_key(&l, 40, 27, LIST_FILTER));
}
END_TEST

START_TEST(row_of_a_click)
{
	struct list l = { .rows = { 5, 10, 4, 20 }, .top = 7 };

	ck_assert_uint_eq(list_row_at(&l, 40, 5, 10), 7);
	ck_assert_uint_eq(list_row_at(&l, 40, 8, 29), 10);
	ck_assert_uint_eq(list_row_at(&l, 40, 9, 10), LIST_NONE);
	ck_assert_uint_eq(list_row_at(&l, 40, 4, 10), LIST_NONE);
	ck_assert_uint_eq(list_row_at(&l, 40, 5, 9), LIST_NONE);
	ck_assert_uint_eq(list_row_at(&l, 40, 5, 30), LIST_NONE);
	ck_assert_uint_eq(list_row_at(&l, 8, 6, 10), LIST_NONE);
	l.lines = 4;
	ck_assert_str_eq(list_position(&l, 40).text, "  8-11 of 40");
	ck_assert_str_eq(list_position(&l, 4).text, "");
	l.lines = 0; /* not drawn yet */
	ck_assert_str_eq(list_position(&l, 40).text, "");
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("list");

	tcase_add_test(tc, cursor_stays_within);
	tcase_add_test(tc, scroll_follows_the_cursor);
	tcase_add_test(tc, letters_or_filter);
	tcase_add_test(tc, row_of_a_click);
	suite_add_tcase(suite, tc);
}
