/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracks: the values of the fields that an effect may tell of, interval by
 * interval, of each job and each device that moves. Kept as the last 60 values
 * (rings), or as what their statistics are made of (sums).
 */
#ifndef REPORT_TRACKS_H
#define REPORT_TRACKS_H

#include <stddef.h>

#include "model/frame.h"
#include "report/stats.h"

/* The most fields that are tracked of a row. */
#define TRACK_FIELDS 24
#define TRACK_FRAMES 60
/* Jobs and devices beyond are not looked at. */
#define TRACK_ROWS 256
/* Of a stretch, which there may be many of. */
#define TRACK_SUM_ROWS 32

/* The tracked fields of a schema; NULL where there is no more. */
const char *const *track_keys(enum schema_id schema);
/* The place of a key among them, or -1. */
int track_index(enum schema_id schema, const char *key);

struct track {
	enum schema_id schema;
	char id[ROW_ID_MAX];
	double value[TRACK_FIELDS][TRACK_FRAMES];
};

struct tracks {
	struct track *track;
	size_t n, cap;
	size_t frames; /* taken in, in all */
};

struct track_sum {
	enum schema_id schema;
	char id[ROW_ID_MAX];
	struct series_sum sum[TRACK_FIELDS];
};

struct track_sums {
	struct track_sum *row;
	size_t n, cap;
	size_t frames;
};

/* A zeroed struct of either is valid and empty. */
void tracks_add(struct tracks *t, const struct frame *f);
void tracks_clear(struct tracks *t);
void track_sums_add(struct track_sums *s, const struct frame *f);

/* One side of a comparison: one of the two. */
struct track_side {
	const struct tracks *rings;
	const struct track_sums *sums;
};

/* The i-th row of a side and its schema; NULL beyond the last. */
const char *track_row(const struct track_side *side, size_t i,
		      enum schema_id *schema);
bool track_has(const struct track_side *side, enum schema_id schema,
	       const char *id);
struct series_stats track_stats(const struct track_side *side,
				enum schema_id schema, const char *id,
				int field);

#endif
