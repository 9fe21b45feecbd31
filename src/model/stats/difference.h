/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/*
 * Difference: two cells of an experiment, B against A, one value per run.
 *
 * Values enter as y = ln x when all of them are above 0 (the difference is
 * then a ratio of geometric means), else as they are. Paired: d = y_B - y_A of
 * each block, t = mean(d) / (sd(d) / sqrt(n)) with n - 1 degrees of freedom.
 * Not paired: Welch (1947), whose df is
 *
 *   (v_A + v_B)^2 / (v_A^2 / (n_A - 1) + v_B^2 / (n_B - 1)),  v = s^2 / n
 *
 * The words of a change stand here, too, so that screen, table and sentence
 * agree.
 */

enum difference_method {
	DIFFERENCE_NONE,   /* fewer than two values on a side: figures only */
	DIFFERENCE_PAIRED, /* by blocks */
	DIFFERENCE_WELCH,  /* not interleaved: drift is not controlled */
};

/*
 * Call this once, at the start: from then on GSL returns NaN where it cannot
 * compute a probability that probability.c lets through. By default it would
 * abort the program.
 */
void difference_no_abort(void);

/*
 * diff, se, low and high are on the scale of y. With the method DIFFERENCE_NONE
 * only the means are numbers, all other members are NaN. low and high are the
 * ends of the interval; difference_interval() sets its level, 95 % at first.
 */
struct difference {
	enum difference_method method;
	bool logs;             /* y = ln x */
	bool resolution;       /* se comes from the quantum, not the spread */
	size_t n_a, n_b;       /* values used; paired: both are the pairs */
	double mean_a, mean_b; /* geometric when logs, else arithmetic */
	double diff, sd, se;   /* sd: of the differences; Welch: NaN */
	double t, df, p;       /* p: two-sided */
	double low, high;
};

/*
 * B against A by the pairs a[i], b[i]; a pair with a NaN is left out. quantum:
 * relative step in which the values are rounded, 0 when they are not. Where an
 * sd is exactly 0 the sd of the differences is held at quantum / sqrt(6), that
 * of two uniform rounding errors.
 */
struct difference difference_paired(const double *a, const double *b, size_t n,
				    double quantum);

/*
 * The same from n differences that are taken already, on any scale: its member
 * logs is not set, and its means are those of 0 and of d.
 */
struct difference difference_of(const double *d, size_t n);

/* B against A without pairs; NaN is left out. */
struct difference difference_welch(const double *a, size_t n_a, const double *b,
				   size_t n_b, double quantum);

/*
 * Choose: paired where two blocks or more hold both (a[i] and b[i] are of
 * block i, NaN: no run), else Welch.
 */
struct difference difference_blocks(const double *a, const double *b,
				    size_t blocks, double quantum);

/* From the moments of y: means, variances of the means and their df. */
struct difference difference_moments(double mean_a, double var_a, double df_a,
				     double mean_b, double var_b, double df_b);

/* Set low and high to the interval of that level, such as 0.95. */
void difference_interval(struct difference *c, double level);

/*
 * Judge a paired difference by the error of the whole experiment: sd of one
 * run and its df, as blocks_error() has it. t, p and the interval of 95 %
 * follow.
 */
void difference_pool(struct difference *c, double sd, double df);

/* Per cent by which B differs from A; of logs, else NaN. */
double difference_pct(double diff);

/*
 * The greatest difference that the interval does not exclude, in per cent,
 * either way; from 100 % on a ratio and its inverse. Of logs, else NaN.
 */
double difference_excluded_pct(const struct difference *c);

/*
 * The half width of the interval, in per cent: 5 means that the interval ends
 * at 1 / 1.05 and at 1.05 times the ratio. Of logs, else NaN.
 */
double difference_half_pct(const struct difference *c);

/* Words of a change, diff on logs: "+4.6"; from 2 times on "x2.3", at last
 * ">x999"; "-": NaN. */
struct text_short difference_change_words(double diff);

/* The same with its unit: "+4.6 %", "x2.3", ">x999", "-". */
struct text_short difference_percent_words(double diff);

/* A bound of a change in per cent: "+4.6", "-12.0"; from 10 times on "x12.3", at
 * last ">x999". */
struct text_short difference_bound_words(double pct);
/* The same with its unit: "+4.6 %", "x12.3". */
struct text_short difference_effect_words(double pct);

/* A size in per cent, without a sign: "4.6 %", from 100 % on as a ratio:
 * "x2.3"; "-": NaN. */
struct text_short difference_size_words(double pct);

/*
 * The same of a bound that lies below it: rounded up from what
 * difference_interval_words() prints.
 */
struct text_short difference_below_words(double pct);

/*
 * "+1.9 to +7.4", in per cent; "x0.84 to x2.2" where it ends at 2 times or above;
 * in the unit of the values if not of logs.
 */
struct text_short difference_interval_words(const struct difference *c);
/* The same of two changes on logs. */
struct text_short difference_range_words(double low, double high);

/* "the difference is below 0.9 %", of logs; 64 bytes hold each of these
 * sentences. */
char *difference_excluded_words(const struct difference *c, char *buf,
				size_t size);

/*
 * Equivalence within +-margin (0.02: 2 %) by two one-sided tests (TOST,
 * Lakens 2017), on logs: p; below 0.05 they are equivalent. NaN: not of logs.
 */
double difference_tost(const struct difference *c, double margin);

/* Better, worse and so on, for a metric of which more (sign 1) or less (-1)
 * is better. */
enum difference_verdict {
	DIFFERENCE_UNDECIDED,
	DIFFERENCE_BETTER,
	DIFFERENCE_WORSE,
	DIFFERENCE_EQUIVALENT,
	DIFFERENCE_BETTER_BELOW, /* better or worse, but within the margin */
	DIFFERENCE_WORSE_BELOW,
};

/*
 * p: after the correction for several comparisons. margin: 0 when
 * none was asked for.
 */
enum difference_verdict difference_verdict(const struct difference *c, double p,
					   int sign, double margin);

/* Whether all values are above 0, so that they are compared on logs; NaN is left
 * out. */
bool difference_takes_logs(const double *x, size_t n);

/* Mean and variance (n - 1) of n values, of which NaN is left out; the variance
 * of one is NaN. Returns how many there are. */
size_t difference_mean(const double *x, size_t n, double *mean, double *variance);

/*
 * Holm (1979): adjusted[i] is below 0.05 where p[i] holds with at most 5 %
 * for any false find in the family. A NaN is not of the family and stays NaN.
 * The two arrays may be one.
 */
void difference_holm(const double *p, size_t n, double *adjusted);

/*
 * The level of the interval that leaves out 0 exactly where the adjusted p is
 * below 0.05: that of the step at which p stands among n comparisons. At least
 * 0.95; NaN without a p.
 */
double difference_level(double p, double adjusted, size_t n);
