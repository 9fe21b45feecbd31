/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Effects: computes the figures of each change.
 */
#include "report/effects.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/schema/schema_host.h"
#include "report/changes.h"
#include "report/metrics.h"

/* The changed device; for a host knob or a job the one with the most I/O. */
static const char *device_of(const struct segment *before,
			     const struct event *change)
{
	const char *busiest;

	if (*change->device && !schema_knob_is_host(change->device))
		return change->device;
	busiest = metrics_busiest(&before->series);
	return busiest ? busiest : change->device;
}

/* Set a sentence if a side has no data. */
static void say_missing(struct effect *to, const struct segment *before,
			const struct segment *after, bool closed)
{
	const char *why = !before->series.frames ? "no data before the change"
			  : after->series.frames ? NULL
			  : closed ? "another change followed too soon"
				   : "no data since the change yet";

	if (why)
		text_copy(to->sentence, sizeof(to->sentence), why);
}

static void compute(struct effect *to, const struct segments *s, size_t at)
{
	const struct segment *before = &s->list[at - 1], *after = &s->list[at];
	const char *device = device_of(before, &to->event);
	const struct metrics_case c = {
		.before = &before->series,
		.after = &after->series,
		.device = { device, device },
		.jobs = s->jobs,
		.readahead = !strcmp(to->event.knob, "read_ahead_kb"),
		.began = after,
		.n_began = 1,
	};

	metrics_fill(to, &c);
	say_missing(to, before, after, at + 1 < s->n);
	to->cost = after->cost;
}

/* Whether another change follows in the interval: the last has the figures. */
static bool is_joined(const struct effects *e, size_t i)
{
	return i + 1 < e->n && e->segment[i + 1] == e->segment[i];
}

void effects_update(struct effects *e, const struct segments *s)
{
	if (e->fresh)
		return;
	for (size_t i = e->open; i < e->n; i++) {
		if (is_joined(e, i))
			text_copy(e->effect[i].sentence,
				  sizeof(e->effect[i].sentence),
				  "several changes in one interval; see the "
				  "next one");
		else
			compute(&e->effect[i], s, e->segment[i]);
	}
	while (e->open < e->n && e->segment[e->open] + 1 < s->n)
		e->open++;
	e->fresh = true;
}

/* Whether a sweep or crossover made the change: their reports compare it. */
static bool by_experiment(const struct event *event)
{
	return !strcmp(event->by, "sweep") || !strcmp(event->by, "ab");
}

static void add(struct effects *e, const struct event *event, size_t segment)
{
	struct effect *to;

	if (e->n >= EFFECTS_MAX) {
		e->left_out++;
		return;
	}
	e->effect = xgrow(e->effect, &e->cap, e->n + 1, sizeof(*e->effect));
	e->segment = xgrow(e->segment, &e->cap_segment, e->n + 1,
			   sizeof(*e->segment));
	e->segment[e->n] = segment;
	to = &e->effect[e->n++];
	memset(to, 0, sizeof(*to));
	to->event = *event;
}

void effects_add(struct effects *e, const struct segments *s,
		 const struct frame *f, bool began)
{
	/* Complete the figures of the segment that has ended. */
	if (began) {
		e->fresh = false;
		effects_update(e, s);
	}
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *event = &f->event[i];

		if (!changes_is_change(f, event) || by_experiment(event))
			continue;
		if (began)
			add(e, event, s->n - 1);
		else
			e->left_out++;
	}
	if (e->open < e->n)
		e->fresh = false;
}

void effects_free(struct effects *e)
{
	free(e->effect);
	free(e->segment);
	memset(e, 0, sizeof(*e));
}
