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
#include "base/units.h"

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

/* Alarm baseline: the median time of requests by device, direction and load. */

#define KEPT   63
#define LEAST  15
#define LEVELS 12

/* The last times under one kind of load. */
struct past {
	char device[ROW_ID_MAX];
	int op, size, queue;
	unsigned n, next;
	float await_ns[KEPT];
};

struct alarms_baseline {
	struct past **past;
	size_t n, cap;
	size_t hint; /* where the last lookup ended: devices come in a fixed
			order */
};

struct alarms_baseline *alarms_baseline_new(void)
{
	return xcalloc(1, sizeof(struct alarms_baseline));
}

void alarms_baseline_free(struct alarms_baseline *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++)
		free(b->past[i]);
	free(b->past);
	free(b);
}

/* Factors of 4 above 1. */
static int alarms_level_of(double v)
{
	return v > 1 ? (int)units_whole(log2(v) / 2, 0, LEVELS - 1) : 0;
}

static struct past *find_past(struct alarms_baseline *b,
			      const struct past *like)
{
	const size_t at = xfind(b->hint, b->n, i,
				b->past[i]->op == like->op &&
					b->past[i]->size == like->size &&
					b->past[i]->queue == like->queue &&
					!strcmp(b->past[i]->device,
						like->device));
	struct past *p;

	if (at < b->n)
		return b->past[at];
	p = xmalloc(sizeof(*p));
	*p = *like;
	*xadd(b->past, b->n, b->cap) = p;
	return p;
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static double alarms_median(const struct past *p)
{
	float sorted[KEPT];

	if (p->n < LEAST)
		return NAN;
	memcpy(sorted, p->await_ns, p->n * sizeof(*sorted));
	qsort(sorted, p->n, sizeof(*sorted), by_size);
	return (double)sorted[p->n / 2];
}

double alarms_baseline_add(struct alarms_baseline *b, const char *device,
			   int op, double bytes, double queue, double await_ns)
{
	struct past like = { .op = op }, *p;
	double usual;

	text_set(like.device, device);
	like.size = alarms_level_of(bytes / 4096);
	like.queue = alarms_level_of(queue);
	p = find_past(b, &like);
	usual = alarms_median(p);
	p->await_ns[p->next] = (float)await_ns;
	p->next = (p->next + 1) % KEPT;
	p->n += p->n < KEPT;
	return usual;
}

/* Imbalance: compare each member with the others of its stack. */

#define LEAST_IOPS   10
#define LEAST_POINTS 10
#define HOT_FACTOR   1.5
#define SLOW_FACTOR  2
#define LEAST_NS     1e6

/* A device, and the stack whose member it is. */
struct member {
	const char *id, *stack;
	size_t row;
	double iops, util_pct, busy_ns; /* busy: requests/s times their time */
};

static double alarms_number(const struct row *row, const char *key)
{
	return frame_or_0(row_number(SCHEMA_DEVICE, row, key));
}

static void alarms_fill(struct member *m, const struct row *row, size_t i)
{
	double reads = alarms_number(row, "read_iops");
	double writes = alarms_number(row, "write_iops");

	m->id = row->id;
	m->row = i;
	m->stack = row_text(SCHEMA_DEVICE, row, "member_of");
	m->iops = reads + writes;
	m->util_pct = alarms_number(row, "util_pct");
	m->busy_ns = reads * alarms_number(row, "read_await_ns") +
		     writes * alarms_number(row, "write_await_ns");
}

static int alarms_by_id(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;

	return strcmp(a->id, b->id);
}

/* Devices without a stack come last. */
static int by_stack(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;

	if (!a->stack || !b->stack)
		return !a->stack - !b->stack;
	return strcmp(a->stack, b->stack);
}

/* Assign the members that a row names to that row, not to a file system. */
static void alarms_claim(struct member *m, size_t n, const struct row *row)
{
	const char *members = row_text(SCHEMA_DEVICE, row, "members");
	char copy[128], *rest = copy, *name;

	if (!members || !strchr(members, ' '))
		return;
	text_set(copy, members);
	while ((name = strsep(&rest, " "))) {
		struct member key = { .id = name }, *hit;

		hit = bsearch(&key, m, n, sizeof(key), alarms_by_id);
		if (hit)
			hit->stack = row->id;
	}
}

/* One of n members that together form the stack. */
static enum imbalance alarms_judge(const struct member *m,
				   const struct member *all, size_t n)
{
	double iops = all->iops - m->iops;
	double util_pct = (all->util_pct - m->util_pct) / (double)(n - 1);
	double own_ns, others_ns = INFINITY;

	if (m->iops < LEAST_IOPS)
		return BALANCED;
	own_ns = m->busy_ns / m->iops;
	if (iops >= LEAST_IOPS)
		others_ns = (all->busy_ns - m->busy_ns) / iops;
	if (own_ns >= SLOW_FACTOR * others_ns && own_ns >= others_ns + LEAST_NS)
		return MEMBER_SLOW;
	if (m->util_pct >= HOT_FACTOR * util_pct &&
	    m->util_pct >= util_pct + LEAST_POINTS)
		return MEMBER_HOT;
	return BALANCED;
}

static void judge_stack(const struct member *m, size_t n, enum imbalance *out)
{
	struct member all = { 0 };

	for (size_t i = 0; i < n; i++) {
		all.iops += m[i].iops;
		all.util_pct += m[i].util_pct;
		all.busy_ns += m[i].busy_ns;
	}
	for (size_t i = 0; n > 1 && i < n; i++)
		out[m[i].row] = alarms_judge(&m[i], &all, n);
}

/* Whether a device has two members or more, or belongs to a file system. */
static bool any_stack(const struct table *devices)
{
	const int at = schema_field(SCHEMA_DEVICE, "members");
	const int of = schema_field(SCHEMA_DEVICE, "member_of");

	for (size_t i = 0; i < devices->n; i++) {
		const union value *v = devices->row[i].value;

		if (v[of].text || (v[at].text && strchr(v[at].text, ' ')))
			return true;
	}
	return false;
}

void alarms_imbalance(const struct frame *f, enum imbalance *out, size_t n)
{
	const struct table *t = &f->table[SCHEMA_DEVICE];
	struct member *m;

	memset(out, 0, n * sizeof(*out));
	if (!any_stack(t))
		return;
	m = xcalloc(t->n + 1, sizeof(*m));
	for (size_t i = 0; i < t->n; i++)
		alarms_fill(&m[i], &t->row[i], i);
	qsort(m, t->n, sizeof(*m), alarms_by_id);
	for (size_t i = 0; i < t->n; i++)
		alarms_claim(m, t->n, &t->row[i]);
	qsort(m, t->n, sizeof(*m), by_stack);
	for (size_t i = 0, end; i < t->n && m[i].stack; i = end) {
		for (end = i + 1; end < t->n && m[end].stack; end++)
			if (strcmp(m[end].stack, m[i].stack))
				break;
		judge_stack(&m[i], end - i, out);
	}
	free(m);
}
