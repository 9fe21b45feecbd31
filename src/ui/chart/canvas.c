/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canvas: draws lines and bars in dots. */
#include "ui/chart/chart.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/units.h"

/* The bit of a dot by its place from the left and from the top (Unicode). */
static const unsigned char dot_bit[CANVAS_DOTS_X][CANVAS_DOTS_Y] = {
	{ 0x01, 0x02, 0x04, 0x40 },
	{ 0x08, 0x10, 0x20, 0x80 },
};

void canvas_init(struct canvas *c, int columns, int lines,
		 enum canvas_mode mode)
{
	c->columns = columns > 0 ? columns : 0;
	c->lines = lines > 0 ? lines : 0;
	c->mode = mode;
	c->cell = xcalloc((size_t)c->columns * (size_t)c->lines + 1,
			  sizeof(*c->cell));
}

void canvas_free(struct canvas *c)
{
	free(c->cell);
	c->cell = NULL;
}

int canvas_per_cell(const struct canvas *c)
{
	return c->mode == CANVAS_BRAILLE ? CANVAS_DOTS_X : 1;
}

static struct canvas_cell *cell_at(const struct canvas *c, int column, int line)
{
	if (column < 0 || column >= c->columns || line < 0 || line >= c->lines)
		return NULL;
	return &c->cell[line * c->columns + column];
}

/* The number of rows of dots in the mode. */
static int rows(const struct canvas *c)
{
	return c->mode == CANVAS_BRAILLE ? c->lines * CANVAS_DOTS_Y : c->lines;
}

/* The row of a height, from the top; never below the lowest row. */
static int row_of(const struct canvas *c, double part)
{
	int n = rows(c), up = (int)units_whole(part * n, 0, n - 1);

	return n - 1 - up;
}

static void put_dot(struct canvas *c, int x, int row, int series)
{
	bool dots = c->mode == CANVAS_BRAILLE;
	struct canvas_cell *cell =
		dots ? cell_at(c, x / CANVAS_DOTS_X, row / CANVAS_DOTS_Y)
		     : cell_at(c, x, row);

	if (!cell || x < 0)
		return;
	cell->series = (unsigned char)series;
	cell->dots |=
		dots ? dot_bit[x % CANVAS_DOTS_X][row % CANVAS_DOTS_Y] : 1;
}

static void bar_of_dots(struct canvas *c, int x, double part, int series)
{
	int n = rows(c), high = (int)units_whole(round(part * n), 0, n);

	if (part > 0 && high == 0)
		high = 1;
	for (int up = 0; up < high; up++)
		put_dot(c, x, n - 1 - up, series);
}

void canvas_bar(struct canvas *c, int x, double part, int series)
{
	if (isnan(part) || x < 0)
		return;
	if (c->mode == CANVAS_BRAILLE) {
		bar_of_dots(c, x, part, series);
		return;
	}
	for (int up = 0; up < c->lines; up++) {
		struct canvas_cell *cell = cell_at(c, x, c->lines - 1 - up);
		int eighths = (int)units_whole(
			round((part * c->lines - up) * 8), -1, 8);

		if (up == 0 && part > 0 && eighths <= 0)
			eighths = 1;
		if (!cell || eighths <= 0)
			return;
		cell->eighths = (unsigned char)eighths;
		cell->series = (unsigned char)series;
	}
}

/* Where the line jumps, draw the step up or down, too. */
void canvas_line(struct canvas *c, int x, double from, double part, int series)
{
	int to, row, step;

	if (isnan(part) || x < 0 || !c->lines)
		return;
	to = row_of(c, part);
	row = isnan(from) ? to : row_of(c, from);
	step = row < to ? 1 : -1;
	/* Begin after the row of the last value, which is drawn already. */
	if (row != to)
		row += step;
	for (; row != to; row += step)
		put_dot(c, x, row, series);
	put_dot(c, x, to, series);
}

void canvas_tag(struct canvas *c, int x, double part, int series, char tag)
{
	int per = canvas_per_cell(c);
	int line;
	struct canvas_cell *cell;

	if (isnan(part) || x < 0 || !c->lines)
		return;
	line = row_of(c, part);
	cell = cell_at(c, x / per,
		       c->mode == CANVAS_BRAILLE ? line / CANVAS_DOTS_Y : line);
	if (!cell)
		return;
	cell->tag = (unsigned char)tag;
	cell->series = (unsigned char)series;
}

char canvas_mark(int series)
{
	static const char marks[] = "*o+x#@%&";
	int n = (int)sizeof(marks) - 1;

	return marks[(series - 1 + n) % n];
}

static unsigned bar_code(const struct canvas *c, unsigned eighths)
{
	if (c->mode == CANVAS_ASCII)
		return eighths >= 6 ? '#' : eighths >= 3 ? ':' : '.';
	return eighths >= 8 ? 0x2588 : 0x2580u + eighths;
}

unsigned canvas_code(const struct canvas *c, int column, int line)
{
	const struct canvas_cell *cell = cell_at(c, column, line);

	if (!cell)
		return ' ';
	if (cell->tag)
		return cell->tag;
	if (c->mode == CANVAS_BRAILLE)
		return cell->dots ? 0x2800u + cell->dots : ' ';
	if (cell->dots)
		return (unsigned char)canvas_mark(cell->series);
	return cell->eighths ? bar_code(c, cell->eighths) : ' ';
}

int canvas_series(const struct canvas *c, int column, int line)
{
	const struct canvas_cell *cell = cell_at(c, column, line);

	return cell ? cell->series : 0;
}
