/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Canvas: lines and bars in dots, independent of the screen. Each cell is two
 * dots wide and four high, as a braille character is. Without braille, a cell
 * shows a bar or a mark per series.
 */
#ifndef UI_CANVAS_H
#define UI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

#define CANVAS_DOTS_X 2
#define CANVAS_DOTS_Y 4

enum canvas_mode { CANVAS_BLOCK, CANVAS_BRAILLE, CANVAS_ASCII, CANVAS_MODES };

struct canvas_cell {
	unsigned char dots;    /* bits of U+2800 */
	unsigned char eighths; /* share of the cell's height that a bar fills */
	unsigned char series;  /* the series drawn here last, from 1; 0: none */
	unsigned char tag;     /* a character drawn over everything else, or
			          0 */
};

struct canvas {
	int columns, lines;
	enum canvas_mode mode;
	struct canvas_cell *cell; /* line by line from the top */
};

/* Make an empty canvas of that size; with a size of 0 it draws nothing. */
void canvas_init(struct canvas *c, int columns, int lines,
		 enum canvas_mode mode);
void canvas_free(struct canvas *c);

/* Dots side by side in a cell of this mode: 2 or 1. */
int canvas_per_cell(const struct canvas *c);

/*
 * x counts dots from the left (canvas_per_cell() of them to a cell), part is
 * the height, 0 to 1. Values outside, and NaN, are left out.
 *
 * Draw a bar from the bottom; any value above 0 is visible.
 */
void canvas_bar(struct canvas *c, int x, double part, int series);
/* Draw one value of a line; from: the last value, at x - 1, or NaN. */
void canvas_line(struct canvas *c, int x, double from, double part, int series);
/* Draw a character over the cell of the dot at that height. */
void canvas_tag(struct canvas *c, int x, double part, int series, char tag);

/* The character of a cell; ' ' where there is nothing. */
unsigned canvas_code(const struct canvas *c, int column, int line);
/* The series drawn in the cell, from 1; 0: none. */
int canvas_series(const struct canvas *c, int column, int line);

/* The mark of a series, from 1; it distinguishes series without colours. */
char canvas_mark(int series);

#endif
