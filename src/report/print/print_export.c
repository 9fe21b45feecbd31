/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print export: prints results for other programs: JUnit's XML for continuous
 * integration, and OpenMetrics' text for monitoring.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"
#include "model/unit.h"
#include "report/print/print.h"
#include "report/results.h"

/* --- JUnit --- */

static void put_case(const struct assertion *a,
		     const struct assertion_outcome *o, const char *words,
		     void *arg)
{
	FILE *out = arg;

	fputs("  <testcase classname=\"", out);
	print_markup(out, a->table);
	if (*a->row)
		print_markup_f(out, ".%s", a->row);
	fputs("\" name=\"", out);
	print_markup(out, a->text);
	fputs("\">", out);
	if (!o->passed) {
		fputs("<failure message=\"", out);
		print_markup(out, words);
		fputs("\">", out);
		print_markup_f(out, "%s; %s", words, assertion_advice(a, o));
		fputs("</failure>", out);
	} else {
		fputs("<system-out>", out);
		print_markup(out, words);
		fputs("</system-out>", out);
	}
	fputs("</testcase>\n", out);
}

/* Whether a job had errors, or did not reach its end. */
static bool is_broken(const struct window_row *row)
{
	return row->job.failed || row->errors > 0;
}

static size_t print_export_put_jobs(const struct window *w, FILE *out)
{
	size_t broken = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];

		if (row->schema != SCHEMA_JOB)
			continue;
		if (out) {
			fputs("  <testcase classname=\"job\" name=\"", out);
			print_markup(out, row->id);
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

void print_export_junit(struct report *r, const struct header *h, int how,
			FILE *out)
{
	struct json *result = print_json_result(r);
	size_t jobs = count_jobs(r->total);
	char ended[128];
	const bool early = *report_ended_words(r, ended, sizeof(ended));
	const size_t more = early + (r->lost_runs > 0);

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<testsuites name=\"iodyno\">\n",
	      out);
	fprintf(out,
		" <testsuite name=\"jobs\" tests=\"%zu\" failures=\"0\" "
		"errors=\"%zu\">\n",
		jobs + more, print_export_put_jobs(r->total, NULL) + more);
	print_export_put_jobs(r->total, out);
	if (early) {
		fputs("  <testcase classname=\"run\" name=\"reaches its "
		      "end\"><error message=\"",
		      out);
		print_markup(out, ended);
		fputs("\"/></testcase>\n", out);
	}
	if (r->lost_runs) {
		fprintf(out,
			"  <testcase classname=\"run\" name=\"of a sweep\">"
			"<error message=\"%zu failed: ",
			r->lost_runs);
		print_markup(out, r->lost_words);
		fputs("\"/></testcase>\n", out);
	}
	fprintf(out,
		" </testsuite>\n <testsuite name=\"assertions\" tests=\"%zu\" "
		"failures=\"%zu\" errors=\"0\">\n",
		r->assertions.n,
		results_failed(&r->assertions, result, NULL, 0));
	results_judge(&r->assertions, result, put_case, out);
	fputs(" </testsuite>\n</testsuites>\n", out);
	json_free(result);
}

/* --- OpenMetrics: means over the run, in its base units --- */

/* Store "iodyno_device_read_await_seconds"; returns the factor of its values. */
static double metric_name(enum schema_id schema, const char *key, char *buf,
			  size_t size)
{
	const struct unit_row *unit = unit_row(key);
	const char *end = unit->metric ? unit->metric : "";
	size_t n = strlen(key) - (*end ? strlen(unit->end) : 0);

	snprintf(buf, size, "iodyno_%s_%.*s%s", schemas[schema]->name, (int)n,
		 key, end);
	for (char *c = buf; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			*c = '_';
	return unit->factor;
}

/*
 * "axis_" and the name of an axis, of which a label may hold letters, digits and
 * underscores; another underscore at the end where an earlier axis has that name.
 */
static void print_export_name_axis(const struct point *p, unsigned i,
				   char name[][64])
{
	snprintf(name[i], sizeof(name[i]), "axis_%s", p->axis[i].key);
	for (char *c = name[i]; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	for (unsigned k = 0; k < i; k++)
		if (!strcmp(name[k], name[i])) {
			strcat(name[i], "_");
			k = -1U;
		}
}

/*
 * The row of a table, or a job in one run of an experiment: its name as in the job
 * file ("scan", where the row of a later run is "scan#2"), the run, the block and
 * the axes.
 */
static void print_export_put_labels(const struct window_row *row, FILE *out)
{
	const struct cell *cell = row->cell;
	const char *number = cell && cell->run > 1 ? strrchr(row->id, '#') : NULL;
	char id[ROW_ID_MAX], name[POINT_AXES][64];

	snprintf(id, sizeof(id), "%.*s",
		 (int)(number ? (size_t)(number - row->id) : strlen(row->id)),
		 row->id);
	text_put_label(out, schemas[row->schema]->name, id);
	if (!cell)
		return;
	fprintf(out, ",run=\"%u\",block=\"%u\"", cell->run, cell->block);
	for (unsigned i = 0; i < cell->point.n; i++) {
		print_export_name_axis(&cell->point, i, name);
		fputc(',', out);
		text_put_label(out, name[i], cell->point.axis[i].value);
	}
}

static const char *print_export_help_of(enum schema_id schema, const char *key)
{
	int field = schema_field(schema, key);

	return field >= 0 ? schemas[schema]->fields[field].help
			  : "total or mean over the run";
}

/* Print all rows of a table that have the key, as one family. */
static void put_family(const struct window *w, const struct results *list,
		       enum schema_id schema, const char *key, FILE *out)
{
	char name[160], number[JSON_NUMBER_MAX];
	double factor = metric_name(schema, key, name, sizeof(name));

	fprintf(out, "# TYPE %s gauge\n# HELP %s ", name, name);
	fputs(print_export_help_of(schema, key), out);
	fputc('\n', out);
	for (size_t i = 0; i < w->n; i++) {
		for (size_t k = 0; k < list[i].n; k++) {
			const struct result *r = &list[i].result[k];

			if (w->row[i].schema != schema || strcmp(r->key, key))
				continue;
			json_number_text(number, r->value * factor);
			fprintf(out, "%s{", name);
			print_export_put_labels(&w->row[i], out);
			fprintf(out, "} %s\n", number);
		}
	}
}

/* Whether an earlier row has the key: then its family is printed already. */
static bool is_printed(const struct window *w, const struct results *list,
		       size_t row, const char *key)
{
	for (size_t i = 0; i < row; i++)
		for (size_t k = 0; k < list[i].n; k++)
			if (w->row[i].schema == w->row[row].schema &&
			    !strcmp(list[i].result[k].key, key))
				return true;
	return false;
}

void print_export_openmetrics(struct report *r, const struct header *h, int how,
			      FILE *out)
{
	const struct window *w = r->total;
	struct results *list = xcalloc(w->n + 1, sizeof(*list));

	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema != SCHEMA_DEVICE ||
		    results_shown(&w->row[i]))
			results_of(&w->row[i], &list[i]);
	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < list[i].n; k++)
			if (!is_printed(w, list, i, list[i].result[k].key))
				put_family(w, list, w->row[i].schema,
					   list[i].result[k].key, out);
	fputs("# EOF\n", out);
	for (size_t i = 0; i < w->n; i++)
		results_free(&list[i]);
	free(list);
}
