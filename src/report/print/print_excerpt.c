/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Excerpt: a frame in the columns of iostat and top. */
#include "report/print/print.h"

#include <stdlib.h>

#include "base/alloc.h"

#define SECTOR        512.0
#define EXCERPT_TASKS 20

static double excerpt_number(enum schema_id id, const struct row *row,
			     const char *key)
{
	return frame_or_0(row_number(id, row, key));
}

static double excerpt_device(const struct row *row, const char *key)
{
	return excerpt_number(SCHEMA_DEVICE, row, key);
}

static void print_excerpt_title(const struct frame *f, unsigned n,
				const char *program, double seconds,
				FILE *out)
{
	fprintf(out, "[%u] %s, %.1f s after the start, over %.1f s:\n\n", n,
		program, f->t_s, seconds);
}

static void print_device(const struct row *row, FILE *out)
{
	double r = excerpt_device(row, "read_iops"),
	       w = excerpt_device(row, "write_iops");
	double rs = excerpt_device(row, "read_bytes_per_s") / SECTOR;
	double ws = excerpt_device(row, "write_bytes_per_s") / SECTOR;
	double util = excerpt_device(row, "util_pct"), n = r + w;
	double wait = r * excerpt_device(row, "read_await_ns") +
		      w * excerpt_device(row, "write_await_ns");

	if (!(n > 0) && !(util > 0))
		return;
	fprintf(out,
		"%-9s %7.2f %7.2f %8.2f %8.2f %10.2f %10.2f %8.2f %7.2f %7.2f "
		"%6.2f %6.2f\n",
		row->id, excerpt_device(row, "read_merges_per_s"),
		excerpt_device(row, "write_merges_per_s"), r, w, rs, ws,
		n > 0 ? (rs + ws) / n : 0,
		excerpt_device(row, "queue_size"),
		n > 0 ? wait / n / 1e6 : 0, n > 0 ? util * 10 / n : 0, util);
}

void print_excerpt_iostat(const struct frame *f, unsigned n, FILE *out)
{
	const struct row *cpu = frame_find(f, SCHEMA_CPU, "all");
	const struct table *t = &f->table[SCHEMA_DEVICE];

	print_excerpt_title(f, n, "iostat", f->interval_s, out);
	if (cpu)
		fprintf(out,
			"avg-cpu:  %%user   %%nice %%system %%iowait  %%steal  "
			" "
			"%%idle\n        %7.2f %7.2f %7.2f %7.2f %7.2f "
			"%7.2f\n\n",
			excerpt_number(SCHEMA_CPU, cpu, "user_pct"),
			excerpt_number(SCHEMA_CPU, cpu, "nice_pct"),
			excerpt_number(SCHEMA_CPU, cpu, "system_pct") +
				excerpt_number(SCHEMA_CPU, cpu, "irq_pct"),
			excerpt_number(SCHEMA_CPU, cpu, "iowait_pct"),
			excerpt_number(SCHEMA_CPU, cpu, "steal_pct"),
			excerpt_number(SCHEMA_CPU, cpu, "idle_pct"));
	fprintf(out, "%-9s %7s %7s %8s %8s %10s %10s %8s %7s %7s %6s %6s\n",
		"Device:", "rrqm/s", "wrqm/s", "r/s", "w/s", "rsec/s", "wsec/s",
		"avgrq-sz", "avgqu-sz", "await", "svctm", "%util");
	for (size_t i = 0; i < t->n; i++)
		print_device(&t->row[i], out);
	fputc('\n', out);
}

static int by_cpu(const void *a, const void *b)
{
	double x = excerpt_number(
		SCHEMA_TASK, *(const struct row *const *)a, "cpu_pct");
	double y = excerpt_number(
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
		if (excerpt_number(SCHEMA_TASK, &t->row[i], "cpu_pct") > 0)
			row[used++] = &t->row[i];
	if (used)
		qsort(row, used, sizeof(struct row *), by_cpu);
	print_excerpt_title(
		f, n, "top (only %CPU > 0 shown)",
		f->t_s > since_s ? f->t_s - since_s : f->interval_s, out);
	fprintf(out, "%8s %1s %6s %11s %11s  COMMAND\n", "PID", "S", "%CPU",
		"read kB/s", "written kB/s");
	for (size_t i = 0; i < used && i < EXCERPT_TASKS; i++) {
		const char *state = row_text(SCHEMA_TASK, row[i], "state");
		const char *comm = row_text(SCHEMA_TASK, row[i], "comm");

		fprintf(out, "%8s %1.1s %6.1f %11.1f %11.1f  %s\n", row[i]->id,
			state ? state : "",
			excerpt_number(SCHEMA_TASK, row[i], "cpu_pct"),
			excerpt_number(SCHEMA_TASK, row[i],
				       "read_bytes_per_s") /
				1024,
			excerpt_number(SCHEMA_TASK, row[i],
				       "write_bytes_per_s") /
				1024,
			comm ? comm : "");
	}
	if (!used)
		fputs("the log holds no processes of that moment\n", out);
	fputc('\n', out);
	free(row);
}
