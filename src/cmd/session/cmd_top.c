/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top: the live monitor.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "cmd/command.h"
#include "cmd/lists.h"
#include "cmd/run/cmd_run.h"
#include "cmd/run/output.h"
#include "cmd/session/cmd_top.h"
#include "cmd/session/display.h"
#include "record/line_out.h"
#include "report/print/print.h"

/* Print the results of jobs started from the screen, as run does. */
static int cmd_top_print_results(struct session *session,
				 const struct settings *s, int status)
{
	struct output o;

	if (output_open(&o, s) < 0 ||
	    output_print(&o, session->pipeline.report,
			 &session->pipeline.header) < 0)
		status = command_failed(EXIT_FAILED);
	output_close(&o);
	return status;
}

static int monitor(const struct settings *s, int tty)
{
	const struct session_options options = {
		.settings = s,
		.tty = tty,
		.occasion = UI_MONITOR,
		.turns_knobs = true,
	};
	struct live live = { 0 };
	struct session session;
	int status;

	if (session_open(&session, &options) < 0) {
		status = command_failed(EXIT_USAGE);
	} else {
		status = session_run(&session, &live_driver, &live);
		if (session.pipeline.header.n_jobs)
			status = cmd_top_print_results(&session, s, status);
		if (status == EXIT_DONE)
			cmd_run_print_plan(&session, stderr);
	}
	session_close(&session);
	return status;
}

int cmd_top_begin(struct session *s, void *arg not_used)
{
	if (s->settings->duration_ns)
		session_wake_at(s, s->pipeline.start_ns +
					   s->settings->duration_ns);
	return 0;
}

/* The exit status of a failed stdout. */
static int cmd_top_no_stdout(int err)
{
	return err == -EPIPE ? EXIT_SIGNAL + SIGPIPE
			     : command_failed(EXIT_FAILED);
}

void cmd_top_printed(struct session *s, struct line_out *out)
{
	int err = line_out_send(out);

	if (err)
		session_end(s, cmd_top_no_stdout(err));
	else if (s->settings->count &&
		 s->pipeline.frames >= s->settings->count)
		session_end(s, EXIT_DONE);
}

int cmd_top_run(struct line_out *out, const struct session_options *options,
		const struct driver *driver, void *arg, int refused)
{
	struct session session;
	unsigned long lost;
	int status, err;

	if (session_open(&session, options) < 0)
		status = command_failed(refused);
	else
		status = session_run(&session, driver, arg);
	err = line_out_close(out, status >= EXIT_SIGNAL, &lost);
	session_close(&session);
	if (lost)
		command_say("%lu lines were left out, as the reader of stdout "
			    "was too slow", lost);
	/* A signal and an earlier failure are the end already. */
	return err && status == EXIT_DONE ? cmd_top_no_stdout(err) : status;
}

struct batch_lines {
	struct print_batch *print;
	struct line_out *out;
};

static void batch_frame(struct session *s, void *arg, const struct frame *f)
{
	struct batch_lines *b = arg;

	print_batch_frame(b->print, f, line_out_file(b->out));
	cmd_top_printed(s, b->out);
}

void cmd_top_wake(struct session *s, void *arg not_used)
{
	session_end(s, EXIT_DONE);
}

static const struct driver batch_driver = {
	.by = "operator",
	.begin = cmd_top_begin,
	.frame = batch_frame,
	.wake = cmd_top_wake,
};

static int batch(const struct settings *s)
{
	const struct session_options options = {
		.settings = s,
		.tty = -1,
		.turns_knobs = s->at.n > 0,
		.traces = true,
	};
	struct batch_lines b = { 0 };
	int status;

	const struct batch_options wish = {
		.columns = s->columns,
		.form = s->csv    ? BATCH_CSV
			: s->json ? BATCH_JSON
				  : BATCH_TEXT,
		.idle = (s->arg.n && !s->only_busy) || s->all_devices,
		.extended = s->extended,
		.no_tasks = s->extended || s->only_devices || s->only_cpu,
		.no_devices = s->only_cpu && !s->extended && !s->only_devices,
		.megabytes = s->megabytes,
	};

	if (print_batch_new(&b.print, &wish) < 0)
		return command_failed(EXIT_USAGE);
	if (line_out_open(&b.out) < 0)
		status = command_failed(EXIT_FAILED);
	else
		status = cmd_top_run(b.out, &options, &batch_driver, &b,
				     EXIT_USAGE);
	print_batch_free(b.print);
	return status;
}

/* Whether the first word is a mistyped command, not a device. */
static bool is_slip(const struct settings *s)
{
	const char *word = s->arg.n ? s->arg.word[0] : "";
	char *path;
	bool is;

	if (!*word || strchr(word, '/') ||
	    !lists_near(lists_find("commands"), word))
		return false;
	path = xasprintf("%s/sys/class/block/%s", s->root ? s->root : "", word);
	is = access(path, F_OK) < 0;
	free(path);
	return is;
}

static int cmd_top_check(const struct settings *s)
{
	char near[TEXT_NEAR_MAX];

	if (is_slip(s)) {
		fail(EINVAL, "there is no command and no device %s%s",
		     s->arg.word[0],
		     lists_did_you_mean(lists_find("commands"), s->arg.word[0],
					near));
		return command_failed(EXIT_USAGE);
	}
	if (!s->batch && (s->columns || s->csv || s->json)) {
		fail(EINVAL, "--columns, --csv and --json need --batch");
		return command_failed(EXIT_USAGE);
	}
	if (s->csv && s->json) {
		fail(EINVAL, "--csv and --json exclude each other");
		return command_failed(EXIT_USAGE);
	}
	if (s->log && !strcmp(s->log, "-")) {
		fail(EINVAL, "the screen needs stdout; give --log=FILE, or use "
			     "iodyno record");
		return command_failed(EXIT_USAGE);
	}
	if (!s->arg.n || s->batch || isatty(STDOUT_FILENO))
		return EXIT_DONE;
	fail(ENOTTY,
	     "the monitor of %.255s needs a terminal, and stdout is none; "
	     "--batch prints text, iodyno --help lists the commands",
	     s->arg.word[0]);
	return command_failed(EXIT_FAILED);
}

/* "iostat vda 2 5": words that are numbers are interval and count. */
static void take_numbers(struct settings *s)
{
	unsigned taken = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->arg.n; i++) {
		char *word = s->arg.word[i], *end;
		double number = strtod(word, &end);

		if (*word < '0' || *word > '9' || *end || taken == 2 ||
		    number < (taken ? 1 : 0.01) || number > 3600 * 24)
			s->arg.word[n++] = word;
		else if (!taken++)
			s->interval_s = fmin(number, 3600);
		else
			s->count = (uint64_t)number;
	}
	s->arg.n = n;
}

int cmd_top(struct settings *s)
{
	int tty, status;

	/* iostat's letters ask for iostat's tables. */
	s->batch |= s->extended || s->only_devices || s->only_cpu ||
		    s->megabytes || s->only_busy || s->as_ever;
	if (s->batch)
		take_numbers(s);
	status = cmd_top_check(s);
	if (status != EXIT_DONE)
		return status;
	if (s->batch)
		return batch(s);
	tty = display_tty();
	if (tty < 0)
		return command_failed(EXIT_FAILED);
	status = monitor(s, tty);
	close(tty);
	return status;
}

/*
 * record: the monitor, headless, as JSON Lines on stdout or in --log=FILE.
 */

int cmd_record(struct settings *s)
{
	const struct session_options options = {
		.settings = s,
		.tty = -1,
		/* Without --at no knob is turned, so no keeper is needed. */
		.turns_knobs = s->at.n > 0,
		.traces = true,
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
