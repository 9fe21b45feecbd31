/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page: the content of all reports. A page begins with its result, then has
 * what happened, then the figures; a printer of doc/ gives it its form.
 */
#pragma once

#include "doc/doc.h"
#include "report/results.h"
#include "trial/judge.h"
#include "trial/trial.h"

/*
 * page.c: the forms of a page: Markdown of 72 columns for a mail, text of 80
 * columns, the same with all details, HTML with pictures.
 */
enum page_extent { PAGE_MAIL, PAGE_TEXT, PAGE_DETAIL, PAGE_HTML };
struct doc *page_new(enum page_extent extent);
/* Print and free the page. title: of HTML. */
void page_print(struct doc *d, enum page_extent extent, const char *title,
		FILE *out);

/* One run or recording as a format; h may be NULL; extent: an enum page_extent. */
void page_run_print(struct report *r, const struct header *h, int extent,
		    FILE *out);

/* page_result.c: of an experiment the heading "Result", sentences and the table
 * "effect". looks: the factor of p for several looks. */
void page_result(struct doc *d, const struct trial *t, double looks,
		 const char *named);
/* Say which runs count in no mean; named: the invalid ones with their values,
 * or NULL. */
void page_left_out(struct doc *d, const struct trial *t, const char *named);

/* The class of a verdict: proved better is good. */
enum doc_class page_class(const struct judge_verdict *v, int better);

/* What more blocks would bring. A zeroed struct is empty. */
struct page_need {
	bool few; /* too few blocks for a verdict */
	unsigned blocks; /* find a difference of pct; 0: not known */
	double pct;
};

void page_need_add(struct page_need *need, const struct judge_verdict *v);
/* Say it, with the command for it. log: of a sweep, or NULL. */
void page_need_say(struct doc *d, const struct page_need *need,
		   const char *log);

/*
 * page_pivot.c: a comparison of runs, with more in a form that has the room;
 * then the same as formats.
 */
struct pivot;
void page_pivot_print(const struct pivot *p, int extent, FILE *out);
/* At the end of a sweep: the result and the first metric, as text. */
void page_pivot_end(const struct pivot *p, FILE *out);
/* A log as a fact: its name, bytes and hash; a mail has no folders. */
struct runs_log;
void page_log(struct doc *d, const struct runs_log *log,
	      enum page_extent extent);

/* Parts of the page of a run. */

/* page_jobs.c: a line per operation of each job; all: also the sums of groups
 * and the words about each job. */
void page_jobs(struct doc *d, const struct window *w, bool all);
/* Append the damaged blocks that verify found, by class: ": 1 zero, 2 torn". */
void page_jobs_damage(struct doc *d, const struct job_sum *job);
/* The percentiles that the jobs of a header ask for. */
void page_jobs_percentiles(struct doc *d, struct window *w, const struct header *h);
/* What kind of disk the latencies belong to, where one I/O at a time shows it. */
void page_jobs_class(struct doc *d, struct window *w, const struct header *h);
/* The busiest devices in one sentence, where no table is worth its lines. */
void page_jobs_meanwhile(struct doc *d, const struct window *w);
/* Which devices a table has. */
struct page_devices {
	const char *own; /* those of the jobs, between blanks: they come first;
			    "": not known, so that all are */
	size_t most, others; /* how many of them and of the others, the busiest */
	bool discards; /* with columns of discards */
};

/* Devices with I/O. */
void page_jobs_devices(struct doc *d, const char *title, const struct window *w,
		       const struct page_devices *list);
/* Whether the table needs the columns of discards: with jobs, only if a job
 * discards. */
bool page_jobs_discards(const struct window *w);
bool page_jobs_any(const struct window *w);
/* Whether a job ended an operation that counts. */
bool page_jobs_measured(const struct window *w);
/* Whether jobs read, wrote or discarded anything themselves. */
bool page_jobs_moves(const struct window *w);

/* page_changes.c: a sentence on each change, and how many are not judged. */
void page_changes(struct doc *d, struct report *r);
/* As detail, the changes of other programs that are not judged. */
void page_changes_others(struct doc *d, const struct report *r);
/* The segments between changes, and the figures of each change. */
void page_changes_segments(struct doc *d, struct report *r);

/* trouble.c: the alarms and the worst minutes; minutes only without jobs and of
 * two or more. This ends the minute under way. */
void trouble_page(struct doc *d, struct trouble *t, bool jobs);
/* The same in a sentence or two. */
void trouble_result(struct doc *d, struct trouble *t, bool jobs,
			 double seconds);

/* periods_print.c: the verdicts on the rates of a live crossover, a sentence each,
 * and its figures. Nothing without variants. */
void periods_result(struct doc *d, const struct periods *p);
void periods_page(struct doc *d, const struct crossover *x);
