/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members: which of several like things (the hosts of a fleet) differs from the
 * others, and how much they scatter.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* With fewer, the median and the scale of a member are those of the others. */
#define MEMBERS_ALL 8
/* With fewer, no member is named. */
#define MEMBERS_LEAST 4

/* A member beside the others. */
struct members_score {
	double z;     /* in scales; NaN: no value */
	double ratio; /* of the median */
};

/*
 * Score n positive values; others are left out (NaN). y = ln of the value,
 * z = (y - median) / scale, scale = MAD / 0.6745 (the modified z of Iglewicz
 * and Hoaglin 1993), at least 0.01, that is 1 %.
 */
void members_score(const double *value, size_t n, struct members_score *out);

/* Whether a score names its member: |z| above 3.5 and 10 % from the median. */
bool members_is_out(const struct members_score *s);

/* Sort n values, the smallest first. */
void members_sort(double *value, size_t n);
/* The median of n values, which are sorted; NaN for none. */
double members_median(double *value, size_t n);

/* One-way random effects on logs. */
struct members_spread {
	double sd;   /* between members, of logs; NaN: unknown */
	double f, p; /* of the test that it is 0; NaN: unknown */
	size_t members, repeats; /* that have values */
};

/*
 * value[i * repeats + k]: the k-th value of member i; a member with a value that
 * is not positive is left out. sd = sqrt(max(0, (MSB - MSW) / repeats)), Searle,
 * Casella and McCulloch, Variance Components (1992), section 3.5.
 */
struct members_spread members_spread(const double *value, size_t n,
				     size_t repeats);

/* By how many per cent one member may mislead about the others, at 95 %. */
double members_mislead_pct(const struct members_spread *s);
