/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Periods, verdicts: as text and JSON. */
#include "report/periods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "model/unit.h"
#include "report/page.h"

/* The text lists the changes of this many blocks; JSON lists all. */
#define BLOCKS_PRINTED 40

static void periods_say_blocks(struct doc *d, const struct crossover *x,
			       const struct crossover_result *r)
{
	doc_fact(d, crossover_name(x, r->variant).text,
		 "%s of %s by block:", r->metric->key, r->metric->job);
	for (size_t i = 0; i < r->blocks && i < BLOCKS_PRINTED; i++)
		doc_words(d, "%s %s", i ? "," : "",
			  difference_percent_words(
				  log1p(crossover_block_pct(r, i) / 100))
				  .text);
	if (r->blocks > BLOCKS_PRINTED)
		doc_words(d, " and %zu more", r->blocks - BLOCKS_PRINTED);
	if (isfinite(r->v.least_pct))
		doc_words(d,
			  "; %zu blocks detect a change of %s or more (80 %% "
			  "power)",
			  r->v.d.n_a,
			  difference_size_words(r->v.least_pct).text);
	if (r->unpaired.logs && isfinite(r->unpaired.low))
		doc_words(d, "; unpaired: %s",
			  difference_interval_words(&r->unpaired).text);
}

/* A row of a metric: the baseline, or a variant. */
static void periods_row(struct doc *d, const struct crossover *x,
			const struct crossover_result *r, bool base)
{
	const double mean = base ? r->v.d.mean_a : r->v.d.mean_b;
	char p[24];

	doc_row(d);
	doc_text(d, DOC_PLAIN, "%s",
		 crossover_name(x, base ? 0 : r->variant).text);
	doc_number(d, mean, DOC_PLAIN, "%s",
		   unit_format(unit_of(r->metric->key), mean).text);
	doc_number(d, (double)r->v.d.n_a, DOC_PLAIN, "%zu", r->v.d.n_a);
	if (base) {
		doc_text(d, DOC_PLAIN, "base");
		return;
	}
	if (!r->v.d.logs || r->v.d.method == DIFFERENCE_NONE) {
		doc_text(d, DOC_PLAIN, "%s", "");
		doc_text(d, DOC_PLAIN, "%s", "");
	} else {
		doc_text(d, DOC_PLAIN, "%s",
			 difference_percent_words(r->v.d.diff).text);
		doc_text(d, DOC_PLAIN, "%s",
			 difference_interval_words(&r->v.d).text);
	}
	snprintf(p, sizeof(p), r->v.p < 0.001 ? "%.1g" : "%.3f", r->v.p);
	doc_number(d, r->v.p, DOC_PLAIN, "%s", isfinite(r->v.p) ? p : "");
	doc_text(d, page_class(&r->v, r->better), "%s",
		 judge_words(&r->v, r->better));
}

/* A table per metric. */
static void periods_table(struct doc *d, const struct crossover *x,
			  const struct crossover_result *r, size_t n)
{
	static const char *const titles[] = { "variant", "mean", "N", "change",
					      "its interval", "p", "verdict" };
	char title[160];

	for (size_t i = 0; i < n; i++) {
		const struct crossover_metric *m = r[i].metric;

		if (!i || m != r[i - 1].metric) {
			snprintf(title, sizeof(title), "%s of %s %s%s", m->key,
				 m->device ? "device" : "job", m->job,
				 r[i].better > 0   ? ", more is better"
				 : r[i].better < 0 ? ", less is better"
						   : "");
			doc_table(d, "crossover", title, 0);
			for (size_t k = 0; k < ARRAY_SIZE(titles); k++)
				doc_column(d, titles[k], titles[k],
					   !k	    ? DOC_LEFT
					   : k == 6 ? DOC_LEFT | DOC_SECOND
						    : 0);
			periods_row(d, x, &r[i], true);
		}
		periods_row(d, x, &r[i], false);
	}
}

/* The intervals of all metrics that have one. */
static void periods_draw(struct doc *d, const struct crossover *x,
			 const struct crossover_result *r, size_t n)
{
	doc_intervals(d, 0, "change against %s, its interval",
		      crossover_name(x, 0).text);
	for (size_t i = 0; i < n; i++)
		if (r[i].v.d.logs && r[i].v.d.method != DIFFERENCE_NONE &&
		    isfinite(r[i].v.d.low) && isfinite(r[i].v.d.high))
			doc_interval(d, (unsigned)r[i].variant, r[i].v.d.low,
				     r[i].v.d.diff, r[i].v.d.high,
				     "%s: %s of %s",
				     crossover_name(x, r[i].variant).text,
				     r[i].metric->key, r[i].metric->job);
}

static bool periods_is_rate(const struct crossover_result *r)
{
	return !strcmp(r->metric->key, "iops");
}

void periods_result(struct doc *d, const struct periods *p)
{
	const struct crossover *x = &p->crossover;
	struct crossover_result *r;
	char sentence[512];
	size_t n;

	if (!x->n_variants)
		return;
	r = crossover_results(x, &n);
	for (size_t i = 0; i < n; i++) {
		if (!periods_is_rate(&r[i]))
			continue;
		doc_say(d, page_class(&r[i].v, r[i].better), "%s",
			crossover_sentence(x, &r[i], sentence,
					   sizeof(sentence)));
	}
	if (!n)
		doc_say(d, DOC_BAD,
			"no block is complete: there is nothing to compare");
	if (*p->limits)
		doc_say(d, DOC_PLAIN, "%s", p->limits);
	free(r);
}

void periods_page(struct doc *d, const struct crossover *x)
{
	const size_t blocks = crossover_blocks(x);
	struct crossover_result *r;
	size_t n;

	if (!x->n_variants)
		return;
	r = crossover_results(x, &n);
	doc_heading(d,
		    "Live crossover: %zu block%s of %zu variants, %zu periods "
		    "of %.3g s",
		    blocks, blocks == 1 ? "" : "s", x->n_variants, x->periods,
		    x->periods ? x->period_s / (double)x->periods : 0);
	if (x->given_up)
		doc_words(d, ", %zu given up", x->given_up);
	doc_say(d, DOC_DIM, "paired within blocks, on logs; baseline: %s",
		crossover_name(x, 0).text);
	for (size_t i = 0; i < n; i++)
		if (periods_is_rate(&r[i]) && r[i].v.d.method != DIFFERENCE_NONE)
			periods_say_blocks(d, x, &r[i]);
	if (n) {
		periods_draw(d, x, r, n);
		periods_table(d, x, r, n);
		doc_say(d, DOC_DIM,
			"N: blocks. p and intervals are adjusted by Holm over "
			"all comparisons.");
	}
	free(r);
}

static struct json *result_json(const struct crossover *x,
				const struct crossover_result *r)
{
	struct json *j = json_new_object(), *list = json_new_array();

	json_put_text(j, r->metric->device ? "device" : "job", r->metric->job);
	json_put_text(j, "metric", r->metric->key);
	json_put_text(j, "variant", crossover_name(x, r->variant).text);
	json_put_number(j, "base_mean", r->v.d.mean_a);
	json_put_number(j, "mean", r->v.d.mean_b);
	if (r->v.d.logs) {
		json_put_number(j, "change_pct", difference_pct(r->v.d.diff));
		json_put_number(j, "low_pct", difference_pct(r->v.d.low));
		json_put_number(j, "high_pct", difference_pct(r->v.d.high));
		json_put_number(j, "excluded_pct",
				difference_excluded_pct(&r->v.d));
		json_put_number(j, "unpaired_low_pct",
				difference_pct(r->unpaired.low));
		json_put_number(j, "unpaired_high_pct",
				difference_pct(r->unpaired.high));
		json_put_number(j, "detectable_pct", r->v.least_pct);
	}
	json_put_number(j, "p", r->v.p);
	json_put_text(j, "verdict", judge_words(&r->v, r->better));
	for (size_t i = 0; i < r->blocks; i++)
		json_push_number(list, crossover_block_pct(r, i));
	json_put(j, "block_pct", list);
	return j;
}

struct json *periods_json(const struct crossover *x)
{
	struct crossover_result *r;
	struct json *j, *list;
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
		json_push_text(list, crossover_name(x, i).text);
	json_put(j, "variant", list);
	list = json_new_array();
	for (size_t i = 0; i < n; i++)
		json_push(list, result_json(x, &r[i]));
	json_put(j, "result", list);
	free(r);
	return j;
}
