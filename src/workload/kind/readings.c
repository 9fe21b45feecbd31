/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readings: a ring in shared memory, with one writer and one reader.
 */
#include "workload/kind/readings.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "workload/kind/kind.h"
#include "workload/thread/clones.h"

#define ROOM  256u /* a power of two */
#define NAMES 64u  /* names with a count of readings of intervals */

struct slot {
	struct reading reading;
	unsigned number; /* of a final reading: the number of readings of
			  * intervals before it */
	bool phase;
	char text[120];
};

struct readings {
	_Atomic uint32_t written, taken;
	struct slot slot[ROOM];
	/* the worker's own */
	struct {
		char name[32];
		unsigned n;
	} count[NAMES];
};

void readings_open(struct worker *w)
{
	w->readings = xshared(sizeof(struct readings));
}

void readings_free(struct worker *w)
{
	xshared_free(w->readings, sizeof(struct readings));
	w->readings = NULL;
}

static bool full(struct readings *r)
{
	return atomic_load(&r->written) - atomic_load(&r->taken) >= ROOM;
}

static void put(struct worker *w, const struct slot *slot, bool wait)
{
	struct readings *r = w->readings;
	uint64_t until_ns = clock_mono_ns() + NS_PER_S;

	while (full(r) && wait && clock_mono_ns() < until_ns)
		(void)kind_wait(w, -1, clock_mono_ns() + 10000000);
	if (full(r))
		return;
	r->slot[atomic_load(&r->written) % ROOM] = *slot;
	atomic_fetch_add(&r->written, 1);
	stages_notify(w->barrier);
}

/*
 * The count of the readings of intervals with that name; names beyond the last
 * entry share it.
 */
static unsigned *count_of(struct readings *r, const char *name)
{
	unsigned i = 0;

	while (i < NAMES - 1 && *r->count[i].name &&
	       strcmp(r->count[i].name, name) != 0)
		i++;
	text_copy(r->count[i].name, sizeof(r->count[i].name), name);
	return &r->count[i].n;
}

void readings_metric(struct worker *w, const struct reading *reading)
{
	struct slot slot = { .reading = *reading };
	unsigned *n;

	if (!isfinite(reading->value) ||
	    (!reading->final && w->count != &w->run))
		return;
	n = count_of(w->readings, reading->name);
	if (reading->final) {
		slot.number = *n;
		*n = 0;
	} else {
		++*n;
	}
	put(w, &slot, reading->final);
}

void readings_phase(struct worker *w, const char *text)
{
	struct slot slot = { .phase = true };

	text_copy(slot.text, sizeof(slot.text), text);
	text_clean(slot.text);
	put(w, &slot, true);
}

static bool take(struct readings *r, struct slot *out)
{
	uint32_t at = atomic_load(&r->taken);

	if (atomic_load(&r->written) == at)
		return false;
	*out = r->slot[at % ROOM];
	atomic_store(&r->taken, at + 1);
	return true;
}

/*
 * Keep the newest reading of each name; a result of a whole run counts only if
 * there are no results of intervals.
 */
static void remember(struct clones_told *t, const struct slot *slot)
{
	unsigned i = 0;

	if (slot->reading.final && slot->number)
		return;
	while (i < t->n && strcmp(t->of[i].name, slot->reading.name) != 0)
		i++;
	if (i == JOB_TOLD)
		return;
	text_copy(t->of[i].name, sizeof(t->of[i].name), slot->reading.name);
	t->of[i].value = slot->reading.value;
	t->n += i == t->n;
}

bool readings_event(struct clones *c, struct event *e)
{
	struct slot slot;
	unsigned i = 0;

	while (i < c->n && !(c->worker[i]->readings &&
			     take(c->worker[i]->readings, &slot)))
		i++;
	if (i == c->n)
		return false;
	memset(e, 0, sizeof(*e));
	e->kind = slot.phase ? EVENT_MARK : EVENT_METRIC;
	text_copy(e->job, sizeof(e->job), job_id(c->job));
	text_copy(e->text, sizeof(e->text), slot.text);
	e->cell = c->job->cell;
	if (slot.phase)
		return true;
	remember(&c->newest, &slot);
	text_copy(e->name, sizeof(e->name), slot.reading.name);
	e->value = slot.reading.value;
	e->better = slot.reading.better;
	e->final = slot.reading.final;
	e->number = slot.number;
	return true;
}
