/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live open: a session from its settings to its first look.
 */
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/live.h"
#include "cmd/offer.h"
#include "cmd/privilege.h"

/* An hour at one frame a second, as far as a few MiB hold it. */
#define HISTORY_FRAMES 3600
#define HISTORY_BYTES  (4u << 20)

static int open_plan(struct live *l)
{
	for (size_t i = 0; i < l->settings->at.n; i++) {
		int err = plan_add(&l->plan, l->settings->at.word[i]);

		if (err < 0)
			return err;
	}
	return 0;
}

/*
 * What cannot be turned should not be found out in the middle of the run. The
 * tunables of a scheduler may come with an earlier step.
 */
static int check_plan(const struct live *l)
{
	for (size_t i = 0; i < l->plan.n; i++) {
		const struct action *a = &l->plan.step[i].action;
		int err;

		if (a->kind != ACTION_KNOB_SET ||
		    !strncmp(a->knob, "iosched.", 8))
			continue;
		err = knob_check(&l->root, a->device, a->knob, a->value);
		if (err < 0)
			return err;
	}
	return 0;
}

int live_open(struct live *l, const struct settings *s, bool with_keeper,
	      int tty)
{
	int err;

	memset(l, 0, sizeof(*l));
	l->settings = s;
	l->tty = tty;
	l->interval_s = s->interval_s;
	l->root.fd = l->loads.fd = -1;
	err = open_plan(l);
	if (err < 0)
		return err;
	err = root_open(&l->root, s->root);
	if (err < 0)
		return err;
	if (l->root.live && geteuid() != 0)
		text_copy(l->no_knobs, sizeof(l->no_knobs),
			  "only root can turn knobs; start it with sudo");
	if (with_keeper) {
		l->keeper_uid = geteuid();
		err = keeper_start(&l->keeper, &l->root, tty);
		if (err < 0)
			return err;
	} else {
		text_copy(l->no_knobs, sizeof(l->no_knobs),
			  "this command turns no knobs");
	}
	l->report = report_new();
	compare_add(&l->compare, l->report);
	offer_fill(&l->offer, l);
	l->history = history_new(HISTORY_FRAMES, HISTORY_BYTES);
	l->watch = watch_new();
	return 0;
}

static int open_log(struct live *l)
{
	int err;

	if (!l->settings->log)
		return 0;
	privilege_lower();
	err = log_create(&l->log, l->settings->log);
	privilege_raise();
	return err;
}

/* What the log's first line and the results tell, as far as it is known. */
static int begin_header(struct live *l)
{
	const struct settings *s = l->settings;
	struct header *h = &l->header;

	h->schema = LOG_SCHEMA;
	h->argv = s->argv;
	h->argc = (size_t)s->argc;
	h->wall_ns = clock_wall_ns();
	h->interval_s = l->interval_s;
	h->n_jobs = s->n_jobs;
	h->job = xcalloc(h->n_jobs + 1, sizeof(*h->job));
	for (size_t i = 0; i < h->n_jobs; i++)
		h->job[i] = s->job[i];
	h->n_labels = s->label.n;
	text_copy(h->program, sizeof(h->program), PACKAGE_STRING);
	return options_labels(s, &h->label);
}

int live_prepare(struct live *l, struct job *jobs, size_t n_jobs,
		 const struct allow_list *allowed)
{
	const struct settings *s = l->settings;
	struct collect_options options = {
		.no_tasks = s->no_tasks,
		.all_devices = s->all_devices,
		.watched = l->tty >= 0,
	};
	/* With the keeper's rights: ours may be gone in a moment. */
	int err = check_plan(l);

	if (err >= 0)
		err = begin_header(l);
	if (err < 0)
		return err;
	if (!privilege_needed(jobs, n_jobs))
		err = privilege_drop();
	if (err < 0)
		return err;
	if (!n_jobs) {
		options.device = s->arg.word;
		options.n_devices = s->arg.n;
	}
	err = collect_open(&l->collect, &l->root, &options);
	if (err < 0)
		return err;
	l->sampler = knob_sampler_new(&l->root);
	for (size_t i = 0; i < l->plan.n; i++)
		if (l->plan.step[i].action.kind == ACTION_KNOB_SET)
			knob_sampler_watch(l->sampler,
					   l->plan.step[i].action.device);
	if (n_jobs) {
		err = loads_open(&l->loads, &l->root, jobs, n_jobs, false,
				 allowed);
		if (err < 0)
			return err;
	}
	err = steer_check_plan(l);
	if (err < 0)
		return err;
	return open_log(l);
}
