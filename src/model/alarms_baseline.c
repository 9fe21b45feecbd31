/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Alarm baseline: the median time of requests by device, direction and load. */
#include "model/alarms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/units.h"

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
