/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Effects: what each knob turn did, from the intervals before and after it.
 *
 * Before are the intervals since the turn before (or since the jobs run), the
 * last 60 of them; after are the first 60 after the turn, until the next one.
 * The interval that holds the turn itself belongs to neither: part of it is
 * the old setting, and a scheduler switch stops the queue for a while. A
 * restore ends what is after. Only the values of these intervals are kept.
 */
#ifndef REPORT_EFFECTS_H
#define REPORT_EFFECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/metrics.h"
#include "report/stretches.h"

/* Turns beyond are not judged; see effects.left_out. */
#define EFFECTS_MAX 1024

/* A zeroed struct is valid and empty. */
struct effects {
	struct effect *effect;
	size_t n, cap;
	size_t open; /* from here on "after" still grows */
	size_t left_out;
	struct tracks before, recent;
	struct stretches stretches;
	bool jobs;    /* there were jobs */
	bool running; /* a job ran in the last frame, too */
	bool fresh;   /* the open effects are computed */
};

void effects_add(struct effects *e, const struct frame *f);
/* Compute what is still open. */
void effects_update(struct effects *e);
void effects_free(struct effects *e);

#endif
