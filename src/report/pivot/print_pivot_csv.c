/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print, the pivot as CSV (RFC 4180) in base units: a line per run and metric,
 * for other statistics programs; or a line per cell and its comparison.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "report/pivot/pivot_figure.h"
#include "report/print/print.h"

/* --- a line per run --- */

static bool is_head(const struct pivot_heads *h, const char *key)
{
	for (size_t i = 0; i < h->n_keys; i++)
		if (runs_is_named(key, h->key[i]))
			return true;
	return false;
}

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
		const char *key = p->runs->key[k];

		if (p->runs->axis[k] && !is_head(&p->rows, key) &&
		    !is_head(&p->cols, key) && !i--)
			return key;
	}
	return NULL;
}

static void put_fact(const struct pivot *p, size_t run, const char *key,
		     FILE *out)
{
	const char *value = runs_fact(p->runs, &p->runs->run[run], key);

	print_csv_text(out, value ? value : "");
	fputc(',', out);
}

static const char *const machine[] = { "host", "kernel", "boot_id" };

static bool is_machine(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(machine); i++)
		if (!strcmp(key, machine[i]))
			return true;
	return false;
}

static void csv_run(const struct pivot *p, size_t i,
		    const struct pivot_table *t, FILE *out)
{
	static const char *const state[] = {
		[RUNS_DONE] = "done",       [RUNS_FAILED] = "failed",
		[RUNS_TIMEOUT] = "timeout", [RUNS_ABORTED] = "aborted",
		[RUNS_SKIPPED] = "skipped",
	};
	const struct runs_run *run = &p->runs->run[i];
	const char *key;

	print_csv_text(out, p->runs->log[run->log].name);
	fputc(',', out);
	for (size_t k = 0; k < ARRAY_SIZE(machine); k++)
		put_fact(p, i, machine[k], out);
	for (size_t k = 0; (key = fact_key(p, k)); k++)
		if (!is_machine(key))
			put_fact(p, i, key, out);
	if (run->block)
		fprintf(out, "%u", run->block);
	fputc(',', out);
	print_csv_number(out, run->position);
	fputc(',', out);
	print_csv_text(out, t->name);
	fprintf(out, ",%s,%d,", pivot_figure_unit(t->name), t->better);
	print_csv_number(out, runs_value(run, t->metric));
	fprintf(out, ",%s,", state[run->state]);
	print_csv_text(out, run->invalid ? run->invalid : "");
	fputc('\n', out);
}

void print_pivot_csv(const struct pivot *p, FILE *out)
{
	const char *key;

	fputs("log", out);
	for (size_t k = 0; k < ARRAY_SIZE(machine); k++)
		fprintf(out, ",%s", machine[k]);
	for (size_t k = 0; (key = fact_key(p, k)); k++) {
		if (is_machine(key))
			continue;
		fputc(',', out);
		print_csv_text(out, key);
	}
	fputs(",block,run,metric,unit,better,value,state,invalid\n", out);
	for (size_t i = 0; i < p->runs->n; i++)
		for (size_t k = 0; k < p->n_tables; k++)
			if (p->row_of[i] != SIZE_MAX)
				csv_run(p, i, &p->table[k], out);
}

/* --- a line per cell --- */

static void csv_compare(const struct pivot *p, const struct pivot_table *t,
			const struct pivot_compare *c, FILE *out)
{
	const bool logs = c && c->d.logs;
	const double figures[] = {
		logs ? difference_pct(c->d.diff) : NAN,
		logs ? difference_pct(c->d.low) : NAN,
		logs ? difference_pct(c->d.high) : NAN,
		c ? c->d.p : NAN,
		c ? c->p : NAN,
		c ? difference_excluded_pct(&c->d) : NAN,
		c ? c->tost_p : NAN,
	};

	print_csv_text(out, c ? p->cols.head[p->base].name : "");
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		fputc(',', out);
		print_csv_number(out, figures[i]);
	}
	fprintf(out, ",%s,", c ? pivot_figure_method_name(&c->d) : "");
	print_csv_text(out, c ? pivot_judge_words(t, c) : "base");
}

/* The logs that the runs of a cell are from, blank-separated. */
static void csv_logs(const struct pivot *p, size_t row, size_t col, FILE *out)
{
	char *text;
	size_t size, n = 0;
	FILE *f = open_memstream(&text, &size);

	for (size_t log = 0; f && log < p->runs->n_logs; log++)
		for (size_t i = 0; i < p->runs->n; i++) {
			if (p->runs->run[i].log != log || p->row_of[i] != row ||
			    p->col_of[i] != col)
				continue;
			fprintf(f, "%s%s", n++ ? " " : "",
				p->runs->log[log].name);
			break;
		}
	if (!f)
		return;
	fclose(f);
	print_csv_text(out, text);
	free(text);
}

static void csv_cell(const struct pivot *p, const struct pivot_table *t,
		     size_t row, size_t col, FILE *out)
{
	const struct pivot_cell *c = pivot_cell(p, t, row, col);
	const double figures[] = { c->mean, c->half, c->se_pct };

	print_csv_text(out, t->name);
	fprintf(out, ",%d", t->better);
	for (size_t k = 0; k < p->rows.n_keys; k++) {
		fputc(',', out);
		print_csv_text(out, p->rows.head[row].value[k]);
	}
	for (size_t k = 0; k < p->cols.n_keys; k++) {
		fputc(',', out);
		print_csv_text(out, p->cols.head[col].value[k]);
	}
	fprintf(out, ",%zu,%zu,%zu,%zu", c->n, c->runs, c->failed, c->invalid);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		fputc(',', out);
		print_csv_number(out, figures[i]);
	}
	fputc(',', out);
	print_csv_text(out, p->merged[row * p->cols.n + col]
				    ? p->merged[row * p->cols.n + col]
				    : "");
	fputc(',', out);
	csv_compare(p, t, pivot_compare_of(p, t, row, col), out);
	fputc(',', out);
	csv_logs(p, row, col, out);
	fputc('\n', out);
}

void print_pivot_csv_cells(const struct pivot *p, FILE *out)
{
	fputs("metric,better", out);
	for (size_t k = 0; k < p->rows.n_keys; k++) {
		fputc(',', out);
		print_csv_text(out, p->rows.key[k]);
	}
	for (size_t k = 0; k < p->cols.n_keys; k++) {
		fputc(',', out);
		print_csv_text(out, p->cols.key[k]);
	}
	fputs(",n,runs,failed,invalid,mean,half,se_pct,merged,base,change_pct,"
	      "low_pct,high_pct,p,p_corrected,excluded_pct,tost_p,method,"
	      "verdict,logs\n",
	      out);
	for (size_t i = 0; i < p->n_tables; i++)
		for (size_t row = 0; row < p->rows.n; row++)
			for (size_t col = 0; col < p->cols.n; col++)
				csv_cell(p, &p->table[i], row, col, out);
}
