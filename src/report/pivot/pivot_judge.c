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

/* The reason why a comparison gets no verdict, or NULL. */
static const char *pivot_judge_reason(struct pivot *p,
				      const struct pivot_table *t,
				      const struct pivot_compare *c)
{
	const struct pivot_cell *a = pivot_cell(p, t, c->row, p->base);
	const struct pivot_cell *b = pivot_cell(p, t, c->row, c->col);
	const char *merged = p->merged[c->row * p->cols.n + c->col];

	if (!merged)
		merged = p->merged[c->row * p->cols.n + p->base];
	if (!b->n)
		return why_empty(p, t, b);
	if (!a->n)
		return arena_printf(&p->arena, "the base has no value (%s)",
				    why_empty(p, t, a));
	if (merged)
		return arena_printf(&p->arena, "merged over %s", merged);
	if (p->boots && (a->n < LEAST_BOOTS || b->n < LEAST_BOOTS))
		return "fewer than 3 boots";
	if (c->v.d.method == DIFFERENCE_NONE)
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
	for (size_t i = 0; i < t->n_compare && e.sd > 0; i++) {
		struct pivot_compare *c = &t->compare[i];
		struct difference d;

		if (c->row != row)
			continue;
		d = difference_paired(y + p->base * n, y + c->col * n, n, 0);
		/*
		 * One column is above 0 and the other is not, so this
		 * difference is not of logarithms and the pooled error has
		 * another unit.
		 */
		if (d.logs != logs)
			continue;
		c->v.d = d;
		difference_pool(&c->v.d, e.sd, e.df);
		t->spread = fmax(t->spread, e.spread);
	}
	free(whole);
	free(y);
}

void pivot_judge_table(struct pivot *p, struct pivot_table *t)
{
	const struct judge_rule rule = { 0 };
	struct judge_pair *pair = xcalloc(p->rows.n * p->cols.n + 1,
					  sizeof(*pair));

	t->compare = xcalloc(p->rows.n * p->cols.n + 1, sizeof(*t->compare));
	for (size_t row = 0; row < p->rows.n; row++)
		for (size_t col = 0; col < p->cols.n; col++) {
			if (col == p->base)
				continue;
			pair[t->n_compare] = (struct judge_pair){
				.metric = t->of,
				.base = row * p->cols.n + p->base,
				.cell = row * p->cols.n + col,
			};
			t->compare[t->n_compare++] = (struct pivot_compare){
				.row = row, .col = col
			};
		}
	judge_compare(pair, t->n_compare, &p->trial, &rule);
	for (size_t i = 0; i < t->n_compare; i++) {
		t->compare[i].v = pair[i].v;
		t->compare[i].v.p = t->compare[i].v.tost_p =
			t->compare[i].v.least_pct = NAN;
	}
	free(pair);
	for (size_t row = 0; row < p->rows.n && p->pooled; row++)
		pool(p, t, row);
	for (size_t i = 0; i < t->n_compare; i++)
		t->compare[i].v.why =
			pivot_judge_reason(p, t, &t->compare[i]);
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

static void count_verdict(struct pivot_geomean *g,
			  const struct pivot_compare *c)
{
	const int sign = judge_sign(&c->v);

	g->better += sign > 0;
	g->worse += sign < 0;
	g->undecided += !sign;
}

/* Whether every column has a figure in the row: only such rows enter. */
static bool in_all_columns(struct pivot *p, const struct pivot_table *t,
			   size_t row)
{
	for (size_t col = 0; col < p->cols.n; col++) {
		const struct pivot_compare *c =
			pivot_compare_of(p, t, row, col);

		if (c && (!c->v.d.logs || !isfinite(c->v.d.mean_a) ||
			  !isfinite(c->v.d.mean_b)))
			return false;
	}
	return true;
}

static void geomean(struct pivot *p, struct pivot_table *t, size_t col,
		    const bool *enters)
{
	struct pivot_geomean *g = &t->geomean[col];
	double sum = 0, farthest = -1;

	*g = (struct pivot_geomean){ NAN, NAN, NAN, .without = NAN };
	for (size_t row = 0; row < p->rows.n; row++) {
		const struct pivot_compare *c =
			pivot_compare_of(p, t, row, col);

		count_verdict(g, c);
		if (!enters[row])
			continue;
		sum += t->better * log(c->v.d.mean_b / c->v.d.mean_a);
		g->used++;
	}
	g->left_out = p->rows.n - g->used;
	for (size_t row = 0; row < p->rows.n && g->used; row++) {
		const struct pivot_compare *c =
			pivot_compare_of(p, t, row, col);
		double one = t->better * log(c->v.d.mean_b / c->v.d.mean_a);
		double away = fabs(one - sum / (double)g->used);

		if (!enters[row] || away <= farthest)
			continue;
		farthest = away;
		g->most = row;
		if (g->used > 1)
			g->without = exp((sum - one) / (double)(g->used - 1));
	}
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

/* What a verdict of one comparison has beside it. */
static void pivot_judge_finish(struct pivot *p, struct pivot_table *t,
			       struct pivot_compare *c)
{
	const struct pivot_cell *a = pivot_cell(p, t, c->row, p->base);
	const struct pivot_cell *b = pivot_cell(p, t, c->row, c->col);

	if (c->v.why)
		return;
	c->drifts = t->drift.p < 0.05 && t->logs == c->v.d.logs &&
		    fabs(t->drift.total) > fabs(c->v.d.diff);
	c->v.why = failures(a, b, &c->v);
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
	size_t most = 0, n = 0;
	struct judge_verdict *v;
	int *better;

	for (size_t i = 0; i < p->n_tables; i++)
		most += p->table[i].n_compare;
	v = xcalloc(most + 1, sizeof(*v));
	better = xcalloc(most + 1, sizeof(*better));
	for (size_t i = 0; i < p->n_tables; i++)
		for (size_t k = 0; k < p->table[i].n_compare; k++) {
			better[n] = p->table[i].better;
			v[n++] = p->table[i].compare[k].v;
		}
	judge_family(v, better, n, &rule);
	n = 0;
	for (size_t i = 0; i < p->n_tables; i++) {
		struct pivot_table *t = &p->table[i];

		for (size_t k = 0; k < t->n_compare; k++) {
			t->compare[k].v = v[n++];
			p->family += !t->compare[k].v.why;
			pivot_judge_finish(p, t, &t->compare[k]);
		}
		if (p->rows.n >= 2 && t->better)
			pivot_judge_rows(p, t);
	}
	free(better);
	free(v);
}
