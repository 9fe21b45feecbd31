/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stretches: the run between two events that cut it.
 */
#include "report/stretches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "report/changes.h"

static struct stretch *begin(struct stretches *s, double t_s, const char *words)
{
	struct stretch *new;

	s->stretch = xgrow(s->stretch, &s->cap, s->n + 1, sizeof(*s->stretch));
	s->sums = xgrow(s->sums, &s->cap_sums, s->n + 1, sizeof(*s->sums));
	memset(&s->sums[s->n], 0, sizeof(s->sums[0]));
	new = &s->stretch[s->n++];
	memset(new, 0, sizeof(*new));
	new->from_s = new->to_s = t_s;
	text_copy(new->words, sizeof(new->words), words);
	return new;
}

static bool cuts(const struct frame *f, const struct event *e)
{
	return e->kind == EVENT_MARK || changes_is_change(f, e) ||
	       changes_only_cuts(e);
}

/* The events of one interval begin one stretch together. */
static void cut(struct stretches *s, const struct frame *f)
{
	struct stretch *new = NULL;

	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->event[i];
		char words[400];
		size_t n;

		if (!cuts(f, e))
			continue;
		event_short_words(e, words, sizeof(words));
		if (new) {
			n = strlen(new->words);
			snprintf(new->words + n, sizeof(new->words) - n, ", %s",
				 words);
		} else if (s->n < STRETCHES_MAX) {
			s->stretch[s->n - 1].to_s = e->t_s;
			new = begin(s, e->t_s, words);
		}
	}
}

void stretches_add(struct stretches *s, const struct frame *f, bool tells)
{
	double from_s = f->t_s - f->interval_s;

	if (!s->n) {
		begin(s, from_s, "the whole run");
		begin(s, from_s, "the start");
	}
	cut(s, f);
	s->stretch[0].to_s = s->stretch[s->n - 1].to_s = f->t_s;
	if (!tells || changes_cut(f))
		return;
	track_sums_add(&s->sums[0], f);
	track_sums_add(&s->sums[s->n - 1], f);
	s->stretch[0].intervals++;
	s->stretch[s->n - 1].intervals++;
}

void stretches_restart(struct stretches *s)
{
	for (size_t i = 0; i < s->n; i++) {
		s->sums[i].n = s->sums[i].frames = 0;
		s->stretch[i].intervals = 0;
	}
}

void stretches_free(struct stretches *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->sums[i].row);
	free(s->sums);
	free(s->stretch);
}
