/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overlay: the frame of an overlay with the text in it, and the prompt in the
 * status line.
 */
#include "ui/overlay.h"

#include <ctype.h>
#include <curses.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/pane.h"
#include "ui/terminal/terminal.h"

/* --- box --- */

/* The characters of a frame: corners from the upper left, then edges. */
enum { UPPER_LEFT, UPPER_RIGHT, LOWER_LEFT, LOWER_RIGHT, ACROSS, DOWN };

static unsigned frame_char(int part)
{
	static const unsigned lines[] = { 0x250c, 0x2510, 0x2514,
					  0x2518, 0x2500, 0x2502 };
	static const char ascii[] = "++++-|";

	return screen_look.ascii ? (unsigned char)ascii[part] : lines[part];
}

/* Draw the upper or lower line of a frame, with words in it. */
static void draw_edge(const struct area *f, int y, int left, enum role role,
		      const char *words)
{
	int end = f->left + f->columns - 1;

	for (int x = f->left + 1; x < end; x++)
		screen_char(y, x, ROLE_FRAME, frame_char(ACROSS));
	screen_char(y, f->left, ROLE_FRAME, frame_char(left));
	screen_char(y, end, ROLE_FRAME, frame_char(left + 1));
	if (!*words || f->columns < 8)
		return;
	screen_fill(y, f->left + 2, 1, ROLE_TEXT);
	end = f->left + 3 +
	      screen_put(y, f->left + 3, f->columns - 6, role, words);
	screen_fill(y, end, 1, ROLE_TEXT);
}

struct area overlay_box(int want, int width, const char *title,
			const char *keys)
{
	struct area f;

	f.columns = width < COLS ? width : COLS;
	f.lines = want < LINES - 3 ? want : LINES - 3;
	f.lines = f.lines < 1 ? 1 : f.lines;
	f.left = (COLS - f.columns) / 2;
	f.top = LINES > f.lines + 8 ? 4 : 1;
	draw_edge(&f, f.top - 1, UPPER_LEFT, ROLE_STRONG, title);
	draw_edge(&f, f.top + f.lines, LOWER_LEFT, ROLE_DIM, keys);
	for (int y = f.top; y < f.top + f.lines; y++) {
		screen_fill(y, f.left, f.columns, ROLE_TEXT);
		screen_char(y, f.left, ROLE_FRAME, frame_char(DOWN));
		screen_char(y, f.left + f.columns - 1, ROLE_FRAME,
			    frame_char(DOWN));
	}
	f.left++;
	f.columns -= 2;
	return f;
}

void overlay_put(const struct area *a, int y, enum role role, const char *text)
{
	screen_put(a->top + y, a->left + 1, a->columns - 2, role, text);
}

/*
 * The bytes of a text that fit on a line of that many cells, one byte a cell at
 * most.
 */
static size_t overlay_cut(const char *text, size_t cells)
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

int overlay_wrap(const struct area *a, int y, int top, int bottom,
		 enum role role, const char *text)
{
	size_t cells = a->columns > 6 ? (size_t)a->columns - 2 : 4;
	int lines = 0;

	do {
		size_t n = overlay_cut(text, cells);
		char line[400];

		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		if (y + lines >= top && y + lines < bottom)
			overlay_put(a, y + lines, role, line);
		lines++;
		text += n;
		text += strspn(text, " ");
	} while (*text);
	return lines;
}

int overlay_lines(const struct area *a, const char *text)
{
	return overlay_wrap(a, 0, 0, 0, ROLE_TEXT, text);
}

void overlay_form_row(const struct area *a, enum role role, int cells,
		      const char *label, enum role text_role, const char *text)
{
	int x = a->left + 2 + cells, end = a->left + a->columns - 1;

	screen_put(a->top, a->left + 1, 1, role,
		   role == ROLE_SELECTED ? ">" : " ");
	screen_put(a->top, a->left + 2, cells - 1, role, label);
	while (screen_cells(text) > end - x - 1)
		text++;
	x += screen_put(a->top, x, end - x, text_role, text);
	if (role == ROLE_SELECTED)
		screen_put(a->top, x, 1, ROLE_TEXT, " ");
}

/* --- prompt --- */

static const struct overlay self;

/* Remove the last character, which may have several bytes. */
static void drop_last(char *text)
{
	size_t n = strlen(text);

	while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
		n--;
	text[n ? n - 1 : 0] = '\0';
}

bool overlay_edit(char *text, size_t size, int key)
{
	char bytes[MB_LEN_MAX + 1];
	size_t n = strlen(text);
	int add;

	if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		drop_last(text);
		return true;
	}
	if (key == CONTROL('U')) {
		text[0] = '\0';
		return true;
	}
	if (!(key & KEY_TEXT) && (key < ' ' || key > '~'))
		return false;
	add = wctomb(bytes, (wchar_t)(key & ~KEY_TEXT));
	if (add > 0 && n + (size_t)add < size) {
		memcpy(text + n, bytes, (size_t)add);
		text[n + (size_t)add] = '\0';
	}
	return true;
}

void overlay_prompt(struct ui *ui, const struct prompt_spec *spec,
		    const char *text)
{
	ui->overlay = &self;
	ui->prompt.spec = spec;
	text_set(ui->prompt.text, text);
}

/* Draw on the status line, which is the last line on a small screen. */
static void overlay_draw(struct ui *ui)
{
	const struct prompt *p = &ui->prompt;
	int y = pane_layout_status_line(LINES), x;

	screen_fill(y, 0, COLS, ROLE_TEXT);
	x = screen_put(y, 0, COLS, ROLE_STRONG, p->spec->label);
	x += screen_put(y, x, COLS - x - 1, ROLE_TEXT, p->text);
	x += screen_put(y, x, 1, ROLE_SELECTED, " ");
	screen_put(y, x + 2, COLS - x - 2, ROLE_DIM, p->spec->hint);
}

static void overlay_take_key(struct ui *ui, int key)
{
	struct prompt *p = &ui->prompt;

	if (key == '\r') {
		ui->overlay = NULL;
		if (p->spec->done)
			p->spec->done(ui, p->text);
		return;
	}
	if (key == 27) {
		p->text[0] = '\0';
		ui->overlay = NULL;
	} else if (!overlay_edit(p->text, sizeof(p->text), key)) {
		return;
	}
	if (p->spec->typed)
		p->spec->typed(ui, p->text);
}

static const struct overlay self = { .draw = overlay_draw,
				     .key = overlay_take_key };

static void filter_typed(struct ui *ui, const char *text)
{
	text_copy(ui->table[ui->focus].filter, sizeof(ui->table[0].filter),
		  text);
}

static void mark_done(struct ui *ui, const char *text)
{
	ui->action->kind = ACTION_MARK;
	text_set(ui->action->value, text);
}

/* "+1:30", "90", "2m", "50%"; false on anything else. */
static bool overlay_parse_time(const char *s, double length_s, double *seconds)
{
	uint64_t ns;
	char *end;

	s += *s == '+';
	/* No sign, no "nan". */
	if (!isdigit((unsigned char)*s))
		return false;
	if (strchr(s, ':'))
		return units_parse_span(s, seconds);
	if (s[strlen(s) - 1] == '%') {
		*seconds = strtod(s, &end) / 100 * length_s;
		return *end == '%' && end != s;
	}
	if (!units_parse_ns(s, 1000000000u, &ns))
		return false;
	*seconds = (double)ns / 1e9;
	return true;
}

/*
 * Parse a local time within the log: without a date, the next one after the
 * shown frame, else the first. 0: no such time.
 */
static uint64_t parse_wall(const struct ui_view *view, const char *s)
{
	uint64_t at =
		view->frame->wall_ns ? view->frame->wall_ns : view->first_ns;
	uint64_t ns = clock_parse_local(s, at);

	if (ns > view->last_ns)
		ns = clock_parse_local(s, view->first_ns);
	return ns >= view->first_ns && ns <= view->last_ns ? ns : 0;
}

static void jump_done(struct ui *ui, const char *text)
{
	uint64_t wall_ns = parse_wall(ui->view, text);

	if (wall_ns) {
		ui->action->kind = ACTION_SEEK_CLOCK;
		ui->action->number = (double)wall_ns;
	} else if (overlay_parse_time(text, ui->view->length_s,
				      &ui->action->number)) {
		ui->action->kind = ACTION_SEEK;
	} else {
		text_set(ui->note,
			 "Not a time of this log: use 90, 1:30.5, 2m, 50% or "
			 "03:12.");
	}
}

const struct prompt_spec prompt_filter = {
	.label = "Filter: ",
	.hint = "Enter: keep  Esc: clear",
	.typed = filter_typed,
};
const struct prompt_spec prompt_mark = {
	.label = "Mark: ",
	.hint = "Enter: set  Esc: cancel",
	.done = mark_done,
};
const struct prompt_spec prompt_note = {
	.label = "Note: ",
	.hint = "Enter: add to the log  Esc: cancel",
	.done = mark_done,
};
const struct prompt_spec prompt_jump = {
	.label = "Jump to: ",
	.hint = "03:12, 90, +1:30.5, 2m or 50%",
	.done = jump_done,
};
