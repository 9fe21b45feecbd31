/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alarms: from a rule that holds to an event, and back.
 */
#include "model/alarms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/alarm_rules.h"

/* A rule that holds, or held a moment ago, for a row. */
struct alarm_known {
	size_t rule;
	char id[ROW_ID_MAX];    /* of the device; "" for the machine */
	double since_s, last_s; /* first and last time that it held */
	double began_s;         /* of the event; NaN: no event yet */
	double worst;
	bool met; /* in this frame */
};

struct alarms {
	struct alarm_rules state;
	struct alarm_known *known;
	size_t n, cap;
};

struct alarms *alarms_new(void)
{
	struct alarms *a = xcalloc(1, sizeof(*a));

	alarm_rules_init(&a->state);
	return a;
}

void alarms_free(struct alarms *a)
{
	if (!a)
		return;
	alarm_rules_free(&a->state);
	free(a->known);
	free(a);
}

const struct alarm_rule *alarms_rule(size_t i)
{
	return i < n_alarm_rules ? &alarm_rules[i].seen : NULL;
}

const struct alarm_rule *alarms_rule_by_name(const char *name)
{
	for (size_t i = 0; i < n_alarm_rules; i++)
		if (!strcmp(alarm_rules[i].seen.name, name))
			return &alarm_rules[i].seen;
	return NULL;
}

static struct alarm_known *find(struct alarms *a, size_t rule, const char *id)
{
	struct alarm_known *k;

	for (size_t i = 0; i < a->n; i++)
		if (a->known[i].rule == rule && !strcmp(a->known[i].id, id))
			return &a->known[i];
	a->known = xgrow(a->known, &a->cap, a->n + 1, sizeof(*a->known));
	k = &a->known[a->n++];
	memset(k, 0, sizeof(*k));
	k->rule = rule;
	text_copy(k->id, sizeof(k->id), id);
	k->since_s = k->began_s = NAN;
	return k;
}

static void add_event(struct frame *f, const struct alarm_known *k,
		      enum event_kind kind, double value, const char *text)
{
	const struct alarm_rule *rule = &alarm_rules[k->rule].seen;
	struct event e = { .kind = kind, .t_s = f->t_s };

	text_copy(e.name, sizeof(e.name), rule->name);
	text_copy(e.device, sizeof(e.device), k->id);
	text_copy(e.text, sizeof(e.text), text);
	e.value = value;
	e.limit = rule->limit;
	frame_add_event(f, &e);
}

/* The rule holds for that row, in this frame. */
static void holds(struct alarms *a, struct frame *f, size_t rule,
		  const struct row *row, double value)
{
	const struct alarm_check *c = &alarm_rules[rule];
	struct alarm_known *k =
		find(a, rule, c->schema == SCHEMA_DEVICE ? row->id : "");
	char text[sizeof(((struct event *)0)->text)];

	if (isnan(k->since_s)) {
		k->since_s = f->t_s;
		k->worst = value;
	}
	k->met = true;
	k->last_s = f->t_s;
	k->worst = fmax(k->worst, value);
	if (!isnan(k->began_s) || f->t_s - k->since_s < c->seen.hold_s)
		return;
	k->began_s = f->t_s;
	c->words(&a->state, f, row, text, sizeof(text));
	add_event(f, k, EVENT_ALARM_BEGIN, value, text);
}

static bool is_gone(const struct frame *f, const char *device)
{
	for (size_t i = 0; *device && i < f->n_events; i++)
		if (f->event[i].kind == EVENT_DEVICE_REMOVED &&
		    !strcmp(f->event[i].device, device))
			return true;
	return false;
}

/* Whether the alarm is over and its state can be freed. */
static bool end(struct frame *f, const struct alarm_known *k)
{
	const struct alarm_rule *rule = &alarm_rules[k->rule].seen;
	char text[80];

	if (k->met)
		return false;
	/* Before the alarm has begun, one good interval resets it. */
	if (isnan(k->began_s))
		return true;
	if (f->t_s - k->last_s < rule->rest_s && !is_gone(f, k->id))
		return false;
	snprintf(text, sizeof(text), "it held for %.0f s",
		 k->last_s - k->since_s);
	add_event(f, k, EVENT_ALARM_END, k->worst, text);
	return true;
}

static void look_at(struct alarms *a, struct frame *f, size_t rule)
{
	const struct alarm_check *c = &alarm_rules[rule];
	const struct table *t = &f->table[c->schema];
	size_t n = c->whole_table ? t->n > 0 : t->n;
	double limit = c->seen.limit * (c->seen.hold_s > 0 ? 1 : ALARM_EARLY);

	for (size_t i = 0; i < n; i++) {
		double value;

		if (c->id && strcmp(t->row[i].id, c->id) != 0)
			continue;
		value = c->value(&a->state, f, &t->row[i]);
		if (value >= limit)
			holds(a, f, rule, &t->row[i], value);
	}
}

void alarms_look(struct alarms *a, struct frame *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->n; i++)
		a->known[i].met = false;
	alarm_rules_learn(&a->state, f);
	for (size_t i = 0; i < n_alarm_rules; i++)
		look_at(a, f, i);
	for (size_t i = 0; i < a->n; i++)
		if (!end(f, &a->known[i]))
			a->known[kept++] = a->known[i];
	a->n = kept;
}
