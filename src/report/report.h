/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report: computes the results of a run from its frames.
 *
 * A report takes every frame, live or from a log. It cuts the run into segments
 * at changes, sums up each segment per job and per device, and computes the
 * effect of each change.
 */
#pragma once

#include <stdio.h>

#include "base/json.h"
#include "model/assertion.h"
#include "trial/crossover.h"
#include "trial/effect.h"
#include "model/frame.h"
#include "model/header.h"

struct course;
struct fleet;
struct pivot;
struct reference;
struct report;

struct report *report_new(void);
void report_free(struct report *r);

/* Add a frame; frames of a job's ramp or layout do not count for that job. */
void report_add(struct report *r, const struct frame *f);

/*
 * The changes so far by operator, plan or another program, oldest first, with
 * the figures before and after. Side effects and restores are left out, and so
 * are changes of a sweep or crossover, which have their own reports. The array
 * of *n elements lives until the next report_add().
 */
const struct effect *report_effects(struct report *r, size_t *n);

/* The live crossover, empty if there was none. Borrowed. */
const struct crossover *report_crossover(const struct report *r);

/*
 * The segments of the run so far, the whole run first. The array of *n elements
 * lives until the next report_add().
 */
const struct segment_info *report_segments(struct report *r, size_t *n);

/*
 * Compare a segment with another one, of the same run or of two; false when
 * there is no such segment. Between two runs, the intervals of the changes
 * cover the noise within each run, not the differences from run to run.
 */
bool report_compare(const struct report *before, size_t i,
		    const struct report *after, size_t j, struct effect *out);

/* Add assertions for the results; they are copied. */
void report_assert(struct report *r, const struct assertions *a);
/* The same for those that the report does not have yet. */
void report_assert_too(struct report *r, const struct assertions *a);
/* Set the header of the log, which checks need; borrowed. Adds the assertions
 * of its jobs. */
void report_header(struct report *r, const struct header *h);

/* Set the course of the run, for a format that draws it; borrowed. */
void report_show_course(struct report *r, const struct course *course);
/* Set the log, for a format that names it; borrowed. */
struct runs_log;
void report_show_log(struct report *r, const struct runs_log *log);

/* Make no checks: an experiment checks each of its runs. */
void report_no_checks(struct report *r);
/*
 * Store new findings of checks as events, at most max; while jobs run, only
 * those of live checks. Returns their number. The run must be under way.
 */
size_t report_take_checks(struct report *r, const struct header *h,
			  struct event *event, size_t max);
/*
 * "PASS: ..." or "FAIL: ..." of these assertions by the results so far, with the
 * sentence of the first that decides; "" without any. Returns buf.
 */
char *report_verdict(struct report *r, const struct assertions *a, char *buf,
		     size_t size);
/* The number of failed assertions. words: the sentence of the first, with the
 * number of the others; may be NULL. */
size_t report_failed_assertions(struct report *r, char *words, size_t size);

/* Note that no job began, because of this error (an errno). */
void report_never_began(struct report *r, int error);

/* Note that the run was ended before its end: by "SIGTERM", "the operator". */
void report_ended_by(struct report *r, const char *by);
/* Note that a run of a sweep failed each time, and why; "": not known. */
void report_lost_run(struct report *r, const char *why);
/* "ended by SIGTERM after 0.8 of 2 s", or "" if it was not. Returns buf. */
char *report_ended_words(const struct report *r, char *buf, size_t size);

/*
 * The frame for a screen: rows of jobs that are over have the figures of their
 * entire run (rates, latencies, errors) instead of the interval's. It borrows
 * all else from f, which may be NULL, and is valid until the next call.
 */
const struct frame *report_with_totals(struct report *r, const struct frame *f);

/* The summary line of the log (and what JSON output is made from). */
struct json *report_summary_json(struct report *r, bool restored);

/*
 * The figures of the whole run, as in a line "result" of an experiment: from_t,
 * to_t, frames, job, all_jobs and device.
 */
struct json *report_result_json(struct report *r);

/* A format of results; the header of a log may be NULL. */
struct report_format {
	const char *name; /* "text", "json", "csv" */
	const char *help;
	/* how: the argument of print() and pivot(): the extent of a page
	 * (page.h), or the version of a format of fio. all: the same with all
	 * details; 0: the format has no more. */
	int how, all;
	/* Prints one run; NULL: the format only compares runs. */
	void (*print)(struct report *r, const struct header *h, int how,
		      FILE *out);
	/* Prints a comparison of runs; NULL: the format has none. */
	void (*pivot)(const struct pivot *p, int how, FILE *out);
	/* Prints runs beside published figures; NULL: the format does not. */
	void (*reference)(const struct reference *ref, int how, FILE *out);
	/* Prints a fleet; NULL: the format does not. */
	void (*fleet)(const struct fleet *f, int how, FILE *out);
	/* Print every frame of the logs in one document; print and pivot are
	 * NULL then. header: the first line of a log. first: the first log
	 * that is printed, the first printed frame of a log. begin returns
	 * state for the others, which end frees. close ends the document. */
	void *(*begin)(struct json *header, bool first, bool all, FILE *out);
	void (*frame)(void *state, const struct frame *f, bool first,
		      FILE *out);
	void (*end)(void *state, FILE *out);
	void (*close)(FILE *out);
	bool one_run; /* a document cannot hold two runs */
	bool with_course; /* the format draws the course of a run */
};

extern const struct report_format report_formats[];
extern const size_t n_report_formats;

const struct report_format *report_format_find(const char *name);

/* A figure in words, its sign first: "+ r/s of loop0 1234 -> 1500, +21.6 %
 * (+18.0 to +25.0)". Returns buf. */
char *report_figure_words(const struct figure *f, char *buf, size_t size);
