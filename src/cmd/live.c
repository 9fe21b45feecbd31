/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live: opening a session, and its tick.
 */
#include "cmd/live.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/knob_word.h"
#include "cmd/privilege.h"

/* An hour at one frame a second, as far as a few MiB hold it. */
#define HISTORY_FRAMES 3600
#define HISTORY_BYTES  (4u << 20)
#define MESSAGE_NS     (10 * NS_PER_S)

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
		 const struct permit *permit)
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
				 permit);
		if (err < 0)
			return err;
	}
	err = steer_check_plan(l);
	if (err < 0)
		return err;
	return open_log(l);
}

double live_now_s(const struct live *l)
{
	return (double)(clock_mono_ns() - l->start_ns) / 1e9;
}

/* Fill the older of the two samples; it becomes the newest. */
static struct sample *take_sample(struct live *l, unsigned late)
{
	struct sample *s = &l->sample[!l->newest_sample];

	sample_reset(s);
	collect_sample(l->collect, s);
	knob_sample(l->sampler, s);
	loads_sample(&l->loads, s);
	l->late += late;
	s->late = late;
	collect_self(s, l->frame_ns, l->late);
	l->newest_sample = !l->newest_sample;
	return s;
}

static struct frame *derive(struct live *l, unsigned late)
{
	struct frame *f = &l->frame[!l->shown];
	const struct sample *prev =
		l->sampled ? &l->sample[l->newest_sample] : NULL;
	const struct sample *now = take_sample(l, late);
	uint64_t since;

	if (!l->sampled)
		l->start_ns = now->mono_ns;
	l->sampled = true;
	frame_derive(f, prev, now, l->start_ns);
	for (size_t i = 0; i < l->n_events; i++)
		frame_add_event(f, &l->event[i]);
	l->n_events = 0;
	if (!l->restored)
		watch_look(l->watch, f,
			   l->keeper ? keeper_pending(l->keeper, &since)
				     : NULL);
	return f;
}

/* What only the first look tells: the time, host and devices. */
static void complete_header(struct live *l, const struct frame *first)
{
	const struct table *t = &first->table[SCHEMA_DEVICE];
	struct header *h = &l->header;

	h->wall_ns = first->wall_ns;
	collect_host(&l->root, &h->host);
	h->device = xcalloc(t->n, sizeof(*h->device));
	for (size_t i = 0; i < t->n; i++)
		if (collect_device_info(&l->root, t->row[i].id,
					&h->device[h->n_devices]))
			h->n_devices++;
}

static void write_header(struct live *l, const struct frame *first)
{
	l->header.knobs = first;
	live_log_wrote(l, log_header(l->log, &l->header));
	l->header.knobs = NULL;
}

void live_log_wrote(struct live *l, int err)
{
	if (err >= 0 || l->log_error)
		return;
	l->log_error = -err;
	text_copy(l->log_words, sizeof(l->log_words), fail_sentence());
}

void live_first_look(struct live *l)
{
	struct frame *f;

	/* Ten thousand processes take a while. */
	live_draw(l);
	f = derive(l, 0);
	l->shown = !l->shown;
	live_draw(l);
	complete_header(l, f);
	if (l->log)
		write_header(l, f);
}

/* Events as lines, for those who have no screen; not what they know. */
static void announce(struct live *l, const struct frame *f)
{
	size_t i = l->n_said;

	for (l->n_said = 0; i < f->n_events; i++) {
		char words[512];

		command_say("%8.3f s  %s", f->event[i].t_s,
			    event_words(&f->event[i], words, sizeof(words)));
	}
}

void live_tick(struct live *l, unsigned late)
{
	uint64_t begin = clock_mono_ns();
	struct frame *f = derive(l, late);

	l->tick_ns = begin;
	report_add(l->report, f);
	if (l->log && !l->log_error)
		live_log_wrote(l, log_frame(l->log, f));
	l->frames++;
	if (l->announce)
		announce(l, f);
	if (l->ui) {
		history_push(l->history, f);
		if (!l->paused) {
			l->shown = !l->shown;
			live_draw(l);
		}
	}
	l->frame_ns = clock_mono_ns() - begin;
}

void live_add_event(struct live *l, struct event *e)
{
	e->t_s = live_now_s(l);
	watch_own(l->watch, e);
	l->event = xgrow(l->event, &l->cap_events, l->n_events + 1,
			 sizeof(*l->event));
	l->event[l->n_events++] = *e;
}

void live_say(struct live *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->message, sizeof(l->message), fmt, ap);
	va_end(ap);
	l->message_ns = clock_mono_ns();
	if (!l->ui)
		command_say("%s", l->message);
}

/* "loop0.scheduler -> bfq, 1.3 s"; false when no turn is pending. */
static bool pending_words(struct live *l, char *buf, size_t size)
{
	const char *device;
	uint64_t since = 0;

	device = l->keeper ? keeper_pending(l->keeper, &since) : NULL;
	if (!device)
		return false;
	snprintf(buf, size, "%s of %s ... %.1f s",
		 l->resetting ? "putting back the settings" : "turning a knob",
		 device, (double)(clock_mono_ns() - since) / 1e9);
	return true;
}

/* Why what would be there is not, as far as it is known by now. */
static void view_lacks(struct live *l, struct ui_view *view)
{
	struct ui_lack *lack = l->lack;

	view->lack = lack;
	while (view->n_lacks < ARRAY_SIZE(l->lack) &&
	       (lack->sentence = collect_missing(l->collect, view->n_lacks,
						 &lack->about))) {
		view->n_lacks++;
		lack++;
	}
}

void live_view(struct live *l, struct ui_view *view, char *pending, size_t size)
{
	memset(view, 0, sizeof(*view));
	view->frame = l->sampled ? &l->frame[l->shown] : NULL;
	view->history = l->history;
	view->effect = report_effects(l->report, &view->n_effects);
	view->title = l->title;
	view->paused = l->paused;
	view_lacks(l, view);
	view->knob_word = knob_word;
	view->device_words = knob_device_words;
	view->device_words_of = &l->root;
	view->speed = 1;
	view->interval_s = l->interval_s;
	if (*l->message && clock_mono_ns() - l->message_ns < MESSAGE_NS)
		view->message = l->message;
	if (pending_words(l, pending, size))
		view->pending = pending;
	if (*l->no_knobs)
		view->no_knobs = l->no_knobs;
	view->outlook = launch_outlook(&l->launch);
	view->looking = launch_fd(&l->launch) >= 0;
	view->offer = &l->offer;
	compare_view(&l->compare, view);
}

void live_draw(struct live *l)
{
	struct ui_view view;
	char pending[128];

	if (!l->ui)
		return;
	live_view(l, &view, pending, sizeof(pending));
	ui_draw(l->ui, &view);
}
