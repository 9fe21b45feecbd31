/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prompt: a line of text, asked for in the status line.
 */
#include <curses.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ui/input.h"
#include "ui/layout.h"
#include "ui/overlay.h"

/* The whole character before the end. */
static void drop_last(char *text)
{
	size_t n = strlen(text);

	while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
		n--;
	text[n ? n - 1 : 0] = '\0';
}

bool prompt_edit(char *text, size_t size, int key)
{
	char bytes[MB_LEN_MAX + 1];
	size_t n = strlen(text);
	int add;

	if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		drop_last(text);
		return true;
	}
	if (key == CONTROL('U')) {
		text[0] = '\0';
		return true;
	}
	if (!(key & KEY_TEXT) && (key < ' ' || key > '~'))
		return false;
	add = wctomb(bytes, (wchar_t)(key & ~KEY_TEXT));
	if (add > 0 && n + (size_t)add < size) {
		memcpy(text + n, bytes, (size_t)add);
		text[n + (size_t)add] = '\0';
	}
	return true;
}

void prompt_ask(struct ui *ui, const struct prompt_spec *spec, const char *text)
{
	ui->overlay = &overlay_prompt;
	ui->prompt.spec = spec;
	text_copy(ui->prompt.text, sizeof(ui->prompt.text), text);
}

/* On the status line, or on the last one where that has no line of its own. */
static void draw(struct ui *ui, const struct ui_view *view, int lines,
		 int columns)
{
	const struct prompt *p = &ui->prompt;
	int y = layout_status_line(lines), x;

	screen_fill(&ui->screen, y, 0, columns, ROLE_TEXT);
	x = screen_put(&ui->screen, y, 0, columns, ROLE_STRONG, p->spec->label);
	x += screen_put(&ui->screen, y, x, columns - x - 1, ROLE_TEXT, p->text);
	x += screen_put(&ui->screen, y, x, 1, ROLE_SELECTED, " ");
	screen_put(&ui->screen, y, x + 2, columns - x - 2, ROLE_DIM,
		   p->spec->hint);
}

static void take_key(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	struct prompt *p = &ui->prompt;

	if (key == '\r') {
		ui->overlay = NULL;
		if (p->spec->done)
			p->spec->done(ui, view, p->text, action);
		return;
	}
	if (key == 27) {
		p->text[0] = '\0';
		ui->overlay = NULL;
	} else if (!prompt_edit(p->text, sizeof(p->text), key)) {
		return;
	}
	if (p->spec->typed)
		p->spec->typed(ui, view, p->text);
}

const struct overlay overlay_prompt = { .draw = draw, .key = take_key };
