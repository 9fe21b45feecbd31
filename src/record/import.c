/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Import: a row for each program, and what turns its file into lines. */
#include "record/import.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/xml.h"
#include "model/header.h"
#include "model/schema/iostat_words.h"

/* A file of more is no result that a person reads. */
#define MOST_ROWS 2048

struct import {
	const char *name;
	/* The file has one of these at its start, and all that is not NULL of them
	 * in its first bytes. */
	const char *begin, *has, *also;
	/* The text as a value; NULL: it is none. */
	int (*parse)(const char *text, size_t len, struct json **doc);
	/* 0, or -EINVAL with a sentence without the path. */
	int (*lines)(struct json *doc, const char *text,
		     struct json_writer *out);
};

/* --- lines --- */

static void line_open(struct json_writer *w, const char *type)
{
	json_writer_open(w, '{');
	json_writer_put_text(w, "type", type);
}

static void line_close(struct json_writer *w)
{
	json_writer_close(w, '}');
	json_writer_raw(w, "\n", 1);
}

static void header_open(struct json_writer *w, const char *program,
			double start_s)
{
	char time[32];

	line_open(w, "header");
	json_writer_put_number(w, "schema", LOG_SCHEMA);
	json_writer_put_text(w, "program", program);
	if (start_s > 0 && start_s < 9e9) {
		text_set(time, clock_utc((uint64_t)(start_s * 1e9)).text);
		json_writer_put_text(w, "time", time);
	}
}

static void frame_open(struct json_writer *w, double t_s, double interval_s)
{
	line_open(w, "frame");
	json_writer_put_number(w, "t", t_s);
	json_writer_put_number(w, "interval_s", interval_s);
}

static void line_summary(struct json_writer *w)
{
	line_open(w, "summary");
	line_close(w);
}

/* The plan of runs in the order in which they stand; "all" metrics. */
static void line_plan(struct json_writer *w, const char *metric)
{
	line_open(w, "plan");
	json_writer_put_text(w, "order", "listed");
	json_writer_put_text(w, "metric", metric);
	line_close(w);
}

static void row_open(struct json_writer *w, const char *table, const char *id)
{
	if (table) {
		json_writer_begin(w, table, '[');
	}
	json_writer_open(w, '{');
	json_writer_put_text(w, "id", id);
}

/* OP_KEY of a row: read_iops. */
static void put_of(struct json_writer *w, const char *op, const char *key,
		   double value)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", op, key);
	json_writer_put_number(w, name, value);
}

/* --- fio --- */

/* Options that name a place and not a way of working. */
static bool is_place(const char *key)
{
	return text_among(key, "name", "filename", "directory", "description",
			  "output") ||
	       strstr(key, "_log") != NULL;
}

struct fio_labels {
	struct json_writer *w;
	const char *job; /* NULL: of all jobs */
};

static void fio_label(const char *key, struct json *value, void *arg)
{
	const struct fio_labels *l = arg;
	const char *text = json_string(value);
	char name[64];

	if (!text || is_place(key))
		return;
	snprintf(name, sizeof(name), "%s%s%s", l->job ? l->job : "",
		 l->job ? "." : "", key);
	json_writer_put_text(l->w, name, *text ? text : "yes");
}

static void fio_bin(const char *key, struct json *value, void *arg)
{
	const double ns = strtod(key, NULL), count = json_number(value);
	struct json_writer *w = arg;

	if (!(ns >= 0 && ns < 1e18 && count >= 1 && count < 1e18))
		return;
	json_writer_open(w, '[');
	json_writer_count(w, (uint64_t)ns);
	json_writer_count(w, (uint64_t)count);
	json_writer_close(w, ']');
}

/* All buckets of json+; of json the percentiles that it has. */
static void fio_latency(struct json_writer *w, const char *op, struct json *lat)
{
	static const struct {
		const char *theirs, *ours;
	} percentile[] = { { "50.000000", "p50_ns" },
			   { "90.000000", "p90_ns" },
			   { "99.000000", "p99_ns" },
			   { "99.900000", "p999_ns" } };
	struct json *bins = json_get(lat, "bins");
	struct json *list = json_get(lat, "percentile");
	char name[64];

	if (bins) {
		snprintf(name, sizeof(name), "%s_hist", op);
		json_writer_begin(w, name, '[');
		json_each(bins, fio_bin, w);
		json_writer_close(w, ']');
		return;
	}
	put_of(w, op, "mean_ns", json_get_number(lat, "mean"));
	put_of(w, op, "min_ns", json_get_number(lat, "min"));
	put_of(w, op, "max_ns", json_get_number(lat, "max"));
	for (size_t i = 0; i < ARRAY_SIZE(percentile); i++)
		put_of(w, op, percentile[i].ours,
		       json_get_number(list, percentile[i].theirs));
}

static void fio_op(struct json_writer *w, const char *op, struct json *of,
		   double run_s)
{
	struct json *lat = json_get(of, "lat_ns");
	double ios = json_get_number(of, "total_ios");
	double iops = json_get_number(of, "iops");
	double bytes = json_get_number(of, "bw_bytes");

	if (!(ios > 0))
		return;
	/* Releases before 3 have KiB only; syncs have no rate. */
	if (!isfinite(bytes))
		bytes = json_get_number(of, "bw") * 1024;
	put_of(w, op, "iops", isfinite(iops) ? iops : ios / run_s);
	put_of(w, op, "bytes_per_s", bytes);
	if (!json_get(lat, "bins") && json_get(of, "clat_ns"))
		lat = json_get(of, "clat_ns");
	fio_latency(w, op, lat);
}

static double fio_run_s(struct json *job)
{
	static const char *const ops[] = { "read", "write", "trim" };
	double ms = 0;

	/* What fio divides by; a job of syncs alone has no more than the last. */
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		ms = fmax(ms, json_get_number(json_get(job, ops[i]),
					      "runtime"));
	return (ms > 0 ? ms : json_get_number(job, "job_runtime")) / 1e3;
}

static void fio_job(struct json_writer *w, struct json *jobs, size_t i)
{
	static const char *const ops[] = { "read", "write", "trim", "sync" };
	struct json *job = json_at(jobs, i);
	const char *name = json_get_string(job, "jobname");
	double errors = json_get_number(job, "total_err");
	char id[ROW_ID_MAX];
	size_t nth = 0;

	name = name && *name ? name : "job";
	/* Jobs of numjobs have one name. */
	for (size_t k = 0; k < i; k++) {
		const char *other =
			json_get_string(json_at(jobs, k), "jobname");

		nth += other && !strcmp(other, name);
	}
	snprintf(id, sizeof(id), nth ? "%.100s.%zu" : "%.100s", name, nth);
	row_open(w, NULL, id);
	for (size_t k = 0; k < ARRAY_SIZE(ops); k++)
		fio_op(w, ops[k], json_get(job, ops[k]), fio_run_s(job));
	if (!(errors > 0))
		errors = json_get_number(job, "error") > 0;
	json_writer_put_number(w, "errors", errors);
	json_writer_put_number(w, "cpu_pct",
			       json_get_number(job, "usr_cpu") +
				       json_get_number(job, "sys_cpu"));
	json_writer_put_text(w, "phase", "run");
	json_writer_close(w, '}');
}

static int fio_lines(struct json *doc, const char *text, struct json_writer *w)
{
	struct json *jobs = json_get(doc, "jobs");
	const size_t n = json_length(jobs);
	struct fio_labels labels = { .w = w };
	double run_s = 0;

	for (size_t i = 0; i < n; i++)
		run_s = fmax(run_s, fio_run_s(json_at(jobs, i)));
	if (!n || n > MOST_ROWS || !(run_s > 0) || run_s > 1e9)
		return fail(EINVAL, "there is no job that ran");
	header_open(w, json_get_string(doc, "fio version"),
		    json_get_number(doc, "timestamp_ms") / 1e3 - run_s);
	json_writer_begin(w, "label", '{');
	json_each(json_get(doc, "global options"), fio_label, &labels);
	for (size_t i = 0; i < n; i++) {
		struct json *job = json_at(jobs, i);

		labels.job = n > 1 ? json_get_string(job, "jobname") : NULL;
		json_each(json_get(job, "job options"), fio_label, &labels);
	}
	json_writer_close(w, '}');
	line_close(w);
	frame_open(w, run_s, run_s);
	json_writer_begin(w, "job", '[');
	for (size_t i = 0; i < n; i++)
		fio_job(w, jobs, i);
	json_writer_close(w, ']');
	line_close(w);
	line_summary(w);
	return 0;
}

/* --- iostat --- */

/* Seconds of the day of "11/27/26 03:35:12" or an ISO time; NaN: neither. */
static double iostat_second(const char *time)
{
	const char *colon = time ? strchr(time, ':') : NULL;
	int hour, minute, second;

	if (!colon || colon - time < 2 ||
	    sscanf(colon - 2, "%2d:%2d:%2d", &hour, &minute, &second) != 3)
		return NAN;
	return hour * 3600 + minute * 60 + second;
}

static void iostat_row(struct json_writer *w, struct json *disk)
{
	static const struct iostat_word other[] = {
		/* iostat -m, and without -x. */
		{ "rMB/s", "read_bytes_per_s", 1 / 1048576.0 },
		{ "wMB/s", "write_bytes_per_s", 1 / 1048576.0 },
		{ "kB_read/s", "read_bytes_per_s", 1 / 1024.0 },
		{ "kB_wrtn/s", "write_bytes_per_s", 1 / 1024.0 },
		{ "MB_read/s", "read_bytes_per_s", 1 / 1048576.0 },
		{ "MB_wrtn/s", "write_bytes_per_s", 1 / 1048576.0 },
	};

	row_open(w, NULL, json_get_string(disk, "disk_device"));
	for (size_t i = 0; i < n_iostat_words; i++)
		json_writer_put_number(
			w, iostat_words[i].key,
			json_get_number(disk, iostat_words[i].word) /
				iostat_words[i].factor);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		json_writer_put_number(w, other[i].key,
				       json_get_number(disk, other[i].word) /
					       other[i].factor);
	json_writer_close(w, '}');
}

static void iostat_frame(struct json_writer *w, struct json *sample, double t_s,
			 double interval_s)
{
	struct json *cpu = json_get(sample, "avg-cpu");
	struct json *disk = json_get(sample, "disk");

	frame_open(w, t_s, interval_s);
	if (cpu) {
		row_open(w, "cpu", "all");
		for (size_t i = 0; i < n_iostat_cpu_words; i++)
			json_writer_put_number(
				w, iostat_cpu_words[i].key,
				json_get_number(cpu, iostat_cpu_words[i].word));
		json_writer_close(w, '}');
		json_writer_close(w, ']');
	}
	json_writer_begin(w, "device", '[');
	for (size_t i = 0; i < json_length(disk); i++)
		if (json_get_string(json_at(disk, i), "disk_device"))
			iostat_row(w, json_at(disk, i));
	json_writer_close(w, ']');
	line_close(w);
}

static int iostat_lines(struct json *doc, const char *text,
			struct json_writer *w)
{
	struct json *hosts = json_get(json_get(doc, "sysstat"), "hosts");
	struct json *host = json_at(hosts, 0);
	struct json *list = json_get(host, "statistics");
	const size_t n = json_length(list);
	double last = NAN, t_s = 0;

	if (json_length(hosts) != 1 || !n)
		return fail(EINVAL, "it needs one host with statistics");
	header_open(w, "iostat", 0);
	json_writer_begin(w, "host", '{');
	json_writer_put_text(w, "name", json_get_string(host, "nodename"));
	json_writer_put_text(w, "kernel", json_get_string(host, "release"));
	json_writer_put_number(w, "cpus",
			       json_get_number(host, "number-of-cpus"));
	json_writer_close(w, '}');
	line_close(w);
	/* The first sample is since the boot, unless it is the only one. */
	for (size_t i = 0; i < n; i++) {
		struct json *sample = json_at(list, i);
		double now = iostat_second(json_get_string(sample, "timestamp"));
		double s = now - last;

		last = now;
		if (i == 0 && n > 1)
			continue;
		s = s < 0 ? s + 86400 : s;
		s = s > 0 ? s : 1;
		t_s += s;
		iostat_frame(w, sample, t_s, s);
	}
	line_summary(w);
	return 0;
}

/* --- hyperfine --- */

/* A run in no block: all runs of a command follow each other. */
static void hyperfine_run(struct json_writer *w, struct json *result, size_t k)
{
	struct json *code = json_at(json_get(result, "exit_codes"), k);
	struct json *parameters = json_get(result, "parameters");
	size_t len;

	line_open(w, "result");
	json_writer_put_text(w, "state",
			     json_number(code) != 0 && code ? "failed" : "done");
	json_writer_key(w, "point");
	if (parameters) {
		const char *text = json_text(parameters, &len);

		json_writer_value(w, text, len);
	} else {
		json_writer_open(w, '{');
		json_writer_put_text(w, "program",
				     json_get_string(result, "command"));
		json_writer_close(w, '}');
	}
	json_writer_begin(w, "metric", '{');
	json_writer_put_number(
		w, "time_ns",
		json_number(json_at(json_get(result, "times"), k)) * 1e9);
	json_writer_close(w, '}');
	line_close(w);
}

static int hyperfine_lines(struct json *doc, const char *text,
			   struct json_writer *w)
{
	struct json *results = json_get(doc, "results");
	size_t n = 0;

	header_open(w, "hyperfine", 0);
	line_close(w);
	line_plan(w, "time_ns");
	for (size_t i = 0; i < json_length(results); i++) {
		struct json *result = json_at(results, i);
		size_t runs = json_length(json_get(result, "times"));

		for (size_t k = 0; k < runs && n < MOST_ROWS; k++, n++)
			hyperfine_run(w, result, k);
	}
	if (!n)
		return fail(EINVAL, "it has no times of single runs");
	line_summary(w);
	return 0;
}

/* --- elbencho --- */

#define ELBENCHO_COLUMNS 128

struct elbencho_row {
	char *field[ELBENCHO_COLUMNS];
	size_t n;
};

static void elbencho_split(struct elbencho_row *row, char *line)
{
	row->n = 0;
	line[strcspn(line, "\r")] = '\0';
	while (line && row->n < ELBENCHO_COLUMNS)
		row->field[row->n++] = strsep(&line, ",");
}

/* The value of a column; "" where there is none. */
static const char *elbencho_get(const struct elbencho_row *head,
				const struct elbencho_row *row,
				const char *column)
{
	for (size_t i = 0; i < head->n && i < row->n; i++)
		if (!strcmp(head->field[i], column))
			return row->field[i];
	return "";
}

static double elbencho_number(const struct elbencho_row *head,
			      const struct elbencho_row *row,
			      const char *column)
{
	const char *text = elbencho_get(head, row, column);
	char *end;
	double v = strtod(text, &end);

	return end == text || *end ? NAN : v;
}

/* Columns between the date and the operation are the configuration. */
static size_t elbencho_settings(const struct elbencho_row *head)
{
	size_t n = 1;

	while (n < head->n && strcmp(head->field[n], "operation") != 0)
		n++;
	return n;
}

static bool elbencho_same(const struct elbencho_row *head,
			  const struct elbencho_row *a,
			  const struct elbencho_row *b)
{
	for (size_t i = 1; i < elbencho_settings(head); i++)
		if (strcmp(a->field[i], b->field[i]) != 0)
			return false;
	return true;
}

static void elbencho_figures(struct json_writer *w,
			     const struct elbencho_row *head,
			     const struct elbencho_row *row)
{
	char op[32];

	text_copy(op, sizeof(op), elbencho_get(head, row, "operation"));
	for (char *p = op; *p; p++)
		*p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
	put_of(w, op, "iops", elbencho_number(head, row, "IOPS [last]"));
	put_of(w, op, "bytes_per_s",
	       elbencho_number(head, row, "MiB/s [last]") * 1048576);
	put_of(w, op, "entries_per_s",
	       elbencho_number(head, row, "entries/s [last]"));
	put_of(w, op, "mean_ns",
	       elbencho_number(head, row, "IO lat us [avg]") * 1e3);
	put_of(w, op, "max_ns",
	       elbencho_number(head, row, "IO lat us [max]") * 1e3);
	put_of(w, op, "run_ns",
	       elbencho_number(head, row, "time ms [last]") * 1e6);
}

/* A run: the settings that differ within the file, the figures of its rows. */
static void elbencho_run(struct json_writer *w, const struct elbencho_row *head,
			 const struct elbencho_row *row, size_t n,
			 const bool *axis, size_t block)
{
	line_open(w, "result");
	json_writer_put_count(w, "block", block);
	json_writer_put_text(w, "state", "done");
	json_writer_begin(w, "point", '{');
	for (size_t i = 1; i < elbencho_settings(head); i++)
		if (axis[i])
			json_writer_put_text(w, head->field[i],
					     *row->field[i] ? row->field[i]
							    : "none");
	json_writer_close(w, '}');
	row_open(w, "job", "elbencho");
	for (size_t i = 0; i < n; i++)
		elbencho_figures(w, head, &row[i]);
	json_writer_close(w, '}');
	json_writer_close(w, ']');
	line_close(w);
}

/* The rows from the first on that are one call: its phases, each once. */
static size_t elbencho_call(const struct elbencho_row *head,
			    const struct elbencho_row *row, size_t n)
{
	const size_t op = elbencho_settings(head);

	for (size_t i = 1; i < n; i++) {
		if (!elbencho_same(head, &row[0], &row[i]))
			return i;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(row[k].field[op], row[i].field[op]))
				return i;
	}
	return n;
}

static void elbencho_runs(struct json_writer *w,
			  const struct elbencho_row *head,
			  const struct elbencho_row *row, size_t n)
{
	bool axis[ELBENCHO_COLUMNS] = { false };
	size_t call;

	for (size_t i = 1; i < n; i++)
		for (size_t c = 1; c < elbencho_settings(head); c++)
			axis[c] |= strcmp(row[0].field[c], row[i].field[c]) !=
				   0;
	for (size_t at = 0; at < n; at += call) {
		size_t block = 1, before;

		for (size_t b = 0; b < at; b += before) {
			before = elbencho_call(head, &row[b], n - b);
			block += elbencho_same(head, &row[b], &row[at]);
		}
		call = elbencho_call(head, &row[at], n - at);
		elbencho_run(w, head, &row[at], call, axis, block);
	}
}

/* Whether a run read; the head is the first row. */
static bool elbencho_reads(const struct elbencho_row *row, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (!strcmp(elbencho_get(row, &row[i], "operation"), "READ"))
			return true;
	return false;
}

static int elbencho_lines(struct json *doc, const char *text,
			  struct json_writer *w)
{
	struct elbencho_row *row = xcalloc(MOST_ROWS + 1, sizeof(*row));
	char *copy = xstrdup(text), *rest = copy, *line;
	size_t n = 0, number = 0;
	int err = 0;

	while (!err && (line = strsep(&rest, "\n")) && n <= MOST_ROWS) {
		number++;
		/* A header may stand before each call. */
		if (!*line || (n && !strncmp(line, "ISO date,", 9)))
			continue;
		elbencho_split(&row[n], line);
		if (n && row[n].n != row[0].n)
			err = fail(EINVAL,
				   "line %zu has %zu columns, the first %zu",
				   number, row[n].n, row[0].n);
		n++;
	}
	if (!err && n && elbencho_settings(&row[0]) == row[0].n)
		err = fail(EINVAL, "it has no column operation");
	if (!err && (n < 2 || n > MOST_ROWS))
		err = fail(EINVAL, "it has %s", n < 2 ? "no run" : "too many rows");
	if (!err) {
		header_open(w, "elbencho", 0);
		line_close(w);
		line_plan(w, elbencho_reads(row, n)
				     ? "read_bytes_per_s"
				     : "write_bytes_per_s");
		elbencho_runs(w, &row[0], row + 1, n - 1);
		line_summary(w);
	}
	free(row);
	free(copy);
	return err;
}

/* --- Phoronix Test Suite --- */

#define PTS_SYSTEMS 256
#define PTS_VALUES  (1u << 20)

struct pts_value {
	size_t system, run, test; /* their numbers */
	double value;
};

struct pts {
	const char *system[PTS_SYSTEMS];
	size_t n_systems;
	struct pts_value *value;
	size_t n, cap;
};

/* The key of a test's figure, and its factor: units that are ours, and others by
 * their names. */
static double pts_key(struct json *test, char *key, size_t size)
{
	static const struct iostat_word scales[] = {
		{ "IOPS", "iops", 1 },
		{ "MB/s", "bytes_per_s", 1e6 },
		{ "MiB/s", "bytes_per_s", 1048576 },
		{ "GB/s", "bytes_per_s", 1e9 },
		{ "GiB/s", "bytes_per_s", 1073741824 },
		{ "Seconds", "time_ns", 1e9 },
		{ "Milliseconds", "time_ns", 1e6 },
		{ "ms", "time_ns", 1e6 },
		{ "Microseconds", "time_ns", 1e3 },
		{ "us", "time_ns", 1e3 },
	};
	const char *scale = xml_text(test, "Scale");

	for (size_t i = 0; i < ARRAY_SIZE(scales); i++)
		if (!strcmp(scale, scales[i].word)) {
			text_copy(key, size, scales[i].key);
			return scales[i].factor;
		}
	text_copy(key, size, *scale ? scale : "value");
	/* A dot would end the name of the row. */
	for (char *p = key; *p; p++)
		*p = *p == '.' ? '_' : *p;
	return 1;
}

static char *pts_name(struct json *test)
{
	const char *of = xml_text(test, "Description");
	const char *version = xml_text(test, "AppVersion");
	char *name = xasprintf("%s%s%s%s%s", xml_text(test, "Title"),
			       *version ? " " : "", version, *of ? ": " : "",
			       of);

	text_clean_cut(name, 200);
	return name;
}

static int pts_system(struct pts *p, const char *name, size_t *at)
{
	for (*at = 0; *at < p->n_systems; ++*at)
		if (!strcmp(p->system[*at], name))
			return 0;
	if (p->n_systems == PTS_SYSTEMS)
		return fail(EINVAL, "it has more than %d systems", PTS_SYSTEMS);
	p->system[p->n_systems++] = name;
	return 0;
}

/* The values of single runs, "20.1:20.4:19.9"; the element Value is their mean. */
static int pts_entry(struct pts *p, struct json *entry, size_t test)
{
	const char *raw = xml_text(entry, "RawString");
	size_t system, run = 0;
	int err = pts_system(p, xml_text(entry, "Identifier"), &system);
	char *end;

	for (; !err && *raw; raw = end + (*end == ':')) {
		const double value = strtod(raw, &end);

		/* A text, or the points of a line. */
		if (end == raw || (*end && *end != ':'))
			break;
		if (p->n == PTS_VALUES)
			return fail(EINVAL, "it has too many values");
		*xadd(p->value, p->n, p->cap) =
			(struct pts_value){ system, run++, test, value };
	}
	return err;
}

static int pts_order(const void *one, const void *two)
{
	const struct pts_value *a = one, *b = two;

	if (a->system != b->system)
		return a->system < b->system ? -1 : 1;
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return (a->test > b->test) - (a->test < b->test);
}

static void pts_figure(struct json_writer *w, struct json *test, double value)
{
	const char *better = xml_text(test, "Proportion");
	char key[64], *name = pts_name(test);

	row_open(w, NULL, name);
	value *= pts_key(test, key, sizeof(key));
	json_writer_put_number(w, key, value);
	json_writer_begin(w, "better", '{');
	json_writer_put_number(w, key, !strcmp(better, "HIB")   ? 1
				       : !strcmp(better, "LIB") ? -1
								: 0);
	json_writer_close(w, '}');
	json_writer_close(w, '}');
	free(name);
}

/* The k-th value of each test on a system is a run, in no block: a test does all
 * its runs, then comes the next. Returns how many values it has. */
static size_t pts_run(struct json_writer *w, const struct pts *p,
		      const struct pts_value *v, struct json *root)
{
	size_t n = 0;

	line_open(w, "result");
	json_writer_put_text(w, "state", "done");
	json_writer_begin(w, "point", '{');
	json_writer_put_text(w, "system", p->system[v->system]);
	json_writer_close(w, '}');
	json_writer_begin(w, "job", '[');
	for (; v + n < p->value + p->n && v[n].system == v->system &&
	       v[n].run == v->run;
	     n++)
		pts_figure(w, xml_get(root, "Result", v[n].test), v[n].value);
	json_writer_close(w, ']');
	line_close(w);
	return n;
}

static int pts_write(struct json_writer *w, const struct pts *p,
		     struct json *root)
{
	struct json *generated = xml_get(root, "Generated", 0);
	size_t runs = 0;

	header_open(w, xml_text(generated, "TestClient"), 0);
	line_close(w);
	line_plan(w, "all");
	for (size_t i = 0; i < p->n; i += pts_run(w, p, &p->value[i], root))
		if (runs++ == MOST_ROWS)
			return fail(EINVAL, "it has more than %d runs",
				    MOST_ROWS);
	line_summary(w);
	return 0;
}

static int pts_lines(struct json *doc, const char *text, struct json_writer *w)
{
	struct json *root = xml_get(doc, "PhoronixTestSuite", 0);
	struct json *tests = json_get(root, "Result");
	struct pts p = { .n = 0 };
	int err = 0;

	for (size_t i = 0; !err && i < json_length(tests); i++) {
		struct json *data = xml_get(json_at(tests, i), "Data", 0);
		struct json *entries = json_get(data, "Entry");

		for (size_t k = 0; !err && k < json_length(entries); k++)
			err = pts_entry(&p, json_at(entries, k), i);
	}
	if (!err && !p.n)
		err = fail(EINVAL, "it has no values of single runs "
				   "(RawString)");
	if (!err) {
		qsort(p.value, p.n, sizeof(*p.value), pts_order);
		err = pts_write(w, &p, root);
	}
	free(p.value);
	return err;
}

/* --- the table --- */

/* fio prints its messages before, and may do so without a newline behind. */
static int parse_json(const char *text, size_t len, struct json **doc)
{
	const char *brace = strchr(text, '{'), *end = strrchr(text, '}');

	return brace && end > brace
		       ? json_parse(brace, (size_t)(end - brace) + 1, doc)
		       : fail(EINVAL, "it has no object");
}

static const struct import imports[] = {
	{ "fio's JSON", NULL, "\"fio version\"", NULL, parse_json, fio_lines },
	{ "iostat's JSON", "{", "\"sysstat\"", "\"hosts\"", parse_json,
	  iostat_lines },
	{ "hyperfine's JSON", "{", "\"results\"", "\"command\"", parse_json,
	  hyperfine_lines },
	{ "elbencho's CSV", "ISO date,", ",operation,", NULL, NULL,
	  elbencho_lines },
	{ "the XML of the Phoronix Test Suite", "<", "<PhoronixTestSuite>",
	  NULL, xml_parse, pts_lines },
};

const struct import *import_find(const char *begin)
{
	/* A log begins so; a job of it may have any name. */
	if (!strncmp(begin, "{\"type\":", 8))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(imports); i++) {
		const struct import *of = &imports[i];

		if ((!of->begin ||
		     !strncmp(begin, of->begin, strlen(of->begin))) &&
		    strstr(begin, of->has) &&
		    (!of->also || strstr(begin, of->also)))
			return of;
	}
	return NULL;
}

int import_lines(const struct import *import, const char *path,
		 const char *text, size_t len, struct json_writer *out)
{
	struct json *doc = NULL;
	char *why;
	int err = 0;

	if (strlen(text) != len)
		err = fail(EINVAL, "it has bytes 0");
	else if (import->parse)
		err = import->parse(text, len, &doc);
	if (!err)
		err = import->lines(doc, text, out);
	json_free(doc);
	if (!err)
		return 0;
	why = xstrdup(fail_sentence());
	err = fail(EINVAL, "%s, taken for %s, cannot be read: %s", path,
		   import->name, why);
	free(why);
	return err;
}
