/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judge: families of differences, cells against a base, and the effects of axes.
 */
#include "trial/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/stats/power.h"
#include "model/stats/probability.h"

/* Why such a difference gets no verdict; NULL: it gets one. */
static const char *judge_reason(const struct difference *d)
{
	const size_t n = d->n_a < d->n_b ? d->n_a : d->n_b;

	if (!n)
		return "no run";
	if (d->method == DIFFERENCE_NONE)
		return n == 1 ? "one run; a verdict needs 3 of each" :
				"no spread";
	if (n < JUDGE_LEAST)
		return d->method == DIFFERENCE_PAIRED ? "fewer than 3 blocks"
						      : "fewer than 3 runs";
	return isnan(d->p) ? "no spread" : NULL;
}

static void judge_conclude(struct judge_verdict *v, double p, int better,
			   size_t family, const struct judge_rule *rule)
{
	const double looks = rule->looks > 1 ? rule->looks : 1;
	const double all = looks * (double)(family ? family : 1);

	v->tost_p = rule->margin > 0 ? difference_tost(&v->d, rule->margin)
				     : NAN;
	v->is = DIFFERENCE_UNDECIDED;
	v->p = v->level = v->least_pct = NAN;
	if (v->why)
		return;
	v->p = fmin(1, looks * p);
	v->level = rule->of	   ? 1 - 0.05 / (double)rule->of
		   : rule->at_once ? 1 - 0.05 / all
				   : difference_level(v->d.p, v->p, (size_t)all);
	difference_interval(&v->d, v->level);
	v->is = difference_verdict(&v->d, v->p,
				   better == 1 || better == -1 ? better : 1,
				   rule->margin);
}

/* An integral in a search: not for each of many pairs of the same number. */
static void judge_power(struct judge_verdict *const *v, size_t n, double alpha)
{
	double least = NAN;
	size_t of = 0;

	for (size_t i = 0; i < n; i++) {
		const struct difference *d = &v[i]->d;

		if (v[i]->why || v[i]->is != DIFFERENCE_UNDECIDED || !d->logs ||
		    d->method != DIFFERENCE_PAIRED || !(d->sd > 0))
			continue;
		if (d->n_a != of)
			least = power_least_effect(0.8, d->n_a, alpha);
		of = d->n_a;
		v[i]->least_pct = difference_pct(d->sd * least);
	}
}

void judge_family(struct judge_verdict *const *v, const int *better, size_t n,
		  const struct judge_rule *rule)
{
	const double looks = rule->looks > 1 ? rule->looks : 1;
	double *p = xcalloc(n + 1, sizeof(*p));
	size_t family = 0;

	for (size_t i = 0; i < n; i++) {
		if (!v[i]->why)
			v[i]->why = judge_reason(&v[i]->d);
		p[i] = v[i]->why  ? NAN
		       : rule->of ? fmin(1, (double)rule->of * v[i]->d.p)
				  : v[i]->d.p;
		family += !v[i]->why;
	}
	if (!rule->each && !rule->of)
		difference_holm(p, n, p);
	for (size_t i = 0; i < n; i++)
		judge_conclude(v[i], p[i], better[i], family, rule);
	judge_power(v, n, 0.05 / looks / (double)(family ? family : 1));
	free(p);
}

unsigned judge_blocks(const struct judge_verdict *v, double *pct)
{
	const double alpha = isfinite(v->level) ? 1 - v->level : 0.05;
	double size, step;

	*pct = NAN;
	if (v->d.method != DIFFERENCE_PAIRED || !v->d.logs || !(v->d.sd > 0))
		return 0;
	/* One digit: 37 % is 30 %. */
	*pct = fmax(5, difference_pct(fabs(v->d.diff)));
	step = pow(10, floor(log10(*pct)));
	*pct = floor(*pct / step) * step;
	size = log1p(*pct / 100) / v->d.sd;
	for (unsigned n = JUDGE_LEAST; n <= JUDGE_FAR; n += 1 + n / 20) {
		const double df = n - 1;

		if ((probability_t_quantile(1 - alpha / 2, df) +
		     probability_t_quantile(0.8, df)) <= size * sqrt(n))
			return v->per_block > 1
				       ? (unsigned)ceil(n / v->per_block)
				       : n;
	}
	return 0;
}

const char *judge_words(const struct judge_verdict *v, int better)
{
	static const char *const words[][3] = {
		[DIFFERENCE_BETTER] = { "higher", "better",
					"higher, as ordered" },
		[DIFFERENCE_WORSE] = { "lower", "worse", "lower, as ordered" },
		[DIFFERENCE_BETTER_BELOW] = { "higher, below the margin",
					      "better, below the margin",
					      "higher, as ordered" },
		[DIFFERENCE_WORSE_BELOW] = { "lower, below the margin",
					     "worse, below the margin",
					     "lower, as ordered" },
	};

	if (v->why)
		return v->why;
	if (v->is == DIFFERENCE_EQUIVALENT)
		return "equivalent";
	if (v->is == DIFFERENCE_UNDECIDED)
		return "undecided";
	return words[v->is][better == JUDGE_ORDERED ? 2 : better != 0];
}

/* "; the difference is below 3.3 %"; where that says little,
 * how many blocks would do. */
static char *judge_beyond(const struct judge_verdict *v, char *buf, size_t size)
{
	const double out_pct = difference_excluded_pct(&v->d);
	char words[64];
	unsigned blocks;
	double pct;

	*buf = '\0';
	if (out_pct < 100)
		snprintf(buf, size, "; %s",
			 difference_excluded_words(&v->d, words,
						   sizeof(words)));
	else if (v->d.logs && (blocks = judge_blocks(v, &pct)))
		snprintf(buf, size, "; about %u blocks would find %.3g %%",
			 blocks, pct);
	else if (v->d.logs)
		snprintf(buf, size, "; too few runs, too unequal ones");
	return buf;
}

struct text_short judge_change(const struct judge_verdict *v)
{
	return v->d.logs ? difference_percent_words(v->d.diff)
			 : text_shortly("%+.4g", v->d.diff);
}

char *judge_sentence(const struct judge_verdict *v, int better, char *buf,
		     size_t size)
{
	const struct difference *d = &v->d;
	const bool proved = judge_sign(v), not_judged = v->why != NULL;
	char excluded[96], level[24];
	struct text_short change, interval;

	if (d->method == DIFFERENCE_NONE) {
		snprintf(buf, size, "no verdict: %s", judge_words(v, better));
		return buf;
	}
	/* Without logarithms, the interval has the unit of the figure. */
	change = judge_change(v);
	interval = difference_interval_words(d);
	snprintf(level, sizeof(level), "%.3g %% interval",
		 isfinite(v->level) ? 100 * v->level : 95);
	if (not_judged)
		snprintf(buf, size, "%s (%s %s); no verdict: %s", change.text,
			 level, interval.text, v->why);
	else if (proved)
		snprintf(buf, size, "%s (%s %s): %s", change.text, level,
			 interval.text, judge_words(v, better));
	else
		snprintf(buf, size, "%s, %s (%s %s)%s", judge_words(v, better),
			 change.text, level, interval.text,
			 judge_beyond(v, excluded, sizeof(excluded)));
	return buf;
}

int judge_sign(const struct judge_verdict *v)
{
	if (v->is == DIFFERENCE_BETTER || v->is == DIFFERENCE_BETTER_BELOW)
		return 1;
	return v->is == DIFFERENCE_WORSE || v->is == DIFFERENCE_WORSE_BELOW
		       ? -1
		       : 0;
}

/* --- cells --- */

/* Digits after the point with which figures are taken as printed. */
#define JUDGE_DIGITS 6

/* Buckets of the histograms: each power of two is cut into 128. */
#define JUDGE_BUCKET (1.0 / 128)

/* Digits after the point of n values; at least have. */
static int judge_digits(const double *x, size_t n, int have)
{
	for (size_t i = 0; i < n; i++)
		for (; have < JUDGE_DIGITS && isfinite(x[i]); have++) {
			double v = x[i] * pow(10, have);

			if (fabs(v - round(v)) <= 1e-6 * fmax(1, fabs(v) / 1e6))
				break;
		}
	return have;
}

/*
 * The relative step of a rounded metric: a bucket of the histogram of a
 * percentile, else the last digit of the figures.
 */
static double judge_quantum(const char *name, const double *a, const double *b,
			    size_t n)
{
	const char *dot = strrchr(name, '.'), *key = dot ? dot + 1 : name;
	const size_t length = strlen(key);
	double mean_a, mean_b, mean, variance;

	if (strstr(key, "_p") && length > 3 && !strcmp(key + length - 3, "_ns"))
		return JUDGE_BUCKET;
	difference_mean(a, n, &mean_a, &variance);
	difference_mean(b, n, &mean_b, &variance);
	mean = fmin(fabs(mean_a), fabs(mean_b));
	return mean > 0 ? pow(10, -judge_digits(b, n, judge_digits(a, n, 0))) /
				  mean
			: 0;
}

bool *judge_whole(const struct trial *t)
{
	const size_t cells = trial_cells(t), blocks = t->n_blocks;
	bool *in = xcalloc(cells * blocks + 1, sizeof(*in));
	bool *whole = xcalloc(blocks + 1, sizeof(*whole));

	for (size_t i = 0; i < t->n_runs; i++)
		if (trial_counts(t, &t->run[i]))
			in[t->run[i].cell * blocks + t->run[i].block] = true;
	for (size_t b = 0; b < blocks; b++) {
		whole[b] = true;
		for (size_t c = 0; c < cells; c++)
			whole[b] &= in[c * blocks + b];
	}
	free(in);
	return whole;
}

void judge_compare(struct judge_pair *pair, size_t n, const struct trial *t,
		   const struct judge_rule *rule)
{
	bool *whole = rule->whole ? judge_whole(t) : NULL;
	double *value = NULL;

	for (size_t i = 0; i < n; i++) {
		const double *a, *b;

		if (!value || pair[i].metric != pair[i - 1].metric) {
			free(value);
			value = trial_values(t, pair[i].metric);
			for (size_t k = 0;
			     whole && k < trial_cells(t) * t->n_blocks; k++)
				if (!whole[k % t->n_blocks])
					value[k] = NAN;
		}
		a = value + pair[i].base * t->n_blocks;
		b = value + pair[i].cell * t->n_blocks;
		pair[i].v.d = difference_blocks(
			a, b, t->n_blocks,
			judge_quantum(t->metric[pair[i].metric].name, a, b,
				      t->n_blocks));
	}
	free(value);
	free(whole);
}

/* Judge what has a verdict and the number of a metric inside, size bytes each,
 * as one family. */
static void judge_each(char *first, size_t n, size_t size, size_t verdict,
		       size_t metric, const struct trial *t,
		       const struct judge_rule *rule)
{
	struct judge_verdict **v = xcalloc(n + 1, sizeof(*v));
	int *better = xcalloc(n + 1, sizeof(*better));

	for (size_t i = 0; i < n; i++, first += size) {
		const struct trial_metric *m =
			&t->metric[*(size_t *)(void *)(first + metric)];

		v[i] = (void *)(first + verdict);
		better[i] = m->better;
		if (!m->judged && !v[i]->why)
			v[i]->why = m->why ? m->why
					   : "exploratory, no metric of the plan";
	}
	judge_family(v, better, n, rule);
	free(better);
	free(v);
}

void judge_pairs(struct judge_pair *pair, size_t n, const struct trial *t,
		 const struct judge_rule *rule)
{
	judge_each((char *)pair, n, sizeof(*pair),
		   offsetof(struct judge_pair, v),
		   offsetof(struct judge_pair, metric), t, rule);
}

struct judge_mean judge_mean_of(const double *x, size_t n, bool logs)
{
	struct judge_mean m = { .logs = logs, .mean = NAN, .low = NAN,
				.high = NAN, .se_pct = NAN };
	double *y = xcalloc(n + 1, sizeof(*y)), variance, se, half;

	for (size_t i = 0; i < n; i++)
		y[i] = logs ? log(x[i]) : x[i];
	m.n = difference_mean(y, n, &m.mean, &variance);
	free(y);
	if (m.n > 1) {
		se = sqrt(variance / (double)m.n);
		half = se * probability_t_quantile(0.975, (double)m.n - 1);
		m.low = m.mean - half;
		m.high = m.mean + half;
		m.se_pct = logs ? 100 * se : m.mean ? 100 * se / fabs(m.mean)
						    : NAN;
	}
	if (logs) {
		m.mean = exp(m.mean);
		m.low = exp(m.low);
		m.high = exp(m.high);
	}
	return m;
}

/* --- axes --- */

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

	of.logs = difference_takes_logs(of.y, n);
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
static struct judge_verdict judge_together(const struct judge_table *of,
					   const double *d, size_t n,
					   size_t blocks)
{
	struct judge_verdict v = { .d = difference_of(d, n) };

	v.d.logs = of->logs;
	if (n > 1 && blocks < JUDGE_LEAST)
		v.why = "fewer than 3 blocks";
	else if (n > 1 && !(v.d.se > 0))
		/* Pairs that are all alike prove nothing. */
		v.why = "no spread";
	return v;
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
	e.v = judge_together(of, d, e.pairs, e.blocks);
	e.v.per_block = e.blocks ? (double)e.pairs / (double)e.blocks : 0;
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
	x->v = judge_together(of, d, n, x->blocks);
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
		   offsetof(struct judge_effect, v),
		   offsetof(struct judge_effect, metric), t, rule);
	judge_each((char *)j->interaction, j->n_interactions,
		   sizeof(*j->interaction),
		   offsetof(struct judge_interaction, v),
		   offsetof(struct judge_interaction, metric), t, rule);
	for (size_t i = 0; i < j->n_effects; i++)
		j->n_judged += !isnan(j->effect[i].v.p);
}

void judge_axes_free(struct judge_axes *j)
{
	free(j->effect);
	free(j->interaction);
	memset(j, 0, sizeof(*j));
}

bool judge_best(const struct trial *t, size_t metric, size_t *cell,
		double *mean)
{
	struct judge_table of = judge_table_of(t, metric);
	const size_t cells = trial_cells(t), blocks = t->n_blocks;
	const int better = t->metric[metric].better;
	bool *part = xcalloc(blocks + 1, sizeof(*part)), found = false;
	double v, variance;
	size_t whole = blocks;

	for (size_t c = 0; c < cells; c++)
		if (difference_mean(of.y + c * blocks, blocks, &v, &variance))
			for (size_t b = 0; b < blocks; b++)
				part[b] |= isnan(judge_value(&of, c, b));
	for (size_t b = 0; b < blocks; b++)
		whole -= part[b];
	/* No block is whole: all have to do. */
	for (size_t i = 0; i < cells * blocks && whole; i++)
		if (part[i % blocks])
			of.y[i] = NAN;
	for (size_t c = 0; c < cells && better; c++) {
		difference_mean(of.y + c * blocks, blocks, &v, &variance);
		if (isnan(v) || (found && !(better * v > better * *mean)))
			continue;
		*cell = c;
		*mean = v;
		found = true;
	}
	if (found && of.logs)
		*mean = exp(*mean);
	free(part);
	free(of.y);
	return found;
}
