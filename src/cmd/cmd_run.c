/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run: workloads under the monitor.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/bare.h"
#include "cmd/demo.h"
#include "cmd/jobs.h"
#include "cmd/launch.h"
#include "cmd/live.h"
#include "cmd/loop.h"
#include "cmd/output.h"
#include "cmd/screen.h"
#include "cmd/term.h"

static bool log_there(const struct settings *s)
{
	return s->log && !strcmp(s->log, "-");
}

/* Returns the status, or another when that fails. */
static int print_results(struct live *l, struct output *o, int status)
{
	if (output_print(o, l->report, &l->header) < 0) {
		int failed = command_failed(EXIT_FAILED);

		return status == EXIT_DONE ? failed : status;
	}
	/* Nothing but its document goes where fio's is read. */
	turn_print_plan(l, o->fio ? stderr : o->file);
	return status;
}

/* The usual way out: the log gets its end, the screen goes, then we speak. */
static int start_failed(struct live *l, struct output *o)
{
	char sentence[512];
	int status;

	text_copy(sentence, sizeof(sentence), fail_sentence());
	status = live_finish(l, EXIT_FAILED);
	command_say("%s", sentence);
	return o->fio ? print_results(l, o, status) : status;
}

/* What was accepted but does less than it says: on stderr and in the log. */
static void tell_notes(struct live *l, const struct settings *s)
{
	const char *text;
	size_t at = 0;

	while (jobs_note(s, &at, &text)) {
		struct event e = { .kind = EVENT_NOTE };

		text_copy(e.text, sizeof(e.text), text);
		live_add_event(l, &e);
	}
}

static int load(struct live *l, struct settings *s, struct output *o, int tty)
{
	struct allow_list allowed = {
		.destroy = s->destroy.word,
		.n_destroy = s->destroy.n,
		.overwrite = s->overwrite.word,
		.n_overwrite = s->overwrite.n,
		.override = s->override.word,
		.n_override = s->override.n,
	};
	int signals = term_signals(tty >= 0), err, status;

	if (signals < 0)
		return command_failed(EXIT_FAILED);
	err = live_prepare(l, s->job, s->n_jobs, &allowed);
	if (err < 0)
		return command_failed(command_status(err));
	if (tty >= 0 && screen_open(&l->ui, s, tty, UI_RUN) < 0)
		return command_failed(EXIT_FAILED);
	launch_title(l);
	live_first_look(l);
	tell_notes(l, s);
	/* By say_notes(), before anything else. */
	l->n_said = l->n_events;
	l->announce = tty < 0;
	if (loads_start(&l->loads, 0) < 0)
		return start_failed(l, o);
	status = loop_run(l, signals);
	status = live_finish(l, status);
	return print_results(l, o, status);
}

/* The terminal to draw on; -1: headless; -errno with a sentence. */
static int choose_tty(const struct settings *s)
{
	const char *term = getenv("TERM");

	if (s->headless && s->screen)
		return fail(EINVAL,
			    "--headless and --screen exclude each other");
	if (s->screen && log_there(s))
		return fail(EINVAL, "--screen and --log=- both want stdout; "
				    "give --log=FILE");
	if (s->headless || log_there(s))
		return -1;
	if (s->screen)
		return term_open();
	if (!isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return -1;
	return term_open();
}

static int run_jobs(struct settings *s, struct output *o, int tty)
{
	struct demo demo = { .scratch.fd = -1 };
	struct live l;
	int err = live_open(&l, s, tty >= 0 || s->at.n || !s->n_jobs, tty);
	int status;

	if (err < 0)
		status = command_failed(EXIT_USAGE);
	else if (!s->n_jobs && demo_make(&demo, s, &l.plan, &l.root) < 0)
		status = command_failed(EXIT_FAILED);
	else
		status = load(&l, s, o, tty);
	live_close(&l);
	demo_remove(&demo);
	return status;
}

/* --parse-only, --showcmd: nothing is run. */
static int print_jobs(const struct settings *s)
{
	if (!s->n_jobs) {
		fail(EINVAL, "there is no job to show; name a job file, a "
			     "preset or --name=NAME");
		return command_failed(EXIT_USAGE);
	}
	if (s->parse_only)
		jobs_print(s);
	if (s->showcmd)
		jobs_show(s);
	return EXIT_DONE;
}

static void say_notes(const struct settings *s)
{
	const char *text;
	size_t at = 0;

	while (jobs_note(s, &at, &text))
		command_say("%s", text);
}

/* Jobs that were given, and those of targets. */
static int read_jobs(struct settings *s, struct bare *bare)
{
	int err = jobs_read(s);

	if (err == 0 && s->target.n) {
		err = bare_make(bare, s, s->parse_only || s->showcmd);
		/* Of what was found, not of what was typed. */
		if (err < 0 && err != -EINVAL)
			return command_failed(EXIT_FAILED);
		if (err == 0)
			err = jobs_check(s);
	}
	if (err == 0)
		return EXIT_DONE;
	/* They may be the reason: bs=4KiB is 4000 bytes. */
	if (!s->warnings_fatal)
		say_notes(s);
	return command_failed(err == -EPERM ? EXIT_REFUSED : EXIT_USAGE);
}

static int run(struct settings *s, struct output *o, struct bare *bare)
{
	int tty, status = read_jobs(s, bare);

	if (status != EXIT_DONE)
		return status;
	if (!s->n_jobs && (s->global.filename || s->global.directory)) {
		fail(EINVAL, "a job needs a name; give --name=NAME");
		return command_failed(EXIT_USAGE);
	}
	say_notes(s);
	if (s->parse_only || s->showcmd) {
		o->printed = true;
		return print_jobs(s);
	}
	tty = choose_tty(s);
	if (tty < -1)
		return command_failed(tty == -EINVAL ? EXIT_USAGE
						     : EXIT_FAILED);
	status = run_jobs(s, o, tty);
	if (tty >= 0)
		close(tty);
	return status;
}

int cmd_run(struct settings *s)
{
	struct bare bare = { 0 };
	struct output o;
	int err = output_open(&o, s), status;

	if (err < 0)
		status = command_failed(err == -EINVAL ? EXIT_USAGE
						       : command_status(err));
	else
		status = output_finish(&o, s, run(s, &o, &bare));
	output_close(&o);
	bare_remove(&bare);
	return status;
}
