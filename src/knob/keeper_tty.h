/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeper's terminal: remembered at the start, given back when the peer died
 * without doing so.
 */
#ifndef KNOB_KEEPER_TTY_H
#define KNOB_KEEPER_TTY_H

#include <stdbool.h>
#include <termios.h>

struct keeper_tty {
	int fd; /* -1: none, or no terminal */
	struct termios settings;
};

void keeper_tty_remember(struct keeper_tty *t, int fd);

/*
 * Put the settings back and leave the alternate screen. Never hangs: the
 * bytes are written by a child that an alarm ends, because the terminal may
 * be stalled.
 */
void keeper_tty_give_back(const struct keeper_tty *t);

#endif
