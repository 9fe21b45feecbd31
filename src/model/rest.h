/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rest: what rows say while nothing happens to them, kept once for as many
 * frames as it stays the same. A thousand idle devices cost a history next to
 * nothing, and are told from those that were not there.
 */
#ifndef MODEL_REST_H
#define MODEL_REST_H

#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"

struct rest_span;

/* All zero is an empty one. */
struct rest {
	struct rest_span **span; /* in the order of id and first frame */
	size_t n, cap, swept;    /* swept: how many the last sweep left */
	struct rest_span **near; /* where the i-th row of a frame was */
	size_t cap_near;
};

void rest_free(struct rest *r);

/*
 * The i-th row of the frame with that number (they rise one by one) is at
 * rest; all rows are of one schema. Returns the bytes that are newly taken: 0
 * when it says what it said in the frame before.
 */
size_t rest_add(struct rest *r, const struct schema *s, const struct row *row,
		size_t i, uint64_t frame);

/* Frames before the oldest are gone; called at any time, works now and then. */
void rest_forget(struct rest *r, uint64_t oldest);

/* One per field, NaN where there is no number; NULL: not at rest, or absent. */
const float *rest_find(const struct rest *r, const char *id, uint64_t frame);

#endif
