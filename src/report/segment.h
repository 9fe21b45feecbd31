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
#ifndef REPORT_SEGMENT_H
#define REPORT_SEGMENT_H

#include <stdbool.h>

#include "model/effect.h"
#include "report/row_series.h"
#include "report/window.h"

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
bool segment_add(struct segments *s, const struct frame *f);
void segment_free(struct segments *s);

/* The whole run and its segments as the screen lists them; NULL before the
 * first frame. The array lives until the next segment_add(). */
const struct segment_info *segment_about(struct segments *s, size_t *n);
/* The i-th of these, or NULL. */
const struct segment *segment_at(const struct segments *s, size_t i);

#endif
