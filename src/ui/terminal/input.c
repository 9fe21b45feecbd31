/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Input: converts bytes of the terminal into keys and mouse positions.
 */
#include "ui/terminal/input.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define KEY_SGR 2000 /* ESC [ <, then "0;12;5M" */
#define KEY_X10 2001 /* ESC [ M, then three bytes */

void input_open(struct input *in, int fd, bool wants_mouse)
{
	const char *reports = tigetstr("kmous");

	*in = (struct input){ .fd = fd };
	in->keys = newpad(1, 1);
	nodelay(in->keys, TRUE);
	keypad(in->keys, TRUE);
	/* -1 or NULL: a terminal that never reports. */
	in->mouse = wants_mouse && reports && reports != (char *)-1;
	if (!in->mouse)
		return;
	define_key("\033[<", KEY_SGR);
	define_key("\033[M", KEY_X10);
}

void input_close(struct input *in)
{
	if (in->keys)
		delwin(in->keys);
	in->keys = NULL;
}

/* Read the next byte of a report: curses has read none after its key. */
static bool next_byte(const struct input *in, char *byte)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1 && read(in->fd, byte, 1) == 1;
}

static int report_done(struct input *in, int button, int x, int y)
{
	in->form = in->n_report = 0;
	/* Ignore Shift, Meta and Control. */
	in->button = button & ~(4 | 8 | 16);
	in->x = x - 1;
	in->y = y - 1;
	return in->button == BUTTON_LEFT || in->button == BUTTON_UP ||
			       in->button == BUTTON_DOWN
		       ? KEY_OF_MOUSE
		       : 0;
}

static int x10_byte(struct input *in)
{
	const unsigned char *b = (const unsigned char *)in->report;

	if (in->n_report < 3)
		return -1;
	return report_done(in, b[0] - 32, b[1] - 32, b[2] - 32);
}

static int sgr_byte(struct input *in, char byte)
{
	int button, x, y;

	if ((byte >= '0' && byte <= '9') || byte == ';')
		return -1;
	in->report[in->n_report - 1] = '\0';
	if ((byte == 'M' || byte == 'm') &&
	    sscanf(in->report, "%5d;%5d;%5d", &button, &x, &y) == 3 &&
	    byte == 'M')
		return report_done(in, button, x, y);
	/* A button was released, or the report is invalid. */
	in->form = in->n_report = 0;
	return 0;
}

/* Read more of a report; -1: the rest has not arrived yet. */
static int go_on(struct input *in)
{
	char byte;

	while (next_byte(in, &byte)) {
		int key;

		in->report[in->n_report++] = byte;
		key = in->form == KEY_X10 ? x10_byte(in) : sgr_byte(in, byte);
		if (key >= 0)
			return key;
		if (in->n_report == (int)sizeof(in->report)) {
			in->form = in->n_report = 0;
			return 0;
		}
	}
	return -1;
}

/*
 * After Esc, drop a sequence that curses does not know (a report of focus, a
 * key that terminfo does not name), so that its letters are not taken for keys.
 */
static int after_escape(struct input *in)
{
	wint_t c;
	int kind = wget_wch(in->keys, &c);

	if (kind == ERR)
		return 27;
	if (kind != OK || (c != '[' && c != 'O')) {
		if (kind == OK)
			unget_wch((wchar_t)c);
		else
			ungetch((int)c);
		return 27;
	}
	for (int i = 0; i < 32; i++) {
		bool first = i == 0;

		if (wget_wch(in->keys, &c) != OK)
			break;
		if (c >= 0x40 && c <= 0x7e && !(first && c == '['))
			break;
	}
	return 0;
}

int input_key(struct input *in)
{
	wint_t c;
	int kind;

	if (in->form)
		return go_on(in);
	do {
		kind = wget_wch(in->keys, &c);
	} while (kind == KEY_CODE_YES && c == KEY_RESIZE);
	if (kind == ERR)
		return -1;
	if (kind == KEY_CODE_YES && (c == KEY_SGR || c == KEY_X10)) {
		in->form = (int)c;
		return go_on(in);
	}
	if (kind == OK && c == 27)
		return after_escape(in);
	if ((kind == OK && c == '\n') ||
	    (kind == KEY_CODE_YES && c == KEY_ENTER))
		return '\r';
	/* No key of the table, but text for a prompt. */
	if (kind == OK && c >= 0x80)
		return KEY_TEXT | (int)(c & 0x1fffff);
	return (int)c;
}
