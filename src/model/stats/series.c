/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Series: values of successive intervals, by batch means. */
#include "model/stats/series.h"

#include <math.h>
#include <string.h>

#include "model/stats/probability.h"

/* A change below this share is the rounding of the log, not a change. */
#define ROUNDING 1e-7
/* Batches that must be ten decorrelation times long. */
#define LEAST_BATCHES     5
#define DECORRELATION_MIN 10
/* Bounds of r of a short series. */
#define R_LEAST 0.5
#define R_MOST  0.95

static void series_halve(struct series *s)
{
	for (size_t i = 0; i < SERIES_SLOTS / 2; i++)
		s->slot[i] = s->slot[2 * i] + s->slot[2 * i + 1];
	memset(s->slot + SERIES_SLOTS / 2, 0,
	       SERIES_SLOTS / 2 * sizeof(s->slot[0]));
	s->batch *= 2;
}

/* Values in a slot. */
static size_t filled(const struct series *s, size_t slot)
{
	size_t from = slot * s->batch;

	return from >= s->n             ? 0
	       : s->n - from < s->batch ? s->n - from
					: s->batch;
}

/* The slots on the scale of x; exact while a batch is one value. */
static void slots_of_x(const struct series *s, double slot[SERIES_SLOTS])
{
	for (size_t i = 0; i < SERIES_SLOTS; i++) {
		double n = (double)filled(s, i);

		slot[i] = s->zeros ? s->slot[i]
			  : n > 0  ? n * (exp(s->y.shift + s->slot[i] / n) -
                                         s->x.shift)
				   : 0;
	}
}

static double series_moments_add(struct series_moments *m, double v, size_t n)
{
	double d;

	if (!n)
		m->shift = v;
	d = v - m->shift;
	m->sum += d;
	m->square += d * d;
	if (n)
		m->product += d * m->last;
	m->last = d;
	return d;
}

void series_add(struct series *s, double x)
{
	double slot[SERIES_SLOTS], dx, dy = 0;

	if (!isfinite(x))
		return;
	if (!s->batch)
		s->batch = 1;
	if (s->n == s->batch * SERIES_SLOTS)
		series_halve(s);
	if (x <= 0 && !s->zeros) {
		slots_of_x(s, slot);
		memcpy(s->slot, slot, sizeof(slot));
		s->zeros = true;
	}
	dx = series_moments_add(&s->x, x, s->n);
	if (!s->zeros)
		dy = series_moments_add(&s->y, log(x), s->n);
	s->slot[s->n / s->batch] += s->zeros ? dx : dy;
	s->n++;
}

void series_zeros(struct series *s, size_t n)
{
	memset(s, 0, sizeof(*s));
	s->n = n;
	s->zeros = true;
	for (s->batch = 1; n > s->batch * SERIES_SLOTS;)
		s->batch *= 2;
}

double series_mean(const struct series *s)
{
	return s->n ? s->x.shift + s->x.sum / (double)s->n : NAN;
}

/* Sum of (d - mean)^2. */
static double series_spread(const struct series_moments *m, size_t n)
{
	double mean = m->sum / (double)n;

	return fmax(m->square - mean * m->sum, 0);
}

/*
 * Sum of (d_i - m)(d_i+1 - m) is product - m (2 sum - first - last)
 * + (n - 1) m^2, where the first is 0.
 */
static double lag1(const struct series_moments *m, size_t n)
{
	double mean = m->sum / (double)n, square = series_spread(m, n);
	double product = m->product - mean * (2 * m->sum - m->last) +
			 ((double)n - 1) * mean * mean;

	return square > 0 ? product / square : 0;
}

/*
 * Means of so many batches of equal length, less the shift; values behind the
 * last whole batch are left out. Returns how many there are.
 */
static size_t batch_means(const struct series *s, bool logs, size_t batches,
			  double mean[SERIES_SLOTS])
{
	size_t whole = s->n / s->batch, each = whole / batches;
	double slot[SERIES_SLOTS];

	if (!each)
		return 0;
	if (logs)
		memcpy(slot, s->slot, sizeof(slot));
	else
		slots_of_x(s, slot);
	for (size_t b = 0; b < batches; b++) {
		mean[b] = 0;
		for (size_t i = 0; i < each; i++)
			mean[b] += slot[b * each + i];
		mean[b] /= (double)(each * s->batch);
	}
	return batches;
}

static double lag1_of(const double *x, size_t n)
{
	double mean, variance, product = 0;

	difference_mean(x, n, &mean, &variance);
	for (size_t i = 1; i < n; i++)
		product += (x[i] - mean) * (x[i - 1] - mean);
	return variance > 0 ? product / (variance * (double)(n - 1)) : 0;
}

static const struct series_moments *series_scale(const struct series *s,
						 bool logs)
{
	return logs ? &s->y : &s->x;
}

struct series_estimate series_batches(const struct series *s, bool logs,
				      size_t batches)
{
	const struct series_moments *m = series_scale(s, logs);
	struct series_estimate e = { NAN, NAN, NAN, 0, false };
	double mean[SERIES_SLOTS];

	if (batches > SERIES_SLOTS || batches < 2 || !s->n ||
	    !batch_means(s, logs, batches, mean))
		return e;
	difference_mean(mean, batches, &e.mean, &e.variance);
	e.mean += m->shift;
	e.variance /= (double)batches;
	e.df = (double)batches - 1;
	e.batches = batches;
	e.enough = true;
	return e;
}

/* A run that is too short for batches. */
static struct series_estimate of_few(const struct series_moments *m, size_t n)
{
	double count = (double)n, r = lag1(m, n);
	struct series_estimate e = { .df = count - 1 };

	r = fmin(fmax(r + (1 + 4 * r) / count, R_LEAST), R_MOST);
	e.mean = m->shift + m->sum / count;
	e.variance =
		series_spread(m, n) / (count - 1) / count * (1 + r) / (1 - r);
	return e;
}

struct series_estimate series_estimate(const struct series *s, bool logs)
{
	static const size_t numbers[] = { 20, 10, 5 };
	const struct series_moments *m = series_scale(s, logs);
	struct series_estimate e = { NAN, NAN, NAN, 0, false };
	double mean[SERIES_SLOTS], r;

	if (s->n < SERIES_LEAST)
		return e;
	r = fmin(fmax(lag1(m, s->n), 0), R_MOST);
	if (s->n < SERIES_ENOUGH && (double)s->n < LEAST_BATCHES *
							   DECORRELATION_MIN *
							   (1 + r) / (1 - r))
		return of_few(m, s->n);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		size_t b = numbers[i];

		if (batch_means(s, logs, b, mean) &&
		    lag1_of(mean, b) + 1 / (double)b < 0.1)
			return series_batches(s, logs, b);
	}
	return series_batches(s, logs, LEAST_BATCHES);
}

struct difference series_compare(const struct series *before,
				 const struct series *after, bool *enough)
{
	bool logs = !before->zeros && !after->zeros;
	struct series_estimate a = series_estimate(before, logs);
	struct series_estimate b = series_estimate(after, logs);
	struct difference c = { .method = DIFFERENCE_NONE,
				.logs = logs,
				.n_a = before->n,
				.n_b = after->n,
				.mean_a = series_mean(before),
				.mean_b = series_mean(after),
				.diff = NAN,
				.se = NAN,
				.p = NAN,
				.low = NAN,
				.high = NAN };
	double least;

	*enough = a.enough && b.enough;
	if (isnan(a.mean) || isnan(b.mean))
		return c;
	/* The variance that the rounding of the log can give to a constant. */
	least = logs ? ROUNDING : ROUNDING * fmax(fabs(a.mean), fabs(b.mean));
	least *= least;
	a.variance = fmax(a.variance, least);
	b.variance = fmax(b.variance, least);
	if (!(a.variance > 0))
		a.variance = b.variance = 1e-300;
	c = difference_moments(a.mean, a.variance, a.df, b.mean, b.variance,
			       b.df);
	c.logs = logs;
	c.n_a = before->n;
	c.n_b = after->n;
	c.mean_a = logs ? exp(a.mean) : a.mean;
	c.mean_b = logs ? exp(b.mean) : b.mean;
	return c;
}

/* Add y at x of a side to the sums of the regression on step and trend. */
struct series_fit {
	double n[2], x[2], y[2], xx, xy, yy;
};

/* x is 0 at the boundary; n: the values of the side, the batches begin it. */
static void series_fit_side(struct series_fit *f, int side, const double *y,
			    size_t batches, double batch, size_t n)
{
	for (size_t i = 0; i < batches; i++) {
		const double x = ((double)i + 0.5) * batch -
				 (side ? 0 : (double)n);

		f->n[side]++;
		f->x[side] += x;
		f->y[side] += y[i];
		f->xx += x * x;
		f->xy += x * y[i];
		f->yy += y[i] * y[i];
	}
}

/* Correlation of neighbours about a straight line. */
static double series_fit_lag1(const double *y, size_t n)
{
	double sx = 0, sy = 0, sxx = 0, sxy = 0, rest[SERIES_SLOTS], slope;

	for (size_t i = 0; i < n; i++) {
		sx += (double)i;
		sy += y[i];
		sxx += (double)(i * i);
		sxy += (double)i * y[i];
	}
	slope = (sxy - sx * sy / (double)n) / (sxx - sx * sx / (double)n);
	for (size_t i = 0; i < n; i++)
		rest[i] = y[i] - slope * (double)i;
	return lag1_of(rest, n);
}

/* Batches whose neighbours are correlated more than that are no observations. */
#define STEP_LAG1 0.1
/* Values of a short side, and the factors of p: of short sides little is known
 * of r, and batches are correlated a little. */
#define STEP_LEAST 7
#define STEP_SHORT 50
#define STEP_LONG  1.25

/* Add a side; *r: the correlation of what was added, at least that of before.
 * False: too few values, or batches that are correlated. */
static bool series_step_side(struct series_fit *f, int side,
			     const struct series *s, bool logs, bool few,
			     double *r)
{
	const struct series_estimate e = series_estimate(s, logs);
	const size_t batches = few && s->batch ? s->n / s->batch : e.batches;
	double mean[SERIES_SLOTS], lag;

	if (batches < (few ? STEP_LEAST : 2) ||
	    !batch_means(s, logs, batches, mean))
		return false;
	lag = series_fit_lag1(mean, batches);
	if (few)
		*r = fmax(*r, lag + (1 + 4 * lag) / (double)batches);
	else if (lag > STEP_LAG1 + 2 / sqrt((double)batches))
		return false;
	for (size_t k = 0; k < batches; k++)
		mean[k] += series_scale(s, logs)->shift;
	series_fit_side(f, side, mean, batches,
			(double)(s->n / s->batch / batches * s->batch), s->n);
	return true;
}

double series_step(const struct series *before, const struct series *after)
{
	const bool logs = !before->zeros && !after->zeros;
	const bool few = !series_estimate(before, logs).enough ||
			 !series_estimate(after, logs).enough;
	struct series_fit f = { .xx = 0 };
	double xx, xy, yy, step, slope, rest, df, se, r = few ? R_LEAST : 0;

	if (!series_step_side(&f, 0, before, logs, few, &r) ||
	    !series_step_side(&f, 1, after, logs, few, &r))
		return NAN;
	r = fmin(r, R_MOST);
	/* About the means of the sides (Frisch, Waugh and Lovell). */
	xx = f.xx;
	xy = f.xy;
	yy = f.yy;
	for (int i = 0; i < 2; i++) {
		xx -= f.x[i] * f.x[i] / f.n[i];
		xy -= f.x[i] * f.y[i] / f.n[i];
		yy -= f.y[i] * f.y[i] / f.n[i];
	}
	slope = xy / xx;
	rest = fmax(yy - slope * xy, 0);
	df = f.n[0] + f.n[1] - 3;
	step = f.y[1] / f.n[1] - f.y[0] / f.n[0] -
	       slope * (f.x[1] / f.n[1] - f.x[0] / f.n[0]);
	se = sqrt(rest / df *
		  (1 / f.n[0] + 1 / f.n[1] +
		   pow(f.x[1] / f.n[1] - f.x[0] / f.n[0], 2) / xx));
	if (!(se > 0))
		return fabs(step) > ROUNDING ? 0 : 1;
	se *= sqrt((1 + r) / (1 - r));
	return fmin(1, (few ? STEP_SHORT : STEP_LONG) * 2 *
			       probability_t_tail(fabs(step) / se, df));
}

size_t series_more(const struct difference *d)
{
	size_t least = d->n_a < d->n_b ? d->n_a : d->n_b;
	double half = (d->high - d->low) / 2, need;

	if (d->method == DIFFERENCE_NONE)
		return least < SERIES_LEAST ? SERIES_LEAST - least : 0;
	if (!(half >= fabs(d->diff)))
		return 0;
	/* The half-width falls as 1 / sqrt(n). */
	need = (double)least * (half * half / (d->diff * d->diff) - 1);
	if (!(need < SERIES_FAR))
		return SERIES_FAR;
	return need > 1 ? (size_t)ceil(need) : 1;
}
