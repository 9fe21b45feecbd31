/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top: the live monitor.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"
#include "cmd/launch.h"
#include "cmd/live.h"
#include "cmd/loop.h"
#include "cmd/output.h"
#include "cmd/screen.h"
#include "cmd/term.h"

/* Of what was started from the screen, as run does it. */
static int print_results(struct live *l, const struct settings *s, int status)
{
	struct output o;

	if (output_open(&o, s) < 0 ||
	    output_print(&o, l->report, &l->header) < 0)
		status = command_failed(EXIT_FAILED);
	output_close(&o);
	return status;
}

static int watch_screen(struct live *l, const struct settings *s, int tty)
{
	int signals = term_signals(true), status;

	if (signals < 0 || live_prepare(l, NULL, 0, NULL) < 0 ||
	    screen_open(&l->ui, s, tty, UI_MONITOR) < 0)
		return command_failed(EXIT_FAILED);
	launch_title(l);
	live_first_look(l);
	status = loop_run(l, signals);
	status = live_finish(l, status);
	if (l->header.n_jobs)
		status = print_results(l, s, status);
	if (status == EXIT_DONE)
		turn_print_plan(l, stderr);
	return status;
}

int cmd_top(struct settings *s)
{
	struct live l;
	int tty, status;

	if (s->log && !strcmp(s->log, "-")) {
		fail(EINVAL, "the screen needs stdout; give --log=FILE, or use "
			     "iodyno record");
		return command_failed(EXIT_USAGE);
	}
	if (s->arg.n && !isatty(STDOUT_FILENO)) {
		fail(ENOTTY,
		     "the monitor of %.255s needs a terminal, and stdout is "
		     "none; iodyno --help lists the commands",
		     s->arg.word[0]);
		return command_failed(EXIT_FAILED);
	}
	tty = term_open();
	if (tty < 0)
		return command_failed(EXIT_FAILED);
	status = live_open(&l, s, true, tty) < 0 ? command_failed(EXIT_USAGE)
						 : watch_screen(&l, s, tty);
	live_close(&l);
	close(tty);
	return status;
}
