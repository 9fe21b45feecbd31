/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot, the verdicts: each column against the base, corrected as one family,
 * and what stands below a table: drift, outliers, one figure of all rows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/stats/family.h"
#include "model/stats/power.h"
#include "report/pivot/pivot_parts.h"

/* Fewer boots of a kernel give figures only. */
#define LEAST_BOOTS 3

/* Buckets of the histograms: each power of two is cut into 128. */
#define BUCKET (1.0 / 128)

/* The relative step of a rounded metric; 0: the metric is not rounded. */
static double quantum(const char *name)
{
	const char *key = strrchr(name, '.');
	size_t n = strlen(name);

	key = key ? key + 1 : name;
	return strstr(key, "_p") && n > 3 && !strcmp(name + n - 3, "_ns")
		       ? BUCKET
		       : 0;
}

/* Why a comparison gets no verdict; NULL: it gets one. */
static const char *reason(struct pivot *p, const struct pivot_cell *a,
			  const struct pivot_cell *b,
			  const struct pivot_compare *c)
{
	const char *merged = p->merged[c->row * p->cols.n + c->col];

	if (!merged)
		merged = p->merged[c->row * p->cols.n + p->base];
	if (!a->n || !b->n)
		return "no run";
	if (merged)
		return arena_printf(&p->arena, "merged over %s", merged);
	if (p->boots && (a->n < LEAST_BOOTS || b->n < LEAST_BOOTS))
		return "fewer than 3 boots";
	if (c->d.method == DIFFERENCE_NONE)
		return a->n == 1 || b->n == 1 ? "one run" : "no spread";
	return NULL;
}

static void compare(struct pivot *p, struct pivot_table *t, size_t row,
		    size_t col)
{
	const struct pivot_cell *a = pivot_cell(p, t, row, p->base);
	const struct pivot_cell *b = pivot_cell(p, t, row, col);
	struct pivot_compare *c = &t->compare[t->n_compare++];

	*c = (struct pivot_compare){ .row = row,
				     .col = col,
				     .p = NAN,
				     .tost_p = NAN,
				     .least_pct = NAN };
	c->d = difference_blocks(a->value, b->value, p->n_units,
				 quantum(t->name));
	c->withheld = reason(p, a, b, c);
	if (p->margin > 0)
		c->tost_p = difference_tost(&c->d, p->margin);
}

static void drift(struct pivot *p, struct pivot_table *t)
{
	size_t cells = p->rows.n * p->cols.n, n = cells * p->n_units;
	double *y = xcalloc(n + 1, sizeof(*y)), *z;
	bool logs = true;

	t->drift.p = NAN;
	for (size_t i = 0; i < n; i++)
		logs &= isnan(t->value[i]) || t->value[i] > 0;
	for (size_t i = 0; i < n; i++)
		y[i] = logs ? log(t->value[i]) : t->value[i];
	t->drift_logs = logs;
	/* Numbers of runs say nothing across logs. */
	if (p->runs->n_logs == 1 || !p->runs->log[0].results)
		t->drift = blocks_drift(y, p->position, cells, p->n_units);
	z = xcalloc(n + 1, sizeof(*z));
	if (p->n_blocks > 2 && cells > 1)
		blocks_outliers(y, cells, p->n_units, z);
	for (size_t i = 0; i < n; i++) {
		if (!(z[i] > BLOCKS_OUTLIER))
			continue;
		t->outlier = xrealloc(t->outlier, (t->n_outliers + 1) *
							  sizeof(*t->outlier));
		t->outlier[t->n_outliers++] = (struct pivot_outlier){
			.row = i / p->n_units / p->cols.n,
			.col = i / p->n_units % p->cols.n,
			.unit = i % p->n_units,
			.z = z[i],
		};
	}
	free(z);
	free(y);
}

void pivot_judge_table(struct pivot *p, struct pivot_table *t)
{
	t->compare = xcalloc(p->rows.n * p->cols.n + 1, sizeof(*t->compare));
	for (size_t row = 0; row < p->rows.n; row++)
		for (size_t col = 0; col < p->cols.n; col++)
			if (col != p->base)
				compare(p, t, row, col);
	drift(p, t);
}

/*
 * The interval of the figure over all rows, from units that hold every row of
 * both columns.
 */
static void geomean_interval(const struct pivot *p, const struct pivot_table *t,
			     size_t col, struct pivot_geomean *g)
{
	double *d = xcalloc(p->rows.n * p->n_units + 1, sizeof(*d));
	size_t units = 0;
	struct difference all;

	for (size_t u = 0; u < p->n_units; u++) {
		size_t row = 0;

		for (; row < p->rows.n; row++) {
			double a = pivot_cell(p, t, row, p->base)->value[u];
			double b = pivot_cell(p, t, row, col)->value[u];

			if (!(a > 0) || !(b > 0))
				break;
			d[row * p->n_units + u] = t->better * log(b / a);
		}
		if (row == p->rows.n)
			for (size_t k = 0; k < p->rows.n; k++)
				d[k * p->n_units + units] =
					d[k * p->n_units + u];
		units += row == p->rows.n;
	}
	/* The rows are p->n_units apart; blocks_geomean() wants them close. */
	for (size_t k = 1; k < p->rows.n; k++)
		memmove(d + k * units, d + k * p->n_units, units * sizeof(*d));
	all = blocks_geomean(d, p->rows.n, units).all;
	free(d);
	if (units < 2 || all.method == DIFFERENCE_NONE)
		return;
	g->ratio = exp(all.diff);
	g->low = exp(all.low);
	g->high = exp(all.high);
}

static void count_verdict(struct pivot_geomean *g,
			  const struct pivot_compare *c)
{
	if (c->verdict == DIFFERENCE_BETTER ||
	    c->verdict == DIFFERENCE_BETTER_BELOW)
		g->better++;
	else if (c->verdict == DIFFERENCE_WORSE ||
		 c->verdict == DIFFERENCE_WORSE_BELOW)
		g->worse++;
	else
		g->undecided++;
}

static void geomean(struct pivot *p, struct pivot_table *t, size_t col)
{
	struct pivot_geomean *g = &t->geomean[col];
	double sum = 0, farthest = -1;

	*g = (struct pivot_geomean){ NAN, NAN, NAN, .without = NAN };
	for (size_t row = 0; row < p->rows.n; row++) {
		const struct pivot_compare *c =
			pivot_compare_of(p, t, row, col);

		count_verdict(g, c);
		if (!c->d.logs || !isfinite(c->d.mean_a) ||
		    !isfinite(c->d.mean_b))
			continue;
		sum += t->better * log(c->d.mean_b / c->d.mean_a);
		g->used++;
	}
	g->left_out = p->rows.n - g->used;
	for (size_t row = 0; row < p->rows.n && g->used; row++) {
		const struct pivot_compare *c =
			pivot_compare_of(p, t, row, col);
		double one = t->better * log(c->d.mean_b / c->d.mean_a);
		double away = fabs(one - sum / (double)g->used);

		if (!c->d.logs || !isfinite(one) || away <= farthest)
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

/* p of all judged comparisons, in the order of the tables. */
static size_t gather(struct pivot *p, double *to)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_tables; i++)
		for (size_t k = 0; k < p->table[i].n_compare; k++) {
			const struct pivot_compare *c = &p->table[i].compare[k];

			to[n++] = c->withheld ? NAN : c->d.p;
		}
	return n;
}

static void judge(struct pivot *p, struct pivot_table *t,
		  struct pivot_compare *c)
{
	const struct pivot_cell *a = pivot_cell(p, t, c->row, p->base);
	const struct pivot_cell *b = pivot_cell(p, t, c->row, c->col);
	double sd = c->d.method == DIFFERENCE_PAIRED ? c->d.sd : NAN;
	size_t m = p->family ? p->family : 1;

	if (c->withheld)
		return;
	c->verdict = difference_verdict(&c->d, c->p, t->better ? t->better : 1,
					p->margin);
	if (sd > 0)
		c->least_pct = difference_pct(
			sd *
			power_least_effect(0.8, c->d.n_a, 0.05 / (double)m));
	/* Failures are seldom random. */
	if (b->failed > a->failed && c->verdict == DIFFERENCE_BETTER) {
		c->withheld = "a run failed";
		c->verdict = DIFFERENCE_UNDECIDED;
	}
}

void pivot_judge_family(struct pivot *p)
{
	size_t most = 0, n, at = 0;
	double *each, *corrected;

	for (size_t i = 0; i < p->n_tables; i++)
		most += p->table[i].n_compare;
	each = xcalloc(most + 1, sizeof(*each));
	corrected = xcalloc(most + 1, sizeof(*corrected));
	n = gather(p, each);
	for (size_t i = 0; i < n; i++)
		p->family += !isnan(each[i]);
	if (p->correct == PIVOT_HOLM)
		family_holm(each, n, corrected);
	else if (p->correct == PIVOT_BH)
		family_bh(each, n, corrected);
	else
		memcpy(corrected, each, n * sizeof(*each));
	for (size_t i = 0; i < p->n_tables; i++) {
		struct pivot_table *t = &p->table[i];

		for (size_t k = 0; k < t->n_compare; k++) {
			t->compare[k].p = corrected[at++];
			judge(p, t, &t->compare[k]);
		}
		if (p->rows.n < 2 || !t->better)
			continue;
		t->geomean = xcalloc(p->cols.n + 1, sizeof(*t->geomean));
		for (size_t col = 0; col < p->cols.n; col++)
			if (col != p->base)
				geomean(p, t, col);
	}
	free(corrected);
	free(each);
}

const char *pivot_judge_words(const struct pivot_table *t,
			      const struct pivot_compare *c)
{
	if (c->withheld)
		return c->withheld;
	switch (c->verdict) {
	case DIFFERENCE_BETTER:
		return t->better ? "better" : "higher";
	case DIFFERENCE_WORSE:
		return t->better ? "worse" : "lower";
	case DIFFERENCE_EQUIVALENT:
		return "equivalent";
	case DIFFERENCE_BETTER_BELOW:
		return t->better ? "better, below the margin"
				 : "higher, below the margin";
	case DIFFERENCE_WORSE_BELOW:
		return t->better ? "worse, below the margin"
				 : "lower, below the margin";
	case DIFFERENCE_UNDECIDED:
		break;
	}
	return "not distinguishable";
}
