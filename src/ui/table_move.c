/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table movement: the next column to sort by, the next row to select.
 */
#include "base/text.h"
#include "ui/pane_table.h"

void pane_table_sort(struct ui *ui, const struct table_spec *spec, int step)
{
	struct table_state *t = &ui->table[spec->pane];
	int column[COLUMNS_MAX], n = table_columns(spec, t, column), at = -1;

	for (int i = 0; i < n; i++)
		if (column[i] == t->sort)
			at = i;
	do
		at = (at + 1 + step + n + 1) % (n + 1) - 1;
	while (at >= 0 && table_column_extra(spec, column[at]));
	t->sort = at < 0 ? SORT_DEFAULT : column[at];
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

void pane_move(struct ui *ui, const struct ui_view *view, long step)
{
	const struct table_spec *table = panes[ui->focus].table;

	if (table)
		pane_table_move(ui, view, table, step);
}
