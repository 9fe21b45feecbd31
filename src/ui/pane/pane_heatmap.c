/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heat map pane: the latencies of a job over time. Dense cells hold most I/Os
 * of their column. With two logs one map is above the other.
 */
#include <curses.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/chart/chart.h"

static const char *const ops[] = { "read", "write", "trim", "sync" };

static int hist_field(int op)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_hist", ops[op]);
	return schema_field(SCHEMA_JOB, key);
}

static bool has_heat(const struct history *h, const char *job, int op)
{
	struct heat heat;

	for (size_t age = 0; age < 120 && age < history_count(h); age++)
		if (history_heat(h, age, SCHEMA_JOB, job, hist_field(op),
				 &heat))
			return true;
	return false;
}

/* The chosen operation if the job has any, else the first. */
static int shown_op(const struct ui *ui, const struct ui_view *view,
		    const char *job)
{
	int first = -1;

	for (int op = 0; op < (int)ARRAY_SIZE(ops); op++) {
		if (!has_heat(view->history, job, op))
			continue;
		if (ui->heat_op == op + 1)
			return op;
		if (first < 0)
			first = op;
	}
	return first;
}

static int pane_heatmap_want(struct ui *ui, const struct ui_view *view)
{
	const char *job;

	if (!view->frame || !view->history || !history_count(view->history))
		return 0;
	job = graph_series_job(ui, view);
	if (!job || shown_op(ui, view, job) < 0)
		return 0;
	return ui->zoom ? 500 : 16;
}

/* The character of a level, from few to many. */
static unsigned shade(const struct ui *ui, int level)
{
	static const char ascii[] = " .:-=+*#@";
	static const unsigned blocks[] = { ' ',    0xb7,   0xb7,
					   0x2591, 0x2591, 0x2592,
					   0x2592, 0x2593, 0x2588 };

	return ui->screen.ascii ? (unsigned char)ascii[level] : blocks[level];
}

/* The map's line for a line of the area, counted from the bottom. */
static int map_line(const struct heatmap *m, const struct area *a, int line)
{
	return line * m->lines / (a->lines - 1);
}

static void draw_labels(struct ui *ui, const struct heatmap *m,
			const struct area *a)
{
	int last = -1, free_at = 0;
	char text[24];

	for (int line = 0; line < a->lines - 1; line++) {
		int of = map_line(m, a, line);

		if (of == last || line < free_at)
			continue;
		last = of;
		free_at = line + (a->lines > 8 ? 3 : 1);
		screen_right(&ui->screen, a->top + a->lines - 1 - line,
			     a->left - CHART_GUTTER, CHART_GUTTER - 1, ROLE_DIM,
			     units_format_ns(text, sizeof(text),
					     heatmap_low(m, of)));
	}
}

static void draw_map(struct ui *ui, const struct ui_view *view,
		     const struct history *h, double shift_s, const char *job,
		     int op, const struct area *a)
{
	struct chart c = chart_of(ui, view, a->columns, 1);
	struct graph_series shown = { .schema = SCHEMA_JOB };
	struct heatmap m;

	if (!heatmap_fill(&m, &c, h, shift_s, job, hist_field(op),
			  a->lines - 1)) {
		heatmap_free(&m);
		return;
	}
	text_copy(shown.row, sizeof(shown.row), job);
	chart_events(ui, view, &shown, 1, &c, a, 1);
	chart_cursor(ui, &c, a, 1);
	for (int x = 0; x < m.columns; x++)
		for (int line = 0; line < a->lines - 1; line++) {
			int level = heatmap_level(&m, x, map_line(&m, a, line));

			if (level)
				screen_char(&ui->screen,
					    a->top + a->lines - 1 - line,
					    a->left + x,
					    (enum role)(ROLE_HEAT + level - 1),
					    shade(ui, level));
		}
	draw_labels(ui, &m, a);
	heatmap_free(&m);
}

/* "  p50 712us  p99 4.40ms  max 42.0ms" at the cursor, or now. */
static void percentiles(const struct ui *ui, const struct ui_view *view,
			const char *job, int op, char *buf, size_t size)
{
	static const char *const keys[] = { "p50_ns", "p99_ns", "max_ns" };
	static const char *const names[] = { "p50", "p99", "max" };
	double t = ui->graph.cursor ? ui->graph.cursor_s : NAN;
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(keys) && used < size; i++) {
		struct graph_series s = { .schema = SCHEMA_JOB };
		char key[40], text[24];

		snprintf(key, sizeof(key), "%s_%s", ops[op], keys[i]);
		s.field = schema_field(SCHEMA_JOB, key);
		text_copy(s.row, sizeof(s.row), job);
		units_format_ns(text, sizeof(text),
				chart_value(view->history, t, &s));
		used += (size_t)snprintf(buf + used, size - used, "  %s %s",
					 names[i], text);
	}
}

static void pane_heatmap_draw_head(struct ui *ui, const struct ui_view *view,
				   const char *job, int op)
{
	char head[256], figures[120], at[40] = "", span[24];

	percentiles(ui, view, job, op, figures, sizeof(figures));
	if (ui->graph.cursor)
		snprintf(at, sizeof(at), "  at %s",
			 units_format_span(span, sizeof(span),
					   ui->graph.cursor_s));
	snprintf(head, sizeof(head), "latency of %s, job %s%s%s", ops[op], job,
		 at, figures);
	pane_head(ui, PANE_HEATMAP, head);
}

/* The job of the other log: the one of that name, else the first. */
static const char *other_job(const struct ui_other *o, const char *job)
{
	if (!o->frame || !o->frame->table[SCHEMA_JOB].n)
		return NULL;
	return frame_find(o->frame, SCHEMA_JOB, job)
		       ? job
		       : o->frame->table[SCHEMA_JOB].row[0].id;
}

static void pane_heatmap_draw(struct ui *ui, const struct ui_view *view,
			      struct area a)
{
	const char *job = graph_series_job(ui, view), *other;
	bool ruler = a.lines >= 8;
	struct area in = { a.top + 1, a.left + CHART_GUTTER,
			   a.lines - 1 - ruler, a.columns - CHART_GUTTER };
	struct chart c;
	int op;

	op = job ? shown_op(ui, view, job) : -1;
	if (op < 0 || in.columns < 4)
		return;
	pane_heatmap_draw_head(ui, view, job, op);
	c = chart_of(ui, view, in.columns, 1);
	if (ruler)
		chart_ruler(ui, &c, in.top + in.lines, in.left, in.columns);
	other = view->other ? other_job(view->other, job) : NULL;
	if (!other || in.lines < 6) {
		draw_map(ui, view, view->history, 0, job, op, &in);
		return;
	}
	in.lines /= 2;
	draw_map(ui, view, view->history, 0, job, op, &in);
	screen_printf(&ui->screen, in.top, a.left, 2, ROLE_STRONG, "%c",
		      view->letter);
	in.top += in.lines;
	draw_map(ui, view, view->other->history, view->other->shift_s, other,
		 op, &in);
	screen_printf(&ui->screen, in.top, a.left, 2, ROLE_STRONG, "%c",
		      view->other->letter);
}

/* Go to the next operation that the job has. */
static void act_op(struct ui *ui, const struct ui_view *view, int key not_used,
		   struct action *action not_used)
{
	const char *job = view->frame ? graph_series_job(ui, view) : NULL;
	int op;

	if (!job)
		return;
	op = shown_op(ui, view, job);
	for (int i = 1; i <= (int)ARRAY_SIZE(ops); i++) {
		int next = (op + i) % (int)ARRAY_SIZE(ops);

		if (has_heat(view->history, job, next)) {
			ui->heat_op = next + 1;
			return;
		}
	}
}

static void pane_heatmap_act_chart(struct ui *ui, const struct ui_view *view,
				   int key, struct action *action)
{
	chart_key(ui, view, key, action);
}

/* clang-format off */
static const struct key keys[] = {
	{ { "o", "next operation: read, write, trim, sync" },
	  "o", "operation", WHEN_ALWAYS, { 'o' }, .act = act_op },
	{ { "Left Right h l", "move the cursor, also that of the graph" },
	  "<-->", "cursor", WHEN_ALWAYS,
	  { KEY_LEFT, KEY_RIGHT, 'h', 'l' }, .act = pane_heatmap_act_chart },
	{ { "Home End", "cursor to the oldest frame; cursor off" },
	  NULL, NULL, WHEN_ALWAYS, { KEY_HOME, KEY_END }, .act = pane_heatmap_act_chart },
	{ { "( )", "twice, half as much time on the screen" },
	  "()", "time", WHEN_ALWAYS, { '(', ')' }, .act = pane_heatmap_act_chart },
};
/* clang-format on */

static const struct key_list own = { keys, ARRAY_SIZE(keys) };

/* clang-format off */
const struct pane pane_heatmap = {
	.name = "latencies",
	.help = { "7",
		  "latencies of a job over time, as a heat map" },
	.least = 6, .weight = 2, .priority = 2, .auto_lines = 50,
	.layouts = IN_RUN | IN_COMPARE, .right = true, .grows = true,
	.want = pane_heatmap_want, .draw = pane_heatmap_draw,
	.own = &own,
	.key = chart_escape, .click = chart_click,
};
/* clang-format on */
