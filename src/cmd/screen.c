/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Screen: opening and closing the screen of a command.
 */
#include "cmd/screen.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cmd/remember.h"
#include "cmd/term.h"

int screen_open(struct ui **out, const struct settings *s, int tty,
		enum ui_occasion occasion)
{
	struct ui_options options = {
		.occasion = occasion,
		.tty = tty,
		.no_color = s->no_color,
		.no_mouse = s->no_mouse,
		.ascii = s->ascii,
		.theme = s->theme,
	};
	char note[256], *settings;
	int ret;

	settings = remember_read(note, sizeof(note));
	options.settings = settings;
	term_catch_crashes();
	ret = ui_open(out, &options);
	free(settings);
	if (ret == 0 && *note)
		ui_say(*out, note);
	return ret;
}

void screen_close(struct ui *ui)
{
	char *settings = ui ? ui_settings(ui) : NULL;

	ui_close(ui);
	if (settings && remember_write(settings) < 0)
		command_say("%s", fail_sentence());
	free(settings);
}

bool screen_theme_is(const char *name)
{
	const char *help;

	for (size_t i = 0; ui_theme(i, &help); i++)
		if (!strcmp(ui_theme(i, &help), name))
			return true;
	return false;
}
