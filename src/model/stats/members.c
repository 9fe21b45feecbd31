/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members: outliers by median and MAD, components of variance. */
#include "model/stats/members.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

#define MAD_OF_SD     0.6745 /* the MAD of a normal distribution with sd 1 */
#define LEAST_SCALE   0.01
#define OUT_Z	      3.5
#define OUT_RATIO     1.1
#define NORMAL_97_5   1.96

static int members_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void members_sort(double *value, size_t n)
{
	qsort(value, n, sizeof(*value), members_compare);
}

double members_median(double *value, size_t n)
{
	members_sort(value, n);
	if (!n)
		return NAN;
	return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

/* Score y beside n others, which are overwritten. */
static struct members_score members_beside(double y, double *other, size_t n)
{
	struct members_score s = { .z = NAN, .ratio = NAN };
	double median = members_median(other, n), scale;

	if (isnan(median))
		return s;
	for (size_t i = 0; i < n; i++)
		other[i] = fabs(other[i] - median);
	scale = fmax(members_median(other, n) / MAD_OF_SD, LEAST_SCALE);
	s.z = (y - median) / scale;
	s.ratio = exp(y - median);
	return s;
}

void members_score(const double *value, size_t n, struct members_score *out)
{
	double *other = xcalloc(n + 1, sizeof(*other));
	size_t with = 0;

	for (size_t i = 0; i < n; i++)
		with += value[i] > 0 && isfinite(value[i]);
	for (size_t i = 0; i < n; i++) {
		size_t m = 0;

		out[i] = (struct members_score){ .z = NAN, .ratio = NAN };
		if (!(value[i] > 0) || !isfinite(value[i]))
			continue;
		for (size_t k = 0; k < n; k++)
			if (value[k] > 0 && isfinite(value[k]) &&
			    (k != i || with >= MEMBERS_ALL))
				other[m++] = log(value[k]);
		out[i] = members_beside(log(value[i]), other, m);
	}
	free(other);
}

bool members_is_out(const struct members_score *s)
{
	return fabs(s->z) > OUT_Z &&
	       (s->ratio >= OUT_RATIO || s->ratio <= 1 / OUT_RATIO);
}

/* The mean of the logs of a member; NaN: it has no such value. */
static double members_mean(const double *value, size_t repeats)
{
	double sum = 0;

	for (size_t k = 0; k < repeats; k++) {
		if (!(value[k] > 0) || !isfinite(value[k]))
			return NAN;
		sum += log(value[k]);
	}
	return sum / (double)repeats;
}

struct members_spread members_spread(const double *value, size_t n,
				     size_t repeats)
{
	struct members_spread s = { NAN, NAN, NAN, 0, repeats };
	double sum = 0, between = 0, within = 0, df;

	for (size_t i = 0; i < n; i++) {
		double mean = members_mean(value + i * repeats, repeats);

		s.members += !isnan(mean);
		sum += isnan(mean) ? 0 : mean;
	}
	if (s.members < 2 || repeats < 2)
		return s;
	for (size_t i = 0; i < n; i++) {
		double mean = members_mean(value + i * repeats, repeats);

		if (isnan(mean))
			continue;
		between += (double)repeats *
			   pow(mean - sum / (double)s.members, 2);
		for (size_t k = 0; k < repeats; k++)
			within += pow(log(value[i * repeats + k]) - mean, 2);
	}
	df = (double)(s.members * (repeats - 1));
	between /= (double)(s.members - 1);
	within /= df;
	s.sd = sqrt(fmax(0, (between - within) / (double)repeats));
	if (within > 0) {
		s.f = between / within;
		s.p = gsl_cdf_fdist_Q(s.f, (double)(s.members - 1), df);
	}
	return s;
}

double members_mislead_pct(const struct members_spread *s)
{
	return 100 * (exp(NORMAL_97_5 * s->sd) - 1);
}
