/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Box: frame and text.
 */
#include "ui/form/box.h"

#include <stdio.h>
#include <string.h>

struct area box_empty(const struct screen *s, int lines, int columns, int want,
		      int width, const char *title, const char *keys)
{
	struct area a;

	a.columns = width < columns ? width : columns;
	a.lines = want < lines - 3 ? want : lines - 3;
	a.lines = a.lines < 1 ? 1 : a.lines;
	a.left = (columns - a.columns) / 2;
	a.top = lines > a.lines + 8 ? 4 : 1;
	screen_fill(s, a.top - 1, a.left, a.columns, ROLE_FOCUS);
	screen_put(s, a.top - 1, a.left + 1, a.columns - 2, ROLE_FOCUS, title);
	for (int y = 0; y < a.lines; y++)
		screen_fill(s, a.top + y, a.left, a.columns, ROLE_TEXT);
	screen_fill(s, a.top + a.lines, a.left, a.columns, ROLE_HEADER);
	screen_put(s, a.top + a.lines, a.left + 1, a.columns - 2, ROLE_HEADER,
		   keys);
	return a;
}

void box_put(const struct screen *s, const struct area *a, int y,
	     enum role role, const char *text)
{
	screen_put(s, a->top + y, a->left + 2, a->columns - 4, role, text);
}

/* Bytes that go on a line of so many cells: a byte is at least as wide. */
static size_t cut(const char *text, size_t cells)
{
	size_t n = strlen(text), at;

	if (n <= cells)
		return n;
	for (at = cells; at > 0 && text[at] != ' '; at--)
		;
	if (at)
		return at;
	/* One long word is cut, but not within a character. */
	for (at = cells; at > 1 && ((unsigned char)text[at] & 0xc0) == 0x80;)
		at--;
	return at;
}

/* Walk the lines of a text; s NULL: nothing is drawn. */
static int walk(const struct screen *s, const struct area *a, int y, int top,
		int bottom, enum role role, const char *text)
{
	size_t cells = a->columns > 8 ? (size_t)a->columns - 4 : 4;
	int lines = 0;

	do {
		size_t n = cut(text, cells);
		char line[400];

		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		if (s && y + lines >= top && y + lines < bottom)
			box_put(s, a, y + lines, role, line);
		lines++;
		text += n;
		text += strspn(text, " ");
	} while (*text);
	return lines;
}

int box_lines(const struct area *a, const char *text)
{
	return walk(NULL, a, 0, 0, 0, ROLE_TEXT, text);
}

int box_wrap(const struct screen *s, const struct area *a, int y, int top,
	     int bottom, enum role role, const char *text)
{
	return walk(s, a, y, top, bottom, role, text);
}
