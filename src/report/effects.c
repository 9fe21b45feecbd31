/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Effects: what each knob turn did, from the intervals before and after it.
 */
#include "report/effects.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "report/changes.h"

/* The turned device; for a host knob or a job the one that moves most. */
static const char *device_of(const struct effects *e, const struct event *turn)
{
	const struct track_side before = { .rings = &e->before };
	const char *busiest;

	if (*turn->device && strcmp(turn->device, "vm"))
		return turn->device;
	busiest = metrics_busiest(&before);
	return busiest ? busiest : turn->device;
}

/* Nothing can be said of it: which side is missing. */
static void tell_why(const struct effects *e, struct effect *to, bool closed)
{
	const char *why =
		!e->before.frames
			? "nothing to compare with: no whole interval "
			  "was measured before it"
		: e->recent.frames ? NULL
		: closed ? "no whole interval was measured between it "
			   "and what came next"
			 : "no figures yet: no whole interval was "
			   "measured since";

	if (why)
		text_copy(to->sentence, sizeof(to->sentence), why);
}

static void compute(struct effects *e, struct effect *to)
{
	const char *device = device_of(e, &to->event);
	const struct metrics_case c = {
		.before = { .rings = &e->before },
		.after = { .rings = &e->recent },
		.device = { device, device },
		.jobs = e->jobs,
		.readahead = !strcmp(to->event.knob, "read_ahead_kb"),
	};

	metrics_fill(to, &c);
	tell_why(e, to, false);
}

void effects_update(struct effects *e)
{
	if (e->fresh)
		return;
	for (size_t i = e->open; i < e->n; i++)
		compute(e, &e->effect[i]);
	e->fresh = true;
}

/* No more is added to what was after the turns so far. */
static void close_open(struct effects *e)
{
	effects_update(e);
	for (size_t i = e->open; i < e->n; i++)
		tell_why(e, &e->effect[i], true);
	e->open = e->n;
}

/* Two turns within one interval: what they did cannot be told apart. */
static void join(struct effects *e)
{
	text_copy(e->effect[e->n - 1].sentence, sizeof(e->effect[0].sentence),
		  "made within one interval with the next turn, which tells "
		  "what both did");
	e->open = e->n;
}

/* What is after the last turn is before the next one. */
static void take_turns(struct effects *e, const struct frame *f)
{
	bool cut = false, turned = false;

	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *event = &f->event[i];
		struct effect *to;

		if (!changes_is_change(f, event) && !changes_only_cuts(event))
			continue;
		if (!cut) {
			struct tracks t = e->before;

			close_open(e);
			e->before = e->recent;
			e->recent = t;
			tracks_clear(&e->recent);
			cut = true;
		}
		if (!changes_is_change(f, event))
			continue;
		if (e->n >= EFFECTS_MAX) {
			e->left_out++;
			continue;
		}
		if (turned)
			join(e);
		turned = true;
		e->effect =
			xgrow(e->effect, &e->cap, e->n + 1, sizeof(*e->effect));
		to = &e->effect[e->n++];
		memset(to, 0, sizeof(*to));
		to->event = *event;
	}
	e->fresh = !cut && e->fresh;
}

static bool in_phase(const struct frame *f, const char *phase)
{
	const struct table *t = &f->table[SCHEMA_JOB];

	for (size_t i = 0; i < t->n; i++) {
		const char *p = row_text(SCHEMA_JOB, &t->row[i], "phase");

		if (!strcmp(p ? p : "run", phase))
			return true;
	}
	return false;
}

/*
 * Whether a frame tells of the load: without jobs any does; with jobs those in
 * which one runs, and ran the whole interval, and none lays out its file.
 */
static bool telling_frame(struct effects *e, const struct frame *f)
{
	bool running = in_phase(f, "run"), ran = e->running;

	if (!(f->interval_s > 0))
		return false;
	if (f->table[SCHEMA_JOB].n && !e->jobs) {
		/* What was before the jobs is no yardstick for them. */
		e->jobs = true;
		ran = running;
		tracks_clear(&e->recent);
		stretches_restart(&e->stretches);
	}
	if (!e->jobs)
		return true;
	e->running = running;
	return running && ran && !in_phase(f, "layout");
}

void effects_add(struct effects *e, const struct frame *f)
{
	bool tells = telling_frame(e, f);

	stretches_add(&e->stretches, f, tells);
	if (changes_cut(f)) {
		take_turns(e, f);
		return;
	}
	if (!tells)
		return;
	if (e->recent.frames == TRACK_FRAMES)
		close_open(e);
	tracks_add(&e->recent, f);
	if (e->open < e->n)
		e->fresh = false;
}

void effects_free(struct effects *e)
{
	free(e->effect);
	free(e->before.track);
	free(e->recent.track);
	stretches_free(&e->stretches);
	memset(e, 0, sizeof(*e));
}
