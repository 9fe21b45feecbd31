/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ui: the life of the screen, and how its parts come together.
 */
#include "ui/ui.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ui/overlay.h"
#include "ui/pane_table.h"

int ui_open(struct ui **out, const struct ui_options *options)
{
	struct ui *ui = xcalloc(1, sizeof(*ui));
	int ret = terminal_open(&ui->terminal, options);

	if (ret < 0) {
		free(ui);
		return ret;
	}
	screen_init(&ui->screen, options->no_color, options->ascii,
		    terminal_type(ui->terminal));
	for (int id = 0; id < PANES; id++)
		ui->table[id].sort = SORT_DEFAULT;
	ui->focus = PANE_DEVICE;
	*out = ui;
	return 0;
}

void ui_close(struct ui *ui)
{
	if (!ui)
		return;
	terminal_close(ui->terminal);
	for (int id = 0; id < PANES; id++)
		free(ui->table[id].place);
	free(ui);
}

void ui_suspend(struct ui *ui)
{
	terminal_suspend(ui->terminal);
}

void ui_resume(struct ui *ui)
{
	terminal_resume(ui->terminal);
}

void ui_resize(struct ui *ui)
{
	terminal_resize(ui->terminal);
}

bool ui_backlog(const struct ui *ui)
{
	return terminal_backlog(ui->terminal);
}

void ui_flush(struct ui *ui)
{
	terminal_flush(ui->terminal);
}

/* One sentence: the prompt, a pending turn, our own note or the loop's. */
static void draw_status(struct ui *ui, const struct ui_view *view, int y)
{
	const struct screen *s = &ui->screen;
	int x = 0;

	screen_fill(s, y, 0, COLS, ROLE_TEXT);
	if (ui->overlay == OVERLAY_PROMPT) {
		prompt_draw(ui, y, COLS);
		return;
	}
	if (view->pending) {
		x += screen_put(s, y, x, COLS - x, ROLE_ALERT, "pending: ");
		x += screen_put(s, y, x, COLS - x, ROLE_STRONG, view->pending);
		x += 2;
	}
	if (*ui->note)
		screen_put(s, y, x, COLS - x, ROLE_STRONG, ui->note);
	else if (view->message)
		screen_put(s, y, x, COLS - x, ROLE_TEXT, view->message);
}

static void draw_panes(struct ui *ui, const struct ui_view *view, int top,
		       int bottom)
{
	if (!view->frame) {
		screen_put(&ui->screen, top, 0, COLS, ROLE_DIM,
			   "Waiting for the first look at the machine ...");
		return;
	}
	pane_layout(ui, view, top, bottom, COLS);
	for (int id = 0; id < PANES; id++)
		if (ui->area[id].lines)
			panes[id].draw(ui, view, ui->area[id]);
}

/* A small screen has no line to spare for the status: it covers the keys. */
static void draw_all(struct ui *ui, const struct ui_view *view)
{
	int lines = LINES, top = pane_header(ui, view, lines, COLS);
	bool own_line = lines >= 20;
	bool status = view->pending || view->message || *ui->note ||
		      ui->overlay == OVERLAY_PROMPT;

	if (lines - top - 1 - own_line > 0)
		draw_panes(ui, view, top, lines - 1 - own_line);
	if (ui->overlay == OVERLAY_HELP)
		help_draw(ui, lines, COLS);
	else if (ui->overlay == OVERLAY_MENU)
		menu_draw(ui, view, lines, COLS);
	if (own_line && ui->overlay != OVERLAY_HELP)
		draw_status(ui, view, lines - 2);
	screen_fill(&ui->screen, lines - 1, 0, COLS, ROLE_TEXT);
	if (!own_line && status)
		draw_status(ui, view, lines - 1);
	else
		keys_row(ui, view, lines - 1, COLS);
}

void ui_draw(struct ui *ui, const struct ui_view *view)
{
	terminal_flush(ui->terminal);
	if (terminal_backlog(ui->terminal))
		return;
	bkgdset(' ');
	attrset(A_NORMAL);
	erase();
	draw_all(ui, view);
	wnoutrefresh(stdscr);
	doupdate();
	terminal_update(ui->terminal);
}

bool ui_key(struct ui *ui, const struct ui_view *view, struct action *action)
{
	int key = terminal_key(ui->terminal);

	memset(action, 0, sizeof(*action));
	if (key < 0)
		return false;
	ui->note[0] = '\0';
	switch (ui->overlay) {
	case OVERLAY_HELP:
		help_key(ui, key);
		break;
	case OVERLAY_MENU:
		menu_key(ui, view, key, action);
		break;
	case OVERLAY_PROMPT:
		prompt_key(ui, view, key, action);
		break;
	default:
		keys_dispatch(ui, view, key, action);
	}
	return true;
}
