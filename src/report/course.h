/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Course: a run over time in a few columns, with the lowest and highest rate of
 * each, so that stalls and peaks of a long run remain, and the latencies of all
 * its I/Os.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/frame.h"
#include "model/histogram.h"
#include "report/digest.h"

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
	struct digest digest;
};

/* Add a frame, unless no job ran from its begin to its end. */
void course_add(struct course *c, const struct frame *f);
/* Free the columns; the course is empty then. */
void course_free(struct course *c);

/* The highest rate, and the bins in use; *end is 0 if there are none. */
double course_range(const struct course *c, unsigned *first, unsigned *end);
