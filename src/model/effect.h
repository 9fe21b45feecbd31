/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Effect: what an event did, as figures before and after it. The report room
 * computes it, the screen shows it.
 */
#ifndef MODEL_EFFECT_H
#define MODEL_EFFECT_H

#include "model/event.h"
#include "model/schema.h"

#define EFFECT_FIGURES 8

enum verdict {
	VERDICT_UNKNOWN, /* too few intervals to tell */
	VERDICT_SAME,    /* the interval of the change includes 0 */
	VERDICT_LOWER,
	VERDICT_HIGHER,
};

/*
 * One figure. before and after are means over the intervals of each side, in
 * the field's base unit; change_pct with its 95 % confidence interval
 * [low_pct, high_pct], NaN when there are too few intervals to tell.
 */
struct figure {
	enum schema_id schema;
	int field; /* index in the schema */
	char row[ROW_ID_MAX];
	double before, after;
	double change_pct, low_pct, high_pct;
	unsigned n_before, n_after;
	enum verdict verdict;
};

/* Half the width of the 95 % interval, in per cent, that says nothing. */
#define FIGURE_NOISY_PCT 50

/* Its uncertainty is so great that even half as much again would not show. */
static inline bool figure_is_noisy(const struct figure *f)
{
	return f->high_pct - f->low_pct > 2 * FIGURE_NOISY_PCT;
}

struct effect {
	struct event event;
	struct figure figure[EFFECT_FIGURES];
	size_t n_figures;
};

#endif
