/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Graph pane: its keys and its mouse.
 */
#include <curses.h>
#include <string.h>

#include "ui/chart.h"
#include "ui/saved.h"
#include "ui/series.h"

static void act_pick(struct ui *ui, const struct ui_view *view,
		     int key not_used, struct action *action not_used)
{
	picker_open(ui, view);
}

static void act_log(struct ui *ui, const struct ui_view *view not_used,
		    int key not_used, struct action *action not_used)
{
	ui->graph.log = !ui->graph.log;
}

/* Up and Down: the series that keys and axis are for. */
static void select_series(struct graph_state *g, int key)
{
	size_t by = key == KEY_UP || key == 'k' ? g->n - 1 : 1;

	if (g->n)
		g->at = (g->at + by) % g->n;
}

static void act_remove(struct ui *ui, const struct ui_view *view not_used,
		       int key not_used, struct action *action not_used)
{
	struct graph_series s;

	if (!ui->graph.n)
		return;
	s = ui->graph.series[ui->graph.at];
	series_toggle(ui, &s);
}

static void act_chart(struct ui *ui, const struct ui_view *view, int key,
		      struct action *action)
{
	chart_key(ui, view, key, action);
}

/* clang-format off */
static const struct key keys[] = {
	{ { "Enter f", "choose what is drawn: rows and figures, up to six" },
	  "Enter", "choose", WHEN_ALWAYS, { '\r', 'f' }, act_pick,
	  ACTION_NONE, 0 },
	{ { "Left Right h l", "the cursor, frame by frame; it reads the values" },
	  "<-->", "cursor", WHEN_ALWAYS,
	  { KEY_LEFT, KEY_RIGHT, 'h', 'l' }, act_chart, ACTION_NONE, 0 },
	{ { "Home End", "the cursor to the oldest frame; off" },
	  NULL, NULL, WHEN_ALWAYS, { KEY_HOME, KEY_END }, act_chart,
	  ACTION_NONE, 0 },
	{ { "( )", "twice as much time on the screen, half as much" },
	  "()", "time", WHEN_ALWAYS, { '(', ')' }, act_chart, ACTION_NONE, 0 },
	{ { "L", "linear or logarithmic axis" }, "L", "log", WHEN_ALWAYS,
	  { 'L' }, act_log, ACTION_NONE, 0 },
	{ { "Del D", "remove the selected series (Up and Down select)" },
	  NULL, NULL, WHEN_ALWAYS, { KEY_DC, 'D' }, act_remove,
	  ACTION_NONE, 0 },
};
/* clang-format on */

const struct key_list pane_graph_keys = { keys, ARRAY_SIZE(keys) };

bool pane_graph_key(struct ui *ui, const struct ui_view *view, int key,
		    struct action *action)
{
	if (ui->focus == PANE_GRAPH &&
	    (key == KEY_UP || key == KEY_DOWN || key == 'k' || key == 'j')) {
		select_series(&ui->graph, key);
		return true;
	}
	return key == 27 && chart_key(ui, view, key, action);
}

/* A click puts the cursor where it was; the wheel is left and right. */
bool pane_graph_click(struct ui *ui, const struct ui_view *view, int line,
		      int column, enum click click, struct action *action)
{
	const struct area *a = &ui->area[ui->focus];
	struct chart c = chart_of(ui, view, a->columns - CHART_GUTTER, 1);

	if (click != CLICK)
		return chart_key(ui, view,
				 click == CLICK_WHEEL_UP ? KEY_LEFT : KEY_RIGHT,
				 action);
	if (!view->history || line < 1 || column < CHART_GUTTER)
		return false;
	chart_cursor_at(ui, view,
			c.start_s + (column - CHART_GUTTER + 0.5) * c.step_s);
	return true;
}

/* What is drawn depends on the machine; how it is drawn is a habit. */
void pane_graph_save(const struct ui *ui, struct saved *out)
{
	if (ui->graph.braille)
		saved_put(out, "dots", "braille");
	if (ui->graph.log)
		saved_put(out, "axis", "log");
}

bool pane_graph_load(struct ui *ui, const char *key, const char *value)
{
	if (!strcmp(key, "dots"))
		ui->graph.braille = !strcmp(value, "braille");
	else if (!strcmp(key, "axis"))
		ui->graph.log = !strcmp(value, "log");
	else
		return false;
	return true;
}
