/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * List: rows with a cursor. The list scrolls so that the cursor stays visible,
 * takes the keys that move the cursor, filters the rows by typed text, and
 * finds the row of a click. The owner gathers the rows that list_matches()
 * passes, and draws each of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "ui/terminal/screen.h"

/* No row. */
#define LIST_NONE ((size_t)-1)

struct list {
	size_t at, top;   /* the row of the cursor; the first that is shown */
	size_t lines;     /* rows that fitted at the last drawing */
	char filter[32];  /* the typed text; "": every row matches */
	struct area rows; /* where the last drawing put the rows */
};

/* Which letters a list takes besides the arrows; they may be combined. */
enum list_keys {
	LIST_ARROWS = 0,  /* none */
	LIST_LETTERS = 1, /* j and k, as Down and Up */
	LIST_FILTER = 2,  /* typed text filters the rows */
	LIST_TAB = 4,     /* Tab and Shift-Tab, which go round at the ends */
};

/*
 * Fit cursor and scroll position to n rows of which lines fit on the screen.
 * list_draw() does this by itself.
 */
void list_scroll(struct list *l, size_t n, size_t lines);

/*
 * Act on a key: arrows, pages, Home and End move the cursor; with LIST_FILTER
 * text and Backspace change the filter, and Esc clears it. False: another key.
 */
bool list_key(struct list *l, size_t n, int key, unsigned how);

/* Whether the text contains the filter, in either case of letters. */
bool list_matches(const struct list *l, const char *text);

/*
 * Draw the rows into the area: calls draw() with the index of each visible row,
 * its place, one line, and its role. The row of the cursor has ROLE_SELECTED
 * and is filled with it before.
 */
void list_draw(struct list *l, struct area area, size_t n,
	       void (*draw)(void *arg, size_t i, const struct area *a,
			    enum role role),
	       void *arg);

/* The row at a place of the screen, as drawn last; or LIST_NONE. */
size_t list_row_at(const struct list *l, size_t n, int y, int x);

/* Put the cursor on the row at that place; false: there is none. */
bool list_click(struct list *l, size_t n, int y, int x);

/* "  3-17 of 40", or "" when all n rows are visible or none is drawn yet. */
struct text_short list_position(const struct list *l, size_t n);
