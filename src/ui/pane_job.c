/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job pane: a head line with the progress and a line per operation for each
 * job; when there are too many for that, one line per job.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "ui/pane_table.h"

static const char *const ops[] = { "read", "write", "sync" };

/* Column heads and the ends of the keys of an operation. */
static const struct {
	const char *title, *key;
} figures[] = {
	{ "IOPS", "iops" },  { "B/s", "bytes_per_s" }, { "mean", "mean_ns" },
	{ "p50", "p50_ns" }, { "p99", "p99_ns" },      { "p99.9", "p999_ns" },
	{ "max", "max_ns" },
};

#define OP_CELLS     9
#define FIGURE_CELLS 9

static double figure(const struct row *row, const char *op, const char *key)
{
	char name[40];

	snprintf(name, sizeof(name), "%s_%s", op, key);
	return row_number(SCHEMA_JOB, row, name);
}

/* The job does this: now, or lately. */
static bool does(const struct ui_view *view, const struct row *row,
		 const char *op)
{
	char name[40];
	int field;

	if (figure(row, op, "iops") > 0)
		return true;
	snprintf(name, sizeof(name), "%s_iops", op);
	field = schema_field(SCHEMA_JOB, name);
	if (!view->history)
		return false;
	for (size_t age = 0; age < 30; age++)
		if (history_number(view->history, age, SCHEMA_JOB, row->id,
				   field) > 0)
			return true;
	return false;
}

/* Lines of a job: its head and its operations (one of dashes at first). */
static int job_lines(const struct ui_view *view, const struct row *row)
{
	int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		n += does(view, row, ops[i]);
	return 1 + (n ? n : 1);
}

int pane_job_want(struct ui *ui, const struct ui_view *view)
{
	const struct table *t;
	int n = 1;

	if (!view->frame || !view->frame->table[SCHEMA_JOB].n)
		return 0;
	t = &view->frame->table[SCHEMA_JOB];
	if (t->n > 4)
		return pane_table_want(ui, view, &table_job);
	for (size_t i = 0; i < t->n; i++)
		n += job_lines(view, &t->row[i]);
	return n;
}

static void format(char *buf, size_t size, const char *key, double v)
{
	if (!strcmp(key, "iops"))
		units_format_count(buf, size, v);
	else if (!strcmp(key, "bytes_per_s"))
		units_format_bytes(buf, size, v);
	else
		units_format_ns(buf, size, v);
}

static void draw_op(struct ui *ui, const struct row *row, int op, int y,
		    const struct area *a)
{
	static const enum role roles[] = { ROLE_READ, ROLE_WRITE, ROLE_WAIT };
	int x = a->left + OP_CELLS;
	char buf[24];

	screen_printf(&ui->screen, y, a->left + 2, OP_CELLS - 2, roles[op],
		      "%s", ops[op]);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		if (x + FIGURE_CELLS > a->left + a->columns)
			return;
		format(buf, sizeof(buf), figures[i].key,
		       figure(row, ops[op], figures[i].key));
		screen_right(&ui->screen, y, x, FIGURE_CELLS,
			     strcmp(buf, "-") != 0 ? ROLE_TEXT : ROLE_DIM, buf);
		x += FIGURE_CELLS;
	}
}

/* "randrw  run [######    ] 42.0%  ETA 0:35  depth 16  errors 0". */
static void draw_job_head(struct ui *ui, const struct row *row, int y,
			  const struct area *a)
{
	const char *phase = row_text(SCHEMA_JOB, row, "phase");
	double done = row_number(SCHEMA_JOB, row, "progress_pct");
	double errors = row_number(SCHEMA_JOB, row, "errors");
	struct part part = { done, ROLE_READ, '#' };
	int x = a->left, end = a->left + a->columns;
	char eta[24], depth[24], cpu[24];

	x += screen_put(&ui->screen, y, x, a->columns / 3, ROLE_STRONG,
			row->id);
	x += screen_printf(&ui->screen, y, x, end - x, ROLE_MARK, "  %s ",
			   phase ? phase : "-");
	if (!isnan(done)) {
		int bar = a->columns >= 100 ? 32 : a->columns >= 70 ? 16 : 8;

		screen_bar(&ui->screen, y, x, bar, &part, 1);
		x += bar;
		x += screen_printf(&ui->screen, y, x, end - x, ROLE_TEXT,
				   " %3.0f%%", done);
	}
	units_format_span(eta, sizeof(eta),
			  row_number(SCHEMA_JOB, row, "eta_s"));
	units_format_count(depth, sizeof(depth),
			   row_number(SCHEMA_JOB, row, "in_flight"));
	units_format_count(cpu, sizeof(cpu),
			   row_number(SCHEMA_JOB, row, "cpu_pct"));
	x += screen_printf(&ui->screen, y, x, end - x, ROLE_TEXT,
			   "  ETA %s  depth %s", eta, depth);
	x += screen_printf(&ui->screen, y, x, end - x,
			   errors > 0 ? ROLE_ALERT : ROLE_TEXT,
			   errors > 0 ? "  ERRORS %.0f" : "  errors %.0f",
			   isnan(errors) ? 0 : errors);
	screen_printf(&ui->screen, y, x, end - x, ROLE_TEXT, "  cpu %s%%", cpu);
}

static int draw_one(struct ui *ui, const struct ui_view *view,
		    const struct row *row, int y, const struct area *a)
{
	int bottom = a->top + a->lines, drawn = 0;

	if (y < bottom)
		draw_job_head(ui, row, y++, a);
	for (int op = 0; op < (int)ARRAY_SIZE(ops) && y < bottom; op++)
		if (does(view, row, ops[op])) {
			draw_op(ui, row, op, y++, a);
			drawn++;
		}
	if (!drawn && y < bottom)
		screen_put(&ui->screen, y++, a->left + 2, a->columns, ROLE_DIM,
			   "- (nothing has completed yet)");
	return y;
}

void pane_job(struct ui *ui, const struct ui_view *view, struct area a)
{
	const struct table *t = &view->frame->table[SCHEMA_JOB];
	char head[160];
	int y = a.top + 1, n;

	if (t->n > 4 || (t->n > 1 && pane_job_want(ui, view) > a.lines)) {
		pane_table_draw(ui, view, &table_job, a);
		return;
	}
	n = snprintf(head, sizeof(head), "%-*s", OP_CELLS, "job");
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		if (n + FIGURE_CELLS <= a.columns)
			n += snprintf(head + n, sizeof(head) - (size_t)n, "%*s",
				      FIGURE_CELLS, figures[i].title);
	pane_head(ui, PANE_JOB, head);
	for (size_t i = 0; i < t->n; i++)
		y = draw_one(ui, view, &t->row[i], y, &a);
}
