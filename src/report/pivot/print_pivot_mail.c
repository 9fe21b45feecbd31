/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print, the pivot for a mail: tables in Markdown that read as plain text, at
 * most 72 columns, ASCII.
 */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/fail.h"
#include "base/text.h"
#include "trial/crossover.h"
#include "model/header.h"
#include "model/schema/schema.h"
#include "report/pivot/pivot.h"
#include "report/print/print.h"

#define MAIL_COLUMNS 72
#define LABEL        6

#define say(out, indent, ...) \
	print_paragraph(out, MAIL_COLUMNS, indent, __VA_ARGS__)

/*
 * A table in Markdown: its columns are as wide as their texts, and the names in
 * the first one have the rest of the line.
 */
enum { COL_NAME, COL_MEAN, COL_N, COL_CHANGE, COL_INTERVAL, COL_P, COLS };

struct mail_row {
	char cell[COLS][200];
};

struct mail_table {
	struct mail_row *row; /* the first one has the titles */
	size_t n, cap;
};

static struct mail_row *print_pivot_mail_add_row(struct mail_table *m)
{
	m->row = xgrow(m->row, &m->cap, m->n + 1, sizeof(*m->row));
	memset(&m->row[m->n], 0, sizeof(*m->row));
	return &m->row[m->n++];
}

static void begin_table(struct mail_table *m, const char *variant)
{
	const char *const title[COLS] = { variant,  "mean",	    "N",
					  "change", "its interval", "p" };
	struct mail_row *row = print_pivot_mail_add_row(m);

	for (size_t i = 0; i < COLS; i++)
		text_copy(row->cell[i], sizeof(row->cell[i]), title[i]);
}

/* Bars separate columns in Markdown. */
static void without_bars(char *text)
{
	for (; *text; text++)
		if (*text == '|')
			*text = '/';
}

/* The widths of all columns; the names get no more than is left of the line.
 * Returns the width that they would need. */
static size_t widths(const struct mail_table *m, size_t *width)
{
	size_t rest = MAIL_COLUMNS - 1 - 3 * COLS, need;

	for (size_t i = 0; i < COLS; i++) {
		width[i] = 3; /* Markdown wants three dashes */
		for (size_t k = 0; k < m->n; k++) {
			const size_t len = strlen(m->row[k].cell[i]);

			width[i] = len > width[i] ? len : width[i];
		}
	}
	need = width[COL_NAME];
	for (size_t i = COL_NAME + 1; i < COLS; i++)
		rest -= width[i] < rest ? width[i] : rest;
	width[COL_NAME] = need < rest ? need : rest;
	return need;
}

static void end_table(struct mail_table *m, FILE *out)
{
	static const char dashes[] = "----------------------------------------"
				     "----------------------------------------";
	size_t width[COLS];

	widths(m, width);
	for (size_t k = 0; k < m->n; k++) {
		for (size_t i = 0; i < COLS; i++) {
			const int w = (int)width[i];

			without_bars(m->row[k].cell[i]);
			fprintf(out, "| %*.*s ", i ? w : -w, w,
				m->row[k].cell[i]);
		}
		fputs("|\n", out);
		for (size_t i = 0; i < COLS && !k; i++)
			fprintf(out, i ? "|%.*s:" : "|%.*s",
				(int)width[i] + (i ? 1 : 2), dashes);
		fputs(k ? "" : "|\n", out);
	}
	free(m->row);
	*m = (struct mail_table){ 0 };
}

static void add_cell(struct mail_table *m, const struct pivot *p,
		     const struct pivot_table *t, size_t row, size_t col,
		     bool named)
{
	const struct pivot_cell *b = pivot_cell(p, t, row, col);
	const struct pivot_compare *c = pivot_compare_of(p, t, row, col);
	const struct pivot_cell *a = pivot_cell(p, t, row, p->base);
	struct pivot_figure f =
		pivot_figure_of(t->name, a->n ? a->m.mean : b->m.mean);
	struct mail_row *r = print_pivot_mail_add_row(m);
	char mean[64];

	snprintf(r->cell[COL_NAME], sizeof(r->cell[COL_NAME]), "%.90s%s%.90s",
		 named ? p->rows.head[row].name : "", named ? ", " : "",
		 p->cols.head[col].name);
	pivot_figure_mean(&f, &b->m, mean, sizeof(mean));
	snprintf(r->cell[COL_MEAN], sizeof(r->cell[COL_MEAN]), "%s%s%s%s",
		 pivot_figure_is_bound(t, b) ? ">=" : "", mean,
		 *f.unit ? " " : "", f.unit);
	if (!b->n)
		pivot_figure_hole(t, b, r->cell[COL_MEAN],
				  sizeof(r->cell[COL_MEAN]));
	pivot_figure_n(b, r->cell[COL_N], sizeof(r->cell[COL_N]));
	if (!c) {
		text_copy(r->cell[COL_CHANGE], sizeof(r->cell[COL_CHANGE]),
			  "base");
		return;
	}
	difference_percent_words(c->v.d.logs ? c->v.d.diff : NAN,
				 r->cell[COL_CHANGE],
				 sizeof(r->cell[COL_CHANGE]));
	difference_interval_words(&c->v.d, r->cell[COL_INTERVAL],
				  sizeof(r->cell[COL_INTERVAL]));
	pivot_figure_p(c->v.p, r->cell[COL_P], sizeof(r->cell[COL_P]));
}

static void add_cells(struct mail_table *m, const struct pivot *p,
		      const struct pivot_table *t, size_t row, bool named)
{
	for (size_t col = 0; col < p->cols.n; col++)
		if (pivot_cell(p, t, row, col)->runs)
			add_cell(m, p, t, row, col, named);
}

static void print_pivot_mail_print_table(const struct pivot *p,
					 const struct pivot_table *t, FILE *out)
{
	struct mail_table m = { 0 };
	size_t width[COLS];
	char title[300];

	fprintf(out, "%s\n\n", pivot_figure_title(t, title, sizeof(title)));
	begin_table(&m, p->list ? p->cols.title : "variant");
	for (size_t row = 0; row < p->rows.n; row++)
		add_cells(&m, p, t, row, !p->list);
	if (widths(&m, width) > width[COL_NAME] && !p->list) {
		/* The names of both do not fit: a table for each row. */
		m.n = 0;
		for (size_t row = 0; row < p->rows.n; row++) {
			fprintf(out, "%s%s %s:\n\n", row ? "\n" : "",
				p->rows.title, p->rows.head[row].name);
			begin_table(&m, p->cols.title);
			add_cells(&m, p, t, row, false);
			end_table(&m, out);
		}
	}
	if (m.n)
		end_table(&m, out);
	free(m.row);
	fputc('\n', out);
	for (size_t i = 0; i < t->n_compare; i++) {
		const struct pivot_compare *c = &t->compare[i];
		char words[640];

		if (!pivot_cell(p, t, c->row, c->col)->runs)
			continue;
		say(out, 2, "%s%s%s: %s.",
		    p->list ? "" : p->rows.head[c->row].name,
		    p->list ? "" : ", ", p->cols.head[c->col].name,
		    pivot_figure_sentence(p, t, c, words, sizeof(words)));
	}
	fputc('\n', out);
}

static const char *print_pivot_mail_fact(const struct pivot *p, const char *key)
{
	const char *text =
		p->runs->n ? runs_fact(p->runs, &p->runs->run[0], key) : NULL;

	return text ? text : "unknown";
}

/* The name of a file without its folders. */
static const char *print_pivot_mail_base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "hw    ..." for the facts of the machine. */
static void print_pivot_mail_note(FILE *out, const char *label, const char *fmt,
				  ...) printf_like(3, 4);

/* Print words after a label, with all lines indented. */
static void print_pivot_mail_note(FILE *out, const char *label, const char *fmt,
				  ...)
{
	char *words = NULL, *lines = NULL, *save = NULL;
	size_t size;
	FILE *f = open_memstream(&lines, &size);
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&words, fmt, ap) < 0)
		words = NULL;
	va_end(ap);
	if (f && words)
		print_paragraph(f, MAIL_COLUMNS - LABEL, 0, "%s", words);
	if (f)
		fclose(f);
	for (char *line = lines ? strtok_r(lines, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save), label = "")
		fprintf(out, "%-*s%s\n", LABEL, label, line);
	free(lines);
	free(words);
}

static void print_pivot_mail_print_machine(const struct pivot *p, FILE *out)
{
	const char *bytes = print_pivot_mail_fact(p, "memory_bytes");

	print_pivot_mail_note(out, "hw", "%s, %s CPUs, %.1f GiB",
			      print_pivot_mail_fact(p, "cpu"),
			      print_pivot_mail_fact(p, "cpus"),
			      strtod(bytes, NULL) / 0x1p30);
	print_pivot_mail_note(
		out, "sw",
		"Linux %s, %s; governor %s, vulnerable: %s, debug "
		"options: %s",
		print_pivot_mail_fact(p, "kernel"),
		print_pivot_mail_fact(p, "program"),
		print_pivot_mail_fact(p, "governor"),
		print_pivot_mail_fact(p, "vulnerable"),
		print_pivot_mail_fact(p, FACT_DEBUG));
	if (!p->n_differ)
		say(out, 6,
		    "diff  between the variants: nothing else (%zu "
		    "keys are equal)",
		    p->n_held);
	for (size_t i = 0; i < p->n_differ && i < 8; i++)
		print_pivot_mail_note(out, "diff", "%s: %s", p->differ[i].key,
				      p->differ[i].words);
	if (p->n_differ > 8)
		print_pivot_mail_note(out, "diff", "and %zu more keys",
				      p->n_differ - 8);
	print_pivot_mail_note(out, "cmd", "%s",
			      print_pivot_mail_fact(p, "command"));
	for (size_t i = 0; i < p->runs->n_logs && i < 4; i++)
		if (*p->runs->log[i].sha256)
			print_pivot_mail_note(
				out, "log", "%s, %.4g kB, sha256 %s",
				print_pivot_mail_base_of(p->runs->log[i].name),
				p->runs->log[i].bytes / 1000,
				p->runs->log[i].sha256);
		else
			print_pivot_mail_note(
				out, "log", "%s",
				print_pivot_mail_base_of(p->runs->log[i].name));
	if (p->runs->n_logs > 4)
		print_pivot_mail_note(out, "log", "and %zu more",
				      p->runs->n_logs - 4);
}

/* --- a live crossover --- */

static void add_variant(struct mail_table *m, const struct crossover *x,
			const struct crossover_result *r, bool base)
{
	struct mail_row *row = print_pivot_mail_add_row(m);

	crossover_name(x, base ? 0 : r->variant, row->cell[COL_NAME],
		       sizeof(row->cell[COL_NAME]));
	schema_unit_format(row->cell[COL_MEAN], sizeof(row->cell[COL_MEAN]),
			   schema_unit_of_key(r->metric->key),
			   base ? r->v.d.mean_a : r->v.d.mean_b);
	snprintf(row->cell[COL_N], sizeof(row->cell[COL_N]), "%zu", r->v.d.n_a);
	if (base) {
		text_copy(row->cell[COL_CHANGE], sizeof(row->cell[COL_CHANGE]),
			  "base");
		return;
	}
	difference_percent_words(r->v.d.logs ? r->v.d.diff : NAN,
				 row->cell[COL_CHANGE],
				 sizeof(row->cell[COL_CHANGE]));
	difference_interval_words(&r->v.d, row->cell[COL_INTERVAL],
				  sizeof(row->cell[COL_INTERVAL]));
	pivot_figure_p(r->v.p, row->cell[COL_P], sizeof(row->cell[COL_P]));
}

/* Print the results of one metric, which stand after each other. */
static size_t print_metric(const struct crossover *x,
			   const struct crossover_result *r, size_t n,
			   FILE *out)
{
	const struct crossover_metric *m = r->metric;
	struct mail_table table = { 0 };
	char words[512];
	size_t of = 0;

	fprintf(out, "%s of job %s%s\n\n", m->key, m->job,
		r->better == 1	  ? ", more is better"
		: r->better == -1 ? ", less is better"
				  : "");
	begin_table(&table, "variant");
	while (of < n && r[of].metric == m) {
		if (!of)
			add_variant(&table, x, r, true);
		add_variant(&table, x, &r[of++], false);
	}
	end_table(&table, out);
	fputc('\n', out);
	for (size_t i = 0; i < of; i++)
		say(out, 2, "%s.",
		    crossover_sentence(x, &r[i], words, sizeof(words)));
	fputc('\n', out);
	return of;
}

/*
 * Print what was collected in text, and free it. Names come from logs that
 * anybody may have written, and Markdown takes HTML, links and entities for what
 * they are: put a backslash before them. "<.001" and "<2 %" are none.
 */
static void print_harmless(char *text, FILE *out)
{
	for (const char *p = text; *p; p++) {
		bool letter = isalpha((unsigned char)p[1]);

		if ((*p == '<' && (letter || strchr("/!?", p[1])) && p[1]) ||
		    (*p == '&' && (letter || p[1] == '#')) ||
		    (*p == ']' && p[1] && strchr("([:", p[1])) || *p == '`')
			fputc('\\', out);
		fputc(*p, out);
	}
	free(text);
}

static FILE *begin_page(char **text, size_t *size)
{
	FILE *page = open_memstream(text, size);

	if (!page)
		die("out of memory");
	return page;
}

static void end_page(FILE *page, char **text, FILE *out)
{
	if (fclose(page))
		die("out of memory");
	print_harmless(*text, out);
}

static void print_crossover(const struct crossover *x, const struct pivot *p,
			    FILE *out)
{
	size_t n, blocks = crossover_blocks(x);
	struct crossover_result *r = crossover_results(x, &n);
	char name[160];

	say(out, 0,
	    "Live crossover: %zu block%s of %zu variants, %zu periods of %.3g "
	    "s; paired within blocks, on logs; baseline: %s.",
	    blocks, blocks == 1 ? "" : "s", x->n_variants, x->periods,
	    x->periods ? x->period_s / (double)x->periods : 0,
	    crossover_name(x, 0, name, sizeof(name)));
	fputc('\n', out);
	if (!n)
		say(out, 0, "No block is complete: there is nothing to "
			    "compare.");
	for (size_t i = 0; i < n;)
		i += print_metric(x, &r[i], n - i, out);
	free(r);
	say(out, 0,
	    "N: blocks. p and intervals are adjusted by Holm over all "
	    "comparisons. See iodyno-method(7).");
	if (p->left_out)
		say(out, 0, "Spoilt: %s.", p->left_out);
	fputc('\n', out);
	print_pivot_mail_print_machine(p, out);
}

/* "Notes of checks: steady in 14 of 17 runs, set-size in 24 of 24." */
static void print_pivot_mail_print_checks(const struct pivot *p, FILE *out)
{
	const char *name[PIVOT_CHECKS];
	size_t n = pivot_checks(p, name), used = 0;
	char words[512] = "";

	for (size_t i = 0; i < n; i++) {
		struct pivot_check_count c =
			pivot_check_count(p, name[i], PIVOT_NOWHERE, 0);

		if (c.notes && used < sizeof(words))
			used += (size_t)snprintf(
				words + used, sizeof(words) - used,
				"%s%s in %zu of %zu%s", used ? ", " : "",
				name[i], c.notes, c.runs, used ? "" : " runs");
	}
	if (*words)
		say(out, 0, "Notes of checks: %s. See CHECKS in iodyno(1).",
		    words);
}

void print_pivot_mail_crossover(const struct crossover *x,
				const struct pivot *p, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *page = begin_page(&text, &size);

	print_crossover(x, p, page);
	end_page(page, &text, out);
}

static void print_comparison(const struct pivot *p, FILE *out)
{
	char words[512];

	if (p->result) {
		doc_print_text(p->result,
			       &(struct doc_layout){ .columns = MAIL_COLUMNS, .ascii = true },
			       out);
		fputc('\n', out);
	}
	for (size_t i = 0; i < p->n_tables; i++)
		print_pivot_mail_print_table(p, &p->table[i], out);
	say(out, 0,
	    "Means; changes of geometric means: %s. See "
	    "iodyno-method(7).",
	    pivot_figure_method(p, words, sizeof(words)));
	if (power_stop_note(p->stop))
		say(out, 0, "%s", power_stop_note(p->stop));
	if (p->family && !p->planned)
		say(out, 0, "Exploratory: no plan named the metrics before the "
			    "runs.");
	if (p->left_out)
		say(out, 0, "Spoilt runs, %s: %s.",
		    p->include_invalid ? "averaged all the same"
				       : "not averaged",
		    p->left_out);
	print_pivot_mail_print_checks(p, out);
	fputc('\n', out);
	print_pivot_mail_print_machine(p, out);
}

void print_pivot_mail(const struct pivot *p, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *page = begin_page(&text, &size);

	print_comparison(p, page);
	end_page(page, &text, out);
}
