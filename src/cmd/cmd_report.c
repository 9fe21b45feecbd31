/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: prints the tables of one run, or a comparison of the runs of an
 * experiment or of several logs.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/sha256.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/log_range.h"
#include "cmd/options.h"
#include "cmd/privilege.h"
#include "record/log.h"
#include "report/pivot/pivot.h"
#include "report/print/print.h"
#include "report/report.h"
#include "report/results.h"
#include "workload/jobfile/jobfile.h"

/* The content of one log. */
struct taking {
	struct report *report;
	struct runs *runs; /* NULL: the format compares no runs */
	struct log_range range;
	const struct preset *plan; /* the plan that made the log, or NULL */
	const struct settings *settings;
	size_t *unmet; /* runs that fail an assertion */
	struct assertions kept; /* that the log has in its summary */
	struct course course;
	bool with_course; /* the format draws the course */
	/* A job, or since the last summary a run of a sweep, has not ended. */
	bool running, attempted;
};

static bool has_results(const struct taking *t)
{
	return t->runs && t->runs->log[t->runs->n_logs - 1].results;
}

static int take_frame(const struct frame *f, void *arg)
{
	struct taking *t = arg;

	t->running = frame_phases(f) & ((1u << PHASE_DONE) - 1);
	if (!log_range_has(&t->range, f))
		return 0;
	if (t->with_course)
		course_add(&t->course, f);
	/* The log of an experiment holds the result of each run. */
	if (!has_results(t))
		report_add(t->report, f);
	return 0;
}

/* The runs of an experiment are in its lines; most formats take no frames then. */
static bool cmd_report_wants_frame(const void *arg)
{
	const struct taking *t = arg;

	return !has_results(t) || t->settings->from || t->settings->to ||
	       (t->with_course && runs_wants_course(t->runs));
}

/* Find a packaged plan in the command line that made the log. */
static void cmd_report_find_plan(struct taking *t, struct json *argv)
{
	for (size_t i = 1; i < json_length(argv); i++) {
		const char *word = json_string(json_at(argv, i));
		const struct preset *p = word ? preset_find(word) : NULL;

		if (p && p->plan)
			t->plan = p;
	}
}

/* Count a run that fails an assertion of its log, or else of --assert. */
static void judge_result(struct taking *t, struct json *line)
{
	const char *state = json_get_string(line, "state");
	const char *why = json_get_string(line, "text");
	char words[700];

	/* Once it is tried again. */
	if (state && !strcmp(state, "failed") &&
	    json_get_number(line, "attempt") > 1)
		report_lost_run(t->report, why ? why : "");
	if ((state && strcmp(state, "done") != 0) ||
	    !results_unmet(&t->settings->assertions, line, words,
			   sizeof(words)))
		return;
	command_say("run %.0f: %s", json_get_number(line, "run"), words);
	(*t->unmet)++;
}

/* How the run ended, and what it asserted: --assert is not in the header. */
static void take_summary(struct taking *t, struct json *line)
{
	const char *ended = json_get_string(line, "ended_by");
	struct json *kept = json_get(line, "assertion");

	if (ended)
		report_ended_by(t->report, ended);
	for (size_t i = 0; i < json_length(kept); i++) {
		const char *text = json_get_string(json_at(kept, i), "text");

		/* One of a later version may be unknown: leave it out. */
		if (text && assertions_add(&t->kept, text, NULL) < 0)
			continue;
	}
}

static int cmd_report_take_line(const char *type, struct json *line, void *arg)
{
	struct taking *t = arg;

	if (!strcmp(type, "summary"))
		take_summary(t, line);
	if (!strcmp(type, "attempt") || !strcmp(type, "summary"))
		t->attempted = *type == 'a';
	if (!strcmp(type, "result"))
		judge_result(t, line);
	if (t->runs)
		runs_add_line(t->runs, type, line);
	/*
	 * The course of a run that was cut off does not belong to the next run.
	 */
	if (!strcmp(type, "attempt"))
		course_free(&t->course);
	if (t->runs && !strcmp(type, "result"))
		runs_take_course(t->runs, &t->course);
	if (!strcmp(type, "header"))
		cmd_report_find_plan(t, json_get(line, "argv"));
	return 0;
}

/* A killed run writes no summary, and neither does one whose log is cut. */
static void cmd_report_cut(struct taking *t)
{
	struct json *line = json_new_object();

	json_put_text(line, "ended_by",
		      "an unknown cause (its log has no summary: killed, full "
		      "disk, or still running)");
	(void)cmd_report_take_line("summary", line, t);
	json_free(line);
}

/* Judge the assertions for a log that is one run. */
static void judge_log(struct taking *t, const char *path,
		      const struct log_reader *log)
{
	const struct header *h = log_reader_header(log);
	char words[700];

	report_assert(t->report, &t->settings->assertions);
	report_header(t->report, h);
	report_assert_too(t->report, &t->kept);
	/* Another program's results have nothing that the checks look at. */
	if (*h->program && strncmp(h->program, "iodyno", 6) != 0)
		report_no_checks(t->report);
	if (!report_failed_assertions(t->report, words, sizeof(words)))
		return;
	command_say("%s: %s", path, words);
	(*t->unmet)++;
}

/* Read a log; a log without result records is one run. */
static int read_log(struct taking *t, const char *path, struct log_reader **log)
{
	int err;

	if (t->runs)
		runs_add_log(t->runs, path);
	err = log_visit(
		log, path,
		&(struct log_visitor){ .frame = take_frame,
				       .wants_frame = cmd_report_wants_frame,
				       .line = cmd_report_take_line,
				       .arg = t });
	if (!err && (t->attempted ||
		     (!has_results(t) && t->running && !log_reader_summary(*log))))
		cmd_report_cut(t);
	if (!err)
		err = log_range_check(&t->range, path);
	if (!err && has_results(t) && (t->settings->from || t->settings->to))
		command_say("%s has the figures of whole runs, which --from and "
			    "--to do not cut", path);
	if (!err && !has_results(t))
		judge_log(t, path, *log);
	assertions_free(&t->kept);
	if (!err && t->runs && !has_results(t)) {
		struct json *whole = report_result_json(t->report);

		results_put_assertions(&t->report->assertions, whole);
		runs_add_whole(t->runs, whole);
		json_free(whole);
		if (t->settings->arg.n > 1)
			runs_take_course(t->runs, &t->course);
	}
	return err;
}

/* Exclude the runs that --exclude names by number. */
static int exclude(const struct settings *s, struct runs *runs)
{
	for (size_t i = 0; i < s->exclude.n; i++) {
		uint64_t number;

		if (!units_parse_count(s->exclude.word[i], 1, 1000000000,
				       &number) ||
		    !runs_exclude(runs, (double)number, s->why))
			return fail(EINVAL,
				    "--exclude=%s: there is no run of this "
				    "number",
				    s->exclude.word[i]);
	}
	return 0;
}

/* Hash each log: a reader of the report can check that a log is the same. */
static void hash_logs(struct runs *runs)
{
	for (size_t i = 0; i < runs->n_logs; i++) {
		struct runs_log *log = &runs->log[i];
		uint64_t bytes = 0;

		/* Standard input cannot be read again. */
		if (sha256_file(log->name, log->sha256, &bytes) < 0)
			*log->sha256 = '\0';
		else
			log->bytes = (double)bytes;
	}
}

static bool asks_for_pivot(const struct settings *s)
{
	return s->exclude.n || s->rows || s->cols || s->metric || s->filter.n || s->base ||
	       s->correct || s->error || s->simultaneous ||
	       s->margin_pct > 0 || s->include_invalid;
}

static int print_pivot(const struct settings *s, struct runs *runs,
		       const struct report_format *format)
{
	const struct pivot_options options = {
		.rows = s->rows,
		.cols = s->cols,
		.metric = s->metric,
		.filter = (const char *const *)s->filter.word,
		.n_filters = s->filter.n,
		.base = s->base,
		.correct = s->correct,
		.error = s->error,
		.simultaneous = s->simultaneous,
		.margin = s->margin_pct / 100,
		.include_invalid = s->include_invalid,
	};
	struct pivot pivot;
	int status = EXIT_DONE;

	memset(&pivot, 0, sizeof(pivot));
	hash_logs(runs);
	if (exclude(s, runs) < 0 || pivot_make(&pivot, runs, &options) < 0)
		status = command_failed(EXIT_USAGE);
	else
		format->pivot(&pivot, format->how, stdout);
	pivot_free(&pivot);
	return status;
}

/* Print one log: its own tables, unless it holds an experiment. */
static int report_one(const struct settings *s, const char *path,
		      const struct report_format *format, size_t *unmet)
{
	struct runs runs = { 0 };
	struct taking t = {
		.report = report_new(),
		.runs = format->pivot ? &runs : NULL,
		.settings = s,
		.unmet = unmet,
		.with_course = format->with_course,
	};
	struct log_reader *log = NULL;
	int status = EXIT_DONE;

	if (log_range_init(&t.range, s->from, s->to) < 0)
		status = command_failed(EXIT_USAGE);
	else if (read_log(&t, path, &log) < 0)
		status = command_failed(EXIT_FAILED);
	else if (has_results(&t))
		status = print_pivot(s, &runs, format);
	else {
		report_show_course(t.report, &t.course);
		if (runs.n_logs) {
			hash_logs(&runs);
			report_show_log(t.report, &runs.log[0]);
		}
		format->print(t.report, log_reader_header(log),
			      s->all && format->all ? format->all : format->how,
			      stdout);
	}
	log_reader_free(log);
	course_free(&t.course);
	report_free(t.report);
	runs_free(&runs);
	return status;
}

/* Read the runs of all logs; a log that cannot be read makes the status. plan: the
 * last one that made a log, or NULL. */
static int read_runs(const struct settings *s, const char *const *log, size_t n,
		     bool with_course, struct runs *runs,
		     const struct preset **plan, size_t *unmet)
{
	int status = EXIT_DONE;

	*plan = NULL;
	for (size_t i = 0; i < n; i++) {
		struct taking t = {
			.report = report_new(),
			.runs = runs,
			.settings = s,
			.unmet = unmet,
			.with_course = with_course,
		};
		struct log_reader *reader = NULL;

		if (log_range_init(&t.range, s->from, s->to) < 0)
			status = command_failed(EXIT_USAGE);
		else if (read_log(&t, log[i], &reader) < 0)
			status = command_failed(EXIT_FAILED);
		*plan = t.plan ? t.plan : *plan;
		log_reader_free(reader);
		course_free(&t.course);
		report_free(t.report);
	}
	return status;
}

/* Print all logs as one comparison; leave out logs that cannot be read. */
static int report_pivot(const struct settings *s,
			const struct report_format *format, size_t *unmet)
{
	const struct preset *plan;
	struct runs runs = { 0 };
	int printed, status = read_runs(s, (const char *const *)s->arg.word,
					s->arg.n, format->with_course, &runs,
					&plan, unmet);

	if (!runs.n && status != EXIT_DONE) {
		runs_free(&runs);
		return status;
	}
	printed = s->diff ? EXIT_DONE : print_pivot(s, &runs, format);
	if (s->diff && runs.n_logs == 2)
		pivot_differ_print(&runs, stdout);
	runs_free(&runs);
	return status == EXIT_DONE ? printed : status;
}

static int print_reference(const struct settings *s, const struct preset *p,
			   struct runs *runs,
			   const struct report_format *format)
{
	struct reference *ref = NULL;
	char *text = NULL;
	int err = preset_reference(p, &text);

	if (!err)
		err = reference_new(&ref, runs, p->name, text,
				    s->include_invalid);
	if (err < 0)
		command_failed(EXIT_FAILED);
	else
		format->reference(ref, format->how, stdout);
	reference_free(ref);
	free(text);
	return err < 0 ? EXIT_FAILED : EXIT_DONE;
}

int cmd_report_reference(const struct settings *s, const char *const *log,
			 size_t n, const char *format)
{
	size_t unmet = 0;
	const struct report_format *f = report_format_find(format);
	const struct preset *plan;
	struct runs runs = { 0 };
	int status = read_runs(s, log, n, false, &runs, &plan, &unmet);

	if (status == EXIT_DONE && !plan) {
		fail(EINVAL, "--reference: no log was made by a packaged plan, "
			     "such as iodyno sweep seed-000");
		status = command_failed(EXIT_USAGE);
	}
	if (plan && runs.n) {
		const int printed = print_reference(s, plan, &runs, f);

		/* A log that could not be read is not forgotten. */
		status = status == EXIT_DONE ? printed : status;
	} else if (status == EXIT_DONE) {
		fail(EINVAL, "the logs hold no run");
		status = command_failed(EXIT_USAGE);
	}
	runs_free(&runs);
	return status == EXIT_DONE && unmet ? EXIT_ASSERTION : status;
}

/*
 * The first interval that ends after --at; of processes the one in which that
 * time lies, since they are not read in each.
 */
struct excerpt_of {
	struct log_range range;
	unsigned *number; /* of the next footnote */
	bool iostat, top; /* still to be printed */
	double read_s;    /* when the processes were read last */
};

static int excerpt_frame(const struct frame *f, void *arg)
{
	struct excerpt_of *of = arg;
	const bool read = !f->table[SCHEMA_TASK].repeats;

	if (f->interval_s > 0 && log_range_has(&of->range, f)) {
		if (of->iostat)
			print_excerpt_iostat(f, (*of->number)++, stdout);
		if (of->top && read)
			print_excerpt_top(f, of->read_s, (*of->number)++,
					  stdout);
		of->iostat = false;
		of->top &= !read;
	}
	if (read)
		of->read_s = f->t_s;
	return 0;
}

static int report_excerpt(const struct settings *s)
{
	int status = EXIT_DONE;
	unsigned number = 1;

	if (strcmp(s->excerpt, "iostat") && strcmp(s->excerpt, "top") &&
	    strcmp(s->excerpt, "iostat,top")) {
		fail(EINVAL, "--excerpt=%s: give iostat, top or iostat,top",
		     s->excerpt);
		return command_failed(EXIT_USAGE);
	}
	if (!s->excerpt_at) {
		fail(EINVAL, "--excerpt shows one interval: choose it with "
			     "--at=TIME, such as --at=90 or --at=03:12");
		return command_failed(EXIT_USAGE);
	}
	for (size_t i = 0; i < s->arg.n; i++) {
		struct excerpt_of of = {
			.number = &number,
			.iostat = strstr(s->excerpt, "iostat"),
			.top = strstr(s->excerpt, "top"),
			.read_s = NAN,
		};
		struct log_reader *log = NULL;

		if (log_range_init(&of.range, s->excerpt_at, NULL) < 0)
			return command_failed(EXIT_USAGE);
		if (log_each(&log, s->arg.word[i], excerpt_frame, &of) < 0 ||
		    log_range_check(&of.range, s->arg.word[i]) < 0)
			status = command_failed(EXIT_FAILED);
		else if (of.top)
			printf("[%u] top: the log ends before the processes "
			       "were read again\n",
			       number++);
		log_reader_free(log);
	}
	return status;
}

struct series_of {
	struct print_series *series;
	const char *log;
	struct log_range range;
};

static int scan_frame(const struct frame *f, void *arg)
{
	struct series_of *of = arg;

	if (log_range_has(&of->range, f))
		print_series_scan(of->series, f);
	return 0;
}

static int series_frame(const struct frame *f, void *arg)
{
	struct series_of *of = arg;

	if (log_range_has(&of->range, f))
		print_series_add(of->series, of->log, f, stdout);
	return 0;
}

/* Read each log with fn. */
static int each_log(const struct settings *s, struct series_of *of,
		    int (*fn)(const struct frame *f, void *arg))
{
	int status = EXIT_DONE;

	for (size_t i = 0; i < s->arg.n; i++) {
		struct log_reader *log = NULL;

		of->log = s->arg.word[i];
		if (log_range_init(&of->range, s->from, s->to) < 0)
			return command_failed(EXIT_USAGE);
		if (log_each(&log, of->log, fn, of) < 0 ||
		    log_range_check(&of->range, of->log) < 0)
			status = command_failed(EXIT_FAILED);
		log_reader_free(log);
	}
	return status;
}

static int report_series(const struct settings *s)
{
	struct series_of of = { 0 };
	int status = EXIT_DONE;

	if (s->format && strcmp(s->format, "csv") != 0)
		fail(EINVAL, "--series is printed as csv: --format=csv");
	if ((s->format && strcmp(s->format, "csv") != 0) ||
	    print_series_new(&of.series, s->series) < 0)
		return command_failed(EXIT_USAGE);
	for (size_t i = 0; i < s->arg.n && print_series_scans(of.series); i++) {
		if (strcmp(s->arg.word[i], "-") != 0)
			continue;
		fail(EINVAL,
		     "--series=%s with a * reads a log twice; name "
		     "the rows, or give the log as a file",
		     s->series);
		print_series_free(of.series);
		return command_failed(EXIT_USAGE);
	}
	if (print_series_scans(of.series))
		status = each_log(s, &of, scan_frame);
	if (status == EXIT_DONE) {
		print_series_head(of.series, stdout);
		status = each_log(s, &of, series_frame);
	}
	print_series_free(of.series);
	return status;
}

static int cmd_report_check(const struct settings *s,
			    const struct report_format *format)
{
	if (!s->arg.n)
		return fail(EINVAL, "report needs a log: iodyno report LOG");
	if (s->exclude.n && (!s->why || !*s->why))
		return fail(EINVAL, "--exclude needs --why=TEXT: the report "
				    "prints the reason");
	if ((s->diff || s->excerpt) && s->format && strcmp(s->format, "text"))
		return fail(EINVAL,
			    "%s is printed as text only: leave out --format=%s",
			    s->diff ? "--diff" : "--excerpt", s->format);
	if (s->diff && s->arg.n != 2)
		return fail(EINVAL, "--diff needs two logs: iodyno report "
				    "--diff A B");
	if (s->reference && !format->reference)
		return fail(EINVAL, "--reference takes --format=text, mail or "
				    "json");
	if (format->one_run && s->arg.n > 1)
		return fail(EINVAL,
			    "--format=%s holds one run: give one log at a time",
			    format->name);
	if (asks_for_pivot(s) && !format->pivot)
		return fail(EINVAL,
			    "--format=%s holds one run and compares nothing; "
			    "use text, mail, json or csv",
			    format->name);
	return 0;
}

struct streaming {
	const struct report_format *format;
	struct log_range range;
	bool begun, first; /* of this log; no log before it was printed */
	size_t printed;
	bool all;
	void *state; /* of the format */
};

static int stream_frame(const struct frame *f, void *arg)
{
	struct streaming *st = arg;

	if (st->begun && f->interval_s > 0 && log_range_has(&st->range, f))
		st->format->frame(st->state, f, !st->printed++, stdout);
	return 0;
}

static int stream_line(const char *type, struct json *line, void *arg)
{
	struct streaming *st = arg;

	if (!st->begun && !strcmp(type, "header")) {
		st->state = st->format->begin(line, st->first, st->all,
					      stdout);
		st->begun = true;
	}
	return 0;
}

/* Print a log in a format that has a record per frame. begun: whether a log was
 * printed before; set once this one is. */
static int report_stream(const struct settings *s, const char *path,
			 const struct report_format *format, bool *begun)
{
	struct streaming st = {
		.format = format,
		.first = !*begun,
		.all = s->all,
	};
	struct log_reader *log = NULL;
	int err;

	if (log_range_init(&st.range, s->from, s->to) < 0)
		return command_failed(EXIT_USAGE);
	err = log_visit(&log, path,
			&(struct log_visitor){ .frame = stream_frame,
					       .line = stream_line,
					       .arg = &st });
	if (st.begun)
		format->end(st.state, stdout);
	*begun |= st.begun;
	if (!err)
		err = log_range_check(&st.range, path);
	if (!err && !st.printed)
		err = fail(ENODATA, "%s has no interval to print", path);
	log_reader_free(log);
	return err < 0 ? command_failed(EXIT_FAILED) : EXIT_DONE;
}

/* Options that do not go with a fleet say so. */
static int cmd_report_fleet(const struct settings *s,
			const struct report_format *format)
{
	if (format->fleet && !s->series && !s->excerpt && !s->diff &&
	    !s->reference && !asks_for_pivot(s) && !s->from && !s->to &&
	    !s->assertion.n)
		return report_fleet_print(s, format);
	fail(EINVAL, "a fleet is printed as text, json or html, whole; other "
		     "options are for the log of one host");
	return command_failed(EXIT_USAGE);
}

static int report_logs(const struct settings *s,
		       const struct report_format *format, size_t *unmet)
{
	int status = EXIT_DONE;
	bool begun = false;

	if (report_fleet_is(s))
		return cmd_report_fleet(s, format);
	if (s->series)
		return report_series(s);
	if (s->excerpt)
		return report_excerpt(s);
	if (s->reference)
		return cmd_report_reference(s, (const char *const *)s->arg.word,
					    s->arg.n, format->name);
	if (s->diff || asks_for_pivot(s) ||
	    (!format->print && !format->frame) ||
	    (format->pivot && s->arg.n > 1))
		return report_pivot(s, format, unmet);
	for (size_t i = 0; i < s->arg.n; i++) {
		int one =
			format->frame
				? report_stream(s, s->arg.word[i], format,
						&begun)
				: report_one(s, s->arg.word[i], format, unmet);

		if (one != EXIT_DONE)
			status = one;
	}
	if (begun)
		format->close(stdout);
	return status;
}

int cmd_report(struct settings *s)
{
	const char *name = s->format ? s->format : "text";
	const struct report_format *format = report_format_find(name);
	size_t unmet = 0;
	int status;

	if (cmd_report_check(s, format) < 0)
		return command_failed(EXIT_USAGE);
	/* Logs are opened with the rights of the caller. */
	if (privilege_drop() < 0)
		return command_failed(EXIT_FAILED);
	status = report_logs(s, format, &unmet);
	return status == EXIT_DONE && unmet ? EXIT_ASSERTION : status;
}
