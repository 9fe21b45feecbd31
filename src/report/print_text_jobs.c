/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print text: what each job did.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/results.h"
#include "report/text_table.h"

static const char *const job_titles[] = { "JOB", "OP",     "I/Os",  "DATA",
					  "/s",  "DATA/s", "MEAN",  "p50",
					  "p90", "p99",    "p99.9", "MAX",
					  "ERR" };

/* From "MEAN" on; true: a percentile was marked as decided by few I/Os. */
static bool set_latency(struct libscols_line *line, size_t column,
			const struct latency_sum *l)
{
	double ns[PCTS];
	char buf[64], text[72];
	bool marked = false;

	latency_percentiles(l, ns);
	for (int i = 0; i < PCTS; i++) {
		bool unsure = isfinite(latency_pct(i)) && isfinite(ns[i]) &&
			      !latency_sure(latency_count(l), latency_pct(i));

		snprintf(text, sizeof(text), "%s%s", unsure ? "~" : "",
			 units_format_ns(buf, sizeof(buf), ns[i]));
		text_table_set(line, column + (size_t)i, text);
		marked |= unsure;
	}
	return marked;
}

static bool has_latency(const struct latency_sum *l)
{
	return l->hist || isfinite(l->ns[PCT_MEAN]);
}

/* What the latencies of an operation are besides, on a line of its own. */
static bool add_latency_line(struct libscols_table *t, const char *id,
			     const struct latency_sum *l, const char *what)
{
	struct libscols_line *line;

	if (!has_latency(l))
		return false;
	line = text_table_line(t);
	text_table_set(line, 0, id);
	text_table_set(line, 1, what);
	return set_latency(line, 6, l);
}

/* One line per operation that the job did; true: one has a mark. */
static bool add_job_lines(struct libscols_table *t,
			  const struct window_row *row)
{
	bool told = false, marked = false;

	for (int o = 0; o < WINDOW_OPS; o++) {
		const struct op_sum *op = &row->op[o];
		struct libscols_line *line;
		char buf[64];
		bool bytes = o != WINDOW_SYNC;

		if (!(op->ios > 0))
			continue;
		line = text_table_line(t);
		text_table_set(line, 0, row->id);
		text_table_set(line, 1, window_op_name(SCHEMA_JOB, o));
		text_table_set(line, 2,
			       units_format_count(buf, sizeof(buf), op->ios));
		text_table_set(line, 3,
			       units_format_bytes(buf, sizeof(buf),
						  bytes ? op->bytes : NAN));
		snprintf(buf, sizeof(buf), "%.1f", window_iops(row, o));
		text_table_set(line, 4, buf);
		text_table_set(
			line, 5,
			units_format_bytes(buf, sizeof(buf),
					   bytes ? window_bytes_per_s(row, o)
						 : NAN));
		marked |= set_latency(line, 6, &op->service);
		if (!told && isfinite(row->errors)) {
			snprintf(buf, sizeof(buf), "%.0f", row->errors);
			text_table_set(line, 6 + PCTS, buf);
		}
		told = true;
		marked |= add_latency_line(t, row->id, &op->response,
					   " response");
		marked |= add_latency_line(t, row->id, &op->submit, " submit");
	}
	return marked;
}

/* "depth reached: 16 90.1 %, 32 9.9 %". */
static void print_depths(const struct job_sum *job, FILE *out)
{
	double sum = 0;
	const char *before = "depth reached: ";

	for (int i = 0; i < JOB_DEPTHS; i++)
		sum += job->depth[i];
	for (int i = 0; i < JOB_DEPTHS; i++) {
		if (!(job->depth[i] > 0))
			continue;
		fprintf(out, "%s%s %.1f %%", before, depth_names[i],
			100 * job->depth[i] / sum);
		before = ", ";
	}
	if (sum > 0)
		fputs("; ", out);
}

static void print_errors(const struct job_sum *job, FILE *out)
{
	for (const char *p = job->errors_by; *p; p += strspn(p, " ")) {
		const char *colon = strchr(p, ':');
		int code = atoi(p);

		if (!colon)
			return;
		fprintf(out, "; %.0f x %s", strtod(colon + 1, NULL),
			job_error_words(code));
		p += strcspn(p, " ");
	}
}

/* The figures above are of the whole run, these of the window. */
static void print_steady(const struct window_row *row, FILE *out)
{
	const double *of = row->job.steady_of;
	char rate[32], lat[32];

	if (!*row->job.steady || !isfinite(of[STEADY_ATTAINED]))
		return;
	fprintf(out,
		"%s: steady state %s %sattained; window: %.1f IOPS, %s/s, "
		"mean %s\n",
		row->id, row->job.steady, of[STEADY_ATTAINED] ? "" : "not ",
		of[STEADY_MEAN_IOPS],
		units_format_bytes(rate, sizeof(rate),
				   of[STEADY_MEAN_BYTES_PER_S]),
		units_format_ns(lat, sizeof(lat), of[STEADY_MEAN_LAT_NS]));
}

/* It may be all that a job did (verify_only). */
static void print_verified(const struct window_row *row, FILE *out)
{
	char bytes[32];

	if (row->job.verified_bytes > 0)
		fprintf(out, "%s: %s read back and verified, %s\n", row->id,
			units_format_bytes(bytes, sizeof(bytes),
					   row->job.verified_bytes),
			row->job.failed ? "with errors" : "no error");
}

/* What a row of figures leaves out. */
static void print_job_words(const struct window_row *row, FILE *out)
{
	const struct job_sum *job = &row->job;
	const double *usage = job->usage;
	double seconds = job->seconds;

	if (!(seconds > 0))
		return;
	fprintf(out, "%s: ", row->id);
	print_depths(job, out);
	fprintf(out, "ran %.3f s", seconds);
	if (isfinite(usage[USAGE_USER_NS]))
		fprintf(out,
			", user %.1f %% and system %.1f %% of a processor, "
			"%.0f context switches",
			usage[USAGE_USER_NS] / seconds / 1e7,
			usage[USAGE_SYSTEM_NS] / seconds / 1e7,
			usage[USAGE_SWITCHES]);
	if (job->late > 0)
		fprintf(out, "; %.0f I/Os submitted late", job->late);
	print_errors(job, out);
	fputc('\n', out);
}

void print_text_jobs(const struct window *w, FILE *out, bool with_all)
{
	struct libscols_table *t =
		text_table_new(out, job_titles, ARRAY_SIZE(job_titles), 2);
	struct window_row all;
	bool marked = false;
	size_t jobs = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (w->row[i].schema != SCHEMA_JOB)
			continue;
		marked |= add_job_lines(t, &w->row[i]);
		jobs++;
	}
	window_all_jobs(w, &all);
	if (with_all && jobs > 1)
		marked |= add_job_lines(t, &all);
	window_row_free(&all);
	text_table_print(t);
	if (marked && with_all)
		fputs("~ fewer than 10 I/Os lie beyond: they alone decide this "
		      "percentile\n",
		      out);
	for (size_t i = 0; i < w->n && with_all; i++) {
		if (w->row[i].schema != SCHEMA_JOB)
			continue;
		print_job_words(&w->row[i], out);
		print_verified(&w->row[i], out);
		print_steady(&w->row[i], out);
	}
}
