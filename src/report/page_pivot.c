/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page, a comparison of runs: its result, then a part per metric, the checks,
 * what differs, and how it was computed. A mail has less of it than a terminal,
 * a page with pictures more.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "model/header.h"
#include "report/page.h"
#include "report/pivot/pivot.h"
#include "report/print/html.h"

/* With more comparisons, a page of text has no sentence on each: the table has
 * marks. */
#define SENTENCES 12
/* A page with pictures says the most important ones. */
#define MOST_SENTENCES 24
/* Equal keys that are named. */
#define HELD_NAMED 6
/* Logs that are named with their hash. */
#define LOGS_NAMED 4
#define DIFFER_NAMED 12

/* The mark of a comparison: better, worse, the same, unknown. */
static const char *page_pivot_mark(const struct pivot_table *t,
				   const struct pivot_cell *c)
{
	const int sign = judge_sign(&c->v);

	if (c->v.why)
		return "?";
	if (!sign)
		return c->v.is == DIFFERENCE_EQUIVALENT ? "=" : "~";
	return !t->better ? "*" : sign > 0 ? "▲" : "▼";
}

/* --- tables --- */

static double page_pivot_typical(const struct pivot *p,
				 const struct pivot_table *t, size_t row)
{
	const struct pivot_cell *c = pivot_cell(p, t, row, p->base);

	for (size_t i = 0; !isfinite(c->m.mean) && i < p->cols.n; i++)
		c = pivot_cell(p, t, row, i);
	return c->m.mean;
}

/* Append a mean with its unit, or why there is none. */
static void page_pivot_mean(struct doc *d, const struct pivot_table *t,
			    const struct pivot_cell *c,
			    const struct pivot_figure *f)
{
	if (!c->n)
		doc_words(d, "%s", pivot_figure_hole(t, c).text);
	else
		doc_words(d, "%s%s%s", pivot_figure_is_bound(t, c) ? "≥" : "",
			  pivot_figure_mean(f, &c->m).text, f->unit);
}

/* The cells of a comparison: change, interval, p, verdict. */
static void page_pivot_compare(struct doc *d, const struct pivot_table *t,
			       const struct pivot_cell *c, bool base,
			       enum page_extent extent)
{
	const bool none = !base && c->v.d.method == DIFFERENCE_NONE;

	if (base || none) {
		doc_text(d, DOC_PLAIN, "%s", none ? "-" : "base");
		doc_text(d, DOC_PLAIN, "%s", none ? "-" : "");
		doc_text(d, DOC_PLAIN, "%s", none ? "-" : "");
	} else {
		doc_text(d, DOC_PLAIN, "%s",
			 difference_percent_words(c->v.d.logs ? c->v.d.diff
							      : NAN)
				 .text);
		doc_text(d, DOC_PLAIN, "%s",
			 difference_interval_words(&c->v.d).text);
		doc_text(d, DOC_PLAIN, "%s", pivot_figure_p(c->v.p).text);
	}
	/* A mail has no room for it: the sentences have it. */
	if (extent == PAGE_MAIL)
		return;
	if (base)
		doc_text(d, DOC_PLAIN, "%s", "");
	else if (extent == PAGE_TEXT)
		doc_text(d, DOC_PLAIN, "%s", page_pivot_mark(t, c));
	else
		doc_text(d, page_class(&c->v, t->better), "%s",
			 none || c->v.why ? "no verdict"
					     : judge_words(&c->v, t->better));
}

/* A row of a cell: its mean, and the comparison with the base. */
static void page_pivot_cell(struct doc *d, const struct pivot *p,
			    const struct pivot_table *t, size_t cell,
			    enum page_extent extent)
{
	const struct pivot_cell *c = &t->cell[cell];
	const struct pivot_figure f = pivot_figure_of(
		t->name, page_pivot_typical(p, t, cell / p->cols.n));
	const bool base = cell == pivot_base(p, cell);

	doc_row(d);
	doc_text(d, DOC_PLAIN, "%s", html_chart_variant(p, cell).text);
	if (base)
		doc_words(d, "%s", extent == PAGE_HTML ? " (base)" : " =");
	doc_text(d, DOC_PLAIN, "%s", "");
	page_pivot_mean(d, t, c, &f);
	if (extent != PAGE_MAIL)
		doc_text(d, DOC_PLAIN, "%s", pivot_figure_half(&f, &c->m).text);
	doc_text(d, DOC_PLAIN, "%s", pivot_figure_n(c).text);
	if (extent != PAGE_MAIL)
		doc_number(d, c->m.se_pct, DOC_PLAIN,
			   isfinite(c->m.se_pct) ? "%.1f" : "-", c->m.se_pct);
	page_pivot_compare(d, t, c, base, extent);
}

static void page_pivot_cells(struct doc *d, const struct pivot *p,
			     const struct pivot_table *t,
			     enum page_extent extent)
{
	doc_table(d, "Means and comparisons", "", 0);
	doc_column(d, "name", p->list ? p->cols.title : "variant", DOC_LEFT);
	doc_column(d, "mean", "mean", 0);
	if (extent != PAGE_MAIL)
		doc_column(d, "half", "±", 0);
	doc_column(d, "n", "N", 0);
	if (extent != PAGE_MAIL)
		doc_column(d, "se_pct", "SE%", 0);
	doc_column(d, "change", "change", 0);
	doc_column(d, "interval", "its interval", 0);
	doc_column(d, "p", "p", 0);
	if (extent != PAGE_MAIL)
		doc_column(d, "verdict", extent == PAGE_TEXT ? "" : "verdict",
			   DOC_LEFT);
	for (size_t i = 0; i < p->n_cells; i++)
		if (t->cell[i].runs || p->list)
			page_pivot_cell(d, p, t, i, extent);
}

/* Columns of a grid that a page of text has room for. */
#define GRID_COLUMNS 3

static void page_pivot_value(struct doc *d, const struct pivot *p,
			     const struct pivot_table *t, size_t row,
			     size_t col)
{
	const struct pivot_cell *c = pivot_cell(p, t, row, col);
	const struct pivot_figure f =
		pivot_figure_of(t->name, page_pivot_typical(p, t, row));

	doc_text(d, DOC_PLAIN, "%s", "");
	page_pivot_mean(d, t, c, &f);
	if (!c->n)
		return;
	if (isfinite(c->m.low))
		doc_words(d, " ±%s", pivot_figure_half(&f, &c->m).text);
	doc_words(d, " %3s%s", pivot_figure_n(c).text,
		  p->merged[row * p->cols.n + col] ? "?" : "");
}

/* In per cent; a bound beyond it says nothing. */
#define MOST_EXCLUDED 1e4

/* With the interval where there are few columns, else with what is excluded. */
static void page_pivot_change(struct doc *d, const struct pivot *p,
			      const struct pivot_table *t, size_t row,
			      size_t col)
{
	const struct pivot_cell *c = pivot_cell(p, t, row, col);
	const double excluded = difference_excluded_pct(&c->v.d);
	const struct text_short below = difference_below_words(excluded);

	if (c->v.d.method == DIFFERENCE_NONE) {
		doc_text(d, DOC_PLAIN, "-");
		return;
	}
	doc_text(d, page_class(&c->v, t->better), "%s %s",
		 page_pivot_mark(t, c),
		 difference_change_words(c->v.d.logs ? c->v.d.diff : NAN).text);
	if (p->cols.n <= GRID_COLUMNS)
		doc_words(d, " (%s)", difference_interval_words(&c->v.d).text);
	else if (!c->v.why && c->v.is == DIFFERENCE_UNDECIDED &&
		 excluded < MOST_EXCLUDED)
		doc_words(d, " (<%.*s)", (int)strcspn(below.text, " "),
			  below.text);
}

/* "x1.042", "x454", ">x999". */
static struct text_short page_pivot_ratio(double ratio)
{
	return !isfinite(ratio) ? text_shortly("-")
	       : ratio < 10     ? text_shortly("x%.3f", ratio)
				: difference_change_words(log(ratio));
}

/* The rows under the changes: one figure of all rows, without its most
 * influential one, and the counts of verdicts. */
static void page_pivot_means(struct doc *d, const struct pivot *p,
			     const struct pivot_table *t, size_t from,
			     size_t to)
{
	static const char *const name[] = { "geometric mean", " without",
					    "better/worse/?" };

	for (size_t i = 0; i < ARRAY_SIZE(name) && t->geomean; i++) {
		doc_row(d);
		doc_text(d, DOC_PLAIN, "%s", name[i]);
		for (size_t col = from; col < to; col++) {
			const struct pivot_geomean *g = &t->geomean[col];

			if (col == p->base)
				continue;
			if (i == 2)
				doc_text(d, DOC_PLAIN, "%zu/%zu/%zu", g->better,
					 g->worse, g->undecided);
			else
				doc_text(d, DOC_PLAIN, "%s",
					 page_pivot_ratio(i ? g->without
							    : g->ratio)
						 .text);
		}
	}
}

/* Rows by columns, as many tables as they need: mean, half of the interval, N; or
 * the changes, where the base has no column. */
static void page_pivot_grid(struct doc *d, const struct pivot *p,
			    const struct pivot_table *t, const char *title,
			    bool changes)
{
	const bool wide = changes && p->cols.n <= GRID_COLUMNS;
	const size_t each = wide ? 2 : GRID_COLUMNS;

	for (size_t from = 0, to; from < p->cols.n; from = to, title = "") {
		to = from + each;
		to += changes && p->base >= from && p->base <= to;
		to = to < p->cols.n ? to : p->cols.n;
		doc_table(d, "grid", title, 0);
		doc_column(d, "row", p->rows.title, DOC_LEFT);
		for (size_t col = from; col < to; col++)
			if (!changes || col != p->base)
				doc_column(d, p->cols.head[col].name,
					   p->cols.head[col].name, 0);
		for (size_t row = 0; row < p->rows.n; row++) {
			doc_row(d);
			doc_text(d, DOC_PLAIN, "%s", p->rows.head[row].name);
			for (size_t col = from; col < to; col++)
				if (!changes)
					page_pivot_value(d, p, t, row, col);
				else if (col != p->base)
					page_pivot_change(d, p, t, row, col);
		}
		if (changes)
			page_pivot_means(d, p, t, from, to);
	}
}

/* The geometric means in words, with the row that "without" leaves out. */
static void page_pivot_geomean(struct doc *d, const struct pivot *p,
			       const struct pivot_table *t)
{
	size_t left_out = 0;

	for (size_t col = 0; t->geomean && col < p->cols.n; col++) {
		const struct pivot_geomean *g = &t->geomean[col];

		if (col == p->base || !isfinite(g->without))
			continue;
		doc_say(d, DOC_PLAIN, "%s: geometric mean %s",
			p->cols.head[col].name,
			page_pivot_ratio(g->ratio).text);
		if (isfinite(g->low))
			doc_words(d, " (95 %% interval %s to %s)",
				  page_pivot_ratio(g->low).text,
				  page_pivot_ratio(g->high).text);
		doc_words(d,
			  "; without %s %s; %zu better, %zu worse, %zu "
			  "undecided",
			  p->rows.head[g->most].name,
			  page_pivot_ratio(g->without).text, g->better,
			  g->worse, g->undecided);
		left_out = g->left_out;
	}
	if (left_out)
		doc_say(d, DOC_PLAIN,
			"%zu of %zu rows are not in these means: a column has "
			"no figure there.",
			left_out, p->rows.n);
}

static void page_pivot_intervals(struct doc *d, const struct pivot *p,
				 const struct pivot_table *t)
{
	doc_intervals(d, p->margin, "change and its interval%s",
		      p->margin > 0 ? "; grey: the margin" : "");
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct difference *of = &t->cell[i].v.d;

		if (of->method == DIFFERENCE_NONE || !of->logs ||
		    !isfinite(of->low) || !isfinite(of->high))
			continue;
		doc_interval(d, (unsigned)(i % p->cols.n), of->low, of->diff,
			     of->high, "%s", html_chart_variant(p, i).text);
	}
}

/* --- sentences --- */

/* What each block says, and the difference that the runs find. */
static void page_pivot_more(struct doc *d, const struct pivot *p,
			    const struct pivot_table *t, size_t cell)
{
	const struct pivot_cell *c = &t->cell[cell];
	char words[640];

	if (p->list && pivot_figure_blocks(p, t, cell, words, sizeof(words)))
		doc_words(d, " %s.", words);
	if (c->v.least_pct < 100)
		doc_words(d, " %zu blocks detect a change of %s (80 %% power).",
			  c->v.d.n_a,
			  difference_size_words(c->v.least_pct).text);
}

/* The order of the sentences: a difference, undecided, no verdict. */
static int page_pivot_rank(const struct pivot_cell *c)
{
	return c->v.why ? 2 : !judge_sign(&c->v);
}

static void page_pivot_sentences(struct doc *d, const struct pivot *p,
				 const struct pivot_table *t,
				 enum page_extent extent)
{
	const size_t most = extent == PAGE_HTML ? MOST_SENTENCES : SIZE_MAX;
	const size_t compared = p->n_cells - p->rows.n;
	const int ranks = compared > most ? 3 : 1;
	size_t put = 0, left[3] = { 0 };
	char words[640];

	/* The result says so once. */
	if (trial_all_invalid(&p->trial))
		return;
	if (extent == PAGE_TEXT && compared > SENTENCES) {
		doc_say(d, DOC_DIM,
			"▲ better, ▼ worse (significant after the "
			"correction); ~ undecided; = equivalent; ? "
			"no verdict.");
		return;
	}
	for (int rank = 0; rank < ranks; rank++)
		for (size_t i = 0; i < p->n_cells; i++) {
			const struct pivot_cell *c = &t->cell[i];

			if (!c->runs || i == pivot_base(p, i) ||
			    (ranks > 1 && page_pivot_rank(c) != rank))
				continue;
			if (put++ >= most) {
				left[rank]++;
				continue;
			}
			doc_say(d, page_class(&c->v, t->better), "%s: %s.",
				html_chart_variant(p, i).text,
				pivot_figure_sentence(p, t, c, words,
						      sizeof(words)));
			if (extent == PAGE_TEXT)
				page_pivot_more(d, p, t, i);
		}
	if (left[0] + left[1] + left[2])
		doc_say(d, DOC_DIM,
			"And in the table: %zu with a difference, %zu "
			"undecided, %zu without a verdict.",
			left[0], left[1], left[2]);
}

/* Runs that reached the limit. */
static void page_pivot_timeouts(struct doc *d, const struct pivot *p,
				const struct pivot_table *t)
{
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct pivot_cell *c = &t->cell[i];

		if (!pivot_figure_is_bound(t, c))
			continue;
		doc_say(d, DOC_PLAIN, "%s: %zu of %zu runs reached the limit",
			html_chart_variant(p, i).text, c->timeouts, c->runs);
		if (isfinite(c->limit_s))
			doc_words(d, " of %.4g s", c->limit_s);
		doc_words(d, ", so that the mean is a lower bound");
		if (isfinite(c->median))
			doc_words(d, "; the median, %s, counts %s as longer",
				  pivot_figure_value(t->name, c->median, " ").text,
				  c->timeouts == 1 ? "it" : "them");
		doc_words(d, ".");
	}
}

/* Groups of runs that differ from the others by their place. */
static void page_pivot_groups(struct doc *d, const struct pivot_table *t,
			      bool drifts)
{
	bool any = false;

	for (size_t i = 0; i < t->n_groups; i++) {
		const struct pivot_group *g = &t->group[i];
		char text[32];

		if (!(g->p < 0.05))
			continue;
		any = true;
		if (t->logs)
			text_set(text,
				 difference_percent_words(g->d.diff).text);
		else
			snprintf(text, sizeof(text), "%+.3g", g->d.diff);
		doc_say(d, DOC_PLAIN, "%s: %s against the other runs (p %s)",
			g->name, text, pivot_figure_p(g->p).text);
	}
	if (!any && t->n_groups)
		doc_say(d, DOC_DIM, "no%s effect of order or of the previous variant",
			drifts ? " other" : "");
}

static void page_pivot_drift(struct doc *d, const struct pivot *p,
			     const struct pivot_table *t)
{
	const double pct = t->logs ? difference_pct(t->drift.total) : NAN;
	const bool drifts = t->drift.p < 0.05;

	if (isfinite(pct) && isfinite(t->drift.p))
		doc_say(d, DOC_PLAIN, "drift over all runs: %+.1f %% (p %s)%s",
			pct, pivot_figure_p(t->drift.p).text,
			!drifts	      ? ", undecided"
			: p->n_blocks ? "; pairing removes it between blocks"
				      : "; the comparisons include it");
	page_pivot_groups(d, t, isfinite(pct) && drifts);
	for (size_t i = 0; i < t->n_outliers && i < 4; i++) {
		const struct pivot_outlier *o = &t->outlier[i];

		doc_say(d, DOC_PLAIN,
			"! far off (z %.1f), marked and not removed: %s, %s",
			o->z, html_chart_variant(p, o->cell).text,
			p->unit[o->unit]);
	}
	if (t->n_outliers > 4)
		doc_say(d, DOC_PLAIN, "! and %zu more", t->n_outliers - 4);
}

static void page_pivot_bars(struct doc *d, const struct pivot *p,
			    const struct pivot_table *t,
			    void (*draw)(const struct pivot *p,
					 const struct pivot_table *t,
					 FILE *out))
{
	FILE *out = doc_draw(d);

	if (!out)
		return;
	draw(p, t, out);
	doc_drawn(d);
}

/* Whether a bar stands beside that of the base: one alone compares nothing. */
static bool page_pivot_compares(const struct pivot *p,
				const struct pivot_table *t)
{
	for (size_t i = 0; i < p->n_cells; i++)
		if (i != pivot_base(p, i) && t->cell[i].n &&
		    t->cell[pivot_base(p, i)].n)
			return true;
	return p->cols.n < 2;
}

static void page_pivot_unsure(struct doc *d, size_t runs)
{
	if (runs)
		doc_say(d, DOC_DIM,
			"%zu run%s no value: fewer than ten I/Os were slower "
			"than this percentile.",
			runs, runs == 1 ? " has" : "s have");
}

static void page_pivot_metric(struct doc *d, const struct pivot *p,
			      const struct pivot_table *t, bool said,
			      enum page_extent extent)
{
	const size_t unsure = p->runs->metric[t->metric].unsure;
	char title[300];

	doc_heading(d, "%s", pivot_figure_title(t).text);
	if (unsure && !t->valued) {
		page_pivot_unsure(d, unsure);
		return;
	}
	if (extent == PAGE_HTML && !said)
		page_pivot_sentences(d, p, t, extent);
	if (p->list || extent != PAGE_TEXT) {
		page_pivot_cells(d, p, t, extent);
	} else {
		page_pivot_grid(d, p, t, "", false);
		snprintf(title, sizeof(title), "change in %%, against %s %s",
			 p->cols.title, p->cols.head[p->base].name);
		if (p->cols.n > 1)
			page_pivot_grid(d, p, t, title, true);
	}
	if (extent != PAGE_MAIL) {
		page_pivot_geomean(d, p, t);
		page_pivot_intervals(d, p, t);
		if (page_pivot_compares(p, t))
			page_pivot_bars(d, p, t, html_chart_bars);
	}
	if (extent != PAGE_HTML && !said)
		page_pivot_sentences(d, p, t, extent);
	if (extent == PAGE_MAIL)
		return;
	if (t->spread > BLOCKS_UNEVEN)
		doc_say(d, DOC_BAD,
			"warning: the runs of one column scatter %s%.2g times "
			"as much as those of another, so that a pooled error "
			"does not hold; leave --error=pooled out.",
			t->spread > 99 ? "more than " : "",
			fmin(t->spread, 99));
	page_pivot_timeouts(d, p, t);
	page_pivot_unsure(d, unsure);
	page_pivot_drift(d, p, t);
}

/* --- the result --- */

/* Name the runs that no mean includes. */
static void page_pivot_counts(struct doc *d, const struct pivot *p)
{
	size_t skipped = 0;

	for (size_t i = 0; i < p->trial.n_runs; i++)
		skipped += p->run[i]->state == RUNS_SKIPPED;
	if (skipped)
		doc_say(d, DOC_BAD, "%zu run%s skipped.", skipped,
			skipped == 1 ? " was" : "s were");
	if (p->left_out && !trial_all_invalid(&p->trial))
		doc_say(d, DOC_DIM, "Invalid, %s: %s.",
			p->include_invalid ? "and averaged all the same"
					   : "not averaged (--include-invalid)",
			p->left_out);
}

/* The name of a file without its folders. */
static const char *page_pivot_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Logs that a signal ended, and runs that fail what they assert. */
static void page_pivot_ends(struct doc *d, const struct pivot *p)
{
	const struct runs_run *first = NULL;
	size_t unmet = 0;

	for (size_t i = 0; i < p->runs->n_logs; i++) {
		const struct runs_log *log = &p->runs->log[i];

		if (!log->ended)
			continue;
		doc_say(d, DOC_BAD, "Interrupted: %s was ended by %s%s.",
			page_pivot_base(log->name), log->ended,
			log->planned ? "; iodyno sweep --resume=LOG goes on"
				     : "");
	}
	for (size_t i = 0; i < p->trial.n_runs; i++)
		if (p->run[i]->unmet && !unmet++)
			first = p->run[i];
	if (first)
		doc_say(d, DOC_BAD, "FAILED in %zu run%s: run %.0f: %s.", unmet,
			unmet == 1 ? "" : "s", first->position, first->unmet);
}

/* Returns whether the sentences of the first table are in the result. */
static bool page_pivot_result(struct doc *d, const struct pivot *p,
			      enum page_extent extent)
{
	const struct doc_item *first = p->result ? doc_at(p->result, 0) : NULL;
	const bool axes = first && first->kind == DOC_IS_HEADING;

	if (!axes)
		doc_heading(d, "Result%s%s", p->n_tables ? ": " : "",
			    p->n_tables ? pivot_figure_title(&p->table[0]).text
					: "");
	if (axes) {
		doc_append(d, p->result);
		page_pivot_ends(d, p);
	} else {
		page_pivot_ends(d, p);
		page_left_out(d, &p->trial, p->left_out);
		if (p->n_tables)
			page_pivot_sentences(d, p, &p->table[0], extent);
		pivot_trial_need(p, d);
	}
	page_pivot_counts(d, p);
	return !axes && p->n_tables;
}

/* --- checks --- */

/* The notes of the checks, each by the first run that has it. */
static void page_pivot_notes(struct doc *d, const struct pivot *p)
{
	struct pivot_check_count c[PIVOT_CHECKS];
	const size_t n = pivot_checks(p, c);

	for (size_t i = 0; i < n; i++)
		if (c[i].notes)
			doc_say(d, DOC_PLAIN,
				"note %s in %zu of %zu runs: run %.0f: %s",
				c[i].name, c[i].notes, c[i].runs,
				c[i].noted->position,
				pivot_check(c[i].noted, c[i].name)->words);
}

/* "Notes of checks: steady in 14 of 17 runs, set-size in 24 of 24." */
static void page_pivot_noted(struct doc *d, const struct pivot *p)
{
	struct pivot_check_count c[PIVOT_CHECKS];
	const size_t n = pivot_checks(p, c);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (!c[i].notes)
			continue;
		if (!any)
			doc_say(d, DOC_PLAIN, "Notes of checks: ");
		doc_words(d, "%s%s in %zu of %zu%s", any ? ", " : "", c[i].name,
			  c[i].notes, c[i].runs, any ? "" : " runs");
		any = true;
	}
	if (any)
		doc_words(d, ". See CHECKS in iodyno-report(1).");
}

/* Variants by checks, for the checks with a finding in any run. */
static void page_pivot_check_grid(struct doc *d, const struct pivot *p,
				  const struct pivot_check_count *of, size_t n)
{
	doc_table(d, "checks",
		  "Checks by variant: number of runs with a finding", 0);
	doc_column(d, "variant", "", DOC_LEFT);
	for (size_t i = 0; i < n; i++)
		doc_column(d, of[i].name, of[i].name, 0);
	for (size_t k = 0; k < p->n_cells; k++) {
		if (!p->table[0].cell[k].runs)
			continue;
		doc_row(d);
		doc_text(d, DOC_PLAIN, "%s", html_chart_variant(p, k).text);
		for (size_t i = 0; i < n; i++) {
			const struct pivot_check_count c =
				pivot_check_count(p, of[i].name, k);

			if (!c.runs)
				doc_text(d, DOC_PLAIN, "-");
			else if (c.invalid)
				doc_text(d, DOC_BAD, "invalid %zu/%zu",
					 c.invalid, c.runs);
			else if (c.notes)
				doc_text(d, DOC_PLAIN, "note %zu/%zu", c.notes,
					 c.runs);
			else
				doc_text(d, DOC_DIM, "ok");
		}
	}
}

static void page_pivot_findings(struct doc *d,
				const struct pivot_check_count *c, size_t n)
{
	static const char *const titles[] = { "check", "runs", "finding",
					      "what to do" };

	doc_table(d, "findings", "What the checks found, by an example", 0);
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		doc_column(d, titles[i], titles[i], DOC_LEFT);
	for (size_t i = 0; i < n; i++) {
		const struct check *of = checks_table_find(c[i].name);

		doc_row(d);
		doc_text(d, DOC_PLAIN, "%s", c[i].name);
		doc_text(d, DOC_PLAIN, "%zu of %zu%s", c[i].notes + c[i].invalid,
			 c[i].runs, c[i].invalid ? ", invalid" : "");
		doc_text(d, DOC_PLAIN, "run %.0f: %s", c[i].first->position,
			 pivot_check(c[i].first, c[i].name)->words);
		doc_text(d, DOC_PLAIN, "%s", of ? of->look : "");
	}
}

static void page_pivot_checks(struct doc *d, const struct pivot *p)
{
	struct pivot_check_count all[PIVOT_CHECKS], found[PIVOT_CHECKS];
	size_t n = pivot_checks(p, all), n_found = 0;
	bool any = false;

	if (!n)
		return;
	doc_heading(d, "Checks");
	for (size_t i = 0; i < n; i++)
		if (all[i].first)
			found[n_found++] = all[i];
	if (n_found) {
		page_pivot_check_grid(d, p, found, n_found);
		page_pivot_findings(d, found, n_found);
	}
	doc_say(d, DOC_DIM, "Checked and ok:");
	for (size_t i = 0; i < n; i++) {
		if (all[i].first)
			continue;
		doc_words(d, "%s %s", any ? "," : "", all[i].name);
		if (all[i].runs < p->trial.n_runs)
			doc_words(d, " (in %zu of %zu runs)", all[i].runs,
				  p->trial.n_runs);
		any = true;
	}
	doc_words(d, any ? ". See CHECKS in iodyno-report(1)." : " none.");
}

/* --- pictures of the runs --- */

/* The runs of each table in their order. */
static void page_pivot_order(struct doc *d, const struct pivot *p)
{
	if (p->runs->n < HTML_CHART_RUNS)
		return;
	doc_heading(d, "Order of runs");
	for (size_t i = 0; i < p->n_tables; i++)
		page_pivot_bars(d, p, &p->table[i], html_chart_runs);
}

static void page_pivot_percentile(struct doc *d,
				  const struct pivot_table *t, size_t cell)
{
	const struct pivot_cell *c;
	struct pivot_figure f;

	doc_text(d, DOC_PLAIN, "%s", t->name ? "" : "-");
	if (!t->name)
		return;
	c = &t->cell[cell];
	f = pivot_figure_of(t->name, c->m.mean);
	page_pivot_mean(d, t, c, &f);
	if (c->v.d.method != DIFFERENCE_NONE)
		doc_words(
			d, ", %s (%s)",
			difference_change_words(c->v.d.logs ? c->v.d.diff : NAN)
				.text,
			difference_interval_words(&c->v.d).text);
}

static void page_pivot_latency(struct doc *d, const struct pivot *p,
			       const struct pivot_latency *l)
{
	char text[400];

	snprintf(text, sizeof(text),
		 "Latency percentiles: %s, less is better; means over the "
		 "runs, then the change in %% with its 95 %% interval",
		 l->name);
	doc_table(d, "latency", text, 0);
	doc_column(d, "variant", "", DOC_LEFT);
	for (size_t i = 0; i < PIVOT_PCTS; i++)
		doc_column(d, pivot_latency_name[i], pivot_latency_name[i], 0);
	for (size_t k = 0; k < p->n_cells; k++) {
		if (!p->table[0].cell[k].runs)
			continue;
		doc_row(d);
		doc_text(d, DOC_PLAIN, "%s%s", html_chart_variant(p, k).text,
			 k == pivot_base(p, k) ? " (base)" : "");
		for (size_t i = 0; i < PIVOT_PCTS; i++)
			page_pivot_percentile(d, &l->pct[i], k);
	}
}

/* The maximum number of pictures; the tables have all rows. */
#define MOST_ROWS 6

static void page_pivot_latencies(struct doc *d, const struct pivot *p)
{
	if (!p->n_latencies)
		return;
	doc_heading(d, "Latency percentiles");
	for (size_t i = 0; i < p->n_latencies; i++) {
		const struct pivot_latency *l = &p->latency[i];

		for (size_t row = 0; row < p->rows.n && row < MOST_ROWS;
		     row++) {
			html_chart_percentiles(p, l, row, doc_draw(d));
			doc_drawn(d);
			html_chart_shift(p, l, row, doc_draw(d));
			doc_drawn(d);
		}
		page_pivot_latency(d, p, l);
	}
	doc_say(d, DOC_DIM,
		"These are 95 %% intervals without correction for their "
		"number: they show the shape of a change, and are not a "
		"verdict.");
}

static void page_pivot_courses(struct doc *d, const struct pivot *p)
{
	struct html_chart_scale scale = { 0 };
	char title[360];

	for (size_t i = 0; i < p->trial.n_runs; i++)
		if (html_chart_draws(p->run[i]->course))
			html_chart_widen(&scale, p->run[i]->course);
	if (!(scale.rate > 0))
		return;
	doc_heading(d, "Over time");
	doc_say(d, DOC_PLAIN, "Runs of the first block, with equal scales.");
	for (size_t i = 0; i < p->trial.n_runs; i++) {
		if (!html_chart_draws(p->run[i]->course))
			continue;
		snprintf(title, sizeof(title), "%s, run %.0f",
			 html_chart_variant(p, p->trial.run[i].cell).text,
			 p->run[i]->position);
		html_chart_course(title, p->run[i]->course, &scale, doc_draw(d));
		doc_drawn(d);
	}
}

static void page_pivot_runs(struct doc *d, const struct pivot *p)
{
	const size_t tables = p->n_tables < 6 ? p->n_tables : 6;

	doc_heading(d, "Every run");
	doc_table(d, "runs", "Runs in their order, values in base units", 0);
	doc_column(d, "run", "run", 0);
	doc_column(d, "block", "block", 0);
	doc_column(d, "variant", "variant", DOC_LEFT);
	doc_column(d, "state", "state", DOC_LEFT);
	for (size_t i = 0; i < tables; i++)
		doc_column(d, p->table[i].name, p->table[i].name, 0);
	doc_column(d, "invalid", "invalid by", DOC_LEFT);
	for (size_t i = 0; i < p->trial.n_runs; i++) {
		const struct runs_run *run = p->run[i];

		doc_row(d);
		doc_number(d, run->position, DOC_PLAIN, "%.0f", run->position);
		doc_text(d, DOC_PLAIN, "%s", "");
		if (run->block)
			doc_words(d, "%u", run->block);
		doc_text(d, DOC_PLAIN, "%s",
			 html_chart_variant(p, p->trial.run[i].cell).text);
		doc_text(d, DOC_PLAIN, "%s", runs_states[run->state]);
		for (size_t k = 0; k < tables; k++) {
			const double v = runs_value(run, p->table[k].metric);

			doc_number(d, v, DOC_PLAIN, isfinite(v) ? "%.6g" : "-",
				   v);
		}
		doc_text(d, DOC_BAD, "%s", run->invalid ? run->invalid : "");
	}
}

/* --- what differs, and where it ran --- */

static const char *page_pivot_fact(const struct pivot *p, const char *key)
{
	const char *text =
		p->runs->n ? runs_fact(p->runs, &p->runs->run[0], key) : NULL;

	return text ? text : "unknown";
}

static void page_pivot_merged(struct doc *d, const struct pivot *p)
{
	const char *keys = NULL;
	size_t merged = 0;

	for (size_t i = 0; i < p->n_cells; i++) {
		merged += p->merged[i] != NULL;
		if (p->merged[i] && !keys)
			keys = p->merged[i];
	}
	if (merged)
		doc_say(d, DOC_BAD,
			"merged: %zu of %zu cells hold runs that differ in %s; "
			"name it in --rows, --cols or --filter for a verdict",
			merged, p->n_cells, keys);
}

static void page_pivot_differ(struct doc *d, const struct pivot *p, size_t most)
{
	for (size_t i = 0; i < p->n_differ && i < most; i++)
		doc_fact(d, p->differ[i].key, "%s", p->differ[i].words);
	if (p->n_differ > most)
		doc_say(d, DOC_DIM, "%zu more keys differ (--format=json)",
			p->n_differ - most);
	/* Runs that are left out are not compared at all. */
	if (!p->n_differ && p->n_held)
		doc_say(d, DOC_PLAIN,
			"No other key differs between the variants; %zu are "
			"equal.",
			p->n_held);
}

/* The first short keys that are equal. */
static void page_pivot_equal(struct doc *d, const struct pivot *p)
{
	size_t named = 0;

	if (!p->n_held)
		return;
	doc_fact(d, "equal", "%s", "");
	for (size_t i = 0; i < p->n_held && named < HELD_NAMED; i++) {
		const struct pivot_differ *h = &p->held[i];

		if ((!p->runs->key[0].axis && strchr(h->key, '.')) ||
		    strlen(h->words) > 24)
			continue;
		doc_words(d, "%s%s=%s", named++ ? " " : "", h->key, h->words);
	}
	doc_words(d, " (and %zu more keys)", p->n_held - named);
}

static void page_pivot_held(struct doc *d, const struct pivot *p)
{
	doc_flags(d, DOC_DETAIL);
	doc_heading(d, "Environment: keys that are equal in all runs");
	for (size_t i = 0; i < p->n_held; i++)
		doc_fact(d, p->held[i].key, "%s", p->held[i].words);
	doc_flags(d, 0);
}

static void page_pivot_machine(struct doc *d, const struct pivot *p)
{
	doc_fact(d, "hw", "%s, %s CPUs, %.1f GiB", page_pivot_fact(p, "cpu"),
		 page_pivot_fact(p, "cpus"),
		 strtod(page_pivot_fact(p, "memory_bytes"), NULL) / 0x1p30);
	doc_fact(d, "sw",
		 "Linux %s, %s; governor %s, vulnerable: %s, debug options: %s",
		 page_pivot_fact(p, "kernel"), page_pivot_fact(p, "program"),
		 page_pivot_fact(p, "governor"),
		 page_pivot_fact(p, "vulnerable"),
		 page_pivot_fact(p, FACT_DEBUG));
	doc_fact(d, "cmd", "%s", page_pivot_fact(p, "command"));
}

void page_log(struct doc *d, const struct runs_log *log,
	      enum page_extent extent)
{
	doc_fact(d, "log", "%s",
		 extent == PAGE_MAIL ? page_pivot_base(log->name) : log->name);
	if (*log->sha256)
		doc_words(d, ", %.0f bytes, sha256 %s", log->bytes,
			  log->sha256);
}

static void page_pivot_logs(struct doc *d, const struct pivot *p,
			    enum page_extent extent)
{
	for (size_t i = 0; i < p->runs->n_logs && i < LOGS_NAMED; i++)
		page_log(d, &p->runs->log[i], extent);
	if (p->runs->n_logs > LOGS_NAMED)
		doc_say(d, DOC_DIM, "and %zu more logs",
			p->runs->n_logs - LOGS_NAMED);
}

static void page_pivot_method(struct doc *d, const struct pivot *p)
{
	char words[512];

	doc_heading(d, "Method");
	for (size_t i = 0; i < p->runs->n_legends; i++)
		doc_fact(d, p->runs->legend[i].value, "%s",
			 p->runs->legend[i].text);
	doc_say(d, DOC_PLAIN,
		"%zu log%s, %zu runs", p->runs->n_logs,
		p->runs->n_logs == 1 ? "" : "s", p->runs->n);
	if (p->n_blocks)
		doc_words(d, ", %zu blocks", p->n_blocks);
	doc_words(d, "; %s.", pivot_figure_method(p, words, sizeof(words)));
	doc_say(d, DOC_PLAIN,
		"Means are geometric where all values are above 0, as changes "
		"are; ± half of the 95 %% interval over %s. See "
		"iodyno-method(7).",
		p->boots ? "boots" : "runs");
	if (power_stop_note(p->stop))
		doc_say(d, DOC_PLAIN, "%s", power_stop_note(p->stop));
	if (p->family && !p->planned)
		doc_say(d, DOC_PLAIN,
			"exploratory: no plan named the metrics before the "
			"runs; a sweep does.");
	if (p->split)
		doc_say(d, DOC_PLAIN,
			"%zu of %zu blocks were interrupted and resumed.",
			p->split, p->n_blocks);
	if (p->lost)
		doc_say(d, DOC_PLAIN, "%zu run%s cut off and repeated.",
			p->lost, p->lost == 1 ? " was" : "s were");
}

static void page_pivot_whole(struct doc *d, const struct pivot *p)
{
	char *text;
	size_t size;
	FILE *f;

	page_pivot_checks(d, p);
	page_pivot_order(d, p);
	page_pivot_latencies(d, p);
	page_pivot_courses(d, p);
	doc_heading(d, "What differs, and environment");
	page_pivot_differ(d, p, SIZE_MAX);
	page_pivot_machine(d, p);
	page_pivot_held(d, p);
	page_pivot_method(d, p);
	page_pivot_logs(d, p, PAGE_HTML);
	page_pivot_runs(d, p);
	f = open_memstream(&text, &size);
	if (!f)
		return;
	print_pivot_csv(p, 0, f);
	fclose(f);
	doc_attach(d, "iodyno.csv", text,
		   "All figures as CSV, as iodyno report --format=csv prints "
		   "them.");
	free(text);
}

/* Tables where no run counts have no value; the page has bars of each run. */
static bool page_pivot_shows(const struct pivot *p, enum page_extent extent)
{
	return extent == PAGE_HTML || !trial_all_invalid(&p->trial);
}

static void page_pivot(struct doc *d, const struct pivot *p,
		       enum page_extent extent)
{
	const bool said = page_pivot_result(d, p, extent);

	for (size_t i = 0; i < p->n_tables && page_pivot_shows(p, extent); i++)
		page_pivot_metric(d, p, &p->table[i], said && !i, extent);
	if (extent == PAGE_HTML) {
		page_pivot_whole(d, p);
		return;
	}
	page_pivot_method(d, p);
	if (extent == PAGE_MAIL) {
		page_pivot_noted(d, p);
		page_pivot_machine(d, p);
		page_pivot_differ(d, p, 8);
	} else {
		page_pivot_notes(d, p);
		page_pivot_merged(d, p);
		page_pivot_differ(d, p, DIFFER_NAMED);
		page_pivot_equal(d, p);
	}
	page_pivot_logs(d, p, extent);
}

void page_pivot_print(const struct pivot *p, int extent, FILE *out)
{
	struct doc *d = page_new(extent);
	char title[400];

	snprintf(title, sizeof(title), "Comparison by %s%s%s",
		 *p->cols.title ? p->cols.title : "run",
		 p->list || !*p->rows.title ? "" : " and ",
		 p->list ? "" : p->rows.title);
	page_pivot(d, p, extent);
	page_print(d, extent, title, out);
}

void page_pivot_end(const struct pivot *p, FILE *out)
{
	struct doc *d = page_new(PAGE_TEXT);
	const bool said = page_pivot_result(d, p, PAGE_TEXT);

	if (page_pivot_shows(p, PAGE_TEXT))
		page_pivot_metric(d, p, &p->table[0], said, PAGE_TEXT);
	page_pivot_method(d, p);
	page_print(d, PAGE_TEXT, "", out);
}
