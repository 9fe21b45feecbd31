/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot, the verdicts: each column against the base, corrected as one family,
 * and one figure of all rows; and what the order of the runs did.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/stats/blocks.h"
#include "model/stats/difference.h"
#include "model/stats/power.h"
#include "report/pivot/pivot.h"
#include "trial/judge.h"

/* Fewer boots of a kernel give figures only. */
#define LEAST_BOOTS 3

/* --- comparisons --- */

/* Why a cell has no value, in the order of weight; NULL: it has one. */
static const char *why_empty(const struct pivot *p, const struct pivot_table *t,
			     const struct pivot_cell *c)
{
	if (c->n)
		return NULL;
	if (!c->runs)
		return "no run";
	if (c->failed == c->runs)
		return "no run succeeded";
	if (!p->include_invalid && c->invalid)
		return "all runs are invalid";
	return p->runs->metric[t->metric].unsure
		       ? "too few I/Os for this percentile"
		       : "the runs have no such figure";
}

/* The reason why a cell gets no verdict, or NULL. */
static const char *pivot_judge_reason(struct pivot *p,
				      const struct pivot_table *t, size_t cell)
{
	const size_t base = pivot_base(p, cell);
	const struct pivot_cell *a = &t->cell[base], *b = &t->cell[cell];
	const char *merged = p->merged[p->merged[cell] ? cell : base];

	if (!b->n)
		return why_empty(p, t, b);
	if (!a->n)
		return arena_printf(&p->arena, "the base has no value (%s)",
				    why_empty(p, t, a));
	if (merged)
		return arena_printf(&p->arena, "merged over %s", merged);
	if (p->boots && (a->n < LEAST_BOOTS || b->n < LEAST_BOOTS))
		return "fewer than 3 boots";
	if (b->v.d.method == DIFFERENCE_NONE)
		return NULL;
	return t->beside	? "beside the latency that is judged"
	       : t->exploratory ? "exploratory, no metric of the plan"
				: NULL;
}

/*
 * Use a common error for all comparisons of a row, from the blocks with all
 * columns, if there are any.
 */
static void pool(struct pivot *p, struct pivot_table *t, size_t row)
{
	const size_t k = p->cols.n, n = p->n_units;
	const double *x = &t->value[row * k * n];
	double *y = xcalloc(k * n + 1, sizeof(*y));
	unsigned char *whole = xcalloc(n + 1, 1);
	struct blocks_error e;
	const bool logs = difference_takes_logs(x, k * n);

	for (size_t i = 0; i < k * n; i++)
		y[i] = logs ? log(x[i]) : x[i];
	e = blocks_error(y, k, n, whole);
	for (size_t i = 0; i < k * n; i++)
		y[i] = whole[i % n] ? x[i] : NAN;
	for (size_t col = 0; col < k && e.sd > 0; col++) {
		struct judge_verdict *v = &t->cell[row * k + col].v;
		const struct difference d = difference_paired(
			y + p->base * n, y + col * n, n, 0);

		/*
		 * One column is above 0 and the other is not, so this
		 * difference is not of logarithms and the pooled error has
		 * another unit.
		 */
		if (col == p->base || d.logs != logs)
			continue;
		v->d = d;
		difference_pool(&v->d, e.sd, e.df);
		t->spread = fmax(t->spread, e.spread);
	}
	free(whole);
	free(y);
}

void pivot_judge_table(struct pivot *p, struct pivot_table *t)
{
	const struct judge_rule rule = { 0 };
	struct judge_pair *pair = xcalloc(p->n_cells + 1, sizeof(*pair));

	for (size_t i = 0; i < p->n_cells; i++)
		pair[i] = (struct judge_pair){ .metric = t->of, .cell = i,
					       .base = pivot_base(p, i) };
	judge_compare(pair, p->n_cells, &p->trial, &rule);
	for (size_t i = 0; i < p->n_cells; i++) {
		struct judge_verdict *v = &t->cell[i].v;

		if (pair[i].base != i)
			v->d = pair[i].v.d;
		v->p = v->tost_p = v->least_pct = NAN;
	}
	free(pair);
	for (size_t row = 0; row < p->rows.n && p->pooled; row++)
		pool(p, t, row);
	for (size_t i = 0; i < p->n_cells; i++)
		if (pivot_base(p, i) != i)
			t->cell[i].v.why = pivot_judge_reason(p, t, i);
	pivot_order_find(p, t);
}

/*
 * The interval of the figure over all rows, from units that hold every row of
 * both columns.
 */
static void geomean_interval(const struct pivot *p, const struct pivot_table *t,
			     size_t col, struct pivot_geomean *g)
{
	double *d = xcalloc(p->rows.n * p->n_units + 1, sizeof(*d));
	struct difference all;

	for (size_t row = 0; row < p->rows.n; row++)
		for (size_t u = 0; u < p->n_units; u++) {
			double a = pivot_cell(p, t, row, p->base)->value[u];
			double b = pivot_cell(p, t, row, col)->value[u];

			d[row * p->n_units + u] =
				a > 0 && b > 0 ? t->better * log(b / a) : NAN;
		}
	all = blocks_geomean(d, p->rows.n, p->n_units);
	free(d);
	if (all.method == DIFFERENCE_NONE)
		return;
	g->ratio = exp(all.diff);
	g->low = exp(all.low);
	g->high = exp(all.high);
}

/* Whether every column has a figure in the row: only such rows enter. */
static bool in_all_columns(const struct pivot *p, const struct pivot_table *t,
			   size_t row)
{
	for (size_t col = 0; col < p->cols.n; col++) {
		const struct difference *d = &pivot_cell(p, t, row, col)->v.d;

		if (col != p->base && (!d->logs || !isfinite(d->mean_a) ||
				       !isfinite(d->mean_b)))
			return false;
	}
	return true;
}

static void geomean(struct pivot *p, struct pivot_table *t, size_t col,
		    const bool *enters)
{
	struct pivot_geomean *g = &t->geomean[col];
	double *one = xcalloc(p->rows.n + 1, sizeof(*one));
	double sum = 0, farthest = -1;

	*g = (struct pivot_geomean){ NAN, NAN, NAN, .without = NAN };
	for (size_t row = 0; row < p->rows.n; row++) {
		const struct judge_verdict *v = &pivot_cell(p, t, row, col)->v;
		const int sign = judge_sign(v);

		g->better += sign > 0;
		g->worse += sign < 0;
		g->undecided += !sign;
		if (!enters[row])
			continue;
		one[row] = t->better * log(v->d.mean_b / v->d.mean_a);
		sum += one[row];
		g->used++;
	}
	g->left_out = p->rows.n - g->used;
	for (size_t row = 0; row < p->rows.n && g->used; row++) {
		const double away = fabs(one[row] - sum / (double)g->used);

		if (!enters[row] || away <= farthest)
			continue;
		farthest = away;
		g->most = row;
		if (g->used > 1)
			g->without = exp((sum - one[row]) /
					 (double)(g->used - 1));
	}
	free(one);
	if (g->used)
		g->ratio = exp(sum / (double)g->used);
	if (g->used > 1 && !g->left_out)
		geomean_interval(p, t, col, g);
}

/* The reason to withhold a verdict, or NULL: failures are seldom random, so a
 * cell with more failed runs is not called better. */
static const char *failures(const struct pivot_cell *a,
			    const struct pivot_cell *b,
			    const struct judge_verdict *v)
{
	const int sign = judge_sign(v);

	if (sign > 0 && b->failed > a->failed)
		return b->failed > b->skipped ? "a run failed"
					      : "a run was skipped";
	if (sign < 0 && a->failed > b->failed)
		return a->failed > a->skipped ? "a run of the base failed"
					      : "a run of the base was skipped";
	return NULL;
}

/* What the verdict of a cell has beside it. */
static void pivot_judge_finish(struct pivot *p, struct pivot_table *t,
			       size_t cell)
{
	struct pivot_cell *c = &t->cell[cell];

	if (c->v.why)
		return;
	c->drifts = t->drift.p < 0.05 && t->logs == c->v.d.logs &&
		    fabs(t->drift.total) > fabs(c->v.d.diff);
	c->v.why = failures(&t->cell[pivot_base(p, cell)], c, &c->v);
	if (c->v.why)
		c->v.is = DIFFERENCE_UNDECIDED;
	if (p->pooled)
		c->v.least_pct = NAN;
}

static void pivot_judge_rows(struct pivot *p, struct pivot_table *t)
{
	bool *enters = xcalloc(p->rows.n + 1, sizeof(*enters));

	t->geomean = xcalloc(p->cols.n + 1, sizeof(*t->geomean));
	for (size_t row = 0; row < p->rows.n; row++)
		enters[row] = in_all_columns(p, t, row);
	for (size_t col = 0; col < p->cols.n; col++)
		if (col != p->base)
			geomean(p, t, col, enters);
	free(enters);
}

void pivot_judge_family(struct pivot *p)
{
	const struct judge_rule rule = {
		.looks = power_stop_factor(p->stop),
		.margin = p->margin,
		.each = p->correct != PIVOT_HOLM,
		.at_once = p->simultaneous,
	};
	struct judge_verdict **v =
		xcalloc(p->n_tables * p->n_cells + 1, sizeof(*v));
	int *better = xcalloc(p->n_tables * p->n_cells + 1, sizeof(*better));
	size_t n = 0;

	for (size_t i = 0; i < p->n_tables; i++)
		for (size_t k = 0; k < p->n_cells; k++) {
			if (k == pivot_base(p, k))
				continue;
			better[n] = p->table[i].better;
			v[n++] = &p->table[i].cell[k].v;
		}
	judge_family(v, better, n, &rule);
	free(better);
	for (size_t i = 0; i < n; i++)
		p->family += !v[i]->why;
	free(v);
	for (size_t i = 0; i < p->n_tables; i++) {
		struct pivot_table *t = &p->table[i];

		for (size_t k = 0; k < p->n_cells; k++)
			if (k != pivot_base(p, k))
				pivot_judge_finish(p, t, k);
		if (p->rows.n >= 2 && t->better)
			pivot_judge_rows(p, t);
	}
}
