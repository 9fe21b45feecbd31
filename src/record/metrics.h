/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics: the frames so far as a text file for Prometheus' node_exporter
 * (its textfile collector), written anew for each frame.
 *
 * Rates of frames are added up to counters since the start; latencies of jobs
 * are histograms with two buckets for each power of two, whose bounds are bounds
 * of ours, so that the counts are exact and hosts can be added up. A thread writes
 * the file beside its name and renames it: a disk that hangs stops the file, not
 * the sampling.
 */
#pragma once

#include "model/frame.h"
#include "model/header.h"

struct metrics;

/*
 * path is copied. tasks: the busiest processes that are written, 0
 * for none; each is a new series, so keep them few. 0, or -errno with a sentence
 * when no file can be made there, or another file has the name.
 */
int metrics_open(struct metrics **out, const char *path,
		 unsigned tasks) must_check;
/* Add a frame and hand the text of all so far to the thread. */
void metrics_add(struct metrics *m, const struct frame *f,
		 const struct header *h);
/*
 * A sentence about a file that could not be written, once for each new reason;
 * NULL: none since the last call. Lives until the next call. last: wait for the
 * last text before, a second at most.
 */
const char *metrics_complaint(struct metrics *m, bool last);
/* Wait for the last text at most a second; the file stays. NULL is fine. */
void metrics_free(struct metrics *m);
