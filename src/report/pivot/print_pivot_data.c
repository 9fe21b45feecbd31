/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print, the pivot for programs: JSON. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/unit.h"
#include "report/pivot/pivot.h"

static void print_pivot_data_put_keys(struct json_writer *w,
				      const struct pivot_heads *h, size_t head)
{
	for (size_t k = 0; k < h->n_keys; k++)
		json_writer_put_text(w, h->key[k], h->head[head].value[k]);
}

/* A difference, of logs in per cent, as key or key_pct. */
static void json_put_change(struct json_writer *w, const char *key, bool logs,
			    double diff)
{
	char name[40];

	snprintf(name, sizeof(name), "%s%s", key, logs ? "_pct" : "");
	json_writer_put_number(w, name, logs ? difference_pct(diff) : diff);
}

/* The keys of a cell, of its row and its column. */
static void print_pivot_data_put_cell(struct json_writer *w,
				      const struct pivot *p, size_t cell)
{
	print_pivot_data_put_keys(w, &p->rows, cell / p->cols.n);
	print_pivot_data_put_keys(w, &p->cols, cell % p->cols.n);
}

static void json_compare(struct json_writer *w, const struct pivot *p,
			 const struct pivot_table *t,
			 const struct pivot_cell *c)
{
	json_writer_begin(w, "compare", '{');
	json_writer_put_text(w, "base", p->cols.head[p->base].name);
	json_writer_put_text(w, "method", pivot_figure_method_name(&c->v.d));
	json_put_change(w, "change", c->v.d.logs, c->v.d.diff);
	json_put_change(w, "low", c->v.d.logs, c->v.d.low);
	json_put_change(w, "high", c->v.d.logs, c->v.d.high);
	if (isfinite(c->v.level))
		json_writer_put_number(w, "interval_pct", 100 * c->v.level);
	json_writer_put_number(w, "t", c->v.d.t);
	json_writer_put_number(w, "df", c->v.d.df);
	json_writer_put_number(w, "p", c->v.d.p);
	json_writer_put_number(w, "p_corrected", c->v.p);
	json_writer_put_number(w, "excluded_pct",
			       difference_excluded_pct(&c->v.d));
	json_writer_put_number(w, "tost_p", c->v.tost_p);
	json_writer_put_number(w, "least_pct", c->v.least_pct);
	json_writer_put_text(w, c->v.why ? "withheld" : "verdict",
			     judge_words(&c->v, t->better));
	json_writer_close(w, '}');
}

static void json_runs(struct json_writer *w, const struct pivot *p,
		      const struct pivot_table *t, size_t cell)
{
	json_writer_begin(w, "run", '[');
	for (size_t i = 0; i < p->trial.n_runs; i++) {
		const struct runs_run *run = p->run[i];

		if (p->trial.run[i].cell != cell)
			continue;
		json_writer_open(w, '{');
		json_writer_put_text(w, "log", p->runs->log[run->log].name);
		if (run->block)
			json_writer_put_number(w, "block", run->block);
		json_writer_put_number(w, "run", run->position);
		json_writer_put_number(w, "value", runs_value(run, t->metric));
		json_writer_put_text(w, "invalid", run->invalid);
		if (run->state != RUNS_DONE)
			json_writer_put_text(w, "state",
					     runs_states[run->state]);
		json_writer_close(w, '}');
	}
	json_writer_close(w, ']');
}

static void json_cell(struct json_writer *w, const struct pivot *p,
		      const struct pivot_table *t, size_t cell)
{
	const struct pivot_cell *c = &t->cell[cell];

	json_writer_open(w, '{');
	json_writer_begin(w, "point", '{');
	print_pivot_data_put_cell(w, p, cell);
	json_writer_close(w, '}');
	json_writer_put_number(w, "n", (double)c->n);
	json_writer_put_number(w, "runs", (double)c->runs);
	json_writer_put_number(w, "mean", c->m.mean);
	json_writer_put_number(w, "low", c->m.low);
	json_writer_put_number(w, "high", c->m.high);
	json_writer_put_number(w, "se_pct", c->m.se_pct);
	if (c->failed)
		json_writer_put_number(w, "failed", (double)c->failed);
	if (c->timeouts) {
		json_writer_put_number(w, "timeouts", (double)c->timeouts);
		json_writer_put_number(w, "limit_s", c->limit_s);
	}
	/*
	 * A lower bound: runs that a limit ended would have taken longer. Only
	 * times have one.
	 */
	if (pivot_figure_is_bound(t, c))
		json_writer_put_number(w, "median", c->median);
	json_writer_put_text(w, "merged", p->merged[cell]);
	if (cell != pivot_base(p, cell))
		json_compare(w, p, t, c);
	json_runs(w, p, t, cell);
	json_writer_close(w, '}');
}

static void json_geomeans(struct json_writer *w, const struct pivot *p,
			  const struct pivot_table *t)
{
	json_writer_begin(w, "geomean", '[');
	for (size_t col = 0; col < p->cols.n; col++) {
		const struct pivot_geomean *g = &t->geomean[col];

		if (col == p->base)
			continue;
		json_writer_open(w, '{');
		print_pivot_data_put_keys(w, &p->cols, col);
		json_writer_put_number(w, "ratio", g->ratio);
		json_writer_put_number(w, "low", g->low);
		json_writer_put_number(w, "high", g->high);
		json_writer_put_number(w, "without", g->without);
		json_writer_put_text(w, "most", p->rows.head[g->most].name);
		json_writer_put_number(w, "left_out", (double)g->left_out);
		json_writer_put_number(w, "better", (double)g->better);
		json_writer_put_number(w, "worse", (double)g->worse);
		json_writer_put_number(w, "undecided", (double)g->undecided);
		json_writer_close(w, '}');
	}
	json_writer_close(w, ']');
}

static void json_groups(struct json_writer *w, const struct pivot_table *t)
{
	json_writer_begin(w, "group", '[');
	for (size_t i = 0; i < t->n_groups; i++) {
		const struct pivot_group *g = &t->group[i];

		json_writer_open(w, '{');
		json_writer_put_text(w, "name", g->name);
		json_put_change(w, "change", t->logs, g->d.diff);
		json_writer_put_number(w, "p_corrected", g->p);
		json_writer_close(w, '}');
	}
	json_writer_close(w, ']');
}

static void json_table(struct json_writer *w, const struct pivot *p,
		       const struct pivot_table *t)
{
	json_writer_open(w, '{');
	json_writer_put_text(w, "metric", t->name);
	json_writer_put_number(w, "better", t->better);
	json_writer_put_text(w, "unit", unit_row(t->name)->base);
	if (p->runs->metric[t->metric].unsure)
		json_writer_put_number(w, "runs_without_percentile",
				       (double)p->runs->metric[t->metric]
					       .unsure);
	if (t->exploratory)
		json_writer_put_text(w, "exploratory", "no metric of the plan");
	json_writer_begin(w, "cell", '[');
	for (size_t cell = 0; cell < p->n_cells; cell++)
		json_cell(w, p, t, cell);
	json_writer_close(w, ']');
	if (t->geomean)
		json_geomeans(w, p, t);
	if (isfinite(t->drift.p)) {
		json_writer_begin(w, "drift", '{');
		json_put_change(w, "total", t->logs, t->drift.total);
		json_writer_put_number(w, "p", t->drift.p);
		json_writer_close(w, '}');
	}
	if (t->n_groups)
		json_groups(w, t);
	json_writer_begin(w, "outlier", '[');
	for (size_t i = 0; i < t->n_outliers; i++) {
		const struct pivot_outlier *o = &t->outlier[i];

		json_writer_open(w, '{');
		print_pivot_data_put_cell(w, p, o->cell);
		json_writer_put_text(w, "unit", p->unit[o->unit]);
		json_writer_put_number(w, "z", o->z);
		json_writer_close(w, '}');
	}
	json_writer_close(w, ']');
	json_writer_close(w, '}');
}

static void print_pivot_data_put_object(struct json_writer *w, const char *name,
					const struct pivot_differ *of, size_t n)
{
	json_writer_begin(w, name, '{');
	for (size_t i = 0; i < n; i++)
		json_writer_put_text(w, of[i].key, of[i].words);
	json_writer_close(w, '}');
}

void print_pivot_json(const struct pivot *p, int how, FILE *out)
{
	struct json_writer w = { 0 };
	char words[512];

	json_writer_open(&w, '{');
	json_writer_put_text(&w, "type", "pivot");
	json_writer_begin(&w, "log", '[');
	for (size_t i = 0; i < p->runs->n_logs; i++)
		json_writer_text(&w, p->runs->log[i].name);
	json_writer_close(&w, ']');
	json_writer_begin(&w, "sha256", '[');
	for (size_t i = 0; i < p->runs->n_logs; i++)
		json_writer_text(&w, p->runs->log[i].sha256);
	json_writer_close(&w, ']');
	json_writer_put_text(&w, "method",
			     pivot_figure_method(p, words, sizeof(words)));
	json_writer_put_text(&w, "stop", power_stop_note(p->stop));
	json_writer_put_number(&w, "comparisons", (double)p->family);
	json_writer_put_number(&w, "blocks", (double)p->n_blocks);
	if (p->family && !p->planned)
		json_writer_put_text(&w, "exploratory",
				     "no plan named the metrics before the "
				     "runs");
	json_writer_put_text(&w, "left_out", p->left_out);
	if (p->result) {
		json_writer_begin(&w, "result", '{');
		doc_print_json(p->result, &w);
		json_writer_close(&w, '}');
	}
	json_writer_begin(&w, "table", '[');
	for (size_t i = 0; i < p->n_tables; i++)
		json_table(&w, p, &p->table[i]);
	json_writer_close(&w, ']');
	print_pivot_data_put_object(&w, "differs", p->differ, p->n_differ);
	print_pivot_data_put_object(&w, "equal", p->held, p->n_held);
	json_writer_close(&w, '}');
	fprintf(out, "%.*s\n", (int)w.len, w.buf);
	json_writer_free(&w);
}
