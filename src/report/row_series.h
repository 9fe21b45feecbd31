/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Row series: of each job and each device that moves, the metrics that a
 * comparison may report, as series of intervals (model/stats/stats.h).
 */
#ifndef REPORT_ROW_SERIES_H
#define REPORT_ROW_SERIES_H

#include <stddef.h>

#include "model/frame.h"
#include "model/stats/stats.h"

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
 * The kept fields of a schema, which are those that a comparison may report:
 * fills field[ROW_SERIES_FIELDS] and returns how many.
 */
size_t row_series_fields(enum schema_id schema, int *field);
/* The index of a key among the kept fields, or -1. */
int row_series_index(enum schema_id schema, const char *key);

/* Add the values of a frame. */
void row_series_add(struct row_series_set *s, const struct frame *f);
/* Forget all values and rows. */
void row_series_free(struct row_series_set *s);

/* The row of a job or device, or NULL. */
const struct row_series *row_series_find(const struct row_series_set *s,
					 enum schema_id schema, const char *id);
/* Copy a series of a row; an empty one where there is none. */
void row_series_get(const struct row_series_set *s, enum schema_id schema,
		    const char *id, int field, struct series *out);

#endif
