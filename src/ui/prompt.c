/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prompt: a line of text for a filter, a mark or a time to jump to.
 */
#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/overlay.h"

static const struct {
	const char *label, *hint;
} kinds[] = {
	[PROMPT_FILTER] = { "Filter: ", "Enter keep  Esc clear" },
	[PROMPT_JUMP] = { "Jump to: ", "90, 1:30, 2m or 50%" },
	[PROMPT_MARK] = { "Mark: ", "Enter set  Esc cancel" },
};

bool prompt_edit(char *text, size_t size, int key)
{
	size_t n = strlen(text);

	if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		if (n)
			text[n - 1] = '\0';
		return true;
	}
	if (key == ('U' & 0x1f)) {
		text[0] = '\0';
		return true;
	}
	if (key < ' ' || key > '~')
		return false;
	if (n + 1 < size) {
		text[n] = (char)key;
		text[n + 1] = '\0';
	}
	return true;
}

void prompt_open(struct ui *ui, enum prompt_kind kind)
{
	ui->overlay = OVERLAY_PROMPT;
	ui->prompt.kind = kind;
	ui->prompt.text[0] = '\0';
	if (kind == PROMPT_FILTER)
		text_copy(ui->prompt.text, sizeof(ui->prompt.text),
			  ui->table[ui->focus].filter);
}

void prompt_draw(struct ui *ui, int y, int columns)
{
	const struct prompt *p = &ui->prompt;
	int x = screen_put(&ui->screen, y, 0, columns, ROLE_STRONG,
			   kinds[p->kind].label);

	x += screen_put(&ui->screen, y, x, columns - x - 1, ROLE_TEXT, p->text);
	x += screen_put(&ui->screen, y, x, 1, ROLE_SELECTED, " ");
	screen_put(&ui->screen, y, x + 2, columns - x - 2, ROLE_DIM,
		   kinds[p->kind].hint);
}

/* "1:30", "90", "2m", "50%"; false on anything else. */
static bool parse_time(const char *s, double length_s, double *seconds)
{
	const char *colon = strchr(s, ':');
	uint64_t ns;
	char *end;

	if (colon) {
		double total = 0;

		for (;;) {
			total = total * 60 + (double)strtoul(s, &end, 10);
			if (end == s || (*end && *end != ':'))
				return false;
			if (!*end)
				break;
			s = end + 1;
		}
		*seconds = total;
		return true;
	}
	if (*s && s[strlen(s) - 1] == '%') {
		*seconds = strtod(s, &end) / 100 * length_s;
		return *end == '%' && end != s;
	}
	if (!units_parse_ns(s, 1000000000u, &ns))
		return false;
	*seconds = (double)ns / 1e9;
	return true;
}

static void accept(struct ui *ui, const struct ui_view *view,
		   struct action *action)
{
	struct prompt *p = &ui->prompt;

	ui->overlay = OVERLAY_NONE;
	if (p->kind == PROMPT_MARK) {
		action->kind = ACTION_MARK;
		text_copy(action->value, sizeof(action->value), p->text);
	} else if (p->kind == PROMPT_JUMP) {
		if (parse_time(p->text, view->length_s, &action->number))
			action->kind = ACTION_SEEK;
		else
			text_copy(ui->note, sizeof(ui->note),
				  "That is no time; type 90, 1:30, 2m or 50%.");
	}
}

void prompt_key(struct ui *ui, const struct ui_view *view, int key,
		struct action *action)
{
	struct prompt *p = &ui->prompt;

	if (key == '\r') {
		accept(ui, view, action);
		return;
	}
	if (key == 27) {
		p->text[0] = '\0';
		ui->overlay = OVERLAY_NONE;
	} else if (!prompt_edit(p->text, sizeof(p->text), key)) {
		return;
	}
	if (p->kind == PROMPT_FILTER)
		text_copy(ui->table[ui->focus].filter,
			  sizeof(ui->table[0].filter), p->text);
}
