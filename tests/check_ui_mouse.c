/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mouse: what each click does, in whichever form and pieces it arrives;
 * and that the terminal gets it back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/state.h"

#include "ui_scene.h"

static struct scene s;

static void open_top(void)
{
	scene_open(&s, SCENE_TOP, 24, 80);
	scene_draw(&s);
}

static void close_scene(void)
{
	scene_close(&s);
}

static bool on_screen(const char *text)
{
	char *screen;
	bool found;

	scene_draw(&s);
	screen = scene_copy();
	found = strstr(screen, text) != NULL;
	free(screen);
	return found;
}

/* A press and a release at a cell from 0, as SGR says it. */
static struct action click(int button, int y, int x)
{
	char bytes[64];

	snprintf(bytes, sizeof(bytes), "\033[<%d;%d;%dM\033[<%d;%d;%dm", button,
		 x + 1, y + 1, button, x + 1, y + 1);
	return scene_keys(&s, bytes);
}

static struct action click_text(const char *text)
{
	char *screen = scene_copy(), *found = strstr(screen, text), *p;
	int y = 0, x = 0;

	ck_assert_ptr_nonnull(found);
	for (p = screen; p < found; p++) {
		if (*p == '\n')
			y++, x = 0;
		else if (((unsigned char)*p & 0xc0) != 0x80)
			x++;
	}
	free(screen);
	return click(0, y, x);
}

START_TEST(test_row)
{
	const struct table_state *t = &s.ui->table[PANE_DEVICE];

	click_text("loop0");
	ck_assert_str_eq(t->selected, "loop0");
	ck_assert_int_eq(s.ui->focus, PANE_DEVICE);
	/* A row of another pane gives that one the keys. */
	click_text("postgres");
	ck_assert_int_eq(s.ui->focus, PANE_TASK);
	ck_assert_str_eq(s.ui->table[PANE_TASK].selected, "1014");
	ck_assert_str_eq(t->selected, "loop0");
}
END_TEST

START_TEST(test_head)
{
	const struct table_state *t = &s.ui->table[PANE_DEVICE];

	click_text("w/s");
	ck_assert_int_eq(t->sort, schema_field(SCHEMA_DEVICE, "write_iops"));
	ck_assert(!t->reverse);
	click_text("w/s");
	ck_assert(t->reverse);
	click_text("rkB/s");
	ck_assert_int_eq(t->sort,
			 schema_field(SCHEMA_DEVICE, "read_bytes_per_s"));
	ck_assert(!t->reverse);
	/* The column of names is the order that nobody asked for. */
	click_text("device ");
	ck_assert_int_eq(t->sort, SORT_DEFAULT);
}
END_TEST

START_TEST(test_wheel)
{
	const struct table_state *t = &s.ui->table[PANE_DEVICE];
	const struct area *a = &s.ui->area[PANE_DEVICE];
	size_t before;

	scene_keys(&s, "1\033OH");
	before = t->at;
	click(65, a->top + 2, 10);
	ck_assert_uint_eq(t->at, before + 3);
	click(64, a->top + 2, 10);
	ck_assert_uint_eq(t->at, before);
	scene_keys(&s, "?");
	click(65, 5, 5);
	ck_assert(on_screen("help  4-"));
	click(0, 5, 5);
	ck_assert(!on_screen("help  "));
}
END_TEST

START_TEST(test_bar)
{
	ck_assert_int_eq(click_text("Pause").kind, ACTION_PAUSE);
	ck_assert_int_eq(click_text("F8").kind, ACTION_MARK);
	ck_assert_int_eq(click_text("Quit").kind, ACTION_QUIT);
	click_text("Help");
	ck_assert(on_screen("this help"));
	scene_keys(&s, "\033");
	click_text("Filter");
	ck_assert(on_screen("Filter: "));
	/* What a click says is not wiped by letting the button go. */
	scene_keys(&s, "\033");
	scene_draw(&s);
	click_text("Layout");
	ck_assert(on_screen("Layout monitor:"));
}
END_TEST

/* The menu: a click picks the line. */
START_TEST(test_menu)
{
	click_text("Knob");
	ck_assert(on_screen("which device?"));
	click_text("loop0 ");
	ck_assert(on_screen("loop0: which knob?"));
	click_text("scheduler");
	ck_assert(on_screen("which value?"));
}
END_TEST

/* Byte by byte, as a slow line brings it: nothing is taken for a key. */
/* In the list of columns a click selects; only its box shows and hides. */
START_TEST(test_columns)
{
	const struct table_state *t = &s.ui->table[PANE_DEVICE];

	scene_keys(&s, "c");
	ck_assert(on_screen("columns of devices"));
	click(0, 2, 20);
	ck_assert_uint_eq(s.ui->column_list.list.at,
			  s.ui->column_list.list.top + 1);
	ck_assert_int_eq(t->n_columns, 0);
	click(0, 2, 3);
	ck_assert_int_gt(t->n_columns, 0);
}
END_TEST

START_TEST(test_pieces)
{
	static const char report[] = "\033[<0;1;5M";
	struct action a = { .kind = ACTION_NONE };

	scene_keys(&s, "1");
	/* The start must come whole, or it is Esc. */
	scene_keys(&s, "\033[<");
	for (const char *p = report + 3; *p; p++) {
		char one[2] = { *p, '\0' };

		a = scene_keys(&s, one);
		ck_assert_int_eq(a.kind, ACTION_NONE);
	}
	ck_assert(!on_screen("Mark:"));
	ck_assert(s.ui->table[PANE_DEVICE].moved);
	ck_assert_uint_eq(s.ui->table[PANE_DEVICE].at, 1 - 1 + 0);
	/* A report that ends in nonsense is dropped; then keys are keys. */
	scene_keys(&s, "\033[<99999999999999999999999999;x");
	scene_keys(&s, "\033[<;;M");
	scene_keys(&s, "\033[<0;0;0M\033[<0;65535;65535M\033[<35;3;3M");
	ck_assert_int_eq(scene_keys(&s, "q").kind, ACTION_QUIT);
}
END_TEST

/* The old form: three bytes, for GNU screen and its like. */
START_TEST(test_x10)
{
	char bytes[] = { 27, '[', 'M', 32, 32 + 1, 32 + 7, 0 };
	const struct area *a = &s.ui->area[PANE_DEVICE];

	bytes[5] = (char)(32 + 1 + a->top + 3);
	scene_keys(&s, bytes);
	ck_assert_uint_eq(s.ui->table[PANE_DEVICE].at, 2);
	/* A column beyond 95 is a byte that is no UTF-8. */
	bytes[4] = (char)(32 + 200);
	scene_keys(&s, bytes);
	ck_assert_int_eq(scene_keys(&s, "q").kind, ACTION_QUIT);
}
END_TEST

/* Sequences that nobody knows are swallowed whole; Esc alone is Esc. */
START_TEST(test_unknown)
{
	scene_keys(&s, "/loop");
	ck_assert_int_eq(scene_keys(&s, "\r\033[I\033[O\033[1;5Q\033Ox").kind,
			 ACTION_NONE);
	ck_assert_str_eq(s.ui->table[s.ui->focus].filter, "loop");
	scene_keys(&s, "\033");
	ck_assert_str_eq(s.ui->table[s.ui->focus].filter, "");
}
END_TEST

static size_t count(const char *what)
{
	size_t n = 0;

	for (const char *p = s.seen; (p = strstr(p, what)); p++)
		n++;
	return n;
}

/* Taken and given back in turn: at the end, for Ctrl-Z, and when it dies. */
START_TEST(test_given_back)
{
	struct ui_options o = { .lines = 24, .columns = 80, .no_mouse = true };

	ck_assert_uint_eq(count("\033[?1000h"), 1);
	ck_assert_uint_eq(count("\033[?1000l"), 0);
	ui_suspend(s.ui);
	scene_read(&s);
	ck_assert_uint_eq(count("\033[?1000l"), 1);
	ck_assert_uint_eq(count("\033[?1006l"), 1);
	ui_resume(s.ui);
	scene_draw(&s);
	ck_assert_uint_eq(count("\033[?1000h"), 2);
	ui_crash();
	scene_read(&s);
	ck_assert_uint_eq(count("\033[?1000l"), 2);
	scene_close(&s);
	scene_open_with(&s, SCENE_TOP, &o);
	scene_draw(&s);
	ck_assert_uint_eq(count("\033[?1000h"), 0);
	ui_suspend(s.ui);
	ui_resume(s.ui);
	scene_draw(&s);
	ck_assert_uint_eq(count("\033[?100"), 0);
	/* What comes all the same is no key. */
	ck_assert_int_eq(scene_keys(&s, "\033[<0;1;24M").kind, ACTION_NONE);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tcase = tcase_create("mouse");

	scene_environment();
	tcase_add_checked_fixture(tcase, open_top, close_scene);
	tcase_add_test(tcase, test_row);
	tcase_add_test(tcase, test_head);
	tcase_add_test(tcase, test_wheel);
	tcase_add_test(tcase, test_bar);
	tcase_add_test(tcase, test_menu);
	tcase_add_test(tcase, test_columns);
	tcase_add_test(tcase, test_pieces);
	tcase_add_test(tcase, test_x10);
	tcase_add_test(tcase, test_unknown);
	tcase_add_test(tcase, test_given_back);
	suite_add_tcase(suite, tcase);
}
