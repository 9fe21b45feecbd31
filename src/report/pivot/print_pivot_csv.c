/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print, the pivot as CSV (RFC 4180) in base units: a line per run and metric,
 * for other statistics programs; or a line per cell and its comparison.
 */
#include "report/pivot/pivot.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/attributes.h"
#include "model/unit.h"
#include "report/print/print.h"

/* --- a line per run --- */

/* The i-th column of facts: rows, columns, then axes that are neither; NULL: no
 * more. */
static const char *fact_key(const struct pivot *p, size_t i)
{
	if (i < p->rows.n_keys)
		return p->rows.key[i];
	i -= p->rows.n_keys;
	if (i < p->cols.n_keys)
		return p->cols.key[i];
	i -= p->cols.n_keys;
	for (size_t k = 0; k < p->runs->n_keys; k++) {
		const char *key = p->runs->key[k].name;

		if (p->runs->key[k].axis && !pivot_has_key(&p->rows, key) &&
		    !pivot_has_key(&p->cols, key) && !i--)
			return key;
	}
	return NULL;
}

/* A further cell of a line. */
static void csv_put(FILE *out, const char *text)
{
	fputc(',', out);
	print_csv_text(out, text ? text : "");
}

static void csv_put_number(FILE *out, double value)
{
	fputc(',', out);
	print_csv_number(out, value);
}

static const char *const machine[] = { "host", "kernel", "boot_id" };

static void csv_run(const struct pivot *p, size_t i,
		    const struct pivot_table *t, FILE *out)
{
	const struct runs_run *run = p->run[i];
	const char *key;

	print_csv_text(out, p->runs->log[run->log].name);
	for (size_t k = 0; k < ARRAY_SIZE(machine); k++)
		csv_put(out, runs_fact(p->runs, run, machine[k]));
	for (size_t k = 0; (key = fact_key(p, k)); k++)
		if (!text_is_of(key, machine, ARRAY_SIZE(machine)))
			csv_put(out, runs_fact(p->runs, run, key));
	csv_put_number(out, run->block ? run->block : NAN);
	csv_put_number(out, run->position);
	csv_put(out, t->name);
	fprintf(out, ",%s,%d", unit_row(t->name)->base, t->better);
	csv_put_number(out, runs_value(run, t->metric));
	csv_put(out, runs_states[run->state]);
	csv_put(out, run->invalid);
	fputc('\n', out);
}

void print_pivot_csv(const struct pivot *p, int how, FILE *out)
{
	const char *key;

	fputs("log", out);
	for (size_t k = 0; k < ARRAY_SIZE(machine); k++)
		fprintf(out, ",%s", machine[k]);
	for (size_t k = 0; (key = fact_key(p, k)); k++)
		if (!text_is_of(key, machine, ARRAY_SIZE(machine)))
			csv_put(out, key);
	fputs(",block,run,metric,unit,better,value,state,invalid\n", out);
	for (size_t i = 0; i < p->trial.n_runs; i++)
		for (size_t k = 0; k < p->n_tables; k++)
			csv_run(p, i, &p->table[k], out);
}

/* --- a line per cell --- */

static void csv_compare(const struct pivot *p, const struct pivot_table *t,
			const struct judge_verdict *v, bool base, FILE *out)
{
	const double figures[] = {
		v->d.logs ? difference_pct(v->d.diff) : NAN,
		v->d.logs ? difference_pct(v->d.low) : NAN,
		v->d.logs ? difference_pct(v->d.high) : NAN,
		v->d.p,
		v->p,
		difference_excluded_pct(&v->d),
		v->tost_p,
	};

	csv_put(out, base ? "" : p->cols.head[p->base].name);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		csv_put_number(out, base ? NAN : figures[i]);
	csv_put(out, base ? "" : pivot_figure_method_name(&v->d));
	csv_put(out, base ? "base" : judge_words(v, t->better));
}

/* The logs that the runs of a cell are from, blank-separated. */
static void csv_logs(const struct pivot *p, size_t cell, FILE *out)
{
	char *text;
	size_t size, n = 0;
	FILE *f = open_memstream(&text, &size);

	for (size_t log = 0; f && log < p->runs->n_logs; log++)
		for (size_t i = 0; i < p->trial.n_runs; i++) {
			if (p->run[i]->log != log ||
			    p->trial.run[i].cell != cell)
				continue;
			fprintf(f, "%s%s", n++ ? " " : "",
				p->runs->log[log].name);
			break;
		}
	if (!f)
		return;
	fclose(f);
	csv_put(out, text);
	free(text);
}

static void csv_cell(const struct pivot *p, const struct pivot_table *t,
		     size_t cell, FILE *out)
{
	const struct pivot_cell *c = &t->cell[cell];
	const double figures[] = { c->m.mean, c->m.low, c->m.high, c->m.se_pct };

	print_csv_text(out, t->name);
	fprintf(out, ",%d", t->better);
	for (size_t k = 0; k < p->rows.n_keys; k++)
		csv_put(out, p->rows.head[cell / p->cols.n].value[k]);
	for (size_t k = 0; k < p->cols.n_keys; k++)
		csv_put(out, p->cols.head[cell % p->cols.n].value[k]);
	fprintf(out, ",%zu,%zu,%zu,%zu", c->n, c->runs, c->failed, c->invalid);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		csv_put_number(out, figures[i]);
	csv_put(out, p->merged[cell]);
	csv_compare(p, t, &c->v, cell == pivot_base(p, cell), out);
	csv_logs(p, cell, out);
	fputc('\n', out);
}

void print_pivot_csv_cells(const struct pivot *p, int how, FILE *out)
{
	fputs("metric,better", out);
	for (size_t k = 0; k < p->rows.n_keys; k++)
		csv_put(out, p->rows.key[k]);
	for (size_t k = 0; k < p->cols.n_keys; k++)
		csv_put(out, p->cols.key[k]);
	fputs(",n,runs,failed,invalid,mean,low,high,se_pct,merged,base,change_pct,"
	      "low_pct,high_pct,p,p_corrected,excluded_pct,tost_p,method,"
	      "verdict,logs\n",
	      out);
	for (size_t i = 0; i < p->n_tables; i++)
		for (size_t cell = 0; cell < p->n_cells; cell++)
			csv_cell(p, &p->table[i], cell, out);
}
