/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a live session on stdout, for the commands that print a few with each
 * frame.
 */
#pragma once

#include "cmd/session/session.h"

struct line_out;

/*
 * Run a session whose driver prints lines with each frame to line_out_file(out),
 * and close out. Returns the exit status.
 */
int cmd_top_run(struct line_out *out, const struct session_options *options,
		const struct driver *driver, void *arg);

/* For such a driver: end after --time. */
int cmd_top_begin(struct session *s, void *arg);
void cmd_top_wake(struct session *s, void *arg);

/*
 * The lines of a frame are printed: send them, and end after --count frames, or
 * when stdout fails. A closed pipe ends the program, as SIGPIPE would.
 */
void cmd_top_printed(struct session *s, struct line_out *out);
