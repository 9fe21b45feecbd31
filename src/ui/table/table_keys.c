/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table keys: the actions of the keys of tables.
 */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/text.h"
#include "ui/key/key.h"
#include "ui/overlay.h"
#include "ui/table/table.h"

static const struct table_spec *focused(const struct ui *ui)
{
	return panes[ui->focus]->table;
}

bool table_keys_fold(struct ui *ui, const struct ui_view *view,
		     const struct table_spec *spec)
{
	struct table_state *t = &ui->table[spec->pane];

	if (!view->frame)
		return false;
	table_order(t, spec, view->frame);
	table_reselect(t, spec, view->frame);
	if (!t->n || t->place[t->at].fold == FOLD_NONE)
		return false;
	table_flip(t, table_id(t, spec, view->frame, t->at));
	t->moved = true;
	return true;
}

void table_keys_act_fold(struct ui *ui, const struct ui_view *view, int key,
			 struct action *action)
{
	if (!table_keys_fold(ui, view, focused(ui)))
		text_copy(ui->note, sizeof(ui->note),
			  ui->table[ui->focus].flat
				  ? "This is a flat list (F5: tree)."
				  : "Nothing to unfold.");
}

bool table_keys_click(struct ui *ui, const struct ui_view *view, int line,
		      int column, enum click click, struct action *action)
{
	const struct table_spec *spec = focused(ui);
	struct table_state *t = &ui->table[ui->focus];
	size_t at = t->top + (size_t)(line > 0 ? line - 1 : 0);

	if (click != CLICK || line < 1 || at >= t->n ||
	    t->place[at].fold == FOLD_NONE || column != t->place[at].depth)
		return false;
	table_keys_move(ui, view, spec, (long)at - (long)t->at);
	return table_keys_fold(ui, view, spec);
}

/* Unfold all rows: restore the default folding, then unfold the groups. */
static void open_all(struct table_state *t, const struct table_spec *spec)
{
	table_unflip_all(t);
	for (size_t i = 0; spec->groups_shut && i < t->n_groups; i++)
		table_flip(t, t->group[i].id);
}

static void shut_all(struct table_state *t, const struct table_spec *spec,
		     const struct frame *frame)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->place[i].fold == FOLD_OPEN)
			table_flip(t, table_id(t, spec, frame, i));
}

/* Fold all if anything is open, else unfold all. */
void table_keys_act_fold_all(struct ui *ui, const struct ui_view *view, int key,
			     struct action *action)
{
	const struct table_spec *spec = focused(ui);
	struct table_state *t = &ui->table[spec->pane];
	bool open = false;

	if (!view->frame)
		return;
	table_order(t, spec, view->frame);
	for (size_t i = 0; i < t->n; i++)
		open |= t->place[i].fold == FOLD_OPEN;
	if (open)
		shut_all(t, spec, view->frame);
	else
		open_all(t, spec);
}

void table_keys_act_tree(struct ui *ui, const struct ui_view *view, int key,
			 struct action *action)
{
	ui->table[ui->focus].flat = !ui->table[ui->focus].flat;
}

void table_keys_act_columns(struct ui *ui, const struct ui_view *view, int key,
			    struct action *action)
{
	table_columns_choose(ui, focused(ui));
}

void table_keys_act_follow(struct ui *ui, const struct ui_view *view, int key,
			   struct action *action)
{
	struct table_state *t = &ui->table[ui->focus];

	t->follow = !t->follow && *t->selected;
	t->moved = true;
	snprintf(ui->note, sizeof(ui->note),
		 t->follow ? "Following %s until F or a move."
			   : "No row is followed.",
		 t->selected);
}

void table_keys_sort(struct ui *ui, const struct table_spec *spec, int step)
{
	struct table_state *t = &ui->table[spec->pane];
	int column[COLUMNS_MAX], n = table_columns(spec, t, column), at = -1;

	for (int i = 0; i < n; i++)
		if (column[i] == t->sort)
			at = i;
	do
		at = (at + 1 + step + n + 1) % (n + 1) - 1;
	while (at >= 0 && table_columns_extra(spec, column[at]));
	t->sort = at < 0 ? SORT_DEFAULT : column[at];
	/* Scroll to a column that is to the left or far to the right. */
	if (at >= 0 && (at < t->first_column || at > t->first_column + 8))
		t->first_column = at > 8                 ? at - 8
				  : at < t->first_column ? at
							 : t->first_column;
	if (at < 0)
		t->first_column = 0;
}

void table_keys_move(struct ui *ui, const struct ui_view *view,
		     const struct table_spec *spec, long step)
{
	struct table_state *t = &ui->table[spec->pane];
	long at;

	if (!view->frame)
		return;
	t->follow = false;
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
		  table_id(t, spec, view->frame, t->at));
}

static bool matches(const struct table_spec *spec, const struct row *row,
		    const char *text)
{
	for (const char *const *key = spec->names; key && *key; key++) {
		const char *name = row_text(spec->schema, row, *key);

		if (name && strcasestr(name, text))
			return true;
	}
	return strcasestr(row->id, text) != NULL;
}

/* Search from the selected row on; step 0 includes the row itself. */
static void go(struct ui *ui, const struct ui_view *view, int step)
{
	const struct table_spec *spec = panes[ui->focus]->table;
	struct table_state *t = &ui->table[ui->focus];

	if (!spec || !view->frame || !*ui->searched)
		return;
	table_order(t, spec, view->frame);
	for (size_t i = 0; i < t->n; i++) {
		size_t far = step ? i + 1 : i;
		size_t at = step < 0 ? (t->at + 2 * t->n - far) % t->n
				     : (t->at + far) % t->n;

		if (matches(spec,
			    table_row(t, spec, view->frame, &t->place[at]),
			    ui->searched)) {
			table_keys_move(ui, view, spec, (long)at - (long)t->at);
			return;
		}
	}
	snprintf(ui->note, sizeof(ui->note), "No row has \"%s\" in its name.",
		 ui->searched);
}

void table_keys_search(struct ui *ui, const struct ui_view *view, int step)
{
	if (!*ui->searched)
		text_copy(ui->note, sizeof(ui->note),
			  "No search yet (F3: search).");
	go(ui, view, step);
}

static void typed(struct ui *ui, const struct ui_view *view, const char *text)
{
	text_copy(ui->searched, sizeof(ui->searched), text);
	go(ui, view, 0);
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
	{ { "F6 c", "columns: show, hide, move, sort by one" },
	  "F6", "Columns", WHEN_ALWAYS,
	  { KEY_F(6), 'c' }, .act = table_keys_act_columns },
};
/* clang-format on */

const struct key_list table_keys_tree = { keys, ARRAY_SIZE(keys) };
