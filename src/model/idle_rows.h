/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idle rows: the unchanged values of an idle row are stored once for a span of
 * frames, so that a thousand idle devices take little memory. A row that was
 * absent stays distinguishable from an idle one.
 */
#ifndef MODEL_IDLE_ROWS_H
#define MODEL_IDLE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"

struct idle_span;

/* All zero is an empty one. */
struct idle_rows {
	struct idle_span **span; /* in the order of id and first frame */
	size_t n, cap, swept;    /* swept: how many were left when old ones were
				    last freed */
	struct idle_span **near; /* where the i-th row of a frame was */
	size_t cap_near;
};

void idle_rows_free(struct idle_rows *r);

/*
 * Record the i-th row of the frame with that number as idle (numbers rise by
 * one); all rows are of one schema. Returns the bytes newly allocated: 0 when
 * the values equal those of the frame before.
 */
size_t idle_rows_add(struct idle_rows *r, const struct schema *s,
		     const struct row *row, size_t i, uint64_t frame);

/* Free frames before the oldest. Cheap to call at any time. */
void idle_rows_forget(struct idle_rows *r, uint64_t oldest);

/* One per field, NaN where there is no number; NULL: not idle, or absent. */
const float *idle_rows_find(const struct idle_rows *r, const char *id,
			    uint64_t frame);

#endif
