/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power: the smallest effect that an experiment can find, and when to stop it.
 */
#include "model/stats/power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/stats/difference.h"
#include "model/stats/probability.h"

/* The rule's scheduled runs and its limit in per cent. */
#define PTS_RUNS  3
#define PTS_LIMIT 3.5

struct paired {
	double shift, critical;
};

static double found(double s, const void *arg)
{
	const struct paired *p = arg;

	return probability_normal(p->shift - p->critical * s) +
	       probability_normal(-p->shift - p->critical * s);
}

double power_paired(double effect, size_t n, double alpha)
{
	struct paired p;
	double df = (double)n - 1;

	if (n < 2)
		return NAN;
	p.shift = effect * sqrt((double)n);
	p.critical = probability_t_quantile(1 - alpha / 2, df);
	return probability_over_sd(df, found, &p);
}

/* The secant between both ends, where an end that stays counts half (Illinois). */
double power_least_effect(double power, size_t n, double alpha)
{
	double low = 0, high = 1, below = alpha - power, above, f = below;

	if (n < 2 || !(power > 0 && power < 1) || !(alpha > 0 && alpha < 1))
		return NAN;
	if (below >= 0)
		return 0;
	while ((above = power_paired(high, n, alpha) - power) < 0 && high < 1e6)
		high *= 2;
	for (int i = 0; i < 48 && fabs(f) > 1e-13; i++) {
		const double at = low - below * (high - low) / (above - below);
		const bool stays = f < 0;

		f = power_paired(at, n, alpha) - power;
		if (f < 0) {
			low = at;
			below = f;
			above /= stays ? 2 : 1;
		} else {
			high = at;
			above = f;
			below /= stays ? 1 : 2;
		}
	}
	return f < 0 ? low : high;
}

double power_half_width(size_t n)
{
	if (n < 2)
		return NAN;
	return probability_t_quantile(0.975, (double)n - 1) / sqrt((double)n);
}

bool power_narrow(double sd, size_t n, double ratio)
{
	return n >= POWER_LEAST_BLOCKS &&
	       power_half_width(n) * sd < log1p(ratio);
}

bool power_read_width(const char *text, double *ratio)
{
	char *end;

	if (strncmp(text, "ci<", 3) != 0)
		return false;
	*ratio = strtod(text + 3, &end) / 100;
	return end > text + 3 && !strcmp(end, "%") && *ratio >= 0.0001 &&
	       *ratio <= 1;
}

size_t power_blocks_needed(double sd, double ratio, size_t limit)
{
	size_t n = POWER_LEAST_BLOCKS;

	while (n < limit && !power_narrow(sd, n, ratio))
		n++;
	return n;
}

static const struct {
	const char *name, *note;
} stops[POWER_STOPS] = {
	[POWER_STOP_FIXED] = { "fixed", NULL },
	[POWER_STOP_WIDTH] = { "width", "The width decided the number of "
					"blocks: the real coverage is about "
					"93 %." },
	[POWER_STOP_LOOKS] = { "verdict", "p is for all three planned looks "
					  "together (Pocock)." },
	[POWER_STOP_PTS] = { "pts2018",
			     "The rule pts2018 added runs by the spread of "
			     "each variant: its standard error is up to a "
			     "quarter too small. The verdicts use the "
			     "pairs." },
};

const char *power_stop_name(enum power_stop stop)
{
	return stops[stop].name;
}

enum power_stop power_stop_find(const char *name)
{
	const size_t i = text_find(name ? name : "", stops, POWER_STOPS, name);

	return i < POWER_STOPS ? (enum power_stop)i : POWER_STOP_FIXED;
}

const char *power_stop_note(enum power_stop stop)
{
	return stops[stop].note;
}

double power_stop_factor(enum power_stop stop)
{
	return stop == POWER_STOP_LOOKS ? 0.05 / POWER_POCOCK : 1;
}

void power_pts_begin(struct power_pts *p)
{
	p->first_pct = p->now_pct = NAN;
	p->converged = false;
}

/*
 * Of runs that were scheduled, i is the latest; the rule looks when there are
 * two results and more than (i - 2) / 2 did not fail. With all of them present
 * that is so from the third run on.
 */
bool power_pts_more(struct power_pts *p, const double *x, size_t n)
{
	double mean, variance;

	if (n < PTS_RUNS)
		return true;
	difference_mean(x, n, &mean, &variance);
	p->now_pct = mean != 0 ? 100 * sqrt(variance) / fabs(mean) : 0;
	if (isnan(p->first_pct))
		p->first_pct = p->now_pct;
	p->converged = p->now_pct < PTS_LIMIT;
	if (p->converged)
		return false;
	if (n < PTS_RUNS * 2)
		return true;
	return n < PTS_RUNS * 3 && p->first_pct - p->now_pct > p->first_pct / 2;
}
