/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segment: cuts the run into segments.
 */
#include "report/segment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "report/changes.h"

static void begin(struct segment *s, double t_s, const char *words)
{
	memset(s, 0, sizeof(*s));
	s->about.from_s = s->about.to_s = t_s;
	s->window.from_s = s->window.to_s = t_s;
	s->cost.slowest_ns = s->cost.stall_ns = NAN;
	text_copy(s->about.words, sizeof(s->about.words), words);
}

static struct segment *append(struct segments *s, double t_s, const char *words)
{
	s->list = xgrow(s->list, &s->cap, s->n + 1, sizeof(*s->list));
	begin(&s->list[s->n], t_s, words);
	return &s->list[s->n++];
}

static bool cuts(const struct frame *f, const struct event *e)
{
	return e->kind == EVENT_MARK || changes_is_change(f, e) ||
	       changes_only_cuts(e);
}

static void add_words(struct segment *s, const char *words)
{
	size_t n = strlen(s->about.words);

	snprintf(s->about.words + n, sizeof(s->about.words) - n, ", %s", words);
}

static void add_change(struct segment *s, const struct event *e)
{
	s->change = xgrow(s->change, &s->cap_changes, s->n_changes + 1,
			  sizeof(*s->change));
	s->change[s->n_changes++] = *e;
}

/* Find the slowest I/O of the jobs in this interval. */
static void take_slowest(struct effect_cost *cost, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_JOB];

	for (size_t i = 0; i < t->n; i++)
		for (int op = 0; op < WINDOW_OPS; op++) {
			char key[64];
			double ns;

			snprintf(key, sizeof(key), "%s_max_ns",
				 window_op_name(SCHEMA_JOB, op));
			ns = row_number(SCHEMA_JOB, &t->row[i], key);
			if (!(ns > 0) || ns <= cost->slowest_ns)
				continue;
			cost->slowest_ns = ns;
			text_copy(cost->job, sizeof(cost->job), t->row[i].id);
		}
}

/* Find the longest time without a completion: of the changed device, or, for a
 * host knob or a job, of any device. */
static void take_stall(struct effect_cost *cost, const struct frame *f,
		       const struct event *e)
{
	const struct table *t = &f->table[SCHEMA_DEVICE];
	bool one = frame_find(f, SCHEMA_DEVICE, e->device) != NULL;

	for (size_t i = 0; i < t->n; i++) {
		double ns = row_number(SCHEMA_DEVICE, &t->row[i], "stall_ns");

		if (!(ns > 0) || ns <= cost->stall_ns ||
		    (one && strcmp(t->row[i].id, e->device)))
			continue;
		cost->stall_ns = ns;
		text_copy(cost->device, sizeof(cost->device), t->row[i].id);
	}
}

/* Events of one interval begin one segment together. */
static bool cut(struct segments *s, const struct frame *f)
{
	struct segment *new = NULL;

	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->event[i];
		char words[400];

		if (!cuts(f, e))
			continue;
		if (!new && s->n >= SEGMENT_MAX) {
			s->left_out++;
			return false;
		}
		event_short_words(e, words, sizeof(words));
		if (new) {
			add_words(new, words);
		} else {
			s->list[s->n - 1].about.to_s = e->t_s;
			window_close(&s->list[s->n - 1].window);
			new = append(s, e->t_s, words);
		}
		if (e->kind == EVENT_MARK) {
			size_t n = strlen(new->mark);

			snprintf(new->mark + n, sizeof(new->mark) - n, "%s%s",
				 n ? ", " : "", words);
		}
		if (!changes_is_change(f, e) && !changes_is_load(e))
			continue;
		add_change(new, e);
		take_stall(&new->cost, f, e);
	}
	if (new &&changes_cut(f))
		take_slowest(&new->cost, f);
	return new != NULL;
}

static bool in_phase(const struct frame *f, enum phase phase)
{
	const struct table *t = &f->table[SCHEMA_JOB];

	for (size_t i = 0; i < t->n; i++) {
		enum phase p = event_phase_of(&t->row[i]);

		if ((p == PHASES ? PHASE_RUN : p) == phase)
			return true;
	}
	return false;
}

/* Drop the series: figures from before the jobs cannot be compared. */
static void forget_series(struct segments *s)
{
	row_series_free(&s->whole.series);
	s->whole.about.intervals = 0;
	for (size_t i = 0; i < s->n; i++) {
		row_series_free(&s->list[i].series);
		s->list[i].about.intervals = 0;
	}
}

/* Whether the interval belongs to the load, as segment.h defines it. */
static bool is_of_load(struct segments *s, const struct frame *f)
{
	bool running = in_phase(f, PHASE_RUN), ran = s->running;

	if (!(f->interval_s > 0))
		return false;
	if (f->table[SCHEMA_JOB].n && !s->jobs) {
		s->jobs = true;
		ran = running;
		forget_series(s);
	}
	if (!s->jobs)
		return true;
	s->running = running;
	return running && ran && !in_phase(f, PHASE_LAYOUT);
}

static void add_to(struct segment *s, const struct frame *f, bool of_load)
{
	if (!of_load)
		return;
	row_series_add(&s->series, f);
	s->about.intervals++;
}

bool segment_add(struct segments *s, const struct frame *f)
{
	double from_s = f->t_s - f->interval_s;
	bool of_load, new, between = changes_cut(f);
	struct segment *last;

	if (!s->n) {
		begin(&s->whole, from_s, "the whole run");
		append(s, from_s, "the start");
	}
	of_load = is_of_load(s, f) && !between;
	new = cut(s, f);
	last = &s->list[s->n - 1];
	s->whole.about.to_s = f->t_s;
	window_add(&s->whole.window, f);
	add_to(&s->whole, f, of_load);
	if (between)
		return new;
	last->about.to_s = f->t_s;
	window_add(&last->window, f);
	add_to(last, f, of_load);
	return new;
}

static void free_one(struct segment *s)
{
	window_free(&s->window);
	row_series_free(&s->series);
	free(s->change);
}

void segment_free(struct segments *s)
{
	free_one(&s->whole);
	for (size_t i = 0; i < s->n; i++)
		free_one(&s->list[i]);
	free(s->list);
	free(s->about);
	memset(s, 0, sizeof(*s));
}

const struct segment *segment_at(const struct segments *s, size_t i)
{
	if (!s->n || i > s->n)
		return NULL;
	return i ? &s->list[i - 1] : &s->whole;
}

const struct segment_info *segment_about(struct segments *s, size_t *n)
{
	*n = s->n ? s->n + 1 : 0;
	if (!s->n)
		return NULL;
	s->about = xgrow(s->about, &s->cap_about, *n, sizeof(*s->about));
	for (size_t i = 0; i < *n; i++)
		s->about[i] = segment_at(s, i)->about;
	return s->about;
}
