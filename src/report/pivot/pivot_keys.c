/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot keys: keys that a cell merges, keys that differ between columns though
 * no option names them, and keys that are equal in all runs.
 */
#include <stdlib.h>
#include <string.h>

#include "model/schema/schema_host.h"
#include "report/pivot/pivot_parts.h"

/* Whether rows or columns differ by that key. */
static bool covered(const struct pivot_heads *h, const char *key)
{
	for (size_t i = 0; i < h->n_keys; i++)
		if (runs_is_named(key, h->key[i]))
			return true;
	return false;
}

static const char *text_of(const struct pivot *p, size_t run, size_t key)
{
	const char *value = runs_fact_at(p->runs, &p->runs->run[run], key);

	return value ? value : "-";
}

/* Whether the figures of a run are in a cell. */
static bool counts(const struct pivot *p, size_t run)
{
	const struct runs_run *r = &p->runs->run[run];

	return p->row_of[run] != PIVOT_NOWHERE && r->state == RUNS_DONE &&
	       (!r->invalid || (p->include_invalid && !r->excluded));
}

/* Cells in which the key has several texts. */
static void find_merged(struct pivot *p, size_t key)
{
	size_t cells = p->rows.n * p->cols.n;
	const char **seen = xcalloc(cells + 1, sizeof(*seen));
	bool *told = xcalloc(cells + 1, sizeof(*told));

	for (size_t i = 0; i < p->runs->n; i++) {
		const char *value;
		size_t cell;

		if (!counts(p, i))
			continue;
		cell = p->row_of[i] * p->cols.n + p->col_of[i];
		value = text_of(p, i, key);
		if (!seen[cell])
			seen[cell] = value;
		if (!strcmp(seen[cell], value) || told[cell])
			continue;
		told[cell] = true;
		p->merged[cell] = p->merged[cell]
					  ? arena_printf(&p->arena, "%s, %s",
							 p->merged[cell],
							 p->runs->key[key])
					  : p->runs->key[key];
	}
	free(told);
	free((void *)seen);
}

/* The texts of a key in a column, joined; "-": none. */
static const char *of_column(struct pivot *p, size_t key, size_t col)
{
	const char *all = NULL, *last = NULL;

	for (size_t i = 0; i < p->runs->n; i++) {
		const char *value;

		if (!counts(p, i) || p->col_of[i] != col)
			continue;
		value = text_of(p, i, key);
		if (last && !strcmp(last, value))
			continue;
		if (all && strstr(all, value))
			continue;
		all = all ? arena_printf(&p->arena, "%s or %s", all, value)
			  : value;
		last = value;
	}
	return all ? all : "-";
}

/* "256 (bfq), 128 (none kyber)". */
static const char *group_words(struct pivot *p, const char **of)
{
	const char *words = "";

	for (size_t col = 0; col < p->cols.n; col++) {
		const char *names = "";
		bool before = false;

		for (size_t k = 0; k < col; k++)
			before |= !strcmp(of[k], of[col]);
		if (before)
			continue;
		for (size_t k = col; k < p->cols.n; k++)
			if (!strcmp(of[k], of[col]))
				names = arena_printf(&p->arena, "%s%s%s", names,
						     *names ? ", " : "",
						     p->cols.head[k].name);
		words = arena_printf(&p->arena, "%s%s%s (%s)", words,
				     *words ? "; " : "", of[col], names);
	}
	return words;
}

static void find_differ(struct pivot *p, size_t key)
{
	const char **of = xcalloc(p->cols.n + 1, sizeof(*of));
	bool differs = false;

	for (size_t col = 0; col < p->cols.n; col++) {
		of[col] = of_column(p, key, col);
		differs |= strcmp(of[col], of[0]) != 0;
	}
	if (differs) {
		p->differ = xgrow(p->differ, &p->cap_differ, p->n_differ + 1,
				  sizeof(*p->differ));
		p->differ[p->n_differ++] =
			(struct pivot_differ){ p->runs->key[key],
					       group_words(p, of) };
	} else if (strcmp(of[0], "-") != 0) {
		p->held = xgrow(p->held, &p->cap_held, p->n_held + 1,
				sizeof(*p->held));
		p->held[p->n_held++] =
			(struct pivot_differ){ p->runs->key[key], of[0] };
	}
	free((void *)of);
}

void pivot_keys_find(struct pivot *p)
{
	p->merged = xcalloc(p->rows.n * p->cols.n + 1, sizeof(*p->merged));
	for (size_t i = 0; i < p->runs->n_keys; i++) {
		const char *key = p->runs->key[i];

		if (runs_key_is_stamp(key) || covered(&p->cols, key) ||
		    covered(&p->rows, key) || runs_key_is_idle(p->runs, key))
			continue;
		find_merged(p, i);
		find_differ(p, i);
	}
}
