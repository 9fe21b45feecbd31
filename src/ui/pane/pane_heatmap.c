/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heat map pane: the latencies of a job over time, or without a job the traced
 * times of a device. Dense cells hold most I/Os of their column. With two logs one
 * map is above the other; so are queue and device.
 */
#include <curses.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/chart/chart.h"

/* What the heat map can be of: jobs, or devices of the trace. */
static const struct heat_source {
	enum schema_id schema;
	const char *ops[4], *parts[4]; /* as their keys have them */
	const char *name;
} sources[] = {
	{ SCHEMA_JOB, { "read", "write", "trim", "sync" }, { "" }, "job" },
	{ SCHEMA_DEVICE, { "read", "write", "discard", "flush" },
	  { "", "queue_", "device_" }, "device" },
};

/* The last place of the key t: queue and device, one above the other. */
enum heat_part { HEAT_WHOLE, HEAT_QUEUE, HEAT_DEVICE, HEAT_BOTH, HEAT_PARTS };

/* One map. */
struct heat_of {
	const struct heat_source *source;
	const char *row; /* NULL: there is none */
	int op;
	enum heat_part part;
};

static int hist_field(const struct heat_of *m)
{
	char key[40];

	snprintf(key, sizeof(key), "%s_%shist", m->source->ops[m->op],
		 m->source->parts[m->part]);
	return schema_field(m->source->schema, key);
}

static bool has_heat(const struct history *h, const struct heat_of *m)
{
	const int field = hist_field(m);
	struct heat heat;

	for (size_t age = 0; age < 120 && age < history_count(h); age++)
		if (history_heat(h, age, m->source->schema, m->row, field,
				 &heat))
			return true;
	return false;
}

/* Set the chosen operation if the row has any, else the first; false: none. */
static bool heat_find_op(const struct ui *ui, struct heat_of *m)
{
	int first = -1;

	for (m->op = 0; m->op < (int)ARRAY_SIZE(m->source->ops); m->op++) {
		if (!has_heat(ui->view->history, m))
			continue;
		if (ui->heat_op == m->op + 1)
			return true;
		if (first < 0)
			first = m->op;
	}
	m->op = first;
	return first >= 0;
}

/* The map of the job, else of the device that is selected, else of the graph's. */
static bool heat_find(const struct ui *ui, struct heat_of *m)
{
	const char *rows[2] = { ui->table[PANE_DEVICE].selected,
				ui->graph.device };

	*m = (struct heat_of){ .source = &sources[0] };
	if (!ui->view->history || !history_count(ui->view->history))
		return false;
	m->row = graph_series_job(ui);
	if (m->row)
		return heat_find_op(ui, m);
	m->source = &sources[1];
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		m->row = rows[i];
		if (*m->row && heat_find_op(ui, m))
			return true;
	}
	return false;
}

static int pane_heatmap_want(struct ui *ui)
{
	struct heat_of m;

	if (!heat_find(ui, &m))
		return 0;
	return ui->zoom ? 500 : 16;
}

/* The character of a level, from few to many. */
static unsigned shade(int level)
{
	static const char ascii[] = " .:-=+*#@";
	static const unsigned blocks[] = { ' ',    0xb7,   0xb7,
					   0x2591, 0x2591, 0x2592,
					   0x2592, 0x2593, 0x2588 };

	return screen_look.ascii ? (unsigned char)ascii[level] : blocks[level];
}

/* The map's line for a line of the area, counted from the bottom. */
static int map_line(const struct heatmap *m, const struct area *a, int line)
{
	return line * m->lines / (a->lines - 1);
}

static void draw_labels(const struct heatmap *m, const struct area *a)
{
	int last = -1, free_at = 0;

	for (int line = 0; line < a->lines - 1; line++) {
		int of = map_line(m, a, line);

		if (of == last || line < free_at)
			continue;
		last = of;
		free_at = line + (a->lines > 8 ? 3 : 1);
		screen_right(a->top + a->lines - 1 - line,
			     a->left - CHART_GUTTER, CHART_GUTTER - 1, ROLE_DIM,
			     units_ns(heatmap_low(m, of)).text);
	}
}

static void draw_map(struct ui *ui, const struct history *h, double shift_s,
		     const struct heat_of *of, const struct area *a)
{
	struct chart c = chart_of(ui, a->columns, 1);
	struct graph_series shown = { .schema = of->source->schema };
	struct heatmap m;

	if (!heatmap_fill(&m, &c, h, shift_s, of->source->schema, of->row,
			  hist_field(of), a->lines - 1)) {
		heatmap_free(&m);
		return;
	}
	text_set(shown.row, of->row);
	chart_events(ui, &shown, 1, &c, a, 1);
	chart_cursor(ui, &c, a, 1);
	for (int x = 0; x < m.columns; x++)
		for (int line = 0; line < a->lines - 1; line++) {
			int level = heatmap_level(&m, x, map_line(&m, a, line));

			if (level)
				screen_char(a->top + a->lines - 1 - line,
					    a->left + x,
					    (enum role)(ROLE_HEAT + level - 1),
					    shade(level));
		}
	draw_labels(&m, a);
	heatmap_free(&m);
}

/* "  p50 712us  p99 4.40ms  max 42.0ms" at the cursor, or now. */
static void percentiles(const struct ui *ui, const struct heat_of *m, char *buf,
			size_t size)
{
	static const char *const keys[] = { "p50_ns", "p99_ns", "max_ns" };
	static const char *const names[] = { "p50", "p99", "max" };
	double t = ui->graph.cursor ? ui->graph.cursor_s : NAN;

	buf[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct graph_series s = { .schema = m->source->schema };
		char key[40];

		snprintf(key, sizeof(key), "%s_%s%s", m->source->ops[m->op],
			 m->source->parts[m->part], keys[i]);
		s.field = schema_field(m->source->schema, key);
		/* The maximum of the queue or of the device is not kept. */
		if (s.field < 0)
			continue;
		text_set(s.row, m->row);
		text_add(buf, size, "  %s %s", names[i],
			 units_ns(chart_value(ui->view->history, t, &s)).text);
	}
}

static void pane_heatmap_draw_head(struct ui *ui, const struct heat_of *m)
{
	static const char *const words[] = { "latency", "time in the queue",
					     "time in the device",
					     "queue above device" };
	const char *lack = m->source->schema == SCHEMA_DEVICE
				   ? frame_text(ui->view->frame, SCHEMA_DEVICE,
						m->row, "trace_lack")
				   : NULL;
	char head[256], figures[120] = "", at[40] = "";

	if (m->part != HEAT_BOTH)
		percentiles(ui, m, figures, sizeof(figures));
	if (ui->graph.cursor)
		snprintf(at, sizeof(at), "  at %s",
			 units_span(ui->graph.cursor_s).text);
	snprintf(head, sizeof(head), "%s of %s, %s %s%s%s%s%s", words[m->part],
		 m->source->ops[m->op], m->source->name, m->row, at, figures,
		 lack ? "  " : "", lack ? lack : "");
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

/* Two maps, one above the other, each with a letter; the second is shifted. */
static void heat_draw_two(struct ui *ui, const struct heat_of m[2],
			  const struct history *const h[2], double shift_s,
			  const char letter[2], struct area in)
{
	in.lines /= 2;
	for (int i = 0; i < 2; i++) {
		draw_map(ui, h[i], i ? shift_s : 0, &m[i], &in);
		screen_printf(in.top, in.left - CHART_GUTTER, 2, ROLE_STRONG,
			      "%c", letter[i]);
		in.top += in.lines;
	}
}

static void pane_heatmap_draw(struct ui *ui, struct area a)
{
	bool ruler = a.lines >= 8;
	struct area in = { a.top + 1, a.left + CHART_GUTTER,
			   a.lines - 1 - ruler, a.columns - CHART_GUTTER };
	const struct history *h[2] = { ui->view->history, ui->view->history };
	char letter[2] = { ui->view->letter, 'B' };
	double shift_s = 0;
	struct heat_of m[2];
	struct chart c;

	if (!heat_find(ui, &m[0]) || in.columns < 4)
		return;
	if (m[0].source->schema == SCHEMA_DEVICE)
		m[0].part = ui->heat_part == HEAT_BOTH && in.lines < 6
				    ? HEAT_QUEUE
				    : (enum heat_part)ui->heat_part;
	pane_heatmap_draw_head(ui, &m[0]);
	c = chart_of(ui, in.columns, 1);
	if (ruler)
		chart_ruler(&c, in.top + in.lines, in.left, in.columns);
	m[1] = m[0];
	if (m[0].part == HEAT_BOTH) {
		m[0].part = HEAT_QUEUE;
		m[1].part = HEAT_DEVICE;
		letter[0] = 'q';
		letter[1] = 'd';
	} else if (ui->view->other && m[0].source->schema == SCHEMA_JOB) {
		m[1].row = other_job(ui->view->other, m[0].row);
		h[1] = ui->view->other->history;
		letter[1] = ui->view->other->letter;
		shift_s = ui->view->other->shift_s;
	} else {
		m[1].row = NULL;
	}
	if (m[1].row && (m[1].part != m[0].part || in.lines >= 6))
		heat_draw_two(ui, m, h, shift_s, letter, in);
	else
		draw_map(ui, h[0], 0, &m[0], &in);
}

/* Go to the next operation that the row has. */
static void act_op(struct ui *ui)
{
	struct heat_of m;
	int n = (int)ARRAY_SIZE(m.source->ops), from;

	if (!heat_find(ui, &m))
		return;
	from = m.op;
	for (int i = 1; i <= n; i++) {
		m.op = (from + i) % n;
		if (has_heat(ui->view->history, &m)) {
			ui->heat_op = m.op + 1;
			return;
		}
	}
}

/* Go to the next part that the device has; one without requests has the whole. */
static void heat_act_part(struct ui *ui)
{
	struct heat_of m;

	if (!heat_find(ui, &m) || m.source->schema != SCHEMA_DEVICE)
		return;
	m.part = HEAT_QUEUE;
	ui->heat_part = has_heat(ui->view->history, &m)
				? (ui->heat_part + 1) % HEAT_PARTS
				: HEAT_WHOLE;
}

/* clang-format off */
static const struct key keys[] = {
	{ { "t", "of a device: whole time, queue, device, both" },
	  NULL, NULL, WHEN_ALWAYS, { 't' }, .act = heat_act_part },
	{ { "o", "next operation: read, write, trim, sync" },
	  "o", "operation", WHEN_ALWAYS, { 'o' }, .act = act_op },
	{ { "Left Right h l", "move the cursor, also that of the graph" },
	  "<-->", "cursor", WHEN_ALWAYS,
	  { KEY_LEFT, KEY_RIGHT, 'h', 'l' }, .act = chart_act_key },
	{ { "Home End", "cursor to the oldest frame; cursor off" },
	  NULL, NULL, WHEN_ALWAYS, { KEY_HOME, KEY_END }, .act = chart_act_key },
	{ { "( )", "twice, half as much time on the screen" },
	  "()", "time", WHEN_ALWAYS, { '(', ')' }, .act = chart_act_key },
};
/* clang-format on */

static const struct key_list own = { keys, ARRAY_SIZE(keys) };

/* clang-format off */
const struct pane pane_heatmap = {
	.name = "latencies",
	.help = { "7",
		  "latencies of a job, or traced of a device, as a heat map" },
	.least = 6, .weight = 2, .priority = 2, .auto_lines = 50,
	.layouts = IN_RUN | IN_COMPARE, .right = true, .grows = true,
	.want = pane_heatmap_want, .draw = pane_heatmap_draw,
	.own = &own,
	.key = chart_escape, .click = chart_click,
};
/* clang-format on */
