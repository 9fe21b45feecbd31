/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Periods: the measured periods of a live crossover, and the verdicts on them.
 */
#include "report/periods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "model/schema/schema.h"
#include "report/print/print.h"

/* A job's rate, and the latencies of each operation that a period reports. */
static const struct {
	int pct;
	const char *key;
} latencies[] = { { PCT_MEAN, "mean_ns" }, { PCT_99, "p99_ns" } };

/* Fewer I/Os than this have no 99th percentile. */
#define LEAST_IOS 100

static void add_op(struct periods *p, int variant, const struct window_row *row,
		   int op)
{
	const struct op_sum *sum = &row->op[op];
	const char *name = window_op_name(SCHEMA_JOB, op);
	double ns[PCTS];
	char key[32];

	if (!(sum->ios > 0))
		return;
	latency_percentiles(&sum->service, ns);
	for (size_t i = 0; i < ARRAY_SIZE(latencies); i++) {
		double value = ns[latencies[i].pct];

		if (latencies[i].pct == PCT_99 && sum->ios < LEAST_IOS)
			value = NAN;
		if (!isfinite(value))
			continue;
		snprintf(key, sizeof(key), "%s_%s", name, latencies[i].key);
		crossover_add(&p->crossover, p->cell.block, variant, row->id,
			      key, -1, value);
	}
}

/*
 * Syncs are not I/Os of the rate, and neither are the operations of a kind of
 * work, such as commands: a job of nothing else has the rate of these.
 */
static void add_rate(struct periods *p, int variant,
		     const struct window_row *row)
{
	double iops = 0, syncs = window_iops(row, WINDOW_SYNC);

	for (int op = 0; op < WINDOW_NAMED; op++) {
		double of = window_iops(row, op);

		if (op != WINDOW_SYNC && isfinite(of))
			iops += of;
	}
	if (!(iops > 0) && syncs > 0)
		iops = syncs;
	for (int op = WINDOW_NAMED; !(iops > 0) && op < WINDOW_OPS; op++) {
		double of = window_iops(row, op);

		if (of > 0)
			iops = of;
	}
	crossover_add(&p->crossover, p->cell.block, variant, row->id, "iops", 1,
		      iops);
}

static void periods_end_period(struct periods *p, bool counts)
{
	int variant = counts ? crossover_variant(&p->crossover, &p->cell.point)
			     : -1;

	if (variant >= 0 && p->window.frames)
		crossover_period(&p->crossover, p->cell.block, variant,
				 p->seconds);
	else
		p->crossover.given_up++;
	for (size_t i = 0; variant >= 0 && i < p->window.n; i++) {
		const struct window_row *row = &p->window.row[i];

		if (row->schema != SCHEMA_JOB || !row->ran)
			continue;
		add_rate(p, variant, row);
		for (int op = 0; op < WINDOW_OPS; op++)
			add_op(p, variant, row, op);
	}
	window_free(&p->window);
	p->seconds = 0;
	memset(&p->cell, 0, sizeof(p->cell));
}

static void periods_take_event(struct periods *p, const struct event *e)
{
	if (strcmp(e->by, PERIODS_BY) != 0)
		return;
	if (e->kind == EVENT_CELL_DONE && p->cell.block)
		periods_end_period(p, !e->error);
	if (e->kind == EVENT_STEP && !strcmp(e->name, PERIODS_BEGIN))
		periods_free(p);
	if (e->kind != EVENT_STEP || strcmp(e->name, PERIODS_STEP) != 0)
		return;
	if (p->cell.block)
		periods_end_period(p, false);
	p->cell = e->cell;
}

void periods_add(struct periods *p, const struct frame *f)
{
	for (size_t i = 0; i < f->n_events; i++)
		periods_take_event(p, &f->event[i]);
	if (!p->cell.block || !(f->interval_s > 0))
		return;
	window_add(&p->window, f);
	p->seconds += f->interval_s;
}

void periods_free(struct periods *p)
{
	crossover_free(&p->crossover);
	window_free(&p->window);
	memset(p, 0, sizeof(*p));
}

/*
 * Verdicts: as text and JSON.
 */

/* The text lists the changes of this many blocks; JSON lists all. */
#define BLOCKS_PRINTED 40
/* Cells of a line. */
#define WIDTH 78
/* Cells of the axis, an odd number: 0 is in the middle. */
#define AXIS 53

static void head(const struct crossover *x, FILE *out)
{
	size_t blocks = crossover_blocks(x);
	char name[160];

	fprintf(out,
		"\nLive crossover: %zu block%s of %zu variants, %zu periods of "
		"%.3g s",
		blocks, blocks == 1 ? "" : "s", x->n_variants, x->periods,
		x->periods ? x->period_s / (double)x->periods : 0);
	if (x->given_up)
		fprintf(out, ", %zu given up", x->given_up);
	fprintf(out, "\npaired within blocks, on logs; baseline: %s\n",
		crossover_name(x, 0, name, sizeof(name)));
}

static void set_interval(struct libscols_line *line, const struct difference *d)
{
	char text[64];

	if (!d->logs || d->method == DIFFERENCE_NONE)
		return;
	print_line_set(line, 3,
		       difference_percent_words(d->diff, text, sizeof(text)));
	print_line_set(line, 4,
		       difference_interval_words(d, text, sizeof(text)));
}

/* Add a line of a metric ("front iops"): the baseline, or a variant. */
static void periods_add_line(struct libscols_table *t,
			     const struct crossover *x,
			     const struct crossover_result *r, bool base)
{
	struct libscols_line *line = print_table_line(t);
	char text[256];

	snprintf(text, sizeof(text), "%s %s", r->metric->job, r->metric->key);
	print_line_set(line, 0, base ? text : "");
	crossover_name(x, base ? 0 : r->variant, text, sizeof(text));
	print_line_set(line, 1, text);
	schema_unit_format(text, sizeof(text),
			   schema_unit_of_key(r->metric->key),
			   base ? r->base : r->mean);
	print_line_set(line, 2, text);
	if (base) {
		print_line_set(line, 3, "base");
		return;
	}
	set_interval(line, &r->d);
	if (isfinite(r->p)) {
		snprintf(text, sizeof(text), r->p < 0.001 ? "%.1g" : "%.3f",
			 r->p);
		print_line_set(line, 5, text);
	}
	print_line_set(line, 6, crossover_verdict(r));
}

static void periods_print_table(const struct crossover *x,
				const struct crossover_result *r, size_t n,
				FILE *out)
{
	static const char *const titles[] = { "METRIC", "VARIANT", "MEAN",
					      "CHANGE", "95 % INTERVAL",
					      "p", "" };
	struct libscols_table *t = print_table_new(
		out, titles, sizeof(titles) / sizeof(titles[0]), 2);

	for (size_t i = 0; i < n; i++) {
		if (!i || r[i].metric != r[i - 1].metric)
			periods_add_line(t, x, &r[i], true);
		periods_add_line(t, x, &r[i], false);
	}
	print_table_end(t);
}

static void print_blocks(const struct crossover *x,
			 const struct crossover_result *r, FILE *out)
{
	size_t blocks = crossover_blocks(x);
	int column = fprintf(out, "  by block, %%:");
	char change[24];

	for (size_t i = 0; i < blocks && i < BLOCKS_PRINTED; i++) {
		double pct = crossover_block_pct(x, r, i);

		if (column > WIDTH - 8)
			column = fprintf(out, "\n              ") - 1;
		column += fprintf(out, " %s",
				  difference_change_words(log1p(pct / 100),
							  change,
							  sizeof(change)));
	}
	if (blocks > BLOCKS_PRINTED)
		fprintf(out, " and %zu more", blocks - BLOCKS_PRINTED);
	fputc('\n', out);
}

/* The cell of a change on an axis of logarithms from -span to +span. */
static int periods_cell_of(double diff, double span)
{
	double at = (diff / span + 1) / 2 * (AXIS - 1);

	return (int)units_whole(rint(at), 0, AXIS - 1);
}

/* Draw the interval on an axis: "  0  |---o---|  ". */
static void print_axis(const struct crossover_result *r, FILE *out)
{
	double low = r->d.low, high = r->d.high, pct = 1, span;
	double far = fmax(fabs(low), fabs(high));
	char line[AXIS + 1], left[24], right[24];

	if (!r->d.logs || r->d.method == DIFFERENCE_NONE)
		return;
	while (log1p(pct / 100) < far)
		pct *= log1p(pct * 2 / 100) < far ? 2 : 1.25;
	span = log1p(pct / 100);
	memset(line, ' ', AXIS);
	line[AXIS] = '\0';
	for (int i = periods_cell_of(low, span);
	     i <= periods_cell_of(high, span); i++)
		line[i] = '-';
	line[AXIS / 2] = '0';
	line[periods_cell_of(low, span)] = '|';
	line[periods_cell_of(high, span)] = '|';
	line[periods_cell_of(r->d.diff, span)] = 'o';
	fprintf(out, "  %9s%s%s\n",
		difference_percent_words(-span, left, sizeof(left)), line,
		difference_percent_words(span, right, sizeof(right)));
}

static void periods_print_result(const struct crossover *x,
				 const struct crossover_result *r, FILE *out)
{
	char words[512], high[24];

	fprintf(out, "%s\n",
		crossover_sentence(x, r, words, sizeof(words)));
	if (r->d.method == DIFFERENCE_NONE)
		return;
	print_blocks(x, r, out);
	print_axis(r, out);
	if (isfinite(r->could_pct))
		fprintf(out,
			"  %zu blocks find a change of %s in four of five "
			"runs\n",
			r->d.n_a,
			difference_size_words(r->could_pct, words,
					      sizeof(words)));
	if (isfinite(r->unpaired_low_pct) && isfinite(r->unpaired_high_pct))
		fprintf(out, "  without the blocks: %s to %s\n",
			difference_percent_words(
				log1p(r->unpaired_low_pct / 100), words,
				sizeof(words)),
			difference_percent_words(
				log1p(r->unpaired_high_pct / 100), high,
				sizeof(high)));
}

void periods_print(const struct crossover *x, FILE *out)
{
	size_t n;
	struct crossover_result *r;

	if (!x->n_variants)
		return;
	r = crossover_results(x, &n);
	head(x, out);
	if (!n)
		fprintf(out, "no block is complete: there is nothing to "
			     "compare\n");
	/* Print only the rates here; the table has the latencies, too. */
	for (size_t i = 0; i < n; i++)
		if (!strcmp(r[i].metric->key, "iops"))
			periods_print_result(x, &r[i], out);
	if (n) {
		fputc('\n', out);
		periods_print_table(x, r, n, out);
		fprintf(out, "p and intervals are adjusted by Holm over the "
			     "variants and jobs of each metric.\n");
	}
	free(r);
	fputc('\n', out);
}

void periods_print_verdicts(const struct crossover *x, const char *words,
			    unsigned columns, FILE *out)
{
	struct crossover_result *r;
	char sentence[512];
	bool any = false;
	size_t n;

	if (!x->n_variants)
		return;
	r = crossover_results(x, &n);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(r[i].metric->key, "iops") != 0)
			continue;
		if (!any)
			fprintf(out, "\n%s\n", words);
		any = true;
		crossover_sentence(x, &r[i], sentence, sizeof(sentence));
		print_paragraph(out, columns, 4, "  %s", sentence);
	}
	free(r);
}

static struct json *result_json(const struct crossover *x,
				const struct crossover_result *r)
{
	struct json *j = json_new_object(), *list = json_new_array();
	size_t blocks = crossover_blocks(x);
	char name[160];

	json_put_text(j, "job", r->metric->job);
	json_put_text(j, "metric", r->metric->key);
	json_put_text(j, "variant",
		      crossover_name(x, r->variant, name, sizeof(name)));
	json_put_number(j, "base_mean", r->base);
	json_put_number(j, "mean", r->mean);
	if (r->d.logs) {
		json_put_number(j, "change_pct", difference_pct(r->d.diff));
		json_put_number(j, "low_pct", difference_pct(r->d.low));
		json_put_number(j, "high_pct", difference_pct(r->d.high));
		json_put_number(j, "excluded_pct",
				difference_excluded_pct(&r->d));
		json_put_number(j, "unpaired_low_pct", r->unpaired_low_pct);
		json_put_number(j, "unpaired_high_pct", r->unpaired_high_pct);
		json_put_number(j, "detectable_pct", r->could_pct);
	}
	json_put_number(j, "p", r->p);
	json_put_text(j, "verdict", crossover_verdict(r));
	for (size_t i = 0; i < blocks; i++)
		json_push_number(list, crossover_block_pct(x, r, i));
	json_put(j, "block_pct", list);
	return j;
}

struct json *periods_json(const struct crossover *x)
{
	struct crossover_result *r;
	struct json *j, *list;
	char name[160];
	size_t n;

	if (!x->n_variants)
		return NULL;
	j = json_new_object();
	r = crossover_results(x, &n);
	json_put_number(j, "blocks", (double)crossover_blocks(x));
	json_put_number(j, "periods", (double)x->periods);
	json_put_number(j, "given_up", (double)x->given_up);
	if (x->periods)
		json_put_number(j, "period_s",
				x->period_s / (double)x->periods);
	list = json_new_array();
	for (size_t i = 0; i < x->n_variants; i++)
		json_push_text(list, crossover_name(x, i, name, sizeof(name)));
	json_put(j, "variant", list);
	list = json_new_array();
	for (size_t i = 0; i < n; i++)
		json_push(list, result_json(x, &r[i]));
	json_put(j, "result", list);
	free(r);
	return j;
}
