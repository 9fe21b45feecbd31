/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of the runs: a drift over all of them, runs that are unlike the
 * rest because of their place (the first block, the first run of a block, after
 * a run of some column), and single runs that are far off.
 */
#include "report/pivot/pivot.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/stats/blocks.h"
#include "model/stats/difference.h"

/* With more columns the runs after each are not compared. */
#define MOST_BEFORE 16
/* Runs of a sweep; a log is untrusted. */
#define MOST_POSITION 1000000

/* The values of a table on the scale of the analysis, cell by unit. */
struct order {
	struct pivot *p;
	struct pivot_table *t;
	size_t n; /* of y */
	double *y;
	unsigned char *in;
};

static void find_outliers(struct order *o)
{
	struct pivot_table *t = o->t;
	double *z = xcalloc(o->n + 1, sizeof(*z));

	blocks_outliers(o->y, o->p->n_cells, o->p->n_units, z);
	for (size_t i = 0; i < o->n; i++) {
		if (!(z[i] > BLOCKS_OUTLIER))
			continue;
		t->outlier = xrealloc(t->outlier, (t->n_outliers + 1) *
							  sizeof(*t->outlier));
		t->outlier[t->n_outliers++] = (struct pivot_outlier){
			.cell = i / o->p->n_units,
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
static void pivot_order_add_group(struct order *o, const char *name)
{
	add_difference(o, name,
		       blocks_group(o->y, o->in, o->p->n_cells, o->p->n_units));
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
		pivot_order_add_group(o,
				      arena_printf(&p->arena, "runs after %s",
						   p->cols.head[col].name));
	}
	free(at);
}

static void first_runs(struct order *o)
{
	const struct pivot *p = o->p;

	add_difference(o, arena_printf(&o->p->arena, "%s", p->unit[0]),
		       blocks_one(o->y, 0, p->n_cells, p->n_units));
	for (size_t i = 0; i < o->n; i++)
		o->in[i] = p->position[i] > 0;
	for (size_t i = 0; i < o->n; i++)
		for (size_t cell = 0; cell < p->n_cells && o->in[i]; cell++) {
			double other =
				p->position[cell * p->n_units + i % p->n_units];

			o->in[i] = !(other > 0 && other < p->position[i]);
		}
	pivot_order_add_group(o, "the first run of each block");
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

/*
 * The effects of the order of the runs: drift, the first runs, carry-over; and
 * outliers.
 */
void pivot_order_find(struct pivot *p, struct pivot_table *t)
{
	struct order o = { .p = p, .t = t, .n = p->n_cells * p->n_units };
	/* Numbers of runs have no meaning across logs. */
	bool numbered = p->runs->n_logs == 1 || !p->runs->log[0].results;

	t->drift.p = NAN;
	o.y = xcalloc(o.n + 1, sizeof(*o.y));
	for (size_t i = 0; i < o.n; i++)
		o.y[i] = t->logs ? log(t->value[i]) : t->value[i];
	if (numbered)
		t->drift = blocks_drift(o.y, p->position, p->n_cells, p->n_units);
	if (p->n_blocks > 2 && p->n_cells > 1) {
		find_outliers(&o);
		if (numbered && !p->boots)
			find_groups(&o);
	}
	free(o.y);
}
