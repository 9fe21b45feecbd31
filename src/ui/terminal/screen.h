/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Screen: text and bars in cells, with the colours of the theme.
 *
 * All text that is drawn passes screen_put(), which makes it harmless: no
 * control character of a device, process or log reaches the terminal.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/text.h"
#include "model/schema/schema.h"

struct area {
	int top, left, lines, columns;
};

#define SERIES 6 /* lines of one graph that differ */
#define HEATS  8 /* densities of a heat map, from few to many */

/* The meaning of a cell; colour is never the only sign of it. */
enum role {
	ROLE_TEXT,
	ROLE_DIM,      /* labels, absent values */
	ROLE_STRONG,   /* names, totals */
	ROLE_TITLE,    /* the first line */
	ROLE_HEADER,   /* column heads of a pane */
	ROLE_FOCUS,    /* the same of the pane that has the keys */
	ROLE_FRAME,    /* the frame of a form or list */
	ROLE_SELECTED, /* the selected row */
	ROLE_KEY,      /* a key in the key row */
	ROLE_LABEL,    /* the action of that key */
	ROLE_READ,
	ROLE_WRITE,
	ROLE_WAIT,    /* iowait, sync */
	ROLE_MARK,    /* a turn of a knob */
	ROLE_ALERT,   /* errors, pause, pending */
	ROLE_HIGH,    /* a figure above its first limit */
	ROLE_GOOD,    /* a change for the better */
	ROLE_BAD,     /* a change for the worse */
	ROLE_CHANGED, /* differs from the value at the start */
	ROLE_SERIES,  /* the first of SERIES lines of a graph */
	ROLE_HEAT = ROLE_SERIES + SERIES, /* the least of HEATS densities */
	ROLES = ROLE_HEAT + HEATS
};

/* How the screen looks, of which there is one; only screen.c changes it. */
extern struct screen_look {
	bool color, ascii;
	int theme;
} screen_look;

/* Choose colour and characters; call it after ncurses has started. */
void screen_init(bool no_color, bool ascii, const char *type);

/* Draw in the colours of another theme from now on. */
void screen_theme(int theme);

/*
 * Draw text in at most cells cells; a text that does not fit is cut, with a '~'
 * at the end. Returns the cells that the text takes.
 */
int screen_put(int y, int x, int cells, enum role role, const char *text);
/* Draw text at the right end of the cells. */
void screen_right(int y, int x, int cells, enum role role, const char *text);
int screen_printf(int y, int x, int cells, enum role role, const char *fmt, ...)
	printf_like(5, 6);
/* Fill the cells with blanks in that role. */
void screen_fill(int y, int x, int cells, enum role role);
/* A bar of one cell; part of its height, 0 to 1, at least an eighth. */
void screen_step(int y, int x, enum role role, double part);
/* Draw one character by its code, for graphs and frames. */
void screen_char(int y, int x, enum role role, unsigned code);
/* Cells that a text takes. */
int screen_cells(const char *text);

/* A bar of parts (per cent of the whole); each has its own letter and role. */
struct bar_part {
	double pct;
	enum role role;
	char letter;
};
void screen_bar(int y, int x, int cells, const struct bar_part *part, size_t n);

/*
 * Format a number by its field: scaled, with its digits; with fewer digits or a
 * unit (k, M, G, T) if it would be wider than width. "-" for NaN. Returns buf.
 */
char *screen_number(char *buf, size_t size, int width,
		    const struct field *field, double value);
/* The digits after the point with which the number fits, at most those of the
 * field; -1: only with a unit. */
int screen_digits(int width, const struct field *field, double value);
/* Bytes in at most five cells: "12.3M", "1.20G". */
struct text_short screen_bytes(double bytes);

/*
 * Theme: the colours of each role, one row of a const table per background.
 * Colour is never the only sign, so every theme also works without colours.
 */

/* The name and the meaning of the i-th theme, or NULL. */
const char *theme_name(size_t i);
const char *theme_help(size_t i);

/* The index of the theme of that name; -1: there is none. */
int theme_find(const char *name);

/* The theme that fits the terminal's background according to $COLORFGBG. */
int theme_guess(void);

/*
 * Set the colours of a theme, after start_color(). The next drawing uses them
 * in every cell.
 */
void theme_use(int theme);

/* The attributes of a role, without its colours. */
unsigned theme_attributes(int theme, enum role role, bool color);
