/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooser: a list of all columns over the panes. The table behind it shows at
 * once what was done.
 */
#include "ui/table/column_list.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "ui/overlay.h"

static const struct overlay self;

/* Names that iostat no longer has, for eyes that look for them. */
static const struct ui_key_help old_names[] = {
	{ "avgqu-sz", "is aqu-sz now" },
	{ "avgrq-sz",
	  "is rareq-sz and wareq-sz now, KiB, no 512-byte sectors" },
	{ "await", "is r_await and w_await now" },
	{ "rsec/s", "is rkB/s now: two sectors are one kB" },
	{ "wsec/s", "is wkB/s now: two sectors are one kB" },
	{ "svctm", "is gone: %util / (r/s + w/s) said nothing of a device "
		   "that does several at once" },
};

static struct table_state *state(struct ui *ui)
{
	return &ui->table[ui->column_list.spec->pane];
}

void column_list_open(struct ui *ui, const struct table_spec *spec)
{
	const struct table_state *t = &ui->table[spec->pane];
	int column[COLUMNS_MAX], shown;
	int n = table_columns_all(spec, t, column, &shown);

	ui->overlay = &self;
	ui->column_list.spec = spec;
	ui->column_list.at = ui->column_list.top = 0;
	for (int i = 0; i < n; i++)
		if (column[i] == t->sort)
			ui->column_list.at = i;
}

static size_t n_old(const struct ui *ui)
{
	return ui->column_list.spec->schema == SCHEMA_DEVICE
		       ? ARRAY_SIZE(old_names)
		       : 0;
}

static void draw_line(struct ui *ui, const struct area *a, int line, int i,
		      const int *column, int n, int shown)
{
	const struct table_spec *spec = ui->column_list.spec;
	const struct table_state *t = state(ui);
	bool chosen = i == ui->column_list.at;
	enum role role = chosen ? ROLE_SELECTED : ROLE_TEXT;
	int y = a->top + line;

	screen_fill(&ui->screen, y, a->left, a->columns, role);
	if (i >= n) {
		const struct ui_key_help *old = &old_names[i - n];

		screen_put(&ui->screen, y, a->left + 7, 11, ROLE_DIM,
			   old->keys);
		screen_put(&ui->screen, y, a->left + 19, a->columns - 20,
			   ROLE_DIM, old->help);
		return;
	}
	screen_printf(&ui->screen, y, a->left + 1, 6, role, "[%c] %c",
		      i < shown ? 'x' : ' ',
		      column[i] != t->sort ? ' '
		      : t->reverse         ? '^'
					   : 'v');
	screen_put(&ui->screen, y, a->left + 7, 11, role,
		   table_columns_title(spec, column[i]));
	screen_put(&ui->screen, y, a->left + 19, a->columns - 20, role,
		   table_columns_help(spec, column[i]));
}

static void draw(struct ui *ui, const struct ui_view *view, int lines,
		 int columns)
{
	const struct table_spec *spec = ui->column_list.spec;
	int column[COLUMNS_MAX], shown;
	int n = table_columns_all(spec, state(ui), column, &shown);
	int all = n + (int)n_old(ui);
	struct area a = { 1, columns > 90 ? columns / 2 - 44 : 0, lines - 3,
			  columns > 90 ? 88 : columns };

	if (a.lines > all)
		a.lines = all;
	if (a.lines < 1)
		return;
	if (ui->column_list.at < ui->column_list.top)
		ui->column_list.top = ui->column_list.at;
	if (ui->column_list.at >= ui->column_list.top + a.lines)
		ui->column_list.top = ui->column_list.at - a.lines + 1;
	if (ui->column_list.top > all - a.lines)
		ui->column_list.top = all - a.lines;
	screen_fill(&ui->screen, 0, a.left, a.columns, ROLE_FOCUS);
	screen_printf(&ui->screen, 0, a.left + 1, a.columns - 2, ROLE_FOCUS,
		      "columns of %s: %d of %d shown, in their order",
		      panes[spec->pane]->name, shown, n);
	for (int i = 0; i < a.lines; i++)
		draw_line(ui, &a, i, ui->column_list.top + i, column, n, shown);
	screen_fill(&ui->screen, a.top + a.lines, a.left, a.columns,
		    ROLE_HEADER);
	screen_put(&ui->screen, a.top + a.lines, a.left + 1, a.columns - 2,
		   ROLE_HEADER,
		   "Space show/hide  < > move  Enter sort by it  0 as at first "
		   " Esc back");
}

static void sort_by(struct ui *ui, int column)
{
	struct table_state *t = state(ui);

	if (table_columns_extra(ui->column_list.spec, column))
		return;
	if (t->sort == column)
		t->reverse = !t->reverse;
	else
		t->reverse = false;
	t->sort = column;
}

/* Where a column stands after it was shown, hidden or moved. */
static void go_to(struct ui *ui, int one)
{
	int column[COLUMNS_MAX], shown;
	int n = table_columns_all(ui->column_list.spec, state(ui), column,
				  &shown);

	for (int i = 0; i < n; i++)
		if (column[i] == one)
			ui->column_list.at = i;
}

static void change(struct ui *ui, int key, int one)
{
	const struct table_spec *spec = ui->column_list.spec;
	struct table_state *t = state(ui);
	int step = key == '<' || key == '[' || key == 'K' ? -1 : 1;

	if (key == ' ') {
		/* The cursor stays for the next one. */
		table_columns_toggle(spec, t, one);
	} else if (key == '\r') {
		sort_by(ui, one);
	} else {
		table_columns_move(spec, t, one, step);
		go_to(ui, one);
	}
	t->first_column = 0;
}

static int step_of(int key)
{
	switch (key) {
	case KEY_UP:
	case 'k':
		return -1;
	case KEY_DOWN:
	case 'j':
		return 1;
	case KEY_PPAGE:
		return -10;
	case KEY_NPAGE:
		return 10;
	case KEY_HOME:
		return -COLUMNS_MAX;
	case KEY_END:
		return COLUMNS_MAX;
	default:
		return 0;
	}
}

static void take_key(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	int column[COLUMNS_MAX], shown, step = step_of(key);
	int n = table_columns_all(ui->column_list.spec, state(ui), column,
				  &shown);
	int all = n + (int)n_old(ui);

	if (key == 27 || key == 'q' || key == 'c' || key == KEY_F(6)) {
		ui->overlay = NULL;
	} else if (key == '0') {
		state(ui)->n_columns = 0;
		state(ui)->sort = SORT_DEFAULT;
		state(ui)->reverse = false;
	} else if (step) {
		ui->column_list.at += step;
		if (ui->column_list.at >= all)
			ui->column_list.at = all - 1;
		if (ui->column_list.at < 0)
			ui->column_list.at = 0;
	} else if (ui->column_list.at < n && key > 0 && key < 256 &&
		   strchr(" \r<>[]KJ", key)) {
		change(ui, key, column[ui->column_list.at]);
	}
}

/* A click goes to a line; on its box it shows and hides. */
static void click(struct ui *ui, const struct ui_view *view, int y, int x,
		  enum click what, struct action *action)
{
	if (what != CLICK) {
		take_key(ui, view, what == CLICK_WHEEL_UP ? KEY_UP : KEY_DOWN,
			 action);
		return;
	}
	if (y < 1)
		return;
	ui->column_list.at = ui->column_list.top + y - 1;
	take_key(ui, view, x < 5 ? ' ' : 0, action);
}

static const struct overlay self = {
	.draw = draw,
	.key = take_key,
	.click = click,
};
