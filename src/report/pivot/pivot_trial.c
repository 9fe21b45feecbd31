/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot, the trial: all axes of the runs that take part, whatever the rows and
 * columns are, for the verdicts by axis.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "report/pivot/pivot.h"

/* The levels of a key in the order of the plan, then as they came. */
static void add_levels(struct pivot *p, struct trial *t, const char *key)
{
	const char **value = xcalloc(p->runs->n + 1, sizeof(*value));
	size_t n = 0;

	for (size_t i = 0; i < p->runs->n; i++) {
		const char *v = runs_fact(p->runs, &p->runs->run[i], key);
		size_t at = n;

		if (p->row_of[i] == PIVOT_NOWHERE || !v)
			continue;
		for (size_t k = 0; k < n; k++)
			if (!strcmp(value[k], v))
				at = SIZE_MAX;
		if (at == SIZE_MAX)
			continue;
		while (at && runs_rank(p->runs, key, value[at - 1]) >
				     runs_rank(p->runs, key, v)) {
			value[at] = value[at - 1];
			at--;
		}
		value[at] = v;
		n++;
	}
	for (size_t i = 0; i < n; i++)
		trial_add_level(t, value[i]);
	free((void *)value);
}

static bool add_axes(struct pivot *p, struct trial *t)
{
	for (size_t i = 0; i < p->runs->n_keys; i++) {
		if (!p->runs->axis[i])
			continue;
		if (!trial_add_axis(t, p->runs->key[i]))
			return false;
		add_levels(p, t, p->runs->key[i]);
		if (t->axis[t->n_axes - 1].n >= 2)
			continue;
		free((void *)t->axis[--t->n_axes].level);
		memset(&t->axis[t->n_axes], 0, sizeof(t->axis[0]));
	}
	return t->n_axes >= 2 && trial_cells(t) <= TRIAL_CELLS;
}

/* The cell of a run; false: it has no value of an axis. */
static bool pivot_trial_cell_of(struct pivot *p, const struct trial *t,
				const struct runs_run *run, size_t *cell)
{
	size_t level[TRIAL_AXES];

	for (size_t i = 0; i < t->n_axes; i++) {
		const char *v = runs_fact(p->runs, run, t->axis[i].key);

		level[i] = v ? trial_level(&t->axis[i], v) : t->axis[i].n;
		if (level[i] == t->axis[i].n)
			return false;
	}
	*cell = trial_cell(t, level);
	return true;
}

static void add_runs(struct pivot *p, struct trial *t)
{
	double *value = xcalloc(p->n_tables + 1, sizeof(*value));

	for (size_t i = 0; i < p->runs->n; i++) {
		const struct runs_run *run = &p->runs->run[i];
		struct trial_run to = {
			.block = p->unit_of[i],
			.invalid = run->invalid != NULL,
			.failed = run->state != RUNS_DONE,
			.value = value,
		};

		if (p->row_of[i] == PIVOT_NOWHERE ||
		    !pivot_trial_cell_of(p, t, run, &to.cell))
			continue;
		/* --exclude leaves a run out for good. */
		to.failed |= run->excluded;
		for (size_t k = 0; k < p->n_tables; k++)
			value[k] = runs_value(run, p->table[k].metric);
		trial_add_run(t, &to);
	}
	free(value);
}

struct doc *pivot_trial_result(struct pivot *p)
{
	struct trial t = { .include_invalid = p->include_invalid };
	struct doc *d = NULL;
	char title[300];

	/* A boot is the observation of a kernel, and no block holds it. */
	if (p->boots || !p->n_blocks || !add_axes(p, &t)) {
		trial_free(&t);
		return NULL;
	}
	for (size_t i = 0; i < p->n_tables; i++)
		trial_add_metric(&t, p->table[i].name,
				 pivot_figure_title(&p->table[i], title,
						    sizeof(title)),
				 p->table[i].better, !p->table[i].exploratory);
	add_runs(p, &t);
	d = doc_new();
	page_result(d, &t, power_stop_factor(p->stop));
	trial_free(&t);
	return d;
}
