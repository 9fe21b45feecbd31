/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print frames: chosen fields of every frame as CSV (series), one interval in the
 * columns of iostat and top (excerpt).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "report/print/print.h"

/* Series: a column per field of a row, and a line per frame. */

/* The limit of columns, because a log is untrusted. */
#define SERIES_COLUMNS 4096

struct series_column {
	enum schema_id schema;
	int field;
	char id[ROW_ID_MAX]; /* "*": all */
	size_t row;          /* its index in the last frame */
};

struct print_series {
	struct series_column *asked, *column;
	size_t n_asked, n, cap_asked, cap;
	bool scans;
};

static void print_frames_add_series(struct print_series *s,
				    const struct series_column *c)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->column[i].schema == c->schema &&
		    s->column[i].field == c->field &&
		    !strcmp(s->column[i].id, c->id))
			return;
	if (s->n == SERIES_COLUMNS)
		return;
	*xadd(s->column, s->n, s->cap) = *c;
}

/* Parse a word such as "device.sda.read_iops". */
static int parse_series(struct print_series *s, const char *word)
{
	const char *dot = strchr(word, '.'), *last = strrchr(word, '.');
	struct series_column c = { .schema = SCHEMA_COUNT, .field = -1 };
	char table[64];

	if (dot) {
		snprintf(table, sizeof(table), "%.*s", (int)(dot - word), word);
		c.schema = schema_by_name(table);
	}
	if (c.schema != SCHEMA_COUNT)
		c.field = schema_field(c.schema, last + 1);
	if (c.field < 0)
		return fail(EINVAL,
			    "--series: %s is not TABLE.ROW.KEY, such as "
			    "device.sda.read_iops; iodyno list fields has "
			    "them",
			    word);
	if (last > dot)
		snprintf(c.id, sizeof(c.id), "%.*s", (int)(last - dot - 1),
			 dot + 1);
	else if (!schemas[c.schema]->bare)
		snprintf(c.id, sizeof(c.id), "*");
	*xadd(s->asked, s->n_asked, s->cap_asked) = c;
	s->scans |= !strcmp(c.id, "*");
	return 0;
}

int print_series_new(struct print_series **out, const char *fields)
{
	struct print_series *s = xcalloc(1, sizeof(*s));
	char *copy = xstrdup(fields), *save = NULL;
	int err = 0;

	for (char *word = strtok_r(copy, ",", &save); word && !err;
	     word = strtok_r(NULL, ",", &save))
		err = parse_series(s, word);
	free(copy);
	if (!err && !s->n_asked)
		err = fail(EINVAL, "--series names no field");
	for (size_t i = 0; !err && !s->scans && i < s->n_asked; i++)
		print_frames_add_series(s, &s->asked[i]);
	if (err)
		print_series_free(s);
	else
		*out = s;
	return err;
}

void print_series_free(struct print_series *s)
{
	if (!s)
		return;
	free(s->asked);
	free(s->column);
	free(s);
}

bool print_series_scans(const struct print_series *s)
{
	return s->scans;
}

void print_series_scan(struct print_series *s, const struct frame *f)
{
	for (size_t i = 0; i < s->n_asked; i++) {
		struct series_column c = s->asked[i];
		const struct table *t = &f->table[c.schema];

		if (strcmp(c.id, "*") != 0) {
			print_frames_add_series(s, &c);
			continue;
		}
		for (size_t k = 0; k < t->n; k++) {
			text_copy(c.id, sizeof(c.id), t->row[k].id);
			print_frames_add_series(s, &c);
		}
	}
}

void print_series_head(const struct print_series *s, FILE *out)
{
	fputs("log,t,time", out);
	for (size_t i = 0; i < s->n; i++) {
		const struct series_column *c = &s->column[i];
		const struct schema *of = schemas[c->schema];
		char name[256];

		snprintf(name, sizeof(name), "%s%s%s.%s", of->name,
			 *c->id ? "." : "", c->id, of->fields[c->field].key);
		fputc(',', out);
		print_csv_text(out, name);
	}
	fputc('\n', out);
}

/* Search from the last index: most rows keep it from frame to frame. */
static const struct row *print_frames_find_row(struct series_column *c,
					       const struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t at = (c->row + i) % t->n;

		if (*c->id && strcmp(t->row[at].id, c->id) != 0)
			continue;
		c->row = at;
		return &t->row[at];
	}
	return NULL;
}

void print_series_add(struct print_series *s, const char *log,
		      const struct frame *f, FILE *out)
{
	print_csv_text(out, log);
	fputc(',', out);
	print_csv_number(out, f->t_s);
	fprintf(out, ",%s", clock_utc(f->wall_ns).text);
	for (size_t i = 0; i < s->n; i++) {
		struct series_column *c = &s->column[i];
		const struct row *row =
			print_frames_find_row(c, &f->table[c->schema]);
		const struct field *field =
			&schemas[c->schema]->fields[c->field];

		fputc(',', out);
		if (row && field->kind == FIELD_NUMBER)
			print_csv_number(out, row->value[c->field].number);
		else if (row && field->kind == FIELD_TEXT &&
			 row->value[c->field].text)
			print_csv_text(out, row->value[c->field].text);
	}
	fputc('\n', out);
}

/* Excerpt: a frame in the columns of iostat and top. */

#define SECTOR        512.0
#define EXCERPT_TASKS 20

static double print_frames_number(enum schema_id id, const struct row *row,
				  const char *key)
{
	return frame_or_0(row_number(id, row, key));
}

static double print_frames_device(const struct row *row, const char *key)
{
	return print_frames_number(SCHEMA_DEVICE, row, key);
}

static void print_frames_print_title(const struct frame *f, unsigned n,
				     const char *program, double seconds,
				     FILE *out)
{
	fprintf(out, "[%u] %s, %.1f s after the start, over %.1f s:\n\n", n,
		program, f->t_s, seconds);
}

static void print_device(const struct row *row, FILE *out)
{
	double r = print_frames_device(row, "read_iops"),
	       w = print_frames_device(row, "write_iops");
	double rs = print_frames_device(row, "read_bytes_per_s") / SECTOR;
	double ws = print_frames_device(row, "write_bytes_per_s") / SECTOR;
	double util = print_frames_device(row, "util_pct"), n = r + w;
	double wait = r * print_frames_device(row, "read_await_ns") +
		      w * print_frames_device(row, "write_await_ns");

	if (!(n > 0) && !(util > 0))
		return;
	fprintf(out,
		"%-9s %7.2f %7.2f %8.2f %8.2f %10.2f %10.2f %8.2f %7.2f %7.2f "
		"%6.2f %6.2f\n",
		row->id, print_frames_device(row, "read_merges_per_s"),
		print_frames_device(row, "write_merges_per_s"), r, w, rs, ws,
		n > 0 ? (rs + ws) / n : 0,
		print_frames_device(row, "queue_size"),
		n > 0 ? wait / n / 1e6 : 0, n > 0 ? util * 10 / n : 0, util);
}

void print_excerpt_iostat(const struct frame *f, unsigned n, FILE *out)
{
	const struct row *cpu = frame_find(f, SCHEMA_CPU, "all");
	const struct table *t = &f->table[SCHEMA_DEVICE];

	print_frames_print_title(f, n, "iostat", f->interval_s, out);
	if (cpu)
		fprintf(out,
			"avg-cpu:  %%user   %%nice %%system %%iowait  %%steal  "
			" "
			"%%idle\n        %7.2f %7.2f %7.2f %7.2f %7.2f "
			"%7.2f\n\n",
			print_frames_number(SCHEMA_CPU, cpu, "user_pct"),
			print_frames_number(SCHEMA_CPU, cpu, "nice_pct"),
			print_frames_number(SCHEMA_CPU, cpu, "system_pct") +
				print_frames_number(SCHEMA_CPU, cpu, "irq_pct"),
			print_frames_number(SCHEMA_CPU, cpu, "iowait_pct"),
			print_frames_number(SCHEMA_CPU, cpu, "steal_pct"),
			print_frames_number(SCHEMA_CPU, cpu, "idle_pct"));
	fprintf(out, "%-9s %7s %7s %8s %8s %10s %10s %8s %7s %7s %6s %6s\n",
		"Device:", "rrqm/s", "wrqm/s", "r/s", "w/s", "rsec/s", "wsec/s",
		"avgrq-sz", "avgqu-sz", "await", "svctm", "%util");
	for (size_t i = 0; i < t->n; i++)
		print_device(&t->row[i], out);
	fputc('\n', out);
}

static int by_cpu(const void *a, const void *b)
{
	double x = print_frames_number(
		SCHEMA_TASK, *(const struct row *const *)a, "cpu_pct");
	double y = print_frames_number(
		SCHEMA_TASK, *(const struct row *const *)b, "cpu_pct");

	return x < y ? 1 : x > y ? -1 : 0;
}

void print_excerpt_top(const struct frame *f, double since_s, unsigned n,
		       FILE *out)
{
	const struct table *t = &f->table[SCHEMA_TASK];
	const struct row **row = xcalloc(t->n + 1, sizeof(struct row *));
	size_t used = 0;

	for (size_t i = 0; i < t->n; i++)
		if (print_frames_number(SCHEMA_TASK, &t->row[i], "cpu_pct") > 0)
			row[used++] = &t->row[i];
	if (used)
		qsort(row, used, sizeof(struct row *), by_cpu);
	print_frames_print_title(
		f, n, "top (only %CPU > 0 shown)",
		f->t_s > since_s ? f->t_s - since_s : f->interval_s, out);
	fprintf(out, "%8s %1s %6s %11s %11s  COMMAND\n", "PID", "S", "%CPU",
		"read kB/s", "written kB/s");
	for (size_t i = 0; i < used && i < EXCERPT_TASKS; i++) {
		const char *state = row_text(SCHEMA_TASK, row[i], "state");
		const char *comm = row_text(SCHEMA_TASK, row[i], "comm");

		fprintf(out, "%8s %1.1s %6.1f %11.1f %11.1f  %s\n", row[i]->id,
			state ? state : "",
			print_frames_number(SCHEMA_TASK, row[i], "cpu_pct"),
			print_frames_number(SCHEMA_TASK, row[i],
					    "read_bytes_per_s") /
				1024,
			print_frames_number(SCHEMA_TASK, row[i],
					    "write_bytes_per_s") /
				1024,
			comm ? comm : "");
	}
	if (!used)
		fputs("the log holds no processes of that moment\n", out);
	fputc('\n', out);
	free(row);
}
