/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Family: several comparisons of one table, and what that does to their p.
 */
#ifndef MODEL_STATS_FAMILY_H
#define MODEL_STATS_FAMILY_H

#include <stddef.h>

/*
 * Holm (1979): adjusted[i] is below 0.05 where p[i] holds with at most 5 %
 * for any false find in the family. A NaN is not of the family and stays NaN.
 * The two arrays may be one.
 */
void family_holm(const double *p, size_t n, double *adjusted);

/*
 * The level of the interval that leaves out 0 exactly where the adjusted p is
 * below 0.05: that of the step at which p stands among n comparisons. At least
 * 0.95; NaN without a p.
 */
double family_level(double p, double adjusted, size_t n);

/* Benjamini and Hochberg (1995): at most 5 % of the finds are false. */
void family_bh(const double *p, size_t n, double *adjusted);

/*
 * Dunnett (1955): k variants against one control with a pooled error of df
 * degrees of freedom, equal numbers of runs. Two-sided p of the greatest |t|,
 * and the |t| that has that p, 0 < p < 1. NaN without degrees of freedom.
 */
double family_dunnett_p(double t, size_t k, double df);
double family_dunnett_critical(double p, size_t k, double df);

#endif
