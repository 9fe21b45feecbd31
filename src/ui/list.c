/* SPDX-License-Identifier: GPL-2.0-or-later */
/* List: cursor, scroll position and filter. */
#include "ui/list.h"

#include <curses.h>
#include <string.h>

#include "ui/overlay.h"

void list_scroll(struct list *l, size_t n, size_t lines)
{
	l->lines = lines;
	if (l->at >= n)
		l->at = n ? n - 1 : 0;
	if (l->at < l->top)
		l->top = l->at;
	if (lines && l->at >= l->top + lines)
		l->top = l->at - lines + 1;
	if (l->top + lines > n)
		l->top = n > lines ? n - lines : 0;
}

static void list_move_cursor(struct list *l, size_t n, long step)
{
	long to = (long)l->at + step;

	if (to >= (long)n)
		to = (long)n - 1;
	l->at = to < 0 ? 0 : (size_t)to;
}

/* The rows by which a key moves the cursor; 0: the key does not move it. */
static long step_of(const struct list *l, int key, unsigned how)
{
	/* Keep one row of the page before on the screen. */
	const long page = l->lines > 2 ? (long)l->lines - 1 : 10;
	const long far = 1000000000;

	if (how & LIST_LETTERS && (key == 'j' || key == 'k'))
		return key == 'j' ? 1 : -1;
	switch (key) {
	case KEY_UP:
		return -1;
	case KEY_DOWN:
		return 1;
	case KEY_PPAGE:
		return -page;
	case KEY_NPAGE:
		return page;
	case KEY_HOME:
		return -far;
	case KEY_END:
		return far;
	default:
		return 0;
	}
}

bool list_key(struct list *l, size_t n, int key, unsigned how)
{
	long step = step_of(l, key, how);

	if (how & LIST_TAB && n && (key == '\t' || key == KEY_BTAB)) {
		l->at = (l->at + (key == '\t' ? 1 : n - 1)) % n;
		return true;
	}
	if (step) {
		list_move_cursor(l, n, step);
		return true;
	}
	if (!(how & LIST_FILTER))
		return false;
	if (key == 27 && *l->filter)
		l->filter[0] = '\0';
	else if (key == 27 || !overlay_edit(l->filter, sizeof(l->filter), key))
		return false;
	l->at = l->top = 0;
	return true;
}

bool list_matches(const struct list *l, const char *text)
{
	return !*l->filter || strcasestr(text, l->filter);
}

void list_draw(struct list *l, struct area area, size_t n,
	       void (*draw)(void *arg, size_t i, const struct area *a,
			    enum role role),
	       void *arg)
{
	size_t lines = area.lines > 0 ? (size_t)area.lines : 0;

	l->rows = area;
	list_scroll(l, n, lines);
	if (!n && lines && *l->filter)
		screen_put(area.top, area.left + 1, area.columns - 2, ROLE_DIM,
			   "nothing found");
	area.lines = 1;
	for (size_t i = l->top; i < n && i < l->top + lines; i++, area.top++) {
		enum role role = i == l->at ? ROLE_SELECTED : ROLE_TEXT;

		if (i == l->at)
			screen_fill(area.top, area.left, area.columns, role);
		draw(arg, i, &area, role);
	}
}

size_t list_row_at(const struct list *l, size_t n, int y, int x)
{
	const struct area *a = &l->rows;
	size_t at;

	if (y < a->top || y >= a->top + a->lines || x < a->left ||
	    x >= a->left + a->columns)
		return LIST_NONE;
	at = l->top + (size_t)(y - a->top);
	return at < n ? at : LIST_NONE;
}

bool list_click(struct list *l, size_t n, int y, int x)
{
	size_t at = list_row_at(l, n, y, x);

	if (at != LIST_NONE)
		l->at = at;
	return at != LIST_NONE;
}

struct text_short list_position(const struct list *l, size_t n)
{
	size_t end = l->top + l->lines < n ? l->top + l->lines : n;

	return l->lines && n > l->lines
		       ? text_shortly("  %zu-%zu of %zu", l->top + 1, end, n)
		       : text_shortly("%s", "");
}
