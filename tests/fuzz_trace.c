/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of the trace, as the kernel's programs might leave it: the bytes, again
 * and again. Texts of rows end and are clean, and times fit in a frame.
 */
#include "fuzz.h"

#include <math.h>

#include "base/text.h"
#include "collect/trace_owner.h"
#include "collect/trace_slow.h"
#include "model/schema/schema_machine.h"
#include "model/schema/schema_trace.h"

static void *filled(size_t n, const uint8_t *data, size_t size)
{
	uint8_t *memory = xmalloc(n);

	for (size_t i = 0; i < n; i++)
		memory[i] = data[i % size];
	return memory;
}

static const char *name_of(void *arg, uint32_t dev)
{
	return dev & 1 ? arg : NULL;
}

static void is_clean(const char *text, size_t room)
{
	must_hold(strnlen(text, room) < room);
	for (; *text; text++)
		must_hold((uint8_t)*text >= ' ');
}

static void look(const struct sample *s)
{
	struct frame *f = xcalloc(1, sizeof(*f));

	for (size_t i = 0; i < s->table[SCHEMA_SLOW].n; i++) {
		const struct slow_raw *row = sample_row(s, SCHEMA_SLOW, i);

		is_clean(row->comm, sizeof(row->comm));
		is_clean(row->writer, sizeof(row->writer));
		is_clean(row->flags, sizeof(row->flags));
		if (row->file)
			is_clean(row->file, 4096);
	}
	frame_derive(f, NULL, s, 0);
	for (size_t i = 0; i < f->table[SCHEMA_TASK].n; i++) {
		const double pct = row_number(SCHEMA_TASK,
					      &f->table[SCHEMA_TASK].row[i],
					      "io_queue_pct");

		must_hold(isnan(pct) || (pct >= 0 && pct <= 100));
	}
	frame_free(f);
	free(f);
}

/* Most rows are whole: else nothing would be read of them. */
static void make_whole(struct trace_slow *slow, size_t n, uint64_t first, bool same)
{
	for (size_t i = 0; i < n; i++)
		if (slow[(first + i) % n].flags % 8 != 7)
			slow[(first + i) % n].sequence =
				trace_slow_sequence(same ? first : first + i);
}

FUZZ_TARGET(trace)
{
	struct trace t = { .n_cpus = 1, .devices = 1, .slower_ns = 1 };
	struct trace_slow_state *slow = xcalloc(1, sizeof(*slow));
	struct trace_owner_state *owners = xcalloc(1, sizeof(*owners));
	struct sample *s = xcalloc(1, sizeof(*s));
	struct trace_slowest_half *half;
	struct trace_control *control;
	struct trace_ring *ring;

	if (size) {
		t.memory[TRACE_MAP_CONTROL] = control =
			filled(sizeof(struct trace_control), data, size);
		t.memory[TRACE_MAP_SLOWEST] =
			filled(2 * sizeof(struct trace_slowest), data, size);
		t.memory[TRACE_MAP_RING] = ring =
			filled(sizeof(struct trace_ring), data, size);
		half = &((struct trace_slowest *)t.memory[TRACE_MAP_SLOWEST])
				->half[control->epoch & 1];
		make_whole(half->slow, TRACE_SLOWEST, control->epoch, true);
		make_whole(ring->slow, TRACE_RING, ring->head - TRACE_RING, false);
		t.memory[TRACE_MAP_OWNERS] = filled(
			TRACE_OWNERS * sizeof(struct trace_owner), data, size);
		text_copy(((struct task_raw *)sample_add(s, SCHEMA_TASK))->key.id,
			  ROW_ID_MAX, "1");
		control->owner[trace_owner_set(1)] = 1;
		/* No names are looked for: the time for it is over. */
		trace_slow_slowest(
			slow, &t, s, 0, half->slow[0].dev, "sda", control->epoch, TRACE_SLOWEST);
		trace_slow_all(slow, &t, s, name_of, (void *)(uintptr_t) "sda");
		for (int i = 0; i < 4; i++)
			trace_owner_rows(owners, &t, s);
		trace_owner_rows(owners, &t, s);
		look(s);
	}
	for (int i = 0; i < TRACE_MAPS; i++)
		free(t.memory[i]);
	sample_free(s);
	free(s);
	trace_slow_free(slow);
	free(slow);
	trace_owner_free(owners);
	free(owners);
	return 0;
}
