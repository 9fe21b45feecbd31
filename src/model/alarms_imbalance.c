/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Imbalance: compare each member with the others of its stack. */
#include "model/alarms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

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
