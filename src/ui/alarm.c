/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alarms: those that hold at the frame that is shown.
 */
#include "ui/alarm.h"

#include <stdio.h>
#include <string.h>

/* Frames that are searched for the begin of an alarm. */
#define FRAMES_MAX 3600

static bool same_alarm(const struct event *a, const struct event *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->device, b->device) &&
	       !strcmp(a->job, b->job);
}

/* Events are read from the newest: the first one of an alarm decides. */
static void take(struct alarm_state *s, const struct event *e)
{
	if (e->kind != EVENT_ALARM_BEGIN && e->kind != EVENT_ALARM_END)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (same_alarm(&s->event[i], e))
			return;
	if (s->n < ALARMS_MAX)
		s->event[s->n++] = *e;
}

static void drop_ended(struct alarm_state *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->event[i].kind == EVENT_ALARM_BEGIN)
			s->event[n++] = s->event[i];
	s->n = n;
}

void alarm_update(struct ui *ui, const struct ui_view *view)
{
	struct alarm_state *s = &ui->alarm;
	size_t frames = view->history ? history_count(view->history) : 0;
	double t = frames ? history_t(view->history, 0) : -1;

	if (s->history == view->history && s->t_s == t && s->frames == frames)
		return;
	s->history = view->history;
	s->t_s = t;
	s->frames = frames;
	s->n = 0;
	for (size_t age = 0; age < frames && age < FRAMES_MAX; age++) {
		size_t n;
		const struct event *e = history_events(view->history, age, &n);

		while (n-- > 0)
			take(s, &e[n]);
	}
	drop_ended(s);
}

bool alarm_holds(const struct ui *ui, enum schema_id schema, const char *id)
{
	const struct alarm_state *s = &ui->alarm;

	for (size_t i = 0; i < s->n; i++)
		if ((schema == SCHEMA_DEVICE &&
		     !strcmp(s->event[i].device, id)) ||
		    (schema == SCHEMA_JOB && !strcmp(s->event[i].job, id)))
			return true;
	return false;
}

const char *alarm_words(const struct ui *ui, char *buf, size_t size)
{
	const struct alarm_state *s = &ui->alarm;
	const struct event *e = &s->event[0];
	char more[40] = "";

	buf[0] = '\0';
	if (!s->n)
		return buf;
	if (s->n > 1)
		snprintf(more, sizeof(more), " (+%zu more)", s->n - 1);
	snprintf(buf, size, "ALARM %s%s%s%s", *e->device ? e->device : e->job,
		 *e->device || *e->job ? ": " : "",
		 *e->text ? e->text : e->name, more);
	return buf;
}
