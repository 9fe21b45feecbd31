/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alarms: finds the alarms that hold at the shown frame.
 */
#include "ui/alarm.h"

#include <stdio.h>
#include <string.h>

#include "model/alarms.h"

/* Frames that are searched for the begin of an alarm. */
#define FRAMES_MAX 3600

static bool same_alarm(const struct event *a, const struct event *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->device, b->device) &&
	       !strcmp(a->job, b->job);
}

/* Read events from the newest on: the first event of an alarm decides. */
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

/* An alarm of a log that another version wrote may be unknown here. */
static int severity(const struct event *e)
{
	const struct alarm_rule *rule = alarms_rule_by_name(e->name);

	return rule ? (int)rule->severity : ALARM_WARNING;
}

/* The most severe first, then the newest, then in the order of the frame. */
static bool comes_before(const struct event *a, const struct event *b)
{
	int x = severity(a), y = severity(b);

	return x != y ? x > y : a->t_s > b->t_s;
}

/* Sort by comes_before(). Events were read backwards, so reverse them first. */
static void sort(struct alarm_state *s)
{
	for (size_t i = 0; i < s->n / 2; i++) {
		struct event swap = s->event[i];

		s->event[i] = s->event[s->n - 1 - i];
		s->event[s->n - 1 - i] = swap;
	}
	for (size_t i = 1; i < s->n; i++)
		for (size_t k = i; k > 0; k--) {
			struct event swap = s->event[k];

			if (!comes_before(&swap, &s->event[k - 1]))
				break;
			s->event[k] = s->event[k - 1];
			s->event[k - 1] = swap;
		}
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
	sort(s);
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

const char *alarm_words(const struct ui *ui, size_t i, bool last, char *buf,
			size_t size)
{
	const struct alarm_state *s = &ui->alarm;
	const struct event *e = &s->event[i];
	const struct alarm_rule *rule;
	const char *of;
	char more[40] = "", held[24];
	double s_held;

	buf[0] = '\0';
	if (i >= s->n)
		return buf;
	if (last && s->n > i + 1)
		snprintf(more, sizeof(more), " (+%zu more)", s->n - i - 1);
	/*
	 * The value of an alarm in seconds is how long it held when it began.
	 */
	rule = alarms_rule_by_name(e->name);
	s_held = s->t_s - e->t_s;
	if (rule && !strcmp(rule->unit, "s"))
		s_held += e->value;
	else if (rule)
		s_held += rule->hold_s;
	snprintf(held, sizeof(held), s_held < 600 ? "%.0fs" : "%.0fm",
		 s_held < 600 ? s_held : s_held / 60);
	of = *e->device ? e->device : e->job;
	snprintf(buf, size, "ALARM%s %s %s%s%s", more, held, of,
		 *of ? ": " : "", *e->text ? e->text : e->name);
	return buf;
}
