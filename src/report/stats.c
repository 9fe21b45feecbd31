/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics: the means of two series of intervals, compared.
 */
#include "report/stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* A change below this share is the rounding of the log, not a change. */
#define ROUNDING 1e-7

static double mean_of(const double *x, size_t n, size_t *count)
{
	double sum = 0;

	*count = 0;
	for (size_t i = 0; i < n; i++) {
		if (isnan(x[i]))
			continue;
		sum += x[i];
		++*count;
	}
	return *count ? sum / (double)*count : NAN;
}

/* See stats.h: 2 up to six values, 3 from twelve on. */
static double least_eff(double count)
{
	return fmin(fmax(2 + (count - 6) / 6, 2), 3);
}

struct series_stats series_stats(const double *x, size_t n)
{
	struct series_stats s = { .n_eff = NAN, .mean_var = NAN };
	double square = 0, product = 0, last = NAN, r, c0, count;

	s.mean = mean_of(x, n, &s.n);
	if (s.n < STATS_LEAST)
		return s;
	for (size_t i = 0; i < n; i++) {
		double d = x[i] - s.mean;

		if (isnan(d))
			continue;
		square += d * d;
		if (!isnan(last))
			product += d * last;
		last = d;
	}
	count = (double)s.n;
	c0 = square / count;
	r = square > 0 ? product / square : 0;
	r = fmin(fmax(r + (1 + 4 * r) / count, 0), 0.99);
	s.n_eff = fmax(count * (1 - r) / (1 + r), least_eff(count));
	s.mean_var = c0 / (s.n_eff - 1);
	return s;
}

/* Half the width of the 95 % interval of the difference. */
static double half_width(const struct series_stats *a,
			 const struct series_stats *b)
{
	double v = a->mean_var + b->mean_var;
	double df;

	if (!(v > 0))
		return 0;
	df = v * v /
	     (a->mean_var * a->mean_var / (a->n_eff - 1) +
	      b->mean_var * b->mean_var / (b->n_eff - 1));
	return gsl_cdf_tdist_Pinv(0.975, df) * sqrt(v);
}

void stats_compare(const struct series_stats *before,
		   const struct series_stats *after, struct figure *figure)
{
	double change = after->mean - before->mean, half, unit;

	figure->before = before->mean;
	figure->after = after->mean;
	figure->n_before = (unsigned)before->n;
	figure->n_after = (unsigned)after->n;
	unit = before->mean != 0 ? fabs(before->mean) / 100 : NAN;
	figure->change_pct = change / unit;
	figure->low_pct = figure->high_pct = NAN;
	figure->verdict = VERDICT_UNKNOWN;
	if (before->n < STATS_LEAST || after->n < STATS_LEAST)
		return;
	half = half_width(before, after);
	half = fmax(half, ROUNDING * fabs(before->mean));
	figure->low_pct = (change - half) / unit;
	figure->high_pct = (change + half) / unit;
	figure->verdict = change > half    ? VERDICT_HIGHER
			  : change < -half ? VERDICT_LOWER
					   : VERDICT_SAME;
}
