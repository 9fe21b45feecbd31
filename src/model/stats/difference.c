/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Difference: two cells of an experiment, and several comparisons at once. */
#include "model/stats/difference.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/stats/probability.h"

#define NOTHING                                                       \
	{                                                             \
		.mean_a = NAN, .mean_b = NAN, .diff = NAN, .sd = NAN, \
		.se = NAN, .t = NAN, .df = NAN, .p = NAN, .low = NAN, \
		.high = NAN                                           \
	}

size_t difference_mean(const double *x, size_t n, double *mean, double *variance)
{
	double sum = 0, square = 0;
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i])) {
			sum += x[i];
			used++;
		}
	*mean = used ? sum / (double)used : NAN;
	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i]))
			square += (x[i] - *mean) * (x[i] - *mean);
	*variance = used > 1 ? square / (double)(used - 1) : NAN;
	return used;
}

/* One pass (Welford) over a sample that is not kept. */
struct moments {
	size_t n;
	double mean, square;
};

static void difference_moments_add(struct moments *m, double x)
{
	double d = x - m->mean;

	m->n++;
	m->mean += d / (double)m->n;
	m->square += d * (x - m->mean);
}

static double moments_variance(const struct moments *m)
{
	return m->n > 1 ? m->square / (double)(m->n - 1) : NAN;
}

static double moments_var_of_mean(const struct moments *m)
{
	return moments_variance(m) / (double)m->n;
}

bool difference_takes_logs(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (x[i] <= 0)
			return false;
	return true;
}

static double y_of(double x, bool logs)
{
	return logs ? log(x) : x;
}

static double difference_mean_of(double y, bool logs)
{
	return logs ? exp(y) : y;
}

void difference_no_abort(void)
{
	gsl_set_error_handler_off();
}

/* t, p and the interval from diff, se and df. */
static void difference_finish(struct difference *c)
{
	if (c->se > 0) {
		c->t = c->diff / c->se;
		c->p = 2 * probability_t_tail(fabs(c->t), c->df);
	} else {
		c->t = c->diff != 0 ? copysign(INFINITY, c->diff) : 0;
		c->p = c->diff != 0 ? 0 : 1;
	}
	difference_interval(c, 0.95);
}

void difference_interval(struct difference *c, double level)
{
	double half;

	if (c->method == DIFFERENCE_NONE)
		return;
	half = c->se > 0
		       ? probability_t_quantile((1 + level) / 2, c->df) * c->se
		       : 0;
	c->low = c->diff - half;
	c->high = c->diff + half;
}

void difference_pool(struct difference *c, double sd, double df)
{
	if (c->method != DIFFERENCE_PAIRED)
		return;
	c->sd = sd * M_SQRT2;
	c->se = c->sd / sqrt((double)c->n_a);
	c->df = df;
	c->resolution = false;
	difference_finish(c);
}

/* The step of y that a relative quantum makes. */
static double difference_step(double quantum, bool logs, double mean_a,
			      double mean_b)
{
	return logs ? quantum : quantum * fmax(fabs(mean_a), fabs(mean_b));
}

struct difference difference_paired(const double *a, const double *b, size_t n,
				    double quantum)
{
	struct difference c = NOTHING;
	struct moments ma = { 0 }, mb = { 0 }, d = { 0 };
	double floor;

	c.logs = difference_takes_logs(a, n) && difference_takes_logs(b, n);
	for (size_t i = 0; i < n; i++) {
		double ya, yb;

		if (isnan(a[i]) || isnan(b[i]))
			continue;
		ya = y_of(a[i], c.logs);
		yb = y_of(b[i], c.logs);
		difference_moments_add(&ma, ya);
		difference_moments_add(&mb, yb);
		difference_moments_add(&d, yb - ya);
	}
	c.n_a = c.n_b = d.n;
	if (!d.n)
		return c;
	c.mean_a = difference_mean_of(ma.mean, c.logs);
	c.mean_b = difference_mean_of(mb.mean, c.logs);
	if (d.n < 2)
		return c;
	c.method = DIFFERENCE_PAIRED;
	c.diff = d.mean;
	c.sd = sqrt(moments_variance(&d));
	floor = difference_step(quantum, c.logs, ma.mean, mb.mean) / sqrt(6);
	if ((ma.square == 0 || mb.square == 0 || d.square == 0) &&
	    c.sd < floor) {
		c.sd = floor;
		c.resolution = true;
	}
	c.se = c.sd / sqrt((double)d.n);
	c.df = (double)d.n - 1;
	difference_finish(&c);
	return c;
}

struct difference difference_of(const double *d, size_t n)
{
	/* Zeros keep it from taking logs. */
	double *zero = xcalloc(n + 1, sizeof(*zero));
	const struct difference c = difference_paired(zero, d, n, 0);

	free(zero);
	return c;
}

struct difference difference_moments(double mean_a, double var_a, double df_a,
				     double mean_b, double var_b, double df_b)
{
	struct difference c = NOTHING;
	double v = var_a + var_b;

	c.method = DIFFERENCE_WELCH;
	c.mean_a = mean_a;
	c.mean_b = mean_b;
	c.diff = mean_b - mean_a;
	c.se = sqrt(v);
	c.df = v > 0 ? v * v / (var_a * var_a / df_a + var_b * var_b / df_b)
		     : df_a + df_b;
	difference_finish(&c);
	return c;
}

static void difference_add_all(struct moments *m, const double *x, size_t n,
			       bool logs)
{
	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i]))
			difference_moments_add(m, y_of(x[i], logs));
}

struct difference difference_welch(const double *a, size_t n_a, const double *b,
				   size_t n_b, double quantum)
{
	bool logs = difference_takes_logs(a, n_a) &&
		    difference_takes_logs(b, n_b);
	bool low = false;
	struct moments ma = { 0 }, mb = { 0 };
	struct difference c = NOTHING;
	double va, vb, floor;

	difference_add_all(&ma, a, n_a, logs);
	difference_add_all(&mb, b, n_b, logs);
	if (ma.n >= 2 && mb.n >= 2) {
		va = moments_var_of_mean(&ma);
		vb = moments_var_of_mean(&mb);
		floor = difference_step(quantum, logs, ma.mean, mb.mean);
		floor *= floor / 12;
		if (ma.square == 0 && floor > 0) {
			va = floor / (double)ma.n;
			low = true;
		}
		if (mb.square == 0 && floor > 0) {
			vb = floor / (double)mb.n;
			low = true;
		}
		c = difference_moments(ma.mean, va, (double)ma.n - 1, mb.mean,
				       vb, (double)mb.n - 1);
	}
	c.logs = logs;
	c.resolution = low;
	c.n_a = ma.n;
	c.n_b = mb.n;
	c.mean_a = ma.n ? difference_mean_of(ma.mean, logs) : NAN;
	c.mean_b = mb.n ? difference_mean_of(mb.mean, logs) : NAN;
	return c;
}

struct difference difference_blocks(const double *a, const double *b,
				    size_t blocks, double quantum)
{
	size_t both = 0;

	for (size_t i = 0; i < blocks; i++)
		both += !isnan(a[i]) && !isnan(b[i]);
	if (both >= 2)
		return difference_paired(a, b, blocks, quantum);
	return difference_welch(a, blocks, b, blocks, quantum);
}

double difference_pct(double diff)
{
	return 100 * expm1(diff);
}

double difference_excluded_pct(const struct difference *c)
{
	double pct;

	if (!c->logs || c->method == DIFFERENCE_NONE)
		return NAN;
	pct = fmax(fabs(difference_pct(c->low)),
		   fabs(difference_pct(c->high)));
	/* x2 either way is also a fall to a half. */
	return pct < 100 ? pct : difference_pct(fmax(-c->low, c->high));
}

double difference_half_pct(const struct difference *c)
{
	if (!c->logs || c->method == DIFFERENCE_NONE)
		return NAN;
	return difference_pct((c->high - c->low) / 2);
}

/* Larger ratios print as ">x999": their digits mean nothing. */
#define MOST_RATIO 999
/* From here on a change in per cent prints as a ratio. */
#define PERCENT_RATIO 10

/* Avoid "-0.0". */
static double plain_zero(double v)
{
	return fabs(v) < 0.05 ? 0 : v;
}

struct text_short difference_change_words(double diff)
{
	double pct = difference_pct(diff);

	if (isnan(diff))
		return text_shortly("-");
	if (pct >= 100 * (MOST_RATIO - 1))
		return text_shortly(">x%d", MOST_RATIO);
	if (pct >= 100)
		return text_shortly("x%.3g", exp(diff));
	return text_shortly("%+.1f", plain_zero(pct));
}

/* The words with " %", but for a ratio or "-". */
static struct text_short difference_with_unit(struct text_short change)
{
	const bool ratio = strchr("x>", *change.text) || !change.text[1];

	return text_shortly("%.29s%s", change.text, ratio ? "" : " %");
}

struct text_short difference_percent_words(double diff)
{
	return difference_with_unit(difference_change_words(diff));
}

struct text_short difference_bound_words(double pct)
{
	if (pct >= 100 * (MOST_RATIO - 1))
		return text_shortly(">x%d", MOST_RATIO);
	if (pct >= 100 * (PERCENT_RATIO - 1))
		return text_shortly("x%.3g", 1 + pct / 100);
	return text_shortly("%+.1f", plain_zero(pct));
}

struct text_short difference_effect_words(double pct)
{
	return difference_with_unit(difference_bound_words(pct));
}

struct text_short difference_size_words(double pct)
{
	if (isnan(pct))
		return text_shortly("-");
	if (pct < 100)
		return text_shortly("%.*f %%", pct < 9.95 ? 1 : 0, pct);
	return difference_change_words(log1p(pct / 100));
}

struct text_short difference_below_words(double pct)
{
	const bool whole = pct >= 9.95 && pct < 99.5;

	return difference_size_words(whole ? ceil(rint(pct * 10) / 10) : pct);
}

struct text_short difference_interval_words(const struct difference *c)
{
	if (!isfinite(c->low) || !isfinite(c->high))
		return text_shortly("-");
	if (!c->logs)
		return text_shortly("%+.3g to %+.3g", c->low, c->high);
	return difference_range_words(c->low, c->high);
}

struct text_short difference_range_words(double low, double high)
{
	const double least = exp(low);

	if (difference_pct(high) >= 100)
		return text_shortly(least * MOST_RATIO < 1 ? "<x%.3f to %.13s"
							   : "x%.3g to %.13s",
				    fmax(least, 0.001),
				    difference_change_words(high).text);
	return text_shortly("%.13s to %.13s",
			    difference_change_words(low).text,
			    difference_change_words(high).text);
}

char *difference_excluded_words(const struct difference *c, char *buf,
				size_t size)
{
	double pct = difference_excluded_pct(c);

	if (!(pct < 100 * (MOST_RATIO - 1)))
		snprintf(buf, size, "the difference may have any size");
	else
		snprintf(buf, size, "the difference is below %s",
			 difference_below_words(pct).text);
	return buf;
}

double difference_tost(const struct difference *c, double margin)
{
	double bound = log1p(margin), lower, upper;

	if (!c->logs || c->method == DIFFERENCE_NONE)
		return NAN;
	if (!(c->se > 0))
		return fabs(c->diff) < bound ? 0 : 1;
	lower = probability_t_tail((c->diff + bound) / c->se, c->df);
	upper = probability_t_tail((bound - c->diff) / c->se, c->df);
	return fmax(lower, upper);
}

enum difference_verdict difference_verdict(const struct difference *c, double p,
					   int sign, double margin)
{
	bool equivalent = margin > 0 && difference_tost(c, margin) < 0.05;

	if (c->method == DIFFERENCE_NONE || !(p < 0.05))
		return equivalent ? DIFFERENCE_EQUIVALENT
				  : DIFFERENCE_UNDECIDED;
	if (c->diff * sign > 0)
		return equivalent ? DIFFERENCE_BETTER_BELOW : DIFFERENCE_BETTER;
	return equivalent ? DIFFERENCE_WORSE_BELOW : DIFFERENCE_WORSE;
}

/* --- several comparisons: the corrections of their p --- */

/* A p, and its place among the others. */
struct ranked_p {
	double p;
	size_t at;
};

static int by_p(const void *pa, const void *pb)
{
	const struct ranked_p *a = pa, *b = pb;

	if (a->p != b->p)
		return a->p < b->p ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

void difference_holm(const double *p, size_t n, double *adjusted)
{
	struct ranked_p *place = xcalloc(n + 1, sizeof(*place));
	double most = 0;
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			place[m++] = (struct ranked_p){ p[i], i };
		adjusted[i] = NAN;
	}
	qsort(place, m, sizeof(*place), by_p);
	for (size_t i = 0; i < m; i++) {
		most = fmax(most, fmin(1, (double)(m - i) * place[i].p));
		adjusted[place[i].at] = most;
	}
	free(place);
}

double difference_level(double p, double adjusted, size_t n)
{
	double steps = p > 0 ? adjusted / p : (double)n;

	if (isnan(p) || isnan(adjusted))
		return NAN;
	return steps >= 1 ? 1 - 0.05 / steps : 0.95;
}
