/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finish: the end of a session, the same for all commands.
 */
#ifndef CMD_SESSION_FINISH_H
#define CMD_SESSION_FINISH_H

#include "base/attributes.h"

struct session;

/*
 * Stop the jobs, put settings back, write the last frames and the summary,
 * close the screen and print the errors. status is the status of the loop.
 * Returns an exit status.
 */
int finish_session(struct session *s, int status) must_check;

/*
 * After finish_session(), or instead of it: stop jobs and keeper, which could
 * outlive the program, and close the screen.
 */
void finish_close(struct session *s);

#endif
