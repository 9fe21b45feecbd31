/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terminal: the layer between ncurses and the terminal; neither waits for the
 * other. It also reads keys and the mouse.
 *
 * ncurses writes into memory (a memfd), from which the bytes move to a queue. What
 * is drawn (cells.h) goes to the queue, too, and from there to the terminal when it
 * accepts some. The terminal is
 * opened again for this: O_NONBLOCK belongs to the open file description, and
 * the inherited one is shared with the shell.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "ui/ui.h"

struct terminal;

/* Start ncurses on the terminal. 0, or -errno with a sentence. */
int terminal_open(struct terminal **out,
		  const struct ui_options *options) must_check;
/* End ncurses and give the terminal back; waits at most half a second. */
void terminal_close(struct terminal *t);

/* Restore the terminal at once; see ui_crash(). */
void terminal_crash(void);

/* See ui_suspend() and ui_resume(). */
void terminal_suspend(struct terminal *t);
void terminal_resume(struct terminal *t);

/* Move the output of ncurses, or bytes, to the queue, and send what the terminal
 * accepts. terminal_flush() only sends; terminal_backlog(): the queue is not empty. */
void terminal_update(struct terminal *t);
void terminal_write(struct terminal *t, const char *bytes, size_t n);
void terminal_flush(struct terminal *t);
bool terminal_backlog(const struct terminal *t);

/* Give ncurses the present size of the terminal. */
void terminal_resize(struct terminal *t);

/* A typed character beyond ASCII is this bit and its code point. */
#define KEY_TEXT 0x1000000

/* The key of terminal_key() for the mouse. */
#define KEY_OF_MOUSE 2002
#define BUTTON_LEFT  0
#define BUTTON_UP    64 /* the wheel */
#define BUTTON_DOWN  65

struct mouse {
	int y, x, button;
};

/*
 * Read one key in the code of curses, KEY_* or a character; 0: an unknown key,
 * -1: there is none. mouse is set with KEY_OF_MOUSE. Nothing here waits, except
 * 25 ms to distinguish Esc from the start of a sequence.
 */
int terminal_key(struct terminal *t, struct mouse *mouse);

/*
 * Check that a screen can be drawn on that type: 0, or -EINVAL with a sentence. A
 * type like xterm that the terminfo database does not have becomes xterm-256color.
 */
int terminal_type_check(char *type, size_t size, int fd) must_check;

/* The name of the terminal type. */
const char *terminal_type(const struct terminal *t);
