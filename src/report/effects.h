/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Effects: the figures of each change, from the segment before it and the
 * segment that it began.
 *
 * Points of a sweep and periods of a crossover come in random order, so they
 * are not compared here: they have their own reports.
 */
#ifndef REPORT_EFFECTS_H
#define REPORT_EFFECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/segment.h"

/* Further changes are not judged; see effects.left_out. */
#define EFFECTS_MAX 1024

/* A zeroed struct is valid and empty. */
struct effects {
	struct effect *effect;
	size_t *segment; /* the segment that each change began */
	size_t n, cap, cap_segment;
	size_t open; /* from here on "after" still grows */
	size_t left_out;
	bool fresh; /* the open effects are computed */
};

/*
 * Call it after segment_add() of the same frame; began: the result of that
 * call.
 */
void effects_add(struct effects *e, const struct segments *s,
		 const struct frame *f, bool began);
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
	const char *device[2]; /* the device to report, per side */
	bool jobs;             /* there were jobs */
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

#endif
