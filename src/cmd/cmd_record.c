/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record: the monitor, headless, as JSON Lines on stdout or in --log=FILE.
 */
#include "cmd/live.h"
#include "cmd/loop.h"
#include "cmd/term.h"

static int record(struct live *l)
{
	int signals = term_signals(false);

	if (signals < 0 || live_prepare(l, NULL, 0, NULL) < 0)
		return command_failed(EXIT_FAILED);
	live_first_look(l);
	return live_finish(l, loop_run(l, signals));
}

int cmd_record(struct settings *s)
{
	struct live l;
	int status;

	if (!s->log)
		s->log = "-";
	/* Without a plan no knob is turned, and no keeper needed. */
	if (live_open(&l, s, s->at.n > 0, -1) < 0)
		status = command_failed(EXIT_USAGE);
	else
		status = record(&l);
	live_close(&l);
	return status;
}
