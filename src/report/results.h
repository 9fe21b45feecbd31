/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results: the results of a report, and the one list of figures that every
 * output format walks.
 */
#pragma once

#include "report/checks.h"
#include "report/course.h"
#include "report/periods.h"
#include "report/report.h"
#include "report/segment.h"
#include "report/trouble.h"
#include "report/window.h"

/*
 * Groups: devices while the jobs of a group ran, without layout and ramp. A
 * group is fio's: it begins at a stonewall or new_group, and its jobs are
 * reported together.
 */

struct group_devices {
	unsigned id;
	struct window devices;
};

/* A zeroed struct is valid and empty. */
struct groups {
	struct group_devices *list; /* in the order in which they ran */
	size_t n, cap;
};

/* Add the devices of a frame to each group that ran in it. */
void results_add_groups(struct groups *g, const struct digest *d);
/* The devices of a group; NULL when no whole interval was its own. */
const struct window *results_devices(const struct groups *g, unsigned id);
void results_free_groups(struct groups *g);

#define CHECK_TOLD 64

struct report {
	struct digest digest; /* the frame that is added */
	struct segments segments;
	struct window *total; /* of segments.whole */
	struct effects effects;
	struct window load; /* devices only, while a job ramps or runs */
	struct groups groups; /* devices while each group ran */
	struct window clones; /* of jobs without group_reporting */
	struct checks checks;
	bool without_checks;
	bool told[CHECK_TOLD]; /* by row of the table: it was an event */
	const struct header *header; /* borrowed, or NULL */
	struct event *said; /* EVENT_RESULT: lines of jobs' own summaries */
	size_t n_said, cap_said;
	struct event *other; /* changes by other programs, not judged */
	size_t n_others, cap_others, others_left_out;
	char ended_by[96]; /* "SIGTERM": the run was ended before its end */
	size_t lost_runs; /* of a sweep, which failed each time */
	char lost_words[300]; /* why the first one did */
	struct trouble trouble; /* alarms, and the worst minutes */
	struct periods periods; /* of a live crossover */
	struct assertions assertions;
	const struct course *course; /* borrowed, or NULL */
	const struct runs_log *log; /* borrowed, or NULL */
	int error;          /* why the jobs never began, an errno; or 0 */
	struct frame shown; /* report_with_totals(); its tables are borrowed */
	struct arena arena; /* of its jobs */
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

/*
 * The keys that the results of a job can have which does these operations (bits
 * 1u << enum job_op); a failed one has fewer. The values mean nothing.
 */
void results_keys(unsigned ops, struct results *out);
/* Replace the results by those of a job or device row of a window. */
void results_of(const struct window_row *row, struct results *out);
void results_free(struct results *r);

/* Whether a row is worth printing: jobs always, devices that had I/O. */
bool results_shown(const struct window_row *row);

/* The number of segments to print, without an empty last one. */
size_t results_segments(const struct report *r);

/*
 * Call fn for each assertion with its outcome by a result object; words is the
 * sentence of a failure, or the figure.
 */
void results_judge(const struct assertions *a, struct json *result,
		   void (*fn)(const struct assertion *a,
			      const struct assertion_outcome *o,
			      const char *words, void *arg),
		   void *arg);
/* The facts that the checks of a report judge. */
struct check_case results_case(const struct report *r);

/* The number of failed assertions; words as report_failed_assertions(). */
size_t results_failed(const struct assertions *a, struct json *result,
		      char *words, size_t size);
/* Whether an assertion of the record "result" failed when it was made, or else one
 * of these fails; words: the first one. */
bool results_unmet(const struct assertions *a, struct json *result, char *words,
		   size_t size);
/* Add "assertion", a list of all outcomes, to the object. */
void results_put_assertions(const struct assertions *a, struct json *result);

/* The formats. */
void print_json(struct report *r, const struct header *h, int how, FILE *out);
void print_csv(struct report *r, const struct header *h, int how, FILE *out);
void print_export_junit(struct report *r, const struct header *h, int how,
			FILE *out);
void print_export_openmetrics(struct report *r, const struct header *h,
			      int how, FILE *out);
void *print_iostat_report(struct json *header, bool first, bool all, FILE *out);
void print_iostat_frame(void *state, const struct frame *f, bool first,
			FILE *out);
void print_iostat_end(void *state, FILE *out);
void print_iostat_close(FILE *out);
/* print_perfetto.c: all: every figure of every interval, not a few a second. */
void *print_perfetto_begin(struct json *header, bool first, bool all,
			   FILE *out);
void print_perfetto_frame(void *state, const struct frame *f, bool first,
			  FILE *out);
void print_perfetto_end(void *state, FILE *out);
void print_perfetto_close(FILE *out);

/* The figures of the whole run only: from_t, to_t, frames, job, all_jobs,
 * device. */
struct json *print_json_result(struct report *r);

/* Add the rows of a window: job, all_jobs, device, and the means of CPU, memory,
 * pressure and of the program itself; groups: with those of jobs, or NULL. */
void print_json_window(struct json *to, const struct window *w,
		       const struct report *groups);

/* The summary without "restored", which only a live run knows. */
struct json *print_json_summary(struct report *r);
