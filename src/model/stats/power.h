/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Power: what an experiment can find, before it is run; and when to stop it. */

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

/* Read "ci<2%", 0.01 to 100 %, as that ratio; false: it is another text. */
bool power_read_width(const char *text, double *ratio);

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

/* The rule by which an experiment has enough blocks, which the analysis must
 * know. */
enum power_stop {
	POWER_STOP_FIXED,  /* the number was chosen before */
	POWER_STOP_WIDTH,  /* power_narrow() */
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
