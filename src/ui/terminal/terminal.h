/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terminal: what lies between ncurses and the terminal, so that neither ever
 * waits for the other.
 *
 * ncurses writes into memory (a memfd). After each update the bytes move to a
 * queue, and from there to the terminal whenever it takes some. The terminal
 * is opened anew for this: O_NONBLOCK belongs to the open file description,
 * and the one we inherited is the shell's as well.
 */
#ifndef UI_TERMINAL_H
#define UI_TERMINAL_H

#include <stdbool.h>

#include "base/attributes.h"
#include "ui/ui.h"

struct terminal;
struct input;

/* Start ncurses on the terminal. 0, or -errno with a sentence. */
int terminal_open(struct terminal **out,
		  const struct ui_options *options) must_check;
/* End ncurses and give the terminal back; waits at most half a second. */
void terminal_close(struct terminal *t);

/* Restore the terminal at once; see ui_crash(). */
void terminal_crash(void);

void terminal_suspend(struct terminal *t);
void terminal_resume(struct terminal *t);

/* Move what ncurses wrote to the queue, and send what the terminal takes. */
void terminal_update(struct terminal *t);
void terminal_flush(struct terminal *t);
bool terminal_backlog(const struct terminal *t);

/* Tell ncurses the size that the terminal has now. */
void terminal_resize(struct terminal *t);

/* The descriptor that keys come from. */
struct input *terminal_input(struct terminal *t);

/*
 * Check that a screen can be drawn on that type: 0, or -EINVAL with a sentence.
 */
int terminal_type_check(const char *type, int fd) must_check;

/* The name of the terminal type. */
const char *terminal_type(const struct terminal *t);

#endif
