/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Session: the parts on their event loop, from the first frame to the end. */
#include "cmd/session/session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/privilege.h"
#include "cmd/session/display.h"
#include "cmd/session/tracing.h"
#include "cmd/start_time.h"
#include "workload/target/guard.h"

/* A status of the loop that no exit status is: the driver could not begin. */
#define SESSION_BEGIN_FAILED 1000
#define REDRAW_NS   100000000 /* while a turn is pending */
#define PROGRESS_NS 200000000
/* How long the jobs of a set may take to end before they are left behind. */
#define FORGET_NS (5 * NS_PER_S)
/* How long a worker may hang in the kernel before it is left behind. */
#define PATIENCE_NS (5 * NS_PER_S)
/* How long settings and the screen wait for such a worker. */
#define RESTORE_AFTER_NS NS_PER_S

/* --- messages and events --- */

void session_say(struct session *s, const char *fmt, ...)
{
	struct session_view *v = &s->view;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->message, sizeof(v->message), fmt, ap);
	va_end(ap);
	v->message_ns = clock_mono_ns();
	if (!s->display)
		command_say("%s", v->message);
}

void session_title(struct session *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->view.title, sizeof(s->view.title), fmt, ap);
	va_end(ap);
}

void session_plan_failed(struct session *s, enum event_by by,
			 const char *sentence)
{
	if (by == BY_PLAN && !*s->plan_failed)
		text_set(s->plan_failed, sentence);
}

void session_announced(struct session *s)
{
	s->n_announced = s->pipeline.n_events;
}

bool session_has_screen(const struct session *s)
{
	return s->display;
}

double session_now_s(const struct session *s)
{
	return pipeline_now_s(&s->pipeline);
}

void session_add_event(struct session *s, struct event *e)
{
	pipeline_add_event(&s->pipeline, e);
}

void session_mark(struct session *s, const char *text)
{
	struct event e = { .kind = EVENT_MARK };

	text_set(e.text, text);
	session_add_event(s, &e);
}

void session_record_synced(struct session *s, const char *type,
			   struct json *object)
{
	pipeline_record_synced(&s->pipeline, type, object);
}

void session_used_id(struct session *s, const char *name, unsigned number)
{
	job_control_used_id(&s->jobs, name, number);
}

/* Keep the event: the driver gets it when no part is busy. */
static void on_event(void *arg, const struct event *e)
{
	struct session *s = arg;

	if (!s->driver || !s->driver->event)
		return;
	*xadd(s->news, s->n_news, s->cap_news) = *e;
}

/* Whether events are printed as lines: then do not print them again. */
static bool reads_events(const struct session *s)
{
	return !s->display && s->options.announce;
}

static void on_knob_message(void *arg, const char *sentence, bool in_log)
{
	struct session *s = arg;

	if (s->driver && s->driver->quiet_knobs && !s->knobs.unrestored)
		return;
	if (!in_log || !reads_events(s))
		session_say(s, "%s", sentence);
}

static void on_knob_answer(void *arg, const struct event *e)
{
	struct session *s = arg;
	char words[512];

	event_words(e, words, sizeof(words));
	if (e->error)
		session_plan_failed(s, e->by, words);
	if ((s->display && (e->error || !s->driver->quiet_knobs)) ||
	    (e->error && !reads_events(s)))
		session_say(s, "%s", words);
}

static void on_knob_refused(void *arg, enum event_by by, const char *sentence)
{
	struct session *s = arg;

	session_plan_failed(s, by, sentence);
	session_say(s, "%s", sentence);
}

static void on_queue_done(void *arg, size_t failed)
{
	struct session *s = arg;

	s->knobs_answered = true;
	s->knobs_failed = failed;
}

/* --- frames --- */

void session_draw(struct session *s)
{
	display_draw(s->display);
}

/*
 * Print events as lines, for users without a screen. What other programs do to
 * the devices of a machine stands in the report of a run, with a count.
 */
static void announce(struct session *s, const struct frame *f)
{
	bool jobs = workloads_any(&s->workloads);
	size_t i = s->n_announced;

	for (s->n_announced = 0; i < f->n_events; i++) {
		char words[512];

		/* The report prints results, metrics, and notes of checks. */
		if ((jobs && !event_is_own(&f->event[i])) ||
		    (f->event[i].kind == EVENT_CHECK &&
		     strcmp(f->event[i].new_value, "spoilt") != 0))
			continue;
		command_say("%8.3f s  %s", f->event[i].t_s,
			    event_words(&f->event[i], words, sizeof(words)));
	}
}

/* Update the line of progress a few times a second, whatever the interval. */
static void show_progress(struct session *s, const struct frame *f)
{
	uint64_t now_ns = clock_mono_ns();
	char words[160];

	if (!s->options.progress || s->display ||
	    now_ns - s->progress_ns < PROGRESS_NS)
		return;
	s->progress_ns = now_ns;
	command_progress(start_time_wait_ns(s->settings)
				 ? start_time_words(s->settings, words,
						    sizeof(words))
				 : view_progress(f, words, sizeof(words)));
}

/* Hand the waiting events to the driver, which may add more. */
static void tell_news(struct session *s)
{
	for (size_t i = 0; i < s->n_news; i++) {
		struct event e = s->news[i]; /* the array may move */

		s->driver->event(s, s->driver_arg, &e);
	}
	s->n_news = 0;
}

/* The file of --openmetrics could not be written: a note, once for each reason. */
static void tell_metrics(struct session *s, bool last)
{
	const char *words =
		s->pipeline.metrics
			? metrics_complaint(s->pipeline.metrics, last)
			: NULL;
	struct event e = { .kind = EVENT_NOTE };

	if (!words)
		return;
	text_set(e.text, words);
	session_add_event(s, &e);
	if (s->options.tty < 0)
		command_say("%s", words);
}

void session_tick(struct session *s, unsigned late)
{
	uint64_t begin_ns = clock_mono_ns();
	const struct frame *f;

	tell_news(s);
	f = pipeline_tick(&s->pipeline, late, !s->knobs.restored,
			  knob_control_pending(&s->knobs, NULL));
	if (reads_events(s))
		announce(s, f);
	show_progress(s, f);
	tell_metrics(s, false);
	if (!s->operator.paused)
		session_draw(s);
	pipeline_took(&s->pipeline, clock_mono_ns() - begin_ns);
	if (s->driver->frame)
		s->driver->frame(s, s->driver_arg, f);
}

static uint64_t interval_ns(const struct session *s)
{
	return clock_span_ns(s->interval_s);
}

/* Tick at start + k * interval: a late tick does not delay the later ones. */
static void set_tick(struct session *s, uint64_t from_ns)
{
	s->due_ns = from_ns + interval_ns(s);
	loop_source_deadline(s->tick, s->due_ns);
}

/*
 * End when the log failed. EINTR means that a signal came while the log's
 * reader stalled; that signal ends the session.
 */
static void end_with_log(struct session *s)
{
	int error = s->pipeline.log_error;

	if (error && error != EINTR)
		session_end(s, EXIT_FAILED);
}

static void on_tick(void *arg, short events)
{
	struct session *s = arg;
	uint64_t now_ns = clock_mono_ns();
	uint64_t missed =
		now_ns > s->due_ns ? (now_ns - s->due_ns) / interval_ns(s) : 0;

	set_tick(s, s->due_ns + missed * interval_ns(s));
	job_control_take_events(&s->jobs);
	session_tick(s, (unsigned)missed);
	end_with_log(s);
}

void session_change_interval(struct session *s, double factor)
{
	double interval_s = s->interval_s * factor;

	s->interval_s = interval_s < 0.01   ? 0.01
			: interval_s > 3600 ? 3600
					    : interval_s;
	set_tick(s, clock_mono_ns());
	session_say(s, "interval is %g s now", s->interval_s);
}

/* --- sources --- */

void session_end(struct session *s, int status)
{
	loop_end(s->loop, status);
}

void session_wake_at(struct session *s, uint64_t mono_ns)
{
	loop_source_deadline(s->wake, mono_ns);
}

static void on_wake(void *arg, short events)
{
	struct session *s = arg;

	if (s->driver->wake)
		s->driver->wake(s, s->driver_arg);
}

/*
 * SIGHUP without a screen: begin a new log if the file was moved away. If it
 * was not, the signal means that the terminal is gone.
 */
static bool rotates_log(struct session *s, int sig)
{
	int err;

	if (sig != SIGHUP || s->display)
		return false;
	err = pipeline_rotate_log(&s->pipeline);
	if (err == 0)
		return true;
	if (err != -EEXIST && err != -ENOENT)
		command_say("%s", fail_sentence());
	return false;
}

/* Print the status as of now, and again after --status-interval. */
static void on_status(void *arg, short events)
{
	struct session *s = arg;

	job_control_take_events(&s->jobs);
	session_tick(s, 0);
	s->driver->status(s, s->driver_arg);
}

static void on_status_due(void *arg, short events)
{
	struct session *s = arg;

	loop_source_deadline(s->status,
			     clock_mono_ns() + s->settings->status_ns);
	on_status(s, events);
}

static void session_on_signal(void *arg, short events)
{
	struct session *s = arg;
	int sig;

	while ((sig = loop_take_signal(s->signal_fd)))
		if (sig == SIGUSR1)
			on_status(s, events);
		else if (!rotates_log(s, sig) && !display_signal(s->display, sig))
			session_end(s, EXIT_SIGNAL + sig);
}

static void on_keeper(void *arg, short events)
{
	struct session *s = arg;

	knob_control_receive(&s->knobs);
	session_draw(s);
}

static void on_jobs(void *arg, short events)
{
	struct session *s = arg;

	job_control_take_events(&s->jobs);
}

static void on_preview(void *arg, short events)
{
	struct session *s = arg;

	operator_previewed(s);
	session_draw(s);
}

static void on_answer(void *arg, short events)
{
	operator_answered(arg);
}

static void on_redraw(void *arg, short events)
{
	session_draw(arg);
}

static void on_files(void *arg, short events)
{
	struct session *s = arg;

	operator_look_at_files(s);
	session_draw(s);
}

static void session_fill_view(void *arg, struct ui_view *view)
{
	view_fill(arg, view);
}

static void session_act(void *arg, const struct action *a)
{
	struct session *s = arg;

	/* There is no frame yet that a key could act on. */
	if (s->stage == SESSION_WAITS && a->kind != ACTION_QUIT)
		return;
	if (s->driver->action && s->driver->action(s, s->driver_arg, a))
		return;
	operator_act(s, a);
}

/* Do the steps of the plan that are due. */
static void do_plan(struct session *s)
{
	struct plan *p = &s->plan;

	while (p->next < p->n) {
		const struct plan_step *step = &p->step[p->next];
		uint64_t at_ns =
			s->pipeline.start_ns + clock_span_ns(step->t_s);

		if (at_ns > clock_mono_ns()) {
			loop_source_deadline(s->timed, at_ns + 1);
			return;
		}
		/* One turn at a time: the step waits for the one before it. */
		if (knob_control_pending(&s->knobs, NULL))
			return;
		p->next++;
		operator_act(s, &step->action);
	}
}

/* do_plan() is called before each wait: this only ends the wait. */
static void on_timed(void *arg, short events)
{
}

/* --- the driver's news --- */

/* The next set that has ended and was not reported; NULL: there is none. */
static struct job_set *next_over(const struct session *s)
{
	for (struct job_set *set = s->workloads.first; set; set = set->next)
		if (!set->reported && workloads_set_done(set))
			return set;
	return NULL;
}

static void report_over(struct session *s)
{
	struct job_set *set;

	while (loop_status(s->loop) < 0 && (set = next_over(s))) {
		job_control_take_events(&s->jobs);
		if (set->workload && !set->sampled)
			session_tick(s, 0);
		set->reported = true;
		if (s->driver->jobs_over)
			s->driver->jobs_over(s, s->driver_arg, set);
	}
}

static void tell_driver(struct session *s)
{
	do {
		tell_news(s);
		report_over(s);
		if (s->knobs_answered) {
			s->knobs_answered = false;
			if (s->driver->knobs_set)
				s->driver->knobs_set(s, s->driver_arg,
						     s->knobs_failed);
		}
	} while (loop_status(s->loop) < 0 &&
		 (s->n_news || s->knobs_answered || next_over(s)));
}

static void session_before_wait(void *arg)
{
	struct session *s = arg;

	if (s->stage == SESSION_WAITS) {
		display_before_wait(s->display);
		return;
	}
	do_plan(s);
	tell_driver(s);
	loop_source_fd(s->keeper, knob_control_fd(&s->knobs), POLLIN);
	loop_source_fd(s->jobs_source, s->workloads.fd, POLLIN);
	loop_source_fd(s->preview, operator_preview_fd(&s->operator), POLLIN);
	loop_source_fd(s->asked, operator_asked_fd(&s->operator), POLLIN);
	loop_source_deadline(s->redraw,
			     s->display && knob_control_pending(&s->knobs, NULL)
				     ? clock_mono_ns() + REDRAW_NS
				     : 0);
	loop_source_deadline(s->files, operator_files_due(&s->operator));
	display_before_wait(s->display);
}

/* --- for drivers --- */

int session_start_jobs(struct session *s, const struct job_request *request,
		       struct job_set **out)
{
	struct job_request r = *request;

	if (!r.by)
		r.by = s->driver->by;
	return job_control_start(&s->jobs, &r, out);
}

void session_stop_jobs(struct session *s, struct job_set *set)
{
	job_control_stop_set(&s->jobs, set, s->driver->by);
}

int session_forget_jobs(struct session *s, struct job_set *set)
{
	return job_control_forget(&s->jobs, set, FORGET_NS);
}

void session_set_knobs(struct session *s, const struct knob_wish *wish,
		       size_t n)
{
	struct knob_wish *own = xcalloc(n + 1, sizeof(*own));

	for (size_t i = 0; i < n; i++) {
		own[i] = wish[i];
		own[i].by = s->driver->by;
	}
	knob_control_queue(&s->knobs, own, n);
	free(own);
}

/* --- the end --- */

/* Whether all sets are done, and a sample holds their last figures. */
static bool all_sampled(const struct workloads *ws)
{
	for (struct job_set *set = ws->first; set; set = set->next)
		if (set->workload && !set->sampled)
			return false;
	return true;
}

static void end_jobs(struct session *s, uint64_t patience_ns)
{
	uint64_t begin_ns = clock_mono_ns();
	struct pollfd fd = { .fd = s->workloads.fd, .events = POLLIN };

	workloads_stop(&s->workloads);
	while (!workloads_done(&s->workloads) &&
	       clock_mono_ns() - begin_ns < patience_ns) {
		poll(&fd, 1, 20);
		job_control_take_events(&s->jobs);
	}
	job_control_take_events(&s->jobs);
}

/* Report the steps of --at that the run did not reach. */
static void say_unreached(const struct session *s)
{
	char words[256];

	for (size_t i = s->plan.next; i < s->plan.n; i++)
		command_say("--at=%gs:%s was not reached", s->plan.step[i].t_s,
			    plan_words(&s->plan.step[i].action, words,
				       sizeof(words)));
}

/* The exit status of a log that failed. */
static int log_status(int error, int status)
{
	if (error == EPIPE)
		return EXIT_SIGNAL + SIGPIPE;
	return error == EINTR && status >= EXIT_SIGNAL ? status : EXIT_FAILED;
}

static void close_display(struct session *s)
{
	display_close(s->display);
	s->display = NULL;
}

const char *session_ended_by(const struct session *s, int status)
{
	static const struct {
		int number;
		const char *name;
	} signals[] = { { SIGINT, "SIGINT" }, { SIGTERM, "SIGTERM" },
			{ SIGHUP, "SIGHUP" }, { SIGQUIT, "SIGQUIT" },
			{ SIGPIPE, "SIGPIPE" } };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (status == EXIT_SIGNAL + signals[i].number)
			return signals[i].name;
	return s->quit ? "the operator" : NULL;
}

/* Tell the report that jobs are ended before their end, and by what. */
static void session_note_end(struct session *s, int status)
{
	const char *name = session_ended_by(s, status);

	if (!name || !workloads_any(&s->workloads) ||
	    workloads_done(&s->workloads))
		return;
	report_ended_by(s->pipeline.report, name);
	if (reads_events(s))
		command_say("the jobs are ended early, by %s", name);
}

/* End the jobs, restore the settings, write the last frames and summary. */
static void end_log(struct session *s, int status)
{
	session_note_end(s, status);
	if (status >= EXIT_SIGNAL)
		pipeline_hurry(&s->pipeline);
	if (workloads_any(&s->workloads)) {
		end_jobs(s, RESTORE_AFTER_NS);
		if (!all_sampled(&s->workloads))
			session_tick(s, 0);
	}
	/* A worker that hangs delays neither settings nor the terminal. */
	knob_control_restore(&s->knobs);
	if (workloads_any(&s->workloads) && !workloads_done(&s->workloads)) {
		close_display(s);
		end_jobs(s, PATIENCE_NS - RESTORE_AFTER_NS);
		session_tick(s, 0);
	}
	tell_metrics(s, true);
	if (s->pipeline.n_events)
		session_tick(s, 0);
	pipeline_summary(&s->pipeline, !s->knobs.unrestored && !s->knobs.held);
}

/*
 * Stop the jobs, put settings back, write the last frames and the summary,
 * close the screen and print the errors. status is the status of the loop.
 * Returns an exit status.
 */
static int session_finish(struct session *s, int status)
{
	bool on_screen = s->display;
	char *sentence = NULL;

	command_progress(NULL);
	s->options.progress = false;
	if (s->driver->end)
		s->driver->end(s, s->driver_arg, status);
	end_log(s, status);
	if (s->pipeline.log_error) {
		sentence = xstrdup(s->pipeline.log_words);
		status = log_status(s->pipeline.log_error, status);
	}
	if (workloads_close(&s->workloads, PATIENCE_NS) < 0) {
		if (!sentence)
			sentence = xstrdup(fail_sentence());
		if (status == EXIT_DONE)
			status = EXIT_FAILED;
	}
	*s->workloads.failed = '\0';
	close_display(s);
	/* The settings are back. */
	loop_source_fd(s->signal, -1, 0);
	loop_signals_end(s->signal_fd);
	s->signal_fd = -1;
	say_unreached(s);
	if (*s->plan_failed && on_screen)
		command_say("%s", s->plan_failed);
	if (*s->plan_failed && status == EXIT_DONE)
		status = EXIT_FAILED;
	if (sentence && status != EXIT_SIGNAL + SIGPIPE)
		command_say("%s", sentence);
	free(sentence);
	for (size_t i = 0; i < s->knobs.n_left; i++)
		command_say("%s", s->knobs.left[i]);
	if (s->knobs.unrestored) {
		command_say("%s", s->knobs.unrestored_words);
		status = EXIT_NOT_RESTORED;
	}
	return status;
}

/* Stop jobs and keeper, which could outlive the program. */
static void stop_processes(struct session *s)
{
	close_display(s);
	if (workloads_close(&s->workloads, PATIENCE_NS) < 0)
		command_failed(EXIT_FAILED);
	if (s->knobs.keeper &&
	    keeper_stop(s->knobs.keeper, PATIENCE_NS, NULL, NULL) < 0)
		command_failed(EXIT_FAILED);
	s->knobs.keeper = NULL;
}

/* --- open, run, close --- */

static int open_plan(struct session *s)
{
	for (size_t i = 0; i < s->settings->at.n; i++) {
		int err = plan_add(&s->plan, s->settings->at.word[i]);

		if (err < 0)
			return err;
	}
	return 0;
}

int session_open(struct session *s, const struct session_options *options)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->options = *options;
	s->settings = options->settings;
	s->interval_s = s->settings->interval_s;
	s->root.fd = s->signal_fd = -1;
	workloads_init(&s->workloads);
	pipeline_init(&s->pipeline, &s->root, &s->workloads);
	s->pipeline.appends = options->appends;
	s->pipeline.from_s = options->from_s;
	knob_control_init(&s->knobs, &s->root, &s->pipeline);
	job_control_init(&s->jobs, &s->root, &s->pipeline, &s->workloads);
	view_init(s);
	err = open_plan(s);
	if (err >= 0)
		err = root_open(&s->root, s->settings->root);
	if (err >= 0)
		(void)command_recover_clusters(&s->root);
	if (err >= 0 && options->turns_knobs)
		err = knob_control_open(&s->knobs, options->tty);
	else if (err >= 0)
		command_recover(&s->root);
	if (err >= 0 && options->turns_knobs && getpid() == 1)
		command_say("iodyno is process 1 of its namespace: when it is "
			    "killed, the kernel kills its keeper as well, and "
			    "settings stay changed; start it below an init "
			    "(docker run --init)");
	/* A run measures a device: it is traced only where that is asked for. */
	if (err >= 0)
		err = tracing_start(&s->trace, s->settings, &s->root,
				    options->traces ||
					    (options->tty >= 0 &&
					     options->occasion == UI_MONITOR));
	if (err >= 0)
		err = loop_new(&s->loop);
	return err;
}

/*
 * Check before the run whether the knobs of --at can be turned, except tunables
 * of a scheduler that an earlier step may set.
 */
static int check_plan_knobs(const struct session *s)
{
	for (size_t i = 0; i < s->plan.n; i++) {
		const struct action *a = &s->plan.step[i].action;
		int err;

		if (a->kind != ACTION_KNOB_SET ||
		    !strncmp(a->knob, "iosched.", 8))
			continue;
		err = knob_check(&s->root, a->device, a->knob, a->value);
		if (err < 0)
			return err;
	}
	return 0;
}

/* Refuse steps for jobs that do not exist. */
static int check_plan_jobs(const struct session *s)
{
	for (size_t i = 0; i < s->plan.n; i++) {
		const struct action *a = &s->plan.step[i].action;
		struct job_set *set;
		int err;

		if (a->kind != ACTION_JOB_SET)
			continue;
		if (!workloads_any(&s->workloads))
			return fail(EINVAL,
				    "--at=...job.%s.%s: this command runs no "
				    "jobs",
				    a->job, a->knob);
		err = workloads_find(&s->workloads, a->job, &set);
		if (err < 0)
			return err;
	}
	return 0;
}

static int open_pipeline(struct session *s)
{
	const struct settings *settings = s->settings;
	struct collect_options options = {
		.no_tasks = settings->no_tasks,
		.cgroups = settings->cgroups,
		.all_devices = settings->all_devices,
		.watched = s->options.tty >= 0 || settings->batch,
		/* A tick that comes a little early reads them, too. */
		.look_ns = (uint64_t)(settings->task_interval_s * 0.9e9),
		.trace = s->trace,
	};
	int err;

	if (!settings->n_jobs) {
		options.device = settings->arg.word;
		options.n_devices = settings->arg.n;
	}
	err = pipeline_open(&s->pipeline, &options);
	if (err < 0)
		return err;
	for (size_t i = 0; i < s->plan.n; i++)
		if (s->plan.step[i].action.kind == ACTION_KNOB_SET)
			knob_sampler_watch(s->pipeline.sampler,
					   s->plan.step[i].action.device);
	return 0;
}

/* Start the opener only if there are jobs or a screen that can start some. */
static int give_up_rights(struct session *s)
{
	const struct settings *settings = s->settings;
	const struct allow_list allowed = options_allowed(settings);
	int err;

	if (!settings->n_jobs && s->options.tty < 0)
		return privilege_drop();
	err = privilege_drop_for(&s->opener, settings->job, settings->n_jobs,
				 &allowed, s->options.tty >= 0);
	s->root.opener = s->opener;
	return err;
}

/* Keep the rights that the jobs of the settings need; give up the others. */
static int settle_rights(struct session *s)
{
	const struct settings *settings = s->settings;
	const struct allow_list allowed = options_allowed(settings);
	int err = 0;

	if (privilege_by_sudo())
		err = privilege_check_files(settings->job, settings->n_jobs);
	if (err < 0)
		return err;
	if (privilege_needed(settings->job, settings->n_jobs, &allowed))
		return privilege_check_commands(settings->job,
						settings->n_jobs);
	return give_up_rights(s);
}

/* Check everything that can be refused before there is a log or a screen. */
static int session_prepare(struct session *s)
{
	const struct settings *settings = s->settings;
	int err = start_time_check(settings);

	/* This needs rights that this process is about to give up. */
	if (err >= 0)
		err = check_plan_knobs(s);
	if (err >= 0)
		err = pipeline_begin_header(&s->pipeline, settings,
					    s->interval_s);
	if (err >= 0)
		err = s->driver->rights ? s->driver->rights(s, s->driver_arg)
					: settle_rights(s);
	if (err >= 0)
		err = open_pipeline(s);
	if (err >= 0 && s->driver->prepare)
		err = s->driver->prepare(s, s->driver_arg);
	if (err >= 0)
		err = check_plan_jobs(s);
	if (err >= 0 && settings->alarm_limits)
		err = options_alarm_limits(settings, s->pipeline.alarms);
	if (err >= 0 && settings->openmetrics)
		err = pipeline_open_metrics(&s->pipeline, settings);
	if (err >= 0 && settings->log)
		err = pipeline_open_log(
			&s->pipeline, settings->log,
			/* It names files and processes of others. */
			s->trace && s->trace->may);
	return err;
}

static void connect_parts(struct session *s)
{
	s->pipeline.on_event = on_event;
	s->pipeline.on_event_arg = s;
	s->knobs.on_message = on_knob_message;
	s->knobs.on_answer = on_knob_answer;
	s->knobs.on_refused = on_knob_refused;
	s->knobs.on_queue_done = on_queue_done;
	s->knobs.arg = s;
}

static void on_start(void *arg, short events);

/* Sources are served in this order when several are ready. */
static void add_sources(struct session *s)
{
	s->signal = loop_add(s->loop, session_on_signal, s);
	loop_source_fd(s->signal, s->signal_fd, POLLIN);
	s->keeper = loop_add(s->loop, on_keeper, s);
	s->tick = loop_add(s->loop, on_tick, s);
	s->jobs_source = loop_add(s->loop, on_jobs, s);
	s->preview = loop_add(s->loop, on_preview, s);
	s->asked = loop_add(s->loop, on_answer, s);
	s->timed = loop_add(s->loop, on_timed, s);
	s->wake = loop_add(s->loop, on_wake, s);
	s->redraw = loop_add(s->loop, on_redraw, s);
	s->files = loop_add(s->loop, on_files, s);
	s->status = loop_add(s->loop, on_status_due, s);
	s->start = loop_add(s->loop, on_start, s);
	loop_before_wait(s->loop, session_before_wait, s);
}

static int open_display(struct session *s)
{
	const struct display_owner owner = { session_fill_view, session_act,
					     s };

	if (s->options.tty < 0)
		return 0;
	s->pipeline.keep_history = true;
	return display_open(&s->display, s->loop, s->settings, s->options.tty,
			    s->options.occasion, &owner);
}

static void session_note_late(struct session *s)
{
	struct event e = { .kind = EVENT_START_LATE,
			   .value = start_time_late_s(s->settings) };

	if (e.value > 0)
		session_add_event(s, &e);
}

static int session_begin(struct session *s)
{
	/*
	 * Reading ten thousand processes takes long, so open the screen first.
	 */
	session_draw(s);
	pipeline_first(&s->pipeline);
	session_draw(s);
	set_tick(s, s->pipeline.start_ns + clock_span_ns(s->pipeline.from_s));
	if (s->driver->status && s->settings->status_ns)
		loop_source_deadline(s->status, s->pipeline.start_ns +
							s->settings->status_ns);
	if (!s->driver->lays_out)
		session_note_late(s);
	return s->driver->begin ? s->driver->begin(s, s->driver_arg) : 0;
}

/* Close the screen first, then print the sentence. */
static int not_begun(struct session *s)
{
	char sentence[512];
	int status;

	text_set(sentence, fail_sentence());
	status = session_finish(s, EXIT_FAILED);
	command_say("%s", sentence);
	return status;
}

/*
 * Whether --start-at holds back the whole session, with its first frame: jobs of
 * a run lay out their files first, so their workers wait.
 */
static bool session_waits(const struct session *s)
{
	return !s->driver->lays_out && start_time_wait_ns(s->settings);
}

/* Begin, or show how long it takes until then and look again. */
static void on_start(void *arg, short events)
{
	struct session *s = arg;
	uint64_t wait_ns = start_time_wait_ns(s->settings);

	if (wait_ns) {
		show_progress(s, NULL);
		session_draw(s);
		if (wait_ns > START_TIME_LOOK_NS)
			wait_ns = START_TIME_LOOK_NS;
		loop_source_deadline(s->start, clock_mono_ns() + wait_ns);
		return;
	}
	command_progress(NULL);
	s->stage = SESSION_NOT_BEGUN;
	if (session_begin(s) < 0)
		loop_end(s->loop, SESSION_BEGIN_FAILED);
	else
		s->stage = SESSION_RAN;
	end_with_log(s);
}

/* Wait for the start in the loop: a signal or a key may end the wait. */
static int session_run_later(struct session *s)
{
	int status;

	s->stage = SESSION_WAITS;
	on_start(s, 0);
	status = loop_run(s->loop);
	if (status == SESSION_BEGIN_FAILED)
		return not_begun(s);
	if (s->stage == SESSION_WAITS) {
		close_display(s);
		return status;
	}
	return session_finish(s, status);
}

int session_run(struct session *s, const struct driver *driver, void *arg)
{
	int err;

	s->driver = driver;
	s->driver_arg = arg;
	connect_parts(s);
	s->signal_fd = loop_signals(s->options.tty >= 0, driver->status);
	if (s->signal_fd < 0)
		return command_failed(EXIT_FAILED);
	add_sources(s);
	err = session_prepare(s);
	if (err < 0)
		return command_failed(command_status(err));
	if (open_display(s) < 0)
		return command_failed(EXIT_FAILED);
	if (session_waits(s))
		return session_run_later(s);
	s->stage = SESSION_NOT_BEGUN;
	if (session_begin(s) < 0)
		return not_begun(s);
	s->stage = SESSION_RAN;
	/* If writing the header failed, do not wait for the tick. */
	end_with_log(s);
	return session_finish(s, loop_run(s->loop));
}

void session_close(struct session *s)
{
	stop_processes(s);
	operator_free(&s->operator);
	view_free(&s->view);
	job_control_free(&s->jobs);
	pipeline_free(&s->pipeline);
	tracing_stop(s->trace);
	workloads_free(&s->workloads);
	opener_stop(s->opener);
	knob_control_free(&s->knobs);
	plan_free(&s->plan);
	free(s->news);
	loop_free(s->loop);
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	if (s->root.fd >= 0)
		root_close(&s->root);
}
