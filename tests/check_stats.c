/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/model/stats. The vectors V1 to V15 were worked out apart from
 * this program; V7's penicillin and V8 to V9 are published.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "model/histogram.h"
#include "model/stats/blocks.h"
#include "model/stats/difference.h"
#include "model/stats/members.h"
#include "model/stats/power.h"
#include "model/stats/probability.h"
#include "model/stats/series.h"
#include "test.h"

#define NEAR(value, wanted) ck_assert_double_eq_tol(value, wanted, 6e-7)

static const double A[] = { 412, 398, 405, 371, 409 };
static const double B[] = { 431, 420, 411, 399, 426 };
static const double C[] = { 410, 401, 403, 374, 407 };
#define N ARRAY_SIZE(A)

/* Scores leave the member out when there are few; the least scale is 1 %. */
START_TEST(members_that_differ)
{
	double value[9] = { 100, 101, 99, 300 };
	struct members_score s[9];

	members_score(value, 4, s);
	NEAR(s[3].ratio, 3);
	/* ln 3 over the MAD of ln 100, 101, 99, which is about 1 %. */
	ck_assert(s[3].z > 70 && s[3].z < 80);
	ck_assert(members_is_out(&s[3]) && !members_is_out(&s[0]));
	value[1] = value[2] = 100;
	value[3] = 109;
	members_score(value, 4, s);
	NEAR(s[3].z, log(1.09) / 0.01);
	/* Far in scales, but less than 10 %. */
	ck_assert(!members_is_out(&s[3]));
	value[0] = NAN;
	value[3] = 0;
	members_score(value, 4, s);
	ck_assert(isnan(s[0].z) && isnan(s[3].z) && !members_is_out(&s[0]));
	for (int i = 0; i < 9; i++)
		value[i] = i == 8 ? 50 : 100;
	members_score(value, 9, s);
	NEAR(s[8].ratio, 0.5);
	ck_assert(members_is_out(&s[8]));
	members_score(value, 1, s);
	ck_assert(isnan(s[0].z));
}
END_TEST

/* Worked out by hand; P(F(2, 3) > f) is (1 + 2 f / 3)^-1.5. */
START_TEST(members_that_scatter)
{
	double value[] = { exp(1), exp(1.2), exp(2), exp(2.2), exp(3),
			   exp(3.2), 0,	     1 };
	struct members_spread s = members_spread(value, 4, 2);

	ck_assert_uint_eq(s.members, 3);
	NEAR(s.sd, sqrt((2 - 0.02) / 2));
	NEAR(s.f, 100);
	NEAR(s.p, pow(1 + 200. / 3, -1.5));
	NEAR(members_mislead_pct(&s), 100 * (exp(1.96 * s.sd) - 1));
	s = members_spread(value, 1, 2);
	ck_assert(isnan(s.sd) && isnan(s.p));
}
END_TEST

/* V1. */
START_TEST(paired)
{
	struct difference c = difference_paired(A, B, N, 0);

	ck_assert_int_eq(c.method, DIFFERENCE_PAIRED);
	ck_assert(c.logs);
	NEAR(c.diff, 0.045415);
	NEAR(c.sd, 0.021114);
	NEAR(c.se, 0.009442);
	NEAR(c.t, 4.809686);
	ck_assert_double_eq(c.df, 4);
	NEAR(c.p, 0.008587);
	NEAR(exp(c.diff), 1.046462);
	NEAR(exp(c.low), 1.019384);
	NEAR(exp(c.high), 1.074260);
	ck_assert_int_eq(difference_verdict(&c, c.p, 1, 0), DIFFERENCE_BETTER);
	ck_assert_int_eq(difference_verdict(&c, c.p, -1, 0), DIFFERENCE_WORSE);
	ck_assert_int_eq(difference_verdict(&c, c.p, 1, 0.10),
			 DIFFERENCE_BETTER_BELOW);
}
END_TEST

/* V2: the ranks and Welch's test. */
START_TEST(not_paired)
{
	struct difference c = difference_welch(A, N, B, N, 0);

	NEAR(c.t, 1.944105);
	NEAR(c.df, 7.289256);
	NEAR(c.p, 0.091326);
	NEAR(exp(c.low), 0.990662);
	NEAR(exp(c.high), 1.105407);
}
END_TEST

/* V4 and V5. */
START_TEST(equivalence)
{
	struct difference b = difference_paired(A, B, N, 0);
	struct difference c = difference_paired(A, C, N, 0);

	NEAR(difference_tost(&b, 0.02), 0.973301);
	NEAR(difference_tost(&b, 0.05), 0.369426);
	NEAR(difference_tost(&b, 0.10), 0.003077);
	NEAR(c.diff, 0.000169);
	NEAR(c.se, 0.003109);
	NEAR(c.t, 0.054324);
	NEAR(c.p, 0.959282);
	ck_assert_double_eq_tol(difference_pct(c.low), -0.8428, 6e-5);
	ck_assert_double_eq_tol(difference_pct(c.high), 0.8840, 6e-5);
	ck_assert_double_eq_tol(difference_excluded_pct(&c), 0.8840, 6e-5);
	NEAR(difference_tost(&c, 0.01), 0.017322);
	NEAR(difference_tost(&c, 0.02), 0.001608);
	ck_assert_int_eq(difference_verdict(&c, c.p, 1, 0.02),
			 DIFFERENCE_EQUIVALENT);
	ck_assert_int_eq(difference_verdict(&c, c.p, 1, 0),
			 DIFFERENCE_UNDECIDED);
}
END_TEST

/* V8; differences of sleep are not all above 0: no logs. */
START_TEST(published)
{
	static const double one[] = { 0.7, -1.6, -0.2, -1.2, -0.1,
				      3.4, 3.7,  0.8,  0,    2 };
	static const double two[] = { 1.9, 0.8, 1.1, 0.1, -0.1,
				      4.4, 5.5, 1.6, 4.6, 3.4 };
	struct difference c = difference_paired(two, one, 10, 0);

	ck_assert(!c.logs);
	NEAR(c.t, -4.062128);
	NEAR(c.p, 0.002833);
	c = difference_welch(two, 10, one, 10, 0);
	NEAR(c.t, -1.860813);
	NEAR(c.df, 17.776474);
	NEAR(c.p, 0.079394);
}
END_TEST

/* V10 and the figures of 2.7. */
START_TEST(families)
{
	static const double p[] = { .041, .001, .205, .008,
				    .039, .042, .074, .060 };
	static const double holm[] = { .234, .008, .234, .056,
				       .234, .234, .234, .234 };
	double out[ARRAY_SIZE(p)], holes[] = { NAN, 0.02, 0.03 };

	difference_holm(p, ARRAY_SIZE(p), out);
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		NEAR(out[i], holm[i]);
	difference_holm(holes, 3, holes);
	ck_assert_double_nan(holes[0]);
	NEAR(holes[1], 0.04);
	NEAR(holes[2], 0.04);
}
END_TEST

/* V11. */
START_TEST(ranks_of_quantiles)
{
	ck_assert(histogram_sure(1000, .99));
	ck_assert(!histogram_sure(999, .99));
	ck_assert(histogram_sure(10000, .999));
}
END_TEST

/* V13. */
START_TEST(batches)
{
	static const double x[] = { 10, 11, 12, 11, 10, 9,  10, 12, 13, 12,
				    11, 10, 9,  8,  9,  10, 11, 12, 12, 11 };
	struct series s = { 0 };
	struct series_estimate e;

	for (size_t i = 0; i < ARRAY_SIZE(x); i++)
		series_add(&s, x[i]);
	NEAR(series_mean(&s), 10.65);
	e = series_batches(&s, false, 5);
	NEAR(e.mean, 10.65);
	NEAR(sqrt(e.variance), .471699);
	ck_assert_double_eq(e.df, 4);
	NEAR(e.mean - 2.7764451052 * sqrt(e.variance), 9.340353);
	NEAR(e.mean + 2.7764451052 * sqrt(e.variance), 11.959647);
}
END_TEST

/* V14. */
START_TEST(geomean)
{
	static const double d[] = { .021,  .018, .025, .011,  .020,
				    -.004, .002, .001, -.006, .003,
				    .110,  .093, .120, .101,  .098 };
	const double hole[] = { .021, NAN, .11, .12 };
	struct difference g = blocks_geomean(d, 3, 5);

	ck_assert_uint_eq(g.n_a, 5);
	NEAR(exp(g.diff), 1.041713);
	NEAR(exp(g.low), 1.035134);
	NEAR(exp(g.high), 1.048334);
	ck_assert_double_eq_tol(g.p, .0000571, 6e-8);
	/* Only blocks with all tests count. */
	g = blocks_geomean(hole, 2, 2);
	ck_assert_uint_eq(g.n_a, 1);
	ck_assert_int_eq(g.method, DIFFERENCE_NONE);
}
END_TEST

/* V15: results, how many the rule asks for, its figures, convergence. */
static const struct {
	double x[12];
	size_t n;
	double pct[6];
	bool converged;
} pts[] = {
	{ { 100, 103, 101 }, 3, { 1.507426 }, true },
	{ { 100, 107, 101, 103 }, 4, { 3.687603, 3.012843 }, true },
	{ { 100, 120, 101, 99, 100, 102 },
	  6,
	  { 10.532175, 9.555503, 8.627095, 7.781085 },
	  false },
	{ { 100, 140, 100, 101, 100, 100 }, 6, { 0 }, false },
	{ { 1, 1, 40, 40, 41, 40, 40, 40, 40 }, 9, { 160.8338 }, false },
};

START_TEST(pts2018)
{
	struct power_pts p;
	size_t n = 0;

	power_pts_begin(&p);
	while (power_pts_more(&p, pts[_i].x, n)) {
		n++;
		if (n > 3 && pts[_i].pct[n - 4] > 0)
			ck_assert_double_eq_tol(p.now_pct, pts[_i].pct[n - 4],
						1e-2);
	}
	ck_assert_uint_eq(n, pts[_i].n);
	ck_assert(p.converged == pts[_i].converged);
	if (pts[_i].n == 9)
		ck_assert_double_eq_tol(p.now_pct, 54.90, 6e-3);
}
END_TEST

/* The tables of 2.10, 2.4 and 2.8. */
START_TEST(power)
{
	static const struct {
		double alpha;
		struct {
			size_t n;
			double effect;
		} row[10];
	} least[] = {
		{ .05,
		  { { 3, 3.2640 },
		    { 4, 2.1279 },
		    { 5, 1.6820 },
		    { 6, 1.4345 },
		    { 8, 1.1560 },
		    { 10, .9960 },
		    { 12, .8887 },
		    { 15, .7780 },
		    { 20, .6604 } } },
		{ .05 / 3,
		  { { 3, 5.6675 },
		    { 4, 3.1242 },
		    { 5, 2.2916 },
		    { 6, 1.8768 },
		    { 8, 1.4503 },
		    { 10, 1.2235 },
		    { 12, 1.0779 },
		    { 15, .9329 },
		    { 20, .7835 } } },
		{ .05 / 6,
		  { { 3, 8.0194 },
		    { 4, 3.9581 },
		    { 5, 2.7593 },
		    { 6, 2.1973 },
		    { 8, 1.6495 },
		    { 10, 1.3714 },
		    { 12, 1.1979 },
		    { 15, 1.0286 },
		    { 20, .8578 } } },
	};
	static const double width[][2] = {
		{ 3, 2.4841 }, { 4, 1.5912 }, { 5, 1.2417 }, { 6, 1.0494 },
		{ 8, .8360 },  { 10, .7154 }, { 15, .5538 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(least); i++)
		for (size_t k = 0; least[i].row[k].n; k++)
			ck_assert_double_eq_tol(
				power_least_effect(.8, least[i].row[k].n,
						   least[i].alpha),
				least[i].row[k].effect, 6e-5);
	NEAR(power_paired(1.5, 6, .05), .832529);
	NEAR(power_paired(1, 10, .05), .803097);
	for (size_t i = 0; i < ARRAY_SIZE(width); i++)
		ck_assert_double_eq_tol(power_half_width((size_t)width[i][0]),
					width[i][1], 6e-5);
	ck_assert(!power_narrow(.001, 4, .02));
	ck_assert(power_narrow(.015, 5, .02));
	ck_assert(!power_narrow(.017, 5, .02));
	ck_assert_uint_eq(power_blocks_needed(.017, .02, 15), 6);
	ck_assert_uint_eq(power_blocks_needed(.5, .02, 15), 15);
}
END_TEST

START_TEST(stops)
{
	for (unsigned i = 0; i < POWER_STOPS; i++)
		ck_assert_int_eq(power_stop_find(power_stop_name(i)), i);
	ck_assert_int_eq(power_stop_find("another"), POWER_STOP_FIXED);
	ck_assert_int_eq(power_stop_find(NULL), POWER_STOP_FIXED);
	ck_assert_ptr_null(power_stop_note(POWER_STOP_FIXED));
	ck_assert_double_eq(power_stop_factor(POWER_STOP_WIDTH), 1);
	ck_assert_double_eq_tol(power_stop_factor(POWER_STOP_LOOKS), 2.2624,
				1e-4);
}
END_TEST

/* 2.3.5: values without any spread are no proof. */
START_TEST(resolution)
{
	static const double same[] = { 100, 100, 100 },
			    up[] = { 101, 101, 101 };
	struct difference c = difference_paired(same, up, 3, 0.01);

	ck_assert(c.resolution);
	NEAR(c.sd, 0.01 / sqrt(6));
	ck_assert_double_gt(c.p, 0.05);
	c = difference_paired(same, up, 3, 0);
	ck_assert(!c.resolution);
	ck_assert_double_eq(c.p, 0);
	c = difference_welch(same, 3, up, 3, 0.01);
	ck_assert(c.resolution);
	NEAR(c.se, 0.01 / sqrt(6) / sqrt(3));
}
END_TEST

START_TEST(method_is_chosen)
{
	static const double a[] = { 1, 2, NAN, NAN }, b[] = { NAN, 3, 4, NAN };
	static const double full[] = { 2, 3, 4, 5 };
	struct difference c = difference_blocks(a, b, 4, 0);

	ck_assert_int_eq(c.method, DIFFERENCE_WELCH);
	ck_assert_uint_eq(c.n_a, 2);
	c = difference_blocks(a, full, 4, 0);
	ck_assert_int_eq(c.method, DIFFERENCE_PAIRED);
	ck_assert_uint_eq(c.n_a, 2);
	c = difference_blocks(a, full, 1, 0);
	ck_assert_int_eq(c.method, DIFFERENCE_NONE);
	ck_assert_double_nan(c.p);
	ck_assert_double_eq_tol(c.mean_b, 2, 1e-12);
}
END_TEST

/* A drift of 1 % a run over four variants that differ by 10 %. */
#define VARIANTS 4
#define BLOCKS   6
#define RUNS     (VARIANTS * BLOCKS)

START_TEST(drift_and_outliers)
{
	double y[RUNS], at[RUNS], z[RUNS];
	unsigned char first[RUNS] = { 0 };
	struct blocks_drift d;
	struct difference c;

	for (size_t v = 0; v < VARIANTS; v++)
		for (size_t b = 0; b < BLOCKS; b++) {
			size_t i = v * BLOCKS + b;

			at[i] = (double)(VARIANTS * b + (v + b) % VARIANTS);
			y[i] = 1 + 0.1 * (double)v + 0.01 * at[i] +
			       0.001 * (double)(i * 7 % 5);
			first[i] = (v + b) % VARIANTS == 0;
		}
	d = blocks_drift(y, at, VARIANTS, BLOCKS);
	ck_assert_double_eq(d.df, BLOCKS - 2);
	ck_assert_double_eq_tol(d.slope, 0.01, 1e-3);
	ck_assert_double_eq_tol(d.total, 0.23, 1e-2);
	ck_assert_double_lt(d.p, 1e-5);
	blocks_outliers(y, VARIANTS, BLOCKS, z);
	for (size_t i = 0; i < RUNS; i++)
		ck_assert_double_lt(z[i], BLOCKS_OUTLIER);
	y[3] += 0.5;
	y[8] = NAN;
	blocks_outliers(y, VARIANTS, BLOCKS, z);
	ck_assert_double_gt(z[3], BLOCKS_OUTLIER);
	ck_assert_double_nan(z[8]);
	y[3] -= 0.5;
	/* The drift makes the first run of a block lower, too. */
	c = blocks_group(y, first, VARIANTS, BLOCKS);
	ck_assert_double_lt(c.p, 0.05);
	ck_assert_double_eq_tol(c.diff, -0.02, 5e-3);
	d = blocks_drift(y, at, VARIANTS, 1);
	ck_assert_double_nan(d.p);
}
END_TEST

/* Uniform in [0, 1), the same in every run. */
static double uniform(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) / 0x1p53;
}

static double normal(uint64_t *state)
{
	double u = 1 - uniform(state), v = uniform(state);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Blocks vary; the first may be unlike the rest by so much. */
static struct difference first_block(uint64_t *state, double shift)
{
	double y[RUNS];

	for (size_t b = 0; b < BLOCKS; b++) {
		double own = 0.05 * normal(state) + (b ? 0 : shift);

		for (size_t v = 0; v < VARIANTS; v++)
			y[v * BLOCKS + b] =
				(double)v + own + 0.02 * normal(state);
	}
	return blocks_one(y, 0, VARIANTS, BLOCKS);
}

/* A block that differs by nothing but chance is named in one of 20 sweeps. */
START_TEST(one_block)
{
	const double y[] = { 5, 1, 2, 3, NAN, 9, 3, 4, 5, 8 };
	uint64_t state = 88172645463325252ull;
	unsigned named = 0, found = 0;
	struct difference c;

	for (int trial = 0; trial < 1000; trial++) {
		named += first_block(&state, 0).p < 0.05;
		found += first_block(&state, 0.5).p < 0.05;
	}
	ck_assert_uint_ge(named, 30);
	ck_assert_uint_le(named, 75);
	ck_assert_uint_ge(found, 900);

	/* Means 7, 2, 3, 4; the last block lacks a value. 3, 1: of the others. */
	c = blocks_one(y, 0, 2, 5);
	ck_assert_uint_eq(c.n_a, 3);
	ck_assert_double_eq_tol(c.diff, 4, 1e-12);
	ck_assert_double_eq_tol(c.t, 4 / sqrt(1 + 1.0 / 3), 1e-12);
	ck_assert_double_eq(c.df, 2);
	ck_assert_double_eq_tol(c.p, 0.0742, 1e-4);
	/* A block that is not whole, and too few others. */
	ck_assert_double_nan(blocks_one(y, 4, 2, 5).p);
	ck_assert_double_nan(blocks_one(y, 0, 2, 2).p);
}
END_TEST

/* How many of 400 single turns are called a change: the interval leaves out 0,
 * and there is a step beside a trend. */
static unsigned turns_called(double phi, double drift, size_t before,
			     size_t after, double step)
{
	uint64_t state = 88172645463325252ull;
	unsigned called = 0;

	for (int run = 0; run < 400; run++) {
		struct series side[2] = { { 0 } };
		double x = normal(&state);
		bool enough;

		for (size_t i = 0; i < before + after; i++) {
			x = phi * x + sqrt(1 - phi * phi) * normal(&state);
			series_add(&side[i >= before],
				   1000 * exp(0.1 * x +
					      drift * (double)i /
						      (double)(before + after) +
					      (i >= before ? step : 0)));
		}
		called += series_compare(&side[0], &side[1], &enough).p <
				  0.05 &&
			  series_step(&side[0], &side[1]) < 0.05;
	}
	return called;
}

/* A single turn is told from time: neighbours that resemble each other, and a
 * drift of 30 % over the run, are no effect of it. */
START_TEST(turn_or_time)
{
	static const double phi[] = { 0, 0.5, 0.9 };
	static const size_t n[][2] = { { 7, 8 },     { 31, 38 }, { 60, 70 }, { 150, 200 },
				       { 400, 400 }, { 2000, 1500 } };

	for (size_t k = 0; k < ARRAY_SIZE(n); k++)
		for (size_t i = 0; i < ARRAY_SIZE(phi); i++)
			for (int drift = 0; drift < 2; drift++) {
				unsigned false_calls = turns_called(
					phi[i], 0.3 * drift, n[k][0], n[k][1],
					0);

				ck_assert_msg(false_calls <= 20,
					      "phi %g, drift %d, %zu and %zu: "
					      "%u of 400",
					      phi[i], drift, n[k][0], n[k][1],
					      false_calls);
			}
	/* A third more is found in two minutes, with a drift, too. */
	ck_assert_uint_ge(turns_called(0, 0, 60, 60, 0.3), 370);
	ck_assert_uint_ge(turns_called(0, 0.3, 60, 60, 0.3), 370);
	ck_assert_uint_ge(turns_called(0.5, 0, 400, 400, 0.3), 370);
}
END_TEST

/*
 * Sweeps of equal variants in random order, whose blocks vary by so many sd of
 * a run: how often a drift, and an effect of the first run of a block, is found
 * in 2000.
 */
static void order_found(double block_sd, unsigned *drift, unsigned *first)
{
	uint64_t state = 88172645463325252ull;

	*drift = *first = 0;
	for (int sweep = 0; sweep < 2000; sweep++) {
		double y[RUNS], at[RUNS];
		unsigned char in[RUNS];

		for (size_t b = 0; b < BLOCKS; b++) {
			double own = block_sd * normal(&state);
			size_t place[VARIANTS];

			for (size_t v = 0; v < VARIANTS; v++) {
				size_t k = (size_t)(uniform(&state) *
						    (double)(v + 1));

				place[v] = place[k];
				place[k] = v;
			}
			for (size_t v = 0; v < VARIANTS; v++) {
				const size_t i = v * BLOCKS + b;

				y[i] = own + normal(&state);
				at[i] = (double)(VARIANTS * b + place[v]);
				in[i] = !place[v];
			}
		}
		*drift += blocks_drift(y, at, VARIANTS, BLOCKS).p < 0.05;
		*first += blocks_group(y, in, VARIANTS, BLOCKS).p < 0.05;
	}
}

/* Blocks that differ are no drift: in a third of such sweeps one was found. */
START_TEST(blocks_are_no_drift)
{
	for (int sd = 0; sd <= 2; sd++) {
		unsigned drift, first;

		order_found(sd, &drift, &first);
		ck_assert_uint_le(drift, 120);
		ck_assert_uint_ge(drift, 60);
		ck_assert_uint_le(first, 120);
	}
}
END_TEST

/* How often two parts of one process (AR(1)) are told apart, in 1000. */
static unsigned found(double phi, size_t n, double shift)
{
	uint64_t state = 88172645463325252ull;
	unsigned sum = 0;

	for (int trial = 0; trial < 1000; trial++) {
		double v = normal(&state) / sqrt(1 - phi * phi);
		struct series side[2] = { 0 };
		struct difference d;
		bool enough;

		for (size_t i = 0; i < 2 * n; i++) {
			series_add(&side[i >= n],
				   100 + v + (i < n ? 0 : shift));
			v = phi * v + normal(&state);
		}
		d = series_compare(&side[0], &side[1], &enough);
		sum += d.low > 0 || d.high < 0;
	}
	return sum;
}

START_TEST(autocorrelation)
{
	static const double phis[] = { 0, 0.3, 0.6, 0.8 };
	static const size_t sizes[] = { 3, 5, 12, 20, 30, 60, 120, 300 };

	for (size_t p = 0; p < ARRAY_SIZE(phis); p++)
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
			unsigned n = found(phis[p], sizes[s], 0);

			ck_assert_msg(n < (phis[p] < 0.8 ? 75 : 130),
				      "%u of 1000 at phi %g with %zu values", n,
				      phis[p], sizes[s]);
		}
	/* And a difference that is there is found. */
	ck_assert_uint_gt(found(0, 12, 3), 950);
	ck_assert_uint_gt(found(0.3, 60, 3), 990);
	ck_assert_uint_gt(found(0, 5, 30), 990);
}
END_TEST

/* Intervals of r/s of a run with 128 and with 1024 KiB of readahead. */
START_TEST(plain_to_see)
{
	static const double a[] = { 19279, 22171, 19249, 18138, 17563 };
	static const double b[] = { 5238, 5769, 5988, 5056, 4806 };
	struct series before = { 0 }, after = { 0 };
	struct difference d;
	bool enough;

	for (size_t i = 0; i < ARRAY_SIZE(a); i++) {
		series_add(&before, a[i]);
		series_add(&after, b[i]);
	}
	d = series_compare(&before, &after, &enough);
	ck_assert(!enough);
	difference_interval(&d, 1 - 0.05 / 6);
	ck_assert_double_lt(difference_pct(d.high), -50);
	ck_assert_uint_eq(series_more(&d), 0);
	/* Seconds from 36946 to 735, noise of a third. */
	before = after = (struct series){ 0 };
	for (size_t i = 0; i < 5; i++) {
		series_add(&before, 36946 * (1 + 0.3 * (double)(i % 3) - 0.3));
		series_add(&after, 735 * (1 + 0.3 * (double)(i % 2)));
	}
	d = series_compare(&before, &after, &enough);
	difference_interval(&d, 1 - 0.05 / 6);
	ck_assert_double_lt(difference_pct(d.high), -90);
}
END_TEST

/* What is kept of a series gives what the whole of it would. */
START_TEST(series_is_bounded)
{
	uint64_t state = 7;
	struct series s = { 0 }, zeros = { 0 }, one_by_one = { 0 };
	struct series_estimate e;
	double batch[20] = { 0 }, mean, variance, sum = 0;
	size_t n = 20 * 64;

	for (size_t i = 0; i < n; i++) {
		double x = 1e9 + normal(&state);

		series_add(&s, x);
		series_add(&s, NAN);
		batch[i / 64] += (x - 1e9) / 64;
		sum += x - 1e9;
	}
	difference_mean(batch, 20, &mean, &variance);
	ck_assert_uint_eq(s.n, n);
	ck_assert_double_eq_tol(series_mean(&s), 1e9 + sum / (double)n, 1e-5);
	e = series_batches(&s, true, 20);
	ck_assert_double_eq_tol(e.variance * 1e18, variance / 20,
				variance / 20 * 1e-4);
	ck_assert(series_estimate(&s, true).enough);
	/* A value of 0 takes the logs away, not what came before. */
	series_add(&s, 0);
	ck_assert(s.zeros);
	e = series_batches(&s, false, 10);
	ck_assert_double_eq_tol(e.mean, 1e9, 2);
	series_zeros(&zeros, 1000);
	for (size_t i = 0; i < 1000; i++)
		series_add(&one_by_one, 0);
	ck_assert_uint_eq(zeros.batch, one_by_one.batch);
	ck_assert_uint_eq(zeros.n, 1000);
	series_add(&zeros, 5);
	series_add(&one_by_one, 5);
	ck_assert_double_eq(series_mean(&zeros), series_mean(&one_by_one));
}
END_TEST

START_TEST(series_without_spread)
{
	struct series low = { 0 }, high = { 0 }, none = { 0 }, two = { 0 };
	struct difference d;
	bool enough;

	for (int i = 0; i < 3; i++) {
		series_add(&low, 4096);
		series_add(&high, 8192);
		series_add(&none, 0);
	}
	d = series_compare(&low, &high, &enough);
	ck_assert_double_gt(d.low, 0);
	ck_assert_double_eq_tol(difference_pct(d.diff), 100, 1e-9);
	d = series_compare(&low, &low, &enough);
	ck_assert(d.low <= 0 && d.high >= 0);
	d = series_compare(&none, &high, &enough);
	ck_assert(!d.logs);
	ck_assert_double_gt(d.low, 0);
	series_add(&two, 1);
	series_add(&two, 2);
	d = series_compare(&two, &high, &enough);
	ck_assert_int_eq(d.method, DIFFERENCE_NONE);
	ck_assert_uint_eq(series_more(&d), 1);
}
END_TEST

/*
 * Figures that overflow, of a damaged log, give no valid degrees of freedom.
 * GSL's handler, which aborts, is in force here: it must not be called.
 */
START_TEST(no_probability)
{
	static const double odd[] = { -1, 0,    1e-300, 1e-3,  0.5,      1,
				      30, 1e30, 1e300,  1e308, INFINITY, NAN };
	double huge[3] = { 1e308, -1e308, 1e308 }, zero[3] = { 0 };
	const size_t n = ARRAY_SIZE(odd);
	struct difference d;

	for (size_t i = 0; i < n * n * n; i++) {
		double a = odd[i % n], b = odd[i / n % n], c = odd[i / n / n];
		double p = probability_t_tail(a, b);

		ck_assert(isnan(p) || (p >= 0 && p <= 1));
		(void)probability_t_quantile(0.9 + 0.0999 * (double)(i % 2), a);
		d = difference_moments(1, a, b, 2, c, b);
		(void)difference_tost(&d, 0.05);
		(void)difference_verdict(&d, d.p, 1, 0.05);
	}
	ck_assert_double_nan(probability_t_quantile(0.975, 0));
	ck_assert_double_nan(probability_t_quantile(0.975, NAN));
	ck_assert_double_eq_tol(probability_t_quantile(0.975, INFINITY),
				1.959964, 1e-6);
	ck_assert_double_eq_tol(probability_t_quantile(0.975, 10), 2.228139,
				1e-6);
	(void)difference_paired(huge, zero, 3, 0);
	(void)difference_welch(huge, 3, zero, 3, 0);
}
END_TEST

/* A number that a log or a fit may hand to the statistics. */
static const double extremes[] = { 0,     1,     -1,       1e-300,    0.5,
				   1e300, 1e308, INFINITY, -INFINITY, NAN };
#define N_EXTREMES ARRAY_SIZE(extremes)

static double extreme(size_t i)
{
	return extremes[i % N_EXTREMES];
}

static void is_probability(double p)
{
	ck_assert(isnan(p) || (p >= -1e-9 && p <= 1 + 1e-9));
}

/* Differences of n values a side, and all that is asked of them. */
static void try_differences(const double *a, const double *b, size_t n,
			    double odd)
{
	struct difference of[] = {
		difference_paired(a, b, n, fabs(odd)),
		difference_welch(a, n, b, n, 0),
		difference_welch(a, n, b, n ? n - 1 : 0, fabs(odd)),
		difference_blocks(a, b, n, 0),
		difference_moments(a[0], b[0], odd, b[1], a[1], odd),
	};
	double mean, variance;

	difference_mean(a, n, &mean, &variance);
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		struct difference *d = &of[i];

		is_probability(d->p);
		is_probability(difference_tost(d, odd));
		(void)difference_verdict(d, odd, 1, odd);
		(void)difference_excluded_pct(d);
		(void)series_more(d);
		difference_interval(d, odd);
		difference_pool(d, odd, (double)n);
		difference_pool(d, 1, odd);
		is_probability(d->p);
	}
}

static void try_table(const double *y, size_t variants, size_t blocks)
{
	unsigned char in[9] = { 0, 1, 0, 1, 1 };
	double z[9], position[9] = { 0 };

	is_probability(blocks_geomean(y, variants, blocks).p);
	is_probability(blocks_drift(y, position, variants, blocks).p);
	is_probability(blocks_drift(y, y, variants, blocks).p);
	is_probability(blocks_group(y, in, variants, blocks).p);
	blocks_outliers(y, variants, blocks, z);
	(void)blocks_error(y, variants, blocks, in);
}

static void try_pts(const double *a, size_t n)
{
	struct power_pts rule;

	power_pts_begin(&rule);
	(void)power_pts_more(&rule, a, n);
}

/* Scalars: probabilities, degrees of freedom, sizes. */
static void try_numbers(double a, double b)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 1000, 1u << 30 };
	double p[3] = { a, b, 0.5 }, adjusted[3];

	is_probability(probability_t_tail(a, b));
	(void)probability_t_quantile(a, b);
	(void)difference_level(a, b, 2);
	(void)histogram_sure(a, b);
	(void)power_narrow(a, 2, b);
	for (size_t n = 0; n <= 3; n++) {
		difference_holm(p, n, adjusted);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		is_probability(power_paired(a, sizes[i], b));
		(void)power_least_effect(a, sizes[i], b);
		(void)power_half_width(sizes[i]);
		(void)power_narrow(a, sizes[i], b);
		ck_assert_uint_le(power_blocks_needed(a, b, 50), 50);
	}
}

/*
 * GSL's error handler is the one that aborts, as it is by default: no function
 * of ours may get there, whatever its arguments, nor run for ever.
 */
START_TEST(extremes_are_taken)
{
	static const double p[] = { 1e-300, 1e-16, 1e-9, 0.025,    0.4,
				    0.6,    0.975, 1 - 1e-9, 1 - 0x1p-53 };
	static const double df[] = { 0.1, 0.5, 0.7, 1,   1.5, 2,
				     3,	  30,  1e4, 1e9, 1e300 };

	for (size_t i = 0; i < N_EXTREMES * N_EXTREMES; i++) {
		double odd = extreme(i), even = extreme(i / N_EXTREMES);
		double a[9], b[9];

		for (size_t k = 0; k < 9; k++) {
			a[k] = k % 2 ? odd : even;
			b[k] = k % 3 ? even : extreme(i + k);
		}
		try_numbers(odd, even);
		for (size_t n = 0; n <= 4; n++) {
			try_differences(a, b, n, odd);
			try_pts(a, n);
			for (size_t blocks = 0; blocks <= 2; blocks++)
				try_table(b, n, blocks);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		for (size_t k = 0; k < ARRAY_SIZE(df); k++) {
			double t = probability_t_quantile(p[i], df[k]);

			ck_assert((t < 0) == (p[i] < 0.5));
			if (fabs(t) < 1e200 && df[k] <= PROBABILITY_DF_MOST)
				ck_assert_double_eq_tol(
					probability_t_tail(-t, df[k]), p[i],
					/* GSL's tail of df 1 ends here. */
					1e-9 * fmin(p[i], 1 - p[i]) + 1e-15);
		}
}
END_TEST

/* The words of a change are readable at any size. */
START_TEST(words)
{
	static const struct {
		double diff;
		const char *change, *percent;
	} of[] = {
		{ 0.045, "+4.6", "+4.6 %" },   { -4.0, "-98.2", "-98.2 %" },
		{ -0.0001, "+0.0", "+0.0 %" }, { 2.0, "x7.39", "x7.39" },
		{ 9.0, ">x999", ">x999" },     { NAN, "-", "-" },
	};
	static const struct {
		double pct;
		const char *words;
	} size[] = { { 0.94, "0.9 %" },   { 9.94, "9.9 %" }, { 9.96, "10 %" },
		     { 31.4, "31 %" },    { 215, "x3.15" },  { 1e6, ">x999" },
		     { INFINITY, ">x999" }, { NAN, "-" } };
	struct difference d = { .method = DIFFERENCE_PAIRED,
				.logs = true,
				.diff = 0.045,
				.low = 0.02,
				.high = 0.07 };
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		ck_assert_str_eq(difference_change_words(of[i].diff).text,
				 of[i].change);
		ck_assert_str_eq(difference_percent_words(of[i].diff).text,
				 of[i].percent);
	}
	for (size_t i = 0; i < ARRAY_SIZE(size); i++)
		ck_assert_str_eq(difference_size_words(size[i].pct).text,
				 size[i].words);
	ck_assert_str_eq(difference_interval_words(&d).text, "+2.0 to +7.3");
	ck_assert_str_eq(difference_bound_words(173.4).text, "+173.4");
	ck_assert_str_eq(difference_bound_words(-0.01).text, "+0.0");
	ck_assert_str_eq(difference_bound_words(899.9).text, "+899.9");
	ck_assert_str_eq(difference_bound_words(79111.3).text, "x792");
	ck_assert_str_eq(difference_bound_words(7e8).text, ">x999");
	ck_assert_str_eq(difference_effect_words(-12).text, "-12.0 %");
	ck_assert_str_eq(difference_effect_words(79111.3).text, "x792");
	ck_assert_double_eq_tol(difference_half_pct(&d), 2.5315, 1e-4);
	ck_assert_str_eq(difference_excluded_words(&d, buf, sizeof(buf)),
			 "the difference is below 7.3 %");
	d.low = -2;
	ck_assert_str_eq(difference_excluded_words(&d, buf, sizeof(buf)),
			 "the difference is below 87 %");
	d.high = 0.8;
	ck_assert_str_eq(difference_excluded_words(&d, buf, sizeof(buf)),
			 "the difference is below x7.39");
	d.low = 0.02;
	d.high = 8;
	ck_assert_str_eq(difference_interval_words(&d).text, "x1.02 to >x999");
	/* One unit for both ends. */
	ck_assert_str_eq(difference_range_words(log(0.616), log(2.5)).text,
			 "x0.616 to x2.5");
	ck_assert_str_eq(difference_range_words(-8, 8).text,
			 "<x0.001 to >x999");
	ck_assert_str_eq(difference_range_words(log(1.36), log(1.99)).text,
			 "+36.0 to +99.0");
	ck_assert_str_eq(difference_excluded_words(&d, buf, sizeof(buf)),
			 "the difference may have any size");
	d.logs = false;
	ck_assert_str_eq(difference_interval_words(&d).text, "+0.02 to +8");
	ck_assert_double_nan(difference_half_pct(&d));
}
END_TEST

/* Series of extreme values, and comparisons of such. */
START_TEST(extreme_series)
{
	for (size_t i = 0; i < N_EXTREMES * N_EXTREMES; i++) {
		struct series s[2] = { 0 };
		bool enough;

		for (size_t n = 0; n < 40; n++) {
			struct difference d;

			if (n < 3 || n == 39) {
				d = series_compare(&s[0], &s[1], &enough);
				is_probability(d.p);
				(void)series_more(&d);
				(void)series_mean(&s[0]);
				(void)series_estimate(&s[0], true);
				(void)series_batches(&s[1], false, n);
			}
			series_add(&s[0], extreme(n % 2 ? i : i + n));
			series_add(&s[1], extreme(i / N_EXTREMES));
		}
		series_zeros(&s[1], 5);
		is_probability(series_compare(&s[0], &s[1], &enough).p);
	}
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("stats");

	tcase_add_test(t, words);
	tcase_add_test(t, members_that_differ);
	tcase_add_test(t, members_that_scatter);
	tcase_add_test(t, paired);
	tcase_add_test(t, no_probability);
	tcase_add_test(t, extremes_are_taken);
	tcase_add_test(t, extreme_series);
	tcase_add_test(t, not_paired);
	tcase_add_test(t, equivalence);
	tcase_add_test(t, published);
	tcase_add_test(t, families);
	tcase_add_test(t, ranks_of_quantiles);
	tcase_add_test(t, batches);
	tcase_add_test(t, geomean);
	tcase_add_loop_test(t, pts2018, 0, ARRAY_SIZE(pts));
	tcase_add_test(t, power);
	tcase_add_test(t, stops);
	tcase_add_test(t, resolution);
	tcase_add_test(t, method_is_chosen);
	tcase_add_test(t, drift_and_outliers);
	tcase_add_test(t, one_block);
	tcase_add_test(t, blocks_are_no_drift);
	tcase_add_test(t, turn_or_time);
	tcase_add_test(t, autocorrelation);
	tcase_add_test(t, plain_to_see);
	tcase_add_test(t, series_is_bounded);
	tcase_add_test(t, series_without_spread);
	suite_add_tcase(suite, t);
}
