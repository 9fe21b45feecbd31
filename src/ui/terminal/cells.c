/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells: 32 bits for each, and the bytes that change what the terminal shows.
 */
#include "ui/terminal/cells.h"

#include <curses.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A cell: a character of Unicode, its role, and one of these. */
#define ROLE_BIT  21
#define CODE      ((1u << ROLE_BIT) - 1)
#define ROLE_MASK 63
#define MARKED    (1u << 27) /* the code is a row of cells.marked */
#define RIGHT     (1u << 28) /* the right half of a wide character */

#define MARKED_MAX  4096
#define CELLS_KNOWN 64

/* A character and those that combine with it. */
struct cell_marked {
	wchar_t text[CELLS_MARKS + 2];
};

/* Bytes on their way to the terminal, or of one look. */
struct cell_bytes {
	char *at;
	size_t n, cap;
};

/* What a character that is not ASCII is to the terminal; n < 1: nothing. */
struct cell_char {
	wchar_t c;
	int n;
	char bytes[MB_LEN_MAX];
};

/* A mutable global (CONTRIBUTING.md), as the screen of curses is one. */
static struct {
	int lines, columns;
	uint32_t *now, *shown;
	bool unknown; /* the terminal shows something else than shown */
	struct cell_marked *marked;
	size_t n_marked, cap_marked;
	/* What changes the look of one role to that of another; NULL: not
	 * known. */
	char *change[ROLES][ROLES];
	char place[64]; /* how the terminal places its cursor, as in terminfo */
	bool last;      /* its last cell can be written without a scroll */
	struct cell_bytes out, taken;
	struct cell_char known[CELLS_KNOWN]; /* a graph repeats a few */
	int y, x; /* of the cursor */
	enum role role;
} cells = { .unknown = true };

static uint32_t cells_of(enum role role, wchar_t c)
{
	return (uint32_t)role << ROLE_BIT | ((uint32_t)c & CODE);
}

static enum role cells_role(uint32_t cell)
{
	return (enum role)(cell >> ROLE_BIT & ROLE_MASK);
}

static uint32_t *cells_line(uint32_t *of, int y)
{
	return of + (size_t)y * (size_t)cells.columns;
}

/* Put n equal cells; the library takes eight at a time. */
static void cells_repeat(uint32_t *to, uint32_t cell, size_t n)
{
	wmemset((wchar_t *)to, (wchar_t)cell, n);
}

void cells_forget(void)
{
	cells.unknown = true;
}

void cells_begin(void)
{
	const uint32_t blank = cells_of(ROLE_TEXT, L' ');
	const size_t n = (size_t)LINES * (size_t)COLS;

	if (LINES != cells.lines || COLS != cells.columns) {
		cells.lines = LINES;
		cells.columns = COLS;
		cells.now = xrealloc(cells.now, n * sizeof(*cells.now));
		cells.shown = xrealloc(cells.shown, n * sizeof(*cells.shown));
		cells.unknown = true;
	}
	if (cells.n_marked == MARKED_MAX)
		cells.unknown = true;
	if (cells.unknown)
		cells.n_marked = 0;
	cells_repeat(cells.now, blank, n);
}

int cells_room(int y, int x, int n)
{
	if (y < 0 || y >= cells.lines || x < 0 || x >= cells.columns)
		return 0;
	return n < cells.columns - x ? n : cells.columns - x;
}

/* One half of a wide character was overwritten: the other one becomes blank. */
static void cells_set(int y, int x, uint32_t cell, bool wide)
{
	uint32_t *line = cells_line(cells.now, y);
	const int end = x + 1 + wide;

	if (line[x] & RIGHT && x > 0)
		line[x - 1] = cells_of(cells_role(line[x]), L' ');
	if (end < cells.columns && line[end] & RIGHT)
		line[end] = cells_of(cells_role(line[end]), L' ');
	line[x] = cell;
	if (wide && x + 1 < cells.columns)
		line[x + 1] = RIGHT | cells_of(cells_role(cell), L' ');
}

void cells_put_char(int y, int x, enum role role, wchar_t c)
{
	cells_set(y, x, cells_of(role, c), false);
}

void cells_put_plain(int y, int x, enum role role, const char *text, int n)
{
	uint32_t *line = cells_line(cells.now, y) + x;

	if (n <= 0)
		return;
	/* Both ends may be in the middle of a wide character. */
	cells_put_char(y, x, role, text[0]);
	cells_put_char(y, x + n - 1, role, text[n - 1]);
	for (int i = 1; i < n - 1; i++)
		line[i] = cells_of(role, text[i]);
}

void cells_fill(int y, int x, enum role role, int n)
{
	uint32_t *line = cells_line(cells.now, y) + x;

	if (n <= 0)
		return;
	cells_put_char(y, x, role, L' ');
	cells_put_char(y, x + n - 1, role, L' ');
	if (n > 2)
		cells_repeat(line + 1, line[0], (size_t)n - 2);
}

/* The place of a character with the ones that combine with it. */
static size_t cells_marked(const wchar_t *text, size_t n)
{
	struct cell_marked m = { 0 };

	wmemcpy(m.text, text, n <= CELLS_MARKS ? n : CELLS_MARKS + 1);
	for (size_t i = 0; i < cells.n_marked; i++)
		if (!wcscmp(cells.marked[i].text, m.text))
			return i;
	if (cells.n_marked < MARKED_MAX)
		*xadd(cells.marked, cells.n_marked, cells.cap_marked) = m;
	return cells.n_marked - 1;
}

void cells_put_text(int y, int x, enum role role, const wchar_t *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		const bool wide = wcwidth(text[i]) == 2;
		uint32_t cell = cells_of(role, text[i]);
		size_t end = i + 1;

		while (end < n && wcwidth(text[end]) == 0)
			end++;
		if (end > i + 1)
			cell = MARKED |
			       cells_of(role, (wchar_t)cells_marked(text + i,
								    end - i));
		cells_set(y, x, cell, wide);
		x += 1 + wide;
		i = end;
	}
}

static void cells_add(struct cell_bytes *to, const char *from, size_t n)
{
	if (to->cap - to->n < n)
		to->at = xgrow(to->at, &to->cap, to->n + n, 1);
	memcpy(to->at + to->n, from, n);
	to->n += n;
}

/* Curses calls this for each byte; bytes of 0 only waste the time of old lines.
 */
static int cells_take(int byte)
{
	const char c = (char)byte;

	if (c)
		cells_add(&cells.taken, &c, 1);
	return byte;
}

static void cells_take_look(enum role role)
{
	/* Plain text is as blank cells are. */
	vid_puts(theme_attributes(screen_look.theme, role, screen_look.color),
		 screen_look.color && role != ROLE_TEXT ? (short)(role + 1) : 0,
		 NULL, cells_take);
}

/* What the terminal needs for another look; curses knows it for each pair. */
static void cells_change_look(enum role to)
{
	char **change = &cells.change[cells.role][to];

	if (to == cells.role)
		return;
	if (!*change) {
		cells_take_look(cells.role);
		cells.taken.n = 0;
		cells_take_look(to);
		cells_take(' ');
		cells.taken.at[cells.taken.n - 1] = '\0';
		*change = xstrdup(cells.taken.at);
		/* Between two screens curses has plain text, and so has the
		 * terminal. */
		cells_take_look(ROLE_TEXT);
		cells.taken.n = 0;
	}
	cells_add(&cells.out, *change, strlen(*change));
	cells.role = to;
}

/* The terminal shows nothing now, and its cursor may be anywhere. */
static void cells_clear(struct terminal *t)
{
	const char *place = tigetstr("cup");
	size_t n = (size_t)cells.lines * (size_t)cells.columns;

	clearok(curscr, TRUE);
	wnoutrefresh(stdscr);
	doupdate();
	terminal_update(t);
	/* Without "$<5>", the time that a terminal of 1978 needed. */
	snprintf(cells.place, sizeof(cells.place), "%.*s",
		 (int)strcspn(place, "$"), place);
	cells.last = tigetflag("am") != 1 || tigetflag("xenl") == 1;
	cells_repeat(cells.shown, cells_of(ROLE_TEXT, L' '), n);
	for (int from = 0; from < ROLES; from++)
		for (int to = 0; to < ROLES; to++) {
			free(cells.change[from][to]);
			cells.change[from][to] = NULL;
		}
	cells.unknown = false;
}

/* The decimal digits of n, and the character behind them. */
static void cells_add_number(int n, char end)
{
	char text[16];
	size_t at = sizeof(text);

	for (text[--at] = end; n; n /= 10)
		text[--at] = (char)('0' + n % 10);
	cells_add(&cells.out, text + at, sizeof(text) - at);
}

static void cells_place(int y, int x)
{
	if (!strcmp(cells.place, "\033[%i%p1%d;%p2%dH")) {
		cells_add(&cells.out, "\033[", 2);
		cells_add_number(y + 1, ';');
		cells_add_number(x + 1, 'H');
	} else {
		const char *place = tiparm(cells.place, y, x);

		cells_add(&cells.out, place, strlen(place));
	}
	cells.y = y;
	cells.x = x;
}

static void cells_add_char(wchar_t c)
{
	struct cell_char *k = &cells.known[c % CELLS_KNOWN];
	const char plain = (char)c;

	if (c < 0x80) {
		cells_add(&cells.out, &plain, 1);
		return;
	}
	if (k->c != c) {
		k->c = c;
		k->n = wctomb(k->bytes, c);
	}
	cells_add(&cells.out, k->n > 0 ? k->bytes : "?",
		  k->n > 0 ? (size_t)k->n : 1);
}

static void cells_show_cell(uint32_t cell)
{
	const wchar_t *marks;

	cells_change_look(cells_role(cell));
	if (!(cell & MARKED)) {
		cells_add_char((wchar_t)(cell & CODE));
		return;
	}
	for (marks = cells.marked[cell & CODE].text; *marks; marks++)
		cells_add_char(*marks);
}

/* So few cells that did not change are no more bytes than a place is. */
#define CELLS_GAP 3

static void cells_show_line(int y, int end)
{
	const uint32_t *now = cells_line(cells.now, y);
	const uint32_t *shown = cells_line(cells.shown, y);

	for (int x = 0; x < end; x++) {
		if (now[x] == shown[x] || now[x] & RIGHT)
			continue;
		if (cells.y != y || x - cells.x > CELLS_GAP)
			cells_place(y, x);
		for (; cells.x <= x; cells.x++)
			if (!(now[cells.x] & RIGHT))
				cells_show_cell(now[cells.x]);
		if (x + 1 < end && now[x + 1] & RIGHT)
			cells.x++;
	}
}

void cells_show(struct terminal *t)
{
	uint32_t *before = cells.shown;
	const size_t bytes = (size_t)cells.columns * sizeof(*before);

	if (cells.unknown)
		cells_clear(t);
	cells.out.n = 0;
	cells.y = -1;
	cells.role = ROLE_TEXT;
	for (int y = 0; y < cells.lines; y++)
		if (memcmp(cells_line(cells.now, y), cells_line(cells.shown, y),
			   bytes) != 0)
			cells_show_line(y,
					cells.columns - (y + 1 == cells.lines &&
							 !cells.last));
	cells_change_look(ROLE_TEXT);
	cells.shown = cells.now;
	cells.now = before;
	terminal_write(t, cells.out.at, cells.out.n);
}

wchar_t cells_shown(int y, int x)
{
	const uint32_t cell =
		cells_room(y, x, 1) ? cells_line(cells.shown, y)[x] : RIGHT;

	return cell & RIGHT    ? 0
	       : cell & MARKED ? cells.marked[cell & CODE].text[0]
			       : (wchar_t)(cell & CODE);
}
