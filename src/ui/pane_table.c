/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table pane: draws the rows of any schema.
 */
#include "ui/pane_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define COLUMNS_MAX DRAWN_MAX

/* A column on the screen. */
struct column {
	int field;
	int width;
};

static bool listed(const char *const *list, const char *key)
{
	for (; list && *list; list++)
		if (!strcmp(*list, key))
			return true;
	return false;
}

/* The fields of a table in their order on the screen; returns how many. */
static int order_fields(const struct table_spec *spec, int *field)
{
	const struct schema *s = schemas[spec->schema];
	int n = 0;

	for (const char *const *key = spec->columns; key && *key; key++) {
		int i = schema_field(spec->schema, *key);

		if (i >= 0 && n < COLUMNS_MAX)
			field[n++] = i;
	}
	for (size_t i = 0; i < s->n_fields && n < COLUMNS_MAX; i++)
		if (s->fields[i].kind != FIELD_HISTOGRAM &&
		    !listed(spec->columns, s->fields[i].key) &&
		    !listed(spec->skip, s->fields[i].key))
			field[n++] = (int)i;
	return n;
}

static const char *shown_text(const struct table_spec *spec,
			      const struct row *row, int field, char *buf,
			      size_t size)
{
	const char *text = spec->text ? spec->text(row, field, buf, size)
				      : row->value[field].text;

	return text ? text : "-";
}

/*
 * A number is narrower here than in a report: cell_number() drops digits and
 * takes units before it overflows. A text is as wide as its widest value.
 */
static int column_width(const struct ui *ui, const struct table_spec *spec,
			const struct frame *frame, int i)
{
	const struct field *field = &schemas[spec->schema]->fields[i];
	const struct table *table = &frame->table[spec->schema];
	int width = (int)strlen(field->title), natural = field->width;

	if (field->kind == FIELD_NUMBER) {
		natural -= natural >= 9 ? 3 : natural >= 6 ? 1 : 0;
		return natural > width ? natural : width;
	}
	if (natural >= 16)
		return natural;
	for (size_t r = 0; r < table->n; r++) {
		char buf[ROW_ID_MAX + 8];
		int cells = screen_cells(
			&ui->screen,
			shown_text(spec, &table->row[r], i, buf, sizeof(buf)));

		if (cells > width)
			width = cells < natural ? cells : natural;
		if (width >= natural)
			break;
	}
	return width;
}

/* The columns that fit from first_column on; returns how many. */
static int fit_columns(const struct ui *ui, const struct table_spec *spec,
		       const struct frame *frame, int cells, int first,
		       struct column *column)
{
	int field[COLUMNS_MAX], n_fields = order_fields(spec, field), n = 0;

	for (int i = first; i < n_fields; i++) {
		int width = column_width(ui, spec, frame, field[i]);

		/* A text can be cut, a number cannot. */
		if (cells < width + 1 && cells >= 6 &&
		    schemas[spec->schema]->fields[field[i]].kind == FIELD_TEXT)
			width = cells - 1;
		if (cells < width + 1)
			break;
		cells -= width + 1;
		column[n].field = field[i];
		column[n++].width = width;
	}
	return n;
}

/* Scroll so that at least one column is there and none is scrolled away. */
static void clamp_columns(const struct table_spec *spec, struct table_state *t)
{
	int field[COLUMNS_MAX], n = order_fields(spec, field);

	if (t->first_column > n - 1)
		t->first_column = n - 1;
	if (t->first_column < 0)
		t->first_column = 0;
}

static void draw_head(struct ui *ui, const struct table_spec *spec,
		      const struct area *a, const struct column *column, int n)
{
	const struct schema *s = schemas[spec->schema];
	const struct table_state *t = &ui->table[spec->pane];
	enum role role = ui->focus == spec->pane ? ROLE_FOCUS : ROLE_HEADER;
	const char *arrow = ui->screen.ascii ? (t->reverse ? "^" : "v")
			    : t->reverse     ? "\u2191"
					     : "\u2193";
	int x = a->left + spec->id_width;
	char title[80];

	screen_fill(&ui->screen, a->top, a->left, a->columns, role);
	snprintf(title, sizeof(title), "%s%s%s%s%s", spec->title,
		 t->first_column ? " <" : "", *t->filter ? " /" : "", t->filter,
		 t->busy_only ? " busy" : "");
	screen_put(&ui->screen, a->top, a->left, spec->id_width, role, title);
	for (int i = 0; i < n; i++) {
		const struct field *f = &s->fields[column[i].field];
		int width = column[i].width;

		snprintf(title, sizeof(title), "%s%s",
			 column[i].field == t->sort ? arrow : "", f->title);
		if (f->kind == FIELD_TEXT)
			screen_put(&ui->screen, a->top, x + 1, width, role,
				   title);
		else
			screen_right(&ui->screen, a->top, x, width + 1, role,
				     title);
		x += width + 1;
	}
}

static enum role number_role(const struct field *field, double v,
			     enum role role)
{
	if (role != ROLE_TEXT)
		return role;
	return isnan(v) || v == 0 ? ROLE_DIM
	       : !strncmp(field->key, "read_", 5) && field->weight == NULL &&
			       strcmp(field->key, "read_ahead_kb") != 0
		       ? ROLE_READ
	       : !strncmp(field->key, "write_", 6) && field->weight == NULL
		       ? ROLE_WRITE
		       : ROLE_TEXT;
}

static void draw_cell(struct ui *ui, const struct table_spec *spec,
		      const struct row *row, const struct column *column, int y,
		      int x, enum role role)
{
	const struct field *field =
		&schemas[spec->schema]->fields[column->field];
	char buf[ROW_ID_MAX + 8];

	if (field->kind == FIELD_TEXT) {
		const char *text =
			shown_text(spec, row, column->field, buf, sizeof(buf));

		screen_put(&ui->screen, y, x + 1, column->width, role, text);
	} else {
		double v = row->value[column->field].number;

		cell_number(buf, sizeof(buf), column->width, field, v);
		screen_right(&ui->screen, y, x, column->width + 1,
			     number_role(field, v, role), buf);
	}
}

static void draw_row(struct ui *ui, const struct table_spec *spec,
		     const struct frame *frame, const struct place *place,
		     const struct area *a, int y, const struct column *column,
		     int n, bool selected)
{
	const struct row *row = &frame->table[spec->schema].row[place->row];
	enum role role = selected ? ROLE_SELECTED : ROLE_TEXT;
	int x = a->left + spec->id_width, indent = (int)place->depth;
	char id[ROW_ID_MAX + 32];

	snprintf(id, sizeof(id), "%*s%s%s", indent ? indent - 1 : 0, "",
		 !indent            ? ""
		 : ui->screen.ascii ? "`"
				    : "\u2514",
		 row->id);
	if (selected)
		screen_fill(&ui->screen, y, a->left, a->columns, role);
	screen_put(&ui->screen, y, a->left, spec->id_width,
		   selected ? role : ROLE_STRONG, id);
	for (int i = 0; i < n; i++) {
		draw_cell(ui, spec, row, &column[i], y, x, role);
		x += column[i].width + 1;
	}
}

/* Until somebody selects: the first row, whichever it is by now. */
static void to_top(struct table_state *t)
{
	t->selected[0] = '\0';
	t->at = t->top = 0;
}

/* Keep the selected row among the lines that are shown. */
static void scroll(struct table_state *t, size_t lines)
{
	t->shown = lines;
	if (t->at < t->top)
		t->top = t->at;
	if (lines && t->at >= t->top + lines)
		t->top = t->at - lines + 1;
	if (t->top + lines > t->n)
		t->top = t->n > lines ? t->n - lines : 0;
}

/* How many rows there are beyond the lines, at the right of the head. */
static void draw_more(struct ui *ui, const struct table_spec *spec,
		      const struct area *a, int used)
{
	const struct table_state *t = &ui->table[spec->pane];
	enum role role = ui->focus == spec->pane ? ROLE_FOCUS : ROLE_HEADER;
	char text[48];

	if (t->n <= t->shown)
		return;
	snprintf(text, sizeof(text), " %zu-%zu of %zu", t->top + 1,
		 t->top + t->shown, t->n);
	if (used + (int)strlen(text) <= a->columns)
		screen_right(&ui->screen, a->top, a->left + used,
			     a->columns - used, role, text);
}

void pane_table_draw(struct ui *ui, const struct ui_view *view,
		     const struct table_spec *spec, struct area a)
{
	struct table_state *t = &ui->table[spec->pane];
	struct column column[COLUMNS_MAX];
	int n, used = spec->id_width;

	clamp_columns(spec, t);
	/* Until somebody selects: the device that works must be in sight. */
	if (spec->pane == PANE_DEVICE && !t->moved && *ui->graph.device)
		text_copy(t->selected, sizeof(t->selected), ui->graph.device);
	else if (!t->moved)
		to_top(t);
	table_order(t, spec, view->frame);
	table_reselect(t, spec, view->frame);
	scroll(t, (size_t)(a.lines - 1));
	n = fit_columns(ui, spec, view->frame, a.columns - spec->id_width,
			t->first_column, column);
	draw_head(ui, spec, &a, column, n);
	t->n_drawn = n;
	for (int i = 0; i < n; i++) {
		t->drawn[i] = (struct drawn_column){ column[i].field, used,
						     column[i].width + 1 };
		used += column[i].width + 1;
	}
	draw_more(ui, spec, &a, used);
	for (int y = 1; y < a.lines; y++) {
		size_t i = t->top + (size_t)y - 1;

		if (i >= t->n)
			break;
		draw_row(ui, spec, view->frame, &t->place[i], &a, a.top + y,
			 column, n, i == t->at && ui->focus == spec->pane);
	}
	if (!t->n && a.lines > 1)
		screen_put(&ui->screen, a.top + 1, a.left, a.columns, ROLE_DIM,
			   *t->filter ? "(nothing matches the filter)"
				      : "(nothing)");
}

int pane_table_want(struct ui *ui, const struct ui_view *view,
		    const struct table_spec *spec)
{
	struct table_state *t = &ui->table[spec->pane];

	if (!view->frame || !view->frame->table[spec->schema].n)
		return 0;
	table_order(t, spec, view->frame);
	return t->n < 10000 ? (int)(t->n ? t->n : 1) + 1 : 10000;
}

void pane_table_sort(struct ui *ui, const struct table_spec *spec, int step)
{
	struct table_state *t = &ui->table[spec->pane];
	int field[COLUMNS_MAX], n = order_fields(spec, field), at = -1;

	for (int i = 0; i < n; i++)
		if (field[i] == t->sort)
			at = i;
	at = (at + 1 + step + n + 1) % (n + 1) - 1;
	t->sort = at < 0 ? SORT_DEFAULT : field[at];
	/* Bring the column into sight when it is to the left or far right. */
	if (at >= 0 && (at < t->first_column || at > t->first_column + 8))
		t->first_column = at > 8                 ? at - 8
				  : at < t->first_column ? at
							 : t->first_column;
	if (at < 0)
		t->first_column = 0;
}

void pane_table_move(struct ui *ui, const struct ui_view *view,
		     const struct table_spec *spec, long step)
{
	struct table_state *t = &ui->table[spec->pane];
	long at;

	if (!view->frame)
		return;
	table_order(t, spec, view->frame);
	if (!t->n)
		return;
	at = (long)t->at + step;
	if (at >= (long)t->n)
		at = (long)t->n - 1;
	if (at < 0)
		at = 0;
	t->at = (size_t)at;
	t->moved = true;
	text_copy(t->selected, sizeof(t->selected),
		  view->frame->table[spec->schema].row[t->place[t->at].row].id);
}
