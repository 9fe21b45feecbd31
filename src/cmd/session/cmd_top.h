/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a live session on stdout, for the commands that print a few with each
 * frame.
 */
#ifndef CMD_SESSION_CMD_TOP_H
#define CMD_SESSION_CMD_TOP_H

#include "cmd/session/session.h"

/* For a driver: end after --time. */
int cmd_top_begin(struct session *s, void *arg);
void cmd_top_wake(struct session *s, void *arg);

/*
 * The lines of a frame are printed, and errno was 0 before: end after --count
 * frames, or when stdout fails. A closed pipe ends the program, as SIGPIPE would.
 */
void cmd_top_printed(struct session *s);

#endif
