/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot: runs as tables of rows by columns, one table per metric, and
 * comparisons of the columns with one of them.
 *
 * A cell holds the runs of one row and one column, one observation per block
 * (or per run that is of no block). Comparisons are by pairs in blocks where
 * both columns have two blocks or more, else by Welch's test, both on logs
 * (model/stats/difference.h). Where the kernel differs between the columns a boot is
 * the observation: its runs are averaged. All judged comparisons are one
 * family.
 *
 * With error_pooled the error is that of all columns of a row together. A
 * metric that the plan of the runs does not name is exploratory: it has
 * intervals and no verdict.
 *
 * A key that no row, column or filter names and that has several values in one
 * cell is merged there: that cell gets no verdict.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attributes.h"
#include "base/json.h"
#include "base/text.h"
#include "doc/doc.h"
#include "trial/judge.h"
#include "trial/trial.h"
#include "model/stats/blocks.h"
#include "model/stats/difference.h"
#include "model/stats/power.h"
#include "report/pivot/runs.h"

/* Texts are borrowed; a zeroed struct asks for nothing. */
struct pivot_options {
	const char *rows, *cols;   /* keys, comma-separated; NULL: chosen */
	const char *metric;        /* metrics, comma-separated; NULL: chosen */
	const char *const *filter; /* "KEY=VALUE,VALUE" or "KEY!=VALUE" */
	size_t n_filters;
	const char *base;     /* the column, or row, to compare with */
	const char *correct;  /* of pivot_corrections; NULL: holm */
	const char *error;    /* of pivot_errors; NULL: own */
	double margin;        /* of equivalence, 0.02: 2 %; 0: none */
	bool of_plan; /* only the metric that the plan of a sweep compares */
	/* The log and the options that --resume needs; NULL: the only log. */
	const char *resume;
	bool simultaneous;    /* intervals that hold all at once */
	bool include_invalid; /* average invalid runs, too */
};

/* A row or column: its values, and the name that is printed. */
struct pivot_head {
	const char **value; /* one per key */
	const char *name;
	size_t added; /* its place among the heads before they were sorted */
};

struct pivot_heads {
	const char **key;
	size_t n_keys;
	const char *title; /* the keys, blank-separated */
	struct pivot_head *head;
	size_t n, cap;
};

struct pivot_cell {
	size_t runs; /* attempted runs */
	size_t used; /* runs whose figure counts */
	size_t n;    /* observations: the same, or boots */
	size_t failed; /* did not end; of them: */
	size_t timeouts, skipped;
	size_t invalid;
	double limit_s;      /* of a time-out */
	double median;       /* time-outs count as longer; NaN: they reach it */
	struct judge_mean m; /* over observations */
	const double *value; /* by unit; NaN: none */
	struct judge_verdict v; /* against the base of its row; of that: empty */
	bool drifts; /* the drift is greater than the difference */
};

/* Runs of a kind against all others, by their residuals: the first block, the
 * first runs of the blocks, the runs after those of a column (carry-over). */
struct pivot_group {
	const char *name;
	struct difference d; /* on the scale of the drift */
	double p;            /* after Holm, of the groups of the table */
};

/* A run that is far off; marked, never removed. */
struct pivot_outlier {
	size_t cell, unit;
	double z;
};

/* Of a column, over all rows that both columns have: ratio of speeds, above 1
 * is better. */
struct pivot_geomean {
	double ratio, low, high; /* low, high: NaN without blocks */
	double without;          /* the row "most"; NaN: one row */
	size_t used, left_out, most;
	size_t better, worse, undecided;
};

struct pivot_table {
	size_t metric;          /* of runs.metric[] */
	size_t of;              /* of the trial's */
	const char *name;
	int better;
	struct pivot_cell *cell;
	double *value; /* cell * n_units + unit */
	struct blocks_drift drift; /* p: NaN where it is not known */
	bool logs; /* all values are above 0 */
	bool valued; /* a run that counts has a value */
	struct pivot_group *group; /* none without blocks */
	size_t n_groups;
	double spread;    /* pooled: greatest sd of a column over the smallest */
	bool exploratory; /* no metric of the plan */
	bool beside;      /* shown only: the response, or the sync, is judged */
	struct pivot_outlier *outlier;
	size_t n_outliers;
	struct pivot_geomean *geomean; /* by column; NULL: one row */
};

#define PIVOT_PCTS      4
#define PIVOT_LATENCIES 6

/* The percentiles of an operation as tables; name NULL: not in the logs. Their
 * intervals are of 95 % each, without a correction. */
struct pivot_latency {
	const char *operation, *name; /* "job.scan.read", "read of job scan" */
	struct pivot_table pct[PIVOT_PCTS];
	unsigned known;
};

/* "p50", ... "p99.9". */
extern const char *const pivot_latency_name[PIVOT_PCTS];

/* A key whose values differ between the columns, in words: "256 (bfq), 128
 * (none, kyber)". */
struct pivot_differ {
	const char *key, *words;
};

struct pivot {
	struct runs *runs; /* borrowed */
	struct arena arena;
	struct trial trial; /* the runs that take part; a unit is a block */
	const struct runs_run **run; /* by run of the trial */
	struct pivot_heads rows, cols;
	size_t n_cells; /* a cell is row * cols.n + col */
	bool list; /* rows only: the compared variants are in cols */
	size_t base;
	const char **unit; /* "block 3", "run 7", "boot 1a2b3c4d" */
	size_t n_units, cap_units;
	double *position;    /* cell * n_units + unit */
	bool boots;          /* the unit is a boot */
	const char **merged; /* by cell: keys, or NULL */
	struct pivot_table *table;
	size_t n_tables;
	struct pivot_latency *latency; /* of the operations in the tables */
	size_t n_latencies;
	size_t family;  /* comparisons that are corrected together */
	size_t correct; /* of pivot_corrections */
	double margin;
	bool include_invalid, pooled, simultaneous;
	bool planned; /* a plan named the metrics before the runs */
	size_t n_blocks, split; /* blocks that more than one run share */
	size_t lost;            /* runs that were cut off and repeated */
	size_t replaced;        /* runs before those of --confirm */
	enum power_stop stop;   /* the rule that ended the sweep */
	bool listed;            /* the order of runs was not random */
	struct pivot_differ *differ;
	size_t n_differ, cap_differ;
	struct pivot_differ *held; /* keys of one value; words is it */
	size_t n_held, cap_held;
	struct doc *result; /* what the page begins with, or NULL */
	const char *resume; /* of the options */
	const char *left_out; /* invalid runs, in words; NULL: none */
};

/*
 * Make the tables. 0, or -EINVAL with a sentence: a key, a metric or a base
 * that is not there, or no run is left. Call pivot_free() in either case.
 */
int pivot_make(struct pivot *p, struct runs *r,
	       const struct pivot_options *o) must_check;
void pivot_free(struct pivot *p);

/* The names of corrections and errors. */
extern const struct text_word pivot_corrections[], pivot_errors[];

const struct pivot_cell *pivot_cell(const struct pivot *p,
				    const struct pivot_table *t, size_t row,
				    size_t col);
/* The cell of the base in the row of a cell. */
size_t pivot_base(const struct pivot *p, size_t cell);

/* The most checks of a run. */
#define PIVOT_CHECKS 64

/* The check of that name of a run, or NULL. */
const struct runs_check *pivot_check(const struct runs_run *run,
				     const char *name);

struct pivot_check_count {
	const char *name;
	size_t runs, notes, invalid;   /* checked runs */
	const struct runs_run *first; /* run with a finding, or NULL */
	const struct runs_run *noted; /* run with a note, or NULL */
};

/* The findings of all checks of the runs, in the order of the runs' lists, in
 * count[PIVOT_CHECKS]. Returns their number. */
size_t pivot_checks(const struct pivot *p, struct pivot_check_count *count);
/* Count the findings of a check in a cell; PIVOT_NOWHERE: in all cells. */
struct pivot_check_count pivot_check_count(const struct pivot *p,
					   const char *name, size_t cell);

/* Print for programs; several logs may be in it. csv: a line per run and metric;
 * csv_cells: a line per cell and its comparison. */
void print_pivot_csv(const struct pivot *p, int how, FILE *out);
void print_pivot_csv_cells(const struct pivot *p, int how, FILE *out);
void print_pivot_json(const struct pivot *p, int how, FILE *out);

/* Print which facts differ between the two logs, and count the others. */
void pivot_differ_print(struct runs *r, FILE *out);

/*
 * Reference (reference.c): the figures of a publication beside the runs of a
 * log.
 */

struct reference;

/*
 * Compare the runs with a reference; kernels are compared apart. text is
 * untrusted. Runs that a check found invalid count with include_invalid only.
 * 0 with *out to be freed, or -EINVAL with a sentence.
 */
int reference_new(struct reference **out, struct runs *r, const char *name,
		  const char *text, bool include_invalid) must_check;
void reference_free(struct reference *ref);

/* Print a page of an extent of page.h; one JSON object. */
void reference_print(const struct reference *ref, int extent, FILE *out);
void reference_print_json(const struct reference *ref, int how, FILE *out);

/* Pivot figure (pivot_figure.c): the numbers of a pivot as texts for people. */

/* A unit that all figures of a row share: value * scale, then the unit. */
struct pivot_figure {
	double scale;
	const char *unit; /* "k", "ms", "MiB/s"; "" */
};

/* The unit for values about as great as typical; the key names the unit. */
struct pivot_figure pivot_figure_of(const char *metric, double typical);

/* "paired", "welch", "none". */
const char *pivot_figure_method_name(const struct difference *d);

/* "61.2": with so many digits that half has two; half may be NaN. */
struct text_short pivot_figure_text(const struct pivot_figure *f, double value,
				    double half);

/* A single value with its unit, "60.7k": between both a text, "" or " ". */
struct text_short pivot_figure_value(const char *metric, double value,
				     const char *between);

/* Half of the interval of a mean: "4.6 %", "x2.3" on logs, else "6.4", with a
 * unit of one letter "6.4k". */
struct text_short pivot_figure_half(const struct pivot_figure *f,
				    const struct judge_mean *m);
/* The mean, with so many digits that half of its interval has two. */
struct text_short pivot_figure_mean(const struct pivot_figure *f,
				    const struct judge_mean *m);

/* ".026", "<.001", "-". */
struct text_short pivot_figure_p(double p);

/* "read_iops of job rand, more is better". */
struct text_line pivot_figure_title(const struct pivot_table *t);

/* "5", "4/5" where runs failed or were left out, "-". */
struct text_short pivot_figure_n(const struct pivot_cell *c);

/* In place of a mean: "X" where no run ended, "> 120 s" where a limit ended
 * them, "-" where they have no such figure. */
struct text_short pivot_figure_hole(const struct pivot_table *t,
				    const struct pivot_cell *c);

/* A comparison as a sentence without its subject, as judge_sentence(), with its
 * limits. */
char *pivot_figure_sentence(const struct pivot *p, const struct pivot_table *t,
			    const struct pivot_cell *c, char *buf,
			    size_t size);

/* Whether the mean of a cell is a lower bound only: a time, and runs reached
 * the limit. */
bool pivot_figure_is_bound(const struct pivot_table *t,
			   const struct pivot_cell *c);

/*
 * The difference in each block, and what an analysis without blocks would say:
 * "By block: +4.6 % +5.5 %; without blocks the interval is -0.9 to +10.5". NULL:
 * not paired, not of logs, or more than 15 blocks.
 */
char *pivot_figure_blocks(const struct pivot *p, const struct pivot_table *t,
			  size_t cell, char *buf, size_t size);

/* How the comparisons were made, in one sentence. */
char *pivot_figure_method(const struct pivot *p, char *buf, size_t size);

/* Parts: functions that the files of the pivot share. */

#define PIVOT_NOWHERE SIZE_MAX

/* The rows of pivot_corrections. */
enum { PIVOT_HOLM, PIVOT_ROW };

/* pivot_choose.c: keys of rows and columns, and the metrics. */
int pivot_choose_keys(struct pivot *p, const struct pivot_options *o,
		      const bool *part) must_check;
int pivot_choose_metrics(struct pivot *p,
			 const struct pivot_options *o) must_check;

/* pivot.c: the values and means of a table whose metric is set. */
void pivot_fill_table(struct pivot *p, struct pivot_table *t);
void pivot_free_table(struct pivot_table *t);

/* pivot_latencies.c: the percentiles of the operations in the tables. */
void pivot_latency_make(struct pivot *p);
void pivot_latency_free(struct pivot *p);

/* pivot_order.c: what the order of the runs did to a table. */
void pivot_order_find(struct pivot *p, struct pivot_table *t);
/* pivot_judge.c: compare, correct, and the figures below the table. */
void pivot_judge_table(struct pivot *p, struct pivot_table *t);
void pivot_judge_family(struct pivot *p);

/* pivot_trial.c: what the page begins with, to be freed: the result by axis, the
 * runs that do not count, what more blocks would bring; NULL: nothing. */
struct doc *pivot_trial_result(struct pivot *p);
/* What more blocks would bring to the first figure, where one has no verdict. */
void pivot_trial_need(const struct pivot *p, struct doc *d);

/* pivot_keys.c: what is merged in a cell, and differs between columns. */
void pivot_keys_find(struct pivot *p);
/* Whether the rows or columns differ by that key. */
bool pivot_has_key(const struct pivot_heads *h, const char *key);

/* Whether a list ("none,bfq") holds the word; NULL holds none. */
bool pivot_lists(const char *list, const char *word);
