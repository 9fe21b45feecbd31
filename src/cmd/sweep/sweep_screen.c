/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep screen: the matrix of runs, the figures so far, the run under way. */
#include "cmd/sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "model/stats/blocks.h"
#include "model/stats/difference.h"
#include "model/stats/power.h"

/* --- time left --- */

/* Mean and standard deviation of the seconds of a variant's finished runs, or,
 * for n_variants, of all. Returns the number of runs. */
static size_t seconds_of(const struct sweep *sw, size_t variant, double *mean,
			 double *sd)
{
	double *x = xcalloc(sw->runs.n + 1, sizeof(*x)), variance;
	size_t n = 0;

	for (size_t i = 0; i < sw->runs.n; i++) {
		const struct sweep_run *run = &sw->runs.run[i];

		if (run->state == SWEEP_DONE && !isnan(run->seconds) &&
		    (variant == sw->plan.n_variants || run->variant == variant))
			x[n++] = run->seconds;
	}
	difference_mean(x, n, mean, &variance);
	*sd = n > 1 ? sqrt(variance) : 0;
	free(x);
	return n;
}

static bool is_left(const struct sweep *sw, unsigned block, size_t variant)
{
	const struct sweep_run *run =
		sweep_order_run(&sw->runs, block, variant);

	return !run || run->state == SWEEP_OPEN;
}

/* Whether the widths decide the end. */
static bool shows_width(const struct sweep_plan *p)
{
	return p->stop == POWER_STOP_WIDTH;
}

/* The number of blocks that --until=ci< needs by the widths so far. */
static unsigned blocks_asked(const struct sweep *sw)
{
	const struct sweep_plan *p = &sw->plan;
	struct judge_verdict *v;
	unsigned from, to, most = p->blocks;

	if (!shows_width(p))
		return most;
	v = sweep_print_verdicts(sw, &from, &to);
	for (size_t i = 1; i < p->n_variants; i++)
		if (v[i].d.method == DIFFERENCE_PAIRED && v[i].d.logs) {
			unsigned need = sweep_order_needed(p, &v[i].d);

			most = need > most ? need : most;
		}
	free(v);
	return most < p->max_blocks ? most : p->max_blocks;
}

void sweep_screen_left(const struct sweep *sw, double *low_s, double *high_s)
{
	const struct sweep_plan *p = &sw->plan;
	unsigned blocks = blocks_asked(sw);
	double mean, sd, all_mean, all_sd, var = 0, sum = 0;
	size_t all = seconds_of(sw, p->n_variants, &all_mean, &all_sd);

	if (!all)
		all_mean = sweep_estimate_s(sw);
	for (size_t v = 0; v < p->n_variants; v++) {
		size_t left = 0, n = seconds_of(sw, v, &mean, &sd);

		for (unsigned b = 1; b <= blocks; b++)
			left += is_left(sw, b, v);
		if (n < 2) {
			mean = n ? mean : all_mean;
			sd = all_sd;
		}
		sum += (double)left * mean;
		var += (double)left * 2 * sd;
	}
	if (p->confirm)
		sum += 2.0 * p->confirm * all_mean;
	*low_s = fmax(sum - var, 0);
	*high_s = sum + var;
}

struct text_line sweep_screen_left_words(const struct sweep *sw)
{
	struct text_line out = { "" };
	char low[24], high[24];
	double low_s, high_s, end_s;

	sweep_screen_left(sw, &low_s, &high_s);
	if (isnan(low_s) || isnan(high_s))
		return out;
	end_s = fmin((low_s + high_s) / 2, INT32_MAX);
	text_set(low, units_span(low_s).text);
	text_set(high, units_span(high_s).text);
	snprintf(out.text, sizeof(out.text), "%s%s%s left, ETA %s", low,
		 strcmp(low, high) ? ".." : "", strcmp(low, high) ? high : "",
		 clock_form(clock_wall_ns() + (uint64_t)(end_s * 1e9), "%H:%M")
			 .text);
	return out;
}

/* --- the matrix --- */

static void reset(struct sweep *sw, size_t blocks)
{
	struct sweep_matrix *m = &sw->matrix;
	size_t n = sw->plan.n_variants;

	if (m->n_blocks != blocks || !m->column) {
		m->column = xrealloc(m->column, n * sizeof(*m->column));
		m->box = xrealloc(m->box, blocks * n * sizeof(*m->box));
		m->place = xrealloc(m->place, blocks * n * sizeof(*m->place));
	}
	memset(m->column, 0, n * sizeof(*m->column));
	m->n_variants = n;
	m->n_blocks = blocks;
}

static void running_text(const struct sweep *sw, char *buf, size_t size)
{
	double gone_s = (double)(clock_mono_ns() - sw->cell_ns) / 1e9;

	snprintf(buf, size, "%.0f/%.0f s", gone_s,
		 fmax(sweep_estimate_s(sw), gone_s));
}

static void fill_box(const struct sweep *sw, const struct sweep_run *run,
		     struct sweep_box *box)
{
	static const enum sweep_box_state states[] = {
		[SWEEP_OPEN] = SWEEP_BOX_NONE,
		[SWEEP_DONE] = SWEEP_BOX_DONE,
		[SWEEP_SKIPPED] = SWEEP_BOX_SKIPPED,
		[SWEEP_LOST] = SWEEP_BOX_LOST,
	};

	box->state = states[run->state];
	if (run->state == SWEEP_DONE && !sweep_order_counts(&sw->runs, run))
		box->state = SWEEP_BOX_SPOILT;
	if (run->state == SWEEP_DONE)
		snprintf(box->text, sizeof(box->text), "%.12s%s",
			 sweep_plan_figure(&sw->plan, run->value).text,
			 *run->invalid ? " !" : "");
	else if (run->state == SWEEP_SKIPPED)
		text_copy(box->text, sizeof(box->text), "skipped");
	else if (run->state == SWEEP_LOST)
		text_copy(box->text, sizeof(box->text), "X");
	else if (run->attempts)
		text_copy(box->text, sizeof(box->text), "again");
}

static void fill_boxes(struct sweep *sw)
{
	struct sweep_matrix *m = &sw->matrix;
	size_t n = m->n_variants, *order = xcalloc(n, sizeof(*order));

	memset(m->box, 0, m->n_blocks * n * sizeof(*m->box));
	for (size_t b = 0; b < m->n_blocks; b++) {
		sweep_order_block(&sw->plan, (unsigned)b + 1, order);
		for (size_t i = 0; i < n; i++)
			m->place[b * n + order[i]] = (unsigned)i + 1;
	}
	free(order);
	for (size_t i = 0; i < sw->runs.n; i++) {
		const struct sweep_run *run = &sw->runs.run[i];

		if (run->block <= m->n_blocks)
			fill_box(sw, run,
				 &m->box[(run->block - 1) * n + run->variant]);
	}
	m->at = sw->next.block ? sw->next.block - 1 : 0;
	if (sw->in_cell && m->at < m->n_blocks &&
	    is_left(sw, sw->next.block, sw->next.variant)) {
		struct sweep_box *box = &m->box[m->at * n + sw->next.variant];

		box->state = SWEEP_BOX_RUNS;
		running_text(sw, box->text, sizeof(box->text));
	}
}

/* --- the figures --- */

static void fill_change(const struct sweep *sw, const struct judge_verdict *v,
			struct sweep_column *c)
{
	const struct difference *d = &v->d;
	struct text_short half;

	if (d->method == DIFFERENCE_NONE || !d->logs) {
		text_copy(c->change, sizeof(c->change), "not yet");
		return;
	}
	half = difference_size_words(difference_half_pct(d));
	snprintf(c->change, sizeof(c->change), "%.29s +-%.29s",
		 difference_change_words(d->diff).text, half.text);
	snprintf(c->width, sizeof(c->width), "+-%.29s", half.text);
	if (shows_width(&sw->plan))
		snprintf(c->width, sizeof(c->width), "%s",
			 d->n_a < POWER_LEAST_BLOCKS ? "too few pairs"
			 : d->n_a >= sweep_order_needed(&sw->plan, d) ? "yes"
								      : "no");
	c->verdict = judge_sign(v);
}

static void fill_columns(struct sweep *sw)
{
	struct sweep_matrix *m = &sw->matrix;
	unsigned from, to;
	struct judge_verdict *v = sweep_print_verdicts(sw, &from, &to);
	struct trial t;
	double *x;
	bool logs;

	sweep_order_trial(&sw->plan, &sw->runs, from, to, &t);
	x = trial_values(&t, 0);
	logs = difference_takes_logs(x, m->n_variants * t.n_blocks);
	for (size_t i = 0; i < m->n_variants; i++) {
		const struct judge_mean mean = judge_mean_of(
			x + i * t.n_blocks, t.n_blocks, logs);
		struct sweep_column *c = &m->column[i];

		text_set(c->name, sweep_plan_words(&sw->plan, i).text);
		if (mean.n)
			text_set(c->mean,
				 sweep_plan_figure(&sw->plan, mean.mean).text);
		if (i)
			fill_change(sw, &v[i], c);
		else
			text_copy(c->change, sizeof(c->change), "base");
	}
	free(x);
	free(v);
	trial_free(&t);
}

/* A regression over more variants takes too long for a screen. */
#define DRIFT_VARIANTS 32

/* "block 1 like the rest": on logs, as the report judges it. */
static void first_block_words(const double *y, size_t variants, size_t blocks,
			      char *buf, size_t size)
{
	struct difference d = blocks_one(y, 0, variants, blocks);

	if (isnan(d.p))
		*buf = '\0';
	else if (d.p < 0.05)
		snprintf(buf, size, "   block 1 differs: %s (p %.2g)",
			 difference_percent_words(d.diff).text, d.p);
	else
		snprintf(buf, size, "   block 1 like the rest");
}

/* The drift over all finished runs, on logs, in per cent of the whole sweep. */
static void fill_drift(struct sweep *sw)
{
	struct sweep_matrix *m = &sw->matrix;
	size_t cells = m->n_variants * m->n_blocks;
	double *y = xcalloc(2 * cells, sizeof(*y)), *position = y + cells;
	struct blocks_drift d = { .p = NAN };
	char first[80];

	for (size_t i = 0; i < cells; i++)
		y[i] = NAN;
	for (size_t i = 0; i < sw->runs.n; i++) {
		const struct sweep_run *run = &sw->runs.run[i];
		size_t at = run->variant * m->n_blocks + run->block - 1;

		if (!sweep_order_counts(&sw->runs, run) || !(run->value > 0))
			continue;
		y[at] = log(run->value);
		position[at] = (double)i;
	}
	if (m->n_variants <= DRIFT_VARIANTS)
		d = blocks_drift(y, position, m->n_variants, m->n_blocks);
	first_block_words(y, m->n_variants, m->n_blocks, first, sizeof(first));
	if (isnan(d.p))
		text_copy(m->drift, sizeof(m->drift), "not known yet");
	else
		snprintf(m->drift, sizeof(m->drift), "%+.1f %% (p %.2g)%s",
			 difference_pct(d.total), d.p, first);
	free(y);
}

/* --- head and run --- */

static double sweep_screen_written(const struct sweep *sw)
{
	double sum = 0;

	for (size_t i = 0; i < sw->runs.n; i++)
		if (!isnan(sw->runs.run[i].written_bytes))
			sum += sw->runs.run[i].written_bytes;
	return sum;
}

static const char *model_of(const struct session *s, const char *device)
{
	const struct header *h = &s->pipeline.header;

	for (size_t i = 0; device && i < h->n_devices; i++)
		if (!strcmp(h->device[i].id, device))
			return h->device[i].model;
	return "";
}

/* "written 35.7GiB of 51.0GiB (limit 100GiB)  41 C  until ci<2%  foreign I/O
 * none". */
static void fill_limits(const struct sweep *sw, char *to, size_t size)
{
	const struct sweep_plan *p = &sw->plan;
	double each = sweep_estimate_bytes(sw);
	const struct text_short until = sweep_plan_until(p);

	snprintf(to, size, "%swritten %s",
		 sw->stop                     ? "STOPS AFTER THIS RUN  "
		 : sw->paused && !sw->in_cell ? "PAUSED: p continues  "
		 : sw->paused                 ? "PAUSES AFTER THIS RUN  "
					      : "",
		 units_bytes(sweep_screen_written(sw)).text);
	if (each > 0)
		text_add(to, size, " of %s",
			 units_bytes(each * (double)sweep_order_planned(p))
				 .text);
	if (p->max_writes)
		text_add(to, size, " (limit %s)",
			 units_bytes((double)p->max_writes).text);
	if (!isnan(sw->disk_c))
		text_add(to, size, "  %.0f C", sw->disk_c);
	if (*until.text)
		text_add(to, size, "  until %s", until.text);
	if (sw->checks.has_tasks)
		text_add(to, size, "  foreign I/O %s",
			 sw->checks.foreign_bytes > 0
				 ? units_bytes(sw->checks.foreign_bytes).text
				 : "none");
}

static void fill_head(const struct session *s, struct sweep *sw)
{
	struct sweep_matrix *m = &sw->matrix;
	const struct sweep_plan *p = &sw->plan;
	char gone[24], most[24] = "";
	const char *device = sweep_device(sw, NULL);
	const char *model = model_of(s, device);
	const size_t run = sw->in_cell ? sw->cell.run : sweep_finished(sw);

	snprintf(m->plan, sizeof(m->plan),
		 "plan %.6llx  %s%s%s  %.40s  base=%.100s",
		 (unsigned long long)p->hash >> 40, device ? device : "",
		 *model ? " " : "", model, sw->kernel,
		 sweep_plan_words(p, 0).text);
	text_set(gone, units_span(session_now_s(s)).text);
	if (p->stop != POWER_STOP_FIXED)
		snprintf(most, sizeof(most), " (max %u)", p->max_blocks);
	snprintf(m->progress, sizeof(m->progress),
		 "block %u of %u%s  run %zu of %zu  %s gone  %.63s",
		 sw->next.block,
		 sw->next.block > p->blocks ? sw->next.block : p->blocks, most,
		 run, sweep_order_total(p, run), gone,
		 sweep_screen_left_words(sw).text);
	fill_limits(sw, m->limits, sizeof(m->limits));
	snprintf(m->metric, sizeof(m->metric), "%.120s, %s is better",
		 sweep_metric_words(p).text, p->sign > 0 ? "more" : "less");
	if (shows_width(p))
		snprintf(m->until, sizeof(m->until), "width < %g %%",
			 p->until * 100);
	else
		text_copy(m->until, sizeof(m->until), "half width");
}

static void fill_now(const struct sweep *sw, struct sweep_matrix *m)
{
	m->now[0] = '\0';
	if (!sw->in_cell)
		return;
	snprintf(
		m->now, sizeof(m->now), "%.100s block %u: %s %s",
		sweep_plan_words(&sw->plan, sw->next.variant).text,
		sw->next.block, sw->step_name ? sw->step_name : "",
		units_span((double)(clock_mono_ns() - sw->step_ns) / 1e9).text);
}

void sweep_screen_fill(struct session *s, struct sweep *sw)
{
	unsigned blocks = sw->plan.blocks;

	for (size_t i = 0; i < sw->runs.n; i++)
		if (sw->runs.run[i].block > blocks)
			blocks = sw->runs.run[i].block;
	if (sw->next.block > blocks)
		blocks = sw->next.block;
	/* The figures change only with the runs. */
	if (sw->matrix_runs != sweep_finished(sw) + 1 ||
	    sw->matrix.n_blocks != blocks) {
		reset(sw, blocks);
		fill_columns(sw);
		fill_drift(sw);
		sw->matrix_runs = sweep_finished(sw) + 1;
	}
	fill_boxes(sw);
	fill_head(s, sw);
	fill_now(sw, &sw->matrix);
}

void sweep_screen_free(struct sweep *sw)
{
	free(sw->matrix.column);
	free(sw->matrix.box);
	free(sw->matrix.place);
	memset(&sw->matrix, 0, sizeof(sw->matrix));
}
