/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The run dialog and the job editor: what they ask for, what they never do
 * unasked, and what they look like.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/overlay.h"

#include "ui_scene.h"

#define DOWN KEY_DOWN_BYTES
#define UP   KEY_UP_BYTES

static struct scene s;
static struct run_preview preview;

static void open_scene(void)
{
	scene_open(&s, SCENE_RUN, 24, 80);
	scene_preview(&preview);
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

static const char *option(const struct run_request *r, const char *name)
{
	for (size_t i = 0; i < r->n_options; i++)
		if (!strcmp(r->option[i].name, name))
			return r->option[i].value;
	return NULL;
}

/* A job of its own: all rows that hold something are told. */
START_TEST(own_job)
{
	struct action a = scene_keys(&s, "r" DOWN "/ho\tdata" DOWN DOWN "\x15"
					 "64k\r");

	ck_assert_int_eq(a.kind, ACTION_RUN_LOOK);
	ck_assert_str_eq(a.run->source, "");
	ck_assert_str_eq(a.run->target, "/home/data");
	ck_assert_str_eq(option(a.run, "bs"), "64k");
	ck_assert_str_eq(option(a.run, "rw"), "randread");
	ck_assert_ptr_null(option(a.run, "rate_iops"));
	ck_assert_str_eq(a.run->confirm, "");
}
END_TEST

/* A preset: only what was changed is told. */
START_TEST(preset)
{
	struct action a;

	/* Tab behind the name of a preset completes no file. */
	scene_keys(&s, "retc\t");
	ck_assert(on_screen("run          etcd.0.0"));
	scene_keys(&s, "\025etcd\t");
	ck_assert(!on_screen("etcd.0.0"));
	ck_assert(on_screen(">target"));
	scene_keys(&s, UP "\025" KEY_RIGHT_BYTES);
	ck_assert(on_screen("a recipe that somebody published"));
	ck_assert(on_screen("(from etcd)"));
	a = scene_keys(&s, DOWN DOWN DOWN DOWN "\x15"
					       "8\r");
	ck_assert_int_eq(a.kind, ACTION_RUN_LOOK);
	ck_assert_str_eq(a.run->source, "etcd");
	ck_assert_uint_eq(a.run->n_options, 1);
	ck_assert_str_eq(option(a.run, "iodepth"), "8");
}
END_TEST

/* Errors are those of the job's own parser, and nothing is looked at. */
START_TEST(bad_value)
{
	struct action a = scene_keys(&s, "r" DOWN DOWN DOWN "x" UP "\r");

	ck_assert_int_eq(a.kind, ACTION_NONE);
	ck_assert(on_screen("bs=4kx"));
}
END_TEST

/* Data is lost only when exactly that is typed, and after a look. */
START_TEST(destroy)
{
	struct action a = scene_keys(&s, "r\r");

	ck_assert_int_eq(a.kind, ACTION_RUN_LOOK);
	a = scene_keys(&s, "\r\ry");
	ck_assert_msg(a.kind == ACTION_NONE, "started without a look");
	s.view.preview = &preview;
	ck_assert(on_screen("!! overwrites the whole of /dev/sdb"));
	ck_assert(on_screen("type: /dev/sdb mounted signature"));
	a = scene_keys(&s, "\r");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	a = scene_keys(&s, "/dev/sdb mounted\r");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	ck_assert(on_screen("Not started"));
	s.view.looking = true;
	a = scene_keys(&s, " signature\r");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	s.view.looking = false;
	a = scene_keys(&s, "\r");
	ck_assert_int_eq(a.kind, ACTION_RUN);
	ck_assert_str_eq(a.run->confirm, "/dev/sdb mounted signature");
	ck_assert(!on_screen("what would it do"));
	/* The keys that change and stop it are at hand. */
	ck_assert_int_eq(s.ui->focus, PANE_JOB);
}
END_TEST

/* What would fail is not offered; what harms nothing asks for one key. */
START_TEST(error_and_harmless)
{
	struct action a;

	strcpy(preview.error, "job x: no such engine");
	scene_keys(&s, "r\r");
	s.view.preview = &preview;
	ck_assert(on_screen("no such engine"));
	a = scene_keys(&s, "y\r");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	memset(&preview, 0, sizeof(preview));
	preview.n_targets = 1;
	strcpy(preview.target[0].words, "reads x: nothing is written");
	a = scene_keys(&s, "n");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	ck_assert(on_screen("Start a job"));
	a = scene_keys(&s, "\r");
	ck_assert_int_eq(a.kind, ACTION_RUN_LOOK);
	a = scene_keys(&s, "y");
	ck_assert_int_eq(a.kind, ACTION_RUN);
}
END_TEST

/* Without an offer, and in a replay, the key does nothing. */
START_TEST(inert)
{
	struct action a;

	s.view.offer = NULL;
	a = scene_keys(&s, "r\ry\ry\r");
	ck_assert_int_ne(a.kind, ACTION_RUN);
	ck_assert_int_ne(a.kind, ACTION_RUN_LOOK);
	scene_keys(&s, "\033\033");
	s.view.replay = true;
	scene_keys(&s, "r");
	ck_assert(on_screen("has no effect in a replay"));
}
END_TEST

START_TEST(editor)
{
	struct action a;

	scene_text(&s.frame, SCHEMA_JOB, "second", "phase", "run");
	scene_keys(&s, "2e");
	ck_assert(on_screen("rate_iops of"));
	a = scene_keys(&s, "\r");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	a = scene_keys(&s, "e" DOWN "32\r");
	ck_assert_int_eq(a.kind, ACTION_JOB_SET);
	ck_assert_str_eq(a.knob, "iodepth");
	ck_assert_str_eq(a.value, "32");
	ck_assert_str_eq(a.job, s.frame.table[SCHEMA_JOB].row[0].id);
	a = scene_keys(&s, "e5\033");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	/* The next job, and only after a yes. */
	a = scene_keys(&s, DOWN "Kn");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	a = scene_keys(&s, "Ky");
	ck_assert_int_eq(a.kind, ACTION_JOB_STOP);
	ck_assert_str_eq(a.job, "second");
	a = scene_keys(&s, "R");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	ck_assert(on_screen("still runs"));
}
END_TEST

/* R after K starts the stopped job again, though the graph shows another. */
START_TEST(again_after_stop)
{
	char first[ROW_ID_MAX];
	struct action a;

	snprintf(first, sizeof(first), "%s",
		 s.frame.table[SCHEMA_JOB].row[0].id);
	scene_text(&s.frame, SCHEMA_JOB, "second", "phase", "run");
	a = scene_keys(&s, "2Ky");
	ck_assert_int_eq(a.kind, ACTION_JOB_STOP);
	ck_assert_str_eq(a.job, first);
	scene_text(&s.frame, SCHEMA_JOB, first, "phase", "done");
	a = scene_keys(&s, "R\r");
	ck_assert_int_eq(a.kind, ACTION_JOB_START);
	ck_assert_str_eq(a.job, first);
}
END_TEST

/* One that is over is started again, and not changed. */
START_TEST(again)
{
	const struct row *row = &s.frame.table[SCHEMA_JOB].row[0];
	struct action a;

	scene_text(&s.frame, SCHEMA_JOB, row->id, "phase", "done");
	scene_keys(&s, "2" KEY_UP_BYTES);
	a = scene_keys(&s, "R\r");
	ck_assert_int_eq(a.kind, ACTION_JOB_START);
	ck_assert_str_eq(a.job, row->id);
}
END_TEST

static const struct {
	const char *name, *keys;
	bool preview;
} looks[] = {
	{ "run-form", "r", false },
	{ "run-preset", "r" KEY_RIGHT_BYTES DOWN DOWN, false },
	{ "run-error", "r" DOWN DOWN DOWN "x", false },
	{ "run-preview", "r\r/dev/sdb mou", true },
	{ "job-edit", "2e12", false },
};

static const struct {
	int lines, columns;
} sizes[] = { { 24, 80 }, { 40, 120 }, { 10, 40 } };

START_TEST(golden)
{
	int which = _i / (int)ARRAY_SIZE(sizes);
	int lines = sizes[_i % (int)ARRAY_SIZE(sizes)].lines;
	int columns = sizes[_i % (int)ARRAY_SIZE(sizes)].columns;
	char name[64], *screen;

	scene_preview(&preview);
	scene_open(&s, SCENE_RUN, lines, columns);
	if (looks[which].preview)
		s.view.preview = &preview;
	scene_draw(&s);
	scene_keys(&s, looks[which].keys);
	scene_draw(&s);
	screen = scene_copy();
	scene_close(&s);
	snprintf(name, sizeof(name), "%s-%dx%d", looks[which].name, columns,
		 lines);
	scene_golden(name, screen);
	free(screen);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("run"), *g = tcase_create("golden");

	scene_environment();
	tcase_add_checked_fixture(t, open_scene, close_scene);
	tcase_add_test(t, own_job);
	tcase_add_test(t, preset);
	tcase_add_test(t, bad_value);
	tcase_add_test(t, destroy);
	tcase_add_test(t, error_and_harmless);
	tcase_add_test(t, inert);
	tcase_add_test(t, editor);
	tcase_add_test(t, again);
	tcase_add_test(t, again_after_stop);
	tcase_add_loop_test(g, golden, 0,
			    ARRAY_SIZE(looks) * ARRAY_SIZE(sizes));
	suite_add_tcase(suite, t);
	suite_add_tcase(suite, g);
}
