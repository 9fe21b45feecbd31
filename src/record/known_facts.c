/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known facts: found by a hash of schema and id, in open addressing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "record/codec.h"

static const enum schema_id known_facts_schemas[] = { SCHEMA_DEVICE, SCHEMA_TASK };

void known_facts_reset(struct known_facts *k)
{
	frame_reset(&k->rows);
	if (k->cap)
		memset(k->place, 0, k->cap * sizeof(*k->place));
	k->n = 0;
}

void known_facts_free(struct known_facts *k)
{
	frame_free(&k->rows);
	free(k->place);
	memset(k, 0, sizeof(*k));
}

static struct row *known_facts_at(const struct known_facts *k, size_t i)
{
	return &k->rows.table[k->place[i].schema].row[k->place[i].row - 1];
}

/* The place of a row, or the free one for it. */
static size_t known_facts_search(const struct known_facts *k, enum schema_id id,
				 const char *name)
{
	size_t i = text_hash(TEXT_HASH + id, name, strlen(name)) & (k->cap - 1);

	while (k->place[i].row && (k->place[i].schema != id ||
				   strcmp(known_facts_at(k, i)->id, name) != 0))
		i = (i + 1) & (k->cap - 1);
	return i;
}

static void known_facts_grow(struct known_facts *k)
{
	struct known_facts_place *old = k->place;
	const size_t n = k->cap;

	k->cap = n ? 2 * n : 64;
	k->place = xcalloc(k->cap, sizeof(*k->place));
	for (size_t i = 0; i < n; i++)
		if (old[i].row)
			k->place[known_facts_search(
				k, old[i].schema,
				k->rows.table[old[i].schema]
					.row[old[i].row - 1]
					.id)] = old[i];
	free(old);
}

static bool known_facts_equal(const struct field *field, union value a,
			      union value b)
{
	if (field->kind == FIELD_NUMBER)
		return a.number == b.number ||
		       (isnan(a.number) && isnan(b.number));
	return a.text && b.text ? !strcmp(a.text, b.text) : a.text == b.text;
}

/* Copy the facts; texts go to the arena. */
static void known_facts_copy(const struct schema *s, struct row *to,
			     const struct row *from, struct arena *arena)
{
	for (size_t i = 0; i < s->n_fields; i++) {
		if (!s->fields[i].fact)
			continue;
		to->value[i] = from->value[i];
		if (s->fields[i].kind == FIELD_TEXT && to->value[i].text)
			to->value[i].text =
				arena_strdup(arena, to->value[i].text);
	}
}

/* Keep the facts of a row; true: they were known already. */
static bool known_facts_keep(struct known_facts *k, enum schema_id id,
			     const struct row *row)
{
	const struct schema *s = schemas[id];
	bool same = true;
	struct row *known;
	size_t i;

	if (2 * (k->n + 1) > k->cap)
		known_facts_grow(k);
	i = known_facts_search(k, id, row->id);
	if (!k->place[i].row) {
		frame_add_row(&k->rows, id, row->id);
		k->place[i].schema = id;
		k->place[i].row = (uint32_t)k->rows.table[id].n;
		k->n++;
		same = false;
	}
	known = known_facts_at(k, i);
	for (size_t f = 0; same && f < s->n_fields; f++)
		same = !s->fields[f].fact ||
		       known_facts_equal(&s->fields[f], row->value[f],
					 known->value[f]);
	if (!same)
		known_facts_copy(s, known, row, &k->rows.arena);
	return same;
}

void known_facts_begin(struct known_facts *k)
{
	k->whole = k->on && k->frames++ % KNOWN_FACTS_FRAMES == 0;
	if (k->whole)
		known_facts_reset(k);
}

void known_facts_forget(struct known_facts *k)
{
	k->frames = 0;
}

bool known_facts_same(struct known_facts *k, enum schema_id id,
		      const struct row *row)
{
	return k->on && (id == SCHEMA_DEVICE || id == SCHEMA_TASK) &&
	       known_facts_keep(k, id, row);
}

void known_facts_fill(struct known_facts *k, struct frame *f)
{
	if (f->whole)
		k->frames = 0;
	/* Another program's log may lack whole frames: it fills no memory. */
	if (k->frames++ % KNOWN_FACTS_FRAMES == 0) {
		k->on = f->whole;
		known_facts_reset(k);
	}
	for (size_t s = 0; k->on && s < ARRAY_SIZE(known_facts_schemas); s++) {
		const enum schema_id id = known_facts_schemas[s];
		struct table *t = &f->table[id];

		for (size_t i = 0; i < t->n; i++) {
			struct row *row = &t->row[i];
			size_t at;

			if (!row->same) {
				known_facts_keep(k, id, row);
				continue;
			}
			row->same = false;
			at = k->cap ? known_facts_search(k, id, row->id) : 0;
			if (!k->cap || !k->place[at].row)
				continue;
			known_facts_copy(schemas[id], row, known_facts_at(k, at),
					 &f->arena);
			if (id == SCHEMA_TASK)
				codec_set_arguments(row);
		}
	}
}
