/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot figure: the numbers of a pivot as texts for people.
 */
#ifndef REPORT_PIVOT_PIVOT_FIGURE_H
#define REPORT_PIVOT_PIVOT_FIGURE_H

#include <stddef.h>

#include "report/pivot/pivot.h"

/* A unit that all figures of a row share: value * scale, then the unit. */
struct pivot_figure {
	double scale;
	const char *unit; /* "k", "ms", "MiB/s"; "" */
};

/* The unit for values about as great as typical; the key tells what it is. */
struct pivot_figure pivot_figure_of(const char *metric, double typical);

/* "61.2": with so many digits that half has two; half may be NaN. */
char *pivot_figure_text(const struct pivot_figure *f, double value, double half,
			char *buf, size_t size);

/* "+4.6", from x 2 on "x2.3"; "-": NaN. */
char *pivot_figure_change(double diff, char *buf, size_t size);

/* "+1.9 to +7.4", per cent, or units where it is not of logs. */
char *pivot_figure_interval(const struct difference *d, char *buf, size_t size);

/* ".026", "<.001", "-". */
char *pivot_figure_p(double p, char *buf, size_t size);

/* "read_iops of job rand, more is better". */
char *pivot_figure_title(const struct pivot_table *t, char *buf, size_t size);

/* "5", "4/5" where runs failed or were left out, "-". */
char *pivot_figure_n(const struct pivot_cell *c, char *buf, size_t size);

/*
 * A comparison as a sentence without its subject: "+4.6 % (95 % interval +1.9
 * to +7.4): better".
 */
char *pivot_figure_sentence(const struct pivot *p, const struct pivot_table *t,
			    const struct pivot_compare *c, char *buf,
			    size_t size);

/*
 * A second opinion on a paired comparison, by ranks: "sign flip p .063,
 * Hodges-Lehmann +4.6 %", and whether it disagrees. false: not paired, or more
 * than RANK_FLIPS pairs.
 */
bool pivot_figure_robust(const struct pivot *p, const struct pivot_table *t,
			 const struct pivot_compare *c, char *buf,
			 size_t size);

/* How the comparisons were made, in one sentence. */
char *pivot_figure_method(const struct pivot *p, char *buf, size_t size);

#endif
