/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print HTML: a report as one page that needs neither network nor script.
 *
 * It is narrow first: one column on a phone, two where there is room; dark where
 * the reader's system is; in print without colours that carry meaning. All
 * texts of logs are escaped.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "report/markup.h"
#include "report/pivot/pivot_figure.h"
#include "report/pivot/pivot_parts.h"
#include "report/print/html_chart.h"
#include "report/results.h"

static const char style[] =
	":root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--dim:#57606a;"
	"--line:#d0d7de;--panel:#f6f8fa;--bar:#4878a8;--good:#1a7f37;"
	"--bad:#b42318;--c0:#4878a8;--c1:#b35900;--c2:#2a7d4f;--c3:#8250a8;"
	"--c4:#a8324a;--c5:#57606a}\n"
	"@media(prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;"
	"--dim:#9aa4af;--line:#30363d;--panel:#161b22;--bar:#6ea8dc;"
	"--good:#56d364;--bad:#ff8f85;--c0:#6ea8dc;--c1:#f0a35e;--c2:#63c68c;"
	"--c3:#c297eb;--c4:#f08ca0;--c5:#9aa4af}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--bg);color:var(--fg);"
	"font:15px/1.5 system-ui,sans-serif}\n"
	"main{max-width:1120px;margin:0 auto;padding:16px}\n"
	"h1{font-size:1.5em;line-height:1.25;margin:.2em 0}\n"
	"h2{font-size:1.2em;margin:1.8em 0 .4em;padding-top:.6em;"
	"border-top:1px solid var(--line)}\n"
	"p{margin:.4em 0;max-width:75ch}\n.dim{color:var(--dim)}\n"
	".good{color:var(--good);font-weight:600}\n"
	".bad{color:var(--bad);font-weight:600}\n"
	".charts{display:grid;gap:16px;grid-template-columns:"
	"repeat(auto-fit,minmax(min(100%,340px),1fr))}\n"
	"figure{margin:0;background:var(--panel);border:1px solid var(--line);"
	"border-radius:8px;padding:8px}\n"
	"svg{display:block;width:100%;max-width:560px;margin:auto;height:auto;"
	"fill:var(--fg);font:12px system-ui,sans-serif}\n"
	".label{font-weight:600}.small,.tick{fill:var(--dim);font-size:11px}\n"
	".value,.end{text-anchor:end}.tick{text-anchor:middle}"
	".tick.start{text-anchor:start}\n"
	".axis{stroke:var(--dim);stroke-width:1}"
	".whisker{stroke:var(--fg);stroke-width:2}\n"
	".band{fill:var(--line)}.bar{fill:var(--bar)}"
	".bar.base{fill:url(#hatch);stroke:var(--bar)}\n"
	".line{fill:none;stroke:var(--bar);stroke-width:1.5}\n"
	".v0{fill:var(--c0)}.v1{fill:var(--c1)}.v2{fill:var(--c2)}"
	".v3{fill:var(--c3)}.v4{fill:none;stroke:var(--c4);stroke-width:2}"
	".v5{fill:none;stroke:var(--c5);stroke-width:2.5}\n"
	".wide{overflow-x:auto;margin:.6em 0}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"caption{text-align:left;font-weight:600;padding:.3em 0}\n"
	"th,td{padding:.25em .7em;border-bottom:1px solid var(--line);"
	"text-align:right;white-space:nowrap}\n"
	"th{font-weight:600}"
	"th[scope=row],td.t,th.t{text-align:left}\n"
	"th[scope=row]{min-width:8em}.words th{text-align:left}"
	".words td{text-align:left;white-space:normal}\n"
	"@media(max-width:640px){.words thead{display:none}.words tr,"
	".words th,.words td{display:block;border:0;padding:0 0 0 .7em}"
	".words tr{border-bottom:1px solid var(--line);padding:.3em 0}"
	".words td:empty{display:none}}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1em}\n"
	"dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}\n"
	"@media(max-width:560px){dl{grid-template-columns:1fr;gap:0}"
	"dd{margin-bottom:.4em}}\n"
	"a{color:inherit}summary{cursor:pointer;font-weight:600}\n"
	"@media print{:root{--fg:#000;--bg:#fff;--dim:#333;--line:#999;"
	"--panel:#fff;--bar:#555;--good:#000;--bad:#000;--c0:#000;--c1:#000;"
	"--c2:#000;--c3:#000;--c4:#000;--c5:#000}main{max-width:none;"
	"padding:0}.wide{overflow:visible}body{font-size:11px}"
	"figure,tr,h2{break-inside:avoid}h2{break-after:avoid}"
	".charts{grid-template-columns:1fr 1fr}details>*{display:block}}\n";

static void put_head(const char *title, FILE *out)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
	      "charset=\"utf-8\">\n<meta name=\"viewport\" "
	      "content=\"width=device-width,initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	      "<title>",
	      out);
	markup_text(out, title);
	fprintf(out, "</title>\n<style>\n%s</style></head>\n<body><main>\n",
		style);
	/* The pattern of the base is used by all bars of the page. */
	fputs("<svg width=\"0\" height=\"0\" style=\"position:absolute\" "
	      "aria-hidden=\"true\"><defs><pattern id=\"hatch\" width=\"6\" "
	      "height=\"6\" patternUnits=\"userSpaceOnUse\" "
	      "patternTransform=\"rotate(45)\"><rect class=\"bar\" width=\"3\" "
	      "height=\"6\"/></pattern></defs></svg>\n<h1>",
	      out);
	markup_text(out, title);
	fputs("</h1>\n", out);
}

static void put_end(FILE *out)
{
	fputs("<p class=\"dim\">Made by " PACKAGE_STRING
	      ", iodyno report --format=html.</p>\n</main></body></html>\n",
	      out);
}

/* <tag class="class">words</tag>; class may be NULL. */
static void element(FILE *out, const char *tag, const char *class,
		    const char *fmt, ...) printf_like(4, 5);

static void element(FILE *out, const char *tag, const char *class,
		    const char *fmt, ...)
{
	char words[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	fprintf(out, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
	markup_text(out, words);
	fprintf(out, "</%s>\n", tag);
}

/* class "words" is for a table of sentences, which a phone stacks. */
static void begin_table(FILE *out, const char *class, const char *caption,
			const char *const *title, size_t n)
{
	fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"",
	      out);
	markup_text(out, caption);
	fprintf(out, "\"><table class=\"%s\"><caption>", class);
	markup_text(out, caption);
	fputs("</caption><thead><tr>", out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "<th scope=\"col\"%s>", i ? "" : " class=\"t\"");
		markup_text(out, title[i]);
		fputs("</th>", out);
	}
	fputs("</tr></thead><tbody>\n", out);
}

static void end_table(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}

static void row_head(FILE *out, const char *words)
{
	fputs("<tr><th scope=\"row\">", out);
	markup_text(out, words);
	fputs("</th>", out);
}

static void cell(FILE *out, const char *words)
{
	fputs("<td>", out);
	markup_text(out, words);
	fputs("</td>", out);
}

static void fact(FILE *out, const char *name, const char *words)
{
	if (!words || !*words)
		return;
	element(out, "dt", NULL, "%s", name);
	fputs("<dd>", out);
	markup_text(out, words);
	fputs("</dd>\n", out);
}

/* --- several runs --- */

static void subject(const struct pivot *p, const struct pivot_compare *c,
		    char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", p->list ? "" : p->rows.head[c->row].name,
		 p->list || !*p->rows.head[c->row].name ? "" : ", ",
		 p->cols.head[c->col].name);
}

static const char *class_of(const struct pivot_compare *c)
{
	if (c->withheld)
		return NULL;
	if (c->verdict == DIFFERENCE_BETTER ||
	    c->verdict == DIFFERENCE_BETTER_BELOW)
		return "good";
	return c->verdict == DIFFERENCE_WORSE ||
			       c->verdict == DIFFERENCE_WORSE_BELOW
		       ? "bad"
		       : NULL;
}

/* More sentences stand in the table only. */
#define MOST_SENTENCES 24

static void put_sentences(const struct pivot *p, const struct pivot_table *t,
			  FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_compare; i++) {
		const struct pivot_compare *c = &t->compare[i];
		char name[200], words[640];

		if (!pivot_cell(p, t, c->row, c->col)->runs)
			continue;
		if (n++ == MOST_SENTENCES)
			break;
		subject(p, c, name, sizeof(name));
		fprintf(out, "<p>");
		markup_text(out, name);
		fputs(": ", out);
		if (class_of(c))
			fprintf(out, "<span class=\"%s\">", class_of(c));
		markup_text(out, pivot_figure_sentence(p, t, c, words,
						       sizeof(words)));
		fprintf(out, "%s.</p>\n", class_of(c) ? "</span>" : "");
	}
}

static void compare_cells(const struct pivot *p, const struct pivot_table *t,
			  size_t row, size_t col, FILE *out)
{
	const struct pivot_compare *c = pivot_compare_of(p, t, row, col);
	char change[64], words[200];

	if (!c || c->d.method == DIFFERENCE_NONE) {
		cell(out, c ? "-" : "base");
		cell(out, c ? "-" : "");
		cell(out, c ? "-" : "");
		cell(out, c ? "no verdict" : "");
		return;
	}
	snprintf(words, sizeof(words), "%s %%",
		 pivot_figure_change(c->d.diff, change, sizeof(change)));
	cell(out, words);
	cell(out, pivot_figure_interval(&c->d, words, sizeof(words)));
	cell(out, pivot_figure_p(c->p, words, sizeof(words)));
	cell(out, c->withheld ? "no verdict" : pivot_judge_words(t, c));
}

static void put_table(const struct pivot *p, const struct pivot_table *t,
		      FILE *out)
{
	static const char *const titles[] = { "",	"mean",	    "± (95 %)",
					      "SE %",	"N",	    "change",
					      "95 % interval, %", "p",
					      "verdict" };
	char caption[300];

	begin_table(out, "", pivot_figure_title(t, caption, sizeof(caption)),
		    titles, ARRAY_SIZE(titles));
	for (size_t row = 0; row < p->rows.n; row++)
		for (size_t col = 0; col < p->cols.n; col++) {
			const struct pivot_cell *c = pivot_cell(p, t, row, col);
			struct pivot_figure f = pivot_figure_of(t->name,
								c->mean);
			char words[200], name[220];

			if (!c->runs)
				continue;
			snprintf(name, sizeof(name), "%s%s%s%s",
				 p->list ? "" : p->rows.head[row].name,
				 p->list || !*p->rows.head[row].name ? ""
								     : ", ",
				 p->cols.head[col].name,
				 col == p->base ? " (base)" : "");
			row_head(out, name);
			pivot_figure_text(&f, c->mean, c->half, words,
					  sizeof(words) - 12);
			strncat(words, f.unit, 11);
			cell(out, c->n ? words : "X");
			pivot_figure_text(&f, c->half, c->half, words,
					  sizeof(words));
			cell(out, isfinite(c->half) ? words : "-");
			snprintf(words, sizeof(words), "%.1f", c->se_pct);
			cell(out, isfinite(c->se_pct) ? words : "-");
			cell(out, pivot_figure_n(c, words, sizeof(words)));
			compare_cells(p, t, row, col, out);
			fputs("</tr>\n", out);
		}
	end_table(out);
}

static void put_figure(const struct pivot *p, const struct pivot_table *t,
		       void (*draw)(const struct pivot *p,
				    const struct pivot_table *t, FILE *out),
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
	if (isfinite(t->drift.p))
		element(out, "p", "dim",
			"Drift over all runs: %+.1f %% (p %.2g).",
			t->drift_logs ? 100 * expm1(t->drift.total)
				      : t->drift.total,
			t->drift.p);
}

static void put_keys(const struct pivot *p, FILE *out)
{
	element(out, "h2", NULL, "Differences, and equal keys");
	if (!p->n_differ)
		element(out, "p", NULL,
			"No other key differs between the columns; %zu are "
			"equal.",
			p->n_held);
	fputs("<dl>\n", out);
	for (size_t i = 0; i < p->n_differ; i++)
		fact(out, p->differ[i].key, p->differ[i].words);
	fputs("</dl>\n", out);
	if (p->n_differ)
		element(out, "p", "dim", "%zu more keys are equal.", p->n_held);
	fputs("<details><summary>Equal in all runs</summary><dl>\n", out);
	for (size_t i = 0; i < p->n_held; i++)
		fact(out, p->held[i].key, p->held[i].words);
	fputs("</dl></details>\n", out);
}

static void put_method(const struct pivot *p, FILE *out)
{
	char words[512];

	element(out, "h2", NULL, "Method");
	element(out, "p", NULL, "%s. Means with half of the 95 %% interval over "
		"%s; changes are of geometric means. iodyno-method(7) has the "
		"formulas and their sources.",
		pivot_figure_method(p, words, sizeof(words)),
		p->boots ? "boots" : "runs");
	if (p->left_out)
		element(out, "p", "bad", "Spoilt runs, %s: %s.",
			p->include_invalid ? "averaged all the same"
					   : "not averaged",
			p->left_out);
	if (p->split)
		element(out, "p", NULL,
			"%zu of %zu blocks were interrupted and resumed.",
			p->split, p->n_blocks);
	fputs("<dl>\n", out);
	for (size_t i = 0; i < p->runs->n_logs; i++)
		fact(out, "log", p->runs->log[i].name);
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

	element(out, "h2", NULL, "Every run");
	for (size_t i = 0; i < tables; i++)
		titles[n++] = p->table[i].name;
	titles[n++] = "spoilt by";
	begin_table(out, "", "Runs in their order, values in base units", titles, n);
	for (size_t i = 0; i < p->runs->n; i++) {
		const struct runs_run *run = &p->runs->run[i];
		char words[300];

		if (p->row_of[i] == PIVOT_NOWHERE)
			continue;
		snprintf(words, sizeof(words), "%.0f", run->position);
		row_head(out, words);
		snprintf(words, sizeof(words), "%u", run->block);
		cell(out, run->block ? words : "");
		snprintf(words, sizeof(words), "%s%s%s",
			 p->list ? "" : p->rows.head[p->row_of[i]].name,
			 p->list ? "" : " ", p->cols.head[p->col_of[i]].name);
		cell(out, words);
		cell(out, run_state(run));
		for (size_t k = 0; k < tables; k++) {
			snprintf(words, sizeof(words), "%.6g",
				 runs_value(run, p->table[k].metric));
			cell(out, isfinite(runs_value(run, p->table[k].metric))
					  ? words
					  : "-");
		}
		cell(out, run->invalid ? run->invalid : "");
		fputs("</tr>\n", out);
	}
	end_table(out);
}

static void put_geomean(const struct pivot *p, const struct pivot_table *t,
			FILE *out)
{
	for (size_t col = 0; t->geomean && col < p->cols.n; col++) {
		const struct pivot_geomean *g = &t->geomean[col];

		if (col == p->base || !g->used || !isfinite(g->ratio))
			continue;
		if (isfinite(g->without))
			element(out, "p", NULL,
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

void print_html_pivot(const struct pivot *p, FILE *out)
{
	char title[400];

	snprintf(title, sizeof(title), "Comparison by %s%s%s",
		 *p->cols.title ? p->cols.title : "run",
		 p->list || !*p->rows.title ? "" : " and ",
		 p->list ? "" : p->rows.title);
	put_head(title, out);
	element(out, "p", "dim", "%s, %s, Linux %s; %zu runs%s", of_run(p, "host"),
		of_run(p, "cpu"), of_run(p, "kernel"), p->runs->n,
		p->n_blocks ? " in blocks" : "");
	element(out, "p", NULL, "%s", of_run(p, "command"));
	for (size_t i = 0; i < p->n_tables; i++) {
		const struct pivot_table *t = &p->table[i];
		char words[300];

		element(out, "h2", NULL, "%s",
			pivot_figure_title(t, words, sizeof(words)));
		put_sentences(p, t, out);
		put_geomean(p, t, out);
		fputs("<div class=\"charts\">\n", out);
		put_figure(p, t, html_chart_forest, out);
		put_figure(p, t, html_chart_bars, out);
		put_figure(p, t, html_chart_runs, out);
		fputs("</div>\n", out);
		put_drift(t, out);
		put_table(p, t, out);
	}
	put_keys(p, out);
	put_method(p, out);
	put_runs(p, out);
	put_end(out);
}

/* --- one run --- */

static void put_job_rows(const struct window_row *row, FILE *out)
{
	for (int o = 0; o < WINDOW_OPS; o++) {
		const struct op_sum *op = &row->op[o];
		double ns[PCTS];
		char buf[64];

		if (!(op->ios > 0))
			continue;
		snprintf(buf, sizeof(buf), "%.48s %s", row->id,
			 window_op_name(SCHEMA_JOB, o));
		row_head(out, buf);
		cell(out, units_format_count(buf, sizeof(buf), op->ios));
		cell(out, units_format_count(buf, sizeof(buf),
					     window_iops(row, o)));
		cell(out, units_format_bytes(buf, sizeof(buf),
					     o >= WINDOW_SYNC
						     ? NAN
						     : window_bytes_per_s(row,
									  o)));
		latency_percentiles(&op->service, ns);
		for (int i = 0; i < PCTS; i++)
			cell(out, units_format_ns(buf, sizeof(buf), ns[i]));
		fputs("</tr>\n", out);
	}
}

static void put_jobs(const struct window *w, FILE *out)
{
	static const char *const titles[] = { "job",  "I/Os", "/s",
					      "data/s", "mean", "p50",
					      "p90",  "p99",  "p99.9", "max" };

	begin_table(out, "", "Jobs, means and percentiles over the run", titles,
		    ARRAY_SIZE(titles));
	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == SCHEMA_JOB)
			put_job_rows(&w->row[i], out);
	end_table(out);
}

#define MOST_COLUMNS 32

static void put_devices(const struct window *w, FILE *out)
{
	const struct schema *s = schemas[SCHEMA_DEVICE];
	const char *titles[MOST_COLUMNS + 1] = { "device" };
	int field[MOST_COLUMNS];
	size_t n = schema_fields_in(SCHEMA_DEVICE, FIELD_IN_REPORT, field,
				    MOST_COLUMNS);

	for (size_t i = 0; i < n; i++)
		titles[i + 1] = s->fields[field[i]].title;
	begin_table(out, "", "Devices, means over the run, as iostat names them",
		    titles, n + 1);
	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];

		if (row->schema != SCHEMA_DEVICE || !results_shown(row))
			continue;
		row_head(out, row->id);
		for (size_t k = 0; k < n; k++) {
			const struct field *f = &s->fields[field[k]];
			double v = window_mean(row, f->key) *
				   (f->scale != 0 ? f->scale : 1);
			char buf[400];

			snprintf(buf, sizeof(buf), "%.*f", f->digits, v);
			cell(out, isfinite(v) ? buf : "-");
		}
		fputs("</tr>\n", out);
	}
	end_table(out);
}

static void put_check(const struct check *check, enum check_state state,
		      const char *words, void *arg)
{
	FILE *out = arg;

	row_head(out, check->name);
	fprintf(out, "<td class=\"%s\">%s</td><td class=\"t\">",
		state == CHECK_SPOILT ? "bad" : "dim", checks_state_name(state));
	markup_text(out, words);
	fputs("</td><td class=\"t\">", out);
	markup_text(out, state > CHECK_OK ? check->look : "");
	fputs("</td></tr>\n", out);
}

static void put_outcome(const struct assertion *a,
			const struct assertion_outcome *o, const char *words,
			void *arg)
{
	FILE *out = arg;

	row_head(out, a->text);
	fprintf(out, "<td class=\"%s\">%s</td><td class=\"t\">",
		o->passed ? "good" : "bad", o->passed ? "passed" : "FAILED");
	markup_text(out, words);
	fputs("</td></tr>\n", out);
}

static void put_verdicts(struct report *r, FILE *out)
{
	static const char *const assertions[] = { "assertion", "", "figure" };
	static const char *const titles[] = { "check", "state", "finding",
					      "what to do" };
	struct check_case c = results_case(r);

	if (r->assertions.n) {
		struct json *result = print_json_result(r);

		element(out, "h2", NULL, "Assertions");
		begin_table(out, "words", "Conditions for the results", assertions,
			    ARRAY_SIZE(assertions));
		results_judge(&r->assertions, result, put_outcome, out);
		end_table(out);
		json_free(result);
	}
	if (r->without_checks || !r->checks.n_jobs)
		return;
	element(out, "h2", NULL, "Checks");
	begin_table(out, "words", "Checks of the result", titles,
		    ARRAY_SIZE(titles));
	checks_judge(&c, put_check, out);
	end_table(out);
}

static void put_changes(struct report *r, FILE *out)
{
	size_t n;
	const struct effect *e = report_effects(r, &n);

	if (n)
		element(out, "h2", NULL, "Effects of the changes");
	for (size_t i = 0; i < n; i++) {
		char words[1024];

		element(out, "p", NULL, "%.1f s: %s: %s", e[i].event.t_s,
			event_short_words(&e[i].event, words, sizeof(words)),
			e[i].sentence);
	}
}

/* The series of a run are sums of batches, of logs where all values are above
 * zero: their means, batch by batch. */
static void put_line(const struct row_series *row, size_t k, FILE *out)
{
	int field[ROW_SERIES_FIELDS];
	const struct series *s = row->of[k];
	double value[SERIES_SLOTS];
	size_t n = s->batch ? s->n / s->batch : 0;
	const struct field *f;
	char title[160];

	row_series_fields(row->schema, field);
	f = effect_field(row->schema, field[k]);
	for (size_t i = 0; i < n && i < SERIES_SLOTS; i++) {
		double mean = s->slot[i] / (double)s->batch;

		value[i] = s->zeros ? mean + s->x.shift
				    : exp(mean + s->y.shift);
	}
	snprintf(title, sizeof(title), "%s of %s", f->title, row->id);
	if (n < 3)
		return;
	fputs("<figure>", out);
	html_chart_line(title, value, n < SERIES_SLOTS ? n : SERIES_SLOTS,
			row->from_s, row->to_s, f->key, out);
	fputs("</figure>\n", out);
}

/* More pictures say less. */
#define MOST_LINES 12

static void put_lines(const struct report *r, FILE *out)
{
	const struct row_series_set *set = &r->segments.whole.series;
	size_t drawn = 0;

	element(out, "h2", NULL, "Over time");
	fputs("<div class=\"charts\">\n", out);
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < ROW_SERIES_FIELDS; k++) {
			int field[ROW_SERIES_FIELDS];
			size_t n = row_series_fields(set->row[i].schema, field);

			if (k >= n || !set->row[i].of[k] ||
			    drawn == MOST_LINES ||
			    effect_field(set->row[i].schema, field[k])
					    ->compare != COMPARE_JUDGE)
				continue;
			put_line(&set->row[i], k, out);
			drawn++;
		}
	fputs("</div>\n", out);
}

static void put_environment(const struct header *h, FILE *out)
{
	char words[128];

	element(out, "h2", NULL, "Environment");
	fputs("<dl>\n", out);
	fact(out, "program", h->program);
	fact(out, "host", h->host.name);
	fact(out, "kernel", h->host.kernel);
	fact(out, "CPU", h->host.cpu);
	fact(out, "memory",
	     units_format_bytes(words, sizeof(words),
				(double)h->host.memory_bytes));
	for (size_t i = 0; i < h->n_devices; i++) {
		const struct device_info *d = &h->device[i];
		char text[300];

		if (!d->size_bytes)
			continue;
		snprintf(text, sizeof(text), "%s%s%s, %s", d->model,
			 *d->model ? ", " : "",
			 units_format_bytes(words, sizeof(words),
					    (double)d->size_bytes),
			 d->rotational ? "rotational" : "not rotational");
		fact(out, d->id, text);
	}
	for (size_t i = 0; i < h->n_facts; i++)
		fact(out, h->fact[i].key, h->fact[i].value);
	for (size_t i = 0; i < h->n_labels; i++)
		fact(out, h->label[i].key, h->label[i].value);
	element(out, "dt", NULL, "command");
	fputs("<dd>", out);
	for (size_t i = 0; i < h->argc; i++) {
		markup_text(out, h->argv[i]);
		fputc(' ', out);
	}
	fputs("</dd></dl>\n", out);
}

void print_html(struct report *r, const struct header *h, FILE *out)
{
	char title[300], time[64] = "", names[400];
	struct check_case c;

	if (h)
		clock_format_utc(h->wall_ns, time, sizeof(time));
	snprintf(title, sizeof(title), "Run on %s, %s",
		 h ? h->host.name : "this machine", time);
	put_head(title, out);
	c = results_case(r);
	if (!r->without_checks && r->checks.n_jobs) {
		checks_spoilt(&c, names, sizeof(names));
		element(out, "p", *names ? "bad" : "good",
			*names ? "Spoilt by: %s."
			       : "No check found the run spoilt%s.",
			names);
	}
	element(out, "p", "dim", "%.1f s to %.1f s, %zu intervals",
		r->total->from_s, r->total->to_s, r->total->frames);
	put_jobs(r->total, out);
	put_changes(r, out);
	put_verdicts(r, out);
	put_lines(r, out);
	element(out, "h2", NULL, "Devices");
	put_devices(r->total, out);
	if (h)
		put_environment(h, out);
	put_end(out);
}
