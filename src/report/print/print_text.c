/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print text: prints tables and sentences.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "report/fio/fio.h"
#include "report/print/print.h"
#include "report/results.h"

/* The width of the page. */
#define COLUMNS 80

/* The columns before the latencies: JOB OP I/Os /s DATA/s. */
#define PLAIN_TITLES 5

static const char *const job_titles[] = { "JOB",    "OP",    "I/Os", "/s",
					  "DATA/s", "MEAN",  "p50",  "p90",
					  "p99",    "p99.9", "MAX" };

/*
 * Set the columns from "MEAN" on; returns true if a percentile has the mark of
 * few I/Os.
 */
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
		print_line_set(line, column + (size_t)i, text);
		marked |= unsure;
	}
	return marked;
}

static bool has_latency(const struct latency_sum *l)
{
	return l->hist || isfinite(l->ns[PCT_MEAN]);
}

/* Add a line for other latencies of an operation. */
static bool add_latency_line(struct libscols_table *t, const char *id,
			     const struct latency_sum *l, const char *what)
{
	struct libscols_line *line;

	if (!has_latency(l))
		return false;
	line = print_table_line(t);
	print_line_set(line, 0, id);
	print_line_set(line, 1, what);
	return set_latency(line, PLAIN_TITLES, l);
}

/* Add a line per operation of the job; returns true if one has a mark. */
static bool add_job_lines(struct libscols_table *t,
			  const struct window_row *row)
{
	bool marked = false;

	for (int o = 0; o < WINDOW_OPS; o++) {
		const struct op_sum *op = &row->op[o];
		struct libscols_line *line;
		char buf[64];

		if (!(op->ios > 0))
			continue;
		line = print_table_line(t);
		print_line_set(line, 0, row->id);
		print_line_set(line, 1, window_op_name(SCHEMA_JOB, o));
		print_line_set(line, 2,
			       units_format_count(buf, sizeof(buf), op->ios));
		snprintf(buf, sizeof(buf), "%.1f", window_iops(row, o));
		print_line_set(line, 3, buf);
		print_line_set(
			line, 4,
			units_format_bytes(buf, sizeof(buf),
					   o < WINDOW_SYNC ||
							   o == WINDOW_VERIFY
						   ? window_bytes_per_s(row, o)
						   : NAN));
		marked |= set_latency(line, PLAIN_TITLES, &op->service);
		marked |= add_latency_line(t, row->id, &op->response,
					   " response");
		marked |= add_latency_line(t, row->id, &op->submit, " submit");
	}
	return marked;
}

/* Print "queue depth: 16 (90.1 %), 32 (9.9 %); ". */
static void print_depths(const struct job_sum *job, FILE *out)
{
	double sum = 0;
	const char *before = "queue depth: ";

	for (int i = 0; i < JOB_DEPTHS; i++)
		sum += job->depth[i];
	for (int i = 0; i < JOB_DEPTHS; i++) {
		if (!(job->depth[i] > 0))
			continue;
		fprintf(out, "%s%s (%.1f %%)", before, depth_names[i],
			100 * job->depth[i] / sum);
		before = ", ";
	}
	if (sum > 0)
		fputs("; ", out);
}

static void print_errors(const struct window_row *row, FILE *out)
{
	const char *p = row->job.errors_by;

	if (!*p && row->errors > 0)
		fprintf(out, "; %.0f error%s", row->errors,
			row->errors == 1 ? "" : "s");
	for (; *p; p += strspn(p, " ")) {
		const char *colon = strchr(p, ':');
		int code = atoi(p);

		if (!colon)
			return;
		fprintf(out, "; %.0f x %s", strtod(colon + 1, NULL),
			window_job_error_words(code));
		p += strcspn(p, " ");
	}
}

/* Print the figures of the steady state's window. */
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

/* Print what verify checked and found. */
static void print_verified(const struct window_row *row, FILE *out)
{
	const struct job_sum *job = &row->job;
	const char *before = ": ";
	char bytes[32];

	if (!(job->verify_blocks >= 0))
		return;
	fprintf(out, "%s: %s read back, %.0f blocks checked, ", row->id,
		units_format_bytes(bytes, sizeof(bytes),
				   row->op[WINDOW_VERIFY].bytes),
		job->verify_blocks);
	if (job->verify_bad > 0)
		fprintf(out, "%.0f damaged", job->verify_bad);
	else
		fputs(job->verify_blocks > 0 ? "no damage" : "nothing known",
		      out);
	for (int i = DAMAGE_NONE + 1; i < DAMAGES; i++) {
		double n = window_job_found(job, (enum verify_damage)i);

		if (!(n > 0))
			continue;
		if (i >= DAMAGE_UNFLUSHED)
			before = "; ";
		fprintf(out, "%s%.0f %s", before, n, verify_damage_names[i]);
		before = ", ";
	}
	fputc('\n', out);
}

/* Print the figures of a job that the table leaves out. */
static void print_job_words(const struct window_row *row, FILE *out)
{
	const struct job_sum *job = &row->job;
	const double *usage = job->usage;
	double seconds = job->seconds;
	char *text;
	size_t size;
	FILE *page = out;

	if (!(seconds > 0) && !(row->errors > 0))
		return;
	out = open_memstream(&text, &size);
	if (!out)
		return;
	fprintf(out, "%s: ", row->id);
	print_depths(job, out);
	fprintf(out, "ran %.3f s", seconds);
	/* A job that failed at once has no share of its time. */
	if (isfinite(usage[USAGE_USER_NS]) && seconds > 0)
		fprintf(out,
			", CPU: %.1f %% user, %.1f %% system (of one core), "
			"%.0f context switches",
			usage[USAGE_USER_NS] / seconds / 1e7,
			usage[USAGE_SYSTEM_NS] / seconds / 1e7,
			usage[USAGE_SWITCHES]);
	if (job->late > 0)
		fprintf(out,
			"; %.0f I/Os were submitted after their "
			"scheduled time",
			job->late);
	print_errors(row, out);
	fclose(out);
	print_paragraph(page, COLUMNS, 2, "%s", text);
	free(text);
}

/* The maximum number of columns. */
#define MOST_COLUMNS 32

/* Format a mean with the field's scale and digits, like the screen. */
static const char *print_text_mean_text(const struct window_row *row,
					const struct field *f, char *buf,
					size_t size)
{
	double v = window_mean(row, f->key) * (f->scale != 0 ? f->scale : 1);

	if (isnan(v))
		return "-";
	snprintf(buf, size, "%.*f", f->digits, v);
	return buf;
}

/* Print the means that the schema selects for this report: "w: mean %verify
 * 12.0". */
static void print_job_means(const struct window_row *row, FILE *out)
{
	int index[MOST_COLUMNS];
	size_t n = schema_fields_in(SCHEMA_JOB, FIELD_IN_REPORT, index,
				    MOST_COLUMNS);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct field *f = &schemas[SCHEMA_JOB]->fields[index[i]];
		char buf[400];

		if (!isfinite(window_mean(row, f->key)))
			continue;
		fprintf(out, "%s%s %s %s", any ? "," : row->id,
			any ? "" : ": mean", f->title,
			print_text_mean_text(row, f, buf, sizeof(buf)));
		any = true;
	}
	if (any)
		fputc('\n', out);
}

/* Format a figure in the unit at the end of its name. */
static const char *metric_text(const char *name, double v, char *buf,
			       size_t size)
{
	const size_t n = strlen(name);

	if (!isfinite(v))
		return NULL;
	if (n > 3 && !strcmp(name + n - 3, "_ns"))
		return units_format_ns(buf, size, v);
	if (n >= 5 && !strcmp(name + n - 5, "bytes"))
		return units_format_bytes(buf, size, v);
	if (n >= 11 && !strcmp(name + n - 11, "bytes_per_s")) {
		units_format_bytes(buf, size, v);
		return strncat(buf, "/s", size - strlen(buf) - 1);
	}
	snprintf(buf, size, "%.*f", v == floor(v) ? 0 : v < 100 ? 3 : 1, v);
	return buf;
}

/* Print the figures of the jobs' programs. */
static void print_metrics(const struct window *w, FILE *out)
{
	static const char *const titles[] = { "JOB", "METRIC", "VALUE", "MEAN",
					      "MIN", "MAX", "INTERVALS" };
	struct libscols_table *t =
		print_table_new(out, titles, ARRAY_SIZE(titles), 2);
	bool any = false;

	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < w->row[i].job.n_metrics; k++) {
			const struct job_metric *m = &w->row[i].job.metric[k];
			const double v[] = { window_metric_value(m),
					     m->n ? m->sum / m->n : NAN,
					     m->n ? m->min : NAN,
					     m->n ? m->max : NAN };
			struct libscols_line *line = print_table_line(t);
			char buf[64];

			any = true;
			print_line_set(line, 0, w->row[i].id);
			print_line_set(line, 1, m->name);
			for (size_t c = 0; c < ARRAY_SIZE(v); c++)
				print_line_set(line, 2 + c,
					       metric_text(m->name, v[c], buf,
							   sizeof(buf)));
			snprintf(buf, sizeof(buf), "%u", m->n);
			print_line_set(line, 6, m->n ? buf : NULL);
		}
	if (any)
		fputc('\n', out);
	print_table_end(t);
}

/* Add the sums of the jobs of each group; returns true if one has a mark. */
static bool add_groups(struct libscols_table *t, const struct window *w)
{
	bool marked = false, several;
	unsigned group = 0;

	several = window_group_at(w, 1, &group);
	for (size_t i = 0; window_group_at(w, i, &group); i++) {
		struct window_row all;

		if (window_group_jobs(w, group, &all) > 1) {
			if (several)
				snprintf(all.id, sizeof(all.id), "group %u",
					 group);
			marked |= add_job_lines(t, &all);
		}
		window_row_free(&all);
	}
	return marked;
}

/* Print the names of the jobs of a group: "a, b". */
static void put_group_names(const struct window *w, unsigned group, FILE *out)
{
	const char *before = "";

	for (size_t i = 0; i < w->n; i++) {
		if (w->row[i].schema != SCHEMA_JOB ||
		    window_group(&w->row[i]) != group)
			continue;
		fprintf(out, "%s%s", before, w->row[i].id);
		before = ", ";
	}
}

static void print_text_print_jobs(const struct window *w, FILE *out,
				  bool with_all)
{
	struct libscols_table *t =
		print_table_new(out, job_titles, ARRAY_SIZE(job_titles), 2);
	bool marked = false;

	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == SCHEMA_JOB)
			marked |= add_job_lines(t, &w->row[i]);
	if (with_all)
		marked |= add_groups(t, w);
	print_table_end(t);
	if (marked && with_all)
		fputs("~ fewer than 10 samples above this percentile\n", out);
	for (size_t i = 0; i < w->n && with_all; i++) {
		if (w->row[i].schema != SCHEMA_JOB)
			continue;
		print_job_words(&w->row[i], out);
		print_job_means(&w->row[i], out);
		print_verified(&w->row[i], out);
		print_steady(&w->row[i], out);
	}
	print_metrics(w, out);
}

static void print_text_put_percentiles(const struct window_row *row, int op,
				       const double *pct, unsigned n, FILE *out)
{
	const struct latency_sum *l = &row->op[op].service;
	char words[800], ns[24];
	size_t used = 0;

	if (!(row->op[op].ios > 0) || !l->hist)
		return;
	for (unsigned i = 0; i < n; i++)
		used += (size_t)snprintf(
			words + used, sizeof(words) - used, "%s p%g %s%s",
			i ? "," : "", pct[i],
			latency_sure(latency_count(l), pct[i]) ? "" : "~",
			units_format_ns(ns, sizeof(ns),
					latency_percentile(l, pct[i])));
	print_paragraph(out, COLUMNS, 2, "%s %s:%s", row->id,
			window_op_name(SCHEMA_JOB, op), words);
}

/* Print the percentiles of percentile_list: "x read: p50 249us, p95 ~1.20ms". */
static void print_text_print_percentiles(struct report *r,
					 const struct header *h, FILE *out)
{
	double pct[FIO_PERCENTILES];

	for (size_t i = 0; h && i < h->n_jobs; i++) {
		const struct job *job = &h->job[i];
		const struct window_row *row = window_find(
			r->total, SCHEMA_JOB, job_id(job));
		unsigned n;

		if (!row || !job->percentile_list)
			continue;
		window_unpack(r->total);
		n = fio_percentile_list(job, pct);
		for (int o = 0; o < WINDOW_OPS; o++)
			print_text_put_percentiles(row, o, pct, n, out);
	}
}

static bool shows_device(const struct window_row *row)
{
	return row->schema == SCHEMA_DEVICE && results_shown(row);
}

/* Whether the table needs the columns of discards: with jobs, only if a job
 * discards. */
static bool has_discards(const struct window *w)
{
	bool any = false, jobs = false;

	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];

		if (row->schema == SCHEMA_JOB &&
		    row->op[WINDOW_DISCARD].ios > 0)
			return true;
		jobs |= row->schema == SCHEMA_JOB;
		any |= shows_device(row) &&
		       window_mean(row, "discard_iops") > 0;
	}
	return any && !jobs;
}

/* Print flushes below the table: columns would be empty in most tables. */
static void print_flushes(const struct window *w, FILE *out)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];
		double rate = shows_device(row) ? window_mean(row, "flush_iops")
						: NAN;
		char await[32];

		if (rate > 0)
			fprintf(out, "%s: %.1f flushes/s, await %s\n", row->id,
				rate,
				units_format_ns(
					await, sizeof(await),
					window_mean(row, "flush_await_ns")));
	}
}

struct device_columns {
	const struct field *field[MOST_COLUMNS];
	size_t n;
};

/* The width of a table of these columns. */
static size_t device_table_width(const struct window *w,
				 const struct device_columns *c)
{
	size_t width = strlen("DEVICE"), sum = 0;
	char buf[400];

	for (size_t i = 0; i < w->n; i++)
		if (shows_device(&w->row[i]) && strlen(w->row[i].id) > width)
			width = strlen(w->row[i].id);
	sum = width;
	for (size_t k = 0; k < c->n; k++) {
		width = strlen(c->field[k]->title);
		for (size_t i = 0; i < w->n; i++) {
			size_t cell = 0;

			if (shows_device(&w->row[i]))
				cell = strlen(print_text_mean_text(
					&w->row[i], c->field[k], buf,
					sizeof(buf)));
			width = cell > width ? cell : width;
		}
		sum += 1 + width;
	}
	return sum;
}

static void print_device_table(const struct window *w,
			       const struct device_columns *c, FILE *out)
{
	const char *title[1 + MOST_COLUMNS] = { "DEVICE" };
	struct libscols_table *t;

	for (size_t k = 0; k < c->n; k++)
		title[k + 1] = c->field[k]->title;
	t = print_table_new(out, title, c->n + 1, 1);
	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];
		struct libscols_line *line;

		if (!shows_device(row))
			continue;
		line = print_table_line(t);
		print_line_set(line, 0, row->id);
		for (size_t k = 0; k < c->n; k++) {
			char buf[400];

			print_line_set(line, k + 1,
				       print_text_mean_text(row, c->field[k],
							    buf, sizeof(buf)));
		}
	}
	print_table_end(t);
}

/*
 * Whether a column is of writes or discards, which get a second table if one
 * table would be wider than the page.
 */
static bool is_of_writes(const struct field *f)
{
	return !strncmp(f->key, "write_", 6) || !strncmp(f->key, "discard_", 8);
}

static void print_devices(const struct window *w, bool discards, FILE *out)
{
	struct device_columns all = { 0 }, part[2] = { 0 };
	int index[MOST_COLUMNS];
	size_t columns;

	columns = schema_fields_in(SCHEMA_DEVICE, FIELD_IN_REPORT, index,
				   MOST_COLUMNS);
	for (size_t i = 0; i < columns; i++) {
		const struct field *f =
			&schemas[SCHEMA_DEVICE]->fields[index[i]];
		struct device_columns *to = &part[is_of_writes(f)];

		if (f->rare && !discards)
			continue;
		all.field[all.n++] = f;
		to->field[to->n++] = f;
	}
	if (device_table_width(w, &all) <= COLUMNS) {
		print_device_table(w, &all, out);
	} else {
		print_device_table(w, &part[0], out);
		print_device_table(w, &part[1], out);
	}
	print_flushes(w, out);
}

/* Whether there were jobs, and none of them did anything. */
static bool has_no_work(const struct window *w)
{
	bool jobs = false;

	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];

		if (row->schema != SCHEMA_JOB)
			continue;
		if (row->job.seconds > 0)
			return false;
		jobs = true;
	}
	return jobs;
}

/*
 * Print the devices; with jobs, during each group of jobs. A run without a
 * complete interval has only the devices of the entire run.
 */
static void print_all_devices(const struct report *r, FILE *out)
{
	const struct window *total = r->total;
	const bool discards = has_discards(total);
	unsigned group = 0, any = 0;
	const bool several = window_group_at(total, 1, &group);

	for (size_t i = 0; window_group_at(total, i, &group); i++) {
		const struct window *w = results_devices(&r->groups, group);

		if (!w)
			continue;
		fprintf(out, "%s%.1f s to %.1f s, while ", any ? "\n" : "",
			w->from_s, w->to_s);
		if (several) {
			fprintf(out, "group %u ran: ", group);
			put_group_names(total, group, out);
			fputc('\n', out);
		} else {
			fputs("the jobs ran:\n", out);
		}
		print_devices(w, discards, out);
		any++;
	}
	if (!any && !has_no_work(total))
		print_devices(total, discards, out);
}

/* Describe the arrival of I/Os, which all latencies depend on. */
static const char *arrival_words(const struct job *j, char *buf, size_t size)
{
	bool rated = false;

	for (int i = 0; i < JOB_DIRS; i++)
		rated |= j->rate_iops[i] || j->rate_bytes[i];
	if (rated)
		snprintf(buf, size, "open loop at a rate, at most %u in flight",
			 j->iodepth);
	else
		snprintf(buf, size, "closed loop, iodepth %u", j->iodepth);
	return buf;
}

/* Print the command line of the run. */
static void print_command(const struct header *h, FILE *out)
{
	FILE *page = out;
	size_t size;
	char *text;

	if (!h->argc || !(out = open_memstream(&text, &size)))
		return;
	for (size_t i = 0; i < h->argc; i++) {
		char *word = xstrdup(h->argv[i]);

		text_clean(word);
		fprintf(out, " %s", word);
		free(word);
	}
	fclose(out);
	print_paragraph(page, COLUMNS, 2, "command:%s", text);
	free(text);
}

/* Print the most important facts; JSON, HTML and the log have all. */
static void print_facts(const struct header *h, FILE *out)
{
	static const char *const keys[] = { "governor", FACT_DEBUG,
					    "vulnerable", FACT_MEMORY_LIMIT };
	const char *before = "environment: ";
	FILE *page = out;
	size_t size;
	char *text;

	out = open_memstream(&text, &size);
	if (!out)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *value = header_fact(h, keys[i]);

		if (!value)
			continue;
		fprintf(out, "%s%s %s", before, keys[i], value);
		before = ", ";
	}
	fclose(out);
	if (*before == ',')
		print_paragraph(page, COLUMNS, 2, "%s", text);
	free(text);
}

/* Format the block sizes: "4.00KiB", "4.00KiB to 64.0KiB". Returns buf. */
static const char *block_words(const struct job *j, char *buf, size_t size)
{
	char least[16], most[16];

	units_format_bytes(least, sizeof(least), (double)job_min_block(j));
	units_format_bytes(most, sizeof(most), (double)job_max_block(j));
	if (job_min_block(j) == job_max_block(j))
		snprintf(buf, size, "%s", most);
	else
		snprintf(buf, size, "%s to %s", least, most);
	return buf;
}

static void print_job(const struct job *j, FILE *out)
{
	char block[64], loop[64];

	if (strcmp(j->kind, "io") != 0)
		print_paragraph(out, COLUMNS, 2, "job %s: kind %s%s%s, numjobs %u",
				job_id(j), j->kind, j->program ? ", " : "",
				j->program ? j->program : "", j->numjobs);
	else
		print_paragraph(out, COLUMNS, 2,
				"job %s: %s of %s, %s, %s, numjobs %u, %s",
				job_id(j), job_rw_name(j->rw),
				block_words(j, block, sizeof(block)), j->engine,
				j->direct ? "direct" : "buffered", j->numjobs,
				arrival_words(j, loop, sizeof(loop)));
}

/*
 * Mark the disks of the jobs and the devices below them, as the lists of members
 * give the layers. Each device is marked once: the lists of a log may form
 * circles.
 */
static void mark_of_jobs(const struct header *h, const char *disks, bool *marked)
{
	size_t *todo = xcalloc(h->n_devices, sizeof(*todo)), n = 0;

	for (size_t i = 0; i < h->n_devices; i++)
		if (text_lists(disks, h->device[i].id, strlen(h->device[i].id)))
			marked[todo[n++] = i] = true;
	while (n) {
		const char *members = h->device[todo[--n]].members;

		for (size_t i = 0; *members && i < h->n_devices; i++)
			if (!marked[i] &&
			    text_lists(members, h->device[i].id,
				       strlen(h->device[i].id)))
				marked[todo[n++] = i] = true;
	}
	free(todo);
}

/* Print the devices of the jobs; without jobs, all. */
static void print_machine_devices(const struct header *h, const char *disks,
				  FILE *out)
{
	bool *marked = xcalloc(h->n_devices, sizeof(*marked));
	unsigned others = 0;
	char buf[64];

	mark_of_jobs(h, disks, marked);
	for (size_t i = 0; i < h->n_devices; i++) {
		const struct device_info *d = &h->device[i];

		/* Skip loop devices without a file, and drives without a medium. */
		if (!d->size_bytes)
			continue;
		if ((*disks || h->n_jobs) && !marked[i]) {
			others++;
			continue;
		}
		fprintf(out, "device %s: %s%s%s, %s\n", d->id, d->model,
			*d->model ? ", " : "",
			units_format_bytes(buf, sizeof(buf),
					   (double)d->size_bytes),
			d->rotational ? "rotational" : "not rotational");
	}
	if (others)
		fprintf(out, "%u %sdevice%s, %s\n", others,
			*disks ? "other " : "", others == 1 ? "" : "s",
			*disks ? "not of the jobs"
			       : "none of them known to be of the jobs");
	free(marked);
}

static void print_header(const struct header *h, const char *disks, FILE *out)
{
	char buf[64];

	clock_format_utc(h->wall_ns, buf, sizeof(buf));
	print_paragraph(out, COLUMNS, 2, "%s on %s, Linux %s, %u CPUs%s%s, %s",
			h->program, h->host.name, h->host.kernel, h->host.cpus,
			*h->host.cpu ? " " : "", h->host.cpu, buf);
	print_command(h, out);
	print_machine_devices(h, disks, out);
	for (size_t i = 0; i < h->n_jobs; i++)
		print_job(&h->job[i], out);
	print_facts(h, out);
	for (size_t i = 0; i < h->n_labels; i++)
		fprintf(out, "label %s: %s\n", h->label[i].key,
			h->label[i].value);
	fputc('\n', out);
}

static bool print_text_has_jobs(const struct window *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == SCHEMA_JOB)
			return true;
	return false;
}

/* Print ", loop0.scheduler none -> bfq". */
static void print_turn(const struct event *e, FILE *out)
{
	char words[400];

	if (e->kind == EVENT_KNOB)
		fprintf(out, ", %s.%s %s -> %s", e->device, e->knob,
			e->old_value, e->new_value);
	else
		fprintf(out, ", %s",
			event_short_words(e, words, sizeof(words)));
}

static void print_segment(const struct segment *s, FILE *out)
{
	fprintf(out, "\n%.1f s to %.1f s", s->about.from_s, s->about.to_s);
	if (*s->mark)
		fprintf(out, ", %s", s->mark);
	for (size_t i = 0; i < s->n_changes; i++)
		print_turn(&s->change[i], out);
	fprintf(out, ": %zu interval%s\n", s->window.frames,
		s->window.frames == 1 ? "" : "s");
	if (print_text_has_jobs(&s->window))
		print_text_print_jobs(&s->window, out, false);
	print_devices(&s->window, has_discards(&s->window), out);
}

/* Whether several changes were in one interval, and so have the same figures. */
static bool together(const struct report *r, const struct effect *e)
{
	for (size_t i = 0; i < r->segments.n; i++) {
		const struct segment *s = &r->segments.list[i];

		for (size_t k = 0; k < s->n_changes && s->n_changes > 1; k++)
			if (s->change[k].t_s == e->event.t_s)
				return true;
	}
	return false;
}

/* Figures printed per change, the most important; JSON and CSV have all. */
#define FIGURES_PRINTED 8

static void print_effect(const struct report *r, const struct effect *e,
			 FILE *out)
{
	char buf[1024], cost[256];

	effect_cost_words(&e->cost, cost, sizeof(cost));
	fputc('\n', out);
	print_paragraph(out, COLUMNS, 2, "%.1f s: %s%s%s", e->event.t_s,
			event_words(&e->event, buf, sizeof(buf)),
			*cost ? "; " : "", cost);
	if (together(r, e))
		fputs("    several changes at once; effects cannot be "
		      "separated\n",
		      out);
	for (size_t i = 0; i < e->n_figures && i < FIGURES_PRINTED; i++)
		fprintf(out, "  %s\n",
			report_figure_words(&e->figure[i], buf, sizeof(buf)));
}

static void print_text_print_notes(FILE *out)
{
	fputc('\n', out);
	for (size_t i = 0; effect_notes[i]; i++)
		fprintf(out, "%s\n", effect_notes[i]);
}

struct checked {
	FILE *out;
	char ok[1000]; /* names of the checks without a finding */
};

static void print_check(const struct check *check, enum check_state state,
			const char *words, void *arg)
{
	struct checked *c = arg;
	size_t used = strlen(c->ok);

	if (state > CHECK_OK)
		print_paragraph(c->out, COLUMNS, 2, "%s %s: %s; %s",
				checks_state_name(state), check->name, words,
				check->look);
	else if (used < sizeof(c->ok))
		snprintf(c->ok + used, sizeof(c->ok) - used, "%s%s",
			 used ? ", " : "", check->name);
}

/* Print the checks with a finding, and the names of the others. */
static void print_text_print_checks(const struct report *r, FILE *out)
{
	struct checked c = { .out = out };
	struct check_case of = results_case(r);
	char unmade[2000];

	if (r->without_checks || !r->checks.n_jobs)
		return;
	checks_judge(&of, print_check, &c);
	if (*c.ok)
		print_paragraph(out, COLUMNS, 2, "checked and ok: %s", c.ok);
	checks_not_made(&of, unmade, sizeof(unmade));
	if (*unmade)
		print_paragraph(out, COLUMNS, 2, "not checked: %s", unmade);
}

/* Print the summaries of jobs with another kind of work. */
static void print_said(const struct report *r, FILE *out)
{
	const char *job = "";

	for (size_t i = 0; i < r->n_said; i++) {
		const struct event *e = &r->said[i];

		if (strcmp(job, e->job) != 0)
			fprintf(out, "job %s:\n", e->job);
		job = e->job;
		fprintf(out, "%s%s\n", *e->text ? "  " : "", e->text);
	}
	if (r->n_said)
		fputc('\n', out);
}

/* Print a sentence on each change; the figures follow below. */
static void print_text_print_changes(const struct effect *effect, size_t n,
				     FILE *out)
{
	char words[1024];

	for (size_t i = 0; i < n; i++)
		print_paragraph(
			out, COLUMNS, 2, "%.1f s: %s: %s", effect[i].event.t_s,
			event_short_words(&effect[i].event, words,
					  sizeof(words)),
			*effect[i].sentence
				? effect[i].sentence
				: "nothing was measured before and after it");
}

static void print_outcome(const struct assertion *a,
			  const struct assertion_outcome *o, const char *words,
			  void *arg)
{
	print_paragraph(arg, COLUMNS, 2, "%s %s: %s%s%s",
			o->passed ? "passed" : "FAILED", a->text, words,
			o->passed ? "" : "; ",
			o->passed ? "" : assertion_advice(a, o));
}

static void print_assertions(struct report *r, FILE *out)
{
	struct json *result;

	if (!r->assertions.n)
		return;
	result = print_json_result(r);
	results_judge(&r->assertions, result, print_outcome, out);
	json_free(result);
}

void print_text(struct report *r, const struct header *h, FILE *out)
{
	size_t n, segments = results_segments(r);
	const struct effect *effect = report_effects(r, &n);

	periods_print(&r->periods.crossover, out);
	if (print_text_has_jobs(r->total))
		print_text_print_jobs(r->total, out, true);
	print_text_print_percentiles(r, h, out);
	print_said(r, out);
	print_text_print_changes(effect, n, out);
	print_text_print_checks(r, out);
	print_assertions(r, out);
	if (print_text_has_jobs(r->total) || n)
		fputc('\n', out);
	print_all_devices(r, out);
	trouble_print(&r->trouble, r->segments.jobs, COLUMNS, out);
	fprintf(out, "%.1f s to %.1f s: %zu interval%s", r->total->from_s,
		r->total->to_s, r->total->frames,
		r->total->frames == 1 ? "" : "s");
	if (r->late)
		fprintf(out, ", %lu late tick%s", r->late,
			r->late == 1 ? "" : "s");
	fputc('\n', out);
	if (h)
		print_header(h, r->checks.disks, out);
	/* A crossover's table has the periods. */
	for (size_t i = 0; i < segments && segments > 1 &&
			   !r->periods.crossover.periods;
	     i++)
		print_segment(&r->segments.list[i], out);
	for (size_t i = 0; i < n; i++)
		print_effect(r, &effect[i], out);
	if (r->segments.left_out)
		fprintf(out,
			"\n%zu more cuts began no segment (at most %d do)\n",
			r->segments.left_out, SEGMENT_MAX);
	if (r->effects.left_out)
		fprintf(out, "\n%zu more changes are not judged\n",
			r->effects.left_out);
	if (n)
		print_text_print_notes(out);
}
