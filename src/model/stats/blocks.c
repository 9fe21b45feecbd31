/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks: a whole experiment as a table of variants by blocks. */
#include "model/stats/blocks.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/stats/members.h"
#include "model/stats/probability.h"

struct difference blocks_geomean(const double *d, size_t tests, size_t blocks)
{
	double *mean = xcalloc(blocks + 1, sizeof(*mean));
	struct difference c;

	for (size_t b = 0; b < blocks; b++) {
		for (size_t t = 0; t < tests; t++)
			mean[b] += d[t * blocks + b];
		mean[b] /= (double)tests;
	}
	c = difference_of(mean, blocks);
	free(mean);
	return c;
}

/* How often the means of variants and of blocks are fitted in turn. */
#define FITS 50

/*
 * The effects of the blocks beside those of the variants, by least squares
 * (means in turn): effect[block], NaN where it has fewer than `least` runs.
 * Returns how many there are.
 */
static size_t blocks_effects(const double *y, size_t variants, size_t blocks,
			     size_t least, double *effect)
{
	double *variant = xcalloc(variants + 1, sizeof(*variant));
	double *sum = xcalloc(variants + blocks + 1, sizeof(*sum));
	size_t *n = xcalloc(variants + blocks + 1, sizeof(*n)), used = 0;

	for (size_t b = 0; b < blocks; b++)
		effect[b] = 0;
	for (unsigned fit = 0; fit < 2 * FITS; fit++) {
		const bool of_blocks = fit % 2;

		memset(sum, 0, (variants + blocks) * sizeof(*sum));
		memset(n, 0, (variants + blocks) * sizeof(*n));
		for (size_t i = 0; i < variants * blocks; i++) {
			const size_t v = i / blocks, b = i % blocks;
			const size_t at = of_blocks ? b : v;

			if (isnan(y[i]))
				continue;
			sum[at] += y[i] - (of_blocks ? variant[v] : effect[b]);
			n[at]++;
		}
		for (size_t i = 0; i < (of_blocks ? blocks : variants); i++)
			(of_blocks ? effect : variant)[i] =
				n[i] ? sum[i] / (double)n[i] : 0;
	}
	for (size_t b = 0; b < blocks; b++) {
		if (n[b] < least)
			effect[b] = NAN;
		used += n[b] >= least;
	}
	free(n);
	free(sum);
	free(variant);
	return used;
}

/* The mean place of the runs of each block; their range in *least, *most. */
static void blocks_places(const double *y, const double *position,
			  size_t variants, size_t blocks, double *at,
			  double *least, double *most)
{
	for (size_t b = 0; b < blocks; b++) {
		size_t n = 0;

		at[b] = 0;
		for (size_t v = 0; v < variants; v++) {
			const size_t i = v * blocks + b;

			if (isnan(y[i]))
				continue;
			at[b] += position[i];
			*least = fmin(*least, position[i]);
			*most = fmax(*most, position[i]);
			n++;
		}
		at[b] = n ? at[b] / (double)n : NAN;
	}
}

static size_t blocks_with_runs(const double *y, size_t variants, size_t blocks)
{
	size_t used = 0;

	for (size_t v = 0; v < variants; v++) {
		size_t b = 0;

		while (b < blocks && isnan(y[v * blocks + b]))
			b++;
		used += b < blocks;
	}
	return used;
}

struct blocks_drift blocks_drift(const double *y, const double *position,
				 size_t variants, size_t blocks)
{
	struct blocks_drift d = { NAN, NAN, NAN, NAN, NAN };
	double xx = 0, xy = 0, yy = 0, least = INFINITY, most = -INFINITY;
	double *effect = xcalloc(2 * blocks + 1, sizeof(*effect));
	double *at = effect + blocks, mx = 0, my = 0;
	const bool alone = blocks_with_runs(y, variants, blocks) < 2;
	const size_t n = blocks_effects(y, variants, blocks, alone ? 1 : 2,
					effect);

	blocks_places(y, position, variants, blocks, at, &least, &most);
	for (size_t b = 0; b < blocks; b++)
		if (!isnan(effect[b])) {
			mx += at[b] / (double)n;
			my += effect[b] / (double)n;
		}
	for (size_t b = 0; b < blocks; b++)
		if (!isnan(effect[b])) {
			xx += (at[b] - mx) * (at[b] - mx);
			xy += (at[b] - mx) * (effect[b] - my);
			yy += (effect[b] - my) * (effect[b] - my);
		}
	free(effect);
	if (n < 3 || !(xx > 0))
		return d;
	d.df = (double)n - 2;
	d.slope = xy / xx;
	d.total = d.slope * (most - least);
	yy = fmax(yy - xy * d.slope, 0) / d.df / xx;
	d.t = yy > 0 ? d.slope / sqrt(yy) : 0;
	d.p = yy > 0         ? 2 * probability_t_tail(fabs(d.t), d.df)
	      : d.slope != 0 ? 0
			     : 1;
	return d;
}

/* Means over the runs that are there. */
static double blocks_mean_of(const double *y, size_t n, size_t stride)
{
	double sum = 0;
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		if (isnan(y[i * stride]))
			continue;
		sum += y[i * stride];
		used++;
	}
	return used ? sum / (double)used : NAN;
}

static void residuals(const double *y, size_t variants, size_t blocks,
		      double *r)
{
	double all = blocks_mean_of(y, variants * blocks, 1);

	for (size_t v = 0; v < variants; v++)
		for (size_t b = 0; b < blocks; b++)
			r[v * blocks + b] =
				y[v * blocks + b] -
				blocks_mean_of(y + v * blocks, blocks, 1) -
				blocks_mean_of(y + b, variants, blocks) + all;
}

/* Median of the values that are not NaN; moves them to the front, sorted. */
static double blocks_median(double *x, size_t n)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i]))
			x[used++] = x[i];
	return members_median(x, used);
}

void blocks_outliers(const double *y, size_t variants, size_t blocks, double *z)
{
	size_t n = variants * blocks;
	double *r = xcalloc(n + 1, sizeof(*r)), *work;
	double middle, mad;

	work = xcalloc(n + 1, sizeof(*work));
	residuals(y, variants, blocks, r);
	memcpy(work, r, n * sizeof(*work));
	middle = blocks_median(work, n);
	for (size_t i = 0; i < n; i++)
		work[i] = fabs(r[i] - middle);
	mad = blocks_median(work, n);
	for (size_t i = 0; i < n; i++) {
		double away = fabs(r[i] - middle);

		z[i] = isnan(away) ? NAN : mad > 0 ? 0.6745 * away / mad : 0;
	}
	free(work);
	free(r);
}

struct difference blocks_one(const double *y, size_t block, size_t variants,
			     size_t blocks)
{
	double *mean = xcalloc(blocks + 1, sizeof(*mean)), rest, variance;
	struct difference c = { .diff = NAN, .p = NAN };
	size_t n = 0;
	double own = NAN;

	for (size_t b = 0; b < blocks; b++) {
		double sum = 0;

		/* A missing value makes the sum NaN. */
		for (size_t v = 0; v < variants; v++)
			sum += y[v * blocks + b];
		if (b == block)
			own = sum / (double)variants;
		else if (isfinite(sum))
			mean[n++] = sum / (double)variants;
	}
	difference_mean(mean, n, &rest, &variance);
	free(mean);
	c.n_a = n;
	c.n_b = 1;
	if (n < 2 || !isfinite(own) || !(variance > 0))
		return c;
	c.method = DIFFERENCE_WELCH;
	c.mean_a = rest;
	c.mean_b = own;
	c.diff = own - rest;
	c.se = sqrt(variance * (1 + 1 / (double)n));
	c.df = (double)n - 1;
	c.t = c.diff / c.se;
	c.p = 2 * probability_t_tail(fabs(c.t), c.df);
	difference_interval(&c, 0.95);
	return c;
}

struct difference blocks_group(const double *y, const unsigned char *in,
			       size_t variants, size_t blocks)
{
	double *r = xcalloc(variants * blocks + 1, sizeof(*r));
	double *d = xcalloc(blocks + 1, sizeof(*d));
	struct difference c;
	size_t n = 0;

	residuals(y, variants, blocks, r);
	for (size_t b = 0; b < blocks; b++) {
		double sum[2] = { 0, 0 };
		size_t of[2] = { 0, 0 };

		for (size_t v = 0; v < variants; v++) {
			const size_t i = v * blocks + b, k = in[i] != 0;

			if (isnan(r[i]))
				continue;
			sum[k] += r[i];
			of[k]++;
		}
		if (of[0] && of[1])
			d[n++] = sum[1] / (double)of[1] - sum[0] / (double)of[0];
	}
	c = difference_of(d, n);
	free(d);
	free(r);
	return c;
}

/* Residuals of the whole blocks only, NaN elsewhere. */
static size_t keep_whole(const double *y, size_t variants, size_t blocks,
			 unsigned char *whole, double *to)
{
	size_t n = 0;

	for (size_t b = 0; b < blocks; b++) {
		whole[b] = true;
		for (size_t v = 0; v < variants; v++)
			whole[b] &= isfinite(y[v * blocks + b]) != 0;
		n += whole[b];
	}
	for (size_t i = 0; i < variants * blocks; i++)
		to[i] = whole[i % blocks] ? y[i] : NAN;
	return n;
}

struct blocks_error blocks_error(const double *y, size_t variants,
				 size_t blocks, unsigned char *whole)
{
	struct blocks_error e = { NAN, NAN, NAN, 0 };
	double *r = xcalloc(variants * blocks + 1, sizeof(*r));
	double *of = xcalloc(variants * blocks + 1, sizeof(*of));
	double sum = 0, least = INFINITY, most = 0;

	e.blocks = keep_whole(y, variants, blocks, whole, of);
	residuals(of, variants, blocks, r);
	for (size_t v = 0; v < variants; v++) {
		double square = 0;

		for (size_t b = 0; b < blocks; b++)
			if (whole[b])
				square += r[v * blocks + b] *
					  r[v * blocks + b];
		sum += square;
		least = fmin(least, square);
		most = fmax(most, square);
	}
	free(of);
	free(r);
	if (variants < 2 || e.blocks < 2)
		return e;
	e.df = (double)((variants - 1) * (e.blocks - 1));
	e.sd = sqrt(sum / e.df);
	e.spread = least > 0 ? sqrt(most / least) : most > 0 ? INFINITY : 1;
	return e;
}

/* --- random orders --- */

struct shuffle {
	gsl_rng *rng;
};

struct shuffle *blocks_shuffle_new(uint64_t seed)
{
	struct shuffle *s = xcalloc(1, sizeof(*s));

	s->rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!s->rng)
		die("no memory for a random number generator");
	gsl_rng_set(s->rng, (unsigned long)(seed & 0xffffffffu));
	return s;
}

void blocks_shuffle_free(struct shuffle *s)
{
	if (!s)
		return;
	gsl_rng_free(s->rng);
	free(s);
}

void blocks_shuffle(struct shuffle *s, size_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		at[i] = i;
	gsl_ran_shuffle(s->rng, at, n, sizeof(*at));
}
