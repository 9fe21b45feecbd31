/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Crossover: the figures of a live crossover, and the verdicts on them. */
#include "trial/crossover.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/text.h"

void crossover_free(struct crossover *x)
{
	trial_free(&x->trial);
	memset(x, 0, sizeof(*x));
}

int crossover_variant(struct crossover *x, const struct point *point)
{
	const char *letter = point_get(point, CROSSOVER_AXIS);
	size_t i = letter && !letter[1] ? (size_t)(*letter - 'A')
					: CROSSOVER_VARIANTS;

	if (i >= CROSSOVER_VARIANTS)
		return -1;
	if (i < x->n_variants && x->variant[i].n &&
	    !point_equal(&x->variant[i], point))
		return -1;
	x->variant[i] = *point;
	if (!x->trial.n_axes)
		(void)!trial_add_axis(&x->trial, CROSSOVER_AXIS);
	for (; x->n_variants <= i; x->n_variants++)
		(void)trial_add_level(&x->trial,
				      (const char[]){ (char)('A' +
							     x->n_variants),
						      '\0' });
	return (int)i;
}

/* The settings without the letter: "bfq", or "bfq nr_requests=64". */
static void settings_words(const struct point *p, char *buf, size_t size)
{
	*buf = '\0';
	for (unsigned i = 0; i < p->n; i++) {
		const struct point_value *v = &p->axis[i];
		const char *dot = strrchr(v->key, '.');

		if (!strcmp(v->key, CROSSOVER_AXIS))
			continue;
		if (*buf)
			text_add(buf, size, " %s=", dot ? dot + 1 : v->key);
		text_add(buf, size, "%s", v->value);
	}
}

struct text_line crossover_name(const struct crossover *x, size_t variant)
{
	struct text_line out;
	const struct point *p = &x->variant[variant];
	const char *letter = point_get(p, CROSSOVER_AXIS);
	char own[160], other[160];
	bool twin = false;

	settings_words(p, own, sizeof(own));
	for (size_t i = 0; i < x->n_variants && !twin; i++) {
		settings_words(&x->variant[i], other, sizeof(other));
		twin = i != variant && !strcmp(own, other);
	}
	if (twin && letter)
		snprintf(out.text, sizeof(out.text), "%s (%s)", own, letter);
	else
		text_set(out.text, own);
	return out;
}

/* A log with a block number above this was not written by iodyno. */
#define MOST_BLOCKS 100000

static bool is_cell(const struct crossover *x, unsigned block, int variant)
{
	return block && block <= MOST_BLOCKS && variant >= 0 &&
	       (size_t)variant < x->n_variants;
}

/* The period of a variant in a block, or n_runs; the last are the likeliest. */
static size_t crossover_run(const struct crossover *x, unsigned block,
			    int variant)
{
	for (size_t i = x->trial.n_runs; i--;)
		if (x->trial.run[i].block == block - 1 &&
		    x->trial.run[i].cell == (size_t)variant)
			return i;
	return x->trial.n_runs;
}

void crossover_period(struct crossover *x, unsigned block, int variant,
		      double seconds)
{
	if (!is_cell(x, block, variant))
		return;
	if (crossover_run(x, block, variant) == x->trial.n_runs)
		(void)trial_add_run(&x->trial, (size_t)variant, block - 1);
	x->period_s += seconds;
	x->periods++;
}

/* Whether a variant sets something of that name behind the prefix. */
static bool crossover_sets(const struct crossover *x, const char *prefix,
			   const char *name)
{
	const size_t at = strlen(prefix), n = strlen(name);

	for (size_t v = 0; v < x->n_variants; v++)
		for (unsigned i = 0; i < x->variant[v].n; i++) {
			const char *key = x->variant[v].axis[i].key;

			if (!strncmp(key, prefix, at) &&
			    !strncmp(key + at, name, n) && key[at + n] == '.')
				return true;
		}
	return false;
}

bool crossover_sets_device(const struct crossover *x, const char *device)
{
	return crossover_sets(x, "", device);
}

/* The number of the metric, which is added if it is new; CROSSOVER_METRICS:
 * there are too many. */
static size_t crossover_metric_of(struct crossover *x, const char *job,
				  const char *key, int better)
{
	struct trial *t = &x->trial;
	struct crossover_metric *m = &x->metric[t->n_metrics];

	for (size_t i = 0; i < t->n_metrics; i++)
		if (!strcmp(x->metric[i].job, job) &&
		    !strcmp(x->metric[i].key, key))
			return i;
	if (t->n_metrics == CROSSOVER_METRICS)
		return CROSSOVER_METRICS;
	text_copy(m->job, sizeof(m->job), job);
	text_copy(m->key, sizeof(m->key), key);
	m->device = crossover_sets_device(x, job);
	/* An option of a job, such as its rate, decides its figures. */
	return trial_add_metric(t, m->key, m->job,
				crossover_sets(x, "job.", job) ? JUDGE_ORDERED
							       : better,
				true);
}

void crossover_add(struct crossover *x, unsigned block, int variant,
		   const char *job, const char *key, int better, double value)
{
	size_t metric, run;

	if (!is_cell(x, block, variant))
		return;
	run = crossover_run(x, block, variant);
	metric = crossover_metric_of(x, job, key, better);
	if (run < x->trial.n_runs && metric < CROSSOVER_METRICS)
		trial_put(&x->trial, run, metric, value);
}

void crossover_beside(struct crossover *x, const char *job, const char *key)
{
	const size_t metric = crossover_metric_of(x, job, key, -1);

	if (metric < CROSSOVER_METRICS) {
		x->trial.metric[metric].judged = false;
		x->trial.metric[metric].why =
			"beside the latency that is judged";
	}
}

size_t crossover_blocks(const struct crossover *x)
{
	bool *whole = judge_whole(&x->trial);
	size_t n = 0;

	for (size_t b = 0; b < x->trial.n_blocks && x->n_variants >= 2; b++)
		n += whole[b];
	free(whole);
	return n;
}

/* Take the values of a cell in the whole blocks. */
static void crossover_side(const struct trial *t, size_t metric, size_t cell,
			   double *side)
{
	double *all = trial_values(t, metric);
	bool *whole = judge_whole(t);

	for (size_t b = 0; b < t->n_blocks; b++)
		if (whole[b])
			*side++ = all[cell * t->n_blocks + b];
	free(whole);
	free(all);
}

struct crossover_result *crossover_results(const struct crossover *x,
					   size_t *n)
{
	const struct judge_rule rule = { .whole = true };
	const struct trial *t = &x->trial;
	const size_t blocks = crossover_blocks(x);
	struct crossover_result *r;
	struct judge_pair *pair;
	double *side;

	*n = blocks ? t->n_metrics * (x->n_variants - 1) : 0;
	if (!*n)
		return NULL;
	r = xcalloc(*n, sizeof(*r) + 2 * blocks * sizeof(*side));
	side = (double *)(r + *n);
	pair = xcalloc(*n, sizeof(*pair));
	for (size_t i = 0; i < *n; i++) {
		pair[i].metric = i / (x->n_variants - 1);
		pair[i].cell = i % (x->n_variants - 1) + 1;
	}
	judge_compare(pair, *n, t, &rule);
	judge_pairs(pair, *n, t, &rule);
	for (size_t i = 0; i < *n; i++, side += 2 * blocks) {
		crossover_side(t, pair[i].metric, 0, side);
		crossover_side(t, pair[i].metric, pair[i].cell, side + blocks);
		r[i] = (struct crossover_result){
			.metric = &x->metric[pair[i].metric],
			.variant = pair[i].cell,
			.better = t->metric[pair[i].metric].better,
			.v = pair[i].v,
			.unpaired = difference_welch(side, blocks,
						     side + blocks, blocks, 0),
			.a = side,
			.b = side + blocks,
			.blocks = blocks,
		};
	}
	free(pair);
	return r;
}

double crossover_block_pct(const struct crossover_result *r, size_t i)
{
	return i < r->blocks && r->a[i] > 0 ? (r->b[i] / r->a[i] - 1) * 100
					    : NAN;
}

struct difference crossover_after(const struct crossover_result *r,
				  size_t blocks)
{
	struct difference d = difference_paired(
		r->a, r->b, blocks < r->blocks ? blocks : r->blocks, 0);

	if (d.method != DIFFERENCE_NONE && isfinite(r->v.level))
		difference_interval(&d, r->v.level);
	return d;
}

bool crossover_narrow(const struct crossover *x, double ratio)
{
	size_t n, counted = 0;
	struct crossover_result *r = crossover_results(x, &n);
	bool narrow = true;

	for (size_t i = 0; i < n && narrow; i++) {
		if (strcmp(r[i].metric->key, "iops") != 0 || !r[i].v.d.logs)
			continue;
		counted++;
		narrow = power_narrow(r[i].v.d.sd, r[i].v.d.n_a, ratio);
	}
	free(r);
	return narrow && counted;
}

char *crossover_sentence(const struct crossover *x,
			 const struct crossover_result *r, char *buf,
			 size_t size)
{
	char words[400];

	snprintf(buf, size, "%s: %s of %s %s",
		 crossover_name(x, r->variant).text, r->metric->key,
		 r->metric->job,
		 judge_sentence(&r->v, r->better, words, sizeof(words)));
	return buf;
}

void crossover_order(uint64_t seed, unsigned block, size_t n, unsigned *order)
{
	uint64_t state = seed;

	state = random_splitmix(&state) ^ block;
	for (size_t i = 0; i < n; i++)
		order[i] = (unsigned)i;
	for (size_t i = n; i > 1; i--) {
		/* n is at most 8: the bias of the remainder is below 2^-61. */
		size_t k = random_splitmix(&state) % i;
		unsigned swap = order[i - 1];

		order[i - 1] = order[k];
		order[k] = swap;
	}
}

size_t crossover_settling(const double *x, size_t n)
{
	size_t half = n / 2, settled = half;
	double mean, variance, within;

	if (n < 4)
		return half;
	difference_mean(x + half, n - half, &mean, &variance);
	within = fmax(3 * sqrt(variance), 0.05 * fabs(mean));
	while (settled && fabs(x[settled - 1] - mean) <= within)
		settled--;
	return settled;
}
