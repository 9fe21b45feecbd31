/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pivot figure: units, digits and sentences. */
#include "base/text.h"
#include "report/pivot/pivot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/stats/difference.h"
#include "model/unit.h"

struct pivot_figure pivot_figure_of(const char *metric, double typical)
{
	const struct unit_step *step = unit_step(unit_row(metric), typical);

	return (struct pivot_figure){ step->scale, step->name };
}

const char *pivot_figure_method_name(const struct difference *d)
{
	return d->method == DIFFERENCE_PAIRED  ? "paired"
	       : d->method == DIFFERENCE_WELCH ? "welch"
					       : "none";
}

/* The digits after the point that show that many figures of v. */
static int pivot_figure_digits(double v, int figures)
{
	int n;

	if (!isfinite(v) || v == 0)
		return 1;
	n = figures - 1 - (int)floor(log10(fabs(v)));
	return n < 0 ? 0 : n > 4 ? 4 : n;
}

struct text_short pivot_figure_text(const struct pivot_figure *f, double value,
				    double half)
{
	double v = value * f->scale, h = half * f->scale;

	if (!isfinite(v))
		return text_shortly("-");
	return text_shortly("%.*f",
			    isfinite(h) && h > 0 ? pivot_figure_digits(h, 2)
						 : pivot_figure_digits(v, 3),
			    v);
}

struct text_short pivot_figure_value(const char *metric, double value,
				     const char *between)
{
	const struct pivot_figure f = pivot_figure_of(metric, fabs(value));

	return text_shortly("%.20s%s%s", pivot_figure_text(&f, value, NAN).text,
			    *f.unit ? between : "", f.unit);
}

static double pivot_figure_width(const struct judge_mean *m)
{
	return (m->high - m->low) / 2;
}

struct text_short pivot_figure_mean(const struct pivot_figure *f,
				    const struct judge_mean *m)
{
	return pivot_figure_text(f, m->mean, pivot_figure_width(m));
}

struct text_short pivot_figure_half(const struct pivot_figure *f,
				    const struct judge_mean *m)
{
	const double half = pivot_figure_width(m);

	if (m->logs && isfinite(m->high))
		return difference_size_words(100 * (m->high / m->mean - 1));
	/* 12.3k ±6.4 would look like 12.3k and 6. */
	return text_shortly("%.30s%.1s", pivot_figure_text(f, half, half).text,
			    isfinite(half) && strlen(f->unit) == 1 ? f->unit
								   : "");
}

struct text_short pivot_figure_p(double p)
{
	struct text_short text;

	if (!isfinite(p))
		return text_shortly("-");
	if (p < 0.001)
		return text_shortly("<.001");
	text = text_shortly("%.*f", p < 0.1 ? 3 : 2, p);
	return *text.text == '0' ? text_shortly("%.30s", text.text + 1) : text;
}

struct text_line pivot_figure_title(const struct pivot_table *t)
{
	struct text_line out;
	const char *key = strrchr(t->name, '.');
	const char *dot = strchr(t->name, '.');
	const char *better = t->better > 0   ? ", more is better"
			     : t->better < 0 ? ", less is better"
					     : "";

	if (!key)
		snprintf(out.text, sizeof(out.text), "%s%s", t->name, better);
	else if (dot == key)
		snprintf(out.text, sizeof(out.text), "%s of %.*s%s", key + 1,
			 (int)(key - t->name),
			 strncmp(t->name, "all_jobs", 8) ? t->name : "all jobs",
			 better);
	else
		snprintf(out.text, sizeof(out.text), "%s of %.*s %.*s%s",
			 key + 1, (int)(dot - t->name), t->name,
			 (int)(key - dot - 1), dot + 1, better);
	return out;
}

struct text_short pivot_figure_n(const struct pivot_cell *c)
{
	if (!c->runs)
		return text_shortly("-");
	if (c->used < c->runs)
		return text_shortly("%zu/%zu", c->used, c->runs);
	return text_shortly("%zu", c->n);
}

/* Whether the metric is the time that ended at a limit. */
static bool is_limited(const struct pivot_table *t)
{
	const char *dot = strrchr(t->name, '.');
	const char *key = dot ? dot + 1 : t->name;

	return t->better < 0 && (!strcmp(key, "run_s") ||
				 !strcmp(key, "seconds") ||
				 !strncmp(key, "start_", 6));
}

struct text_short pivot_figure_hole(const struct pivot_table *t,
				    const struct pivot_cell *c)
{
	if (c->timeouts && isfinite(c->limit_s) && is_limited(t))
		return text_shortly("> %.4g s", c->limit_s);
	return text_shortly(c->failed || c->invalid ? "X" : "-");
}

bool pivot_figure_is_bound(const struct pivot_table *t,
			   const struct pivot_cell *c)
{
	return c->timeouts && c->n && is_limited(t);
}

/* The limits of a comparison. */
static void caveats(const struct pivot_cell *c, char *buf, size_t size)
{
	if (c->v.d.resolution)
		text_add(buf, size,
			 "; the resolution of the figure limits this");
	if (c->failed && c->n)
		text_add(buf, size,
			 "; the interval covers the %zu run%s that "
			 "ended",
			 c->used, c->used == 1 ? "" : "s");
	if (c->drifts && !c->v.why)
		text_add(buf, size, "; the drift over all runs is greater");
}

char *pivot_figure_sentence(const struct pivot *p, const struct pivot_table *t,
			    const struct pivot_cell *c, char *buf, size_t size)
{
	judge_sentence(&c->v, t->better, buf, size);
	if (c->v.is == DIFFERENCE_EQUIVALENT)
		text_add(buf, size, "; equivalent within %.3g %% (TOST p %s)",
			 100 * p->margin, pivot_figure_p(c->v.tost_p).text);
	caveats(c, buf, size);
	return buf;
}

char *pivot_figure_method(const struct pivot *p, char *buf, size_t size)
{
	static const char *const corrected[] = {
		[PIVOT_HOLM] = "corrected after Holm",
		[PIVOT_ROW] = "not corrected",
	};
	bool paired = false, welch = false;

	for (size_t i = 0; i < p->n_tables; i++)
		for (size_t k = 0; k < p->n_cells; k++) {
			enum difference_method m =
				p->table[i].cell[k].v.d.method;

			paired |= m == DIFFERENCE_PAIRED;
			welch |= m == DIFFERENCE_WELCH;
		}
	*buf = '\0';
	if (paired)
		text_add(buf, size,
			 "paired within blocks (%zu of them), t test "
			 "on logs",
			 p->n_blocks);
	if (welch)
		text_add(buf, size,
			 "%sWelch's test on logs: not interleaved, "
			 "drift is not controlled",
			 paired ? "; elsewhere " : "");
	if (!paired && !welch)
		text_add(buf, size,
			 "no cell has two valid runs: figures only");
	if (paired && p->pooled)
		text_add(buf, size, "; error pooled over all columns");
	if (p->boots)
		text_add(buf, size, "; a boot is one observation");
	if (p->listed)
		text_add(buf, size,
			 "; runs in listed order, which is "
			 "confounded with drift");
	if (p->replaced)
		text_add(buf, size,
			 "; only the fresh blocks of --confirm, without %zu "
			 "earlier run%s (--filter='part!=confirm')",
			 p->replaced, p->replaced == 1 ? "" : "s");
	if (p->family)
		text_add(buf, size, "; p and intervals %s (%zu comparison%s)%s",
			 corrected[p->correct], p->family,
			 p->family == 1 ? "" : "s",
			 p->simultaneous ? "; all intervals hold at once" : "");
	return buf;
}

char *pivot_figure_blocks(const struct pivot *p, const struct pivot_table *t,
			  size_t cell, char *buf, size_t size)
{
	const struct pivot_cell *a = &t->cell[pivot_base(p, cell)];
	const struct pivot_cell *c = &t->cell[cell];
	struct difference welch;
	double removed;

	*buf = '\0';
	if (c->v.d.method != DIFFERENCE_PAIRED || !c->v.d.logs || c->v.d.n_a > 15)
		return NULL;
	text_add(buf, size, "By block:");
	for (size_t i = 0; i < p->n_units; i++) {
		double d = log(c->value[i]) - log(a->value[i]);

		if (isfinite(d))
			text_add(buf, size, " %s",
				 difference_percent_words(d).text);
	}
	welch = difference_welch(a->value, p->n_units, c->value, p->n_units, 0);
	/* A pooled error uses the other columns, too. */
	removed = p->pooled ? 0
			    : 1 - c->v.d.se * c->v.d.se / (welch.se * welch.se);
	text_add(buf, size, "; without blocks the interval is %s",
		 difference_interval_words(&welch).text);
	if (removed > 0.005 && removed < 1)
		text_add(buf, size, ": they take out %.0f %% of the variance",
			 100 * removed);
	return buf;
}
