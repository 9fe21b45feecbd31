/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot, the trial: all axes of the runs that take part, whatever the rows and
 * columns are, for the verdicts by axis.
 */
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "report/pivot/pivot.h"

/* The levels of a key in the order of the plan, then as they came. */
static void add_levels(struct pivot *p, struct trial *t, const char *key)
{
	const struct trial_axis *axis = &t->axis[t->n_axes - 1];

	for (size_t i = 0; i < p->trial.n_runs; i++) {
		const char *v = runs_fact(p->runs, p->run[i], key);

		if (v)
			(void)trial_add_level(t, v);
	}
	for (size_t i = 1; i < axis->n; i++) {
		const char *v = axis->level[i];
		const int rank = runs_rank(p->runs, key, v);
		size_t at = i;

		for (; at && runs_rank(p->runs, key, axis->level[at - 1]) > rank;
		     at--)
			axis->level[at] = axis->level[at - 1];
		axis->level[at] = v;
	}
}

static bool add_axes(struct pivot *p, struct trial *t)
{
	for (size_t i = 0; i < p->runs->n_keys; i++) {
		if (!p->runs->key[i].axis)
			continue;
		if (!trial_add_axis(t, p->runs->key[i].name))
			return false;
		add_levels(p, t, p->runs->key[i].name);
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
	for (size_t i = 0; i < p->trial.n_runs; i++) {
		const struct trial_run *from = &p->trial.run[i];
		size_t cell, at;

		if (!pivot_trial_cell_of(p, t, p->run[i], &cell))
			continue;
		at = trial_add_run(t, cell, from->block);
		t->run[at].invalid = from->invalid;
		t->run[at].failed = from->failed;
		for (size_t k = 0; k < p->n_tables; k++)
			trial_put(t, at, k,
				  trial_value(from, p->table[k].of));
	}
}

/* The verdicts by axis; false: fewer than two axes in blocks. */
static bool pivot_trial_axes(struct pivot *p, struct doc *d)
{
	struct trial t = { .include_invalid = p->include_invalid };
	/* A boot is the observation of a kernel, and no block holds it. */
	const bool fits = !p->boots && p->n_blocks && add_axes(p, &t);

	for (size_t i = 0; i < p->n_tables && fits; i++)
		(void)trial_add_metric(&t, p->table[i].name,
				       pivot_figure_title(&p->table[i]).text,
				       p->table[i].better,
				       !p->table[i].exploratory);
	if (fits) {
		add_runs(p, &t);
		page_result(d, &t, power_stop_factor(p->stop), p->left_out);
	}
	trial_free(&t);
	return fits;
}

void pivot_trial_need(const struct pivot *p, struct doc *d)
{
	const struct runs_log *log = p->runs->log;
	struct page_need need = { 0 };

	if (!p->n_tables || p->boots)
		return;
	for (size_t k = 0; k < p->n_cells; k++)
		if (k != pivot_base(p, k))
			page_need_add(&need, &p->table[0].cell[k].v);
	page_need_say(d, &need,
		      p->resume ? p->resume
		      : p->runs->n_logs == 1 && log->results && !log->foreign
			      ? log->name
			      : NULL);
}

struct doc *pivot_trial_result(struct pivot *p)
{
	struct doc *d = doc_new();

	if (!pivot_trial_axes(p, d)) {
		page_left_out(d, &p->trial, p->left_out);
		pivot_trial_need(p, d);
	}
	if (doc_at(d, 0))
		return d;
	doc_free(d);
	return NULL;
}
