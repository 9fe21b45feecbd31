/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live: the jobs of the command line, and those that the operator adds.
 */
#include "cmd/session/live.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/run/jobs.h"
#include "report/report.h"

static int live_prepare(struct session *s, void *arg)
{
	struct live *l = arg;
	const struct job_request request = {
		.job = s->settings->job,
		.n_jobs = s->settings->n_jobs,
		.allowed = l->allowed,
		.keep_ids = true,
	};

	if (!request.n_jobs)
		return 0;
	return session_open_jobs(s, &request, &l->set);
}

/* Log the notes on options; they are on stderr already. */
static void add_notes(struct session *s)
{
	const char *text;
	size_t at = 0;

	while (jobs_note(s->settings, &at, &text)) {
		struct event e = { .kind = EVENT_NOTE };

		text_copy(e.text, sizeof(e.text), text);
		session_add_event(s, &e);
	}
	session_announced(s);
}

static int live_begin(struct session *s, void *arg)
{
	struct live *l = arg;

	view_title_of_jobs(s);
	if (s->settings->duration_ns)
		session_wake_at(s, s->pipeline.start_ns +
					   s->settings->duration_ns);
	add_notes(s);
	if (l->set) {
		int err = session_begin_jobs(s, l->set);

		if (err < 0)
			return err;
	}
	return l->plan ? ab_begin(&l->ab, s, l->plan, true) : 0;
}

static void live_frame(struct session *s, void *arg, const struct frame *f)
{
	struct live *l = arg;

	ab_frame(&l->ab, s, f);
	if (s->settings->count && s->pipeline.frames >= s->settings->count)
		session_end(s, EXIT_DONE);
}

static void live_event(struct session *s, not_used void *arg,
		       not_used const struct event *e)
{
	view_title_of_jobs(s);
}

static void live_jobs_over(struct session *s, void *arg,
			   not_used struct job_set *set)
{
	struct operator* o = & s->operator;
	struct live *l = arg;

	if (!workloads_done(&s->workloads))
		return;
	ab_stop(&l->ab, s, "all jobs have ended");
	/* An interactive user may want to start another job. */
	if (!session_has_screen(s) || !o->by_hand) {
		session_end(s, EXIT_DONE);
	} else if (!o->said_done) {
		o->said_done = true;
		session_say(s, "all jobs done (r: new, q: quit)");
		session_draw(s);
	}
}

static void live_knobs_set(struct session *s, void *arg, size_t failed)
{
	struct live *l = arg;

	ab_knobs_set(&l->ab, s, failed);
}

static void begin_crossover(struct session *s, struct live *l,
			    const struct crossover_request *request)
{
	struct ab_plan plan;

	if (ab_plan_request(&plan, request) < 0 ||
	    ab_begin(&l->ab, s, &plan, false) < 0)
		session_say(s, "not begun: %s", fail_sentence());
}

/* Act on the crossover's keys; refuse other changes while it runs. */
static bool live_action(struct session *s, void *arg, const struct action *a)
{
	struct live *l = arg;
	bool runs = ab_running(&l->ab);

	switch (a->kind) {
	case ACTION_CROSSOVER:
		if (!runs)
			begin_crossover(s, l, a->crossover);
		return true;
	case ACTION_CROSSOVER_END:
		ab_stop(&l->ab, s, "ended by the operator");
		return true;
	case ACTION_KNOB_SET:
	case ACTION_KNOB_UNDO:
	case ACTION_KNOB_RESET:
	case ACTION_JOB_SET:
	case ACTION_INTERVAL:
		if (runs)
			session_say(s, "a live crossover is under way: V ends "
				       "it");
		return runs;
	default:
		return false;
	}
}

static void live_view(struct session *s, void *arg, struct ui_view *view)
{
	struct live *l = arg;

	view->can_cross = true;
	view->crossover_runs = ab_running(&l->ab);
	if (l->ab.stage == AB_OFF)
		return;
	view->crossover = report_crossover(s->pipeline.report);
	view->crossover_words = l->ab.words;
}

static void live_end(struct session *s, void *arg, not_used int status)
{
	struct live *l = arg;

	ab_stop(&l->ab, s, "the run ends");
}

static void live_wake(struct session *s, not_used void *arg)
{
	session_end(s, EXIT_DONE);
}

const struct driver live_driver = {
	.by = "operator",
	.prepare = live_prepare,
	.begin = live_begin,
	.frame = live_frame,
	.event = live_event,
	.jobs_over = live_jobs_over,
	.knobs_set = live_knobs_set,
	.action = live_action,
	.view = live_view,
	.end = live_end,
	.wake = live_wake,
};

void live_print_plan(struct session *s, FILE *out)
{
	const struct effect *effect;
	size_t n, printed = 0;

	effect = report_effects(s->pipeline.report, &n);
	for (size_t i = 0; i < n; i++) {
		const struct event *e = &effect[i].event;

		if (strcmp(e->by, "operator") || e->error || !*e->knob)
			continue;
		fprintf(out, "%s--at=%.3fs:%s%s.%s=%s",
			printed++ ? " " : "to repeat: ", e->t_s,
			e->kind == EVENT_JOB_SET ? "job." : "",
			e->kind == EVENT_JOB_SET ? e->job : e->device, e->knob,
			e->new_value);
	}
	if (printed)
		fputc('\n', out);
}
