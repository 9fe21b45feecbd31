/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML chart latency: draws percentiles, their changes, and the course of a
 * run.
 */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "report/pivot/pivot.h"
#include "report/print/html.h"

#define INDENT 54 /* for the numbers of an axis */
#define TOP    34

/* --- percentiles --- */

/* The place of a percentile (50, 90, 99, 99.9): minus log10 of the share above
 * it. */
static double pct_x(size_t i)
{
	static const double at[PIVOT_PCTS] = { 0.301, 1, 2, 3 };

	return INDENT + 14 + at[i] / 3 * (RIGHT - INDENT - 34);
}

struct chart_axis {
	double low, high; /* log10 of ns, or per cent */
	double top, height;
};

static double axis_y(const struct chart_axis *a, double v)
{
	return a->top + a->height * (a->high - v) / (a->high - a->low);
}

static void pct_names(const struct chart_axis *a, const struct pivot_latency *l,
		      FILE *out)
{
	svg_line(out, INDENT, a->top + a->height, RIGHT,
			a->top + a->height, "axis");
	for (size_t i = 0; i < PIVOT_PCTS; i++)
		if (l->pct[i].name)
			svg_text(out, pct_x(i), a->top + a->height + 16,
				 "tick", "%s", pivot_latency_name[i]);
}

/* The minimum and maximum of a cell; false: no values. */
static bool cell_range(const struct pivot *p, const struct pivot_cell *c,
		       double *low, double *high)
{
	*low = INFINITY;
	*high = 0;
	for (size_t i = 0; i < p->n_units; i++) {
		if (!(c->value[i] > 0))
			continue;
		*low = fmin(*low, c->value[i]);
		*high = fmax(*high, c->value[i]);
	}
	return *high > 0;
}

static bool pct_axis(const struct pivot *p, const struct pivot_latency *l,
		     size_t row, struct chart_axis *a)
{
	a->low = INFINITY;
	a->high = -INFINITY;
	for (size_t i = 0; i < PIVOT_PCTS; i++)
		for (size_t col = 0; l->pct[i].name && col < p->cols.n; col++) {
			double low, high;

			if (!cell_range(p, pivot_cell(p, &l->pct[i], row, col),
					&low, &high))
				continue;
			a->low = fmin(a->low, log10(low));
			a->high = fmax(a->high, log10(high));
		}
	if (!(a->high >= a->low))
		return false;
	a->low -= 0.05;
	a->high += 0.05;
	return true;
}

/* Draw lines at 1, 2 and 5 times the powers of ten within the axis. */
static void pct_grid(const struct chart_axis *a, FILE *out)
{
	static const double of[] = { 1, 2, 5 };
	bool few = a->high - a->low > 2;

	for (int e = (int)floor(a->low); e <= (int)ceil(a->high); e++)
		for (size_t i = 0; i < (few ? 1 : 3); i++) {
			double v = e + log10(of[i]), y = axis_y(a, v);

			if (v < a->low || v > a->high)
				continue;
			svg_line(out, INDENT, y, RIGHT, y, "grid");
			svg_text(out, INDENT - 4, y + 4, "tick end", "%s",
				 units_ns(pow(10, v)).text);
		}
}

/* Draw the outline: forwards along the maxima, back along the minima. */
static void pct_band(const struct pivot *p, const struct pivot_latency *l,
		     size_t row, size_t col, const struct chart_axis *a,
		     FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < 2 * PIVOT_PCTS; i++) {
		size_t at = i < PIVOT_PCTS ? i : 2 * PIVOT_PCTS - 1 - i;
		double low, high;

		if (!l->pct[at].name ||
		    !cell_range(p, pivot_cell(p, &l->pct[at], row, col), &low,
				&high))
			continue;
		if (!any)
			fprintf(out, "<path class=\"runs s%zu\" d=\"", col % 6);
		fprintf(out, "%c%.1f %.1f", any ? 'L' : 'M', pct_x(at),
			axis_y(a, log10(i < PIVOT_PCTS ? high : low)));
		any = true;
	}
	if (any)
		fputs("z\"/>\n", out);
}

static void pct_line(const struct pivot *p, const struct pivot_latency *l,
		     size_t row, size_t col, const struct chart_axis *a,
		     FILE *out)
{
	double y[PIVOT_PCTS];
	bool any = false;

	for (size_t i = 0; i < PIVOT_PCTS; i++) {
		y[i] = l->pct[i].name
			       ? log10(pivot_cell(p, &l->pct[i], row, col)->m.mean)
			       : NAN;
		if (!isfinite(y[i]))
			continue;
		if (!any)
			fprintf(out, "<path class=\"curve s%zu\" d=\"",
				col % 6);
		fprintf(out, "%c%.1f %.1f", any ? 'L' : 'M', pct_x(i),
			axis_y(a, y[i]));
		any = true;
	}
	if (any)
		fputs("\"/>\n", out);
	for (size_t i = 0; i < PIVOT_PCTS; i++)
		if (isfinite(y[i]))
			svg_dot(out, col, pct_x(i), axis_y(a, y[i]), 4);
}

/* "read of job scan, 4096" */
static char *row_title(const struct pivot *p, const struct pivot_latency *l,
		       size_t row, const char *before, char *buf, size_t size)
{
	bool named = !p->list && *p->rows.head[row].name;

	snprintf(buf, size, "%s%s%s%s", before, l->name, named ? ", " : "",
		 named ? p->rows.head[row].name : "");
	return buf;
}

/* Begin a picture of percentiles. note: what it draws, above it. */
static void pct_begin(const struct pivot *p, const struct pivot_latency *l,
		      size_t row, const char *title, const char *description,
		      const char *note, FILE *out)
{
	char words[300];

	svg_begin(
		out,
		TOP + 150 + 38 + 16 * (double)html_chart_legend(p, 0, NULL),
		row_title(p, l, row, title, words, sizeof(words)), description);
	svg_pair(out, 14, row_title(p, l, row, "", words, sizeof(words)),
			"small end", note);
}

static void pct_end(const struct pivot *p, FILE *out)
{
	html_chart_legend(p, TOP + 150 + 38, out);
	fputs("</svg>\n", out);
}

void html_chart_percentiles(const struct pivot *p,
			    const struct pivot_latency *l, size_t row,
			    FILE *out)
{
	struct chart_axis a = { .top = TOP, .height = 150 };

	if (!pct_axis(p, l, row, &a))
		return;
	pct_begin(p, l, row, "Latency percentiles: ",
		  "Percentiles from left to right, latency upwards on a "
		  "logarithmic scale; a line joins the geometric means of "
		  "a column, its band contains all runs. "
		  "The table below has the figures.",
		  "latency; band: all runs", out);
	pct_grid(&a, out);
	pct_names(&a, l, out);
	for (size_t col = 0; col < p->cols.n; col++)
		pct_band(p, l, row, col, &a, out);
	for (size_t col = 0; col < p->cols.n; col++)
		pct_line(p, l, row, col, &a, out);
	pct_end(p, out);
}

/* --- shift --- */

/* The change of a percentile; NULL: none with an interval. */
static const struct difference *shift_of(const struct pivot *p,
					 const struct pivot_latency *l,
					 size_t i, size_t row, size_t col)
{
	const struct difference *d =
		l->pct[i].name ? &pivot_cell(p, &l->pct[i], row, col)->v.d
			       : NULL;

	return d && d->method != DIFFERENCE_NONE && d->logs &&
			       isfinite(d->low) && isfinite(d->high)
		       ? d
		       : NULL;
}

void html_chart_shift(const struct pivot *p, const struct pivot_latency *l,
		      size_t row, FILE *out)
{
	struct chart_axis a = { .top = TOP, .height = 150 };
	double reach = 0;
	size_t n = 0, others = p->cols.n - 1;

	for (size_t i = 0; i < PIVOT_PCTS; i++)
		for (size_t col = 0; col < p->cols.n; col++) {
			const struct difference *c =
				shift_of(p, l, i, row, col);

			if (!c)
				continue;
			n++;
			reach = fmax(reach, fmax(fabs(c->low), fabs(c->high)));
		}
	if (!n)
		return;
	reach = fmin(fmax(reach * 1.05, 0.01), 4);
	a.high = reach;
	a.low = -reach;
	pct_begin(p, l, row, "Shift of percentiles: ",
		  "A dot is the change of a percentile against the base, "
		  "a line its 95 % interval; the horizontal line is no "
		  "change. The table below has the figures.",
		  "change, 95 % interval", out);
	for (int k = -1; k <= 1; k++) {
		double at = k * reach * 0.75, y = axis_y(&a, at);

		svg_line(out, INDENT, y, RIGHT, y, k ? "grid" : "axis");
		svg_text(out, INDENT - 4, y + 4, "tick end", "%s",
			 k ? difference_percent_words(at).text : "0");
	}
	pct_names(&a, l, out);
	for (size_t i = 0; i < PIVOT_PCTS; i++)
		for (size_t col = 0, k = 0; col < p->cols.n; col++) {
			const struct difference *c =
				shift_of(p, l, i, row, col);
			double x;

			if (col == p->base)
				continue;
			/* Draw several columns beside each other. */
			x = pct_x(i) +
			    ((double)k++ - (double)(others - 1) / 2) *
				    fmin(10, 40.0 / (double)others);
			if (!c)
				continue;
			svg_line(out, x, axis_y(&a, fmax(c->low, a.low)), x,
				 axis_y(&a, fmin(c->high, a.high)), "whisker");
			svg_dot(out, col, x, axis_y(&a, c->diff), 4);
		}
	pct_end(p, out);
}

/* --- over time --- */

#define LEAST_COLUMNS 3
#define RATE_HEIGHT 70
#define BIN_STEP    2 /* bins per drawn cell */
#define BIN_HEIGHT  6.0
#define LEVELS      5

bool html_chart_draws(const struct course *c)
{
	return c && c->n >= LEAST_COLUMNS;
}

void html_chart_widen(struct html_chart_scale *scale, const struct course *c)
{
	unsigned first, end;

	scale->rate = fmax(scale->rate, course_range(c, &first, &end));
	if (!end)
		return;
	if (!scale->end || first < scale->first)
		scale->first = first - first % BIN_STEP;
	if (end > scale->end)
		scale->end = end + end % BIN_STEP;
}

struct course_frame {
	const struct course *c;
	const struct html_chart_scale *scale;
	double from_s, to_s, top; /* top: of the heat map */
};

static double time_x(const struct course_frame *f, double t_s)
{
	return INDENT +
	       (t_s - f->from_s) / (f->to_s - f->from_s) * (RIGHT - INDENT);
}

/* Draw the band: forwards along the maximum rates, back along the minima. */
static void draw_rate(const struct course_frame *f, FILE *out)
{
	const struct course *c = f->c;

	fputs("<path class=\"rate\" d=\"", out);
	for (size_t i = 0; i < 2 * c->n; i++) {
		bool back = i >= c->n;
		const struct course_column *at =
			&c->column[back ? 2 * c->n - 1 - i : i];
		const double rate = back ? at->low : at->high;

		fprintf(out, "%c%.1f %.1f", i ? 'L' : 'M',
			time_x(f, (at->from_s + at->to_s) / 2),
			TOP + RATE_HEIGHT * (1 - rate / f->scale->rate));
	}
	fputs("z\"/>\n", out);
}

/* The level of a cell: the share of the I/Os of its column. */
static int html_chart_latency_level_of(double share)
{
	static const double from[LEVELS] = { 0, 0.01, 0.05, 0.2, 0.5 };
	int level = LEVELS;

	while (level > 0 && (share <= 0 || share < from[level - 1]))
		level--;
	return level;
}

static void draw_level(const struct course_frame *f, int level, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < f->c->n; i++) {
		const struct course_column *at = &f->c->column[i];
		double all = (double)histogram_heat_count(&at->heat);
		double x = time_x(f, at->from_s), to = time_x(f, at->to_s);

		for (unsigned b = f->scale->first; b < f->scale->end;
		     b += BIN_STEP) {
			double n = 0;

			for (unsigned k = b; k < b + BIN_STEP && k < HEAT_BINS;
			     k++)
				n += at->heat.bin[k];
			if (!(all > 0) ||
			    html_chart_latency_level_of(n / all) != level)
				continue;
			if (!any)
				fprintf(out, "<path class=\"h%d\" d=\"", level);
			any = true;
			fprintf(out, "M%.1f %.1fh%.1fv-%.0fh-%.1fz", x,
				f->top + BIN_HEIGHT * (f->scale->end - b) /
						 BIN_STEP,
				to - x, BIN_HEIGHT, to - x);
		}
	}
	if (any)
		fputs("\"/>\n", out);
}

static void draw_heat(const struct course_frame *f, FILE *out)
{
	for (int level = 1; level <= LEVELS; level++)
		draw_level(f, level, out);
	/* Name powers of ten only. */
	for (double ns = 100; ns < 1e12; ns *= 10) {
		unsigned bin = histogram_heat_bin((uint64_t)ns);

		if (bin < f->scale->first || bin >= f->scale->end)
			continue;
		svg_text(out, INDENT - 4,
			 f->top + 4 +
				 BIN_HEIGHT * (f->scale->end - bin) / BIN_STEP,
			 "tick end", "%s", units_ns(ns).text);
	}
}

static void draw_marks(const struct course_frame *f, double bottom, FILE *out)
{
	for (size_t i = 0; i < f->c->n_marks; i++) {
		const struct course_mark *m = &f->c->mark[i];

		if (m->t_s < f->from_s || m->t_s > f->to_s)
			continue;
		svg_line(out, time_x(f, m->t_s), TOP - 4, time_x(f, m->t_s),
			 bottom, "mark");
		svg_text(out, time_x(f, m->t_s), TOP - 6, "tick", "%zu", i + 1);
		svg_text(out, INDENT, bottom + 48 + 14 * (double)i, "small",
			 "%zu: %s, %.1f s", i + 1, m->words, m->t_s);
	}
}

/* Explain the shades. */
static void draw_key(double y, FILE *out)
{
	static const char *const names[LEVELS] = { "<1 %", "1 %", "5 %", "20 %",
						   "50 % of I/Os or more" };
	double x = INDENT;

	for (int i = 0; i < LEVELS; i++) {
		fprintf(out,
			"<rect class=\"h%d\" x=\"%.0f\" y=\"%.0f\" "
			"width=\"14\" height=\"9\"/>\n",
			i + 1, x, y - 8);
		svg_text(out, x + 18, y, "small", "%s", names[i]);
		x += 52;
	}
}

void html_chart_course(const char *title, const struct course *c,
		       const struct html_chart_scale *scale, FILE *out)
{
	struct course_frame f = { .c = c, .scale = scale };
	double bottom;

	if (!html_chart_draws(c) || !(scale->rate > 0))
		return;
	f.from_s = c->column[0].from_s;
	f.to_s = c->column[c->n - 1].to_s;
	f.top = TOP + RATE_HEIGHT + 12;
	bottom = f.top + BIN_HEIGHT * (scale->end - scale->first) / BIN_STEP;
	svg_begin(
		out, bottom + 44 + 14 * (double)c->n_marks, title,
		"At the top, operations per second over the time of the "
		"run, from zero: a band between minimum and maximum of "
		"each interval. Below, latencies on a logarithmic "
		"scale: more I/Os are darker. Numbered lines are "
		"changes of settings.");
	svg_text(out, LEFT, 14, "label", "%s", title);
	svg_text(out, INDENT - 4, TOP + 8, "tick end", "%s",
		 pivot_figure_value("iops", scale->rate, "").text);
	svg_text(out, INDENT - 4, TOP + RATE_HEIGHT, "tick end", "0 /s");
	svg_line(out, INDENT, TOP + RATE_HEIGHT, RIGHT,
			TOP + RATE_HEIGHT, "axis");
	draw_rate(&f, out);
	if (scale->end) {
		draw_heat(&f, out);
		draw_key(bottom + 34, out);
	}
	svg_line(out, INDENT, bottom, RIGHT, bottom, "axis");
	svg_text(out, INDENT, bottom + 14, "tick start", "%.1f s", f.from_s);
	svg_text(out, RIGHT, bottom + 14, "small end", "%.1f s", f.to_s);
	draw_marks(&f, bottom, out);
	fputs("</svg>\n", out);
}
