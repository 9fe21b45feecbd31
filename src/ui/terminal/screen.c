/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Screen: text and bars in cells, with the colours of the theme. */
#include "ui/terminal/screen.h"

#include <curses.h>
#include <langinfo.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/terminal/cells.h"

#define TEXT_MAX 512

/* A mutable global (CONTRIBUTING.md), as the cells of the screen are one. */
struct screen_look screen_look;

void screen_init(bool no_color, bool ascii, const char *type)
{
	const char *env = getenv("NO_COLOR");

	screen_look.ascii = ascii || !strncmp(type, "vt", 2) ||
			    strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	screen_look.color = !no_color && !(env && *env) && has_colors();
	screen_look.theme = theme_guess();
	cells_forget();
	if (!screen_look.color)
		return;
	start_color();
	if (use_default_colors() == ERR)
		assume_default_colors(COLOR_WHITE, COLOR_BLACK);
	theme_use(screen_look.theme);
}

void screen_theme(int theme)
{
	screen_look.theme = theme;
	cells_forget();
	if (screen_look.color)
		theme_use(theme);
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
static wchar_t next_char(const char **p, int *cells)
{
	size_t len = 1;
	mbstate_t state;
	wchar_t c = L'?';

	*cells = 1;
	if ((unsigned char)**p < 0x80) {
		c = (wchar_t) * *p;
	} else if (screen_look.ascii) {
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
static size_t decode(const char *text, int max, wchar_t *out, int *used,
		     bool *whole)
{
	char copy[TEXT_MAX];
	const char *p = copy;
	size_t n = 0, marks = 0;

	*whole = text_set(copy, text);
	text_clean(copy);
	*used = 0;
	while (*p) {
		int cells;
		wchar_t c = next_char(&p, &cells);

		/*
		 * A combining character needs one before it, and a cell has
		 * room for CELLS_MARKS of them.
		 */
		marks = cells ? 0 : marks + 1;
		if (!cells && (!n || marks > CELLS_MARKS))
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

int screen_put(int y, int x, int cells, enum role role, const char *text)
{
	int plain = plain_cells(text);
	wchar_t wide[TEXT_MAX + 1];
	bool whole;
	size_t n;
	int used;

	cells = cells_room(y, x, cells);
	if (cells <= 0)
		return 0;
	if (plain >= 0) {
		used = plain < cells ? plain : cells;
		cells_put_plain(y, x, role, text, used);
		/* One cell has no room for the sign of a cut text. */
		if (plain > cells && cells > 1)
			cells_put_char(y, x + used - 1, role, L'~');
		return used;
	}
	n = decode(text, cells, wide, &used, &whole);
	if (!whole && n > 0 && cells > 1) {
		n = decode(text, cells - 1, wide, &used, &whole);
		wide[n++] = L'~';
		used++;
	}
	cells_put_text(y, x, role, wide, n);
	return used;
}

int screen_cells(const char *text)
{
	wchar_t wide[TEXT_MAX + 1];
	int used = plain_cells(text);
	bool whole;

	if (used < 0)
		decode(text, TEXT_MAX, wide, &used, &whole);
	return used;
}

void screen_right(int y, int x, int cells, enum role role, const char *text)
{
	int used = screen_cells(text);

	if (used > cells)
		used = cells;
	screen_put(y, x + cells - used, used, role, text);
}

int screen_printf(int y, int x, int cells, enum role role, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return screen_put(y, x, cells, role, text);
}

void screen_fill(int y, int x, int cells, enum role role)
{
	cells_fill(y, x, role, cells_room(y, x, cells));
}

void screen_char(int y, int x, enum role role, unsigned code)
{
	if (cells_room(y, x, 1) > 0)
		cells_put_char(y, x, role, (wchar_t)code);
}

void screen_step(int y, int x, enum role role, double part)
{
	const unsigned eighths = (unsigned)units_whole(part * 7.99, 0, 7);

	screen_char(y, x, role,
		    screen_look.ascii ? (unsigned)"_.,-=+*#"[eighths]
				      : 0x2581 + eighths);
}

void screen_bar(int y, int x, int cells, const struct bar_part *part, size_t n)
{
	double sum = 0;
	int at = 0;

	screen_put(y, x, 1, ROLE_DIM, "[");
	screen_put(y, x + cells - 1, 1, ROLE_DIM, "]");
	for (size_t i = 0; i < n; i++) {
		int end;

		if (isnan(part[i].pct))
			continue;
		sum += part[i].pct;
		end = (int)units_whole(round(sum / 100 * (cells - 2)), 0,
				       cells - 2);
		for (; at < end && at < cells - 2; at++)
			screen_char(y, x + 1 + at, part[i].role,
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

/*
 * As "%.*f", which takes twenty times as long; false: the number is large, or half
 * a digit remains, or nearly so.
 */
static bool screen_fixed(char *buf, size_t size, int digits, double v)
{
	static const unsigned power[] = { 1, 10, 100, 1000 };
	const double scaled = fabs(v) * power[digits];
	unsigned n;
	char text[16], *p = text + sizeof(text);

	if (!(scaled < 1e8) || fabs(scaled - floor(scaled) - 0.5) < 1e-6)
		return false;
	n = (unsigned)(scaled + 0.5);
	*--p = '\0';
	for (int i = 0; i <= digits || n; i++, n /= 10) {
		if (i == digits && i > 0)
			*--p = '.';
		*--p = (char)('0' + n % 10);
	}
	if (v < 0)
		*--p = '-';
	text_copy(buf, size, p);
	return true;
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
		if (!screen_fixed(buf, size, digits, v))
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

struct text_short screen_bytes(double bytes)
{
	static const char units[] = "BKMGTPE";
	const char *u = units;
	struct text_short out = { "-" };
	size_t used;
	int digits;

	if (isnan(bytes))
		return out;
	while (fabs(bytes) >= 1023.5 && u[1]) {
		bytes /= 1024;
		u++;
	}
	digits = u == units || fabs(bytes) >= 99.95 ? 0
		 : fabs(bytes) >= 9.995             ? 1
						    : 2;
	if (!screen_fixed(out.text, sizeof(out.text) - 1, digits, bytes))
		snprintf(out.text, sizeof(out.text) - 1, "%.*f", digits, bytes);
	used = strlen(out.text);
	out.text[used] = *u;
	out.text[used + 1] = '\0';
	return out;
}
