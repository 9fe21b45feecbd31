/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print, the pivot for a mail: tables in Markdown that read as plain text, at
 * most 72 columns, ASCII.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "model/crossover.h"
#include "model/header.h"
#include "model/schema/schema.h"
#include "report/pivot/pivot.h"
#include "report/print/print.h"

#define MAIL_COLUMNS 72
#define LABEL        6
#define NAME         14

#define say(out, indent, ...) \
	print_paragraph(out, MAIL_COLUMNS, indent, __VA_ARGS__)

/* Cut a text, and replace bars, which separate columns in Markdown. */
static const char *plain(const char *text, int most, char *buf, size_t size)
{
	snprintf(buf, size, "%.*s", most, text);
	for (char *c = buf; *c; c++)
		if (*c == '|')
			*c = '/';
	return buf;
}

static void print_row(const struct pivot *p, const struct pivot_table *t,
		      size_t row, size_t col, int name, FILE *out)
{
	const struct pivot_cell *b = pivot_cell(p, t, row, col);
	const struct pivot_compare *c = pivot_compare_of(p, t, row, col);
	const struct pivot_cell *a = pivot_cell(p, t, row, p->base);
	struct pivot_figure f =
		pivot_figure_of(t->name, a->n ? a->mean : b->mean);
	char label[128], mean[64], unit[80], n[32], change[32], interval[64],
		p_text[24], all[260];

	if (p->list)
		snprintf(all, sizeof(all), "%.100s", p->cols.head[col].name);
	else
		snprintf(all, sizeof(all), "%.100s, %.100s",
			 p->rows.head[row].name, p->cols.head[col].name);
	pivot_figure_text(&f, b->mean, b->half, mean, sizeof(mean));
	snprintf(unit, sizeof(unit), "%s%s%s%s",
		 pivot_figure_is_bound(t, b) ? ">=" : "", mean,
		 *f.unit ? " " : "", f.unit);
	if (!b->n)
		pivot_figure_hole(b, unit, sizeof(unit));
	if (c) {
		difference_percent_words(c->d.logs ? c->d.diff : NAN, change,
				     sizeof(change));
		difference_interval_words(&c->d, interval, sizeof(interval));
		pivot_figure_p(c->p, p_text, sizeof(p_text));
	}
	fprintf(out, "| %-*s | %10s | %3s | %7s | %14s | %5s |\n", name,
		plain(all, name, label, sizeof(label)), unit,
		pivot_figure_n(b, n, sizeof(n)), c ? change : "base",
		c ? interval : "", c ? p_text : "");
}

static void print_titles(const char *variant, const char *interval, FILE *out)
{
	static const char dashes[] = "------------------------------";

	fprintf(out, "| %-*.*s | %10s | %3s | %7s | %14s | %5s |\n", NAME, NAME,
		variant, "mean", "N", "change", interval, "p");
	fprintf(out, "|%.*s|%.11s:|%.4s:|%.8s:|%.15s:|%.6s:|\n", NAME + 2,
		dashes, dashes, dashes, dashes, dashes, dashes);
}

static void print_table(const struct pivot *p, const struct pivot_table *t,
			FILE *out)
{
	char title[300];

	fprintf(out, "%s\n\n", pivot_figure_title(t, title, sizeof(title)));
	print_titles(p->list ? p->cols.title : "variant",
		     pivot_figure_all_hold(p, t) ? "simultaneous"
						 : "95 % interval",
		     out);
	for (size_t row = 0; row < p->rows.n; row++)
		for (size_t col = 0; col < p->cols.n; col++)
			if (pivot_cell(p, t, row, col)->runs)
				print_row(p, t, row, col, NAME, out);
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

static const char *fact(const struct pivot *p, const char *key)
{
	const char *text =
		p->runs->n ? runs_fact(p->runs, &p->runs->run[0], key) : NULL;

	return text ? text : "unknown";
}

/* The name of a file without its folders. */
static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "hw    ..." for the facts of the machine. */
static void note(FILE *out, const char *label, const char *fmt, ...)
	printf_like(3, 4);

/* Print words after a label, with all lines indented. */
static void note(FILE *out, const char *label, const char *fmt, ...)
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

static void print_machine(const struct pivot *p, FILE *out)
{
	const char *bytes = fact(p, "memory_bytes");

	note(out, "hw", "%s, %s CPUs, %.1f GiB", fact(p, "cpu"),
	    fact(p, "cpus"), strtod(bytes, NULL) / 0x1p30);
	note(out, "sw", "Linux %s, %s; governor %s, vulnerable: %s, debug "
		    "options: %s",
	    fact(p, "kernel"), fact(p, "program"), fact(p, "governor"),
	    fact(p, "vulnerable"), fact(p, FACT_DEBUG));
	if (!p->n_differ)
		say(out, 6,
		    "diff  between the variants: nothing else (%zu "
		    "keys are equal)",
		    p->n_held);
	for (size_t i = 0; i < p->n_differ && i < 8; i++)
		note(out, "diff", "%s: %s", p->differ[i].key,
		    p->differ[i].words);
	if (p->n_differ > 8)
		note(out, "diff", "and %zu more keys", p->n_differ - 8);
	note(out, "cmd", "%s", fact(p, "command"));
	for (size_t i = 0; i < p->runs->n_logs && i < 4; i++)
		if (*p->runs->log[i].sha256)
			note(out, "log", "%s, %.4g kB, sha256 %s",
			    base_of(p->runs->log[i].name),
			    p->runs->log[i].bytes / 1000,
			    p->runs->log[i].sha256);
		else
			note(out, "log", "%s", base_of(p->runs->log[i].name));
	if (p->runs->n_logs > 4)
		note(out, "log", "and %zu more", p->runs->n_logs - 4);
}

/* --- a live crossover --- */

static void print_variant(const struct crossover *x,
			  const struct crossover_result *r, bool base, FILE *out)
{
	char name[160], label[64], mean[32], change[24] = "base",
		interval[64] = "", p_text[24] = "";

	crossover_name(x, base ? 0 : r->variant, name, sizeof(name));
	if (!base) {
		difference_percent_words(r->d.logs ? r->d.diff : NAN, change,
					 sizeof(change));
		difference_interval_words(&r->d, interval, sizeof(interval));
		pivot_figure_p(r->p, p_text, sizeof(p_text));
	}
	fprintf(out, "| %-14s | %10s | %3zu | %7s | %14s | %5s |\n",
		plain(name, 14, label, sizeof(label)),
		schema_unit_format(mean, sizeof(mean),
				   schema_unit_of_key(r->metric->key),
				   base ? r->base : r->mean),
		r->d.n_a, change, interval, p_text);
}

/* Print the results of one metric, which stand after each other. */
static size_t print_metric(const struct crossover *x,
			   const struct crossover_result *r, size_t n,
			   FILE *out)
{
	const struct crossover_metric *m = r->metric;
	char words[512];
	size_t of = 0;

	fprintf(out, "%s of job %s%s\n\n", m->key, m->job,
		m->ordered	? ""
		: m->better > 0 ? ", more is better"
		: m->better < 0 ? ", less is better"
				: "");
	print_titles("variant", "95 % interval", out);
	while (of < n && r[of].metric == m) {
		if (!of)
			print_variant(x, r, true, out);
		print_variant(x, &r[of++], false, out);
	}
	fputc('\n', out);
	for (size_t i = 0; i < of; i++)
		say(out, 2, "%s.",
		    crossover_sentence(x, &r[i], words, sizeof(words)));
	fputc('\n', out);
	return of;
}

void print_pivot_mail_crossover(const struct crossover *x,
				const struct pivot *p, FILE *out)
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
	    "N: blocks. p and intervals are adjusted by Holm over the variants "
	    "and jobs of each metric. See iodyno-method(7).");
	if (p->left_out)
		say(out, 0, "Spoilt: %s.", p->left_out);
	fputc('\n', out);
	print_machine(p, out);
}

void print_pivot_mail(const struct pivot *p, FILE *out)
{
	char words[512];

	for (size_t i = 0; i < p->n_tables; i++)
		print_table(p, &p->table[i], out);
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
	fputc('\n', out);
	print_machine(p, out);
}
