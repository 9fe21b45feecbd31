/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Effect: what an event did, as figures before and after it; or how two
 * stretches of a run, or of two runs, differ. The report room computes it, the
 * screen shows it.
 */
#ifndef MODEL_EFFECT_H
#define MODEL_EFFECT_H

#include "model/event.h"
#include "model/schema.h"

#define EFFECT_FIGURES 32

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
	int field; /* index in the schema; see figure_field() */
	char row[ROW_ID_MAX];
	double before, after;
	double change_pct, low_pct, high_pct;
	double p; /* how likely chance alone moves it that far; NaN: unknown */
	unsigned n_before, n_after;
	enum verdict verdict;
	int better;  /* 1: more is better, -1: less is; 0: neither as such */
	bool judged; /* the judgement rests on it */
};

/*
 * CPU time of the whole machine for each MiB that was moved: no field of a
 * schema, as it takes several rows. Its figure has schema SCHEMA_CPU, row
 * "all" and this field.
 */
#define FIELD_CPU_PER_MIB -2

/* The field of a figure, one that is none of a schema's included. */
const struct field *figure_field(const struct figure *f);
/* The same by schema and index. */
const struct field *effect_field(enum schema_id schema, int field);

/* Half the width of the 95 % interval, in per cent, that says nothing. */
#define FIGURE_NOISY_PCT 50

/* Its uncertainty is so great that even half as much again would not show. */
static inline bool figure_is_noisy(const struct figure *f)
{
	return f->high_pct - f->low_pct > 2 * FIGURE_NOISY_PCT;
}

/* Better or worse: of what changed, what it did for the load. */
enum judgement {
	JUDGED_UNKNOWN, /* too few intervals to tell */
	JUDGED_SAME,    /* not distinguishable */
	JUDGED_BETTER,
	JUDGED_WORSE,
	JUDGED_MIXED, /* something is better and something is worse */
	JUDGEMENTS
};

/* "unknown", "same", "better", "worse", "mixed". */
const char *judgement_name(enum judgement j);

struct effect {
	struct event event;                   /* of two stretches: zero */
	struct figure figure[EFFECT_FIGURES]; /* most telling first */
	size_t n_figures;
	enum judgement judgement;
	char sentence[240]; /* the judgement and what it rests on */
};

/*
 * A stretch of a run between two events that cut it: turns, restores and
 * marks. The first of a run is the whole run.
 */
struct stretch {
	char log; /* 'A' or 'B' where two logs are compared, else 0 */
	double from_s, to_s;
	size_t intervals; /* that its figures rest on */
	char words[128];  /* what it began with */
};

#endif
