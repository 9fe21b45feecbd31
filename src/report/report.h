/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report: frames become conclusions.
 *
 * A report takes every frame, live or from a log. It cuts the run into segments
 * at changes, sums up each segment per job and per device, and computes the
 * effect of each change.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "base/attributes.h"
#include "base/json.h"
#include "model/assertion.h"
#include "model/crossover.h"
#include "model/effect.h"
#include "model/frame.h"
#include "model/header.h"

struct course;
struct pivot;
struct reference;
struct report;

struct report *report_new(void);
void report_free(struct report *r);

/* Add a frame; frames of a job's ramp or layout do not count for that job. */
void report_add(struct report *r, const struct frame *f);

/*
 * The changes so far (by operator, plan or another program; side effects and
 * restores are no changes of their own, and those of a sweep or a crossover
 * have reports of their own), oldest first, with the figures before and after.
 * The array lives until the next report_add(). *n of them.
 */
const struct effect *report_effects(struct report *r, size_t *n);

/* The live crossover; empty where there was none. Borrowed. */
const struct crossover *report_crossover(const struct report *r);

/*
 * The segments of the run so far, the whole run first. The array lives until
 * the next report_add(). *n of them.
 */
const struct segment_info *report_segments(struct report *r, size_t *n);

/*
 * Compare a segment with another one, of the same run or of two; false when
 * there is no such segment. Between two runs the intervals of the changes
 * cover the noise within each run, not what differs from run to run.
 */
bool report_compare(const struct report *before, size_t i,
		    const struct report *after, size_t j, struct effect *out);

/* Judge these, too, when the results are made; copied. */
void report_assert(struct report *r, const struct assertions *a);
/* The header of the log, which checks need; borrowed. Also judge the assertions
 * of its jobs. */
void report_header(struct report *r, const struct header *h);

/* How the run went, for a format that draws it; borrowed. */
void report_show_course(struct report *r, const struct course *course);

/* Of an experiment, whose runs are checked one by one. */
void report_no_checks(struct report *r);
/*
 * Checks that found something and were not reported before, as events, at most so
 * many; all of them once the jobs are over, before only those of settings. The
 * report is that of a run under way.
 */
size_t report_take_checks(struct report *r, const struct header *h,
			  struct event *event, size_t max);
/* How many do not hold; the sentence of the first of them, with the number of
 * the others. words may be NULL. */
size_t report_failed_assertions(struct report *r, char *words, size_t size);

/* No job ever began, because of that error (an errno). */
void report_never_began(struct report *r, int error);

/*
 * The frame for a screen: rows of jobs that are over have the figures of their
 * entire run (rates, latencies, errors) instead of the interval's. It borrows
 * all else from f, which may be NULL, and is valid until the next call.
 */
const struct frame *report_with_totals(struct report *r, const struct frame *f);

/* The summary line of the log (and what JSON output is made from). */
struct json *report_summary_json(struct report *r, bool restored);

/*
 * The figures of the whole run, which a line "result" of an experiment has:
 * from_t, to_t, frames, job, all_jobs and device as in the summary.
 */
struct json *report_result_json(struct report *r);

/*
 * Print the results per job and per segment, and before/after of each event.
 * format is a name of report_formats[]; header may be NULL.
 */
struct report_format {
	const char *name; /* "text", "json", "csv" */
	const char *help;
	/* One run; NULL: it compares runs only. */
	void (*print)(struct report *r, const struct header *h, FILE *out);
	/* Several runs; NULL: it prints one. */
	void (*pivot)(const struct pivot *p, FILE *out);
	/* Beside the figures of a publication; NULL: it does not. */
	void (*reference)(const struct reference *ref, FILE *out);
	/* Every frame of a log; print and pivot are NULL then. header: its
	 * first line. first: none was printed yet. */
	void (*begin)(struct json *header, FILE *out);
	void (*frame)(const struct frame *f, bool first, FILE *out);
	void (*end)(FILE *out);
	bool with_course; /* it draws how a run went: give it the course */
};

extern const struct report_format report_formats[];
extern const size_t n_report_formats;

const struct report_format *report_format_find(const char *name);

/* A figure in words, its sign first: "+ r/s of loop0 1234 -> 1500, +21.6 %
 * (+18.0 to +25.0)". Returns buf. */
char *report_figure_words(const struct figure *f, char *buf, size_t size);

#endif
