/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Telling: which figures two sides of a comparison are told by, and in what
 * order; one table.
 */
#ifndef REPORT_METRICS_H
#define REPORT_METRICS_H

#include "model/effect.h"
#include "report/tracks.h"

/* What is compared. */
struct metrics_case {
	struct track_side before, after;
	const char *device[2]; /* whose figures are told, per side */
	bool jobs;             /* there were jobs */
	bool readahead;        /* what readahead does comes first */
};

/* Fill in figures, judgement and sentence; the event is left alone. */
void metrics_fill(struct effect *to, const struct metrics_case *c);

/* The device that moves most on a side, or NULL. */
const char *metrics_busiest(const struct track_side *side);

/*
 * judge.c: judgement and sentence from the figures. That any of the judged
 * figures differs by chance alone has a probability of at most 5 % (Holm 1979):
 * the more of them there are, the more each has to show.
 */
void judge(struct effect *e);

#endif
