/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steer: running jobs are changed and stopped, as a key or a plan asks for.
 */
#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "cmd/live.h"

/* What was refused is an event as well: who looks at the log asks why. */
static void set_refused(struct live *l, const struct action *a, int error)
{
	struct event e = { .kind = EVENT_JOB_SET, .error = error };

	text_copy(e.job, sizeof(e.job), a->job);
	text_copy(e.knob, sizeof(e.knob), a->knob);
	text_copy(e.wanted, sizeof(e.wanted), a->value);
	text_copy(e.by, sizeof(e.by), *a->by ? a->by : "operator");
	text_copy(e.text, sizeof(e.text), fail_sentence());
	live_plan_failed(l, e.by, fail_sentence());
	live_say(l, "%s", fail_sentence());
	live_add_event(l, &e);
}

/* The load of a job that has not ended and been closed. */
static int find_running(struct live *l, const char *job, struct load **load)
{
	int rc = loads_find(&l->loads, job, load);

	if (rc < 0)
		return rc;
	return (*load)->workload ? 0 : fail(EINVAL, "job %s is over", job);
}

static void stop(struct live *l, const struct action *a)
{
	struct event e = { .kind = EVENT_JOB_STOP };
	struct load *load;

	if (find_running(l, a->job, &load) < 0 ||
	    workload_stop_job(load->workload, a->job) < 0) {
		live_say(l, "%s", fail_sentence());
		return;
	}
	text_copy(e.job, sizeof(e.job), a->job);
	text_copy(e.by, sizeof(e.by), *a->by ? a->by : "operator");
	live_add_event(l, &e);
	/* The screen stays, so that it can be started again. */
	l->launch.by_hand = true;
	l->launch.said_done = false;
	live_say(l, "job %s is being stopped", a->job);
}

static void set(struct live *l, const struct action *a)
{
	struct event e;
	struct load *load;
	char words[256];
	int err = find_running(l, a->job, &load);

	if (err >= 0)
		err = workload_control(load->workload, a->job, a->knob,
				       a->value, &e);

	if (err < 0) {
		set_refused(l, a, -err);
		return;
	}
	text_copy(e.by, sizeof(e.by), *a->by ? a->by : "operator");
	live_add_event(l, &e);
	if (l->ui)
		live_say(l, "%s", event_words(&e, words, sizeof(words)));
}

void steer_act(struct live *l, const struct action *a)
{
	if (a->kind == ACTION_JOB_SET)
		set(l, a);
	else
		stop(l, a);
}

int steer_check_plan(const struct live *l)
{
	for (size_t i = 0; i < l->plan.n; i++) {
		const struct action *a = &l->plan.step[i].action;
		struct load *load;
		int rc;

		if (a->kind != ACTION_JOB_SET)
			continue;
		if (!loads_any(&l->loads))
			return fail(EINVAL,
				    "--at=...job.%s.%s: this command runs no "
				    "jobs",
				    a->job, a->knob);
		rc = loads_find(&l->loads, a->job, &load);
		if (rc < 0)
			return rc;
	}
	return 0;
}
