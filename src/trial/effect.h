/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Effect: what an event did, as figures before and after it; or how two
 * segments of a run, or of two runs, differ. The report room computes it, the
 * screen shows it.
 */
#pragma once

#include <stddef.h>

#include "model/event.h"
#include "model/schema/schema.h"
#include "trial/judge.h"

#define EFFECT_FIGURES 32

/*
 * One figure. before and after are means over the intervals of each side, in
 * the field's base unit, geometric ones where all values are above 0; of a
 * percentile that of all I/Os of the side. change_pct is their change, within
 * [low_pct, high_pct]. NaN: too few intervals.
 */
struct figure {
	enum schema_id schema;
	int field; /* index in the schema; see effect_figure_field() */
	char row[ROW_ID_MAX];
	double before, after;
	double change_pct, low_pct, high_pct;
	/* higher (better) or lower (worse), of the intervals of both sides; all
	 * judged figures of an effect hold together with 95 % (Bonferroni) */
	struct judge_verdict v;
	/*
	 * About so many more intervals on each side would decide; 0: unknown.
	 */
	unsigned more;
	bool few; /* too few intervals for batch means: only a great change
		     shows */
	bool step; /* it changed at the event and not over time, under a load
		      of iodyno: better or worse may be said */
	int better;  /* 1: more is better, -1: less is; 0: neither as such */
	bool judged; /* the judgement rests on it */
	bool ordered; /* of a job whose load was changed between the sides:
			 neither better nor worse, and never judged */
};

/*
 * CPU time of the whole machine for each MiB that was moved: no field of a
 * schema, as it takes several rows. Its figure has schema SCHEMA_CPU, row
 * "all" and this field.
 */
#define FIELD_CPU_PER_MIB -2

/* The field of a figure, also of a figure that belongs to no schema. */
const struct field *effect_figure_field(const struct figure *f);
/* The same by schema and index. */
const struct field *effect_field(enum schema_id schema, int field);

/* '+' better, '-' worse, '=' no change above 0.05 %, '?' undecided or too few
 * intervals, ' ' a change that is neither good nor bad as such, or as ordered.
 */
char effect_figure_sign(const struct figure *f);

/* "unchanged", or the words of the judge: "too few intervals", "undecided",
 * "lower", "higher", "lower, as ordered", "higher, as ordered". */
const char *effect_figure_verdict(const struct figure *f);

/* The limits of one comparison of neighbours; one line each, NULL
 * ends the list. */
extern const char *const effect_notes[];

/* Better or worse: the effect on the load. */
enum judgement {
	JUDGED_UNKNOWN, /* too few intervals */
	JUDGED_SAME,    /* undecided */
	JUDGED_BETTER,
	JUDGED_WORSE,
	JUDGED_MIXED, /* something is better and something is worse */
	JUDGED_ORDERED, /* only jobs differ whose load was changed */
	JUDGED_SINCE, /* something differs, of which time may be the cause */
	JUDGEMENTS
};

/* "unknown", "undecided", "better", "worse", "mixed", "as ordered", "since". */
const char *effect_judgement_name(enum judgement j);

/*
 * The cost of a change: figures of the interval in which the change was made.
 * No segment includes that interval. NaN: not measured.
 */
struct effect_cost {
	double slowest_ns; /* the slowest I/O of a job, job */
	double stall_ns;   /* how long device completed nothing */
	char job[ROW_ID_MAX], device[ROW_ID_MAX];
};

/*
 * "slowest I/O meanwhile 226 ms (scan), loop0 completed nothing for 20 ms"; ""
 * when nothing is known. Returns buf.
 */
char *effect_cost_words(const struct effect_cost *c, char *buf, size_t size);

struct effect {
	struct event event;                   /* of two segments: zero */
	size_t segment;                       /* that it began, of a run */
	struct figure figure[EFFECT_FIGURES]; /* the most important one first */
	size_t n_figures;
	enum judgement judgement;
	bool jobs; /* jobs of iodyno ran */
	char sentence[448]; /* the judgement and what it rests on */
	struct effect_cost cost;
};

/*
 * A segment of a run between two events that cut it: turns, restores and
 * marks. The first of a run is the whole run.
 */
struct segment_info {
	char log; /* 'A' or 'B' where two logs are compared, else 0 */
	double from_s, to_s;
	size_t intervals; /* that its figures rest on */
	char words[128];  /* what it began with */
};
