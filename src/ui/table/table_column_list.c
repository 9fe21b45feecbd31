/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Column list: all columns of a table, in a box above the panes. The table
 * behind shows each change at once.
 */
#include "ui/table/table.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/list.h"
#include "ui/overlay.h"
#include "ui/state.h"

static const struct overlay self;

/* Names that iostat no longer has; a reader may search for them. */
static const struct ui_key_help old_names[] = {
	{ "avgqu-sz", "is aqu-sz now" },
	{ "avgrq-sz",
	  "is rareq-sz and wareq-sz now, in KiB, not in 512-byte sectors" },
	{ "await", "is r_await and w_await now" },
	{ "rsec/s", "is rkB/s now: two sectors are one kB" },
	{ "wsec/s", "is wkB/s now: two sectors are one kB" },
	{ "svctm", "is gone: %util / (r/s + w/s) has no meaning for a device "
		   "that serves several I/Os at once" },
};

#define ROWS_MAX (COLUMNS_MAX + (int)ARRAY_SIZE(old_names))

/* The rows that match the filter. */
struct column_rows {
	struct ui *ui;
	int all, shown;    /* columns, and how many of them are shown */
	int row[ROWS_MAX]; /* index of column, from all on of old_names */
	int column[COLUMNS_MAX];
	size_t n;
};

static struct table_state *column_list_state(struct ui *ui)
{
	return &ui->table[ui->column_list.spec->pane];
}

static const char *title_of(const struct column_rows *r, int row)
{
	return row < r->all ? table_columns_title(r->ui->column_list.spec,
						  r->column[row])
			    : old_names[row - r->all].keys;
}

static const char *column_list_help_of(const struct column_rows *r, int row)
{
	return row < r->all ? table_columns_help(r->ui->column_list.spec,
						 r->column[row])
			    : old_names[row - r->all].help;
}

static void column_list_gather(struct ui *ui, struct column_rows *r)
{
	const struct table_spec *spec = ui->column_list.spec;
	const struct list *l = &ui->column_list.list;
	int old =
		spec->schema == SCHEMA_DEVICE ? (int)ARRAY_SIZE(old_names) : 0;

	r->ui = ui;
	r->n = 0;
	r->all = table_columns_all(column_list_state(ui), r->column, &r->shown);
	/* What has the text in its title stands before what explains it. */
	for (int in_help = 0; in_help < 2; in_help++)
		for (int i = 0; i < r->all + old; i++)
			if (list_matches(l, title_of(r, i)) != in_help &&
			    (!in_help ||
			     list_matches(l, column_list_help_of(r, i))))
				r->row[r->n++] = i;
}

/* Put the cursor on a column, wherever it is after a change. */
static void column_list_go_to(struct ui *ui, int column)
{
	struct column_rows r;

	column_list_gather(ui, &r);
	for (size_t i = 0; i < r.n; i++)
		if (r.row[i] < r.all && r.column[r.row[i]] == column)
			ui->column_list.list.at = i;
}

void table_columns_choose(struct ui *ui, const struct table_spec *spec)
{
	ui->overlay = &self;
	memset(&ui->column_list, 0, sizeof(ui->column_list));
	ui->column_list.spec = spec;
	column_list_go_to(ui, ui->table[spec->pane].sort);
}

static void column_list_draw_row(void *arg, size_t i, const struct area *a,
				 enum role role)
{
	const struct column_rows *r = arg;
	const struct table_state *t = column_list_state(r->ui);
	int row = r->row[i];
	bool sorted = row < r->all && r->column[row] == t->sort;

	if (row >= r->all && role == ROLE_TEXT)
		role = ROLE_DIM;
	if (row < r->all)
		screen_printf(a->top, a->left + 1, 6, role, "[%c] %c",
			      row < r->shown ? 'x' : ' ',
			      !sorted      ? ' '
			      : t->reverse ? '^'
					   : 'v');
	screen_put(a->top, a->left + 7, 12, role, title_of(r, row));
	screen_put(a->top, a->left + 20, a->columns - 21, role,
		   column_list_help_of(r, row));
}

static void column_list_draw(struct ui *ui)
{
	struct list *l = &ui->column_list.list;
	struct column_rows r;
	struct area a;
	char head[160];

	column_list_gather(ui, &r);
	snprintf(head, sizeof(head), "columns of %s: %d of %d shown%s%s%s",
		 panes[ui->column_list.spec->pane]->name, r.shown, r.all,
		 *l->filter ? "  filter: " : "", l->filter,
		 list_position(l, r.n).text);
	a = overlay_box(r.n ? (int)r.n : 1, 90, head,
			COLS < 76 ? "Space show  < > move  Enter sort  Esc"
				  : "Space: show  < >: move  Enter: sort  0: "
				    "defaults  type to find  Esc: back");
	list_draw(l, a, r.n, column_list_draw_row, &r);
}

static void sort_by(struct ui *ui, int column)
{
	struct table_state *t = column_list_state(ui);

	if (table_columns_extra(ui->column_list.spec, column))
		return;
	t->reverse = t->sort == column && !t->reverse;
	t->sort = column;
}

static void change(struct ui *ui, int key, int column)
{
	struct table_state *t = column_list_state(ui);

	if (key == ' ') {
		/* The cursor stays in its place, now on the next column. */
		table_columns_toggle(t, column);
	} else if (key == '\r') {
		sort_by(ui, column);
	} else {
		table_columns_move(t, column,
				   key == '<' || key == '[' ? -1 : 1);
		column_list_go_to(ui, column);
	}
	t->first_column = 0;
}

static void column_list_take_key(struct ui *ui, int key)
{
	struct list *l = &ui->column_list.list;
	struct column_rows r;

	column_list_gather(ui, &r);
	if (key == KEY_F(6) || key == KEY_F(10)) {
		ui->overlay = NULL;
	} else if (key == '0') {
		column_list_state(ui)->n_columns = 0;
		column_list_state(ui)->sort = SORT_DEFAULT;
		column_list_state(ui)->reverse = false;
	} else if (key > 0 && key < 256 && strchr(" \r<>[]", key)) {
		if (l->at < r.n && r.row[l->at] < r.all)
			change(ui, key, r.column[r.row[l->at]]);
	} else if (!list_key(l, r.n, key, LIST_FILTER) && key == 27) {
		ui->overlay = NULL;
	}
}

/* A click goes to a line; on its box it shows and hides. */
static void column_list_click(struct ui *ui, int y, int x)
{
	struct list *l = &ui->column_list.list;
	struct column_rows r;

	column_list_gather(ui, &r);
	if (list_click(l, r.n, y, x) && x < l->rows.left + 5)
		column_list_take_key(ui, ' ');
}

static const struct overlay self = {
	.draw = column_list_draw,
	.key = column_list_take_key,
	.click = column_list_click,
};
