/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record: the monitor, headless, as JSON Lines on stdout or in --log=FILE.
 */
#include "cmd/command.h"
#include "cmd/session/live.h"

int cmd_record(struct settings *s)
{
	const struct session_options options = {
		.settings = s,
		.tty = -1,
		/* Without a plan no knob is turned, and no keeper needed. */
		.turns_knobs = s->at.n > 0,
	};
	struct live live = { 0 };
	struct session session;
	int status;

	if (!s->log)
		s->log = "-";
	if (session_open(&session, &options) < 0)
		status = command_failed(EXIT_USAGE);
	else
		status = session_run(&session, &live_driver, &live);
	session_close(&session);
	return status;
}
