/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judge: families of differences, and the effects of axes.
 */
#include "trial/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void judge_family(struct judge_verdict *v, const int *better, size_t n,
		  const struct judge_rule *rule)
{
	const double looks = rule->looks > 1 ? rule->looks : 1;
	double *p = xcalloc(n + 1, sizeof(*p));
	size_t compared = 0;

	for (size_t i = 0; i < n; i++) {
		p[i] = v[i].d.method == DIFFERENCE_NONE ? NAN : v[i].d.p;
		compared += !isnan(p[i]);
	}
	difference_holm(p, n, p);
	for (size_t i = 0; i < n; i++) {
		struct judge_verdict *one = &v[i];

		one->p = isnan(p[i]) ? NAN : fmin(1, looks * p[i]);
		one->level = difference_level(
			one->d.p, one->p, (size_t)(looks * (double)compared));
		if (isfinite(one->level))
			difference_interval(&one->d, one->level);
		one->is = difference_verdict(&one->d, one->p,
					     better[i] ? better[i] : 1,
					     rule->margin);
	}
	free(p);
}

const char *judge_words(enum difference_verdict is, int better)
{
	switch (is) {
	case DIFFERENCE_BETTER:
		return better ? "better" : "higher";
	case DIFFERENCE_WORSE:
		return better ? "worse" : "lower";
	case DIFFERENCE_EQUIVALENT:
		return "equivalent";
	case DIFFERENCE_BETTER_BELOW:
		return better ? "better, below the margin"
			      : "higher, below the margin";
	case DIFFERENCE_WORSE_BELOW:
		return better ? "worse, below the margin"
			      : "lower, below the margin";
	case DIFFERENCE_UNDECIDED:
		break;
	}
	return "not distinguishable";
}

/* The values of a metric on logs, or as they are where one is not above 0. */
struct judge_table {
	const struct trial *t;
	double *y; /* [cell * blocks + block] */
	bool logs;
};

static struct judge_table judge_table_of(const struct trial *t, size_t metric)
{
	struct judge_table of = { t, trial_values(t, metric), true };
	const size_t n = trial_cells(t) * t->n_blocks;

	for (size_t i = 0; i < n; i++)
		of.logs &= isnan(of.y[i]) || of.y[i] > 0;
	for (size_t i = 0; i < n && of.logs; i++)
		of.y[i] = log(of.y[i]);
	return of;
}

/* The cell with other levels of up to two axes. */
static size_t judge_cell(const struct trial *t, size_t cell, const size_t *axis,
			 const size_t *level, size_t n)
{
	size_t all[TRIAL_AXES];

	for (size_t i = 0; i < t->n_axes; i++)
		all[i] = trial_level_of(t, cell, i);
	for (size_t i = 0; i < n; i++)
		all[axis[i]] = level[i];
	return trial_cell(t, all);
}

static double judge_value(const struct judge_table *of, size_t cell,
			  size_t block)
{
	return of->y[cell * of->t->n_blocks + block];
}

/* Whether a cell has the base of the axes, so that it stands for its pair. */
static bool judge_is_base(const struct trial *t, size_t cell,
			  const size_t *axis, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (trial_level_of(t, cell, axis[i]))
			return false;
	return true;
}

/* The differences as one: paired with 0, over so many blocks. */
static struct difference judge_pairs(const struct judge_table *of,
				     const double *d, size_t n, size_t blocks)
{
	double *zero = xcalloc(n + 1, sizeof(*zero));
	/* Zeros keep it from taking the logs of d. */
	struct difference all = difference_paired(zero, d, n, 0);

	all.logs = of->logs;
	/* Pairs that are all alike prove nothing. */
	if (blocks < JUDGE_LEAST_BLOCKS || !(all.se > 0))
		all.p = NAN;
	free(zero);
	return all;
}

static struct judge_effect judge_effect_of(const struct judge_table *of,
					   size_t axis, size_t level)
{
	const struct trial *t = of->t;
	const size_t cells = trial_cells(t);
	struct judge_effect e = { .axis = axis, .level = level };
	double *d = xcalloc(cells * t->n_blocks + 1, sizeof(*d));
	double base = 0, other = 0;

	for (size_t block = 0; block < t->n_blocks; block++) {
		const size_t before = e.pairs;

		for (size_t cell = 0; cell < cells; cell++) {
			double a = judge_value(of, cell, block), b;

			if (!judge_is_base(t, cell, &axis, 1))
				continue;
			b = judge_value(of, judge_cell(t, cell, &axis, &level, 1),
					block);
			if (isnan(a) || isnan(b))
				continue;
			d[e.pairs++] = b - a;
			base += a;
			other += b;
		}
		e.blocks += e.pairs > before;
	}
	e.v.d = judge_pairs(of, d, e.pairs, e.blocks);
	if (e.pairs) {
		base /= (double)e.pairs;
		other /= (double)e.pairs;
		e.v.d.mean_a = of->logs ? exp(base) : base;
		e.v.d.mean_b = of->logs ? exp(other) : other;
	}
	free(d);
	return e;
}

/* The differences of the differences of two axes. */
static void judge_interaction_of(const struct judge_table *of,
				 struct judge_interaction *x)
{
	const struct trial *t = of->t;
	const size_t cells = trial_cells(t), *axis = x->axis, *level = x->level;
	double *d = xcalloc(cells * t->n_blocks + 1, sizeof(*d));
	size_t n = 0;

	for (size_t block = 0; block < t->n_blocks; block++) {
		const size_t before = n;

		for (size_t cell = 0; cell < cells; cell++) {
			if (!judge_is_base(t, cell, axis, 2))
				continue;
			d[n] = judge_value(of, judge_cell(t, cell, axis, level, 2),
					   block) -
			       judge_value(of, judge_cell(t, cell, axis, level, 1),
					   block) -
			       judge_value(of,
					   judge_cell(t, cell, axis + 1,
						      level + 1, 1),
					   block) +
			       judge_value(of, cell, block);
			n += !isnan(d[n]);
		}
		x->blocks += n > before;
	}
	x->v.d = judge_pairs(of, d, n, x->blocks);
	free(d);
}

static void judge_add_interactions(struct judge_axes *j,
				   const struct judge_table *of, size_t metric)
{
	const struct trial *t = of->t;

	for (size_t a = 0; a < t->n_axes; a++)
		for (size_t b = a + 1; b < t->n_axes; b++)
			for (size_t i = 1; i < t->axis[a].n; i++)
				for (size_t k = 1; k < t->axis[b].n; k++) {
					struct judge_interaction one = {
						metric, { a, b }, { i, k }, 0,
						{ .p = NAN }
					};

					judge_interaction_of(of, &one);
					j->interaction[j->n_interactions++] =
						one;
				}
}

/* Judge what has a verdict inside, size bytes each, as one family. */
static void judge_each(char *first, size_t n, size_t size, size_t verdict,
		       const struct trial *t, size_t metric,
		       const struct judge_rule *rule)
{
	struct judge_verdict *v = xcalloc(n + 1, sizeof(*v));
	int *better = xcalloc(n + 1, sizeof(*better));

	for (size_t i = 0; i < n; i++) {
		const struct trial_metric *m =
			&t->metric[*(size_t *)(first + i * size + metric)];

		memcpy(&v[i], first + i * size + verdict, sizeof(*v));
		better[i] = m->better;
		if (!m->judged)
			v[i].d.p = NAN;
	}
	judge_family(v, better, n, rule);
	for (size_t i = 0; i < n; i++)
		memcpy(first + i * size + verdict, &v[i], sizeof(*v));
	free(better);
	free(v);
}

void judge_axes(struct judge_axes *j, const struct trial *t,
		const struct judge_rule *rule)
{
	size_t levels = 0, pairs = 0;

	memset(j, 0, sizeof(*j));
	for (size_t i = 0; i < t->n_axes; i++) {
		levels += t->axis[i].n - 1;
		for (size_t k = i + 1; k < t->n_axes; k++)
			pairs += (t->axis[i].n - 1) * (t->axis[k].n - 1);
	}
	j->effect = xcalloc(t->n_metrics * levels + 1, sizeof(*j->effect));
	j->interaction = xcalloc(t->n_metrics * pairs + 1,
				 sizeof(*j->interaction));
	for (size_t m = 0; m < t->n_metrics; m++) {
		struct judge_table of = judge_table_of(t, m);

		for (size_t a = 0; a < t->n_axes; a++)
			for (size_t l = 1; l < t->axis[a].n; l++) {
				struct judge_effect e =
					judge_effect_of(&of, a, l);

				e.metric = m;
				j->effect[j->n_effects++] = e;
			}
		judge_add_interactions(j, &of, m);
		free(of.y);
	}
	judge_each((char *)j->effect, j->n_effects, sizeof(*j->effect),
		   offsetof(struct judge_effect, v), t,
		   offsetof(struct judge_effect, metric), rule);
	judge_each((char *)j->interaction, j->n_interactions,
		   sizeof(*j->interaction),
		   offsetof(struct judge_interaction, v), t,
		   offsetof(struct judge_interaction, metric), rule);
	for (size_t i = 0; i < j->n_effects; i++)
		j->n_judged += !isnan(j->effect[i].v.p);
}

void judge_axes_free(struct judge_axes *j)
{
	free(j->effect);
	free(j->interaction);
	memset(j, 0, sizeof(*j));
}

/* The mean of a cell over the blocks in which all cells that have runs have
 * one; NaN: none. */
static double judge_mean(const struct judge_table *of, size_t cell,
			 const bool *whole)
{
	double sum = 0;
	size_t n = 0;

	for (size_t b = 0; b < of->t->n_blocks; b++)
		if (whole[b] && !isnan(judge_value(of, cell, b))) {
			sum += judge_value(of, cell, b);
			n++;
		}
	return n ? sum / (double)n : NAN;
}

static bool judge_has_runs(const struct judge_table *of, size_t cell)
{
	for (size_t b = 0; b < of->t->n_blocks; b++)
		if (!isnan(judge_value(of, cell, b)))
			return true;
	return false;
}

bool judge_best(const struct trial *t, size_t metric, size_t *cell,
		double *mean)
{
	struct judge_table of = judge_table_of(t, metric);
	const size_t cells = trial_cells(t);
	const int better = t->metric[metric].better;
	bool *whole = xcalloc(t->n_blocks + 1, sizeof(*whole)), found = false;
	bool any = false;

	for (size_t b = 0; b < t->n_blocks; b++) {
		whole[b] = true;
		for (size_t c = 0; c < cells; c++)
			whole[b] &= !judge_has_runs(&of, c) ||
				    !isnan(judge_value(&of, c, b));
		any |= whole[b];
	}
	/* No block is whole: all have to do. */
	for (size_t b = 0; b < t->n_blocks && !any; b++)
		whole[b] = true;
	for (size_t c = 0; c < cells && better; c++) {
		double v = judge_mean(&of, c, whole);

		if (isnan(v) || (found && !(better * v > better * *mean)))
			continue;
		*cell = c;
		*mean = v;
		found = true;
	}
	if (found && of.logs)
		*mean = exp(*mean);
	free(whole);
	free(of.y);
	return found;
}
