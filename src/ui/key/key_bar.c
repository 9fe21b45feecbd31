/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Key bar: the bottom line. Function keys first, by their numbers, then as
 * many of the others as there is room for. A click does what the key does.
 */
#include "ui/key/key.h"

#include <stdlib.h>
#include <string.h>

#include "ui/state.h"

#define LABEL 5 /* least cells of a word with the blank after it */

/* 0: not a function key. */
static int key_bar_number_of(const struct key *k)
{
	return k->short_key[0] == 'F' ? atoi(k->short_key + 1) : 0;
}

static int key_bar_cells_of(const struct key *k)
{
	int label = (int)strlen(k->label);

	if (!key_bar_number_of(k))
		return (int)strlen(k->short_key) + label + 2;
	return (int)strlen(k->short_key) +
	       (label + 1 > LABEL ? label + 1 : LABEL);
}

struct choice {
	const struct key *key[KEY_BAR_MAX];
	size_t n;
};

static bool has_number(const struct choice *c, int number)
{
	for (size_t i = 0; i < c->n; i++)
		if (key_bar_number_of(c->key[i]) == number)
			return true;
	return false;
}

/* The tables are ordered by importance: earlier keys get room first. */
static int key_bar_choose(struct choice *c, const struct key_list *list,
			  const struct ui_view *view, bool function, int room)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct key *k = &list->row[i];
		int number = k->label ? key_bar_number_of(k) : 0, need;

		if (!k->label || !key_counts(k, view) || !number == function ||
		    c->n == KEY_BAR_MAX)
			continue;
		/* The last word needs no blanks after it. */
		need = (int)(strlen(k->short_key) + strlen(k->label)) + !number;
		if (need > room || (number && has_number(c, number)))
			continue;
		room -= key_bar_cells_of(k);
		c->key[c->n++] = k;
	}
	return room;
}

/* A function key does what the pane has for it, where it has something. */
static int key_bar_replace(struct choice *c, const struct key_list *own,
			   const struct ui_view *view, int room)
{
	for (size_t i = 0; i < own->n; i++) {
		const struct key *k = &own->row[i];
		int number = k->label ? key_bar_number_of(k) : 0;

		for (size_t n = 0; n < c->n && number; n++) {
			int more = key_bar_cells_of(k) -
				   key_bar_cells_of(c->key[n]);

			if (key_bar_number_of(c->key[n]) != number ||
			    !key_counts(k, view) || more > room)
				continue;
			room -= more;
			c->key[n] = k;
		}
	}
	return room;
}

static int key_bar_by_number(const void *pa, const void *pb)
{
	const struct key *const *a = pa, *const *b = pb;
	int na = key_bar_number_of(*a), nb = key_bar_number_of(*b);

	return (na ? na : 1000) - (nb ? nb : 1000);
}

static void key_bar_gather(const struct ui *ui, int columns, struct choice *c)
{
	const struct key_list *own = panes[ui->focus]->own;
	int room = columns;
	size_t function = 0;

	for (int kind = 0; kind < 2; kind++) {
		if (own && kind)
			room = key_bar_choose(c, own, ui->view, false, room);
		for (size_t s = 0; s < n_key_sections; s++)
			room = key_bar_choose(c, &key_sections[s].keys,
					      ui->view, !kind, room);
		if (own && !kind) {
			room = key_bar_choose(c, own, ui->view, true, room);
			room = key_bar_replace(c, own, ui->view, room);
		}
		if (!kind)
			function = c->n;
	}
	qsort(c->key, function, sizeof(c->key[0]), key_bar_by_number);
}

void key_bar_draw(struct ui *ui, int y, int columns)
{
	struct choice c = { 0 };
	int x = 0;

	key_bar_gather(ui, columns, &c);
	screen_fill(y, 0, columns, ROLE_TEXT);
	ui->n_bar = 0;
	for (size_t i = 0; i < c.n; i++) {
		const struct key *k = c.key[i];
		int left = x, end = x + key_bar_cells_of(k);

		x += screen_put(y, x, columns - x, ROLE_KEY, k->short_key);
		if (key_bar_number_of(k)) {
			screen_fill(y, x, end - x - 1, ROLE_LABEL);
		} else {
			screen_fill(y, x, 1, ROLE_LABEL);
			x++;
		}
		screen_put(y, x, columns - x, ROLE_LABEL, k->label);
		x = end;
		ui->bar[ui->n_bar++] =
			(struct bar_key){ left, end, k->code[0] };
	}
}

int key_bar_at(const struct ui *ui, int column)
{
	for (int i = 0; i < ui->n_bar; i++)
		if (column >= ui->bar[i].left && column < ui->bar[i].end)
			return ui->bar[i].key;
	return 0;
}
