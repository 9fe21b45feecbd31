/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes that reach the terminal: no foreign escape, no colour and no
 * character that was not wanted.
 */
#include <stdlib.h>
#include <string.h>

#include "ui_scene.h"

/* Only what we send ourselves: no escape out of any name or sentence. */
START_TEST(test_hostile)
{
	static const char evil[] = "x\033]0;evil\007\033[2J\x9b"
				   "31m";
	struct scene s;

	scene_open(&s, SCENE_RUN, 45, 160);
	s.view.title = s.view.message = s.view.pending = evil;
	scene_text(&s.frame, SCHEMA_DEVICE, evil, "scheduler", evil);
	scene_text(&s.frame, SCHEMA_JOB, evil, "phase", evil);
	scene_text(&s.frame, SCHEMA_KNOB, "a\033[2J.b\033[2J", "value", evil);
	scene_text(&s.frame, SCHEMA_TASK, "1", "comm", evil);
	strcpy(s.effect[0].event.text, evil);
	scene_draw(&s);
	scene_keys(&s, "s");
	scene_keys(&s, "\033OF\r");
	scene_draw(&s);
	ck_assert_ptr_null(strstr(s.seen, "\033]0;"));
	ck_assert_ptr_null(strstr(s.seen, "\033[2J\x9b"));
	ck_assert_ptr_null(strstr(s.seen, "\x9b"
					  "31m"));
	ck_assert_ptr_null(strstr(s.seen, "evil\007"));
	scene_close(&s);
}
END_TEST

/* True when some colour was set: a parameter 3x or 4x. */
static bool has_color(const char *seen)
{
	for (const char *p = seen; (p = strstr(p, "\033[")); p++) {
		const char *end = p + 2 + strspn(p + 2, "0123456789;");

		if (*end != 'm')
			continue;
		for (const char *q = p + 2; q < end; q++)
			if ((*q == '3' || *q == '4') &&
			    (q[-1] == '[' || q[-1] == ';') && q[1] >= '0' &&
			    q[1] <= '8')
				return true;
	}
	return false;
}

START_TEST(test_no_color)
{
	struct ui_options o = { .lines = 24, .columns = 80 };
	struct scene s;

	scene_open_with(&s, SCENE_RUN, &o);
	scene_draw(&s);
	ck_assert(has_color(s.seen));
	scene_close(&s);
	o.no_color = true;
	scene_open_with(&s, SCENE_RUN, &o);
	scene_draw(&s);
	ck_assert(!has_color(s.seen));
	scene_close(&s);
	setenv("NO_COLOR", "1", 1);
	o.no_color = false;
	scene_open_with(&s, SCENE_RUN, &o);
	scene_draw(&s);
	unsetenv("NO_COLOR");
	ck_assert(!has_color(s.seen));
	scene_close(&s);
}
END_TEST

static bool all_ascii(const char *seen)
{
	for (; *seen; seen++)
		if ((unsigned char)*seen >= 0x80)
			return false;
	return true;
}

START_TEST(test_ascii)
{
	struct ui_options o = { .lines = 45, .columns = 160, .ascii = true };
	struct scene s;

	scene_open_with(&s, SCENE_RUN, &o);
	scene_draw(&s);
	scene_keys(&s, "b");
	scene_draw(&s);
	ck_assert(all_ascii(s.seen));
	scene_close(&s);
	o.ascii = false;
	o.term = "vt100";
	scene_open_with(&s, SCENE_RUN, &o);
	scene_draw(&s);
	ck_assert(all_ascii(s.seen));
	ck_assert(!has_color(s.seen));
	scene_close(&s);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tcase = tcase_create("bytes");

	scene_environment();
	tcase_add_test(tcase, test_hostile);
	tcase_add_test(tcase, test_no_color);
	tcase_add_test(tcase, test_ascii);
	suite_add_tcase(suite, tcase);
}
