/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Screen: opening the screen of a command, with its crash handlers.
 */
#include "cmd/screen.h"

#include "cmd/term.h"

int screen_open(struct ui **out, const struct settings *s, int tty)
{
	struct ui_options options = {
		.tty = tty,
		.no_color = s->no_color,
		.ascii = s->ascii,
	};

	term_catch_crashes();
	return ui_open(out, &options);
}
