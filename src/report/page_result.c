/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page, the result of an experiment. */
#include "report/page.h"

#include <math.h>
#include <stdlib.h>

#include "report/pivot/pivot.h"

/* With more axes and levels, the table has them and no sentence names them. */
#define PAGE_SENTENCES 12
/* Interactions that are named. */
#define PAGE_INTERACTIONS 4

enum doc_class page_class(const struct judge_verdict *v, int better)
{
	if (!better || better == JUDGE_ORDERED)
		return DOC_PLAIN;
	return judge_sign(v) > 0   ? DOC_GOOD
	       : judge_sign(v) < 0 ? DOC_BAD
				   : DOC_PLAIN;
}

/* Whether a level of the axis is proved to differ. */
static bool page_matters(const struct judge_axes *j, size_t metric, size_t axis)
{
	for (size_t i = 0; i < j->n_effects; i++)
		if (j->effect[i].metric == metric &&
		    j->effect[i].axis == axis && judge_sign(&j->effect[i].v))
			return true;
	return false;
}

/* The sentences of an axis. */
static void page_axis(struct doc *d, const struct trial *t,
		      const struct judge_axes *j, size_t metric, size_t axis,
		      bool main_metric)
{
	const bool matters = page_matters(j, metric, axis);
	enum doc_class class = DOC_PLAIN;
	char words[400];
	char *all = NULL;

	for (size_t i = 0; i < j->n_effects; i++) {
		const struct judge_effect *e = &j->effect[i];

		if (e->metric != metric || e->axis != axis)
			continue;
		xappend(&all, "%s%s against %s: %s", all ? "; " : "",
			t->axis[axis].level[e->level], t->axis[axis].level[0],
			judge_sentence(&e->v, t->metric[metric].better, words,
				       sizeof(words)));
		if (class == DOC_PLAIN)
			class = page_class(&e->v, t->metric[metric].better);
	}
	doc_say(d, class, "%s%s%s%s: %s.",
		main_metric ? "" : t->metric[metric].title,
		main_metric ? "" : ": ", t->axis[axis].key,
		matters ? " matters" : "", all ? all : "no level to compare");
	free(all);
}

static void page_interactions(struct doc *d, const struct trial *t,
			      const struct judge_axes *j, size_t metric)
{
	size_t proved = 0, judged = 0;

	for (size_t i = 0; i < j->n_interactions; i++) {
		const struct judge_interaction *x = &j->interaction[i];
		const struct trial_axis *a = &t->axis[x->axis[0]];
		const struct trial_axis *b = &t->axis[x->axis[1]];

		if (x->metric != metric)
			continue;
		judged += !isnan(x->v.p);
		if (!judge_sign(&x->v) || proved++ >= PAGE_INTERACTIONS)
			continue;
		doc_say(d, DOC_BAD,
			"%s and %s interact, so that no effect holds alone: "
			"what %s does against %s is %s (%.3g %% interval %s) "
			"with %s, compared with %s.",
			a->key, b->key, a->level[x->level[0]], a->level[0],
			judge_change(&x->v).text, 100 * x->v.level,
			difference_interval_words(&x->v.d).text,
			b->level[x->level[1]], b->level[0]);
	}
	if (judged && !proved)
		doc_say(d, DOC_DIM, "No interaction of the axes is proved.");
	else if (proved > PAGE_INTERACTIONS)
		doc_say(d, DOC_DIM, "%zu more interactions are proved.",
			proved - PAGE_INTERACTIONS);
}

static void page_best(struct doc *d, const struct trial *t, size_t metric)
{
	char words[600];
	double mean = NAN;
	size_t cell = 0;

	if (!judge_best(t, metric, &cell, &mean))
		return;
	doc_say(d, DOC_PLAIN, "Best mean: %s, %s.",
		trial_cell_words(t, cell, words, sizeof(words)),
		pivot_figure_value(t->metric[metric].name, mean, "").text);
}

static void page_row(struct doc *d, const struct trial *t,
		     const struct judge_effect *e)
{
	const struct trial_metric *m = &t->metric[e->metric];
	const struct trial_axis *axis = &t->axis[e->axis];
	const struct judge_verdict *v = &e->v;
	const bool logs = v->d.logs;

	doc_row(d);
	doc_text(d, DOC_PLAIN, "%s", m->name);
	doc_text(d, DOC_PLAIN, "%s", axis->key);
	doc_text(d, DOC_PLAIN, "%s", axis->level[e->level]);
	doc_text(d, DOC_PLAIN, "%s", axis->level[0]);
	/* A ratio on logs, else in the unit of the metric. */
	doc_number(d, logs ? exp(v->d.diff) : v->d.diff, DOC_PLAIN, "%s",
		   judge_change(v).text);
	doc_text(d, DOC_PLAIN, "%s", difference_interval_words(&v->d).text);
	doc_number(d, logs ? exp(v->d.low) : v->d.low, DOC_PLAIN, " ");
	doc_number(d, logs ? exp(v->d.high) : v->d.high, DOC_PLAIN, " ");
	doc_number(d, isfinite(v->level) ? 100 * v->level : 95, DOC_PLAIN, " ");
	doc_number(d, v->p, DOC_PLAIN, "%s", pivot_figure_p(v->p).text);
	doc_number(d, (double)e->pairs, DOC_PLAIN, "%zu", e->pairs);
	doc_number(d, (double)e->blocks, DOC_PLAIN, "%zu", e->blocks);
	doc_text(d, page_class(v, m->better), "%s",
		 v->why ? "no verdict" : judge_words(v, m->better));
}

/* The effects on a metric, or on all, as a table. */
static void page_table(struct doc *d, const struct trial *t,
		       const struct judge_axes *j, size_t metric, bool all)
{
	static const struct {
		const char *key, *title;
		unsigned flags;
	} columns[] = {
		{ "metric", "metric", DOC_LEFT | DOC_DATA },
		{ "axis", "axis", DOC_LEFT },
		{ "level", "level", DOC_LEFT },
		{ "base", "base", DOC_LEFT },
		{ "change", "change", 0 },
		{ "interval", "its interval", DOC_LEFT | DOC_PAGE },
		{ "low", "low", DOC_DATA },
		{ "high", "high", DOC_DATA },
		{ "interval_pct", "level", DOC_DATA },
		{ "p", "p", 0 },
		{ "pairs", "pairs", 0 },
		{ "blocks", "blocks", DOC_DATA },
		{ "verdict", "verdict", DOC_LEFT },
	};

	doc_table(d, "effect", all ? "" : t->metric[metric].title,
		  all ? DOC_DATA : DOC_PAGE);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		doc_column(d, columns[i].key, columns[i].title,
			   columns[i].flags);
	for (size_t i = 0; i < j->n_effects; i++)
		if (all || j->effect[i].metric == metric)
			page_row(d, t, &j->effect[i]);
}

/* Runs that count in no mean; named: the invalid ones with values, or NULL. */
void page_left_out(struct doc *d, const struct trial *t, const char *named)
{
	size_t invalid = 0, failed = 0;

	for (size_t i = 0; i < t->n_runs; i++) {
		failed += t->run[i].failed;
		invalid += !t->run[i].failed && t->run[i].invalid;
	}
	if (failed == t->n_runs && failed)
		doc_say(d, DOC_BAD, "All %zu runs failed: no verdict.", failed);
	else if (failed)
		doc_say(d, DOC_BAD, "%zu of %zu runs failed.", failed,
			t->n_runs);
	if (trial_all_invalid(t))
		doc_say(d, DOC_BAD,
			"All runs that ended are invalid: no verdict. %s%s"
			"--include-invalid compares them.",
			named ? named : "", named ? ". " : "");
	else if (invalid)
		doc_say(d, DOC_BAD, "%zu of %zu runs %s invalid and %s.",
			invalid, t->n_runs, invalid == 1 ? "is" : "are",
			t->include_invalid ? "averaged all the same"
					   : "not averaged");
}

void page_need_add(struct page_need *need, const struct judge_verdict *v)
{
	unsigned blocks;
	double pct;

	if (v->d.method == DIFFERENCE_PAIRED && v->d.n_a < JUDGE_LEAST)
		need->few = true;
	if (v->why || judge_sign(v))
		return;
	blocks = judge_blocks(v, &pct);
	/* The one that is within reach; others may need any number. */
	if (blocks > v->d.n_a && (!need->blocks || blocks < need->blocks)) {
		need->blocks = blocks;
		need->pct = pct;
	}
}

void page_need_say(struct doc *d, const struct page_need *need, const char *log)
{
	const unsigned blocks = need->few ? JUDGE_LEAST : need->blocks;
	char *next = NULL;

	if (blocks && log)
		next = xasprintf(": iodyno sweep --resume=%s --blocks=%u", log,
				 blocks);
	if (need->few)
		doc_say(d, DOC_PLAIN,
			"Too few blocks for a verdict: %u are needed%s.",
			blocks, next ? next : "");
	else if (blocks)
		doc_say(d, DOC_PLAIN,
			"About %u blocks would find a difference of %.3g %% "
			"(80 %% power)%s.",
			blocks, need->pct, next ? next : "");
	free(next);
}

void page_result(struct doc *d, const struct trial *t, double looks,
		 const char *named)
{
	const struct judge_rule rule = { .looks = looks };
	struct judge_axes j;
	size_t metric = 0, effects = 0;
	bool sentences;

	judge_axes(&j, t, &rule);
	while (metric + 1 < t->n_metrics && !t->metric[metric].judged)
		metric++;
	for (size_t i = 0; i < t->n_axes; i++)
		effects += t->axis[i].n - 1;
	doc_heading(d, "Result: %s", t->metric[metric].title);
	page_left_out(d, t, named);
	/* A sentence of each axis would say again that all runs are invalid. */
	sentences = effects <= PAGE_SENTENCES && !trial_all_invalid(t);
	/* What matters comes first. */
	for (int matters = 1; matters >= 0; matters--)
		for (size_t a = 0; a < t->n_axes && sentences; a++)
			if (page_matters(&j, metric, a) == (matters == 1))
				page_axis(d, t, &j, metric, a, true);
	if (effects > PAGE_SENTENCES)
		page_table(d, t, &j, metric, false);
	page_interactions(d, t, &j, metric);
	page_best(d, t, metric);
	for (size_t m = 0; m < t->n_metrics && sentences; m++)
		for (size_t a = 0; a < t->n_axes; a++)
			if (m != metric && page_matters(&j, m, a))
				page_axis(d, t, &j, m, a, false);
	page_table(d, t, &j, 0, true);
	if (j.n_judged)
		doc_say(d, DOC_DIM,
			"An effect is the mean of the pairs of runs of a block "
			"that differ in this axis only; p after Holm over %zu "
			"effects.",
			j.n_judged);
	judge_axes_free(&j);
}
