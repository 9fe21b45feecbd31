/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turn: the one place where wishes about knobs become turns, whether a key or
 * a plan asked for them, and where their outcomes become events.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/live.h"

/* Ask the keeper; 0 or what keeper_set() said. */
static int ask(struct live *l, const char *device, const char *knob,
	       const char *value, const char *by, bool is_undo)
{
	int err;

	if (!l->keeper)
		return fail(EPERM, "%s", l->no_knobs);
	err = keeper_set(l->keeper, device, knob, value);
	if (err < 0)
		return err;
	knob_sampler_watch(l->sampler, device);
	text_copy(l->pending_by, sizeof(l->pending_by), by);
	text_copy(l->pending_knob, sizeof(l->pending_knob), knob);
	l->pending_undo = is_undo;
	return 0;
}

static void undo(struct live *l)
{
	const struct undo *u;

	if (!l->n_undo) {
		live_say(l, "there is no turn to undo");
		return;
	}
	u = &l->undo[l->n_undo - 1];
	if (ask(l, u->device, u->knob, u->value, "operator", true) < 0)
		live_say(l, "%s", fail_sentence());
}

void turn_act(struct live *l, const struct action *a)
{
	const char *by = *a->by ? a->by : "operator";

	if (a->kind == ACTION_KNOB_UNDO) {
		undo(l);
	} else if (a->kind == ACTION_KNOB_RESET) {
		reset_begin(l, a->device);
	} else if (ask(l, a->device, a->knob, a->value, by, false) < 0) {
		live_plan_failed(l, by, fail_sentence());
		live_say(l, "%s", fail_sentence());
	}
}

int64_t turn_plan(struct live *l)
{
	struct plan *p = &l->plan;
	uint64_t since;

	while (p->next < p->n) {
		const struct plan_step *step = &p->step[p->next];
		double wait_s = step->t_s - live_now_s(l);

		if (wait_s > 0)
			return (int64_t)(wait_s * 1e9) + 1;
		/* One turn at a time: the step waits for its predecessor. */
		if (l->keeper && keeper_pending(l->keeper, &since))
			return -1;
		p->next++;
		if (step->action.kind == ACTION_JOB_SET)
			steer_act(l, &step->action);
		else
			turn_act(l, &step->action);
	}
	return -1;
}

/* Remember how to undo what worked; an undo takes its own entry away. */
static void remember(struct live *l, const struct keeper_report *r)
{
	struct undo *u;

	if (l->pending_undo) {
		if (l->n_undo)
			l->n_undo--;
		return;
	}
	if (l->n_undo == ARRAY_SIZE(l->undo)) {
		memmove(&l->undo[0], &l->undo[1],
			sizeof(l->undo) - sizeof(l->undo[0]));
		l->n_undo--;
	}
	u = &l->undo[l->n_undo++];
	text_copy(u->device, sizeof(u->device), r->device);
	text_copy(u->knob, sizeof(u->knob), r->knob);
	text_copy(u->value, sizeof(u->value), r->old_value);
}

/*
 * Readahead is copied into a file when it is opened; running jobs' files must
 * be told, and the operator where it cannot matter.
 */
static void tell_files(struct live *l, struct event *e)
{
	char words[160];
	int told;

	if (!loads_any(&l->loads)) {
		text_copy(e->text, sizeof(e->text),
			  "holds for files opened from now on");
		return;
	}
	told = loads_readahead(&l->loads, e->device, words, sizeof(words));
	if (told > 0)
		snprintf(e->text, sizeof(e->text), "%d open file%s told%s%s",
			 told, told == 1 ? "" : "s", *words ? "; " : "", words);
	else
		text_copy(e->text, sizeof(e->text), words);
}

/* The keeper has the number of an error only; the same check has words. */
static void explain(const struct live *l, const struct keeper_report *r,
		    struct event *e)
{
	if (knob_check(&l->root, r->device, r->knob, r->wanted) == -r->error)
		text_copy(e->text, sizeof(e->text), fail_sentence());
}

/*
 * With its device, its setting (of a scheduler that somebody else has changed)
 * or its value an undo is gone; those before it are not.
 */
static bool undo_is_over(int error)
{
	return !error || error == ENODEV || error == ENOENT || error == EINVAL;
}

/* The turn's own event and, before it, those of what it changed besides. */
static void turned(struct live *l, const struct keeper_report *r)
{
	struct event e = turn_event(r, l->pending_by);
	char words[512];

	if (r->error)
		explain(l, r, &e);
	else if (!strcmp(r->knob, "read_ahead_kb"))
		tell_files(l, &e);
	live_add_event(l, &e);
	l->turned |= !r->error;
	if (!r->error)
		reset_note_turn(l, r->device);
	if (l->pending_undo ? undo_is_over(r->error)
			    : !r->error && !event_changed_nothing(&e))
		remember(l, r);
	event_words(&e, words, sizeof(words));
	if (r->error)
		live_plan_failed(l, l->pending_by, words);
	if (l->ui || (r->error && !l->announce))
		live_say(l, "%s", words);
}

/* The keeper reports side effects first; they name the turn that follows. */
static void changed(struct live *l, const struct keeper_report *r)
{
	struct event e = turn_event(r, l->pending_by);

	text_copy(e.cause, sizeof(e.cause), l->pending_knob);
	/* Tunables that come and go with their scheduler are no news. */
	if (!*r->old_value || !*r->new_value) {
		watch_own(l->watch, &e);
		return;
	}
	if (!strcmp(r->knob, "read_ahead_kb"))
		tell_files(l, &e);
	live_add_event(l, &e);
}

/* Its journal is left; what it holds is put back at the end. */
static void keeper_died(struct live *l)
{
	/* A turn under way may have been made. */
	if (keeper_pending(l->keeper, NULL))
		l->turned = true;
	if (keeper_stop(l->keeper, 0, NULL, NULL) < 0)
		live_say(l, "the keeper of the settings died; no knob can be "
			    "turned any more");
	l->keeper = NULL;
	l->resetting = false;
	l->keeper_dead = true;
	text_copy(l->no_knobs, sizeof(l->no_knobs),
		  "the keeper of the settings died");
}

/* What a run that was cut off had left is put back: news, but no turn. */
static void left_over(struct live *l, const struct keeper_report *r)
{
	struct event e = turn_event(r, "restore"),
		     note = { .kind = EVENT_NOTE };
	char words[512];

	watch_own(l->watch, &e);
	knob_sampler_watch(l->sampler, r->device);
	snprintf(note.text, sizeof(note.text), "left by a run cut off: %.150s",
		 event_words(&e, words, sizeof(words)));
	live_add_event(l, &note);
	if (l->ui || !l->announce)
		live_say(l, "%s", note.text);
}

static void take(struct live *l, const struct keeper_report *r)
{
	if (r->kind == KEEPER_CHANGED)
		changed(l, r);
	else if (r->kind == KEEPER_TURNED)
		turned(l, r);
}

void turn_receive(struct live *l)
{
	struct keeper_report r;
	int got;

	if (!l->keeper)
		return;
	while ((got = keeper_receive(l->keeper, &r)) > 0) {
		if (l->resetting &&
		    (r.kind == KEEPER_RESTORED || r.kind == KEEPER_DONE))
			reset_report(l, &r);
		else if (r.kind == KEEPER_RESTORED)
			left_over(l, &r);
		else
			take(l, &r);
		reset_next(l);
	}
	if (got < 0)
		keeper_died(l);
}

void turn_restored(const struct keeper_report *r, void *live)
{
	struct live *l = live;
	struct event e = turn_event(r, "restore");

	/* The answer to a turn that was under way when the end came. */
	if (r->kind != KEEPER_RESTORED) {
		take(l, r);
		return;
	}
	if (r->error == ESTALE) {
		e.error = 0;
		e.kind = EVENT_NOTE;
		snprintf(e.text, sizeof(e.text),
			 "%s.%s is left at %s: somebody else set it", e.device,
			 e.knob, e.new_value);
	} else if (r->error) {
		char words[512];

		l->unrestored = true;
		text_copy(l->unrestored_words, sizeof(l->unrestored_words),
			  event_words(&e, words, sizeof(words)));
	}
	live_add_event(l, &e);
}

void turn_print_plan(struct live *l, FILE *out)
{
	const struct effect *effect;
	size_t n, printed = 0;

	effect = report_effects(l->report, &n);
	for (size_t i = 0; i < n; i++) {
		const struct event *e = &effect[i].event;

		if (strcmp(e->by, "operator") || e->error || !*e->knob)
			continue;
		fprintf(out, "%s--at=%.3fs:%s%s.%s=%s",
			printed++ ? " " : "to turn the same again: ", e->t_s,
			e->kind == EVENT_JOB_SET ? "job." : "",
			e->kind == EVENT_JOB_SET ? e->job : e->device, e->knob,
			e->new_value);
	}
	if (printed)
		fputc('\n', out);
}
