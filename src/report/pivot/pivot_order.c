/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot, the order of the runs: a drift over all of them, runs that are unlike
 * the rest because of their place (the first block, the first run of a block,
 * after a run of some column), and single runs that are far off.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/schema/schema_machine.h"
#include "model/stats/stats.h"
#include "report/pivot/pivot.h"

/*
 * Pivot keys: keys that a cell merges, keys that differ between columns though
 * no option names them, and keys that are equal in all runs.
 */

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

/* With more columns the runs after each are not compared. */
#define MOST_BEFORE 16
/* Runs of a sweep; a log is untrusted. */
#define MOST_POSITION 1000000

/* The values of a table on the scale of the analysis, cell by unit. */
struct order {
	struct pivot *p;
	struct pivot_table *t;
	size_t cells, n; /* n: of y */
	double *y;
	unsigned char *in;
};

static void find_outliers(struct order *o)
{
	struct pivot_table *t = o->t;
	double *z = xcalloc(o->n + 1, sizeof(*z));

	blocks_outliers(o->y, o->cells, o->p->n_units, z);
	for (size_t i = 0; i < o->n; i++) {
		if (!(z[i] > BLOCKS_OUTLIER))
			continue;
		t->outlier = xrealloc(t->outlier, (t->n_outliers + 1) *
							  sizeof(*t->outlier));
		t->outlier[t->n_outliers++] = (struct pivot_outlier){
			.row = i / o->p->n_units / o->p->cols.n,
			.col = i / o->p->n_units % o->p->cols.n,
			.unit = i % o->p->n_units,
			.z = z[i],
		};
	}
	free(z);
}

static void add_difference(struct order *o, const char *name,
			   struct difference d)
{
	o->t->group[o->t->n_groups] =
		(struct pivot_group){ .name = name, .d = d, .p = NAN };
	o->t->n_groups += isfinite(d.p) != 0;
}

/* Compare the runs that are marked with the others. */
static void add_group(struct order *o, const char *name)
{
	add_difference(o, name,
		       blocks_group(o->y, o->in, o->cells, o->p->n_units));
}

/* The place of each run by its number; SIZE_MAX: none. */
static size_t *places(const struct order *o, size_t *n)
{
	size_t *at;

	*n = 0;
	for (size_t i = 0; i < o->n; i++)
		if (o->p->position[i] >= 0 &&
		    o->p->position[i] < MOST_POSITION &&
		    o->p->position[i] + 1 > (double)*n)
			*n = (size_t)o->p->position[i] + 1;
	at = xcalloc(*n + 1, sizeof(*at));
	for (size_t i = 0; i <= *n; i++)
		at[i] = SIZE_MAX;
	for (size_t i = 0; i < o->n; i++)
		if (o->p->position[i] >= 1 && o->p->position[i] < (double)*n)
			at[(size_t)o->p->position[i]] = i;
	return at;
}

/* The column whose run came right before, or SIZE_MAX. */
static size_t column_before(const struct order *o, const size_t *at, size_t i)
{
	double position = o->p->position[i];
	size_t before;

	if (!(position >= 2) || position >= MOST_POSITION)
		return SIZE_MAX;
	before = at[(size_t)position - 1];
	return before == SIZE_MAX ? SIZE_MAX
				  : before / o->p->n_units % o->p->cols.n;
}

static void carry_over(struct order *o)
{
	struct pivot *p = o->p;
	size_t n, *at = places(o, &n);

	for (size_t col = 0; col < p->cols.n && p->cols.n <= MOST_BEFORE;
	     col++) {
		for (size_t i = 0; i < o->n; i++)
			o->in[i] = column_before(o, at, i) == col;
		add_group(o, arena_printf(&p->arena, "runs after %s",
					  p->cols.head[col].name));
	}
	free(at);
}

static void first_runs(struct order *o)
{
	const struct pivot *p = o->p;

	add_difference(o, arena_printf(&o->p->arena, "%s", p->unit[0]),
		       blocks_one(o->y, 0, o->cells, p->n_units));
	for (size_t i = 0; i < o->n; i++)
		o->in[i] = p->position[i] > 0;
	for (size_t i = 0; i < o->n; i++)
		for (size_t cell = 0; cell < o->cells && o->in[i]; cell++) {
			double other =
				p->position[cell * p->n_units + i % p->n_units];

			o->in[i] = !(other > 0 && other < p->position[i]);
		}
	add_group(o, "the first run of each block");
}

static void find_groups(struct order *o)
{
	struct pivot_table *t = o->t;
	double *each;

	t->group = xcalloc(o->p->cols.n + 3, sizeof(*t->group));
	o->in = xcalloc(o->n + 1, 1);
	first_runs(o);
	carry_over(o);
	free(o->in);
	each = xcalloc(t->n_groups + 1, sizeof(*each));
	for (size_t i = 0; i < t->n_groups; i++)
		each[i] = t->group[i].d.p;
	difference_holm(each, t->n_groups, each);
	for (size_t i = 0; i < t->n_groups; i++)
		t->group[i].p = each[i];
	free(each);
}

void pivot_order_find(struct pivot *p, struct pivot_table *t)
{
	const size_t cells = p->rows.n * p->cols.n;
	struct order o = { p, t, cells, cells * p->n_units, NULL, NULL };
	/* Numbers of runs have no meaning across logs. */
	bool numbered = p->runs->n_logs == 1 || !p->runs->log[0].results;
	bool logs = true;

	t->drift.p = NAN;
	o.y = xcalloc(o.n + 1, sizeof(*o.y));
	for (size_t i = 0; i < o.n; i++)
		logs &= isnan(t->value[i]) || t->value[i] > 0;
	for (size_t i = 0; i < o.n; i++)
		o.y[i] = logs ? log(t->value[i]) : t->value[i];
	t->drift_logs = logs;
	if (numbered)
		t->drift = blocks_drift(o.y, p->position, cells, p->n_units);
	if (p->n_blocks > 2 && cells > 1) {
		find_outliers(&o);
		if (numbered && !p->boots)
			find_groups(&o);
	}
	free(o.y);
}
