/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table keys: what the own keys of tables do.
 */
#include <stdio.h>

#include "base/text.h"
#include "ui/chooser.h"
#include "ui/pane_table.h"

static const struct table_spec *focused(const struct ui *ui)
{
	return panes[ui->focus].table;
}

bool pane_table_fold(struct ui *ui, const struct ui_view *view,
		     const struct table_spec *spec)
{
	struct table_state *t = &ui->table[spec->pane];

	if (!view->frame)
		return false;
	table_order(t, spec, view->frame);
	table_reselect(t, spec, view->frame);
	if (!t->n || t->place[t->at].fold == FOLD_NONE)
		return false;
	id_set_flip(&t->flipped, table_id(t, spec, view->frame, t->at));
	t->folds++;
	t->moved = true;
	return true;
}

void table_act_fold(struct ui *ui, const struct ui_view *view, int key,
		    struct action *action)
{
	if (!pane_table_fold(ui, view, focused(ui)))
		text_copy(ui->note, sizeof(ui->note),
			  ui->table[ui->focus].flat
				  ? "This is the flat list; F5 makes the tree."
				  : "Nothing lies below this row.");
}

bool pane_table_click(struct ui *ui, const struct ui_view *view, int line,
		      int column, enum click click, struct action *action)
{
	const struct table_spec *spec = focused(ui);
	struct table_state *t = &ui->table[ui->focus];
	size_t at = t->top + (size_t)(line > 0 ? line - 1 : 0);

	if (click != CLICK || line < 1 || at >= t->n ||
	    t->place[at].fold == FOLD_NONE || column != t->place[at].depth)
		return false;
	pane_table_move(ui, view, spec, (long)at - (long)t->at);
	return pane_table_fold(ui, view, spec);
}

/* As they come but open: what is folded below something folded as well. */
static void open_all(struct table_state *t, const struct table_spec *spec)
{
	id_set_free(&t->flipped);
	for (size_t i = 0; spec->groups_shut && i < t->n_groups; i++)
		id_set_flip(&t->flipped, t->group[i].id);
}

static void shut_all(struct table_state *t, const struct table_spec *spec,
		     const struct frame *frame)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->place[i].fold == FOLD_OPEN)
			id_set_flip(&t->flipped, table_id(t, spec, frame, i));
}

/* Fold all if anything is open, else unfold all. */
void table_act_fold_all(struct ui *ui, const struct ui_view *view, int key,
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
	t->folds++;
}

void table_act_tree(struct ui *ui, const struct ui_view *view, int key,
		    struct action *action)
{
	ui->table[ui->focus].flat = !ui->table[ui->focus].flat;
}

void table_act_columns(struct ui *ui, const struct ui_view *view, int key,
		       struct action *action)
{
	chooser_open(ui, focused(ui));
}

void table_act_follow(struct ui *ui, const struct ui_view *view, int key,
		      struct action *action)
{
	struct table_state *t = &ui->table[ui->focus];

	t->follow = !t->follow && *t->selected;
	t->moved = true;
	snprintf(ui->note, sizeof(ui->note),
		 t->follow ? "Following %s: it stays in sight until F or a "
			     "move."
			   : "Following nobody.",
		 t->selected);
}
