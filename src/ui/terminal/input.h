/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Input: bytes of the terminal become keys and places of the mouse. Nothing
 * here waits, but for the 25 ms that tell Esc from the start of a sequence.
 *
 * The mouse is ours and not curses': that one takes the coordinates as the
 * terminfo entry says, which for screen and tmux ends at column 223, and it
 * loses its way when a report arrives in two pieces.
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

/* A typed character beyond ASCII is this and its code point. */
#define KEY_TEXT 0x1000000

/* The key of input_key() for the mouse; y, x and button have the rest. */
#define KEY_OF_MOUSE 2002
#define BUTTON_LEFT  0
#define BUTTON_UP    64 /* the wheel */
#define BUTTON_DOWN  65

/* After curses has started; wants_mouse when the operator has nothing against.
 */
void input_open(struct input *in, int fd, bool wants_mouse);
void input_close(struct input *in);

/*
 * One key as curses codes it, KEY_* or a character; 0 for an unknown one, -1
 * when there is none.
 */
int input_key(struct input *in);

#endif
