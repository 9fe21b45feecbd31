/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Course: how a run went over time, in few columns: the least and greatest rate
 * of each, so that stalls and peaks remain however long the run is, and the
 * latencies of all its I/Os.
 */
#ifndef REPORT_COURSE_H
#define REPORT_COURSE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/frame.h"
#include "model/histogram.h"
#include "model/schema/schema_job.h"

#define COURSE_COLUMNS 80
#define COURSE_MARKS   12

/* Rates are operations per second of all jobs, by frame. */
struct course_column {
	double from_s, to_s;
	double low, high;
	struct heat heat;
};

/* A setting that was turned, or a mark. */
struct course_mark {
	double t_s;
	char words[64];
};

/* A zeroed struct is valid and empty. */
struct course {
	struct course_column *column; /* COURSE_COLUMNS, or NULL */
	size_t n;
	unsigned per, in; /* frames of a column, and of the last one */
	struct course_mark mark[COURSE_MARKS];
	size_t n_marks;
	int rate[JOB_OPS], hist[JOB_OPS]; /* fields, once they are known */
	bool known;
};

/* Take in a frame; those in which no job ran from end to end are left out. */
void course_add(struct course *c, const struct frame *f);
/* Empty it. */
void course_free(struct course *c);

/* The greatest rate, and the bins in use; *end is 0 where there are none. */
double course_range(const struct course *c, unsigned *first, unsigned *end);

#endif
