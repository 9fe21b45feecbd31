/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Box: draws a frame and the text in it.
 */
#include "ui/overlay.h"

#include <stdio.h>
#include <string.h>

/* The characters of a frame: corners from the upper left, then edges. */
enum { UPPER_LEFT, UPPER_RIGHT, LOWER_LEFT, LOWER_RIGHT, ACROSS, DOWN };

static unsigned frame_char(const struct screen *s, int part)
{
	static const unsigned lines[] = { 0x250c, 0x2510, 0x2514,
					  0x2518, 0x2500, 0x2502 };
	static const char ascii[] = "++++-|";

	return s->ascii ? (unsigned char)ascii[part] : lines[part];
}

/* Draw the upper or lower line of a frame, with words in it. */
static void draw_edge(const struct screen *s, const struct area *f, int y,
		      int left, enum role role, const char *words)
{
	int end = f->left + f->columns - 1;

	for (int x = f->left + 1; x < end; x++)
		screen_char(s, y, x, ROLE_FRAME, frame_char(s, ACROSS));
	screen_char(s, y, f->left, ROLE_FRAME, frame_char(s, left));
	screen_char(s, y, end, ROLE_FRAME, frame_char(s, left + 1));
	if (!*words || f->columns < 8)
		return;
	screen_fill(s, y, f->left + 2, 1, ROLE_TEXT);
	screen_fill(s, y,
		    f->left + 3 +
			    screen_put(s, y, f->left + 3, f->columns - 6, role,
				       words),
		    1, ROLE_TEXT);
}

struct area box_open(const struct screen *s, int lines, int columns, int want,
		     int width, const char *title, const char *keys)
{
	struct area f;

	f.columns = width < columns ? width : columns;
	f.lines = want < lines - 3 ? want : lines - 3;
	f.lines = f.lines < 1 ? 1 : f.lines;
	f.left = (columns - f.columns) / 2;
	f.top = lines > f.lines + 8 ? 4 : 1;
	draw_edge(s, &f, f.top - 1, UPPER_LEFT, ROLE_STRONG, title);
	draw_edge(s, &f, f.top + f.lines, LOWER_LEFT, ROLE_DIM, keys);
	for (int y = f.top; y < f.top + f.lines; y++) {
		screen_fill(s, y, f.left, f.columns, ROLE_TEXT);
		screen_char(s, y, f.left, ROLE_FRAME, frame_char(s, DOWN));
		screen_char(s, y, f.left + f.columns - 1, ROLE_FRAME,
			    frame_char(s, DOWN));
	}
	f.left++;
	f.columns -= 2;
	return f;
}

void box_put(const struct screen *s, const struct area *a, int y,
	     enum role role, const char *text)
{
	screen_put(s, a->top + y, a->left + 1, a->columns - 2, role, text);
}

/*
 * The bytes of a text that fit on a line of that many cells, one byte a cell at
 * most.
 */
static size_t cut(const char *text, size_t cells)
{
	size_t n = strlen(text), at;

	if (n <= cells)
		return n;
	for (at = cells; at > 0 && text[at] != ' '; at--)
		;
	if (at)
		return at;
	/* Cut one long word, but not within a character. */
	for (at = cells; at > 1 && ((unsigned char)text[at] & 0xc0) == 0x80;)
		at--;
	return at;
}

/* Walk the lines of a text; with s NULL draw nothing. */
static int walk(const struct screen *s, const struct area *a, int y, int top,
		int bottom, enum role role, const char *text)
{
	size_t cells = a->columns > 6 ? (size_t)a->columns - 2 : 4;
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
