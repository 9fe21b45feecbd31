/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prompt: asks for a line of text in the status line.
 */
#ifndef UI_FORM_PROMPT_H
#define UI_FORM_PROMPT_H

#include "ui/overlay.h"

struct prompt_spec {
	const char *label, *hint;
	/* Called after every change of the text. NULL: only Enter counts. */
	void (*typed)(struct ui *ui, const struct ui_view *view,
		      const char *text);
	/* Called on Enter. NULL: typed() has taken the text already. */
	void (*done)(struct ui *ui, const struct ui_view *view,
		     const char *text, struct action *action);
};

extern const struct prompt_spec prompt_filter, prompt_mark, prompt_jump;

/* Ask, starting with that text; Esc types an empty one and ends. */
void prompt_ask(struct ui *ui, const struct prompt_spec *spec,
		const char *text);

/* Edit a text of that many bytes by a key; false when the key does not edit. */
bool prompt_edit(char *text, size_t size, int key);

#endif
