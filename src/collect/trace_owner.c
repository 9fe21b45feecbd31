/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The traced requests of processes and control groups: read from the memory that the
 * programs fill. A place whose owner makes no request for a while becomes free.
 */
#include "collect/trace_owner.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/schema/schema_machine.h"

/* Looks without a request after which a place becomes free. */
#define IDLE_LOOKS 3

static void trace_owner_look_at(struct trace_owned *o,
				const struct trace_owner *from, uint64_t *key)
{
	if (o->key != *key) {
		o->key = *key;
		o->idle = 0;
	}
	for (int i = 0; i < 2; i++)
		if (!o->copy[i])
			o->copy[i] = xcalloc(1, sizeof(*o->copy[i]));
	o->changed = o->copy[o->newest]->changes != from->changes;
	if (o->changed) {
		o->newest = !o->newest;
		memcpy(o->copy[o->newest], from, sizeof(*from));
		o->idle = 0;
	} else if (++o->idle >= IDLE_LOOKS) {
		o->key = *key = 0;
	}
}

/* Look at all processes, or all control groups. */
static void trace_owner_look(struct trace_owner_state *state,
			     const struct trace *t, uint64_t kind)
{
	struct trace_control *control = t->memory[TRACE_MAP_CONTROL];
	const struct trace_owner *all = t->memory[TRACE_MAP_OWNERS];

	for (size_t i = 0; i < TRACE_OWNERS; i++)
		if (control->owner[i] &&
		    (control->owner[i] & TRACE_OWNER_CGROUP) == kind)
			trace_owner_look_at(&state->owned[i], &all[i],
					    &control->owner[i]);
}

static struct owner_trace trace_owner_of(const struct trace_owner_state *state,
					 uint64_t key)
{
	for (unsigned i = 0; key && i < TRACE_OWNER_WAYS; i++) {
		const struct trace_owned *o =
			&state->owned[trace_owner_set(key) + i];

		if (o->key == key && o->changed)
			return (struct owner_trace){ o->copy[o->newest],
						     o->copy[!o->newest] };
	}
	return (struct owner_trace){ 0 };
}

/* A row of a thread or of processes that ended has none of its own. */
static uint64_t trace_owner_pid(const struct task_raw *raw)
{
	char *end;
	const unsigned long pid = strtoul(raw->key.id, &end, 10);

	return *end || raw->state == TASK_ENDED ? 0 : pid;
}

void trace_owner_rows(struct trace_owner_state *state, const struct trace *t,
		      struct sample *s)
{
	const struct sample_table *tasks = &s->table[SCHEMA_TASK];
	const struct sample_table *cgroups = &s->table[SCHEMA_CGROUP];

	if (!tasks->repeats)
		trace_owner_look(state, t, 0);
	trace_owner_look(state, t, TRACE_OWNER_CGROUP);
	for (size_t i = 0; i < tasks->n; i++) {
		struct task_raw *raw = sample_row(s, SCHEMA_TASK, i);

		raw->trace = trace_owner_of(
			state, t->other_pids ? 0 : trace_owner_pid(raw));
	}
	for (size_t i = 0; i < cgroups->n; i++) {
		struct cgroup_raw *raw = sample_row(s, SCHEMA_CGROUP, i);

		raw->trace = trace_owner_of(state, raw->key.generation |
							   TRACE_OWNER_CGROUP);
	}
}

void trace_owner_free(struct trace_owner_state *state)
{
	for (size_t i = 0; i < TRACE_OWNERS; i++)
		for (int k = 0; k < 2; k++)
			free(state->owned[i].copy[k]);
}
