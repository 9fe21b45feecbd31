/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alarms: turn rules that begin or cease to hold into events; learn what is
 * usual for a device; compare the members of a stack.
 */
#include "model/alarms.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"

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
	double *limit; /* of each rule; infinite: off */
};

struct alarms *alarms_new(void)
{
	struct alarms *a = xcalloc(1, sizeof(*a));

	alarm_rules_init(&a->state);
	a->limit = xcalloc(n_alarm_rules, sizeof(*a->limit));
	for (size_t i = 0; i < n_alarm_rules; i++)
		a->limit[i] = alarm_rules[i].seen.limit;
	return a;
}

void alarms_free(struct alarms *a)
{
	if (!a)
		return;
	alarm_rules_free(&a->state);
	free(a->known);
	free(a->limit);
	free(a);
}

/* A line without its comment: 0, or -EINVAL with the reason as a sentence. */
static int alarms_set_limit(struct alarms *a, char *line)
{
	char *name, *value, *end;
	double limit;
	size_t rule = 0;

	line[strcspn(line, "#")] = '\0';
	name = text_trim(line);
	if (!*name)
		return 0;
	/* Some names have two words; the limit is the last word. */
	value = name + strlen(name);
	while (value > name && !strchr(" \t", value[-1]))
		value--;
	if (value == name)
		return fail(EINVAL, "%.40s needs a limit, a number or off", name);
	value[-1] = '\0';
	name = text_trim(name);
	rule = text_find(name, alarm_rules, n_alarm_rules, seen.name);
	if (rule == n_alarm_rules)
		return fail(EINVAL, "there is no alarm %.40s%s; iodyno list alarms has the "
			    "names", name,
			    text_did_you_mean("", text_nearest(name, alarm_rules,
							       n_alarm_rules,
							       seen.name))
				    .text);
	limit = strtod(value, &end);
	if (!strcmp(value, "off"))
		limit = INFINITY;
	else if (*end || !isfinite(limit) || limit <= 0)
		return fail(EINVAL, "%s %.40s: the limit is neither a number above 0 "
			    "nor off", name, value);
	a->limit[rule] = limit;
	return 0;
}

int alarms_set_limits(struct alarms *a, const char *text, const char *file)
{
	char *copy = xstrdup(text), *rest = copy, *line;
	int err = 0;

	for (unsigned n = 1; !err && (line = strsep(&rest, "\n")); n++)
		if (alarms_set_limit(a, line))
			err = fail(EINVAL, "%.255s:%u: %s", file, n,
				   fail_sentence());
	free(copy);
	return err;
}

const char *alarms_name(size_t i, const char **help)
{
	if (i >= n_alarm_rules)
		return NULL;
	*help = alarm_rules[i].seen.help;
	return alarm_rules[i].seen.name;
}

const struct alarm_rule *alarms_rule_by_name(const char *name)
{
	for (size_t i = 0; i < n_alarm_rules; i++)
		if (!strcmp(alarm_rules[i].seen.name, name))
			return &alarm_rules[i].seen;
	return NULL;
}

static struct alarm_known *alarms_find(struct alarms *a, size_t rule,
				       const char *id)
{
	struct alarm_known *k;

	for (size_t i = 0; i < a->n; i++)
		if (a->known[i].rule == rule && !strcmp(a->known[i].id, id))
			return &a->known[i];
	k = xadd(a->known, a->n, a->cap);
	k->rule = rule;
	text_set(k->id, id);
	k->since_s = k->began_s = NAN;
	return k;
}

static void alarms_add_event(const struct alarms *a, struct frame *f,
			     const struct alarm_known *k,
			     enum event_kind kind, double value,
			     const char *text)
{
	const struct alarm_rule *rule = &alarm_rules[k->rule].seen;
	struct event e = { .kind = kind, .t_s = f->t_s };

	text_set(e.name, rule->name);
	text_set(e.device, k->id);
	text_set(e.text, text);
	e.value = value;
	e.limit = a->limit[k->rule];
	frame_add_event(f, &e);
}

/* The rule holds for that row, in this frame. */
static void alarms_holds(struct alarms *a, struct frame *f, size_t rule,
			 const struct row *row, double value)
{
	const struct alarm_check *c = &alarm_rules[rule];
	struct alarm_known *k =
		alarms_find(a, rule,
			    c->schema == SCHEMA_DEVICE ||
					    c->schema == SCHEMA_MOUNT
				    ? row->id
				    : "");
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
	c->words(&(struct alarm_case){ &a->state, f, row }, text, sizeof(text));
	alarms_add_event(a, f, k, EVENT_ALARM_BEGIN, value, text);
}

static bool alarms_is_gone(const struct frame *f, const char *device)
{
	for (size_t i = 0; *device && i < f->n_events; i++)
		if (f->event[i].kind == EVENT_DEVICE_REMOVED &&
		    !strcmp(f->event[i].device, device))
			return true;
	return false;
}

/* Whether the alarm is over and its state can be freed. */
static bool alarms_end(const struct alarms *a, struct frame *f,
		       const struct alarm_known *k)
{
	const struct alarm_rule *rule = &alarm_rules[k->rule].seen;
	char text[80];

	if (k->met)
		return false;
	/* Before the alarm has begun, one good interval resets it. */
	if (isnan(k->began_s))
		return true;
	if (f->t_s - k->last_s < rule->rest_s && !alarms_is_gone(f, k->id))
		return false;
	snprintf(text, sizeof(text), "held for %.0f s",
		 k->last_s - k->since_s);
	alarms_add_event(a, f, k, EVENT_ALARM_END, k->worst, text);
	return true;
}

static void alarms_look_at(struct alarms *a, struct frame *f, size_t rule)
{
	const struct alarm_check *c = &alarm_rules[rule];
	const struct table *t = &f->table[c->schema];
	size_t n = c->whole_table ? t->n > 0 : t->n;
	double limit = a->limit[rule] * (c->seen.hold_s > 0 ? 1 : ALARM_EARLY);
	const int field = c->key ? schema_field(c->schema, c->key) : -1;

	for (size_t i = 0; i < n; i++) {
		const struct alarm_case one = { &a->state, f, &t->row[i] };
		double value;

		if (c->id && strcmp(t->row[i].id, c->id) != 0)
			continue;
		value = c->key ? t->row[i].value[field].number *
					 (c->scale > 0 ? c->scale : 1)
			       : c->value(&one);
		if (value >= limit)
			alarms_holds(a, f, rule, &t->row[i], value);
	}
}

void alarms_look(struct alarms *a, struct frame *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->n; i++)
		a->known[i].met = false;
	alarm_rules_learn(&a->state, f);
	for (size_t i = 0; i < n_alarm_rules; i++)
		alarms_look_at(a, f, i);
	for (size_t i = 0; i < a->n; i++)
		if (!alarms_end(a, f, &a->known[i]))
			a->known[kept++] = a->known[i];
	a->n = kept;
}
