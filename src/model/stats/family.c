/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Family: several comparisons of one table.
 */
#include "model/stats/power.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

struct family_place {
	double p;
	size_t at;
};

static int by_p(const void *pa, const void *pb)
{
	const struct family_place *a = pa, *b = pb;

	if (a->p != b->p)
		return a->p < b->p ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* The indices of p that are not NaN, smallest p first. */
static struct family_place *order(const double *p, size_t n, size_t *m,
				  double *adjusted)
{
	struct family_place *place = xcalloc(n + 1, sizeof(*place));

	*m = 0;
	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			place[(*m)++] = (struct family_place){ p[i], i };
		adjusted[i] = NAN;
	}
	qsort(place, *m, sizeof(*place), by_p);
	return place;
}

void family_holm(const double *p, size_t n, double *adjusted)
{
	size_t m;
	struct family_place *place = order(p, n, &m, adjusted);
	double most = 0;

	for (size_t i = 0; i < m; i++) {
		most = fmax(most, fmin(1, (double)(m - i) * place[i].p));
		adjusted[place[i].at] = most;
	}
	free(place);
}

double family_level(double p, double adjusted, size_t n)
{
	double steps = p > 0 ? adjusted / p : (double)n;

	if (isnan(p) || isnan(adjusted))
		return NAN;
	return steps >= 1 ? 1 - 0.05 / steps : 0.95;
}

void family_bh(const double *p, size_t n, double *adjusted)
{
	size_t m;
	struct family_place *place = order(p, n, &m, adjusted);
	double least = 1;

	for (size_t i = m; i-- > 0;) {
		least = fmin(least, (double)m / (double)(i + 1) * place[i].p);
		adjusted[place[i].at] = least;
	}
	free(place);
}

static double phi(double x)
{
	return erfc(-x / M_SQRT2) / 2;
}

struct dunnett {
	double t;
	size_t k;
};

/*
 * P(all |T_i| <= t) for an error that is s times the true one: the control's
 * deviation z is common to all. The integrand is smooth and decays, so the
 * trapezium rule is exact to rounding.
 */
static double dunnett_within(double s, const void *arg)
{
	const struct dunnett *d = arg;
	const double step = 1.0 / 16, reach = M_SQRT2 * d->t * s;
	double sum = 0;

	for (double z = -8.5; z <= 8.5; z += step)
		sum += exp(-z * z / 2) *
		       pow(phi(reach + z) - phi(-reach + z), (double)d->k);
	return sum * step / sqrt(2 * M_PI);
}

double family_dunnett_p(double t, size_t k, double df)
{
	const struct dunnett d = { fabs(t), k };

	return 1 - power_over_sd(df, dunnett_within, &d);
}

double family_dunnett_critical(double p, size_t k, double df)
{
	double low = 0, high = 1;

	if (!(p > 0 && p < 1) || isnan(family_dunnett_p(1, k, df)))
		return NAN;
	while (family_dunnett_p(high, k, df) > p && high < 1e6)
		high *= 2;
	for (int i = 0; i < 48; i++) {
		double middle = (low + high) / 2;

		if (family_dunnett_p(middle, k, df) > p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
