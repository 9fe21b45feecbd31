/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Graph pane: fields of any rows over the recent frames, the newest at the
 * right. One series is drawn as bars, several as lines with a legend. With two
 * logs, each series is drawn for both.
 */
#include <curses.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "model/unit.h"
#include "ui/chart/chart.h"
#include "ui/overlay.h"
#include "ui/state.h"

/* A curve is one series of one log. */
#define CURVES (SERIES * 2)
/* Columns between two marks that show which line belongs to which series. */
#define TAG_EVERY 16

struct curve {
	struct graph_series series;
	const struct history *history;
	double shift_s;
	char letter; /* of its log, or 0 */
	double *value;
	double least, most; /* above 0; NaN */
};

struct plot {
	struct curve curve[CURVES];
	int n;
	struct axis axis[UNITS];
	struct chart chart;
	enum canvas_mode mode;
};

static enum unit pane_graph_unit(const struct curve *k)
{
	return unit_of(graph_series_field(&k->series)->key);
}

static void add_curve(struct plot *p, const struct graph_series *s,
		      const struct history *h, double shift_s, char letter)
{
	struct curve *k = &p->curve[p->n++];

	k->series = *s;
	k->history = h;
	k->shift_s = shift_s;
	k->letter = letter;
	k->value = xcalloc((size_t)p->chart.columns + 1, sizeof(*k->value));
	k->least = k->most = NAN;
	chart_fill(&p->chart, h, shift_s, s, k->value);
	for (int x = 0; x < p->chart.columns; x++) {
		double v = k->value[x];

		k->most = fmax(k->most, v);
		if (v > 0)
			k->least = fmin(k->least, v);
	}
}

/* One axis per unit, for all series of that unit. */
static void fit_axes(const struct ui *ui, struct plot *p)
{
	for (int u = 0; u < UNITS; u++) {
		double least = NAN, most = NAN;

		for (int i = 0; i < p->n; i++) {
			if ((int)pane_graph_unit(&p->curve[i]) != u)
				continue;
			least = fmin(least, p->curve[i].least);
			most = fmax(most, p->curve[i].most);
		}
		chart_axis_fit(&p->axis[u], (enum unit)u, ui->graph.log, least,
			       most);
	}
}

static void plot_init(struct plot *p, const struct ui *ui, int cells)
{
	struct graph_series list[SERIES];
	size_t n = graph_series_drawn(ui, list);
	bool dots = ui->graph.braille && !screen_look.ascii;

	p->n = 0;
	p->mode = screen_look.ascii ? CANVAS_ASCII
		  : dots            ? CANVAS_BRAILLE
				    : CANVAS_BLOCK;
	p->chart = chart_of(ui, cells, dots ? CANVAS_DOTS_X : 1);
	for (size_t i = 0; i < n; i++) {
		add_curve(p, &list[i], ui->view->history, 0, ui->view->letter);
		if (ui->view->other)
			add_curve(p, &list[i], ui->view->other->history,
				  ui->view->other->shift_s,
				  ui->view->other->letter);
	}
	fit_axes(ui, p);
}

/* The series that the keys change. */
static int pane_graph_selected(const struct ui *ui)
{
	return (int)ui->graph.at * (ui->view->other ? 2 : 1);
}

static enum role pane_graph_role_of(const struct plot *p, int i)
{
	const char *key = graph_series_field(&p->curve[i].series)->key;

	if (p->n > 1)
		return (enum role)(ROLE_SERIES + i % SERIES);
	return !strncmp(key, "read", 4)    ? ROLE_READ
	       : !strncmp(key, "write", 5) ? ROLE_WRITE
					   : ROLE_WAIT;
}

/* The sign of a curve on the canvas and in the legend. */
static char pane_graph_sign_of(const struct plot *p, int i)
{
	return p->mode == CANVAS_BRAILLE ? (char)(i < 9 ? '1' + i : 'a' + i - 9)
					 : canvas_mark(i + 1);
}

static void draw_curve(struct canvas *c, const struct plot *p, int i)
{
	const struct curve *k = &p->curve[i];
	const struct axis *a = &p->axis[pane_graph_unit(k)];
	double before = NAN;

	for (int x = 0; x < p->chart.columns; x++) {
		double part = chart_axis_part(a, k->value[x]);

		if (p->n == 1)
			canvas_bar(c, x, part, 1);
		else
			canvas_line(c, x, before, part, i + 1);
		before = part;
	}
	/* Dots look alike, so draw a sign on the line now and then. */
	if (p->n > 1 && p->mode == CANVAS_BRAILLE)
		for (int x = p->chart.columns - 2 - 5 * i; x > 0;
		     x -= TAG_EVERY * CANVAS_DOTS_X)
			canvas_tag(c, x, chart_axis_part(a, k->value[x]), i + 1,
				   pane_graph_sign_of(p, i));
}

static void draw_canvas(const struct plot *p, const struct area *a)
{
	struct canvas c;

	canvas_init(&c, a->columns, a->lines, p->mode);
	for (int i = 0; i < p->n; i++)
		draw_curve(&c, p, i);
	for (int y = 0; y < a->lines; y++)
		for (int x = 0; x < a->columns; x++) {
			unsigned code = canvas_code(&c, x, y);
			int series;

			if (code == ' ')
				continue;
			series = canvas_series(&c, x, y);
			screen_char(
				a->top + y, a->left + x,
				pane_graph_role_of(p, series ? series - 1 : 0),
				code);
		}
	canvas_free(&c);
}

/* Draw round values at the left, each on its line. */
static void draw_axis(const struct axis *axis, const struct area *a)
{
	double tick[AXIS_TICKS];
	size_t n = chart_axis_ticks(axis, (size_t)(a->lines / 2 + 1), tick);

	for (size_t i = 0; i < n; i++) {
		double part = chart_axis_part(axis, tick[i]);
		int up = (int)units_whole(round(part * (a->lines - 1)), 0,
					  a->lines - 1);

		screen_right(a->top + a->lines - 1 - up, a->left - CHART_GUTTER,
			     CHART_GUTTER - 1, ROLE_DIM,
			     !axis->log && tick[i] == 0
				     ? "0"
				     : unit_format(axis->unit, tick[i]).text);
	}
}

/* "*job seq r/s 11.2k (max 12.0k)": at the cursor, else now. */
static void curve_words(const struct ui *ui, const struct plot *p, int i,
			bool with_max, char *buf, size_t size)
{
	const struct curve *k = &p->curve[i];
	enum unit unit = pane_graph_unit(k);
	char name[128], now[24], max[40] = "", sign[2] = "";
	double t = ui->graph.cursor ? ui->graph.cursor_s - k->shift_s : NAN;

	graph_series_name(&k->series, k->letter, name, sizeof(name));
	text_set(
		now,
		unit_format(unit, chart_value(k->history, t, &k->series)).text);
	if (with_max)
		snprintf(max, sizeof(max), "  max %s",
			 unit_format(unit, k->most).text);
	if (p->n > 1)
		sign[0] = pane_graph_sign_of(p, i);
	snprintf(buf, size, "%s%s%s%s %s%s", sign, *sign ? " " : "", name,
		 p->n > 1 ? "" : (ui->graph.cursor ? "  at cursor" : "  now"),
		 now, max);
}

static void pane_graph_draw_head(struct ui *ui, const struct plot *p)
{
	char head[320], words[200] = "", at[64] = "";
	double seconds =
		fmin(chart_end_s(&p->chart) - p->chart.start_s,
		     history_t(ui->view->history, 0) -
			     history_t(ui->view->history,
				       history_count(ui->view->history) - 1));

	if (ui->graph.cursor)
		snprintf(at, sizeof(at), "  at %s",
			 units_span(ui->graph.cursor_s).text);
	if (p->n == 1)
		curve_words(ui, p, 0, true, words, sizeof(words));
	else
		snprintf(words, sizeof(words), "%d series", p->n);
	snprintf(head, sizeof(head), "graph  %s%s  over %s%s", words, at,
		 units_span(seconds).text, ui->graph.log ? "  log axis" : "");
	pane_head(ui, PANE_GRAPH, head);
}

/* Draw the legend, as many entries to a line as fit; returns the lines. */
static int pane_graph_draw_legend(struct ui *ui, const struct plot *p,
				  const struct area *a, int most)
{
	int y = a->top + 1, x = a->left, lines = 1;

	if (p->n < 2 || most < 1)
		return 0;
	for (int i = 0; i < p->n; i++) {
		char words[200];
		int cells;

		curve_words(ui, p, i, a->columns >= 60, words, sizeof(words));
		cells = screen_cells(words) + 2;
		if (x > a->left && x + cells > a->left + a->columns) {
			if (lines == most)
				return lines;
			lines++;
			y++;
			x = a->left;
		}
		screen_put(y, x, a->left + a->columns - x,
			   i == pane_graph_selected(ui) &&
					   ui->focus == PANE_GRAPH
				   ? ROLE_SELECTED
				   : pane_graph_role_of(p, i),
			   words);
		x += cells;
	}
	return lines;
}

static int pane_graph_want(struct ui *ui)
{
	struct graph_series list[SERIES];

	if (!ui->view->history || !history_count(ui->view->history))
		return 0;
	graph_series_look(ui);
	return graph_series_drawn(ui, list) ? 14 + (ui->zoom ? 500 : 0) : 0;
}

static void pane_graph_draw(struct ui *ui, struct area a)
{
	int per = ui->graph.braille && !screen_look.ascii ? CANVAS_DOTS_X : 1;
	bool ruler = a.lines >= 9;
	struct area in = { .left = a.left + CHART_GUTTER,
			   .columns = a.columns - CHART_GUTTER };
	struct graph_series list[SERIES];
	size_t n = graph_series_drawn(ui, list);
	struct plot p;
	int legend;

	if (in.columns < 4)
		return;
	plot_init(&p, ui, in.columns);
	pane_graph_draw_head(ui, &p);
	legend = pane_graph_draw_legend(ui, &p, &a, a.lines / 4);
	in.top = a.top + 1 + legend;
	in.lines = a.lines - 1 - legend - ruler;
	if (p.n && in.lines > 0) {
		chart_events(ui, list, n, &p.chart, &in, per);
		chart_cursor(ui, &p.chart, &in, per);
		if (ruler)
			chart_ruler(&p.chart, in.top + in.lines, in.left,
				    in.columns);
		/* The topmost line is for letters, the plot ends below it. */
		in.top++;
		in.lines--;
		draw_canvas(&p, &in);
		if (in.lines > 0)
			draw_axis(&p.axis[pane_graph_unit(
					  &p.curve[pane_graph_selected(ui)])],
				  &in);
	}
	for (int i = 0; i < p.n; i++)
		free(p.curve[i].value);
}

static void act_log(struct ui *ui)
{
	ui->graph.log = !ui->graph.log;
}

/* Up and Down choose the series for keys and axis. */
static void select_series(struct graph_state *g, int key)
{
	size_t by = key == KEY_UP || key == 'k' ? g->n - 1 : 1;

	if (g->n)
		g->at = (g->at + by) % g->n;
}

static void act_remove(struct ui *ui)
{
	struct graph_series s;

	if (!ui->graph.n)
		return;
	s = ui->graph.series[ui->graph.at];
	graph_series_toggle(ui, &s);
}

/* clang-format off */
static const struct key keys[] = {
	{ { "Enter f", "choose rows and metrics to draw, up to six" },
	  "Enter", "choose", WHEN_ALWAYS, { '\r', 'f' }, .act = graph_list_open },
	{ { "Left Right h l", "move the cursor by a frame; it reads the values" },
	  "<-->", "cursor", WHEN_ALWAYS,
	  { KEY_LEFT, KEY_RIGHT, 'h', 'l' }, .act = chart_act_key },
	{ { "Home End", "cursor to the oldest frame; cursor off" },
	  NULL, NULL, WHEN_ALWAYS, { KEY_HOME, KEY_END }, .act = chart_act_key },
	{ { "( )", "twice, half as much time on the screen" },
	  "()", "time", WHEN_ALWAYS, { '(', ')' }, .act = chart_act_key },
	{ { "L", "linear or logarithmic axis" }, "L", "log", WHEN_ALWAYS,
	  { 'L' }, .act = act_log },
	{ { "Del D", "remove the selected series (Up, Down select)" },
	  NULL, NULL, WHEN_ALWAYS, { KEY_DC, 'D' }, .act = act_remove },
};
/* clang-format on */

static const struct key_list own = { keys, ARRAY_SIZE(keys) };

static bool pane_graph_take_key(struct ui *ui, int key)
{
	if (key == KEY_UP || key == KEY_DOWN || key == 'k' || key == 'j') {
		select_series(&ui->graph, key);
		return true;
	}
	return chart_escape(ui, key);
}

/* Save the drawing style, not the series: devices differ between hosts. */
static void save(const struct ui *ui, struct settings_file *out)
{
	if (ui->graph.braille)
		ui_settings_put(out, "dots", "braille");
	if (ui->graph.log)
		ui_settings_put(out, "axis", "log");
}

static bool pane_graph_load(struct ui *ui, const char *key, const char *value)
{
	if (!strcmp(key, "dots"))
		ui->graph.braille = !strcmp(value, "braille");
	else if (!strcmp(key, "axis"))
		ui->graph.log = !strcmp(value, "log");
	else
		return false;
	return true;
}

/* clang-format off */
const struct pane pane_graph = {
	.name = "graph",
	.help = { "3",
		  "graph: metrics over time; a letter at each change of a knob" },
	.least = 5, .weight = 2, .priority = 4,
	.layouts = IN_MONITOR | IN_RUN | IN_COMPARE, .right = true,
	.grows = true,
	.want = pane_graph_want, .draw = pane_graph_draw,
	.own = &own, .key = pane_graph_take_key,
	.save = save, .load = pane_graph_load,
	.click = chart_click,
};
/* clang-format on */
