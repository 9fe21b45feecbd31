/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Table pane: draws the rows of any schema, and acts on keys and clicks. */
#include "ui/table/table.h"

#include <curses.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/text.h"
#include "ui/key/key.h"
#include "ui/overlay.h"
#include "ui/pane.h"

/* A column on the screen. */
struct column {
	int field;
	int width;
	int digits; /* after the point: the same in all rows */
};

/* A table while it is drawn. */
struct table_drawing {
	struct ui *ui;
	struct table_state *t;
	struct area a;
	enum role head; /* of its first line */
	int id_cells;   /* of the column of ids, at the left */
	struct column column[COLUMNS_MAX];
	int n;
};

static bool table_pane_is_group(const struct table_state *t,
				const struct row *row)
{
	return t->n_groups && row >= &t->group[0].row &&
	       row <= &t->group[t->n_groups - 1].row;
}

/* Whether the lines of the tree stand in this column, not before the id. */
static bool table_pane_branches(const struct table_state *t, int field)
{
	return t->family &&
	       field == schema_field(t->spec->schema, t->spec->branch);
}

static const char *shown_text(const struct table_spec *spec,
			      const struct row *row, int field, char *buf,
			      size_t size)
{
	const char *text = spec->text ? spec->text(row, field, buf, size)
				      : row->value[field].text;

	return text ? text : "-";
}

/* A column gets so much wider for the lines of a tree. */
#define MOST_BRANCH 9

/* A text of such a width is cut to it, and takes what other columns leave. */
#define WIDE_TEXT 16
/* The fewest cells that a text behind others is cut to, with the blank before it. */
#define LEAST_TEXT 6

/*
 * The width of the widest text that was visible so far: reading all rows of a
 * large machine takes too long, and a width that shrinks makes columns jump.
 */
static int text_width(struct table_state *t, int i)
{
	const struct field *field = &schemas[t->spec->schema]->fields[i];
	const int title = (int)strlen(field->title);
	int width = t->text_width[i];

	if (field->width >= WIDE_TEXT)
		return field->width;
	for (size_t r = t->top; r < t->n && r < t->top + t->shown; r++) {
		bool branch = table_pane_branches(t, i);
		int most = field->width + (branch ? MOST_BRANCH : 0);
		char buf[ROW_ID_MAX + 8];
		int cells = screen_cells(shown_text(t->spec,
						    table_row(t, &t->place[r]),
						    i, buf, sizeof(buf)));

		if (branch)
			cells += t->place[r].depth + 1;
		if (cells > width)
			width = cells < most ? cells : most;
	}
	t->text_width[i] = (unsigned char)width;
	return width > title ? width : title;
}

/*
 * A number is narrower here than in a report: screen_number() drops digits and
 * takes units before it overflows.
 */
static int column_width(struct table_state *t, int i)
{
	const struct table_extra *extra = table_columns_extra(t->spec, i);
	const struct field *field;
	int width, natural;

	if (extra)
		return extra->width;
	field = &schemas[t->spec->schema]->fields[i];
	if (field->kind != FIELD_NUMBER)
		return text_width(t, i);
	width = (int)strlen(field->title);
	natural = field->width;
	natural -= natural >= 9 ? 3 : natural >= 6 ? 1 : 0;
	return natural > width ? natural : width;
}

/*
 * The digits of a column: as many as the longest visible number leaves room
 * for, the same in all rows, so that a reader can compare the numbers.
 */
static int column_digits(const struct table_state *t, const struct column *c)
{
	const struct field *field = &schemas[t->spec->schema]->fields[c->field];
	int least = field->digits;

	for (size_t r = t->top; r < t->n && r < t->top + t->shown; r++) {
		const struct row *row = table_row(t, &t->place[r]);
		int digits = screen_digits(c->width, field,
					   row->value[c->field].number);

		if (digits >= 0 && digits < least)
			least = digits;
	}
	return least;
}

static bool table_pane_is_text(const struct table_spec *spec, int i)
{
	return !table_columns_extra(spec, i) &&
	       schemas[spec->schema]->fields[i].kind == FIELD_TEXT;
}

/*
 * The rest of the line is for the last wide text, such as arguments; where there is
 * none, for a text in the last column if all columns are visible.
 */
static void table_pane_give_rest(const struct table_spec *spec,
				 struct column *column, int n, bool all,
				 int cells)
{
	for (int i = n; i-- > 0;)
		if (table_pane_is_text(spec, column[i].field) &&
		    schemas[spec->schema]->fields[column[i].field].width >=
			    WIDE_TEXT) {
			column[i].width += cells;
			return;
		}
	if (n && all && table_pane_is_text(spec, column[n - 1].field))
		column[n - 1].width += cells;
}

/* The last column lacks cells for its texts: a wide text gives some of its own. */
static void take_cells(const struct table_spec *spec, struct column *column,
		       int n, int lacks)
{
	for (int i = n - 1; i-- > 0 && lacks > 0;)
		if (table_pane_is_text(spec, column[i].field) &&
		    column[i].width - lacks >= WIDE_TEXT / 2) {
			column[i].width -= lacks;
			column[n - 1].width += lacks;
			return;
		}
}

/* A text behind the columns lacks cells: a wide one gives all of them, or none. */
static int take_from_wide(const struct table_spec *spec, struct column *column,
			  int n, int lacks)
{
	for (int i = n; i-- > 0;)
		if (table_pane_is_text(spec, column[i].field) &&
		    column[i].width >= WIDE_TEXT &&
		    column[i].width - lacks >= WIDE_TEXT / 2) {
			column[i].width -= lacks;
			return lacks;
		}
	return 0;
}

/* Store the columns that fit, from first_column on; returns how many. */
static int fit_columns(int cells, struct table_state *t, struct column *column)
{
	int field[COLUMNS_MAX], n_fields = table_columns(t, field), n = 0;
	int lacks = 0;

	for (int i = t->first_column; i < n_fields; i++) {
		int width = column_width(t, field[i]);

		/* A text can be cut, a number cannot. */
		if (cells < LEAST_TEXT && table_pane_is_text(t->spec, field[i]))
			cells += take_from_wide(t->spec, column, n,
						LEAST_TEXT - cells);
		if (cells < width + 1 && cells >= LEAST_TEXT &&
		    table_pane_is_text(t->spec, field[i])) {
			lacks = width - (cells - 1);
			width = cells - 1;
		}
		if (cells < width + 1)
			break;
		cells -= width + 1;
		column[n].field = field[i];
		column[n++].width = width;
	}
	for (int i = 0; i < n; i++)
		if (!table_columns_extra(t->spec, column[i].field) &&
		    !table_pane_is_text(t->spec, column[i].field))
			column[i].digits = column_digits(t, &column[i]);
	table_pane_give_rest(t->spec, column, n,
			     n == n_fields - t->first_column, cells);
	take_cells(t->spec, column, n, lacks);
	return n;
}

/* Scroll so that at least one column is visible. */
static void clamp_columns(struct table_state *t)
{
	int field[COLUMNS_MAX], n;

	if (!t->first_column)
		return;
	n = table_columns(t, field);
	if (t->first_column > n - 1)
		t->first_column = n - 1;
	if (t->first_column < 0)
		t->first_column = 0;
}

/* Draw the head, with the letter of the log if there are two. */
static void table_pane_draw_head(const struct table_drawing *d)
{
	const struct table_state *t = d->t;
	const char letter = d->ui->view->letter;
	const char log[] = { letter, ':', ' ', '\0' };
	const char *arrow = screen_look.ascii ? (t->reverse ? "^" : "v")
			    : t->reverse      ? "\u2191"
					      : "\u2193";
	int y = d->a.top, x = d->a.left + d->id_cells;
	char title[128];

	screen_fill(y, d->a.left, d->a.columns, d->head);
	snprintf(title, sizeof(title), "%s %s%s%s%s%s%s%s",
		 panes[t->spec->pane]->help.keys, letter ? log : "",
		 t->spec->title, t->first_column ? " <" : "",
		 *t->filter ? t->match.error[0] ? " ?" : " /" : "", t->filter,
		 t->busy_only ? " busy" : "", t->follow ? " F" : "");
	screen_put(y, d->a.left, d->id_cells, d->head, title);
	for (int i = 0; i < d->n; i++) {
		int field = d->column[i].field, width = d->column[i].width;

		snprintf(title, sizeof(title), "%s%s",
			 field == t->sort ? arrow : "",
			 table_columns_title(t->spec, field));
		if (table_pane_is_text(t->spec, field) ||
		    table_columns_extra(t->spec, field))
			screen_put(y, x + 1, width, d->head, title);
		else
			screen_right(y, x, width + 1, d->head, title);
		x += width + 1;
	}
}

static enum role number_role(const struct field *field, double v,
			     enum role role)
{
	if (role != ROLE_TEXT)
		return role;
	if (field->severe > 0 && v >= field->severe)
		return ROLE_ALERT;
	if (field->high > 0 && v >= field->high)
		return ROLE_HIGH;
	return isnan(v) || v == 0 ? ROLE_DIM
	       : !strncmp(field->key, "read_", 5) && field->weight == NULL &&
			       strncmp(field->key, "read_ahead", 10) != 0
		       ? ROLE_READ
	       : !strncmp(field->key, "write_", 6) && field->weight == NULL
		       ? ROLE_WRITE
		       : ROLE_TEXT;
}

/* The longest text with its lines, of at most 3 bytes each. */
#define TREE_TEXT (3 * TREE_LEVELS + ROW_ID_MAX + 16)

/* Whether a later row is a sibling of the row's ancestor at that depth. */
static bool has_next(const struct table_state *t, const struct place *place,
		     int depth)
{
	for (const struct place *p = place + 1; p < t->place + t->n; p++)
		if (p->depth <= depth)
			return p->depth == depth;
	return false;
}

/*
 * A text behind its place in the tree: a cell for each level below the first,
 * then "+": it is folded, or "-": it is unfolded.
 */
static void tree_text(const struct table_state *t, const struct place *place,
		      const char *text, char *buf, size_t size)
{
	static const char *const lines[2][4] = {
		{ " ", "\u2502", "\u2514", "\u251c" },
		{ " ", "|", "`", "|" },
	};

	*buf = '\0';
	for (int depth = 1; depth <= place->depth; depth++)
		text_add(buf, size, "%s",
			 lines[screen_look.ascii][2 * (depth == place->depth) +
						  has_next(t, place, depth)]);
	text_add(buf, size, "%s%s",
		 place->fold == FOLD_SHUT   ? "+"
		 : place->fold == FOLD_OPEN ? "-"
					    : "",
		 text);
}

/* A star precedes a value that differs from the start. */
static void draw_cell(const struct table_state *t, const struct row *row,
		      const struct place *place, const struct column *column,
		      int y, int x, enum role role)
{
	const struct field *field =
		&schemas[t->spec->schema]->fields[column->field];
	bool changed = t->spec->changed && t->spec->changed(row, column->field);
	char buf[ROW_ID_MAX + 8];
	int used = 0;

	if (changed && role == ROLE_TEXT)
		role = ROLE_CHANGED;
	if (field->kind == FIELD_TEXT) {
		const char *text = shown_text(t->spec, row, column->field, buf,
					      sizeof(buf));
		char tree[TREE_TEXT];

		if (table_pane_branches(t, column->field)) {
			tree_text(t, place, text, tree, sizeof(tree));
			text = tree;
		}
		screen_put(y, x + 1, column->width, role, text);
		used = column->width;
	} else {
		double v = row->value[column->field].number;
		struct field form = *field;

		form.digits = (unsigned char)column->digits;
		screen_number(buf, sizeof(buf), column->width, &form, v);
		used = (int)strlen(buf);
		screen_right(y, x, column->width + 1,
			     number_role(field, v, role), buf);
		/* A bar of one cell: the share of what is an alarm; a count
		 * needs none. In ASCII it would look like a sign. */
		if (field->severe > 0 && v >= field->severe / 8 &&
		    field->digits && !screen_look.ascii &&
		    used <= column->width)
			screen_step(y, x + (used < column->width),
				    number_role(field, v, role),
				    v / field->severe);
	}
	if (changed)
		screen_put(y, x + column->width - used, 1, role, "*");
}

/* Draw the id, with its place in a tree without a column for that. */
static void draw_id(const struct table_drawing *d, const struct row *row,
		    const struct place *place, int y, enum role role)
{
	const struct table_spec *spec = d->t->spec;
	char id[TREE_TEXT], buf[ROW_ID_MAX];
	char mark = spec->mark ? spec->mark(d->ui, row) : 0;
	const char *name = spec->id ? spec->id(row, buf, sizeof(buf)) : row->id;
	int used;

	if (d->t->family)
		text_copy(id, sizeof(id), name);
	else
		tree_text(d->t, place, name, id, sizeof(id));
	used = screen_put(y, d->a.left, d->id_cells - (mark ? 1 : 0), role, id);
	if (mark)
		screen_char(y, d->a.left + used,
			    role == ROLE_SELECTED ? role : ROLE_ALERT,
			    (unsigned char)mark);
}

static bool is_alert(const struct table_drawing *d, const struct row *row)
{
	const struct table_spec *spec = d->t->spec;

	return (spec->alert && spec->alert(row, d->t->key_at)) ||
	       head_alarm_holds(d->ui, spec->schema, row->id);
}

static void table_pane_draw_row(const struct table_drawing *d, size_t i, int y)
{
	const struct table_state *t = d->t;
	const struct place *place = &t->place[i];
	const struct row *row = table_row(t, place);
	bool selected = i == t->at && d->ui->focus == t->spec->pane;
	enum role role = selected                      ? ROLE_SELECTED
			 : is_alert(d, row)            ? ROLE_ALERT
			 : table_pane_is_group(t, row) ? ROLE_STRONG
						       : ROLE_TEXT;
	int x = d->a.left + d->id_cells;

	if (selected)
		screen_fill(y, d->a.left, d->a.columns, role);
	draw_id(d, row, place, y,
		selected || role == ROLE_ALERT ? role : ROLE_STRONG);
	for (const struct column *c = d->column; c < d->column + d->n; c++) {
		const struct table_extra *extra =
			table_columns_extra(t->spec, c->field);

		if (extra)
			extra->draw(d->ui, row, y, x + 1, c->width, role);
		else
			draw_cell(t, row, place, c, y, x, role);
		x += c->width + 1;
	}
}

/* Go to the first row, until the operator selects one. */
static void to_top(struct table_state *t)
{
	t->selected[0] = '\0';
	t->at = t->top = 0;
}

/* Keep the selected row among the lines that are shown. */
static void scroll_rows(struct table_state *t, size_t lines)
{
	t->shown = lines;
	if (t->at < t->top)
		t->top = t->at;
	if (lines && t->at >= t->top + lines)
		t->top = t->at - lines + 1;
	if (t->top + lines > t->n)
		t->top = t->n > lines ? t->n - lines : 0;
}

/* The number of rows beyond the lines, at the right of the head. */
static void draw_more(const struct table_drawing *d, int used)
{
	const struct table_state *t = d->t;
	char text[48];

	if (t->n <= t->shown)
		return;
	snprintf(text, sizeof(text), " %zu-%zu of %zu", t->top + 1,
		 t->top + t->shown, t->n);
	if (used + (int)strlen(text) <= d->a.columns)
		screen_right(d->a.top, d->a.left + used, d->a.columns - used,
			     d->head, text);
}

/* Whether the first row has an alarm: then it must be visible. */
static bool starts_with_alert(const struct table_state *t)
{
	return t->n && t->spec->alert &&
	       t->spec->alert(table_row(t, &t->place[0]), t->key_at);
}

/* Choose a row if the operator has selected none, and find its place. */
static void choose_row(struct ui *ui, struct table_state *t)
{
	table_order(t, ui->view->frame);
	/*
	 * Keep the device of the graph visible until the operator selects a row
	 * or sorts; after sorting, show the first rows.
	 */
	if (!t->moved && t->spec->pane == PANE_DEVICE &&
	    t->sort == SORT_DEFAULT && *ui->graph.device &&
	    !starts_with_alert(t))
		text_set(t->selected, ui->graph.device);
	else if (!t->moved)
		to_top(t);
	table_reselect(t);
	if (t->lost)
		snprintf(ui->note, sizeof(ui->note), "%s is gone.",
			 t->selected);
	t->lost = false;
}

static void draw_nothing(const struct table_state *t, const struct area *a)
{
	if (t->n || a->lines < 2)
		return;
	screen_put(a->top + 1, a->left, a->columns, ROLE_DIM,
		   *t->filter     ? "(nothing matches the filter)"
		   : t->busy_only ? "(nothing is busy)"
				  : "(nothing)");
}

void table_draw(struct ui *ui, struct table_state *t, struct area a)
{
	struct table_drawing d;
	int used;

	d.ui = ui;
	d.t = t;
	d.a = a;
	d.head = ui->focus == t->spec->pane ? ROLE_FOCUS : ROLE_HEADER;
	/* A long id must leave room for columns on a small screen. */
	used = d.id_cells = t->spec->id_width > a.columns / 2
				    ? a.columns / 2
				    : t->spec->id_width;
	clamp_columns(t);
	choose_row(ui, t);
	scroll_rows(t, (size_t)(a.lines - 1));
	d.n = fit_columns(a.columns - used, t, d.column);
	table_pane_draw_head(&d);
	t->n_drawn = d.n;
	for (int i = 0; i < d.n; i++) {
		t->drawn[i] = (struct drawn_column){ d.column[i].field, used,
						     d.column[i].width + 1 };
		used += d.column[i].width + 1;
	}
	if (t->match.error[0])
		screen_right(a.top, a.left, a.columns, ROLE_ALERT,
			     t->match.error);
	else
		draw_more(&d, used);
	for (size_t i = t->top; i < t->n && i < t->top + t->shown; i++)
		table_pane_draw_row(&d, i, a.top + 1 + (int)(i - t->top));
	draw_nothing(t, &a);
}

/* --- keys --- */

/* Fold or unfold the selected row; false: it has nothing below. */
static bool table_keys_fold(struct ui *ui, struct table_state *t)
{

	table_order(t, ui->view->frame);
	table_reselect(t);
	if (!t->n || t->place[t->at].fold == FOLD_NONE)
		return false;
	table_flip(t, table_id(t, t->at));
	t->moved = true;
	return true;
}

void table_keys_act_fold(struct ui *ui)
{
	if (!table_keys_fold(ui, &ui->table[ui->focus]))
		text_set(ui->note, ui->table[ui->focus].flat
					   ? "This is a flat list (F5: tree)."
					   : "Nothing to unfold.");
}

bool table_keys_click(struct ui *ui, int line, int column, enum click click)
{
	struct table_state *t = &ui->table[ui->focus];
	size_t at = t->top + (size_t)(line > 0 ? line - 1 : 0);

	if (click != CLICK || line < 1 || at >= t->n || t->family ||
	    t->place[at].fold == FOLD_NONE || column != t->place[at].depth)
		return false;
	table_keys_move(ui, t, (long)at - (long)t->at);
	return table_keys_fold(ui, t);
}

/* Unfold all rows: restore the default folding, then unfold the groups. */
static void open_all(struct table_state *t)
{
	table_unflip_all(t);
	for (size_t i = 0; t->spec->groups_shut && i < t->n_groups; i++)
		table_flip(t, t->group[i].id);
}

static void shut_all(struct table_state *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->place[i].fold == FOLD_OPEN)
			table_flip(t, table_id(t, i));
}

/* Fold all if anything is open, else unfold all. */
void table_keys_act_fold_all(struct ui *ui)
{
	struct table_state *t = &ui->table[ui->focus];
	bool open = false;

	table_order(t, ui->view->frame);
	for (size_t i = 0; i < t->n; i++)
		open |= t->place[i].fold == FOLD_OPEN;
	if (open)
		shut_all(t);
	else
		open_all(t);
}

void table_keys_act_tree(struct ui *ui)
{
	struct table_state *t = &ui->table[ui->focus];
	bool next = t->family;

	/* Groups, then the family, then a flat list. */
	t->family = t->spec->origin && !t->flat && !next;
	t->flat = !t->flat && !t->family;
	t->sums = 0;
	memset(t->text_width, 0, sizeof(t->text_width));
	if (t->family || next)
		text_copy(ui->note, sizeof(ui->note),
			  next ? "A flat list." : "A tree by parents.");
}

void table_keys_act_follow(struct ui *ui)
{
	struct table_state *t = &ui->table[ui->focus];

	t->follow = !t->follow && *t->selected;
	t->moved = true;
	snprintf(ui->note, sizeof(ui->note),
		 t->follow ? "Following %s until F or a move."
			   : "No row is followed.",
		 t->selected);
}

void table_keys_sort(struct ui *ui, struct table_state *t, int step)
{
	int column[COLUMNS_MAX], n = table_columns(t, column), at = -1;

	for (int i = 0; i < n; i++)
		if (column[i] == t->sort)
			at = i;
	do
		at = (at + 1 + step + n + 1) % (n + 1) - 1;
	while (at >= 0 && table_columns_extra(t->spec, column[at]));
	t->sort = at < 0 ? SORT_DEFAULT : column[at];
	/* Scroll to a column that is to the left or far to the right. */
	if (at >= 0 && (at < t->first_column || at > t->first_column + 8))
		t->first_column = at > 8                 ? at - 8
				  : at < t->first_column ? at
							 : t->first_column;
	if (at < 0)
		t->first_column = 0;
}

void table_keys_move(struct ui *ui, struct table_state *t, long step)
{
	long at;

	t->follow = false;
	table_order(t, ui->view->frame);
	if (!t->n)
		return;
	at = (long)t->at + step;
	if (at >= (long)t->n)
		at = (long)t->n - 1;
	if (at < 0)
		at = 0;
	t->at = (size_t)at;
	/* After Home the first rows stay visible, whichever they become. */
	t->moved = step > -(long)t->n || t->spec->pane == PANE_DEVICE;
	text_set(t->selected, table_id(t, t->at));
}

static bool table_pane_matches(const struct table_spec *spec,
			       const struct row *row, const char *text)
{
	for (const char *const *key = spec->names; key && *key; key++) {
		const char *name = row_text(spec->schema, row, *key);

		if (name && strcasestr(name, text))
			return true;
	}
	return strcasestr(row->id, text) != NULL;
}

/* Search from the selected row on; step 0 includes the row itself. */
static void go(struct ui *ui, int step)
{
	struct table_state *t = &ui->table[ui->focus];

	if (!t->spec || !*ui->searched)
		return;
	table_order(t, ui->view->frame);
	for (size_t i = 0; i < t->n; i++) {
		size_t far = step ? i + 1 : i;
		size_t at = step < 0 ? (t->at + 2 * t->n - far) % t->n
				     : (t->at + far) % t->n;

		if (table_pane_matches(t->spec, table_row(t, &t->place[at]),
				       ui->searched)) {
			table_keys_move(ui, t, (long)at - (long)t->at);
			return;
		}
	}
	snprintf(ui->note, sizeof(ui->note), "No row has \"%s\" in its name.",
		 ui->searched);
}

void table_keys_search(struct ui *ui, int step)
{
	if (!*ui->searched)
		text_set(ui->note, "No search yet (F3: search).");
	go(ui, step);
}

static void typed(struct ui *ui, const char *text)
{
	text_set(ui->searched, text);
	go(ui, 0);
}

const struct prompt_spec table_keys_search_prompt = {
	.label = "Search: ",
	.hint = "Enter: stay  n, N: next, previous",
	.typed = typed,
};

/* clang-format off */
static const struct key keys[] = {
	{ { "Enter", "fold or unfold the rows below" },
	  "Ent", "fold", WHEN_ALWAYS, { '\r' }, .act = table_keys_act_fold },
	{ { "E", "fold or unfold all" }, NULL, NULL, WHEN_ALWAYS,
	  { 'E' }, .act = table_keys_act_fold_all },
	{ { "F5 t", "tree or flat list" }, "F5", "Tree", WHEN_ALWAYS,
	  { KEY_F(5), 't' }, .act = table_keys_act_tree },
};
/* clang-format on */

const struct key_list table_keys_tree = { keys, ARRAY_SIZE(keys) };
