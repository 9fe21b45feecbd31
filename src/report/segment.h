/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segment: a part of the run between two events that cut it: changes, restores,
 * starts and stops of jobs, marks. Reports compare segments.
 *
 * The interval that contains a change, a restore or a start or stop belongs to
 * the whole run and to no segment: a part of it has the old state, and a switch
 * of the scheduler stops the queue for a while. The cost of the change is kept
 * separately. The series of a segment have only intervals of the load: with
 * jobs, those in which a job runs, as it did in the interval before, and no job
 * lays out its file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "trial/effect.h"
#include "model/frame.h"
#include "model/stats/series.h"
#include "report/window.h"

/*
 * Series: of each job, each device that moves and each process whose requests are
 * traced, the metrics that a comparison
 * may report, interval by interval (model/stats/difference.h).
 */

/* The most fields that are kept of a row. */
#define ROW_SERIES_FIELDS 40

struct row_series {
	enum schema_id schema;
	char id[ROW_ID_MAX];
	/* NULL until a value is not 0; zeros: how many came before. */
	struct series *of[ROW_SERIES_FIELDS];
	size_t zeros[ROW_SERIES_FIELDS];
	double from_s, to_s; /* of its first and last interval */
};

/* A zeroed struct is valid and empty. */
struct row_series_set {
	struct row_series *row;
	size_t n, cap;
	size_t next; /* the row after the last match */
	size_t frames;
};

/*
 * The n kept fields of a schema, which are those that a comparison may report.
 */
const int *segment_series_fields(enum schema_id schema, size_t *n);
/* The index of a key among the kept fields, or -1. */
int segment_series_index(enum schema_id schema, const char *key);

/* The row of a job or device, or NULL. */
const struct row_series *segment_series_find(const struct row_series_set *s,
					     enum schema_id schema,
					     const char *id);
/* Copy a series of a row; an empty one where there is none. */
void segment_series_get(const struct row_series_set *s, enum schema_id schema,
			const char *id, int field, struct series *out);

/* Segments. */

/* Further cuts begin no segment; see segments.left_out. */
#define SEGMENT_MAX 1024

struct segment {
	struct segment_info about; /* its time, and the events that it began with */
	struct window window; /* sums of its intervals, jobs and devices */
	struct row_series_set series;
	struct event *change; /* the change at its start */
	size_t n_changes, cap_changes;
	char mark[160]; /* or phase of a program at its start; "": none */
	struct effect_cost cost; /* of the interval that began it */
};

/* A zeroed struct is valid and empty. */
struct segments {
	struct segment whole; /* the whole run */
	struct segment *list;
	size_t n, cap;
	size_t left_out;       /* cuts beyond SEGMENT_MAX */
	bool jobs;             /* there were jobs */
	bool running;          /* a job ran in the last frame, too */
	struct segment_info *about; /* segment_about() */
	size_t cap_about;
};

/* Add a frame; true: it began a segment. */
bool segment_add(struct segments *s, const struct digest *d);
void segment_free(struct segments *s);

/* The whole run and its segments as the screen lists them; NULL before the
 * first frame. The array lives until the next segment_add(). */
const struct segment_info *segment_about(struct segments *s, size_t *n);
/* The i-th of these, or NULL. */
const struct segment *segment_at(const struct segments *s, size_t i);

/*
 * Effects (effects.c): the figures of each change, from the segment before it
 * and the segment that it began.
 *
 * Points of a sweep and periods of a crossover come in random order, so they
 * are not compared here: they have their own reports.
 */

/* Further changes are not judged; see effects.left_out. */
#define EFFECTS_MAX 1024

/* A zeroed struct is valid and empty. */
struct effects {
	struct effect *effect;
	size_t n, cap;
	size_t open; /* from here on "after" still grows */
	size_t left_out;
	bool fresh; /* the open effects are computed */
};

/*
 * Call it after segment_add() of the same frame; began: the result of that
 * call.
 */
void effects_add(struct effects *e, const struct segments *s,
		 const struct digest *d, bool began);
/* Compute the figures of changes that are still open. */
void effects_update(struct effects *e, const struct segments *s);
void effects_free(struct effects *e);

/*
 * The fields of the schemas hold the figures of a comparison, their order, and
 * which of them are judged.
 */

/* The sides of a comparison. */
struct effects_case {
	const struct row_series_set *before, *after;
	const struct window *sums[2]; /* of the same intervals */
	const char *device[2]; /* the device to report, per side */
	bool jobs;             /* there were jobs */
	bool follows;          /* the later side follows the earlier one */
	bool readahead;        /* put the figures that readahead changes
			          first */
	/* The segments whose changes lie between the sides; of two runs none. */
	const struct segment *began;
	size_t n_began;
};

/* Fill in figures, judgement and sentence; the event stays. */
void effects_fill(struct effect *to, const struct effects_case *c);

/* The device with the most I/O on a side, or NULL. */
const char *effects_busiest(const struct row_series_set *side);

/* Set judgement and sentence from the verdicts of the judged figures. */
void effects_judge(struct effect *e);
