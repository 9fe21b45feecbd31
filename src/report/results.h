/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results: the results of a report, and the one list of figures that every
 * output format walks.
 */
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include "report/cross_check.h"
#include "report/effects.h"
#include "report/periods.h"
#include "report/report.h"
#include "report/segment.h"
#include "report/trouble.h"

struct report {
	struct segments segments;
	struct window *total; /* of segments.whole */
	struct effects effects;
	struct window load; /* devices only, while a job ramps or runs */
	struct cross_check cross;
	struct event *said; /* EVENT_RESULT: lines of jobs' own summaries */
	size_t n_said, cap_said;
	struct trouble trouble; /* alarms, and the worst minutes */
	struct periods periods; /* of a live crossover */
	int error;          /* why the jobs never began, an errno; or 0 */
	unsigned long late; /* ticks that came late */
};

/*
 * key is the name in JSON, CSV and the log; value is finite. unsure: of a
 * percentile, fewer than 10 I/Os lie beyond it.
 */
struct result {
	char key[80];
	double value;
	bool unsure;
};

/* A zeroed struct is valid and empty. */
struct results {
	struct result *result;
	size_t n, cap;
};

/* Replace the results by those of a job or device row of a window. */
void results_of(const struct window_row *row, struct results *out);
void results_free(struct results *r);

/* Whether a row is worth printing: jobs always, devices that had I/O. */
bool results_shown(const struct window_row *row);

/* Segments to print: a last one without intervals is none. */
size_t results_segments(const struct report *r);

/* "higher", "lower", "undecided", "unknown". */
const char *results_verdict(enum verdict v);

/* The formats. */
void print_text(struct report *r, const struct header *h, FILE *out);
void print_json(struct report *r, const struct header *h, FILE *out);
void print_csv(struct report *r, const struct header *h, FILE *out);

/* The figures of the whole run only: from_t, to_t, frames, job, all_jobs,
 * device. */
struct json *print_json_result(struct report *r);

/* A row of a window as the summary has it: its id and its results. */
struct json *print_json_row(const struct window_row *row);

/* The summary without "restored", which only a live run knows. */
struct json *print_json_summary(struct report *r);

#endif
