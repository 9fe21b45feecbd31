/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table groups: rows that stand for several others, with their sums and means.
 *
 * Which fields add up and which are averaged says the table's spec; a mean
 * over time that is weighted (await by its iops) is weighted here as well. Any
 * other value of a group is absent.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "ui/pane_table.h"

void table_groups_clear(struct table_state *t)
{
	t->n_groups = 0;
	arena_reset(&t->arena);
}

static void clear_row(struct table_state *t, const struct schema *s,
		      struct row *row)
{
	row->value =
		arena_zalloc(&t->arena, 2 * s->n_fields * sizeof(*row->value));
	for (size_t i = 0; i < s->n_fields; i++)
		if (s->fields[i].kind == FIELD_NUMBER)
			row->value[i].number = NAN;
}

/* Groups are few, and rows of one group mostly stand together. */
static struct group *find(struct table_state *t, const struct table_spec *spec,
			  const char *id)
{
	struct group *g;

	for (size_t i = t->n_groups; i-- > 0;)
		if (!strcmp(t->group[i].id, id))
			return &t->group[i];
	t->group = xgrow(t->group, &t->cap_groups, t->n_groups + 1,
			 sizeof(*t->group));
	g = &t->group[t->n_groups++];
	memset(g, 0, sizeof(*g));
	text_copy(g->id, sizeof(g->id), id);
	/* The array may move: a row's id lives in the arena. */
	g->row.id = arena_strdup(&t->arena, g->id);
	clear_row(t, schemas[spec->schema], &g->row);
	return g;
}

static double plus(double sum, double v)
{
	return isnan(v) ? sum : isnan(sum) ? v : sum + v;
}

const char *table_group_add(struct table_state *t,
			    const struct table_spec *spec,
			    const struct row *row)
{
	const struct schema *s = schemas[spec->schema];
	const char *id = spec->group(row);
	struct group *g;
	union value *sum, *weight;

	if (!id)
		return NULL;
	g = find(t, spec, id);
	g->n++;
	sum = g->row.value;
	weight = sum + s->n_fields;
	for (size_t i = 0; i < s->n_fields; i++) {
		const struct field *f = &s->fields[i];
		double v, w = 1;

		if (f->kind != FIELD_NUMBER)
			continue;
		v = row->value[i].number;
		if (f->weight)
			w = row_number(spec->schema, row, f->weight);
		if (isnan(v) || isnan(w))
			continue;
		sum[i].number = plus(sum[i].number, v * w);
		weight[i].number += w;
	}
	return g->row.id;
}

void table_group_end(struct table_state *t, const struct table_spec *spec,
		     size_t i)
{
	const struct schema *s = schemas[spec->schema];
	union value *v = t->group[i].row.value;

	for (size_t f = 0; f < s->n_fields; f++) {
		const struct field *field = &s->fields[f];

		if (field->kind != FIELD_NUMBER ||
		    (!field->weight && table_listed(spec->sum, field->key)))
			continue;
		v[f].number =
			field->weight || table_listed(spec->mean, field->key)
				? schema_ratio(v[f].number,
					       v[s->n_fields + f].number)
				: NAN;
	}
	if (spec->label)
		spec->label(&t->group[i].row, t->group[i].n);
}
