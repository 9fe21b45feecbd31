/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print HTML pivot: prints a page of several runs: verdicts, charts, checks,
 * differences, every run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/checks.h"
#include "report/pivot/pivot.h"
#include "report/print/html.h"
#include "report/print/print.h"

static void subject(const struct pivot *p, const struct pivot_compare *c,
		    char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", p->list ? "" : p->rows.head[c->row].name,
		 p->list || !*p->rows.head[c->row].name ? "" : ", ",
		 p->cols.head[c->col].name);
}

static const char *class_of(const struct pivot_compare *c)
{
	if (c->v.why)
		return NULL;
	if (c->v.is == DIFFERENCE_BETTER ||
	    c->v.is == DIFFERENCE_BETTER_BELOW)
		return "good";
	return c->v.is == DIFFERENCE_WORSE ||
			       c->v.is == DIFFERENCE_WORSE_BELOW
		       ? "bad"
		       : NULL;
}

/* The maximum number of sentences; the table has all. */
#define MOST_SENTENCES 24

/* The rank of a sentence: differences first, then comparisons that are not
 * distinguishable, then those without a verdict. */
static int rank_of(const struct pivot_compare *c)
{
	return c->v.why ? 2 : class_of(c) ? 0 : 1;
}

static void put_sentence(const struct pivot *p, const struct pivot_table *t,
			 const struct pivot_compare *c, FILE *out)
{
	char name[200], words[640];

	subject(p, c, name, sizeof(name));
	fputs("<p>", out);
	print_markup(out, name);
	fputs(": ", out);
	if (class_of(c))
		fprintf(out, "<span class=\"%s\">", class_of(c));
	print_markup(out, pivot_figure_sentence(p, t, c, words, sizeof(words)));
	fprintf(out, "%s.</p>\n", class_of(c) ? "</span>" : "");
}

static void put_sentences(const struct pivot *p, const struct pivot_table *t,
			  FILE *out)
{
	size_t n = 0, put = 0, left[3] = { 0 };
	int ranks;

	for (size_t i = 0; i < t->n_compare; i++)
		n += pivot_cell(p, t, t->compare[i].row, t->compare[i].col)
			     ->runs > 0;
	/* Few sentences keep the order of the comparisons. */
	ranks = n > MOST_SENTENCES ? 3 : 1;
	for (int rank = 0; rank < ranks; rank++)
		for (size_t i = 0; i < t->n_compare; i++) {
			const struct pivot_compare *c = &t->compare[i];

			if (!pivot_cell(p, t, c->row, c->col)->runs ||
			    (ranks > 1 && rank_of(c) != rank))
				continue;
			if (put++ < MOST_SENTENCES)
				put_sentence(p, t, c, out);
			else
				left[rank]++;
		}
	if (left[0] + left[1] + left[2])
		html_page_element(out, "p", "dim",
				  "And in the table: %zu with a difference, "
				  "%zu not distinguishable, %zu without a "
				  "verdict.",
				  left[0], left[1], left[2]);
}

static void compare_cells(const struct pivot *p, const struct pivot_table *t,
			  size_t row, size_t col, FILE *out)
{
	const struct pivot_compare *c = pivot_compare_of(p, t, row, col);
	char change[64], words[200];

	if (!c || c->v.d.method == DIFFERENCE_NONE) {
		html_page_cell(out, c ? "-" : "base");
		html_page_cell(out, c ? "-" : "");
		html_page_cell(out, c ? "-" : "");
		html_page_cell(out, c ? "no verdict" : "");
		return;
	}
	html_page_cell(out,
		       difference_percent_words(c->v.d.logs ? c->v.d.diff : NAN, change,
					    sizeof(change)));
	html_page_cell(out, difference_interval_words(&c->v.d, words, sizeof(words)));
	html_page_cell(out, pivot_figure_p(c->v.p, words, sizeof(words)));
	html_page_cell(out,
		       c->v.why ? "no verdict" : judge_words(&c->v, t->better));
}

static void put_table(const struct pivot *p, const struct pivot_table *t,
		      FILE *out)
{
	const char *titles[] = {
		"",  "mean",   "± (95 %)", "SE %",
		"N", "change", "its interval, %", "p",
		"verdict"
	};
	char caption[300];

	html_page_table(out, "",
			pivot_figure_title(t, caption, sizeof(caption)), titles,
			ARRAY_SIZE(titles));
	for (size_t row = 0; row < p->rows.n; row++)
		for (size_t col = 0; col < p->cols.n; col++) {
			const struct pivot_cell *c = pivot_cell(p, t, row, col);
			struct pivot_figure f =
				pivot_figure_of(t->name, c->m.mean);
			char words[200], name[220], mean[48];

			if (!c->runs)
				continue;
			snprintf(name, sizeof(name), "%s%s%s%s",
				 p->list ? "" : p->rows.head[row].name,
				 p->list || !*p->rows.head[row].name ? ""
								     : ", ",
				 p->cols.head[col].name,
				 col == p->base ? " (base)" : "");
			html_page_row(out, name);
			pivot_figure_mean(&f, &c->m, mean,
					  sizeof(mean));
			snprintf(words, sizeof(words), "%s%s%s",
				 pivot_figure_is_bound(t, c) ? "\xe2\x89\xa5"
							     : "",
				 mean, f.unit);
			html_page_cell(out, c->n ? words
						 : pivot_figure_hole(
							   t, c, words,
							   sizeof(words)));
			pivot_figure_half(&f, &c->m, words, sizeof(words));
			html_page_cell(out, words);
			snprintf(words, sizeof(words), "%.1f", c->m.se_pct);
			html_page_cell(out, isfinite(c->m.se_pct) ? words : "-");
			html_page_cell(out,
				       pivot_figure_n(c, words, sizeof(words)));
			compare_cells(p, t, row, col, out);
			fputs("</tr>\n", out);
		}
	html_page_table_end(out);
}

static void print_html_pivot_put_figure(
	const struct pivot *p, const struct pivot_table *t,
	void (*draw)(const struct pivot *p, const struct pivot_table *t,
		     FILE *out),
	FILE *out)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	draw(p, t, f);
	fclose(f);
	if (size)
		fprintf(out, "<figure>%s</figure>\n", text);
	free(text);
}

static void put_drift(const struct pivot_table *t, FILE *out)
{
	char title[300];

	if (isfinite(t->drift.p))
		html_page_element(out, "p", "dim",
				  "%s: drift over all runs %+.*f%s (p %.2g).",
				  pivot_figure_title(t, title, sizeof(title)),
				  t->logs ? 1 : 3,
				  t->logs ? 100 * expm1(t->drift.total)
						: t->drift.total,
				  t->logs ? " %" : " (in its unit)",
				  t->drift.p);
}

/* Draw the runs of each table in their order, and print the drift. */
static void put_order(const struct pivot *p, FILE *out)
{
	html_page_element(out, "h2", NULL, "Order of runs");
	fputs("<div class=\"charts\">\n", out);
	for (size_t i = 0; i < p->n_tables; i++)
		print_html_pivot_put_figure(p, &p->table[i], html_chart_runs,
					    out);
	fputs("</div>\n", out);
	for (size_t i = 0; i < p->n_tables; i++)
		put_drift(&p->table[i], out);
}

static void print_html_pivot_put_keys(const struct pivot *p, FILE *out)
{
	html_page_element(out, "h2", NULL, "What differs, and environment");
	if (!p->n_differ)
		html_page_element(
			out, "p", NULL,
			"No other key differs between the columns; %zu are "
			"equal.",
			p->n_held);
	fputs("<dl>\n", out);
	for (size_t i = 0; i < p->n_differ; i++)
		html_page_fact(out, p->differ[i].key, p->differ[i].words);
	fputs("</dl>\n", out);
	if (p->n_differ)
		html_page_element(out, "p", "dim", "%zu more keys are equal.",
				  p->n_held);
	fputs("<details><summary>Environment: keys that are equal in all "
	      "runs</summary><dl>\n",
	      out);
	for (size_t i = 0; i < p->n_held; i++)
		html_page_fact(out, p->held[i].key, p->held[i].words);
	fputs("</dl></details>\n", out);
}

static void put_method(const struct pivot *p, FILE *out)
{
	char words[512];

	html_page_element(out, "h2", NULL, "Method");
	html_page_element(
		out, "p", NULL,
		"%s. Means are geometric where all values are above 0, as "
		"changes are, with half of the 95 %% interval over %s. iodyno-method(7) has the "
		"formulas and their sources.",
		pivot_figure_method(p, words, sizeof(words)),
		p->boots ? "boots" : "runs");
	if (power_stop_note(p->stop))
		html_page_element(out, "p", NULL, "%s",
				  power_stop_note(p->stop));
	if (p->split)
		html_page_element(
			out, "p", NULL,
			"%zu of %zu blocks were interrupted and resumed.",
			p->split, p->n_blocks);
	fputs("<dl>\n", out);
	for (size_t i = 0; i < p->runs->n_logs; i++)
		html_page_fact(out, "log", p->runs->log[i].name);
	fputs("</dl>\n", out);
}

static const char *run_state(const struct runs_run *run)
{
	static const char *const names[] = {
		[RUNS_DONE] = "done",       [RUNS_FAILED] = "failed",
		[RUNS_TIMEOUT] = "timeout", [RUNS_ABORTED] = "aborted",
		[RUNS_SKIPPED] = "skipped",
	};

	return names[run->state];
}

static void put_runs(const struct pivot *p, FILE *out)
{
	const char *titles[12] = { "run", "block", "variant", "state" };
	size_t n = 4, tables = p->n_tables < 6 ? p->n_tables : 6;

	html_page_element(out, "h2", NULL, "Every run");
	for (size_t i = 0; i < tables; i++)
		titles[n++] = p->table[i].name;
	titles[n++] = "spoilt by";
	html_page_table(out, "", "Runs in their order, values in base units",
			titles, n);
	for (size_t i = 0; i < p->runs->n; i++) {
		const struct runs_run *run = &p->runs->run[i];
		char words[300];

		if (p->row_of[i] == PIVOT_NOWHERE)
			continue;
		snprintf(words, sizeof(words), "%.0f", run->position);
		html_page_row(out, words);
		snprintf(words, sizeof(words), "%u", run->block);
		html_page_cell(out, run->block ? words : "");
		snprintf(words, sizeof(words), "%s%s%s",
			 p->list ? "" : p->rows.head[p->row_of[i]].name,
			 p->list ? "" : " ", p->cols.head[p->col_of[i]].name);
		html_page_cell(out, words);
		html_page_cell(out, run_state(run));
		for (size_t k = 0; k < tables; k++) {
			snprintf(words, sizeof(words), "%.6g",
				 runs_value(run, p->table[k].metric));
			html_page_cell(out, isfinite(runs_value(
						    run, p->table[k].metric))
						    ? words
						    : "-");
		}
		html_page_cell(out, run->invalid ? run->invalid : "");
		fputs("</tr>\n", out);
	}
	html_page_table_end(out);
}

static void put_geomean(const struct pivot *p, const struct pivot_table *t,
			FILE *out)
{
	for (size_t col = 0; t->geomean && col < p->cols.n; col++) {
		const struct pivot_geomean *g = &t->geomean[col];

		if (col == p->base || !g->used || !isfinite(g->ratio))
			continue;
		if (isfinite(g->without))
			html_page_element(
				out, "p", NULL,
				"%s: geometric mean of %zu rows %.3f (above 1 "
				"is better), without %s %.3f; %zu better, %zu "
				"worse, %zu undecided.",
				p->cols.head[col].name, g->used, g->ratio,
				p->rows.head[g->most].name, g->without,
				g->better, g->worse, g->undecided);
	}
}

static const char *of_run(const struct pivot *p, const char *key)
{
	const char *text =
		p->runs->n ? runs_fact(p->runs, &p->runs->run[0], key) : NULL;

	return text ? text : "";
}

/* --- latencies and time --- */

/* Print the mean, and below the change with its interval. */
static void latency_cell(const struct pivot *p, const struct pivot_table *t,
			 size_t row, size_t col, FILE *out)
{
	const struct pivot_compare *c;
	const struct pivot_cell *of;
	char words[200], change[64], interval[80];
	struct pivot_figure f;

	if (!t->name) {
		html_page_cell(out, "-");
		return;
	}
	of = pivot_cell(p, t, row, col);
	f = pivot_figure_of(t->name, of->m.mean);
	pivot_figure_mean(&f, &of->m, words, sizeof(words) - 12);
	strncat(words, f.unit, 11);
	fputs("<td>", out);
	print_markup(out, of->n ? words
				: pivot_figure_hole(t, of, words, sizeof(words)));
	c = pivot_compare_of(p, t, row, col);
	if (c && c->v.d.method != DIFFERENCE_NONE) {
		fputs("<br><span class=\"dim\">", out);
		print_markup_f(
			out, "%s (%s)",
			difference_change_words(c->v.d.logs ? c->v.d.diff : NAN, change,
					     sizeof(change)),
			difference_interval_words(&c->v.d, interval,
					       sizeof(interval)));
		fputs("</span>", out);
	}
	fputs("</td>", out);
}

static void latency_table(const struct pivot *p, const struct pivot_latency *l,
			  FILE *out)
{
	const char *titles[1 + PIVOT_PCTS] = { "" };
	char caption[300];

	for (size_t i = 0; i < PIVOT_PCTS; i++)
		titles[1 + i] = pivot_latency_name[i];
	snprintf(caption, sizeof(caption),
		 "Latency percentiles: %s, less is better; means over the "
		 "runs, below them the change in %% with its 95 %% interval",
		 l->name);
	html_page_table(out, "", caption, titles, ARRAY_SIZE(titles));
	for (size_t row = 0; row < p->rows.n; row++)
		for (size_t col = 0; col < p->cols.n; col++) {
			char name[220];

			if (!pivot_cell(p, &p->table[0], row, col)->runs)
				continue;
			html_chart_variant(p, row, col, name, 200);
			if (col == p->base)
				strcat(name, " (base)");
			html_page_row(out, name);
			for (size_t i = 0; i < PIVOT_PCTS; i++)
				latency_cell(p, &l->pct[i], row, col, out);
			fputs("</tr>\n", out);
		}
	html_page_table_end(out);
}

/* Print a picture, unless the picture is empty. */
static void print_html_pivot_put_latency(
	const struct pivot *p, const struct pivot_latency *l, size_t row,
	void (*draw)(const struct pivot *p, const struct pivot_latency *l,
		     size_t row, FILE *out),
	FILE *out)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	draw(p, l, row, f);
	fclose(f);
	if (size)
		fprintf(out, "<figure>%s</figure>\n", text);
	free(text);
}

/* The maximum number of pictures; the tables have all rows. */
#define MOST_ROWS 6

static void put_latencies(const struct pivot *p, FILE *out)
{
	if (p->n_latencies)
		html_page_element(out, "h2", NULL, "Latency percentiles");
	for (size_t i = 0; i < p->n_latencies; i++) {
		const struct pivot_latency *l = &p->latency[i];

		fputs("<div class=\"charts\">\n", out);
		for (size_t row = 0; row < p->rows.n && row < MOST_ROWS;
		     row++) {
			print_html_pivot_put_latency(
				p, l, row, html_chart_percentiles, out);
			print_html_pivot_put_latency(p, l, row,
						     html_chart_shift, out);
		}
		fputs("</div>\n", out);
		latency_table(p, l, out);
	}
	if (p->n_latencies)
		html_page_element(
			out, "p", "dim",
			"These are 95 %% intervals without correction for "
			"their number: they show the shape of a change, "
			"and are not a verdict.");
}

/* Whether the page shows a run over time. */
static bool is_drawn(const struct pivot *p, size_t run)
{
	return html_chart_draws(p->runs->run[run].course) &&
	       p->row_of[run] != PIVOT_NOWHERE;
}

static void put_courses(const struct pivot *p, FILE *out)
{
	struct html_chart_scale scale = { 0 };

	for (size_t i = 0; i < p->runs->n; i++)
		if (is_drawn(p, i))
			html_chart_widen(&scale, p->runs->run[i].course);
	if (!(scale.rate > 0))
		return;
	html_page_element(out, "h2", NULL, "Over time");
	html_page_element(out, "p", NULL,
			  "Runs of the first block, with equal scales.");
	fputs("<div class=\"charts\">\n", out);
	for (size_t i = 0; i < p->runs->n; i++) {
		const struct runs_run *run = &p->runs->run[i];
		char name[200], title[260];

		if (!is_drawn(p, i))
			continue;
		html_chart_variant(p, p->row_of[i], p->col_of[i], name,
				   sizeof(name));
		snprintf(title, sizeof(title), "%s, run %.0f", name,
			 run->position);
		fputs("<figure>", out);
		html_chart_course(title, run->course, &scale, out);
		fputs("</figure>\n", out);
	}
	fputs("</div>\n", out);
}

/* --- checks --- */

static void check_cell(const struct pivot_check_count *n, FILE *out)
{
	if (!n->runs)
		fputs("<td>-</td>", out);
	else if (n->spoilt)
		fprintf(out, "<td class=\"bad\">spoilt %zu/%zu</td>", n->spoilt,
			n->runs);
	else if (n->notes)
		fprintf(out, "<td class=\"warn\">note %zu/%zu</td>", n->notes,
			n->runs);
	else
		fputs("<td class=\"dim\">ok</td>", out);
}

/* Print variants by checks, for the checks with a finding in any run. */
static void check_grid(const struct pivot *p, const char *const *name, size_t n,
		       FILE *out)
{
	html_page_table(out, "", "Checks by variant: number of runs with a finding",
			name, n);
	for (size_t row = 0; row < p->rows.n; row++)
		for (size_t col = 0; col < p->cols.n; col++) {
			char variant[200];

			if (!pivot_cell(p, &p->table[0], row, col)->runs)
				continue;
			html_chart_variant(p, row, col, variant,
					   sizeof(variant));
			html_page_row(out, variant);
			for (size_t i = 1; i < n; i++) {
				struct pivot_check_count c =
					pivot_check_count(p, name[i], row, col);

				check_cell(&c, out);
			}
			fputs("</tr>\n", out);
		}
	html_page_table_end(out);
}

static void check_findings(const char *const *name, size_t n,
			   const struct pivot *p, FILE *out)
{
	static const char *const titles[] = { "check", "runs", "finding",
					      "what to do" };

	html_page_table(out, "words", "What the checks found, by an example",
			titles, ARRAY_SIZE(titles));
	for (size_t i = 1; i < n; i++) {
		struct pivot_check_count c =
			pivot_check_count(p, name[i], PIVOT_NOWHERE, 0);
		const struct check *of = checks_table_find(name[i]);
		char words[300];

		snprintf(words, sizeof(words), of ? "%s (F%u)" : "%s", name[i],
			 of ? of->f : 0);
		html_page_row(out, words);
		snprintf(words, sizeof(words), "%zu of %zu%s",
			 c.notes + c.spoilt, c.runs,
			 c.spoilt ? ", spoilt" : "");
		html_page_cell(out, words);
		snprintf(words, sizeof(words), "run %.0f: %.250s",
			 c.first->position, pivot_check(c.first, name[i])->words);
		html_page_cell(out, words);
		html_page_cell(out, of ? of->look : "");
		fputs("</tr>\n", out);
	}
	html_page_table_end(out);
}

static void put_checks(const struct pivot *p, FILE *out)
{
	const char *all[PIVOT_CHECKS], *found[PIVOT_CHECKS + 1] = { "" };
	size_t n = pivot_checks(p, all), n_found = 1, runs = 0;
	bool any = false;

	if (!n)
		return;
	for (size_t i = 0; i < p->runs->n; i++)
		runs += p->row_of[i] != PIVOT_NOWHERE;
	html_page_element(out, "h2", NULL, "Checks");
	for (size_t i = 0; i < n; i++) {
		struct pivot_check_count c = pivot_check_count(p, all[i], PIVOT_NOWHERE, 0);

		if (c.first)
			found[n_found++] = all[i];
	}
	if (n_found > 1) {
		check_grid(p, found, n_found, out);
		check_findings(found, n_found, p, out);
	}
	fputs("<p class=\"dim\">Checked and ok:", out);
	for (size_t i = 0; i < n; i++) {
		struct pivot_check_count c = pivot_check_count(p, all[i], PIVOT_NOWHERE, 0);

		if (c.first)
			continue;
		fputs(any ? ", " : " ", out);
		print_markup(out, all[i]);
		if (c.runs < runs)
			fprintf(out, " (in %zu of %zu runs)", c.runs, runs);
		any = true;
	}
	fputs(any ? ". See CHECKS in iodyno(1).</p>\n" : " none.</p>\n", out);
}

/* Print the numbers of runs, failed runs and spoilt runs. */
static void put_summary(const struct pivot *p, FILE *out)
{
	size_t runs = 0, spoilt = 0, failed = 0, skipped = 0;

	for (size_t i = 0; i < p->runs->n; i++) {
		if (p->row_of[i] == PIVOT_NOWHERE)
			continue;
		runs++;
		failed += p->runs->run[i].state != RUNS_DONE &&
			  p->runs->run[i].state != RUNS_SKIPPED;
		skipped += p->runs->run[i].state == RUNS_SKIPPED;
		spoilt += p->runs->run[i].invalid != NULL;
	}
	html_page_element(out, "p", "dim", "%s%s%s%sLinux %s; %zu runs%s",
			  of_run(p, "host"), *of_run(p, "host") ? ", " : "",
			  of_run(p, "cpu"), *of_run(p, "cpu") ? ", " : "",
			  of_run(p, "kernel"), runs,
			  p->n_blocks ? " in blocks" : "");
	if (failed)
		html_page_element(out, "p", "bad", "%zu of %zu runs failed.",
				  failed, runs);
	if (skipped)
		html_page_element(out, "p", "bad", "%zu of %zu runs %s skipped.",
				  skipped, runs, skipped == 1 ? "was" : "were");
	if (spoilt)
		html_page_element(out, "p", "bad",
				  "%zu of %zu runs are spoilt, and %s: %s.",
				  spoilt, runs,
				  p->include_invalid ? "averaged all the same"
						     : "not averaged",
				  p->left_out ? p->left_out : "");
}

/* --- the runs as a file --- */

static void put_encoded(const char *text, size_t size, FILE *out)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z') || strchr("-._~,", c))
			fputc(c, out);
		else
			fprintf(out, "%%%02X", c);
	}
}

static void put_link(const struct pivot *p, FILE *out)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	print_pivot_csv(p, f);
	fclose(f);
	fputs("<p><a download=\"iodyno.csv\" href=\"data:text/csv;"
	      "charset=utf-8,",
	      out);
	put_encoded(text, size, out);
	fputs("\">All figures as CSV</a>, as iodyno report --format=csv "
	      "prints them.</p>\n",
	      out);
	free(text);
}

void print_html_pivot(const struct pivot *p, FILE *out)
{
	char title[400];

	snprintf(title, sizeof(title), "Comparison by %s%s%s",
		 *p->cols.title ? p->cols.title : "run",
		 p->list || !*p->rows.title ? "" : " and ",
		 p->list ? "" : p->rows.title);
	doc_html_begin(title, out);
	put_summary(p, out);
	if (p->result)
		doc_html_body(p->result, out);
	if (*of_run(p, "command"))
		html_page_element(out, "pre", NULL, "%s", of_run(p, "command"));
	for (size_t i = 0; i < p->n_tables; i++) {
		const struct pivot_table *t = &p->table[i];
		char words[300];

		html_page_element(out, "h2", NULL, "%s",
				  pivot_figure_title(t, words, sizeof(words)));
		put_sentences(p, t, out);
		put_geomean(p, t, out);
		fputs("<div class=\"charts\">\n", out);
		print_html_pivot_put_figure(p, t, html_chart_forest, out);
		print_html_pivot_put_figure(p, t, html_chart_bars, out);
		fputs("</div>\n", out);
		put_table(p, t, out);
	}
	put_checks(p, out);
	put_order(p, out);
	put_latencies(p, out);
	put_courses(p, out);
	print_html_pivot_put_keys(p, out);
	put_method(p, out);
	put_runs(p, out);
	put_link(p, out);
	doc_html_end(out);
}
