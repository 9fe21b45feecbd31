/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot, the facts that differ: keys that a cell merges, keys that differ
 * between columns though no option names them, keys that are equal in all runs;
 * and the difference of two logs.
 */
#include <stdlib.h>
#include <string.h>

#include "report/pivot/pivot.h"

bool pivot_has_key(const struct pivot_heads *h, const char *key)
{
	for (size_t i = 0; i < h->n_keys; i++)
		if (runs_is_named(key, h->key[i]))
			return true;
	return false;
}

static const char *pivot_keys_text_of(const struct pivot *p, size_t run,
				      size_t key)
{
	const char *value = runs_fact_at(p->runs, p->run[run], key);

	return value ? value : "-";
}

/* Cells in which the key has several texts. */
static void find_merged(struct pivot *p, size_t key)
{
	const char **seen = xcalloc(p->n_cells + 1, sizeof(*seen));
	bool *told = xcalloc(p->n_cells + 1, sizeof(*told));
	const char *name = p->runs->key[key].name;

	for (size_t i = 0; i < p->trial.n_runs; i++) {
		const size_t cell = p->trial.run[i].cell;
		const char *value = pivot_keys_text_of(p, i, key);

		if (!trial_counts(&p->trial, &p->trial.run[i]))
			continue;
		if (!seen[cell])
			seen[cell] = value;
		if (!strcmp(seen[cell], value) || told[cell])
			continue;
		told[cell] = true;
		p->merged[cell] =
			p->merged[cell]
				? arena_printf(&p->arena, "%s, %s",
					       p->merged[cell], name)
				: name;
	}
	free(told);
	free((void *)seen);
}

/* The texts of a key in a column, joined; NULL: no run counts there. */
static const char *of_column(struct pivot *p, size_t key, size_t col)
{
	const char *all = NULL, *last = NULL;

	for (size_t i = 0; i < p->trial.n_runs; i++) {
		const struct trial_run *run = &p->trial.run[i];
		const char *value = pivot_keys_text_of(p, i, key);

		if (!trial_counts(&p->trial, run) ||
		    run->cell % p->cols.n != col)
			continue;
		if (last && !strcmp(last, value))
			continue;
		if (all && strstr(all, value))
			continue;
		all = all ? arena_printf(&p->arena, "%s or %s", all, value)
			  : value;
		last = value;
	}
	return all;
}

/* "256 (bfq), 128 (none kyber)". */
static const char *pivot_keys_group_words(struct pivot *p, const char **of)
{
	const char *words = "";

	for (size_t col = 0; col < p->cols.n; col++) {
		const char *names = "";
		bool before = false;

		for (size_t k = 0; k < col; k++)
			before |= of[k] && of[col] && !strcmp(of[k], of[col]);
		if (before || !of[col])
			continue;
		for (size_t k = col; k < p->cols.n; k++)
			if (of[k] && !strcmp(of[k], of[col]))
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
	const char *first = NULL, *name = p->runs->key[key].name;
	bool differs = false;

	for (size_t col = 0; col < p->cols.n; col++) {
		of[col] = of_column(p, key, col);
		first = first ? first : of[col];
		differs |= of[col] && strcmp(of[col], first) != 0;
	}
	if (differs)
		*xadd(p->differ, p->n_differ, p->cap_differ) =
			(struct pivot_differ){ name,
					       pivot_keys_group_words(p, of) };
	else if (first && strcmp(first, "-") != 0)
		*xadd(p->held, p->n_held, p->cap_held) =
			(struct pivot_differ){ name, first };
	free((void *)of);
}

void pivot_keys_find(struct pivot *p)
{
	p->merged = xcalloc(p->n_cells + 1, sizeof(*p->merged));
	for (size_t i = 0; i < p->runs->n_keys; i++) {
		const char *key = p->runs->key[i].name;

		if (runs_key_is_stamp(key) ||
		    pivot_has_key(&p->cols, key) ||
		    pivot_has_key(&p->rows, key) ||
		    runs_key_is_idle(p->runs, key))
			continue;
		find_merged(p, i);
		find_differ(p, i);
	}
}
