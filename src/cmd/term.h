/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Term: the terminal and the signals of a command with a loop.
 */
#ifndef CMD_TERM_H
#define CMD_TERM_H

#include <stdbool.h>

#include "base/attributes.h"

/*
 * A descriptor of the terminal for input and output, or -ENOTTY with a
 * sentence; stdout must be a terminal.
 */
int term_open(void) must_check;

/*
 * Block INT TERM HUP QUIT (and WINCH TSTP when with a screen) and get them
 * through a descriptor; SIGPIPE and SIGXFSZ are ignored, so that writes fail
 * instead. Threads started later inherit it. Returns the descriptor or -errno
 * with a sentence.
 */
int term_signals(bool screen) must_check;

/* Take one signal from it; 0 when there is none. */
int term_take_signal(int fd);

/* A crash gives the terminal back before the program dies of it. */
void term_catch_crashes(void);

#endif
