/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Periods: the measured periods of a live crossover, from frames, and the
 * verdicts on them as text and JSON.
 *
 * A period begins with the event "step" of the name PERIODS_STEP and ends with
 * "cell_done"; both carry variant and block. The frame with the begin is the
 * first that counts. The frame with the end does not count: it contains the
 * next turn. A cell that ends with an error, or not at all, is not a period.
 */
#pragma once

#include "base/json.h"
#include "trial/crossover.h"
#include "model/frame.h"
#include "report/window.h"

/* The names of the steps, and the author of their events. A new crossover
 * begins by the first: periods of an earlier one are forgotten. */
#define PERIODS_BEGIN "crossover"
#define PERIODS_STEP  "measure"

/* A zeroed struct is valid and empty. */
struct periods {
	struct crossover crossover;
	struct window window; /* of the period under way */
	struct cell cell;     /* likewise; block 0: none is under way */
	double seconds;       /* likewise */
	char limits[304];     /* which files a turn of readahead left out; "" */
};

/* Add a frame with its events. */
void periods_add(struct periods *p, const struct digest *d);
void periods_free(struct periods *p);

/* The verdicts as JSON, owned by the caller; NULL: x has no variants. */
struct json *periods_json(const struct crossover *x);
