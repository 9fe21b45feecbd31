/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HTML chart: draws bars, intervals, runs and lines as inline SVG. */
#include "report/print/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/pivot/pivot.h"

#define MOST   40 /* rows of a picture; the table has all */
#define ROW    38
#define HEAD   22

struct text_line html_chart_variant(const struct pivot *p, size_t cell)
{
	const char *row = p->list ? "" : p->rows.head[cell / p->cols.n].name;
	struct text_line out;

	snprintf(out.text, sizeof(out.text), "%s%s%s", row, *row ? ", " : "",
		 p->cols.head[cell % p->cols.n].name);
	return out;
}

/* --- bars --- */

struct bar {
	size_t cell;
	double mean;
	int better;
};

static int by_mean(const void *a, const void *b)
{
	const struct bar *x = a, *y = b;
	double less = x->better < 0 ? x->mean - y->mean : y->mean - x->mean;

	return (less > 0) - (less < 0);
}

static size_t find_bars(const struct pivot *p, const struct pivot_table *t,
			struct bar *bar, double *most)
{
	size_t n = 0;

	*most = 0;
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct judge_mean *m = &t->cell[i].m;

		if (!t->cell[i].n || !isfinite(m->mean))
			continue;
		bar[n++] = (struct bar){ i, m->mean, t->better };
		*most = fmax(*most, m->mean * (1 + (isfinite(m->se_pct)
							    ? m->se_pct / 100
							    : 0)));
	}
	if (n)
		qsort(bar, n, sizeof(*bar), by_mean);
	return n;
}

static void html_chart_draw_bar(const struct pivot *p,
				const struct pivot_table *t,
				const struct bar *b, double y, double most,
				FILE *out)
{
	const struct pivot_cell *c = &t->cell[b->cell];
	const struct pivot_figure f = pivot_figure_of(t->name, most);
	double x = LEFT + fmax(c->m.mean, 0) / most * INNER * 0.98;
	double se = isfinite(c->m.se_pct) ? c->m.se_pct / 100 * c->m.mean : 0;
	const struct text_short value = pivot_figure_mean(&f, &c->m),
				n = pivot_figure_n(c);
	char words[300];

	if (se > 0)
		snprintf(words, sizeof(words), "%s%s  SE %s  N = %s",
			 value.text, f.unit, pivot_figure_text(&f, se, se).text,
			 n.text);
	else
		snprintf(words, sizeof(words), "%s%s  N = %s", value.text,
			 f.unit, n.text);
	svg_pair(out, y - 5, html_chart_variant(p, b->cell).text,
		 "value", words);
	fprintf(out,
		"<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"12\"/>\n",
		b->cell == pivot_base(p, b->cell) ? "bar base" : "bar", LEFT, y,
		x - LEFT);
	if (se > 0) {
		double w = se / most * INNER * 0.98;

		svg_line(out, x - w, y + 6, x + w, y + 6, "whisker");
		svg_line(out, x - w, y + 2, x - w, y + 10, "whisker");
		svg_line(out, x + w, y + 2, x + w, y + 10, "whisker");
	}
}

void html_chart_bars(const struct pivot *p, const struct pivot_table *t,
		     FILE *out)
{
	struct bar *bar = xcalloc(p->n_cells + 1, sizeof(*bar));
	double most;
	size_t n = find_bars(p, t, bar, &most), shown = n < MOST ? n : MOST;
	char words[400];

	if (n && most > 0) {
		snprintf(words, sizeof(words), "Means: %s",
			 pivot_figure_title(t).text);
		svg_begin(
			out, HEAD + ROW * (double)shown + 18, words,
			"Bars begin at zero, the best is first; the line at "
			"the end is the standard error. The table below has "
			"the figures.");
		svg_text(out, LEFT, 14, "small", "%s",
			 t->better > 0   ? "more is better"
			 : t->better < 0 ? "less is better"
					 : "");
		svg_text(out, RIGHT, 14, "small end", "hatched: the base");
		for (size_t i = 0; i < shown; i++)
			html_chart_draw_bar(p, t, &bar[i],
					    HEAD + ROW * (double)i + 18, most,
					    out);
		if (n > shown)
			svg_text(out, LEFT, HEAD + ROW * (double)shown + 14,
				 "small", "and %zu more in the table",
				 n - shown);
		fputs("</svg>\n", out);
	}
	free(bar);
}

/* --- runs --- */

struct extent {
	double low, high;
};

static void widen(struct extent *e, double v)
{
	if (!isfinite(v))
		return;
	e->low = fmin(e->low, v);
	e->high = fmax(e->high, v);
}

static double html_chart_within(const struct extent *e, double v)
{
	return e->high > e->low ? (v - e->low) / (e->high - e->low) : 0.5;
}

/* Print the names below the picture, each after its dot; returns how many
 * lines. */
size_t html_chart_legend(const struct pivot *p, double y, FILE *out)
{
	double x = LEFT + 4;
	size_t lines = 1;

	for (size_t col = 0; col < p->cols.n && col < 24; col++) {
		double wide = 22 + 7.0 * (double)strlen(p->cols.head[col].name);

		if (x + wide > RIGHT && x > LEFT + 4) {
			x = LEFT + 4;
			lines++;
		}
		if (out) {
			double at = y + 16 * (double)(lines - 1);

			svg_dot(out, col, x + 4, at - 4, 4);
			svg_text(out, x + 12, at, "small", "%s",
				 p->cols.head[col].name);
		}
		x += wide;
	}
	return lines;
}

/* Shade every second block, so that compared runs are seen together. */
static void html_chart_draw_blocks(const struct pivot *p,
				   const struct extent *x, FILE *out)
{
	double half = (INNER - 16) / fmax(x->high - x->low, 1) / 2;

	for (unsigned block = 2; block <= p->n_blocks; block += 2) {
		struct extent of = { INFINITY, -INFINITY };
		double from, to;

		for (size_t i = 0; i < p->trial.n_runs; i++)
			if (p->run[i]->block == block)
				widen(&of, p->run[i]->position);
		if (!(of.high >= of.low))
			continue;
		from = LEFT + 8 + html_chart_within(x, of.low) * (INNER - 16) -
		       half;
		to = LEFT + 8 + html_chart_within(x, of.high) * (INNER - 16) +
		     half;
		from = fmax(from, LEFT);
		to = fmin(to, RIGHT);
		fprintf(out,
			"<rect class=\"block\" x=\"%.1f\" y=\"34\" "
			"width=\"%.1f\" height=\"126\"/>\n",
			from, to - from);
	}
}

static void draw_runs(const struct pivot *p, const struct pivot_table *t,
		      const struct extent *x, const struct extent *y, FILE *out)
{
	for (size_t i = 0; i < p->trial.n_runs; i++) {
		const struct runs_run *run = p->run[i];
		double v = runs_value(run, t->metric), at_x, at_y;

		if (!isfinite(v))
			continue;
		at_x = LEFT + 8 +
		       html_chart_within(x, run->position) * (INNER - 16);
		at_y = 150 - html_chart_within(y, v) * 110;
		svg_dot(out, p->trial.run[i].cell % p->cols.n, at_x, at_y, 4);
		if (run->invalid)
			svg_text(out, at_x + 5, at_y - 4, "small", "!");
	}
}

void html_chart_runs(const struct pivot *p, const struct pivot_table *t,
		     FILE *out)
{
	struct extent x = { INFINITY, -INFINITY }, y = x;
	struct pivot_figure f;
	char words[400];
	size_t n = 0;

	for (size_t i = 0; i < p->trial.n_runs; i++) {
		double v = runs_value(p->run[i], t->metric);

		if (!isfinite(v))
			continue;
		widen(&x, p->run[i]->position);
		widen(&y, v);
		n++;
	}
	if (n < HTML_CHART_RUNS)
		return;
	f = pivot_figure_of(t->name, y.high);
	snprintf(words, sizeof(words), "Order of runs: %s",
		 pivot_figure_title(t).text);
	svg_begin(
		out, 188 + 16 * (double)html_chart_legend(p, 0, NULL), words,
		"Each run is a dot, from left to right in the order of runs; "
		"the shape is its column, every second block is shaded, ! is a "
		"run that a check found invalid. The table of runs has the "
		"figures.");
	svg_pair(out, 14, t->name, "small end", "runs in their order");
	svg_line(out, LEFT, 160, RIGHT, 160, "axis");
	svg_text(out, LEFT, 32, "tick start", "%s%s",
		 pivot_figure_text(&f, y.high, NAN).text, f.unit);
	svg_text(out, LEFT, 172, "tick start", "%s%s",
		 pivot_figure_text(&f, y.low, NAN).text, f.unit);
	svg_text(out, RIGHT, 172, "small end", "run %.0f", x.high);
	/* Numbers of runs and blocks are valid in one log only. */
	if (p->runs->n_logs == 1 && !p->boots)
		html_chart_draw_blocks(p, &x, out);
	draw_runs(p, t, &x, &y, out);
	html_chart_legend(p, 192, out);
	fputs("</svg>\n", out);
}

/* --- lines --- */

void html_chart_values(const char *title, const double *value, size_t n,
		       double from_s, double to_s, const char *metric,
		       FILE *out)
{
	struct extent y = { 0, -INFINITY };
	bool pen = false;

	for (size_t i = 0; i < n; i++)
		widen(&y, value[i]);
	if (n < 2 || !(y.high > 0))
		return;
	svg_begin(out, 132, title,
			 "A line over the time of the run, from zero; the "
			 "tables have the "
			 "means.");
	svg_text(out, LEFT, 14, "label", "%s", title);
	svg_text(out, RIGHT, 14, "value", "%s",
		 pivot_figure_value(metric, y.high, "").text);
	svg_line(out, LEFT, 110, RIGHT, 110, "axis");
	svg_text(out, LEFT, 124, "tick start", "%.1f s", from_s);
	svg_text(out, RIGHT, 124, "small end", "%.1f s", to_s);
	fputs("<path class=\"line\" d=\"", out);
	for (size_t i = 0; i < n; i++) {
		if (isfinite(value[i]))
			fprintf(out, "%c%.1f %.1f", pen ? 'L' : 'M',
				LEFT + (double)i / (double)(n - 1) * INNER,
				110 - html_chart_within(&y, value[i]) * 86);
		pen = isfinite(value[i]);
	}
	fputs("\"/>\n</svg>\n", out);
}
