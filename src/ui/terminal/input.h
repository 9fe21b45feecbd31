/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Input: converts bytes of the terminal into keys and mouse positions. Nothing
 * here waits, except 25 ms to distinguish Esc from the start of a sequence.
 *
 * This file reads the mouse reports itself: curses takes the coordinates in the
 * form of the terminfo entry, which for screen and tmux ends at column 223, and
 * fails when a report arrives in two pieces.
 */
#ifndef UI_INPUT_H
#define UI_INPUT_H

#include <curses.h>
#include <stdbool.h>

/* The form of mouse reports that the terminal sends: SGR where it can. */
#define MOUSE_ON  "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1000l"

struct input {
	WINDOW *keys; /* a pad: reading from it paints nothing */
	int fd;       /* the same terminal, for the bytes of a report */
	bool mouse;   /* whether reports are wanted and read */
	/* A report that has begun to arrive. */
	char report[24];
	int n_report, form;
	/* The last complete report, from 0. */
	int y, x, button;
};

/* A typed character beyond ASCII is this bit and its code point. */
#define KEY_TEXT 0x1000000

/* The key of input_key() for the mouse; y, x and button have the rest. */
#define KEY_OF_MOUSE 2002
#define BUTTON_LEFT  0
#define BUTTON_UP    64 /* the wheel */
#define BUTTON_DOWN  65

/* Call this after curses has started. wants_mouse: without --no-mouse. */
void input_open(struct input *in, int fd, bool wants_mouse);
void input_close(struct input *in);

/*
 * Read one key in the code of curses, KEY_* or a character; 0: an unknown key,
 * -1: there is none.
 */
int input_key(struct input *in);

#endif
