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
#include "model/schema/schema.h"
#include "model/stats/difference.h"
#include "model/stats/power.h"

/* Latencies come from a histogram whose buckets are 1/128 wide. */
#define LATENCY_QUANTUM (1.0 / 128)

void crossover_free(struct crossover *x)
{
	for (size_t i = 0; i < x->n_metrics; i++)
		free(x->metric[i].y);
	free(x->have);
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
	if (i >= x->n_variants)
		x->n_variants = i + 1;
	return (int)i;
}

/* The settings without the letter: "bfq", or "bfq nr_requests=64". */
static void settings_words(const struct point *p, char *buf, size_t size)
{
	size_t used = 0;
	unsigned n = 0;

	*buf = '\0';
	for (unsigned i = 0; i < p->n && used < size; i++) {
		const struct point_value *v = &p->axis[i];
		const char *dot = strrchr(v->key, '.');

		if (!strcmp(v->key, CROSSOVER_AXIS))
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s%s%s",
					 n ? " " : "",
					 n ? (dot ? dot + 1 : v->key) : "",
					 n ? "=" : "", v->value);
		n++;
	}
}

char *crossover_name(const struct crossover *x, size_t variant, char *buf,
		     size_t size)
{
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
		snprintf(buf, size, "%s (%s)", own, letter);
	else
		snprintf(buf, size, "%s", own);
	return buf;
}

static void crossover_grow(struct crossover *x, size_t blocks)
{
	size_t cap = x->cap ? x->cap : 16;

	while (cap < blocks)
		cap *= 2;
	if (cap == x->cap)
		return;
	x->have = xrealloc(x->have, cap * sizeof(*x->have));
	for (size_t b = x->cap; b < cap; b++)
		x->have[b] = 0;
	for (size_t i = 0; i < x->n_metrics; i++) {
		double *y = xrealloc(x->metric[i].y, cap * CROSSOVER_VARIANTS *
							     sizeof(*y));

		for (size_t k = x->cap * CROSSOVER_VARIANTS;
		     k < cap * CROSSOVER_VARIANTS; k++)
			y[k] = NAN;
		x->metric[i].y = y;
	}
	x->cap = cap;
}

/* A log with a block number above this was not written by iodyno. */
#define MOST_BLOCKS 100000

static bool is_cell(const struct crossover *x, unsigned block, int variant)
{
	return block && block <= MOST_BLOCKS && variant >= 0 &&
	       (size_t)variant < x->n_variants;
}

void crossover_period(struct crossover *x, unsigned block, int variant,
		      double seconds)
{
	if (!is_cell(x, block, variant))
		return;
	crossover_grow(x, block);
	if (block > x->blocks)
		x->blocks = block;
	x->have[block - 1] |= 1u << variant;
	x->period_s += seconds;
	x->periods++;
}

/* Whether a variant sets an option of that job, such as its rate. */
static bool orders(const struct crossover *x, const char *job)
{
	size_t n = strlen(job);

	for (size_t v = 0; v < x->n_variants; v++)
		for (unsigned i = 0; i < x->variant[v].n; i++) {
			const char *key = x->variant[v].axis[i].key;

			if (!strncmp(key, "job.", 4) &&
			    !strncmp(key + 4, job, n) && key[4 + n] == '.')
				return true;
		}
	return false;
}

static struct crossover_metric *crossover_metric_of(struct crossover *x,
						    const char *job,
						    const char *key, int better)
{
	struct crossover_metric *m;

	for (size_t i = 0; i < x->n_metrics; i++)
		if (!strcmp(x->metric[i].job, job) &&
		    !strcmp(x->metric[i].key, key))
			return &x->metric[i];
	if (x->n_metrics >= CROSSOVER_METRICS)
		return NULL;
	m = &x->metric[x->n_metrics++];
	text_copy(m->job, sizeof(m->job), job);
	text_copy(m->key, sizeof(m->key), key);
	m->better = better;
	m->ordered = orders(x, job);
	m->y = xcalloc(x->cap * CROSSOVER_VARIANTS, sizeof(*m->y));
	for (size_t i = 0; i < x->cap * CROSSOVER_VARIANTS; i++)
		m->y[i] = NAN;
	return m;
}

void crossover_add(struct crossover *x, unsigned block, int variant,
		   const char *job, const char *key, int better, double value)
{
	struct crossover_metric *m;

	if (!is_cell(x, block, variant))
		return;
	crossover_grow(x, block);
	m = crossover_metric_of(x, job, key, better);
	if (m)
		m->y[(block - 1) * CROSSOVER_VARIANTS + (size_t)variant] =
			value;
}

static bool is_whole(const struct crossover *x, size_t block)
{
	return x->n_variants >= 2 &&
	       x->have[block] == (1u << x->n_variants) - 1;
}

size_t crossover_blocks(const struct crossover *x)
{
	size_t n = 0;

	for (size_t b = 0; b < x->blocks; b++)
		n += is_whole(x, b);
	return n;
}

static double value_at(const struct crossover_metric *m, size_t block,
		       size_t variant)
{
	return m->y[block * CROSSOVER_VARIANTS + variant];
}

/* The values of two variants in whole blocks; returns how many there are. */
static size_t take_pairs(const struct crossover *x,
			 const struct crossover_metric *m, size_t variant,
			 double *a, double *b)
{
	size_t n = 0;

	for (size_t i = 0; i < x->blocks; i++) {
		if (!is_whole(x, i))
			continue;
		a[n] = value_at(m, i, 0);
		b[n++] = value_at(m, i, variant);
	}
	return n;
}

static double quantum_of(const struct crossover_metric *m)
{
	return schema_unit_of_key(m->key) == UNIT_NS ? LATENCY_QUANTUM : 0;
}

static void crossover_compare(const struct crossover *x,
			      struct crossover_result *r, double *a, double *b)
{
	const struct crossover_metric *m = r->metric;
	size_t n = take_pairs(x, m, r->variant, a, b);
	struct difference unpaired;

	r->d = difference_paired(a, b, n, quantum_of(m));
	r->base = r->d.mean_a;
	r->mean = r->d.mean_b;
	r->p = r->d.p;
	r->could_pct = NAN;
	unpaired = difference_welch(a, n, b, n, quantum_of(m));
	r->unpaired_low_pct = unpaired.logs ? difference_pct(unpaired.low)
					    : NAN;
	r->unpaired_high_pct = unpaired.logs ? difference_pct(unpaired.high)
					     : NAN;
}

static bool same_family(const struct crossover_result *a,
			const struct crossover_result *b)
{
	return !strcmp(a->metric->key, b->metric->key);
}

/*
 * The interval has the level of the Holm step at which p stands, so that it
 * excludes 0 exactly where the adjusted p is below 0.05.
 */
static void conclude(struct crossover_result *r, double p, size_t family)
{
	r->p = p;
	r->verdict = difference_verdict(&r->d, p, r->metric->better, 0);
	r->level = 0.95;
	if (r->d.method == DIFFERENCE_NONE)
		return;
	r->level = difference_level(r->d.p, p, family);
	difference_interval(&r->d, r->level);
	if (r->d.logs)
		r->could_pct = difference_pct(
			r->d.sd * power_least_effect(0.8, r->d.n_a,
						     0.05 / (double)family));
}

/* r[first] is the first of its family: adjust the p of all of it. */
static void crossover_judge_family(struct crossover_result *r, size_t n,
				   size_t first, double *p)
{
	size_t family = 0, k = 0;

	for (size_t i = first; i < n; i++)
		if (same_family(&r[i], &r[first]))
			p[family++] = r[i].d.p;
	difference_holm(p, family, p);
	for (size_t i = first; i < n; i++)
		if (same_family(&r[i], &r[first]))
			conclude(&r[i], p[k++], family);
}

static void crossover_judge(struct crossover_result *r, size_t n)
{
	double *p = xcalloc(n + 1, sizeof(*p));

	for (size_t i = 0; i < n; i++) {
		size_t j = 0;

		while (!same_family(&r[j], &r[i]))
			j++;
		if (j == i)
			crossover_judge_family(r, n, i, p);
	}
	free(p);
}

struct crossover_result *crossover_results(const struct crossover *x,
					   size_t *n)
{
	size_t most = x->n_metrics * x->n_variants;
	struct crossover_result *r;
	double *a, *b;

	*n = 0;
	if (!crossover_blocks(x))
		return NULL;
	r = xcalloc(most + 1, sizeof(*r));
	a = xcalloc(x->blocks + 1, sizeof(*a));
	b = xcalloc(x->blocks + 1, sizeof(*b));
	for (size_t m = 0; m < x->n_metrics; m++)
		for (size_t v = 1; v < x->n_variants; v++) {
			r[*n].metric = &x->metric[m];
			r[*n].variant = v;
			crossover_compare(x, &r[(*n)++], a, b);
		}
	crossover_judge(r, *n);
	free(a);
	free(b);
	return r;
}

double crossover_block_pct(const struct crossover *x,
			   const struct crossover_result *r, size_t i)
{
	for (size_t b = 0; b < x->blocks; b++)
		if (is_whole(x, b) && !i--) {
			double from = value_at(r->metric, b, 0);

			return from > 0 ? (value_at(r->metric, b, r->variant) /
						   from -
					   1) * 100
					: NAN;
		}
	return NAN;
}

struct difference crossover_after(const struct crossover *x,
				  const struct crossover_result *r,
				  size_t blocks)
{
	double *a = xcalloc(2 * (x->blocks + 1), sizeof(*a));
	double *b = a + x->blocks + 1;
	size_t n = take_pairs(x, r->metric, r->variant, a, b);
	struct difference d;

	d = difference_paired(a, b, blocks < n ? blocks : n,
			      quantum_of(r->metric));
	if (d.method != DIFFERENCE_NONE)
		difference_interval(&d, r->level);
	free(a);
	return d;
}

bool crossover_narrow(const struct crossover *x, double ratio)
{
	size_t n, counted = 0;
	struct crossover_result *r = crossover_results(x, &n);
	bool narrow = true;

	for (size_t i = 0; i < n && narrow; i++) {
		if (strcmp(r[i].metric->key, "iops") != 0 || !r[i].d.logs)
			continue;
		counted++;
		narrow = power_narrow(r[i].d.sd, r[i].d.n_a, ratio);
	}
	free(r);
	return narrow && counted;
}

const char *crossover_verdict(const struct crossover_result *r)
{
	bool told = r->verdict == DIFFERENCE_BETTER ||
		    r->verdict == DIFFERENCE_WORSE;

	if (r->d.method == DIFFERENCE_NONE)
		return "one block shows no difference";
	if (!told)
		return "not distinguishable";
	if (r->metric->ordered)
		return r->d.diff > 0 ? "higher, as ordered"
				     : "lower, as ordered";
	return r->verdict == DIFFERENCE_BETTER ? "better" : "worse";
}

char *crossover_sentence(const struct crossover *x,
			 const struct crossover_result *r, char *buf,
			 size_t size)
{
	char name[160], change[32], interval[64], out[96] = "";
	char excluded[96];

	crossover_name(x, r->variant, name, sizeof(name));
	if (r->d.method == DIFFERENCE_NONE) {
		snprintf(buf, size, "%s: %s of %s: %s", name, r->metric->key,
			 r->metric->job, crossover_verdict(r));
		return buf;
	}
	if (!r->d.logs) {
		snprintf(buf, size,
			 "%s: %s of %s %.6g -> %.6g (95 %% interval of the "
			 "difference %+.4g to %+.4g): %s",
			 name, r->metric->key, r->metric->job, r->base, r->mean,
			 r->d.low, r->d.high, crossover_verdict(r));
		return buf;
	}
	difference_percent_words(r->d.diff, change, sizeof(change));
	difference_interval_words(&r->d, interval, sizeof(interval));
	if (r->verdict != DIFFERENCE_BETTER && r->verdict != DIFFERENCE_WORSE)
		snprintf(out, sizeof(out), "; %s",
			 difference_excluded_words(&r->d, excluded,
						   sizeof(excluded)));
	snprintf(buf, size, "%s: %s of %s %s (95 %% interval %s): %s%s", name,
		 r->metric->key, r->metric->job, change, interval,
		 crossover_verdict(r), out);
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
