/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Axis: converts values to heights.
 */
#include "ui/chart/chart.h"

#include <math.h>

#include "base/attributes.h"

static bool in_bytes(enum unit unit)
{
	return unit == UNIT_BYTES || unit == UNIT_BYTES_PER_S;
}

/* The power of 1024 that is the unit for a number of bytes. */
static double byte_unit(double v)
{
	double unit = 1;

	while (v >= 1024 * unit && unit < 1e18)
		unit *= 1024;
	return unit;
}

/* The least round number that is not below v; half of it is round, too. */
static double round_up(double v)
{
	static const double round[] = { 1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10 };
	double p = pow(10, floor(log10(v)));

	for (size_t i = 0; i < ARRAY_SIZE(round); i++)
		if (v <= round[i] * p * (1 + 1e-12))
			return round[i] * p;
	return 10 * p;
}

/* 1000 KiB are not a round number of MiB. */
static double round_up_bytes(double v)
{
	double unit = byte_unit(v), up = round_up(v / unit);

	return (up >= 1000 ? 1024 : up) * unit;
}

/* The steps of a logarithmic axis: powers of 2 of bytes, of 10 of others. */
static double base_of(const struct axis *a)
{
	return in_bytes(a->unit) ? 2 : 10;
}

static void fit_log(struct axis *a, double least, double most)
{
	double base = log(base_of(a));
	double first, last;

	if (!(least > 0))
		least = most > 0 ? most : 1;
	if (!(most >= least))
		most = least;
	/* A small margin, so that a power is its own end. */
	first = floor(log(least) / base + 1e-9);
	last = ceil(log(most) / base - 1e-9);
	if (last <= first)
		last = first + 1;
	a->low = exp(first * base);
	a->high = exp(last * base);
}

void axis_fit(struct axis *a, enum unit unit, bool log, double least,
	      double most)
{
	a->unit = unit;
	a->log = log;
	if (log) {
		fit_log(a, least, most);
		return;
	}
	a->low = 0;
	if (!(most > 0) || !isfinite(most))
		a->high = 1;
	else if (unit == UNIT_PCT && most > 50 && most <= 100)
		a->high = 100;
	else
		a->high =
			in_bytes(unit) ? round_up_bytes(most) : round_up(most);
}

double axis_part(const struct axis *a, double v)
{
	double part;

	if (isnan(v))
		return NAN;
	if (!a->log)
		part = v / a->high;
	else if (v <= a->low)
		part = 0;
	else
		part = log(v / a->low) / log(a->high / a->low);
	return fmin(fmax(part, 0), 1);
}

/* Make equal steps of by powers; the last step may be shorter. */
static size_t log_ticks(const struct axis *a, size_t room, double *tick)
{
	double base = log(base_of(a));
	long steps = lround(log(a->high / a->low) / base);
	long by = (steps + (long)room - 2) / ((long)room - 1);
	size_t n = 0;

	if (by < 1)
		by = 1;
	/* 1, 2, 5, 10: a power of ten or 1024 stays one. */
	if (by > 2 && by < 5)
		by = 5;
	if (by > 5)
		by = (by + 9) / 10 * 10;
	for (long i = 0; i < steps && n + 1 < room; i += by)
		tick[n++] = a->low * exp((double)i * base);
	/* Labels that are too close to each other would look equal. */
	if (n > 1 && steps % by && steps % by < (by + 1) / 2)
		n--;
	tick[n++] = a->high;
	return n;
}

size_t axis_ticks(const struct axis *a, size_t room, double *tick)
{
	size_t n = 2;

	if (room > AXIS_TICKS)
		room = AXIS_TICKS;
	if (room < 2)
		room = 2;
	if (a->log)
		return log_ticks(a, room, tick);
	/* Halve the steps again while there is room. */
	while (2 * n - 1 <= room && n < 9)
		n = 2 * n - 1;
	for (size_t i = 0; i < n; i++)
		tick[i] = a->high * (double)i / (double)(n - 1);
	return n;
}
