/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event letter: how an event is called on graph and timeline.
 */
#include "ui/event_letter.h"

#include <string.h>

bool event_same(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->t_s == b->t_s &&
	       !strcmp(a->device, b->device) && !strcmp(a->knob, b->knob) &&
	       !strcmp(a->job, b->job);
}

size_t event_effect(const struct ui_view *view, const struct event *e)
{
	size_t i = 0;

	while (i < view->n_effects && !event_same(&view->effect[i].event, e))
		i++;
	return i;
}

char event_letter(const struct ui_view *view, const struct event *e)
{
	size_t i = event_effect(view, e);

	if (i < view->n_effects)
		return (char)('A' + i % 26);
	return e->kind == EVENT_MARK        ? 'm'
	       : e->kind == EVENT_JOB_START ? '+'
	       : e->kind == EVENT_JOB_STOP  ? '-'
					    : 0;
}
