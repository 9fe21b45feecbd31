/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sample: raw rows of one instant.
 */
#include "model/sample.h"

#include <stdlib.h>
#include <string.h>

void sample_reset(struct sample *s)
{
	for (int i = 0; i < SCHEMA_COUNT; i++) {
		s->table[i].n = 0;
		s->table[i].repeats = false;
	}
	s->mono_ns = s->wall_ns = 0;
	s->late = 0;
	s->jumped = false;
	arena_reset(&s->arena);
}

void sample_free(struct sample *s)
{
	for (int i = 0; i < SCHEMA_COUNT; i++)
		free(s->table[i].rows);
	arena_free(&s->arena);
	memset(s, 0, sizeof(*s));
}

void *sample_add(struct sample *s, enum schema_id id)
{
	struct sample_table *t = &s->table[id];
	size_t size = schemas[id]->row_size;
	void *row;

	t->rows = xgrow(t->rows, &t->cap, t->n + 1, size);
	row = t->rows + t->n++ * size;
	return memset(row, 0, size);
}

void *sample_row(const struct sample *s, enum schema_id id, size_t i)
{
	return s->table[id].rows + i * schemas[id]->row_size;
}

void *sample_find(const struct sample *s, enum schema_id id, const char *row)
{
	for (size_t i = 0; i < s->table[id].n; i++) {
		struct row_key *key = sample_row(s, id, i);

		if (!strcmp(key->id, row))
			return key;
	}
	return NULL;
}
