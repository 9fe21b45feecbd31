/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print, the pivot for a terminal: a line per variant, or rows by columns and
 * below them how the columns differ.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/units.h"
#include "report/pivot/pivot.h"
#include "report/print/print.h"

/* Of the page. */
#define COLUMNS 80

#define NAME_MOST  24
#define VALUE_WIDE 17
/* With more comparisons, none has a sentence: the table has marks. */
#define SENTENCES 12
/* Equal keys that are named. */
#define HELD_NAMED 6
/* Logs that are named with their hash. */
#define LOGS_NAMED 4

struct page {
	const struct pivot *p;
	bool utf8;
	FILE *out;
};

/* Print a text in width cells; below 0: aligned left. */
static void print_pivot_text_put(FILE *out, const char *text, int width)
{
	int blanks = abs(width) - (int)print_width(text);

	if (width > 0)
		fprintf(out, "%*s", blanks > 0 ? blanks : 0, "");
	fputs(text, out);
	if (width < 0)
		fprintf(out, "%*s", blanks > 0 ? blanks : 0, "");
}

/* A name, cut to a width. */
static void print_pivot_text_put_name(FILE *out, const char *name, int width)
{
	char cut[NAME_MOST * 4 + 4];
	size_t bytes = 0;
	int n = 0;

	while (name[bytes] && bytes + 4 < sizeof(cut)) {
		if (((unsigned char)name[bytes] & 0xc0) != 0x80 && n++ == width)
			break;
		cut[bytes] = name[bytes];
		bytes++;
	}
	cut[bytes] = '\0';
	print_pivot_text_put(out, cut, -width);
}

#define say(page, indent, ...) \
	print_paragraph((page)->out, COLUMNS, indent, __VA_ARGS__)

static int print_pivot_text_name_width(const struct pivot_heads *h,
				       const char *title, int most)
{
	size_t n = strlen(title);

	for (size_t i = 0; i < h->n; i++)
		if (print_width(h->head[i].name) + 2 > n)
			n = print_width(h->head[i].name) + 2;
	return (int)n + 1 > most ? most : (int)n + 1;
}

/* The mark of a comparison: better, worse, the same, unknown. */
static const char *print_pivot_text_mark(const struct page *page,
					 const struct pivot_table *t,
					 const struct pivot_compare *c)
{
	bool up;

	if (c->v.why)
		return "?";
	if (c->v.is == DIFFERENCE_EQUIVALENT)
		return "=";
	if (!judge_sign(&c->v))
		return "~";
	up = judge_sign(&c->v) > 0;
	if (!page->utf8)
		return !t->better ? "*" : up ? "better" : "worse";
	return up ? "▲" : "▼";
}

static double typical(const struct pivot_table *t, const struct pivot *p,
		      size_t row)
{
	const struct pivot_cell *base = pivot_cell(p, t, row, p->base);

	for (size_t i = 0; !isfinite(base->m.mean) && i < p->cols.n; i++)
		base = pivot_cell(p, t, row, i);
	return base->m.mean;
}

/* The sign before a mean of times if runs reached the limit. */
static const char *print_pivot_text_bound(const struct page *page,
					  const struct pivot_table *t,
					  const struct pivot_cell *c)
{
	return !pivot_figure_is_bound(t, c) ? "" : page->utf8 ? "≥" : ">=";
}

/* One variant per line. */
static void print_list_line(const struct page *page,
			    const struct pivot_table *t, size_t col, int name)
{
	const struct pivot *p = page->p;
	const struct pivot_cell *c = pivot_cell(p, t, 0, col);
	const struct pivot_compare *cmp = pivot_compare_of(p, t, 0, col);
	struct pivot_figure f = pivot_figure_of(t->name, typical(t, p, 0));
	char buf[64], unit[80];

	snprintf(buf, sizeof(buf), "%.*s%s", NAME_MOST, p->cols.head[col].name,
		 col == p->base ? " =" : "");
	print_pivot_text_put_name(page->out, buf, name);
	pivot_figure_mean(&f, &c->m, buf, sizeof(buf));
	snprintf(unit, sizeof(unit), "%s%s%s",
		 print_pivot_text_bound(page, t, c), buf, f.unit);
	print_pivot_text_put(
		page->out,
		c->n ? unit : pivot_figure_hole(t, c, unit, sizeof(unit)), 11);
	print_pivot_text_put(
		page->out, pivot_figure_half(&f, &c->m, buf, sizeof(buf)), 7);
	print_pivot_text_put(page->out, pivot_figure_n(c, buf, sizeof(buf)), 5);
	snprintf(buf, sizeof(buf), "%.1f", c->m.se_pct);
	print_pivot_text_put(page->out, isfinite(c->m.se_pct) ? buf : "-", 5);
	if (!cmp) {
		fputs("    base\n", page->out);
		return;
	}
	print_pivot_text_put(
		page->out,
		difference_change_words(cmp->v.d.logs ? cmp->v.d.diff : NAN, buf,
					sizeof(buf)),
		8);
	print_pivot_text_put(
		page->out, difference_interval_words(&cmp->v.d, buf, sizeof(buf)),
		17);
	print_pivot_text_put(page->out,
			     pivot_figure_p(cmp->v.p, buf, sizeof(buf)), 6);
	fprintf(page->out, " %s\n", print_pivot_text_mark(page, t, cmp));
}

static void print_pivot_text_print_list(const struct page *page,
					const struct pivot_table *t)
{
	const struct pivot *p = page->p;
	int name = print_pivot_text_name_width(&p->cols, p->cols.title,
					       NAME_MOST - 4);

	print_pivot_text_put_name(page->out, p->cols.title, name);
	print_pivot_text_put(page->out, "mean", 11);
	print_pivot_text_put(page->out, page->utf8 ? "±" : "+-", 7);
	print_pivot_text_put(page->out, "N", 5);
	print_pivot_text_put(page->out, "SE%", 5);
	print_pivot_text_put(page->out, "change%", 8);
	print_pivot_text_put(page->out, "its interval", 17);
	print_pivot_text_put(page->out, "p", 6);
	fputc('\n', page->out);
	for (size_t col = 0; col < p->cols.n; col++)
		print_list_line(page, t, col, name);
}

/* Columns that fit beside the names; at least one. */
static size_t that_fit(int name, int each)
{
	int room = COLUMNS - name;

	return room < 2 * each ? 1 : (size_t)(room / each);
}

static void print_value(const struct page *page, const struct pivot_table *t,
			size_t row, size_t col)
{
	const struct pivot *p = page->p;
	const struct pivot_cell *c = pivot_cell(p, t, row, col);
	struct pivot_figure f = pivot_figure_of(t->name, typical(t, p, row));
	char mean[48], half[48], n[32], all[160];

	if (!c->n) {
		print_pivot_text_put(page->out,
				     pivot_figure_hole(t, c, all, sizeof(all)),
				     VALUE_WIDE + 4);
		return;
	}
	pivot_figure_mean(&f, &c->m, mean, sizeof(mean));
	if (isfinite(c->m.low))
		snprintf(all, sizeof(all), "%s%s%s %s%s",
			 print_pivot_text_bound(page, t, c), mean, f.unit,
			 page->utf8 ? "±" : "+-",
			 pivot_figure_half(&f, &c->m, half, sizeof(half)));
	else
		snprintf(all, sizeof(all), "%s%s%s",
			 print_pivot_text_bound(page, t, c), mean, f.unit);
	print_pivot_text_put(page->out, all, VALUE_WIDE);
	snprintf(all, sizeof(all), "%s%s", pivot_figure_n(c, n, sizeof(n)),
		 p->merged[row * p->cols.n + col] ? "?" : "");
	print_pivot_text_put(page->out, all, 4);
}

static void print_values(const struct page *page, const struct pivot_table *t,
			 int name)
{
	const struct pivot *p = page->p;
	const int each = VALUE_WIDE + 4;
	size_t fit = that_fit(name, each);

	for (size_t from = 0; from < p->cols.n; from += fit) {
		size_t to = from + fit < p->cols.n ? from + fit : p->cols.n;

		print_pivot_text_put_name(page->out, p->rows.title, name);
		for (size_t col = from; col < to; col++) {
			char head[80];

			snprintf(head, sizeof(head), "%.*s%s   N",
				 VALUE_WIDE - 2, p->cols.head[col].name,
				 col == p->base ? " =" : "");
			print_pivot_text_put(page->out, head, each);
		}
		fputc('\n', page->out);
		for (size_t row = 0; row < p->rows.n; row++) {
			print_pivot_text_put_name(page->out,
						  p->rows.head[row].name, name);
			for (size_t col = from; col < to; col++)
				print_value(page, t, row, col);
			fputc('\n', page->out);
		}
	}
}

/* In per cent; a bound beyond it says nothing. */
#define MOST_EXCLUDED 1e4

static void print_change(const struct page *page, const struct pivot_table *t,
			 size_t row, size_t col, int each)
{
	const struct pivot_compare *c = pivot_compare_of(page->p, t, row, col);
	char change[32], interval[64], text[160];
	double out_pct = difference_excluded_pct(&c->v.d);

	difference_change_words(c->v.d.logs ? c->v.d.diff : NAN, change,
			    sizeof(change));
	difference_interval_words(&c->v.d, interval, sizeof(interval));
	if (c->v.d.method == DIFFERENCE_NONE)
		snprintf(text, sizeof(text), "%s", "-");
	else if (each >= 26)
		snprintf(text, sizeof(text), "%s %s (%s)",
			 print_pivot_text_mark(page, t, c), change, interval);
	else if (!c->v.why && c->v.is == DIFFERENCE_UNDECIDED &&
		 out_pct < MOST_EXCLUDED)
		snprintf(text, sizeof(text), "~ %s (<%.*s)", change,
			 (int)strcspn(difference_size_words(out_pct, interval,
							    sizeof(interval)),
				      " "),
			 interval);
	else
		snprintf(text, sizeof(text), "%s %s",
			 print_pivot_text_mark(page, t, c), change);
	print_pivot_text_put(page->out, text, each);
}

static void print_geomeans(const struct page *page, const struct pivot_table *t,
			   size_t from, size_t to, int name, int each);

static void print_pivot_text_print_changes(const struct page *page,
					   const struct pivot_table *t,
					   int name)
{
	const struct pivot *p = page->p;
	const int each = p->cols.n <= 3 ? 26 : 17;
	size_t fit = that_fit(name, each);

	fprintf(page->out, "\nchange in %%, against %s %s\n", p->cols.title,
		p->cols.head[p->base].name);
	for (size_t from = 0, to; from < p->cols.n; from = to) {
		/* The base has no column of changes. */
		to = from + fit + (p->base >= from && p->base <= from + fit);
		to = to < p->cols.n ? to : p->cols.n;

		print_pivot_text_put_name(page->out, p->rows.title, name);
		for (size_t col = from; col < to; col++)
			if (col != p->base)
				print_pivot_text_put(page->out,
						     p->cols.head[col].name,
						     each);
		fputc('\n', page->out);
		for (size_t row = 0; row < p->rows.n; row++) {
			print_pivot_text_put_name(page->out,
						  p->rows.head[row].name, name);
			for (size_t col = from; col < to; col++)
				if (col != p->base)
					print_change(page, t, row, col, each);
			fputc('\n', page->out);
		}
		print_geomeans(page, t, from, to, name, each);
	}
}

/* "x1.042", "x454", ">x999". Returns buf. */
static char *ratio_words(double ratio, char *buf, size_t size)
{
	if (ratio < 10)
		snprintf(buf, size, "x%.3f", ratio);
	else
		difference_change_words(log(ratio), buf, size);
	return buf;
}

/* The lines under a table of changes: one figure of all rows, without its most
 * influential one, and the counts of verdicts. */
static void print_geomeans(const struct page *page, const struct pivot_table *t,
			   size_t from, size_t to, int name, int each)
{
	const struct pivot *p = page->p;
	static const char *const line[] = { "geometric mean", " without",
					    "better/worse/?" };
	char text[160];

	if (!t->geomean)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(line); i++) {
		bool first = true;

		print_pivot_text_put_name(page->out, line[i],
					  name > 15 ? name : 15);
		for (size_t col = from; col < to; col++) {
			const struct pivot_geomean *g = &t->geomean[col];

			if (col == p->base)
				continue;
			if (i == 0)
				ratio_words(g->ratio, text, sizeof(text));
			else if (i == 1)
				ratio_words(g->without, text, sizeof(text));
			else
				snprintf(text, sizeof(text), "%zu/%zu/%zu",
					 g->better, g->worse, g->undecided);
			print_pivot_text_put(
				page->out,
				i < 2 && !isfinite(i ? g->without : g->ratio)
					? "-"
					: text,
				first && name < 15 ? each - (15 - name) : each);
			first = false;
		}
		fputc('\n', page->out);
	}
}

/* Name the row that the line "without" leaves out. */
static void name_most(const struct page *page, const struct pivot_table *t)
{
	const struct pivot *p = page->p;

	size_t left_out = 0;

	for (size_t col = 0; t->geomean && col < p->cols.n && col < 8; col++) {
		const struct pivot_geomean *g = &t->geomean[col];
		char interval[80] = "", low[24], high[24], words[2][24];

		if (col == p->base || !isfinite(g->without))
			continue;
		if (isfinite(g->low))
			snprintf(interval, sizeof(interval),
				 " (95 %% interval %s to %s)",
				 ratio_words(g->low, low, sizeof(low)),
				 ratio_words(g->high, high, sizeof(high)));
		say(page, 2, "%s: geometric mean %s%s; without %s %s",
		    p->cols.head[col].name,
		    ratio_words(g->ratio, words[0], sizeof(words[0])), interval,
		    p->rows.head[g->most].name,
		    ratio_words(g->without, words[1], sizeof(words[1])));
		left_out = g->left_out;
	}
	if (left_out)
		say(page, 2,
		    "%zu of %zu rows are not in these means: a column has no "
		    "figure there.",
		    left_out, p->rows.n);
}

/* Draw the intervals as bars on one scale, if there are few. */
#define BAR      55 /* columns, the middle is no change */
#define MOST_BARS 12

static bool has_bar(const struct pivot_compare *c)
{
	return c->v.d.method != DIFFERENCE_NONE && c->v.d.logs &&
	       isfinite(c->v.d.low) && isfinite(c->v.d.high);
}

static int bar_place(double v, double reach)
{
	double x = fmax(-1, fmin(v / reach, 1));

	return (int)units_whole(rint((x + 1) / 2 * (BAR - 1)), 0, BAR - 1);
}

static void print_pivot_text_draw_bar(const struct pivot_compare *c,
				      double reach, char *bar)
{
	int low = bar_place(c->v.d.low, reach), high = bar_place(c->v.d.high, reach);

	memset(bar, ' ', BAR);
	bar[(high > BAR / 2 ? high : BAR / 2) + 1] = '\0';
	bar[BAR / 2] = '|';
	for (int i = low; i <= high; i++)
		bar[i] = '-';
	/* An interval that the drawing cuts has no end there. */
	bar[low] = c->v.d.low < -reach ? '<' : '|';
	bar[high] = c->v.d.high > reach ? '>' : '|';
	bar[bar_place(c->v.d.diff, reach)] = 'o';
}

static void print_pivot_text_print_bars(const struct page *page,
					const struct pivot_table *t)
{
	const struct pivot *p = page->p;
	double reach = 0.01;
	char left[24], right[24];
	size_t n = 0;

	for (size_t i = 0; i < t->n_compare; i++) {
		const struct pivot_compare *c = &t->compare[i];

		if (!has_bar(c))
			continue;
		reach = fmax(reach, fmax(fabs(c->v.d.low), fabs(c->v.d.high)));
		n++;
	}
	if (!n || n > MOST_BARS)
		return;
	reach = fmin(reach, 3);
	fprintf(page->out, "\n%24s%-9s%*s%*s\n", "",
		difference_percent_words(-reach, left, sizeof(left)),
		BAR / 2 - 8, "0", BAR / 2,
		difference_percent_words(reach, right, sizeof(right)));
	for (size_t i = 0; i < t->n_compare; i++) {
		const struct pivot_compare *c = &t->compare[i];
		char bar[BAR + 1], name[200];

		if (!has_bar(c))
			continue;
		print_pivot_text_draw_bar(c, reach, bar);
		snprintf(name, sizeof(name), "%s%s%s",
			 p->list ? "" : p->rows.head[c->row].name,
			 p->list ? "" : ", ", p->cols.head[c->col].name);
		fprintf(page->out, "%-23.23s %s\n", name, bar);
	}
	fputc('\n', page->out);
}

/* The figures of one comparison. */
static void print_more(const struct page *page, const struct pivot_table *t,
		       const struct pivot_compare *c)
{
	const struct pivot *p = page->p;
	char words[640];

	if (p->list && pivot_figure_blocks(p, t, c, words, sizeof(words)))
		say(page, 4, "  %s.", words);
	if (c->v.least_pct < 100)
		say(page, 4, "  %zu blocks detect a change of %s (80 %% power).",
		    c->v.d.n_a,
		    difference_size_words(c->v.least_pct, words,
					  sizeof(words)));
}

static void print_sentences(const struct page *page,
			    const struct pivot_table *t)
{
	const struct pivot *p = page->p;
	char words[640];

	for (size_t i = 0; i < t->n_compare && t->n_compare <= SENTENCES; i++) {
		const struct pivot_compare *c = &t->compare[i];

		if (!pivot_cell(p, t, c->row, c->col)->runs)
			continue;
		say(page, 2, "%s%s%s: %s.",
		    p->list ? "" : p->rows.head[c->row].name,
		    p->list ? "" : ", ", p->cols.head[c->col].name,
		    pivot_figure_sentence(p, t, c, words, sizeof(words)));
		print_more(page, t, c);
	}
	if (t->n_compare > SENTENCES)
		say(page, 0,
		    "%s better, %s worse (significant after the correction); ~ "
		    "not distinguishable (<x: more than x %% either way is "
		    "excluded); = equivalent; ? no verdict.",
		    page->utf8 ? "▲" : "better", page->utf8 ? "▼" : "worse");
	if (t->spread > BLOCKS_UNEVEN)
		say(page, 2,
		    "warning: the runs of one column scatter %s%.2g times as "
		    "much as those of another, so that a pooled error does "
		    "not hold; leave --error=pooled out.",
		    t->spread > 99 ? "more than " : "",
		    fmin(t->spread, 99));
}

/* Runs that reached the limit. */
static void print_timeouts(const struct page *page, const struct pivot_table *t)
{
	const struct pivot *p = page->p;

	for (size_t row = 0; row < p->rows.n; row++)
		for (size_t col = 0; col < p->cols.n; col++) {
			const struct pivot_cell *c = pivot_cell(p, t, row, col);
			struct pivot_figure f =
				pivot_figure_of(t->name, c->median);
			char limit[32] = "", median[96] = "", text[48];

			if (!pivot_figure_is_bound(t, c))
				continue;
			if (isfinite(c->limit_s))
				snprintf(limit, sizeof(limit), " of %.4g s",
					 c->limit_s);
			if (isfinite(c->median))
				snprintf(median, sizeof(median),
					 "; the median, %s %s, counts %s as "
					 "longer",
					 pivot_figure_text(&f, c->median, NAN,
							   text, sizeof(text)),
					 f.unit,
					 c->timeouts == 1 ? "it" : "them");
			say(page, 2,
			    "%s%s%s: %zu of %zu runs reached the limit%s, so "
			    "that the mean is a lower bound%s.",
			    p->list ? "" : p->rows.head[row].name,
			    p->list ? "" : ", ", p->cols.head[col].name,
			    c->timeouts, c->runs, limit, median);
		}
}

/* Print groups of runs that differ from the others by their place. */
static void print_groups(const struct page *page, const struct pivot_table *t)
{
	bool any = false;

	for (size_t i = 0; i < t->n_groups; i++) {
		const struct pivot_group *g = &t->group[i];
		char text[32], p[24];

		if (!(g->p < 0.05))
			continue;
		any = true;
		if (t->logs)
			difference_percent_words(g->d.diff, text, sizeof(text));
		else
			snprintf(text, sizeof(text), "%+.3g", g->d.diff);
		say(page, 2, "%s: %s against the other runs (p %s)", g->name,
		    text, pivot_figure_p(g->p, p, sizeof(p)));
	}
	if (!any && t->n_groups)
		say(page, 2,
		    "block 1, the first run of each block and the runs after "
		    "each variant: like the rest");
}

static void print_drift(const struct page *page, const struct pivot_table *t)
{
	double pct = t->logs ? difference_pct(t->drift.total) : NAN;
	char p[24];

	if (isfinite(pct) && isfinite(t->drift.p))
		say(page, 2, "drift over all runs: %+.1f %% (p %s)%s", pct,
		    pivot_figure_p(t->drift.p, p, sizeof(p)),
		    t->drift.p >= 0.05  ? ", not distinguishable from none"
		    : page->p->n_blocks ? "; pairing removes it between blocks"
					: "; the comparisons include it");
	print_groups(page, t);
	for (size_t i = 0; i < t->n_outliers && i < 4; i++) {
		const struct pivot_outlier *o = &t->outlier[i];

		say(page, 2,
		    "! far off (z %.1f), marked and not removed: %s%s%s, %s",
		    o->z, page->p->list ? "" : page->p->rows.head[o->row].name,
		    page->p->list ? "" : ", ", page->p->cols.head[o->col].name,
		    page->p->unit[o->unit]);
	}
	if (t->n_outliers > 4)
		say(page, 2, "! and %zu more", t->n_outliers - 4);
}

static void print_pivot_text_print_table(const struct page *page,
					 const struct pivot_table *t)
{
	char title[300];
	int name;

	pivot_figure_title(t, title, sizeof(title));
	fprintf(page->out, "%s\n", title);
	if (page->p->list) {
		print_pivot_text_print_list(page, t);
	} else {
		name = print_pivot_text_name_width(
			&page->p->rows, page->p->rows.title, NAME_MOST);
		print_values(page, t, name);
		if (page->p->cols.n > 1)
			print_pivot_text_print_changes(page, t, name);
		name_most(page, t);
	}
	print_pivot_text_print_bars(page, t);
	print_sentences(page, t);
	print_timeouts(page, t);
	if (page->p->runs->metric[t->metric].unsure)
		say(page, 2,
		    "%zu run%s no value: fewer than ten I/Os were slower than "
		    "this percentile.",
		    page->p->runs->metric[t->metric].unsure,
		    page->p->runs->metric[t->metric].unsure == 1 ? " has"
								 : "s have");
	print_drift(page, t);
	fputc('\n', page->out);
}

/* The keys that are merged, equal and different. */
static void print_keys(const struct page *page)
{
	const struct pivot *p = page->p;
	size_t cells = p->rows.n * p->cols.n, merged = 0, named = 0;
	const char *keys = NULL;

	for (size_t i = 0; i < cells; i++) {
		merged += p->merged[i] != NULL;
		if (p->merged[i] && !keys)
			keys = p->merged[i];
	}
	if (merged)
		say(page, 2,
		    "merged: %zu of %zu cells hold runs that differ in %s; "
		    "name it in --rows, --cols or --filter for a verdict",
		    merged, cells, keys);
	for (size_t i = 0; i < p->n_differ && i < 12; i++)
		say(page, 2, "differs, too: %s: %s", p->differ[i].key,
		    p->differ[i].words);
	if (p->n_differ > 12)
		say(page, 2, "differs, too: %zu more keys (--format=json)",
		    p->n_differ - 12);
	fputs("equal:", page->out);
	for (size_t i = 0; i < p->n_held && named < HELD_NAMED; i++) {
		const struct pivot_differ *h = &p->held[i];

		if (!p->runs->axis[0] && strchr(h->key, '.'))
			continue;
		if (strlen(h->words) > 24)
			continue;
		fprintf(page->out, " %s=%s", h->key, h->words);
		if (++named % 3 == 0)
			fputs("\n      ", page->out);
	}
	fprintf(page->out, " (and %zu more keys)\n", p->n_held - named);
}

/* The notes of the checks, each by the first run that has it. */
static void print_pivot_text_print_checks(const struct page *page)
{
	const char *name[PIVOT_CHECKS];
	size_t n = pivot_checks(page->p, name);

	for (size_t i = 0; i < n; i++) {
		struct pivot_check_count c = pivot_check_count(
			page->p, name[i], PIVOT_NOWHERE, 0);

		if (c.notes)
			say(page, 2, "note %s in %zu of %zu runs: run %.0f: %s",
			    name[i], c.notes, c.runs, c.noted->position,
			    pivot_check(c.noted, name[i])->words);
	}
}

static void print_pivot_text_print_notes(const struct page *page)
{
	const struct pivot *p = page->p;
	char words[512];

	say(page, 2, "%s.", pivot_figure_method(p, words, sizeof(words)));
	say(page, 2,
	    "Means are geometric where all values are above 0, as changes are; "
	    "%s half of the 95 %% interval over %s. See iodyno-method(7).",
	    page->utf8 ? "±" : "+-", p->boots ? "boots" : "runs");
	if (power_stop_note(p->stop))
		say(page, 2, "%s", power_stop_note(p->stop));
	if (p->family && !p->planned)
		say(page, 2,
		    "exploratory: no plan named the metrics before the runs; "
		    "a sweep does.");
	if (p->left_out)
		say(page, 2, "%s: %s.",
		    p->include_invalid ? "spoilt, and averaged all the same"
				       : "spoilt and not averaged "
					 "(--include-invalid)",
		    p->left_out);
	print_pivot_text_print_checks(page);
	if (p->split)
		say(page, 2, "%zu of %zu blocks were interrupted and resumed.",
		    p->split, p->n_blocks);
	for (size_t i = 0; i < p->runs->n_logs && i < LOGS_NAMED; i++)
		if (*p->runs->log[i].sha256)
			say(page, 2, "log %s: sha256 %s, %.0f bytes",
			    p->runs->log[i].name, p->runs->log[i].sha256,
			    p->runs->log[i].bytes);
	if (p->lost)
		say(page, 2, "%zu run%s cut off and repeated.", p->lost,
		    p->lost == 1 ? " was" : "s were");
}

void print_pivot_text(const struct pivot *p, FILE *out)
{
	struct page page = { p, MB_CUR_MAX > 1, out };

	fprintf(out, "%zu log%s, %zu runs", p->runs->n_logs,
		p->runs->n_logs == 1 ? "" : "s", p->runs->n);
	if (p->n_blocks)
		fprintf(out, ", %zu blocks", p->n_blocks);
	fputs("\n\n", out);
	if (p->result) {
		doc_print_text(p->result,
			       &(struct doc_layout){ .columns = COLUMNS, .ascii = !page.utf8 },
			       out);
		fputc('\n', out);
	}
	for (size_t i = 0; i < p->n_tables; i++)
		print_pivot_text_print_table(&page, &p->table[i]);
	print_keys(&page);
	print_pivot_text_print_notes(&page);
}
