/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the screen remembers: it comes back as it was, and whatever stands in
 * the file does no harm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ui/state.h"

#include "ui_scene.h"

static struct scene s;

static void open_with(const char *settings)
{
	struct ui_options o = { .lines = 24,
				.columns = 80,
				.settings = settings };

	scene_open_with(&s, SCENE_RUN, &o);
	scene_draw(&s);
}

static bool on_screen(const char *text)
{
	char *screen = scene_copy();
	bool found = strstr(screen, text) != NULL;

	free(screen);
	return found;
}

START_TEST(test_unchanged)
{
	open_with(NULL);
	ck_assert_ptr_null(ui_settings(s.ui));
	/* What is undone again is no change either. */
	scene_keys(&s, "zzIIaaC\t\033[Zv?\033");
	scene_keys(&s, "CCvvv1");
	ck_assert_ptr_null(ui_settings(s.ui));
	/* A view of a pane is for now: it is not what the next start shows. */
	scene_keys(&s, "L");
	ck_assert_ptr_null(ui_settings(s.ui));
	scene_keys(&s, "f");
	ck_assert_ptr_null(ui_settings(s.ui));
	scene_close(&s);
}
END_TEST

START_TEST(test_round_trip)
{
	char *first, *second;

	open_with(NULL);
	scene_keys(&s, "vvC1>>Ia3bL1");
	first = ui_settings(s.ui);
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_nonnull(strstr(first, "layout = run\n"));
	ck_assert_ptr_nonnull(strstr(first, "graph.dots = braille\n"));
	ck_assert_ptr_nonnull(strstr(first, "graph.axis = log\n"));
	ck_assert_ptr_nonnull(strstr(first, "colors = light\n"));
	ck_assert_ptr_nonnull(strstr(first, "devices.sort = write_iops\n"));
	ck_assert_ptr_nonnull(strstr(first, "devices.reverse = yes\n"));
	ck_assert_ptr_nonnull(strstr(first, "devices.busy_only = yes\n"));
	scene_close(&s);
	open_with(first);
	ck_assert_int_eq(s.ui->layout, LAYOUT_RUN);
	ck_assert_int_eq(s.ui->focus, PANE_DEVICE);
	ck_assert(s.ui->table[PANE_DEVICE].reverse);
	ck_assert_int_eq(screen_look.theme, theme_find("light"));
	ck_assert_ptr_null(ui_settings(s.ui));
	scene_keys(&s, "w");
	second = ui_settings(s.ui);
	ck_assert_ptr_nonnull(second);
	ck_assert_ptr_nonnull(strstr(second, "hidden = devices\n"));
	scene_close(&s);
	open_with(second);
	ck_assert_int_eq(s.ui->shown[PANE_DEVICE], SHOWN_NEVER);
	ck_assert_ptr_null(ui_settings(s.ui));
	scene_close(&s);
	free(first);
	free(second);
}
END_TEST

/* What another occasion has for itself is not touched, and kept. */
START_TEST(test_occasions)
{
	struct ui_options o = { .lines = 24,
				.columns = 80,
				.settings = "monitor.layout = monitor\n"
					    "run.layout = compare\n"
					    "run.hidden = graph\n" };
	char *text;

	scene_open_with(&s, SCENE_RUN, &o);
	ck_assert_int_eq(s.ui->layout, LAYOUT_MONITOR);
	ck_assert_int_eq(s.ui->shown[PANE_GRAPH], SHOWN_AUTO);
	scene_draw(&s);
	ck_assert_ptr_null(ui_settings(s.ui));
	scene_keys(&s, "v");
	text = ui_settings(s.ui);
	ck_assert_ptr_nonnull(strstr(text, "monitor.layout = run\n"));
	ck_assert_ptr_nonnull(strstr(text, "run.layout = compare\n"));
	ck_assert_ptr_nonnull(strstr(text, "run.hidden = graph\n"));
	scene_close(&s);
	o.settings = text;
	o.occasion = UI_RUN;
	scene_open_with(&s, SCENE_RUN, &o);
	ck_assert_int_eq(s.ui->layout, LAYOUT_COMPARE);
	ck_assert_int_eq(s.ui->shown[PANE_GRAPH], SHOWN_NEVER);
	scene_close(&s);
	free(text);
}
END_TEST

/* Each of these is left out, and said; the good line among them counts. */
START_TEST(test_garbage)
{
	static const char *const texts[] = {
		"no sign\nlayout = run\n",
		"layout = nonsense\nlayout = run",
		"layout = run\ndevices.sort = no_such_field\n",
		"layout = run\nnothing.sort = read_iops\n",
		"layout = run\n\001\002\377 = \033[2J\n",
		"layout = run\ndevices. = 1\n",
		"layout = run\nshown = devices nonsense\n",
		"layout = run\n= = =\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		open_with(texts[i]);
		ck_assert_msg(on_screen("1 line of the settings file"),
			      "%s", texts[i]);
		ck_assert_int_eq(s.ui->layout, LAYOUT_RUN);
		scene_keys(&s, "q");
		ck_assert(!on_screen("settings file"));
		scene_close(&s);
	}
	open_with("# a comment\n\n  layout=run  \n");
	ck_assert(!on_screen("settings file"));
	ck_assert_int_eq(s.ui->layout, LAYOUT_RUN);
	scene_close(&s);
}
END_TEST

/* Neither length nor number of lines costs more than it should. */
START_TEST(test_long)
{
	size_t n = 1 << 20;
	char *text = xmalloc(n + 1);

	memset(text, '=', n);
	text[n] = '\0';
	open_with(text);
	scene_close(&s);
	for (size_t i = 0; i < n; i += 2)
		memcpy(text + i, "x\n", 2);
	open_with(text);
	ck_assert(on_screen("settings file"));
	scene_close(&s);
	memset(text, ' ', n);
	memcpy(text, "shown = ", 8);
	open_with(text);
	scene_close(&s);
	free(text);
}
END_TEST

/* An option of the day counts, but is not what the operator chose. */
START_TEST(test_theme_option)
{
	struct ui_options o = { .lines = 24,
				.columns = 80,
				.theme = "light",
				.settings = "colors = plain\n" };
	char *text;

	scene_open_with(&s, SCENE_RUN, &o);
	ck_assert_int_eq(screen_look.theme, theme_find("light"));
	ck_assert_ptr_null(ui_settings(s.ui));
	scene_keys(&s, "v");
	text = ui_settings(s.ui);
	ck_assert_ptr_nonnull(strstr(text, "colors = plain\n"));
	free(text);
	scene_close(&s);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tcase = tcase_create("settings");

	scene_environment();
	tcase_add_test(tcase, test_unchanged);
	tcase_add_test(tcase, test_round_trip);
	tcase_add_test(tcase, test_occasions);
	tcase_add_test(tcase, test_garbage);
	tcase_add_test(tcase, test_long);
	tcase_add_test(tcase, test_theme_option);
	suite_add_tcase(suite, tcase);
}
