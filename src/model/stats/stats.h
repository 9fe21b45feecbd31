/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics: the functions of this folder, one section for each file. They
 * print nothing.
 */
#ifndef MODEL_STATS_STATS_H
#define MODEL_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The same to diff -+ t * se. */
void difference_interval_t(struct difference *c, double t);

/*
 * Judge a paired difference by the error of the whole experiment: sd of one
 * run and its df, as blocks_error() has it. t, p and the interval of 95 %
 * follow.
 */
void difference_pool(struct difference *c, double sd, double df);

/*
 * Judge a paired difference of all pairs by the spread of its first n0 pairs,
 * with n0 - 1 df: the analysis of power_stein(). t, p and the interval of 95 %
 * follow. It changes nothing where there are fewer than two pairs.
 */
void difference_first(struct difference *c, const double *a, const double *b,
		      size_t n, size_t n0);

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
 * ">x999"; "-": NaN. Each of these functions returns buf. */
char *difference_change_words(double diff, char *buf, size_t size);

/* The same with its unit: "+4.6 %", "x2.3", ">x999", "-". */
char *difference_percent_words(double diff, char *buf, size_t size);

/* A bound of a change in per cent: "+4.6", "-12.0", at last ">x999". */
char *difference_bound_words(double pct, char *buf, size_t size);

/* A size in per cent, without a sign: "4.6 %", from 100 % on as a ratio:
 * "x2.3"; "-": NaN. */
char *difference_size_words(double pct, char *buf, size_t size);

/* "+1.9 to +7.4", in per cent; in the unit of the values if not of logs. */
char *difference_interval_words(const struct difference *c, char *buf,
				size_t size);

/* "a difference above 0.9 % either way is excluded", of logs; 64 bytes hold
 * each of these sentences. */
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

/* Ratio of arithmetic means with Fieller's interval (1954). */
struct difference_ratio {
	double ratio, g, df;
	double low, high; /* NaN when g >= 1: A is not distinguishable from 0 */
};

struct difference_ratio difference_fieller_paired(const double *a,
						  const double *b, size_t n);
struct difference_ratio difference_fieller(const double *a, size_t n_a,
					   const double *b, size_t n_b);

/* Mean and variance (n - 1) of n values; the variance of one is NaN. */
void difference_mean(const double *x, size_t n, double *mean, double *variance);

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

/* Benjamini and Hochberg (1995): at most 5 % of the finds are false. */
void difference_bh(const double *p, size_t n, double *adjusted);

/*
 * Blocks: a whole experiment as a table of variants by blocks.
 *
 * y[variant * blocks + block] is one run, on the scale of the analysis (ln x
 * where all are above 0); NaN where there is none.
 */

/* Analysis of variance of complete blocks; all cells must hold a run. */
struct blocks_anova {
	double variants_ss, blocks_ss, error_ss;
	double variants_df, blocks_df, error_df;
	double variants_f, variants_p;
	double blocks_f, blocks_p;
};

struct blocks_anova blocks_anova(const double *y, size_t variants,
				 size_t blocks);

/*
 * The error of all variants together: of the blocks in which every variant has
 * a run (whole[block] is set), the sd of one run after the means of variants
 * and blocks, with (variants - 1) (blocks - 1) df. spread: the greatest sd of
 * the residuals of a variant over the smallest. From BLOCKS_UNEVEN on one
 * variant is so much noisier than others that the common error does not hold
 * for it. sd is NaN with fewer than two variants or whole blocks.
 */
#define BLOCKS_UNEVEN 2
struct blocks_error {
	double sd, df, spread;
	size_t blocks;
};

struct blocks_error blocks_error(const double *y, size_t variants,
				 size_t blocks, unsigned char *whole);

/*
 * One figure of several tests: d[test * blocks + block] is the difference of
 * logs of a test in a block, its sign such that more is better. The n block
 * means are the sample, so the result is of these tests only. most: the test
 * whose absence changes the mean most; without: the mean without it (NaN of
 * one test). Tests with a NaN are left out; used: how many entered.
 */
struct blocks_geomean {
	struct difference all;
	size_t used, most;
	double without;
};

struct blocks_geomean blocks_geomean(const double *d, size_t tests,
				     size_t blocks);

/* The tests as a random sample of workloads instead: far wider. */
struct difference blocks_geomean_sample(const double *d, size_t tests,
					size_t blocks);

/*
 * Drift: regression of y on the variants and on the position of the run in
 * the whole sweep (position[i] of y[i]). total: slope times the range of
 * positions, on the scale of y. NaN: too few runs (df < 1).
 */
struct blocks_drift {
	double slope, total, t, df, p;
};

struct blocks_drift blocks_drift(const double *y, const double *position,
				 size_t variants, size_t blocks);

/*
 * Outliers: the modified z (Iglewicz and Hoaglin 1993), .6745 |r - median| /
 * MAD, of the residuals r = y - mean of its variant - mean of its block +
 * mean of all; above BLOCKS_OUTLIER a run is marked, never removed. z is NaN
 * where y is, 0 where all residuals are alike.
 */
#define BLOCKS_OUTLIER 3.5
void blocks_outliers(const double *y, size_t variants, size_t blocks,
		     double *z);

/*
 * One block against the others: its mean over the variants against the means of
 * the other blocks, k of them, as one more value of their kind: t = (m - mean) /
 * (s * sqrt(1 + 1 / k)) with k - 1 degrees of freedom. Residuals would not do:
 * their mean is 0 in each block. Only whole blocks count; p is NaN with fewer
 * than two others, or when these are all alike. The difference is on the scale
 * of y; its member logs is not set.
 */
struct difference blocks_one(const double *y, size_t block, size_t variants,
			     size_t blocks);

/* One group of runs against the others by Welch's test on the residuals:
 * such as position 1 or the runs after writes. in[i]: y[i] is of the
 * group. The difference is on the scale of y; its member logs is not set. */
struct difference blocks_group(const double *y, const unsigned char *in,
			       size_t variants, size_t blocks);

/*
 * Shuffle: random orders that the seed reproduces: Fisher and Yates by the
 * Mersenne twister (MT19937), the same on all machines.
 */

struct shuffle;

/* The lower 32 bits of the seed count. Ends with blocks_shuffle_free(). */
struct shuffle *blocks_shuffle_new(uint64_t seed);
void blocks_shuffle_free(struct shuffle *s);

/* 0 to n - 1 in random order; a second call gives another one. */
void blocks_shuffle(struct shuffle *s, size_t *at, size_t n);

/*
 * Power: what an experiment can find, before it is run; and when to stop it.
 */

/*
 * Power of a paired t test of level alpha on n blocks, the true difference
 * being effect times the sd of the differences (noncentral t).
 */
double power_paired(double effect, size_t n, double alpha);

/*
 * The effect, in sd of the differences, that has that power. NaN: n < 2, or an
 * invalid power or level.
 */
double power_least_effect(double power, size_t n, double alpha);

/* Half the width of a 95 % interval in sd: t(0.975, n - 1) / sqrt(n). */
double power_half_width(size_t n);

/*
 * Stop by width: whether the half-width of the 95 % interval of a mean
 * difference of logs is below ratio (0.02: 2 %). Not before POWER_LEAST_BLOCKS
 * blocks: looking at 3 would make the real coverage 90 to 92 %.
 */
#define POWER_LEAST_BLOCKS 5
bool power_narrow(double sd, size_t n, double ratio);

/* Blocks that power_narrow() will need with that sd; at most limit. */
size_t power_blocks_needed(double sd, double ratio, size_t limit);

/*
 * Stop by the verdict: looks are planned at POWER_LOOK_BLOCKS, twice and three
 * times as many blocks, and each of them judges at the level of Pocock (1977)
 * for three looks, so that all of them together call 5.2 % of equal variants
 * different.
 */
#define POWER_LOOK_BLOCKS 5
#define POWER_LOOKS       3
#define POWER_POCOCK      0.0221

/*
 * Stein (1945): the blocks in all, from the sd of the first n0, that make an
 * interval with t of n0 - 1 df no wider than ratio. The interval must use that
 * sd and that df, too: difference_first().
 */
size_t power_stein(double sd0, size_t n0, double ratio);

/* The rule by which an experiment has enough blocks, which the analysis must
 * know. */
enum power_stop {
	POWER_STOP_FIXED,  /* the number was chosen before */
	POWER_STOP_WIDTH,  /* power_narrow() */
	POWER_STOP_STEIN,  /* power_stein() of the first POWER_LEAST_BLOCKS */
	POWER_STOP_SPREAD, /* the relative sd of each single variant */
	POWER_STOP_LOOKS,  /* the verdict, at the planned looks */
	POWER_STOP_PTS,    /* power_pts_more() of each single variant */
	POWER_STOPS
};

/* "fixed", "width", ..., as in the log. */
const char *power_stop_name(enum power_stop stop);
/* The rule of that name; without a name or of an unknown one POWER_STOP_FIXED. */
enum power_stop power_stop_find(const char *name);
/* A sentence on its consequence for intervals and p, or NULL. */
const char *power_stop_note(enum power_stop stop);
/* The factor of p: above 1 where several looks share the 5 %. */
double power_stop_factor(enum power_stop stop);

/*
 * The rule of Phoronix Test Suite f516f1c3 (June 2018) for one cell: whether
 * it runs the cell again after n results (times: 3 scheduled runs, limit
 * 3.5 %). first_pct: the relative sd at the first check, NaN before; it is
 * set by the call. now_pct: the relative sd of the results.
 */
struct power_pts {
	double first_pct, now_pct;
	bool converged; /* now_pct is below the limit */
};

void power_pts_begin(struct power_pts *p);
bool power_pts_more(struct power_pts *p, const double *x, size_t n);

/* Minutes of the latest run from which that rule adds no other. */
#define POWER_PTS_MINUTES 60

/*
 * Series: values of successive intervals of one run, by batch means.
 *
 * Neighbours resemble each other (caches, queues, garbage collection), so n of
 * them say less than n independent values. The values are averaged in batches
 * of equal length while they arrive; memory stays the same however long the
 * series is. With at least SERIES_ENOUGH values, or five batches of ten
 * decorrelation times each, the means of the largest number b of 20, 10, 5
 * batches with lag-1 + 1/b < 0.1 are taken as independent (b - 1 df).
 *
 * A shorter series has no such batches. Its variance of the mean is s^2 / n (1
 * + r) / (1 - r) then, with r the lag-1 autocorrelation, corrected by (1 + 4 r)
 * / n (Marriott and Pope 1954) and held at 0.5 to 0.95, since a few values say
 * little about r; its df is n - 1. Such a result is marked: a few intervals
 * show a great change, not a small one.
 */

/* Fewer values have no interval. */
#define SERIES_LEAST 3
/* Samples from which batch means are used whatever the autocorrelation. */
#define SERIES_ENOUGH 300

/* Batches that are kept at most; they are joined in pairs when full. */
#define SERIES_SLOTS 40

/*
 * Sums of differences from the first value (shift), so that little is lost of
 * a small spread around a great mean. product: of neighbours.
 */
struct series_moments {
	double shift, sum, square, product, last;
};

/*
 * A zeroed struct is empty. y is ln x as long as all values are above 0. slot:
 * sums of whole batches, the last may be of a part of one; on the scale of y
 * until a value is not above 0, then of x.
 */
struct series {
	size_t n;
	size_t batch; /* values in a whole batch */
	bool zeros;   /* a value is not above 0 */
	struct series_moments x, y;
	double slot[SERIES_SLOTS];
};

/* NaN is left out. */
void series_add(struct series *s, double x);
/* A series of n zeros. */
void series_zeros(struct series *s, size_t n);

double series_mean(const struct series *s); /* arithmetic; NaN: empty */
double series_lag1(const struct series *s); /* of x; 0: no spread */
/* n (1 - r) / (1 + r), at most n; only for display. */
double series_n_eff(const struct series *s);

/* The mean of one side, its variance and the df of that. */
struct series_estimate {
	double mean, variance, df;
	size_t batches; /* 0: too few values for batch means */
	bool enough;
};

struct series_estimate series_estimate(const struct series *s, bool logs);

/* The same with so many batches, whatever the autocorrelation. */
struct series_estimate series_batches(const struct series *s, bool logs,
				      size_t batches);

/*
 * After against before: on logs where all values of both are above 0. The
 * method is DIFFERENCE_NONE with fewer than SERIES_LEAST values on a side.
 * enough: both sides have enough values for the interval to hold what it says.
 */
struct difference series_compare(const struct series *before,
				 const struct series *after, bool *enough);

/*
 * About how many more intervals on each side would decide about a difference as
 * great as this one: 0 when these intervals suffice. At most SERIES_FAR.
 */
#define SERIES_FAR 100000
size_t series_more(const struct difference *d);

/*
 * Rank: tests and estimates without a normal distribution, for --robust.
 *
 * All p are two-sided and exact: the distribution is that of the values at
 * hand under exchange (ties included), counted by a table of rank sums. With
 * fewer than 4 values a side, or 6 pairs, none of them can be below 0.05.
 */

/* The most pairs of a sign flip test, whose 2^n signs are all counted. */
#define RANK_FLIPS 20

struct rank_test {
	double statistic; /* NaN: not computed */
	double p;
};

/* Mann and Whitney (1947); the statistic is the smaller U. */
struct rank_test rank_mann_whitney(const double *a, size_t n_a, const double *b,
				   size_t n_b);

/* Wilcoxon's signed ranks of differences; 0s are left out. The statistic is
 * V, the ranks of the positive ones. */
struct rank_test rank_wilcoxon(const double *d, size_t n);

/* Fisher's sign flips; the statistic is the sum. NaN above RANK_FLIPS. */
struct rank_test rank_sign_flip(const double *d, size_t n);

/* Median of the Walsh averages of differences (Hodges and Lehmann 1963). */
double rank_hodges_lehmann(const double *d, size_t n);

/* Friedman's chi square of y[variant * blocks + block], with its p. */
struct rank_test rank_friedman(const double *y, size_t variants, size_t blocks);

/*
 * Quantile: percentiles of a sample, with their uncertainty.
 */

/*
 * Harrell and Davis (1982): the q-quantile (0 < q < 1) as a weighted mean of
 * all n sorted values. NaN of none.
 */
double rank_harrell_davis(const double *sorted, size_t n, double q);

/*
 * The ranks (from 1) whose values hold the q-quantile with at least that
 * level, by the binomial distribution. false: there are none, n is too small.
 */
bool rank_quantile(size_t n, double q, double level, size_t *low, size_t *high,
		   double *coverage);

/* Whether 10 or more of n are above the q-quantile: fewer decide it alone. */
bool rank_sure(double n, double q);

/*
 * Probability: tails of GSL for any argument, and the quantile of t. GSL calls
 * its error handler, which aborts the program, for degrees of freedom that are
 * not positive numbers: no sample has these, but figures that overflow do. Here
 * the result is NaN, which is shown as absent. GSL's own quantile of t fails to
 * converge for arguments such as p = 0.6, df = 0.7, so it is not used.
 */

/*
 * With fewer degrees of freedom no result is useful; with more, t is the normal
 * distribution.
 */
#define PROBABILITY_DF_LEAST 0.1
#define PROBABILITY_DF_MOST  1e9

/* P(Z <= x) of the normal distribution. */
double probability_normal(double x);

/* P(T > t) of Student's t. */
double probability_t_tail(double t, double df);

/* The t with P(T <= t) = p, 0 < p < 1. */
double probability_t_quantile(double p, double df);

/* P(F > f) of Fisher's F. */
double probability_f_tail(double f, double df_1, double df_2);

/* P(X > x) of chi squared. */
double probability_chi2_tail(double x, double df);

/*
 * Mean of f(s) over s = sqrt(chi square(df) / df), the sample's sd where the
 * true one is 1. By the trapezium rule over ln s, whose error is below 1e-9 for
 * an f that changes no faster than a normal distribution of sd 0.07 in ln s.
 * NaN for an invalid df; above PROBABILITY_DF_MOST, s is 1.
 */
double probability_over_sd(double df, double (*f)(double s, const void *arg),
			   const void *arg);

/*
 * Dunnett (1955): k variants against one control with a pooled error of df
 * degrees of freedom, equal numbers of runs. Two-sided p of the greatest |t|,
 * and the |t| that has that p, 0 < p < 1. NaN without degrees of freedom.
 */
double probability_dunnett_p(double t, size_t k, double df);
double probability_dunnett_critical(double p, size_t k, double df);

#endif
