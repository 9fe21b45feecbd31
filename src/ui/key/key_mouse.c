/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mouse: passes a click to a pane or an overlay. */
#include "ui/key/key.h"

#include <curses.h>
#include <stdio.h>

#include "ui/overlay.h"
#include "ui/pane.h"
#include "ui/table/table.h"
#include "ui/terminal/screen.h"
#include "ui/terminal/terminal.h"

#define WHEEL_LINES 3

/*
 * A click on the head of a table sorts, a second one reverses the order; a
 * click on a row selects it.
 */
static void click_table(struct ui *ui, int line, int column)
{
	const struct table_spec *spec = panes[ui->focus]->table;
	struct table_state *t = &ui->table[ui->focus];
	int field = SORT_DEFAULT;

	if (line > 0) {
		size_t at = t->top + (size_t)line - 1;

		if (at < t->n)
			table_keys_move(ui, t, (long)at - (long)t->at);
		return;
	}
	for (int i = 0; i < t->n_drawn; i++)
		if (column >= t->drawn[i].left &&
		    column < t->drawn[i].left + t->drawn[i].width)
			field = t->drawn[i].field;
	/* Columns that are not fields have no order. */
	if (field >= 0 && table_columns_extra(spec, field))
		return;
	if (t->sort == field)
		t->reverse = !t->reverse;
	else
		t->reverse = false;
	t->sort = field;
}

static void click_pane(struct ui *ui, int line, int column, enum click click)
{
	const struct pane *pane = panes[ui->focus];

	if (pane->click && pane->click(ui, line, column, click))
		return;
	if (click == CLICK_WHEEL_UP)
		pane_move(ui, -WHEEL_LINES);
	else if (click == CLICK_WHEEL_DOWN)
		pane_move(ui, WHEEL_LINES);
	else if (pane->table)
		click_table(ui, line, column);
}

static void key_place(struct ui *ui, int y, int x, enum click click)
{
	int key;

	if (y == LINES - 1) {
		key = click == CLICK ? key_bar_at(ui, x) : 0;
		if (key)
			key_dispatch(ui, key);
		return;
	}
	for (int id = 0; id < PANES; id++) {
		const struct area *a = &ui->area[id];

		if (y < a->top || y >= a->top + a->lines || x < a->left ||
		    x >= a->left + a->columns)
			continue;
		ui->focus = (enum pane_id)id;
		click_pane(ui, y - a->top, x - a->left, click);
		return;
	}
}

/* A step of the wheel works in an overlay as the arrow key does. */
static void turn_wheel(struct ui *ui, enum click click)
{
	const struct overlay *o = ui->overlay;

	unsigned n = o->wheel_keys ? o->wheel_keys : 1;

	while (n-- && ui->overlay == o)
		o->key(ui, click == CLICK_WHEEL_UP ? KEY_UP : KEY_DOWN);
}

void key_click(struct ui *ui, const struct mouse *at)
{
	enum click click = at->button == BUTTON_UP     ? CLICK_WHEEL_UP
			   : at->button == BUTTON_DOWN ? CLICK_WHEEL_DOWN
						       : CLICK;

	/* The terminal may report any position. */
	if (at->y < 0 || at->y >= LINES || at->x < 0 || at->x >= COLS)
		return;
	if (!ui->overlay)
		key_place(ui, at->y, at->x, click);
	else if (!ui->overlay->click)
		return;
	else if (click == CLICK)
		ui->overlay->click(ui, at->y, at->x);
	else
		turn_wheel(ui, click);
}
