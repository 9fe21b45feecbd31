/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print HTML: prints the report of one run as a page.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "report/print/html.h"
#include "report/print/print.h"
#include "report/results.h"

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
				       o >= WINDOW_SYNC
					       ? NAN
					       : window_bytes_per_s(row, o)));
		latency_percentiles(&op->service, ns);
		for (int i = 0; i < PCTS; i++)
			html_page_cell(
				out, units_format_ns(buf, sizeof(buf), ns[i]));
		fputs("</tr>\n", out);
	}
}

static void put_jobs(const struct window *w, FILE *out)
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

static void put_check(const struct check *check, enum check_state state,
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

static void put_outcome(const struct assertion *a,
			const struct assertion_outcome *o, const char *words,
			void *arg)
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

	if (r->assertions.n) {
		struct json *result = print_json_result(r);

		html_page_element(out, "h2", NULL, "Assertions");
		html_page_table(out, "words", "Conditions for the results",
				assertions, ARRAY_SIZE(assertions));
		results_judge(&r->assertions, result, put_outcome, out);
		html_page_table_end(out);
		json_free(result);
	}
	if (r->without_checks || !r->checks.n_jobs)
		return;
	html_page_element(out, "h2", NULL, "Checks");
	html_page_table(out, "words", "Checks of the result", titles,
			ARRAY_SIZE(titles));
	checks_judge(&c, put_check, out);
	html_page_table_end(out);
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
static void put_line(const struct row_series *row, size_t k, FILE *out)
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

	if (!r->course)
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
			put_line(&set->row[i], k, out);
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
	put_jobs(r->total, out);
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
