/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: what a terminal sends (keys, mouse reports, bytes that are
 * neither) and the settings that an earlier screen left. The settings stand
 * first, up to a byte 0; byte 0xfe resizes to the sizes of the next two bytes.
 */
#include <sys/ioctl.h>
#include <unistd.h>

#include "fuzz.h"
#include "ui_scene.h"

/* A screen draws for each key; more of them find nothing new. */
#define KEYS_MAX 200

static void resize(struct scene *s, uint8_t lines, uint8_t columns)
{
	const struct winsize size = { .ws_row = lines % 120 + 1,
				      .ws_col = columns % 250 + 1 };

	ioctl(s->master, TIOCSWINSZ, &size);
	ui_resize(s->ui);
}

static void press(struct scene *s, char byte)
{
	/* By these the terminal sends signals, or stops us. */
	static const char special[] = "\003\032\034\021\023\026\017\031";
	struct action a;

	if (memchr(special, byte, sizeof(special) - 1))
		return;
	if (write(s->master, &byte, 1) != 1)
		return;
	while (ui_key(s->ui, &s->view, &a))
		;
	scene_draw(s);
}

FUZZ_TARGET(keys)
{
	static bool prepared;
	const uint8_t *keys = memchr(data, 0, size), *end = data + size;
	struct ui_options options = { .lines = 0 };
	struct scene s;
	char *settings;

	if (!keys)
		keys = end;
	settings = as_string(data, (size_t)(keys - data));
	options.settings = settings;
	if (!prepared)
		scene_environment();
	prepared = true;
	scene_open_with(&s, SCENE_RUN, &options);
	for (int n = 0; keys < end && n < KEYS_MAX; keys++, n++) {
		if (*keys == 0xfe && end - keys > 2) {
			resize(&s, keys[1], keys[2]);
			keys += 2;
		} else {
			press(&s, (char)*keys);
		}
	}
	scene_close(&s);
	free(settings);
	return 0;
}
