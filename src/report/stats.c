/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics: the means of two series of intervals, compared.
 */
#include "report/stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* A change below this share is the rounding of the log, not a change. */
#define ROUNDING 1e-7

/* See stats.h: 2 up to six values, 3 from twelve on. */
static double least_eff(double count)
{
	return fmin(fmax(2 + (count - 6) / 6, 2), 3);
}

void series_sum_add(struct series_sum *s, double x)
{
	double d;

	if (isnan(x))
		return;
	if (!s->n)
		s->shift = x;
	d = x - s->shift;
	s->sum += d;
	s->square += d * d;
	if (s->n)
		s->product += d * s->last;
	s->last = d;
	s->n++;
}

/*
 * With d = x - shift and m their mean: the sum of (d - m)^2 is square - n m^2,
 * that of (d_i - m)(d_i+1 - m) is product - m (2 sum - first - last)
 * + (n - 1) m^2, where the first is 0.
 */
struct series_stats series_sum_stats(const struct series_sum *s)
{
	struct series_stats out = { .n = s->n, .n_eff = NAN, .mean_var = NAN };
	double count = (double)s->n, m, square, product, r;

	out.mean = s->n ? s->shift + s->sum / count : NAN;
	if (s->n < STATS_LEAST)
		return out;
	m = s->sum / count;
	square = fmax(s->square - count * m * m, 0);
	product = s->product - m * (2 * s->sum - s->last) + (count - 1) * m * m;
	r = square > 0 ? product / square : 0;
	r = fmin(fmax(r + (1 + 4 * r) / count, 0), 0.99);
	out.n_eff = fmax(count * (1 - r) / (1 + r), least_eff(count));
	out.mean_var = square / count / (out.n_eff - 1);
	return out;
}

struct series_stats series_stats(const double *x, size_t n)
{
	struct series_sum s = { 0 };

	for (size_t i = 0; i < n; i++)
		series_sum_add(&s, x[i]);
	return series_sum_stats(&s);
}

/* The t distribution of the difference of two means. */
struct difference {
	double error, df; /* standard error; 0: there is no spread at all */
};

static struct difference difference(const struct series_stats *a,
				    const struct series_stats *b)
{
	double v = a->mean_var + b->mean_var;
	struct difference d = { .error = v > 0 ? sqrt(v) : 0 };

	if (d.error > 0)
		d.df = v * v /
		       (a->mean_var * a->mean_var / (a->n_eff - 1) +
			b->mean_var * b->mean_var / (b->n_eff - 1));
	return d;
}

void stats_compare(const struct series_stats *before,
		   const struct series_stats *after, struct figure *figure)
{
	double change = after->mean - before->mean, half = 0, unit;
	struct difference d;

	figure->before = before->mean;
	figure->after = after->mean;
	figure->n_before = (unsigned)before->n;
	figure->n_after = (unsigned)after->n;
	unit = before->mean != 0 ? fabs(before->mean) / 100 : NAN;
	figure->change_pct = change / unit;
	figure->low_pct = figure->high_pct = figure->p = NAN;
	figure->verdict = VERDICT_UNKNOWN;
	if (before->n < STATS_LEAST || after->n < STATS_LEAST)
		return;
	d = difference(before, after);
	if (d.error > 0)
		half = gsl_cdf_tdist_Pinv(0.975, d.df) * d.error;
	half = fmax(half, ROUNDING * fabs(before->mean));
	figure->low_pct = fmax((change - half) / unit, -100);
	figure->high_pct = (change + half) / unit;
	figure->verdict = change > half    ? VERDICT_HIGHER
			  : change < -half ? VERDICT_LOWER
					   : VERDICT_SAME;
	if (figure->verdict == VERDICT_SAME && !(d.error > 0))
		figure->p = 1;
	else
		figure->p = d.error > 0
				    ? 2 * gsl_cdf_tdist_Q(
						  fabs(change) / d.error, d.df)
				    : 0;
}
