/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Help: panes and keys, from their tables.
 */
#include <curses.h>
#include <stdio.h>

#include "ui/overlay.h"

static size_t count(const struct ui_key_help *(*at)(size_t))
{
	size_t n = 0;

	while (at(n))
		n++;
	return n;
}

/* Lines: a title, the keys, a blank, a title, the panes. */
static size_t help_lines(void)
{
	return 3 + count(ui_key_help) + count(ui_pane_help);
}

static void draw_line(struct ui *ui, size_t i, int y, int columns)
{
	size_t keys = count(ui_key_help);
	const struct ui_key_help *h;

	if (i == 0 || i == keys + 2) {
		screen_put(&ui->screen, y, 1, columns - 1, ROLE_STRONG,
			   i ? "Panes (their keys show and hide them)"
			     : "Keys");
		return;
	}
	h = i <= keys      ? ui_key_help(i - 1)
	    : i > keys + 2 ? ui_pane_help(i - keys - 3)
			   : NULL;
	if (!h)
		return;
	screen_put(&ui->screen, y, 2, 15, ROLE_KEY, h->keys);
	screen_put(&ui->screen, y, 18, columns - 19, ROLE_TEXT, h->help);
}

static void draw(struct ui *ui, const struct ui_view *view, int lines,
		 int columns)
{
	size_t all = help_lines(), room = (size_t)(lines > 3 ? lines - 2 : 1);
	char head[96];

	if (ui->help_top + room > all)
		ui->help_top = all > room ? all - room : 0;
	for (int y = 0; y < lines - 1; y++)
		screen_fill(&ui->screen, y, 0, columns, ROLE_TEXT);
	screen_fill(&ui->screen, 0, 0, columns, ROLE_FOCUS);
	snprintf(head, sizeof(head),
		 "help  %zu-%zu of %zu   Up/Down: scroll   "
		 "Esc: back",
		 ui->help_top + 1,
		 ui->help_top + room < all ? ui->help_top + room : all, all);
	screen_put(&ui->screen, 0, 1, columns - 1, ROLE_FOCUS, head);
	for (size_t i = 0; i < room && ui->help_top + i < all; i++)
		draw_line(ui, ui->help_top + i, 1 + (int)i, columns);
}

static void take_key(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	size_t page = 10;

	switch (key) {
	case KEY_DOWN:
	case 'j':
		ui->help_top++;
		break;
	case KEY_UP:
	case 'k':
		ui->help_top -= ui->help_top > 0;
		break;
	case KEY_NPAGE:
	case ' ':
		ui->help_top += page;
		break;
	case KEY_PPAGE:
		ui->help_top -= ui->help_top < page ? ui->help_top : page;
		break;
	case KEY_HOME:
		ui->help_top = 0;
		break;
	case KEY_END:
		ui->help_top = help_lines();
		break;
	default:
		ui->overlay = NULL;
	}
}

const struct overlay overlay_help = {
	.draw = draw,
	.key = take_key,
	.whole = true,
};
