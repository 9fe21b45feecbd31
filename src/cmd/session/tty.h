/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tty: the terminal and the signals of a command with a loop.
 */
#ifndef CMD_SESSION_TTY_H
#define CMD_SESSION_TTY_H

#include <stdbool.h>

#include "base/attributes.h"

struct settings;

/*
 * A descriptor of the terminal for input and output, or -ENOTTY with a
 * sentence; stdout must be a terminal.
 */
int tty_open(void) must_check;

/*
 * Open the terminal for the screen of run or sweep. -1: no screen, because of
 * --headless, --log=- or stdout; below -1: -errno with a sentence, -EINVAL for
 * options that exclude each other.
 */
int tty_choose(const struct settings *s) must_check;

/*
 * Block INT TERM HUP QUIT (and WINCH TSTP when with a screen) and get them
 * through a descriptor; SIGPIPE and SIGXFSZ are ignored, so that writes fail
 * instead. Threads started later inherit it. Returns the descriptor or -errno
 * with a sentence.
 */
int tty_signals(bool screen) must_check;

/* Take one signal from that descriptor; 0: there is none. */
int tty_take_signal(int fd);

/* Make a crash restore the terminal before the program dies. */
void tty_catch_crashes(void);

#endif
