/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random keys, resizes, mouse reports, bytes and frames: nothing may fail.
 * Short in make check; make screen-random runs it for a minute under ASan.
 *
 *   IODYNO_RANDOM_SECONDS  how long (default 2)
 *   IODYNO_RANDOM_SEED     where to begin (default 1); a failure names its seed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "ui/key/key.h"

#include "ui_scene.h"

static uint32_t seed;

/* xorshift: the same everywhere, whatever the C library. */
static uint32_t draw_number(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % below;
}

/* A key of the table, of those that there are. */
static size_t put_key(char *out)
{
	size_t n = 0;
	const struct key *k;
	const char *where;
	int code;

	while (ui_key_help(n))
		n++;
	k = key_at(draw_number((uint32_t)n), &where);
	code = k->code[draw_number(ARRAY_SIZE(k->code))];
	if (!code)
		code = k->code[0];
	return scene_key_bytes(code, out);
}

static size_t put_mouse(char *out)
{
	static const int buttons[] = { 0, 0, 0, 64, 65, 2, 35, 99 };
	int button = buttons[draw_number(ARRAY_SIZE(buttons))];

	if (draw_number(8) == 0)
		return (size_t)sprintf(out, "\033[M%c%c%c", 32 + button % 90,
				       33 + (int)draw_number(200),
				       33 + (int)draw_number(60));
	return (size_t)sprintf(out, "\033[<%d;%u;%u%c", button,
			       draw_number(320), draw_number(110),
			       draw_number(3) ? 'M' : 'm');
}

/* Any byte but those by which the driver sends signals or stops us. */
static size_t put_bytes(char *out)
{
	static const char special[] = "\003\032\034\021\023\026\017\031";
	size_t n = 1 + draw_number(6);

	for (size_t i = 0; i < n; i++) {
		do {
			out[i] = (char)(1 + draw_number(255));
		} while (strchr(special, out[i]));
	}
	return n;
}

static void resize(struct scene *s)
{
	struct winsize size = { 0 };

	if (draw_number(4) == 0) {
		size.ws_row = (unsigned short)(1 + draw_number(6));
		size.ws_col = (unsigned short)(1 + draw_number(30));
	} else {
		size.ws_row = (unsigned short)(1 + draw_number(110));
		size.ws_col = (unsigned short)(1 + draw_number(320));
	}
	ioctl(s->master, TIOCSWINSZ, &size);
	ui_resize(s->ui);
}

/* What there is to say of a run: nothing, a danger, or that it is looked at. */
static void change_outlook(struct scene *s)
{
	static struct run_preview preview;

	scene_preview(&preview);
	if (draw_number(2))
		preview.demand[0] = '\0';
	s->view.preview = draw_number(3) ? &preview : NULL;
	s->view.looking = draw_number(4) == 0;
	s->view.offer = draw_number(8) ? &scene_offer : NULL;
}

/* More jobs than have lines of their own. */
static void add_jobs(struct scene *s)
{
	static const char *const phases[] = { "layout", "run", "done" };
	int phase = schema_field(SCHEMA_JOB, "phase");

	for (unsigned i = draw_number(12); i-- > 0;) {
		char id[ROW_ID_MAX];
		struct row *row;

		snprintf(id, sizeof(id), "job%u", i);
		row = frame_add_row(&s->frame, SCHEMA_JOB, id);
		row->value[phase].text = phases[draw_number(3)];
	}
}

static void change_view(struct scene *s)
{
	static const enum scene_kind kinds[] = { SCENE_FIRST, SCENE_TOP,
						 SCENE_RUN };

	switch (draw_number(7)) {
	case 0:
		scene_fill(s, kinds[draw_number(3)]);
		break;
	case 1:
		scene_fill_many(s, draw_number(200), draw_number(300));
		break;
	case 2:
		frame_reset(&s->frame);
		break;
	case 4:
		change_outlook(s);
		break;
	case 5:
		add_jobs(s);
		break;
	case 3:
		s->view.replay = !s->view.replay;
		s->view.length_s = draw_number(1000);
		break;
	default:
		s->view.paused = !s->view.paused;
	}
	s->frame.t_s += 1;
}

static void one_step(struct scene *s)
{
	char bytes[64];
	struct action a;
	size_t n;

	switch (draw_number(20)) {
	case 0:
		resize(s);
		n = 0;
		break;
	case 1:
		change_view(s);
		n = 0;
		break;
	case 2:
	case 3:
	case 4:
		n = put_mouse(bytes);
		break;
	case 5:
		n = put_bytes(bytes);
		break;
	case 6:
		ui_suspend(s->ui);
		ui_resume(s->ui);
		n = 0;
		break;
	default:
		n = put_key(bytes);
	}
	if (n && write(s->master, bytes, n) != (ssize_t)n)
		return;
	while (ui_key(s->ui, &s->view, &a))
		if (draw_number(2))
			ui_draw(s->ui, &s->view);
	scene_draw(s);
}

/* What an earlier run left, with some of its bytes changed. */
static void spoil(char *settings)
{
	size_t n = strlen(settings);

	for (uint32_t i = draw_number(6); n && i > 0; i--)
		settings[draw_number((uint32_t)n)] =
			(char)(1 + draw_number(255));
}

START_TEST(test_random)
{
	const char *word = getenv("IODYNO_RANDOM_SECONDS");
	double seconds = word ? strtod(word, NULL) : 2;
	struct ui_options o = { .ascii = false };
	uint64_t start = clock_mono_ns(), steps = 0;
	char *settings = NULL;

	word = getenv("IODYNO_RANDOM_SEED");
	seed = word ? (uint32_t)strtoul(word, NULL, 10) : 1;
	while ((double)(clock_mono_ns() - start) / 1e9 < seconds) {
		struct scene s;

		seed = seed ? seed : 1;
		fprintf(stderr, "seed %u\n", seed);
		o.ascii = draw_number(4) == 0;
		o.no_color = draw_number(4) == 0;
		if (settings)
			spoil(settings);
		o.settings = settings;
		scene_open_with(&s, (enum scene_kind)draw_number(3), &o);
		resize(&s);
		for (int i = 0; i < 300; i++, steps++)
			one_step(&s);
		free(settings);
		settings = ui_settings(s.ui);
		scene_close(&s);
	}
	free(settings);
	fprintf(stderr, "%lu steps\n", (unsigned long)steps);
	ck_assert_uint_gt(steps, 0);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tcase = tcase_create("random");

	scene_environment();
	tcase_set_timeout(tcase, 0);
	tcase_add_test(tcase, test_random);
	suite_add_tcase(suite, tcase);
}
