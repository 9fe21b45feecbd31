/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot, latencies: the percentiles of the operations whose metrics are in the
 * tables, for the shape of a change. They are figures beside the tables: no
 * verdict rests on them, and they are in no family of comparisons.
 */
#include "report/pivot/pivot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const keys[PIVOT_PCTS] = { "p50", "p90", "p99", "p999" };
const char *const pivot_latency_name[PIVOT_PCTS] = { "p50", "p90", "p99",
						     "p99.9" };

/* "job.scan.read" of job.scan.read_iops; false: it is of no operation. */
static bool operation_of(const char *metric, char *out, size_t size)
{
	const char *dot = strrchr(metric, '.');
	size_t n;

	if (strncmp(metric, "job.", 4) != 0 || dot <= metric + 4)
		return false;
	n = (size_t)(dot - metric) + 1 + strcspn(dot + 1, "_");
	if (!metric[n] || n >= size)
		return false;
	snprintf(out, size, "%.*s", (int)n, metric);
	return true;
}

static void free_tables(struct pivot_latency *l)
{
	for (size_t k = 0; k < PIVOT_PCTS; k++)
		pivot_free_table(&l->pct[k]);
	memset(l, 0, sizeof(*l));
}

static void pivot_latencies_make(struct pivot *p, const char *operation)
{
	struct pivot_latency *l;
	const char *dot = strrchr(operation, '.');

	for (size_t i = 0; i < p->n_latencies; i++)
		if (!strcmp(p->latency[i].operation, operation))
			return;
	l = &p->latency[p->n_latencies];
	for (size_t i = 0; i < PIVOT_PCTS; i++) {
		struct pivot_table *t = &l->pct[i];
		char name[300];

		snprintf(name, sizeof(name), "%s_%s_ns", operation, keys[i]);
		t->metric = text_find(name, p->runs->metric,
				      p->runs->n_metrics, name);
		if (t->metric == p->runs->n_metrics)
			continue;
		t->name = p->runs->metric[t->metric].name;
		t->better = -1;
		pivot_fill_table(p, t);
		pivot_judge_table(p, t);
		l->known++;
	}
	if (l->known < 2) {
		free_tables(l);
		return;
	}
	l->operation = arena_strdup(&p->arena, operation);
	l->name = arena_printf(&p->arena, "%s of job %.*s", dot + 1,
			       (int)(dot - operation - 4), operation + 4);
	p->n_latencies++;
}

void pivot_latency_make(struct pivot *p)
{
	p->latency = xcalloc(PIVOT_LATENCIES, sizeof(*p->latency));
	for (size_t i = 0; i < p->n_tables; i++) {
		char operation[256];

		if (p->n_latencies < PIVOT_LATENCIES &&
		    operation_of(p->table[i].name, operation,
				 sizeof(operation)))
			pivot_latencies_make(p, operation);
	}
}

void pivot_latency_free(struct pivot *p)
{
	for (size_t i = 0; p->latency && i < PIVOT_LATENCIES; i++)
		free_tables(&p->latency[i]);
	free(p->latency);
}
