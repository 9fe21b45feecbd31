/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells: the screen as it is drawn. Only what differs from the last screen goes
 * to the terminal. Curses opens, clears and resizes the terminal and reads its
 * keys, but its cells take seven times as much memory, three times, and each
 * new colour the formatting of a text of terminfo: a third of the cost of a
 * refresh. There is one terminal, so there is one screen.
 */
#pragma once

#include <stddef.h>
#include <wchar.h>

#include "ui/terminal/screen.h"
#include "ui/terminal/terminal.h"

/* The most combining characters on one cell. */
#define CELLS_MARKS 3

/* Begin a screen of LINES times COLS blanks. */
void cells_begin(void);

/* The cells, of n from x on in line y, that are on the screen. */
int cells_room(int y, int x, int n);

/*
 * Put characters into cells; all must fit. The text of cells_put_plain() is n
 * characters of printable ASCII, that of cells_put_text() n printable ones that may be
 * wide or combine with the one before.
 */
void cells_put_char(int y, int x, enum role role, wchar_t c);
void cells_put_plain(int y, int x, enum role role, const char *text, int n);
void cells_put_text(int y, int x, enum role role, const wchar_t *text,
		    size_t n);

/* Fill n cells, which must fit, with blanks. */
void cells_fill(int y, int x, enum role role, int n);

/* Send the cells that changed to the terminal. */
void cells_show(struct terminal *t);

/* The terminal lost the screen, or each role has another look: clear it first.
 */
void cells_forget(void);

/* The character of the last screen there, without those that combine with it;
 * 0: the right half of a wide one. */
wchar_t cells_shown(int y, int x);
