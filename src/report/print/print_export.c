/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print export: results for programs that read a form of their own: JUnit's XML
 * for continuous integration.
 */
#include <math.h>
#include <stdio.h>

#include "report/markup.h"
#include "report/results.h"

/* --- JUnit --- */

static void put_case(const struct assertion *a,
		     const struct assertion_outcome *o, const char *words,
		     void *arg)
{
	FILE *out = arg;

	fputs("  <testcase classname=\"", out);
	markup_text(out, a->table);
	if (*a->row)
		markup_printf(out, ".%s", a->row);
	fputs("\" name=\"", out);
	markup_text(out, a->text);
	fputs("\">", out);
	if (!o->passed) {
		fputs("<failure message=\"", out);
		markup_text(out, words);
		fputs("\">", out);
		markup_printf(out, "%s; %s", words, assertion_advice(a));
		fputs("</failure>", out);
	} else {
		fputs("<system-out>", out);
		markup_text(out, words);
		fputs("</system-out>", out);
	}
	fputs("</testcase>\n", out);
}

/* A job that had errors, or did not get to its end. */
static bool is_broken(const struct window_row *row)
{
	return row->job.failed || row->errors > 0;
}

static size_t put_jobs(const struct window *w, FILE *out)
{
	size_t broken = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];

		if (row->schema != SCHEMA_JOB)
			continue;
		if (out) {
			fputs("  <testcase classname=\"job\" name=\"", out);
			markup_text(out, row->id);
			fprintf(out, "\" time=\"%.3f\">", row->job.seconds);
			if (is_broken(row))
				fprintf(out,
					"<error message=\"%.0f errors%s\"/>",
					row->errors > 0 ? row->errors : 0.0,
					row->job.failed
						? "; the job did not end"
						: "");
			fputs("</testcase>\n", out);
		}
		broken += is_broken(row);
	}
	return broken;
}

static size_t count_jobs(const struct window *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += w->row[i].schema == SCHEMA_JOB;
	return n;
}

void print_export_junit(struct report *r, const struct header *h not_used, FILE *out)
{
	struct json *result = print_json_result(r);
	size_t jobs = count_jobs(r->total);

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<testsuites name=\"iodyno\">\n",
	      out);
	fprintf(out,
		" <testsuite name=\"jobs\" tests=\"%zu\" failures=\"0\" "
		"errors=\"%zu\">\n",
		jobs, put_jobs(r->total, NULL));
	put_jobs(r->total, out);
	fprintf(out,
		" </testsuite>\n <testsuite name=\"assertions\" tests=\"%zu\" "
		"failures=\"%zu\" errors=\"0\">\n",
		r->assertions.n,
		results_failed(&r->assertions, result, NULL, 0));
	results_judge(&r->assertions, result, put_case, out);
	fputs(" </testsuite>\n</testsuites>\n", out);
	json_free(result);
}
