/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alarm baseline: the median time of requests by device, direction and load.
 */
#include "model/alarm_baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/units.h"
#include "model/schema/schema.h"

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

struct alarm_baseline {
	struct past **past;
	size_t n, cap;
	size_t hint; /* where the last lookup ended: devices come in a fixed
		        order */
};

struct alarm_baseline *alarm_baseline_new(void)
{
	return xcalloc(1, sizeof(struct alarm_baseline));
}

void alarm_baseline_free(struct alarm_baseline *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++)
		free(b->past[i]);
	free(b->past);
	free(b);
}

/* Factors of 4 above 1. */
static int level_of(double v)
{
	return v > 1 ? (int)units_whole(log2(v) / 2, 0, LEVELS - 1) : 0;
}

static struct past *find(struct alarm_baseline *b, const struct past *like)
{
	struct past *p;

	for (size_t step = 0; step < b->n; step++) {
		size_t i = (b->hint + step) % b->n;

		p = b->past[i];
		if (p->op == like->op && p->size == like->size &&
		    p->queue == like->queue &&
		    !strcmp(p->device, like->device)) {
			b->hint = i + 1;
			return p;
		}
	}
	b->past = xgrow(b->past, &b->cap, b->n + 1, sizeof(struct past *));
	p = xmalloc(sizeof(*p));
	*p = *like;
	b->past[b->n++] = p;
	return p;
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static double median(const struct past *p)
{
	float sorted[KEPT];

	if (p->n < LEAST)
		return NAN;
	memcpy(sorted, p->await_ns, p->n * sizeof(*sorted));
	qsort(sorted, p->n, sizeof(*sorted), by_size);
	return (double)sorted[p->n / 2];
}

double alarm_baseline_add(struct alarm_baseline *b, const char *device, int op,
			  double bytes, double queue, double await_ns)
{
	struct past like = { .op = op }, *p;
	double usual;

	text_copy(like.device, sizeof(like.device), device);
	like.size = level_of(bytes / 4096);
	like.queue = level_of(queue);
	p = find(b, &like);
	usual = median(p);
	p->await_ns[p->next] = (float)await_ns;
	p->next = (p->next + 1) % KEPT;
	p->n += p->n < KEPT;
	return usual;
}
