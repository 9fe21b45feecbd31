/* SPDX-License-Identifier: GPL-2.0-or-later */
/* top: the live monitor. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "block/device_names.h"
#include "cmd/command.h"
#include "cmd/run/cmd_run.h"
#include "cmd/run/output.h"
#include "cmd/session/cmd_top.h"
#include "cmd/session/display.h"
#include "record/line_out.h"
#include "report/print/print.h"
#include "report/results.h"

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

int cmd_top_begin(struct session *s, void *arg)
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
		const struct driver *driver, void *arg)
{
	struct session session;
	unsigned long lost;
	int status, err;

	if (session_open(&session, options) < 0)
		status = command_failed(EXIT_USAGE);
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
	bool since_boot;  /* its report is still to be printed */
	bool once;	  /* nothing but that */
	bool iostat_json; /* in the form of iostat -o JSON, begun */
	struct words only; /* kernel names of devices, owned; none: all */
	struct row *row;   /* those of a frame */
	size_t cap;
};

/* The rows of the named devices alone. */
static void batch_only(struct batch_lines *b, struct table *t)
{
	size_t n = 0;

	b->row = xgrow(b->row, &b->cap, t->n + 1, sizeof(*b->row));
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < b->only.n; k++)
			if (!strcmp(t->row[i].id, b->only.word[k])) {
				b->row[n++] = t->row[i];
				break;
			}
	t->row = b->row;
	t->n = n;
}

static void batch_print(struct batch_lines *b, const struct frame *whole)
{
	FILE *out = line_out_file(b->out);
	struct frame part = *whole, *f = &part;

	if (b->only.n)
		batch_only(b, &part.table[SCHEMA_DEVICE]);
	print_batch_frame(b->print, f, out);
}

/* The counters of the kernel count from 0 at boot, as CLOCK_MONOTONIC does. */
static void batch_since_boot(struct batch_lines *b, const struct pipeline *p)
{
	static const enum schema_id of[] = { SCHEMA_CPU, SCHEMA_DEVICE };
	const struct sample *now = &p->sample[p->newest_sample];
	struct sample boot = { 0 };
	struct frame f = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		for (size_t k = 0; k < now->table[of[i]].n; k++) {
			struct row_key *key = sample_add(&boot, of[i]);

			*key = *(const struct row_key *)sample_row(now, of[i],
								   k);
		}
	frame_derive(&f, &boot, now, 0);
	f.table[SCHEMA_TASK].n = 0;
	f.n_events = 0;
	batch_print(b, &f);
	sample_free(&boot);
	frame_free(&f);
}

static void batch_frame(struct session *s, void *arg, const struct frame *f)
{
	struct batch_lines *b = arg;

	if (b->since_boot)
		batch_since_boot(b, &s->pipeline);
	b->since_boot = false;
	batch_print(b, f);
	cmd_top_printed(s, b->out);
}

/* The head of iostat's JSON. */
static int batch_begin(struct session *s, void *arg)
{
	struct batch_lines *b = arg;
	const struct header *h = &s->pipeline.header;
	struct utsname name;

	if (b->iostat_json)
		print_iostat_begin(
			&(struct print_iostat_host){
				.name = h->host.name,
				.kernel = h->host.kernel,
				.machine = uname(&name) ? NULL : name.machine,
				.cpus = h->host.cpus,
				.wall_ns = clock_wall_ns(),
			},
			true, line_out_file(b->out));
	if (b->once) {
		batch_since_boot(b, &s->pipeline);
		cmd_top_printed(s, b->out);
		session_end(s, EXIT_DONE);
	}
	return cmd_top_begin(s, arg);
}

/* Its end, so that the text is whole after a signal, too. */
static void batch_end(struct session *s, void *arg, int status)
{
	struct batch_lines *b = arg;

	if (!b->iostat_json)
		return;
	print_iostat_end(NULL, line_out_file(b->out));
	print_iostat_close(line_out_file(b->out));
	if (line_out_send(b->out) < 0)
		b->iostat_json = false; /* line_out_close() says it */
}

void cmd_top_wake(struct session *s, void *arg)
{
	session_end(s, EXIT_DONE);
}

static const struct driver batch_driver = {
	.by = BY_OPERATOR,
	.begin = batch_begin,
	.frame = batch_frame,
	.wake = cmd_top_wake,
	.end = batch_end,
};

static void batch_free(struct batch_lines *b)
{
	xfree_list(b->only.word, b->only.n);
	free(b->row);
	print_batch_free(b->print);
}

/* Names of iostat -j: their paths are what a session takes. */
static int batch_other_names(struct settings *s, struct device_names **out)
{
	const char *kind = s->iostat.persistent;
	struct root root;

	*out = NULL;
	if (!kind && !s->iostat.mapper)
		return 0;
	for (size_t i = 0; kind && i < s->arg.n; i++) {
		char *path = device_names_path(kind, s->arg.word[i]);

		if (path)
			s->arg.word[i] = path;
	}
	if (root_open(&root, s->root) < 0)
		return -EINVAL;
	*out = device_names_read(&root, kind);
	root_close(&root);
	return 0;
}

static bool batch_has_interval(const struct settings *s)
{
	for (int i = 0; i < s->argc; i++)
		if (!strncmp(s->argv[i], "-i", 2) ||
		    !strncmp(s->argv[i], "--interval", 10))
			return true;
	return s->interval_s != 1;
}

/* iostat without an interval prints one report, since boot. */
static bool batch_once(const struct settings *s)
{
	const bool asks = s->extended || s->only_devices || s->only_cpu ||
			  s->iostat.narrow || s->iostat.format;

	return asks && !s->csv && !s->json && !s->count && !s->duration_ns && !s->numbers &&
	       !batch_has_interval(s);
}

static int batch(struct settings *s)
{
	const struct session_options options = {
		.settings = s,
		.tty = -1,
		.turns_knobs = s->at.n > 0,
		.traces = true,
	};
	const struct iostat_settings *o = &s->iostat;
	struct batch_lines b = { .since_boot = o->since_boot,
				 .once = batch_once(s),
				 .iostat_json = o->format != NULL };
	struct device_names *names;
	int status;

	struct batch_options wish = {
		.columns = s->columns,
		.form = s->csv       ? BATCH_CSV
			: s->json    ? BATCH_JSON
			: o->format  ? BATCH_IOSTAT
				     : BATCH_TEXT,
		.idle = ((s->arg.n || o->format) && !s->only_busy) ||
			s->all_devices,
		.extended = s->extended,
		.narrow = o->narrow,
		.basic = s->only_devices && !s->csv && !s->json,
		.epoch = o->epoch,
		.human = o->human || o->pretty,
		.pretty = o->pretty,
		.digits = o->digits ? *o->digits - '0' : -1,
		.group = o->group,
		.group_only = o->group_only,
		.no_tasks = s->extended || s->only_devices || s->only_cpu ||
			    o->narrow || o->group,
		.no_devices = s->only_cpu && !s->extended && !s->only_devices,
		.cgroups = s->cgroups,
		.no_cpu = s->only_devices && !s->only_cpu,
		.megabytes = s->megabytes,
	};

	if (batch_other_names(s, &names) < 0)
		return command_failed(EXIT_USAGE);
	wish.names = names;
	for (size_t i = 0; i < s->arg.n && !o->partitions; i++)
		options_add_word(&b.only, options_device(s->arg.word[i]));
	if (print_batch_new(&b.print, &wish) < 0)
		status = command_failed(EXIT_USAGE);
	else if (line_out_open(&b.out) < 0)
		status = command_failed(EXIT_FAILED);
	else
		status = cmd_top_run(b.out, &options, &batch_driver, &b);
	batch_free(&b);
	device_names_free(names);
	return status;
}

/* Whether the first word is a mistyped command, not a device. */
static bool is_slip(const struct settings *s)
{
	const char *word = s->arg.n ? s->arg.word[0] : "";
	char *path;
	bool is;

	if (!*word || strchr(word, '/') || !command_near(word))
		return false;
	path = xasprintf("%s/sys/class/block/%s", s->root ? s->root : "", word);
	is = access(path, F_OK) < 0;
	free(path);
	return is;
}

static int cmd_top_check(const struct settings *s)
{
	if (is_slip(s)) {
		fail(EINVAL, "there is no command and no device %s%s",
		     s->arg.word[0],
		     text_did_you_mean("", command_near(s->arg.word[0])).text);
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
	if (s->iostat.digits && (strlen(s->iostat.digits) != 1 ||
				 !strchr("012", *s->iostat.digits))) {
		fail(EINVAL, "--dec=%.16s: it can be 0, 1 or 2",
		     s->iostat.digits);
		return command_failed(EXIT_USAGE);
	}
	if (s->iostat.format && (strcasecmp(s->iostat.format, "JSON") != 0 ||
				 s->csv || s->json || s->columns)) {
		fail(EINVAL, "-o %.16s: it can be JSON, without --csv, --json "
			     "and --columns; iodyno report has other formats",
		     s->iostat.format);
		return command_failed(EXIT_USAGE);
	}
	if (s->iostat.group_only && !s->iostat.group) {
		fail(EINVAL, "-H shows the sums of a group only; name it: -g "
			     "NAME");
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
	return command_failed(EXIT_USAGE);
}

/* "iostat vda 2 5": words that are numbers are interval and count. */
static void take_numbers(struct settings *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->arg.n; i++) {
		char *word = s->arg.word[i], *end;
		double number = strtod(word, &end);

		if (!strcmp(word, "ALL"))
			s->all_devices = true;
		else if (*word < '0' || *word > '9' || *end ||
			 s->numbers == 2 || number < (s->numbers ? 1 : 0.01) ||
			 number > 3600 * 24)
			s->arg.word[n++] = word;
		else if (!s->numbers++)
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
	s->batch |= s->letters_of_iostat || s->iostat.since_boot;
	if (s->batch)
		take_numbers(s);
	status = cmd_top_check(s);
	if (status != EXIT_DONE)
		return status;
	if (s->batch)
		return batch(s);
	tty = display_tty();
	if (tty < 0)
		return command_failed(EXIT_USAGE);
	status = monitor(s, tty);
	close(tty);
	return status;
}

/* record: the monitor, headless, as JSON Lines on stdout or in --log=FILE. */
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
