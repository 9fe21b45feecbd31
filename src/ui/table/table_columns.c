/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Table columns: chooses the columns and their order. */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/list.h"
#include "ui/overlay.h"
#include "ui/state.h"
#include "ui/table/table.h"

static int n_fields(const struct table_spec *spec)
{
	return (int)schemas[spec->schema]->n_fields;
}

const struct table_extra *table_columns_extra(const struct table_spec *spec,
					      int column)
{
	return column >= n_fields(spec) ? &spec->extra[column - n_fields(spec)]
					: NULL;
}

const char *table_columns_key(const struct table_spec *spec, int column)
{
	const struct table_extra *extra = table_columns_extra(spec, column);

	return extra ? extra->key : schemas[spec->schema]->fields[column].key;
}

const char *table_columns_title(const struct table_spec *spec, int column)
{
	const struct table_extra *extra = table_columns_extra(spec, column);

	return extra ? extra->title
		     : schemas[spec->schema]->fields[column].title;
}

static const char *table_columns_help(const struct table_spec *spec, int column)
{
	const struct table_extra *extra = table_columns_extra(spec, column);

	return extra ? extra->help : schemas[spec->schema]->fields[column].help;
}

int table_columns_find(const struct table_spec *spec, const char *key)
{
	for (int i = 0; i < spec->n_extras; i++)
		if (!strcmp(spec->extra[i].key, key))
			return n_fields(spec) + i;
	return schema_field(spec->schema, key);
}

static bool table_columns_has(const int *column, int n, int one)
{
	for (int i = 0; i < n; i++)
		if (column[i] == one)
			return true;
	return false;
}

/* Whether there is such a column; a histogram is none. */
static bool table_columns_can_show(const struct table_spec *spec, int column)
{
	if (column < 0 || column >= n_fields(spec) + spec->n_extras)
		return false;
	return column >= n_fields(spec) ||
	       schemas[spec->schema]->fields[column].kind != FIELD_HISTOGRAM;
}

static unsigned table_columns_place_of(const struct table_spec *spec,
				       int column)
{
	const struct table_extra *extra = table_columns_extra(spec, column);

	return extra ? extra->place
		     : schemas[spec->schema]
			       ->fields[column]
			       .place[FIELD_ON_SCREEN];
}

static bool hidden(const struct table_spec *spec, int column)
{
	enum field_column c;

	if (column >= n_fields(spec))
		return false;
	c = schemas[spec->schema]->fields[column].column;
	return c == COLUMN_HIDDEN || c >= COLUMN_URGENT_ONLY;
}

/*
 * The default: columns that have a place, then the others except hidden ones.
 */
static int as_they_come(const struct table_spec *spec, int *column)
{
	int placed, n = 0;

	for (int i = 0; i < n_fields(spec) + spec->n_extras; i++) {
		unsigned place = table_columns_place_of(spec, i);
		int at = n;

		if (!place || n == COLUMNS_MAX)
			continue;
		for (; at > 0 &&
		       table_columns_place_of(spec, column[at - 1]) > place;
		     at--)
			column[at] = column[at - 1];
		column[at] = i;
		n++;
	}
	placed = n;
	for (int i = 0; i < n_fields(spec) + spec->n_extras; i++)
		if (n < COLUMNS_MAX && table_columns_can_show(spec, i) &&
		    !table_columns_has(column, placed, i) && !hidden(spec, i))
			column[n++] = i;
	return n;
}

/*
 * Move an urgent column to the front, or behind those with a place; returns the
 * number of columns.
 */
static int put_urgent(const struct table_spec *spec, int *column, int n, int one)
{
	int at = 0, to = 0;

	while (schemas[spec->schema]->fields[one].column == COLUMN_URGENT_LAST &&
	       to < n && table_columns_place_of(spec, column[to]))
		to++;
	while (at < n && column[at] != one)
		at++;
	if (at == COLUMNS_MAX)
		return n;
	for (int i = at; i > to; i--)
		column[i] = column[i - 1];
	column[to] = one;
	return at == n ? n + 1 : n;
}

int table_columns(const struct table_spec *spec, const struct table_state *t,
		  int *column)
{
	if (!t->n_columns) {
		int n = as_they_come(spec, column);

		for (int i = t->n_urgent; i-- > 0;)
			n = put_urgent(spec, column, n, t->urgent[i]);
		return n;
	}
	for (int i = 0; i < t->n_columns; i++)
		column[i] = t->column[i];
	return t->n_columns;
}

int table_columns_all(const struct table_spec *spec,
		      const struct table_state *t, int *column, int *shown)
{
	int n = table_columns(spec, t, column);

	*shown = n;
	for (int i = 0; i < n_fields(spec) + spec->n_extras; i++)
		if (n < COLUMNS_MAX && table_columns_can_show(spec, i) &&
		    !table_columns_has(column, n, i))
			column[n++] = i;
	return n;
}

static void table_columns_keep(struct table_state *t, const int *column, int n)
{
	for (int i = 0; i < n; i++)
		t->column[i] = (short)column[i];
	t->n_columns = n;
}

void table_columns_toggle(const struct table_spec *spec, struct table_state *t,
			  int one)
{
	int column[COLUMNS_MAX], n = table_columns(spec, t, column), kept = 0;

	if (!table_columns_has(column, n, one)) {
		if (n < COLUMNS_MAX)
			column[n++] = one;
		table_columns_keep(t, column, n);
		return;
	}
	for (int i = 0; i < n; i++)
		if (column[i] != one)
			column[kept++] = column[i];
	if (kept)
		table_columns_keep(t, column, kept);
}

/* Move a shown column by one place; step 1: to the right. */
static void table_columns_move(const struct table_spec *spec,
			       struct table_state *t, int one, int step)
{
	int column[COLUMNS_MAX], n = table_columns(spec, t, column);

	for (int i = 0; i < n; i++) {
		int to = i + step;

		if (column[i] != one || to < 0 || to >= n)
			continue;
		column[i] = column[to];
		column[to] = one;
		table_columns_keep(t, column, n);
		return;
	}
}

void table_columns_hold(struct table_state *t, struct table_own *own, bool keep)
{
	if (keep) {
		memcpy(own->column, t->column, sizeof(own->column));
		own->n_columns = t->n_columns;
		own->sort = t->sort;
		own->flat = t->flat;
		own->reverse = t->reverse;
		return;
	}
	memcpy(t->column, own->column, sizeof(own->column));
	t->n_columns = own->n_columns;
	t->sort = own->sort;
	t->flat = own->flat;
	t->reverse = own->reverse;
}

void table_columns_save(const struct ui *ui, const struct table_spec *spec,
			struct settings_file *out)
{
	const struct table_state *t = &ui->table[spec->pane];
	const short *column = t->viewed ? t->own.column : t->column;
	const int n = t->viewed ? t->own.n_columns : t->n_columns;
	const bool flat = t->viewed ? t->own.flat : t->flat;
	char text[SETTINGS_VALUE_MAX] = "";

	for (int i = 0; i < n; i++)
		text_join(text, sizeof(text), ",", "%s",
			  table_columns_key(spec, column[i]));
	if (*text)
		ui_settings_put(out, "columns", text);
	if (flat || t->family)
		ui_settings_put(out, "flat", flat ? "yes" : "family");
}

static bool is_kept(const struct table_state *t, int column)
{
	for (int i = 0; i < t->n_columns; i++)
		if (t->column[i] == column)
			return true;
	return false;
}

bool table_columns_load(struct ui *ui, const struct table_spec *spec,
			const char *key, const char *value)
{
	struct table_state *t = &ui->table[spec->pane];
	char text[SETTINGS_VALUE_MAX], *rest = text, *name;

	if (!strcmp(key, "flat")) {
		t->flat = !strcmp(value, "yes");
		t->family = spec->origin && !strcmp(value, "family");
		return t->flat || t->family || !strcmp(value, "no");
	}
	if (strcmp(key, "columns") != 0)
		return false;
	t->n_columns = 0;
	text_set(text, value);
	while ((name = strsep(&rest, ","))) {
		int column = table_columns_find(spec, name);

		if (table_columns_can_show(spec, column) &&
		    !is_kept(t, column) && t->n_columns < COLUMNS_MAX)
			t->column[t->n_columns++] = (short)column;
	}
	return t->n_columns > 0;
}

/* --- the list of all columns, in a box above the panes --- */

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

static struct table_state *table_columns_state(struct ui *ui)
{
	return &ui->table[ui->column_list.spec->pane];
}

static const char *title_of(const struct column_rows *r, int row)
{
	return row < r->all ? table_columns_title(r->ui->column_list.spec,
						  r->column[row])
			    : old_names[row - r->all].keys;
}

static const char *table_columns_help_of(const struct column_rows *r, int row)
{
	return row < r->all ? table_columns_help(r->ui->column_list.spec,
						 r->column[row])
			    : old_names[row - r->all].help;
}

static void table_columns_gather(struct ui *ui, struct column_rows *r)
{
	const struct table_spec *spec = ui->column_list.spec;
	const struct list *l = &ui->column_list.list;
	int old =
		spec->schema == SCHEMA_DEVICE ? (int)ARRAY_SIZE(old_names) : 0;

	r->ui = ui;
	r->n = 0;
	r->all = table_columns_all(spec, table_columns_state(ui), r->column,
				   &r->shown);
	/* What has the text in its title stands before what explains it. */
	for (int in_help = 0; in_help < 2; in_help++)
		for (int i = 0; i < r->all + old; i++)
			if (list_matches(l, title_of(r, i)) != in_help &&
			    (!in_help ||
			     list_matches(l, table_columns_help_of(r, i))))
				r->row[r->n++] = i;
}

/* Put the cursor on a column, wherever it is after a change. */
static void table_columns_go_to(struct ui *ui, int column)
{
	struct column_rows r;

	table_columns_gather(ui, &r);
	for (size_t i = 0; i < r.n; i++)
		if (r.row[i] < r.all && r.column[r.row[i]] == column)
			ui->column_list.list.at = i;
}

void table_columns_choose(struct ui *ui, const struct table_spec *spec)
{
	ui->overlay = &self;
	memset(&ui->column_list, 0, sizeof(ui->column_list));
	ui->column_list.spec = spec;
	table_columns_go_to(ui, ui->table[spec->pane].sort);
}

static void table_columns_draw_row(void *arg, size_t i, int y, enum role role)
{
	const struct column_rows *r = arg;
	const struct table_state *t = table_columns_state(r->ui);
	const struct area *a = &r->ui->column_list.list.rows;
	const struct screen *s = &r->ui->screen;
	int row = r->row[i];
	bool sorted = row < r->all && r->column[row] == t->sort;

	if (row >= r->all && role == ROLE_TEXT)
		role = ROLE_DIM;
	if (row < r->all)
		screen_printf(s, y, a->left + 1, 6, role, "[%c] %c",
			      row < r->shown ? 'x' : ' ',
			      !sorted      ? ' '
			      : t->reverse ? '^'
					   : 'v');
	screen_put(s, y, a->left + 7, 12, role, title_of(r, row));
	screen_put(s, y, a->left + 20, a->columns - 21, role,
		   table_columns_help_of(r, row));
}

static void table_columns_draw(struct ui *ui, const struct ui_view *view,
			       int lines, int columns)
{
	struct list *l = &ui->column_list.list;
	struct column_rows r;
	struct area a;
	char head[160];

	table_columns_gather(ui, &r);
	snprintf(head, sizeof(head), "columns of %s: %d of %d shown%s%s%s",
		 panes[ui->column_list.spec->pane]->name, r.shown, r.all,
		 *l->filter ? "  filter: " : "", l->filter,
		 list_position(l, r.n).text);
	a = overlay_box(
		&ui->screen, lines, columns, r.n ? (int)r.n : 1, 90, head,
		columns < 76 ? "Space show  < > move  Enter sort  Esc"
			     : "Space: show  < >: move  Enter: sort  0: "
			       "defaults  type to find  Esc: back");
	list_draw(l, &ui->screen, a, r.n, table_columns_draw_row, &r);
}

static void sort_by(struct ui *ui, int column)
{
	struct table_state *t = table_columns_state(ui);

	if (table_columns_extra(ui->column_list.spec, column))
		return;
	t->reverse = t->sort == column && !t->reverse;
	t->sort = column;
}

static void change(struct ui *ui, int key, int column)
{
	const struct table_spec *spec = ui->column_list.spec;
	struct table_state *t = table_columns_state(ui);

	if (key == ' ') {
		/* The cursor stays in its place, now on the next column. */
		table_columns_toggle(spec, t, column);
	} else if (key == '\r') {
		sort_by(ui, column);
	} else {
		table_columns_move(spec, t, column,
				   key == '<' || key == '[' ? -1 : 1);
		table_columns_go_to(ui, column);
	}
	t->first_column = 0;
}

static void table_columns_take_key(struct ui *ui, const struct ui_view *view,
				   int key, struct action *action)
{
	struct list *l = &ui->column_list.list;
	struct column_rows r;

	table_columns_gather(ui, &r);
	if (key == KEY_F(6) || key == KEY_F(10)) {
		ui->overlay = NULL;
	} else if (key == '0') {
		table_columns_state(ui)->n_columns = 0;
		table_columns_state(ui)->sort = SORT_DEFAULT;
		table_columns_state(ui)->reverse = false;
	} else if (key > 0 && key < 256 && strchr(" \r<>[]", key)) {
		if (l->at < r.n && r.row[l->at] < r.all)
			change(ui, key, r.column[r.row[l->at]]);
	} else if (!list_key(l, r.n, key, LIST_FILTER) && key == 27) {
		ui->overlay = NULL;
	}
}

/* A click goes to a line; on its box it shows and hides. */
static void table_columns_click(struct ui *ui, const struct ui_view *view,
				int y, int x, struct action *action)
{
	struct list *l = &ui->column_list.list;
	struct column_rows r;
	size_t at;

	table_columns_gather(ui, &r);
	at = list_row_at(l, r.n, y, x);
	if (at == LIST_NONE)
		return;
	l->at = at;
	if (x < l->rows.left + 5)
		table_columns_take_key(ui, view, ' ', action);
}

static const struct overlay self = {
	.draw = table_columns_draw,
	.key = table_columns_take_key,
	.click = table_columns_click,
};
