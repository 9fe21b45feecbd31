/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML: the style and the elements of all pages, and the page of one run.
 */
#include "report/print/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "report/print/print.h"
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
	"repeat(auto-fit,minmax(min(100%,420px),1fr))}\n"
	"figure{margin:0;background:var(--panel);border:1px solid var(--line);"
	"border-radius:8px;padding:8px}\n"
	"svg{display:block;width:100%;max-width:560px;margin:auto;height:auto;"
	"fill:var(--fg);font:12px system-ui,sans-serif}\n"
	".label{font-weight:600}.small,.tick{fill:var(--dim);font-size:11px}\n"
	".value,.end{text-anchor:end}.tick{text-anchor:middle}"
	".tick.start{text-anchor:start}\n"
	".axis{stroke:var(--dim);stroke-width:1}"
	".whisker{stroke:var(--fg);stroke-width:2}\n"
	".block{fill:var(--line);fill-opacity:.4}.band{fill:var(--line);"
	"stroke:var(--dim);stroke-dasharray:3 2}.bar{fill:var(--bar)}"
	".bar.base{fill:url(#hatch);stroke:var(--bar)}\n"
	".line{fill:none;stroke:var(--bar);stroke-width:1.5}\n"
	".v0{fill:var(--c0)}.v1{fill:var(--c1)}.v2{fill:var(--c2)}"
	".v3{fill:var(--c3)}.v4{fill:none;stroke:var(--c4);stroke-width:2}"
	".v5{fill:none;stroke:var(--c5);stroke-width:2.5}\n"
	".grid{stroke:var(--line);stroke-width:1;stroke-dasharray:2 3}"
	".mark{stroke:var(--c1);stroke-width:1;stroke-dasharray:4 2}\n"
	".curve{fill:none;stroke-width:2}.s0{stroke:var(--c0)}"
	".s1{stroke:var(--c1);stroke-dasharray:7 3}"
	".s2{stroke:var(--c2);stroke-dasharray:2 2}"
	".s3{stroke:var(--c3);stroke-dasharray:9 2 2 2}"
	".s4{stroke:var(--c4);stroke-dasharray:12 4}"
	".s5{stroke:var(--c5);stroke-dasharray:1 3}\n"
	".runs{stroke-width:.7;stroke-dasharray:none;fill-opacity:.14}.runs.s0{fill:var(--c0)}"
	".runs.s1{fill:var(--c1)}.runs.s2{fill:var(--c2)}"
	".runs.s3{fill:var(--c3)}.runs.s4{fill:var(--c4)}"
	".runs.s5{fill:var(--c5)}\n"
	".rate{fill:var(--bar);fill-opacity:.45;stroke:var(--bar);"
	"stroke-width:1.2;stroke-linejoin:round}\n"
	".h1,.h2,.h3,.h4,.h5{fill:var(--bar)}.h1{fill-opacity:.2}"
	".h2{fill-opacity:.4}.h3{fill-opacity:.6}.h4{fill-opacity:.8}\n"
	".warn{color:var(--c1);font-weight:600}\n"
	".tick.end{text-anchor:end}\n"
	"pre{margin:.6em 0;padding:8px;background:var(--panel);border:1px "
	"solid var(--line);border-radius:8px;white-space:pre-wrap;"
	"overflow-wrap:anywhere;font:13px/1.45 ui-monospace,monospace}\n"
	".wide{overflow-x:auto;margin:.6em 0}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"caption{text-align:left;font-weight:600;padding:.3em 0;"
	"max-width:calc(100vw - 32px)}\n"
	"th,td{padding:.25em .7em;border-bottom:1px solid var(--line);"
	"text-align:right;white-space:nowrap}\n"
	"th{font-weight:600}"
	"th[scope=row],td.t,th.t{text-align:left}\n"
	"th[scope=row]{min-width:8em}.words th{text-align:left}"
	".words td{text-align:left;white-space:normal}"
	".words td:nth-child(2){min-width:6em}\n"
	"@media(max-width:640px){.words thead{display:none}.words tr,"
	".words th,.words td{display:block;border:0;padding:0 0 0 .7em}"
	".words tr{border-bottom:1px solid var(--line);padding:.3em 0}"
	".words td:empty{display:none}}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1em}\n"
	"dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}\n"
	"@media(max-width:560px){dl{grid-template-columns:1fr;gap:0}"
	"dd{margin-bottom:.4em}}\n"
	"a{color:inherit}summary{cursor:pointer;font-weight:600}\n"
	"@media print{:root{--fg:#000;--bg:#fff;--dim:#333;--line:#bbb;"
	"--panel:#fff;--bar:#555;--good:#000;--bad:#000;--c0:#000;--c1:#000;"
	"--c2:#000;--c3:#000;--c4:#000;--c5:#000}main{max-width:none;"
	"padding:0}.wide{overflow:visible}body{font-size:11px}"
	"figure,tr,h2{break-inside:avoid}h2{break-after:avoid}"
	".charts{grid-template-columns:1fr 1fr}"
	"dl{grid-template-columns:max-content 1fr max-content 1fr}"
	"details::details-content{content-visibility:visible;display:block;"
	"height:auto}summary{list-style:none}}\n";

void html_page_begin(const char *title, FILE *out)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
	      "charset=\"utf-8\">\n<meta name=\"viewport\" "
	      "content=\"width=device-width,initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	      "<title>",
	      out);
	print_markup(out, title);
	fprintf(out, "</title>\n<style>\n%s</style></head>\n<body><main>\n",
		style);
	/* All bars of the base in the page use this pattern. */
	fputs("<svg width=\"0\" height=\"0\" style=\"position:absolute\" "
	      "aria-hidden=\"true\"><defs><pattern id=\"hatch\" width=\"6\" "
	      "height=\"6\" patternUnits=\"userSpaceOnUse\" "
	      "patternTransform=\"rotate(45)\"><rect class=\"bar\" width=\"3\" "
	      "height=\"6\"/></pattern></defs></svg>\n<h1>",
	      out);
	print_markup(out, title);
	fputs("</h1>\n", out);
}

void html_page_end(FILE *out)
{
	fputs("<p class=\"dim\">Made by " PACKAGE_STRING
	      ", iodyno report --format=html.</p>\n</main></body></html>\n",
	      out);
}

/* <tag class="class">words</tag>; class may be NULL. */
void html_page_element(FILE *out, const char *tag, const char *class,
		       const char *fmt, ...)
{
	char words[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	fprintf(out, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
	print_markup(out, words);
	fprintf(out, "</%s>\n", tag);
}

/* class "words": a table of sentences, whose cells a phone stacks. */
void html_page_table(FILE *out, const char *class, const char *caption,
		     const char *const *title, size_t n)
{
	fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"",
	      out);
	print_markup(out, caption);
	fprintf(out, "\"><table class=\"%s\"><caption>", class);
	print_markup(out, caption);
	fputs("</caption><thead><tr>", out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "<th scope=\"col\"%s>", i ? "" : " class=\"t\"");
		print_markup(out, title[i]);
		fputs("</th>", out);
	}
	fputs("</tr></thead><tbody>\n", out);
}

void html_page_table_end(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}

void html_page_row(FILE *out, const char *words)
{
	fputs("<tr><th scope=\"row\">", out);
	print_markup(out, words);
	fputs("</th>", out);
}

void html_page_cell(FILE *out, const char *words)
{
	fputs("<td>", out);
	print_markup(out, words);
	fputs("</td>", out);
}

void html_page_fact(FILE *out, const char *name, const char *words)
{
	if (!words || !*words)
		return;
	html_page_element(out, "dt", NULL, "%s", name);
	fputs("<dd>", out);
	print_markup(out, words);
	fputs("</dd>\n", out);
}

/*
 * The page of one run.
 */

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
		html_page_row(out, buf);
		html_page_cell(out,
			       units_format_count(buf, sizeof(buf), op->ios));
		html_page_cell(out, units_format_count(buf, sizeof(buf),
						       window_iops(row, o)));
		html_page_cell(out,
			       units_format_bytes(
				       buf, sizeof(buf),
				       o >= WINDOW_SYNC && o != WINDOW_VERIFY
					       ? NAN
					       : window_bytes_per_s(row, o)));
		latency_percentiles(&op->service, ns);
		for (int i = 0; i < PCTS; i++)
			html_page_cell(
				out, units_format_ns(buf, sizeof(buf), ns[i]));
		fputs("</tr>\n", out);
	}
}

static void html_put_jobs(const struct window *w, FILE *out)
{
	static const char *const titles[] = { "job",   "I/Os", "/s",  "data/s",
					      "mean",  "p50",  "p90", "p99",
					      "p99.9", "max" };

	html_page_table(out, "", "Jobs, means and percentiles over the run",
			titles, ARRAY_SIZE(titles));
	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == SCHEMA_JOB)
			put_job_rows(&w->row[i], out);
	html_page_table_end(out);
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
	html_page_table(out, "",
			"Devices, means over the run, as iostat names them",
			titles, n + 1);
	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];

		if (row->schema != SCHEMA_DEVICE || !results_shown(row))
			continue;
		html_page_row(out, row->id);
		for (size_t k = 0; k < n; k++) {
			const struct field *f = &s->fields[field[k]];
			double v = window_mean(row, f->key) *
				   (f->scale != 0 ? f->scale : 1);
			char buf[400];

			snprintf(buf, sizeof(buf), "%.*f", f->digits, v);
			html_page_cell(out, isfinite(v) ? buf : "-");
		}
		fputs("</tr>\n", out);
	}
	html_page_table_end(out);
}

static void html_put_check(const struct check *check, enum check_state state,
			   const char *words, void *arg)
{
	FILE *out = arg;

	html_page_row(out, check->name);
	fprintf(out, "<td class=\"%s\">%s</td><td class=\"t\">",
		state == CHECK_SPOILT ? "bad" : "dim",
		checks_state_name(state));
	print_markup(out, words);
	fputs("</td><td class=\"t\">", out);
	print_markup(out, state > CHECK_OK ? check->look : "");
	fputs("</td></tr>\n", out);
}

static void html_put_outcome(const struct assertion *a,
			     const struct assertion_outcome *o,
			     const char *words, void *arg)
{
	FILE *out = arg;

	html_page_row(out, a->text);
	fprintf(out, "<td class=\"%s\">%s</td><td class=\"t\">",
		o->passed ? "good" : "bad", o->passed ? "passed" : "FAILED");
	print_markup(out, words);
	fputs("</td></tr>\n", out);
}

static void put_verdicts(struct report *r, FILE *out)
{
	static const char *const assertions[] = { "assertion", "", "figure" };
	static const char *const titles[] = { "check", "state", "finding",
					      "what to do" };
	struct check_case c = results_case(r);
	char unmade[2000];

	if (r->assertions.n) {
		struct json *result = print_json_result(r);

		html_page_element(out, "h2", NULL, "Assertions");
		html_page_table(out, "words", "Conditions for the results",
				assertions, ARRAY_SIZE(assertions));
		results_judge(&r->assertions, result, html_put_outcome, out);
		html_page_table_end(out);
		json_free(result);
	}
	if (r->without_checks || !r->checks.n_jobs)
		return;
	html_page_element(out, "h2", NULL, "Checks");
	html_page_table(out, "words", "Checks of the result", titles,
			ARRAY_SIZE(titles));
	checks_judge(&c, html_put_check, out);
	html_page_table_end(out);
	checks_not_made(&c, unmade, sizeof(unmade));
	if (*unmade)
		html_page_element(out, "p", "dim", "Not checked: %s", unmade);
}

static void put_changes(struct report *r, FILE *out)
{
	size_t n;
	const struct effect *e = report_effects(r, &n);

	if (n)
		html_page_element(out, "h2", NULL, "Effects of the changes");
	for (size_t i = 0; i < n; i++) {
		char words[1024];

		html_page_element(
			out, "p", NULL, "%.1f s: %s: %s", e[i].event.t_s,
			event_short_words(&e[i].event, words, sizeof(words)),
			e[i].sentence);
	}
}

/* Draw the means of the batches. A series has the sum of each batch: of logs,
 * if all values are above zero. */
static void html_put_line(const struct row_series *row, size_t k, FILE *out)
{
	int field[ROW_SERIES_FIELDS];
	const struct series *s = row->of[k];
	double value[SERIES_SLOTS];
	size_t n = s->batch ? s->n / s->batch : 0;
	const struct field *f;
	char title[160];

	segment_series_fields(row->schema, field);
	f = effect_field(row->schema, field[k]);
	for (size_t i = 0; i < n && i < SERIES_SLOTS; i++) {
		double mean = s->slot[i] / (double)s->batch;

		value[i] =
			s->zeros ? mean + s->x.shift : exp(mean + s->y.shift);
	}
	snprintf(title, sizeof(title), "%s of %s", f->title, row->id);
	if (n < 3)
		return;
	fputs("<figure>", out);
	html_chart_values(title, value, n < SERIES_SLOTS ? n : SERIES_SLOTS,
			  row->from_s, row->to_s, f->key, out);
	fputs("</figure>\n", out);
}

/* Draw the rate and the latencies of all jobs in one picture. */
static void put_course(const struct report *r, FILE *out)
{
	struct html_chart_scale scale = { 0 };

	if (!html_chart_draws(r->course))
		return;
	html_chart_widen(&scale, r->course);
	html_page_element(out, "h2", NULL, "Rate and latency of the jobs");
	fputs("<div class=\"charts\"><figure>", out);
	html_chart_course("operations of all jobs", r->course, &scale, out);
	fputs("</figure></div>\n", out);
}

/* The maximum number of pictures. */
#define MOST_LINES 12

static void put_lines(const struct report *r, FILE *out)
{
	const struct row_series_set *set = &r->segments.whole.series;
	size_t drawn = 0;

	html_page_element(out, "h2", NULL, "Over time");
	fputs("<div class=\"charts\">\n", out);
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < ROW_SERIES_FIELDS; k++) {
			int field[ROW_SERIES_FIELDS];
			size_t n = segment_series_fields(set->row[i].schema,
							 field);

			if (k >= n || !set->row[i].of[k] ||
			    drawn == MOST_LINES ||
			    effect_field(set->row[i].schema, field[k])
					    ->compare != COMPARE_JUDGE)
				continue;
			html_put_line(&set->row[i], k, out);
			drawn++;
		}
	fputs("</div>\n", out);
}

static void put_environment(const struct header *h, FILE *out)
{
	char words[128];

	html_page_element(out, "h2", NULL, "Environment");
	fputs("<dl>\n", out);
	html_page_fact(out, "program", h->program);
	html_page_fact(out, "host", h->host.name);
	html_page_fact(out, "kernel", h->host.kernel);
	html_page_fact(out, "CPU", h->host.cpu);
	html_page_fact(out, "memory",
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
		html_page_fact(out, d->id, text);
	}
	for (size_t i = 0; i < h->n_facts; i++)
		html_page_fact(out, h->fact[i].key, h->fact[i].value);
	for (size_t i = 0; i < h->n_labels; i++)
		html_page_fact(out, h->label[i].key, h->label[i].value);
	html_page_element(out, "dt", NULL, "command");
	fputs("<dd>", out);
	for (size_t i = 0; i < h->argc; i++) {
		print_markup(out, h->argv[i]);
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
	html_page_begin(title, out);
	c = results_case(r);
	if (!r->without_checks && r->checks.n_jobs) {
		checks_spoilt(&c, names, sizeof(names));
		html_page_element(out, "p", *names ? "bad" : "good",
				  *names ? "Spoilt by: %s."
					 : "No check found the run spoilt%s.",
				  names);
	}
	html_page_element(out, "p", "dim", "%.1f s to %.1f s, %zu intervals",
			  r->total->from_s, r->total->to_s, r->total->frames);
	html_put_jobs(r->total, out);
	put_changes(r, out);
	put_verdicts(r, out);
	put_course(r, out);
	put_lines(r, out);
	html_page_element(out, "h2", NULL, "Devices");
	put_devices(r->total, out);
	if (h)
		put_environment(h, out);
	html_page_end(out);
}
