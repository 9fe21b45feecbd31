/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stretches: the run between two events that cut it, with the statistics of
 * each, so that any two can be compared. Other than a segment of the report a
 * stretch begins at marks, too, and counts only intervals that tell of the
 * load (see effects.c).
 */
#ifndef REPORT_STRETCHES_H
#define REPORT_STRETCHES_H

#include <stdbool.h>

#include "model/effect.h"
#include "report/tracks.h"

/* Cuts beyond make no new stretch. */
#define STRETCHES_MAX 256

/* The first is the whole run. A zeroed struct is valid and empty. */
struct stretches {
	struct stretch *stretch;
	struct track_sums *sums; /* one per stretch */
	size_t n, cap, cap_sums;
};

/* tells: the interval counts. One that holds a turn or a restore never does. */
void stretches_add(struct stretches *s, const struct frame *f, bool tells);
/* What was before the jobs is no yardstick for them: forget its figures. */
void stretches_restart(struct stretches *s);
void stretches_free(struct stretches *s);

#endif
