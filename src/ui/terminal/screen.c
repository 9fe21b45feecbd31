/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Screen: text and bars in cells, with the colours of the theme. */
#include "ui/terminal/screen.h"

#include <curses.h>
#include <langinfo.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/units.h"

#define TEXT_MAX  512
#define MARKS_MAX 3 /* combining characters on one cell */

void screen_init(struct screen *s, bool no_color, bool ascii, const char *type)
{
	const char *env = getenv("NO_COLOR");

	s->ascii = ascii || !strncmp(type, "vt", 2) ||
		   strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	s->color = !no_color && !(env && *env) && has_colors();
	s->theme = theme_guess();
	if (!s->color)
		return;
	start_color();
	if (use_default_colors() == ERR)
		assume_default_colors(COLOR_WHITE, COLOR_BLACK);
	theme_use(s->theme);
}

void screen_theme(struct screen *s, int theme)
{
	s->theme = theme;
	if (s->color)
		theme_use(theme);
}

static short pair_of(const struct screen *s, enum role role)
{
	return s->color ? (short)(role + 1) : 0;
}

static void set_role(const struct screen *s, enum role role)
{
	attr_set(theme_attributes(s->theme, role, s->color), pair_of(s, role),
		 NULL);
}

/*
 * Whether a character shapes or turns the text around it without a cell of its
 * own: marks and isolates of direction, joiners, variation selectors, tags. It
 * could change the meaning of a row, or take more cells than wcwidth() returns.
 */
static bool shapes_text(wchar_t c)
{
	static const struct {
		wchar_t first, last;
	} ranges[] = {
		{ 0x00ad, 0x00ad },   { 0x061c, 0x061c }, { 0x180b, 0x180e },
		{ 0x200b, 0x200f },   { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },
		{ 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/*
 * The next character at *p, and its cells: 0 for a combining character. A
 * character that cannot be shown becomes a '?'.
 */
static wchar_t next_char(const struct screen *s, const char **p, int *cells)
{
	size_t len = 1;
	mbstate_t state;
	wchar_t c = L'?';

	*cells = 1;
	if ((unsigned char)**p < 0x80) {
		c = (wchar_t) * *p;
	} else if (s->ascii) {
		while (((unsigned char)(*p)[len] & 0xc0) == 0x80)
			len++;
	} else {
		memset(&state, 0, sizeof(state));
		len = mbrtowc(&c, *p, strlen(*p), &state);
		if (len == 0 || len > 8) {
			len = 1;
			c = L'?';
		}
		*cells = wcwidth(c);
		if (*cells < 0 || shapes_text(c)) {
			*cells = 1;
			c = L'?';
		}
	}
	*p += len;
	return c;
}

/*
 * Decode a cleaned copy of a text into at most max cells. *used: the number of
 * cells; *whole: all of the text fitted.
 */
static size_t decode(const struct screen *s, const char *text, int max,
		     wchar_t *out, int *used, bool *whole)
{
	char copy[TEXT_MAX];
	const char *p = copy;
	size_t n = 0, marks = 0;

	*whole = text_set(copy, text);
	text_clean(copy);
	*used = 0;
	while (*p) {
		int cells;
		wchar_t c = next_char(s, &p, &cells);

		/*
		 * A combining character needs one before it, and a cell has
		 * room for MARKS_MAX of them.
		 */
		marks = cells ? 0 : marks + 1;
		if (!cells && (!n || marks > MARKS_MAX))
			continue;
		if (*used + cells > max) {
			*whole = false;
			break;
		}
		out[n++] = c;
		*used += cells;
	}
	out[n] = L'\0';
	return n;
}

/* The cells of a text of printable ASCII; -1: the text has other characters. */
static int plain_cells(const char *text)
{
	int n = 0;

	while (text[n] >= 0x20 && text[n] < 0x7f)
		n++;
	return text[n] || n >= TEXT_MAX ? -1 : n;
}

/*
 * Draw printable ASCII, which is nearly all text of a screen. This takes a
 * third of the time of addnwstr().
 */
static void put_plain(const struct screen *s, int y, int x, enum role role,
		      const char *text, int n, bool whole)
{
	cchar_t cell[TEXT_MAX], model;

	setcchar(&model, L"x", theme_attributes(s->theme, role, s->color),
		 pair_of(s, role), NULL);
	for (int i = 0; i < n; i++) {
		cell[i] = model;
		cell[i].chars[0] = (wchar_t)text[i];
	}
	if (!whole)
		cell[n - 1].chars[0] = L'~';
	mvadd_wchnstr(y, x, cell, n);
}

int screen_put(const struct screen *s, int y, int x, int cells, enum role role,
	       const char *text)
{
	int plain = plain_cells(text);
	wchar_t wide[TEXT_MAX + 1];
	bool whole;
	size_t n;
	int used;

	if (x + cells > COLS)
		cells = COLS - x;
	if (cells <= 0 || y < 0 || y >= LINES || x < 0)
		return 0;
	if (plain >= 0) {
		used = plain < cells ? plain : cells;
		/* One cell has no room for the sign of a cut text. */
		put_plain(s, y, x, role, text, used,
			  plain <= cells || cells == 1);
		return used;
	}
	n = decode(s, text, cells, wide, &used, &whole);
	if (!whole && n > 0 && cells > 1) {
		n = decode(s, text, cells - 1, wide, &used, &whole);
		wide[n++] = L'~';
		used++;
	}
	set_role(s, role);
	mvaddnwstr(y, x, wide, (int)n);
	return used;
}

int screen_cells(const struct screen *s, const char *text)
{
	wchar_t wide[TEXT_MAX + 1];
	int used = plain_cells(text);
	bool whole;

	if (used < 0)
		decode(s, text, TEXT_MAX, wide, &used, &whole);
	return used;
}

void screen_right(const struct screen *s, int y, int x, int cells,
		  enum role role, const char *text)
{
	int used = screen_cells(s, text);

	if (used > cells)
		used = cells;
	screen_put(s, y, x + cells - used, used, role, text);
}

int screen_printf(const struct screen *s, int y, int x, int cells,
		  enum role role, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return screen_put(s, y, x, cells, role, text);
}

void screen_fill(const struct screen *s, int y, int x, int cells,
		 enum role role)
{
	if (x + cells > COLS)
		cells = COLS - x;
	if (cells <= 0 || y < 0 || y >= LINES)
		return;
	set_role(s, role);
	mvhline(y, x, ' ', cells);
}

void screen_char(const struct screen *s, int y, int x, enum role role,
		 unsigned code)
{
	wchar_t wide[2] = { (wchar_t)code, L'\0' };

	if (y < 0 || y >= LINES || x < 0 || x >= COLS)
		return;
	set_role(s, role);
	mvaddnwstr(y, x, wide, 1);
}

void screen_bar(const struct screen *s, int y, int x, int cells,
		const struct bar_part *part, size_t n)
{
	double sum = 0;
	int at = 0;

	screen_put(s, y, x, 1, ROLE_DIM, "[");
	screen_put(s, y, x + cells - 1, 1, ROLE_DIM, "]");
	for (size_t i = 0; i < n; i++) {
		int end;

		if (isnan(part[i].pct))
			continue;
		sum += part[i].pct;
		end = (int)units_whole(round(sum / 100 * (cells - 2)), 0,
				       cells - 2);
		for (; at < end && at < cells - 2; at++)
			screen_char(s, y, x + 1 + at, part[i].role,
				    (unsigned char)part[i].letter);
	}
}

int screen_digits(int width, const struct field *field, double value)
{
	/* Half of the last digit, which rounds up. */
	static const double half[] = { 0.5, 0.05, 0.005, 0.0005 };
	double v = value * (field->scale != 0 ? field->scale : 1);
	int most = field->digits < 3 ? field->digits : 3;

	if (isnan(v))
		return field->digits;
	for (int digits = most; digits >= 0; digits--) {
		int need = (v < 0 ? 2 : 1) + digits + (digits > 0);

		for (double power = 10;
		     need <= width && fabs(v) >= power - half[digits];
		     power *= 10)
			need++;
		if (need <= width)
			return digits;
	}
	return -1;
}

char *screen_number(char *buf, size_t size, int width,
		    const struct field *field, double value)
{
	static const char units[] = "kMGTPE";
	double v = value * (field->scale != 0 ? field->scale : 1);
	int digits;

	if (isnan(v)) {
		snprintf(buf, size, "-");
		return buf;
	}
	digits = screen_digits(width, field, value);
	if (digits >= 0) {
		/* Avoid "-0.0" for a value that rounds to 0. */
		if (fabs(v) < 0.5 * pow(10, -digits))
			v = 0;
		snprintf(buf, size, "%.*f", digits, v);
		return buf;
	}
	for (const char *u = units; *u; u++) {
		v /= 1000;
		for (digits = 1; digits >= 0; digits--)
			if (snprintf(buf, size, "%.*f%c", digits, v, *u) <=
			    width)
				return buf;
	}
	snprintf(buf, size, "%s", v < 0 ? "<" : ">");
	return buf;
}

char *screen_bytes(char *buf, size_t size, double bytes)
{
	static const char units[] = "BKMGTPE";
	const char *u = units;

	if (isnan(bytes)) {
		snprintf(buf, size, "-");
		return buf;
	}
	while (fabs(bytes) >= 1023.5 && u[1]) {
		bytes /= 1024;
		u++;
	}
	snprintf(buf, size, "%.*f%c",
		 u == units || fabs(bytes) >= 99.95 ? 0
		 : fabs(bytes) >= 9.995             ? 1
						    : 2,
		 bytes, *u);
	return buf;
}

/* Copy a line of cells to p, without blanks at its end; returns the end. */
static char *copy_line(char *p, int y)
{
	char *end = p;

	for (int x = 0; x < COLS; x++) {
		wchar_t wide[CCHARW_MAX + 1] = L" ";
		cchar_t cell;
		attr_t attr;
		short pair;
		char bytes[MB_LEN_MAX * 2];
		int n;

		mvin_wch(y, x, &cell);
		getcchar(&cell, wide, &attr, &pair, NULL);
		if (wcwidth(wide[0]) == 2)
			x++;
		n = wctomb(bytes, wide[0]);
		if (n <= 0) {
			bytes[0] = '?';
			n = 1;
		}
		memcpy(p, bytes, (size_t)n);
		p += n;
		if (wide[0] != L' ')
			end = p;
	}
	return end;
}

char *screen_copy(void)
{
	char *text = xmalloc((size_t)(COLS * 8 + 1) * (size_t)LINES + 1);
	char *p = text;

	for (int y = 0; y < LINES; y++) {
		p = copy_line(p, y);
		*p++ = '\n';
	}
	*p = '\0';
	return text;
}
