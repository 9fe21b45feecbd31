/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics: the figures that a comparison of two segments reports. The fields of
 * the schemas hold the metrics, their order, and which of them are judged.
 */
#ifndef REPORT_METRICS_H
#define REPORT_METRICS_H

#include "model/effect.h"
#include "report/segment.h"

/* The sides of a comparison. */
struct metrics_case {
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
void metrics_fill(struct effect *to, const struct metrics_case *c);

/* The device with the most I/O on a side, or NULL. */
const char *metrics_busiest(const struct row_series_set *side);

/* judge.c: judgement and sentence from the verdicts of the judged figures. */
void metrics_judge(struct effect *e);

#endif
