/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operator: the one place where the keys of a live screen are acted on.
 */
#include "cmd/session/operator.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/session/preview_thread.h"
#include "cmd/session/session.h"
#include "cmd/session/task_control.h"
#include "workload/target/opener.h"

/* --- jobs --- */

static void preview(struct session *s, const struct run_request *request)
{
	struct operator* o = & s->operator;

	if (o->preview) {
		o->next = *request;
		o->has_next = true;
		return;
	}
	preview_thread_free(o->ready);
	o->ready = NULL;
	/*
	 * A device that this session itself holds open is no reason to refuse.
	 */
	job_control_close_sampled(&s->jobs);
	if (preview_thread_begin(&o->preview, &s->root, s->settings->readonly,
				 request) < 0)
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

static void run(struct session *s, const struct run_request *wanted)
{
	struct job_request request = { .owned = true, .by = "operator" };
	struct job_set *set = NULL;
	int err;

	if (preview_thread_take(s->operator.ready, wanted, &request.job,
				&request.n_jobs, &request.allowed) < 0) {
		session_say(s, "%s", fail_sentence());
		return;
	}
	/* The operator has typed what it demands. */
	opener_allow(s->opener, request.allowed);
	err = job_control_start(&s->jobs, &request, &set);
	started(s, err, set);
}

static void again(struct session *s, const char *job)
{
	struct job_set *set;
	int err;

	/* Sample now the end of a job that ended since the last sample. */
	if (workloads_find(&s->workloads, job, &set) == 0 && set->workload &&
	    workloads_set_done(set) && !set->sampled)
		session_tick(s, 0);
	err = job_control_again(&s->jobs, job, "operator", &set);
	if (err == -EBUSY || err == -ENOENT)
		session_say(s, "%s", fail_sentence());
	else
		started(s, err, set);
}

static void stop(struct session *s, const char *job, const char *by)
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

static void set_job(struct session *s, const struct action *a, const char *by)
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

static void set_knob(struct session *s, const struct action *a, const char *by)
{
	int err;

	if (a->kind == ACTION_KNOB_UNDO)
		err = knob_control_undo(&s->knobs);
	else if (a->kind == ACTION_KNOB_RESET)
		err = knob_control_reset(&s->knobs, a->device);
	else
		err = knob_control_set(&s->knobs, a->device, a->knob, a->value,
				       by);
	if (err >= 0)
		return;
	session_plan_failed(s, by, fail_sentence());
	session_say(s, "%s", fail_sentence());
}

/* --- the rest --- */

static void pause_screen(struct session *s)
{
	s->operator.paused = !s->operator.paused;
	pipeline_hold(&s->pipeline, s->operator.paused);
}

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
	session_say(s, on ? "control groups appear at the next update "
				    "(0: their pane)"
				  : "control groups are no longer shown");
}

/* Log it, too: a reader must see that the load was stopped or slowed. */
static void order_task(struct session *s, const struct action *a,
		       const char *by)
{
	struct event e = { .kind = EVENT_NOTE };
	char words[160];

	if (task_control_act(&s->root, a->device, a->job, a->value, words,
			     sizeof(words)) < 0) {
		session_say(s, "%s", fail_sentence());
		return;
	}
	snprintf(e.text, sizeof(e.text), "%s, by %s", words, by);
	session_add_event(s, &e);
	session_say(s, "%s", words);
}

void operator_act(struct session *s, const struct action *a)
{
	const char *by = *a->by ? a->by : "operator";

	switch (a->kind) {
	case ACTION_QUIT:
		session_end(s, EXIT_DONE);
		break;
	case ACTION_PAUSE:
		pause_screen(s);
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
		run(s, a->run);
		break;
	case ACTION_CGROUPS:
		show_cgroups(s);
		break;
	case ACTION_THREADS:
		show_threads(s);
		break;
	case ACTION_TASK:
		order_task(s, a, by);
		break;
	case ACTION_COMPARE:
		compare_act(&s->view.compare, a);
		break;
	case ACTION_MARK:
		session_mark(s, a->value);
		break;
	default:
		break;
	}
}
