/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operator: acts on the keys of a live screen. */
#include "cmd/session/session.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/kernel.h"
#include "cmd/command.h"
#include "cmd/session/display.h"
#include "cmd/session/preview_thread.h"
#include "collect/collect.h"
#include "model/action.h"
#include "workload/target/guard.h"

/* --- the open files of a process --- */

/*
 * Read the files once a second, but wait at least this many times as long as
 * reading took: a process with thousands of files must not delay the samples.
 */
#define FILES_NS    NS_PER_S
#define FILES_COSTS 20

static void forget_files(struct operator* o)
{
	process_files_free(o->process_files);
	free(o->files);
	o->process_files = NULL;
	o->files = NULL;
}

uint64_t operator_files_due(const struct operator* o)
{
	return o->process_files ? o->files_due_ns : 0;
}

void operator_look_at_files(struct session *s)
{
	struct operator* o = & s->operator;
	uint64_t begin_ns = clock_mono_ns(), end_ns, wait_ns;

	if (!o->process_files)
		return;
	process_files_look(o->process_files, &s->root, begin_ns, o->files);
	end_ns = clock_mono_ns();
	wait_ns = (end_ns - begin_ns) * FILES_COSTS;
	o->files_due_ns = end_ns + (wait_ns > FILES_NS ? wait_ns : FILES_NS);
}

/* The first reading has no rates. The second one, a second later, has them. */
static void show_files(struct session *s, const struct action *a)
{
	struct operator* o = & s->operator;

	forget_files(o);
	if (!*a->device)
		return;
	o->process_files = process_files_new(a->device, a->job);
	o->files = xcalloc(1, sizeof(*o->files));
	operator_look_at_files(s);
}

/* --- jobs --- */

static void preview(struct session *s, const struct run_request *request)
{
	const struct allow_list allowed = options_allowed(s->settings);
	struct operator* o = & s->operator;

	if (o->preview) {
		o->next = *request;
		o->has_next = true;
		return;
	}
	preview_thread_free(o->ready);
	o->ready = NULL;
	/*
	 * Close finished sets first: the guard refuses a device that they hold
	 * open.
	 */
	job_control_close_sampled(&s->jobs);
	if (preview_thread_begin(&o->preview, &s->root, &allowed, request) < 0)
		session_say(s, "%s", fail_sentence());
}

int operator_preview_fd(const struct operator* o)
{
	return o->preview ? preview_thread_fd(o->preview) : -1;
}

void operator_previewed(struct session *s)
{
	struct operator* o = & s->operator;
	struct run_request next = o->next;

	preview_thread_end(o->preview);
	o->ready = o->preview;
	o->preview = NULL;
	if (!o->has_next)
		return;
	o->has_next = false;
	preview(s, &next);
}

const struct run_preview *operator_preview(const struct operator* o)
{
	return o->ready ? preview_thread_result(o->ready) : NULL;
}

void operator_free(struct operator* o)
{
	preview_thread_free(o->preview);
	preview_thread_free(o->ready);
	o->preview = o->ready = NULL;
	if (o->asked_fd)
		close(o->asked_fd);
	o->asked_fd = 0;
	forget_files(o);
}

/* Report whether the jobs run; err is the result of starting them. */
static void started(struct session *s, int err, const struct job_set *set)
{
	if (err < 0) {
		session_say(s, "not started: %s", fail_sentence());
		return;
	}
	s->operator.by_hand = true;
	s->operator.said_done = false;
	session_say(s, "job %s%s started", job_id(&set->job[0]),
		    set->n_jobs > 1 ? " and others are" : " is");
}

static void operator_start(struct session *s, const struct run_request *wanted)
{
	struct job_request request = { .owned = true, .by = BY_OPERATOR };
	struct job_set *set = NULL;
	int err;

	if (preview_thread_take(s->operator.ready, wanted, &request.job,
				&request.n_jobs, &request.allowed) < 0) {
		session_say(s, "%s", fail_sentence());
		return;
	}
	err = job_control_start(&s->jobs, &request, &set);
	started(s, err, set);
}

/* The next device for which the operator has not answered yet; NULL: none. */
static const char *operator_next_device(const struct operator* o)
{
	size_t n;
	char *const *device = preview_thread_devices(o->ready, &n);

	return o->n_answered < n ? device[o->n_answered] : NULL;
}

/* Leave the terminal to the opener, or take it back and start the jobs. */
static void operator_ask_next(struct session *s)
{
	struct operator* o = & s->operator;
	const char *device = operator_next_device(o);
	int fd = 0;

	display_hold(s->display, device);
	if (device)
		fd = opener_ask(s->opener, device);
	if (fd > 0) {
		o->asked_fd = fd;
		return;
	}
	display_hold(s->display, false);
	if (fd < 0)
		session_say(s, "not started: %s", fail_sentence());
	else
		operator_start(s, &o->wanted);
	session_draw(s);
}

int operator_asked_fd(const struct operator* o)
{
	return o->asked_fd ? o->asked_fd : -1;
}

void operator_answered(struct session *s)
{
	struct operator* o = & s->operator;
	const char *device = operator_next_device(o);
	int err = opener_answer(o->asked_fd, device);

	o->asked_fd = 0;
	o->n_answered++;
	if (!err) {
		operator_ask_next(s);
		return;
	}
	display_hold(s->display, false);
	session_say(s, "not started: %s", fail_sentence());
	session_draw(s);
}

static void operator_run(struct session *s, const struct run_request *wanted)
{
	struct operator* o = & s->operator;

	o->wanted = *wanted;
	o->n_answered = 0;
	operator_ask_next(s);
}

static void again(struct session *s, const char *job)
{
	struct job_set *set;
	int err;

	/* Sample now the end of a job that ended since the last sample. */
	if (workloads_find(&s->workloads, job, &set) == 0 && set->workload &&
	    workloads_set_done(set) && !set->sampled)
		session_tick(s, 0);
	err = job_control_again(&s->jobs, job, BY_OPERATOR, &set);
	if (err == -EBUSY || err == -ENOENT)
		session_say(s, "%s", fail_sentence());
	else
		started(s, err, set);
}

static void stop(struct session *s, const char *job, enum event_by by)
{
	if (job_control_stop(&s->jobs, job, by) < 0) {
		session_say(s, "%s", fail_sentence());
		return;
	}
	/* Keep the screen open, so that the job can be started again. */
	s->operator.by_hand = true;
	s->operator.said_done = false;
	session_say(s, "job %s is being stopped", job);
}

static void set_job(struct session *s, const struct action *a, enum event_by by)
{
	struct event e;
	char words[256];

	if (job_control_set(&s->jobs, a->job, a->knob, a->value, by, &e) < 0) {
		session_plan_failed(s, by, fail_sentence());
		session_say(s, "%s", fail_sentence());
	} else if (session_has_screen(s)) {
		session_say(s, "%s", event_words(&e, words, sizeof(words)));
	}
}

/* --- knobs --- */

static void set_knob(struct session *s, const struct action *a,
		     enum event_by by)
{
	int err;

	if (a->kind == ACTION_KNOB_UNDO)
		err = knob_control_undo(&s->knobs);
	else if (a->kind == ACTION_KNOB_RESET)
		err = knob_control_reset(&s->knobs, a->device, by);
	else
		err = knob_control_set(&s->knobs, a->device, a->knob, a->value,
				       by);
	if (err >= 0)
		return;
	session_plan_failed(s, by, fail_sentence());
	session_say(s, "%s", fail_sentence());
}

/* --- the rest --- */

static void show_threads(struct session *s)
{
	struct operator* o = & s->operator;

	o->threads = !o->threads;
	collect_threads(s->pipeline.collect, o->threads);
	session_say(s, o->threads ? "threads appear at the next update"
				  : "threads are no longer shown");
}

static void show_cgroups(struct session *s)
{
	struct operator* o = & s->operator;
	bool on;

	o->cgroups = !o->cgroups;
	on = o->cgroups != s->settings->cgroups;
	collect_cgroups(s->pipeline.collect, on);
	session_say(s, on ? "control groups are on (0: their pane)"
				  : "control groups are no longer shown");
}

/* Log the order, too: a reader must see that the load was changed. */
static void order_task(struct session *s, const struct task_target *task,
		       const char *order, enum event_by by)
{
	struct event e = { .kind = EVENT_NOTE };
	char words[184];

	if (task_control_act(&s->root, task->pid, task->name, order, words,
			     sizeof(words)) < 0) {
		session_say(s, "%s", fail_sentence());
		return;
	}
	snprintf(e.text, sizeof(e.text), "%s, by %s", words, event_by_word(by));
	session_add_event(s, &e);
	session_say(s, "%s", words);
}

void operator_act(struct session *s, const struct action *a)
{
	enum event_by by = a->by ? a->by : BY_OPERATOR;

	switch (a->kind) {
	case ACTION_QUIT:
		s->quit = true;
		session_end(s, EXIT_DONE);
		break;
	case ACTION_PAUSE:
		s->operator.paused = !s->operator.paused;
		pipeline_hold(&s->pipeline, s->operator.paused);
		break;
	case ACTION_INTERVAL:
		session_change_interval(s, a->number);
		break;
	case ACTION_KNOB_SET:
	case ACTION_KNOB_UNDO:
	case ACTION_KNOB_RESET:
		set_knob(s, a, by);
		break;
	case ACTION_JOB_SET:
		set_job(s, a, by);
		break;
	case ACTION_JOB_STOP:
		stop(s, a->job, by);
		break;
	case ACTION_JOB_START:
		again(s, a->job);
		break;
	case ACTION_RUN_LOOK:
		preview(s, a->run);
		break;
	case ACTION_RUN:
		operator_run(s, a->run);
		break;
	case ACTION_CGROUPS:
		show_cgroups(s);
		break;
	case ACTION_THREADS:
		show_threads(s);
		break;
	case ACTION_TASK:
		for (size_t i = 0; i < a->n_tasks; i++)
			order_task(s, &a->task[i], a->value, by);
		break;
	case ACTION_FILES:
		show_files(s, a);
		break;
	case ACTION_COMPARE:
		view_compare_act(&s->view.compare, a);
		break;
	case ACTION_MARK:
		session_mark(s, a->value);
		break;
	default:
		break;
	}
}
