/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups: sums up the devices in a window per group.
 */
#include "report/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static struct group_devices *group_for(struct groups *g, unsigned id)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->list[i].id == id)
			return &g->list[i];
	if (g->n == GROUPS_MAX)
		return NULL;
	g->list = xgrow(g->list, &g->cap, g->n + 1, sizeof(*g->list));
	memset(&g->list[g->n], 0, sizeof(*g->list));
	g->list[g->n].id = id;
	return &g->list[g->n++];
}

/* Whether the job ran for the whole interval. */
static bool ran_whole(const struct frame *f, const struct row *row)
{
	double run_s = row_number(SCHEMA_JOB, row, "run_s");

	return window_job_part(row) == JOB_RAN &&
	       !(run_s < f->interval_s * 0.999);
}

static bool seen_before(const struct table *t, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (window_group_of(&t->row[k]) ==
		    window_group_of(&t->row[i]))
			return true;
	return false;
}

/* Whether jobs of the group ran for the whole interval, and the others are
 * over. */
static bool group_ran(const struct frame *f, unsigned id)
{
	const struct table *t = &f->table[SCHEMA_JOB];
	bool any = false;

	for (size_t i = 0; i < t->n; i++) {
		if (window_group_of(&t->row[i]) != id)
			continue;
		if (ran_whole(f, &t->row[i]))
			any = true;
		else if (event_phase_of(&t->row[i]) != PHASE_DONE)
			return false;
	}
	return any;
}

void groups_add(struct groups *g, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_JOB];

	for (size_t i = 0; i < t->n && f->interval_s > 0; i++) {
		unsigned id = window_group_of(&t->row[i]);
		struct group_devices *to;

		if (seen_before(t, i) || !group_ran(f, id))
			continue;
		to = group_for(g, id);
		if (!to)
			continue;
		if (!to->devices.frames)
			to->devices.from_s = f->t_s - f->interval_s;
		window_add_devices(&to->devices, f);
	}
}

const struct window *groups_devices(const struct groups *g, unsigned id)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->list[i].id == id && g->list[i].devices.frames)
			return &g->list[i].devices;
	return NULL;
}

void groups_free(struct groups *g)
{
	for (size_t i = 0; i < g->n; i++)
		window_free(&g->list[i].devices);
	free(g->list);
	memset(g, 0, sizeof(*g));
}
