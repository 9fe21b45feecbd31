/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys: one table that dispatch, help, the key row and "list keys" read.
 */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/overlay.h"
#include "ui/pane_table.h"

static const struct table_spec *focused(const struct ui *ui)
{
	return panes[ui->focus].table;
}

static void act_help(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	ui->overlay = &overlay_help;
	ui->help_top = 0;
}

static void act_knob(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	menu_open(ui, view);
}

static void act_prompt(struct ui *ui, const struct ui_view *view, int key,
		       struct action *action)
{
	if (key == 'M')
		prompt_ask(ui, &prompt_mark, "");
	else if (key == 'J')
		prompt_ask(ui, &prompt_jump, "");
	else if (focused(ui))
		prompt_ask(ui, &prompt_filter, ui->table[ui->focus].filter);
	else
		text_copy(ui->note, sizeof(ui->note),
			  "A filter is for tables; Tab goes to one.");
}

static void act_focus(struct ui *ui, const struct ui_view *view, int key,
		      struct action *action)
{
	pane_focus_next(ui, view, key == KEY_BTAB ? -1 : 1);
}

static void scroll_timeline(struct ui *ui, long step)
{
	long up = (long)ui->timeline_up - step;

	ui->timeline_up = up < 0 ? 0 : (size_t)up;
}

static void act_move(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	const long page = (long)ui->area[ui->focus].lines - 1, far = 1000000;
	long step = key == KEY_UP      ? -1
		    : key == KEY_DOWN  ? 1
		    : key == KEY_PPAGE ? -page
		    : key == KEY_NPAGE ? page
		    : key == KEY_HOME  ? -far
				       : far;

	if (focused(ui))
		pane_table_move(ui, view, focused(ui), step);
	else if (ui->focus == PANE_TIMELINE)
		scroll_timeline(ui, step);
}

static void act_columns(struct ui *ui, const struct ui_view *view, int key,
			struct action *action)
{
	struct table_state *t = &ui->table[ui->focus];

	if (!focused(ui))
		return;
	if (key == KEY_RIGHT)
		t->first_column++;
	else if (t->first_column > 0)
		t->first_column--;
}

static void act_sort(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	if (focused(ui))
		pane_table_sort(ui, focused(ui), key == '<' ? -1 : 1);
}

static void act_reverse(struct ui *ui, const struct ui_view *view, int key,
			struct action *action)
{
	ui->table[ui->focus].reverse = !ui->table[ui->focus].reverse;
}

static void act_busy(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	ui->table[ui->focus].busy_only = !ui->table[ui->focus].busy_only;
}

static void act_digit(struct ui *ui, const struct ui_view *view, int key,
		      struct action *action)
{
	pane_digit(ui, key);
}

static void act_zoom(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	ui->zoom = !ui->zoom;
}

static void act_graph(struct ui *ui, const struct ui_view *view, int key,
		      struct action *action)
{
	if (key == 'b')
		ui->graph.braille = !ui->graph.braille;
	else if (key == 'G')
		pane_graph_next_row(ui, view);
	else
		pane_graph_next_field(ui, view);
}

/* Esc closes one level: here a filter, then a scrolled timeline. */
static void act_escape(struct ui *ui, const struct ui_view *view, int key,
		       struct action *action)
{
	if (*ui->table[ui->focus].filter)
		ui->table[ui->focus].filter[0] = '\0';
	else
		ui->timeline_up = 0;
}

static void act_redraw(struct ui *ui, const struct ui_view *view, int key,
		       struct action *action)
{
	clearok(curscr, TRUE);
}

static void act_seek_end(struct ui *ui, const struct ui_view *view, int key,
			 struct action *action)
{
	action->kind = ACTION_SEEK;
	action->number = view->length_s;
}

/* clang-format off */
static const struct key keys[] = {
	{ { "h ? F1", "this help" }, "h", "help", WHEN_ALWAYS,
	  { 'h', '?', KEY_F(1) }, act_help, ACTION_NONE, 0 },
	{ { "q F10", "quit; every setting is put back" }, "q", "quit", WHEN_ALWAYS,
	  { 'q', KEY_F(10) }, NULL, ACTION_QUIT, 0 },
	{ { "s k Enter", "turn a knob: pick device, knob and value" },
	  "s", "knob", WHEN_LIVE,
	  { 's', 'k', '\r' }, act_knob, ACTION_NONE, 0 },
	{ { "u", "undo the last turn" }, "u", "undo", WHEN_LIVE,
	  { 'u' }, NULL, ACTION_KNOB_UNDO, 0 },
	{ { "m", "mark this moment on graph, timeline and log" },
	  "m", "mark", WHEN_LIVE, { 'm' }, NULL, ACTION_MARK, 0 },
	{ { "M", "the same with a text" }, NULL, NULL, WHEN_LIVE,
	  { 'M' }, act_prompt, ACTION_NONE, 0 },
	{ { "Space Z", "pause the screen and go on; load and log go on" },
	  "Spc", "pause", WHEN_ALWAYS, { ' ', 'Z' }, NULL, ACTION_PAUSE, 0 },
	{ { "/ \\ F4", "filter the rows by name as you type" },
	  "/", "filter", WHEN_ALWAYS,
	  { '/', '\\', KEY_F(4) }, act_prompt, ACTION_NONE, 0 },
	{ { ".", "one frame on" }, ".", "step", WHEN_REPLAY,
	  { '.' }, NULL, ACTION_STEP, 1 },
	{ { ",", "one frame back" }, ",", "back", WHEN_REPLAY,
	  { ',' }, NULL, ACTION_STEP, -1 },
	{ { "]", "twice as fast" }, "]", "faster", WHEN_REPLAY,
	  { ']' }, NULL, ACTION_SPEED, 2 },
	{ { "[", "half as fast" }, "[", "slower", WHEN_REPLAY,
	  { '[' }, NULL, ACTION_SPEED, 0.5 },
	{ { "J", "jump to a time: 90, 1:30, 2m or 50%" }, "J", "jump", WHEN_REPLAY,
	  { 'J' }, act_prompt, ACTION_NONE, 0 },
	{ { "0", "to the start" }, NULL, NULL, WHEN_REPLAY,
	  { '0' }, NULL, ACTION_SEEK, 0 },
	{ { "$", "to the end" }, NULL, NULL, WHEN_REPLAY,
	  { '$' }, act_seek_end, ACTION_NONE, 0 },
	{ { "+", "look half as often" }, NULL, NULL, WHEN_LIVE,
	  { '+', '=' }, NULL, ACTION_INTERVAL, 2 },
	{ { "-", "look twice as often" }, NULL, NULL, WHEN_LIVE,
	  { '-', '_' }, NULL, ACTION_INTERVAL, 0.5 },
	{ { "Tab", "the next pane: its head is coloured otherwise" },
	  "Tab", "pane", WHEN_ALWAYS, { '\t' }, act_focus, ACTION_NONE, 0 },
	{ { "Up Down", "select a row, scroll; PgUp PgDn Home End too" },
	  NULL, NULL, WHEN_ALWAYS,
	  { KEY_UP, KEY_DOWN, KEY_PPAGE, KEY_NPAGE, KEY_HOME, KEY_END },
	  act_move, ACTION_NONE, 0 },
	{ { "Left Right", "more columns" }, "<-->", "columns", WHEN_ALWAYS,
	  { KEY_LEFT, KEY_RIGHT }, act_columns, ACTION_NONE, 0 },
	{ { "< > F6", "sort by the column before, after" },
	  "<>", "sort", WHEN_ALWAYS,
	  { '<', '>', KEY_F(6) }, act_sort, ACTION_NONE, 0 },
	{ { "r I", "turn the order round" }, NULL, NULL, WHEN_ALWAYS,
	  { 'r', 'I' }, act_reverse, ACTION_NONE, 0 },
	{ { "a", "all rows, or only those that do something" },
	  "a", "all/busy", WHEN_ALWAYS, { 'a' }, act_busy, ACTION_NONE, 0 },
	{ { "g", "graph: the next figure" }, "g", "graph", WHEN_ALWAYS,
	  { 'g' }, act_graph, ACTION_NONE, 0 },
	{ { "G", "graph: the next job, or the selected device" },
	  NULL, NULL, WHEN_ALWAYS, { 'G' }, act_graph, ACTION_NONE, 0 },
	{ { "b", "graph: blocks or braille dots" }, NULL, NULL, WHEN_ALWAYS,
	  { 'b' }, act_graph, ACTION_NONE, 0 },
	{ { "1 to 9", "show that pane and go to it; once more: hide it" },
	  "1-9", "panes", WHEN_ALWAYS,
	  { '1', '2', '3', '4', '5', '6', '7', '8', '9' },
	  act_digit, ACTION_NONE, 0 },
	{ { "z", "this pane on the whole screen, and back" },
	  "z", "zoom", WHEN_ALWAYS, { 'z' }, act_zoom, ACTION_NONE, 0 },
	{ { "Esc", "close what is open; clear the filter" },
	  NULL, NULL, WHEN_ALWAYS, { 27 }, act_escape, ACTION_NONE, 0 },
	{ { "Ctrl-L", "draw everything anew" }, NULL, NULL, WHEN_ALWAYS,
	  { CTRL('L') }, act_redraw, ACTION_NONE, 0 },
};
/* clang-format on */

/* The i-th row: the keys of the screen, then those of each pane. */
static const struct key *key_at(size_t i, const char **pane)
{
	*pane = NULL;
	if (i < ARRAY_SIZE(keys))
		return &keys[i];
	i -= ARRAY_SIZE(keys);
	for (int id = 0; id < PANES; id++) {
		if (!panes[id].own)
			continue;
		*pane = panes[id].name;
		if (i < panes[id].own->n)
			return &panes[id].own->row[i];
		i -= panes[id].own->n;
	}
	return NULL;
}

const struct ui_key_help *ui_key_help(size_t i)
{
	const char *pane;
	const struct key *key = key_at(i, &pane);

	return key ? &key->help : NULL;
}

const char *ui_key_pane(size_t i)
{
	const char *pane;

	return key_at(i, &pane) ? pane : NULL;
}

const struct ui_key_help *ui_pane_help(size_t i)
{
	return i < PANES ? &panes[i].help : NULL;
}

static bool has_code(const struct key *k, int key)
{
	for (size_t i = 0; i < ARRAY_SIZE(k->code) && k->code[i]; i++)
		if (k->code[i] == key)
			return true;
	return false;
}

static void run(struct ui *ui, const struct ui_view *view, const struct key *k,
		int key, struct action *action)
{
	if (k->when == WHEN_REPLAY && !view->replay) {
		text_copy(ui->note, sizeof(ui->note),
			  "That key is for replays.");
	} else if (k->when == WHEN_LIVE && view->replay && k->act != act_knob) {
		text_copy(ui->note, sizeof(ui->note),
			  "That key does nothing in a replay.");
	} else if (k->act) {
		k->act(ui, view, key, action);
	} else {
		action->kind = k->action;
		action->number = k->number;
		text_copy(action->by, sizeof(action->by), "operator");
	}
}

static bool run_list(struct ui *ui, const struct ui_view *view,
		     const struct key *row, size_t n, int key,
		     struct action *action)
{
	for (size_t i = 0; i < n; i++)
		if (has_code(&row[i], key)) {
			run(ui, view, &row[i], key, action);
			return true;
		}
	return false;
}

/* The pane that has the keys comes first. */
void keys_dispatch(struct ui *ui, const struct ui_view *view, int key,
		   struct action *action)
{
	const struct pane *pane = &panes[ui->focus];
	const struct key_list *own = pane->own;

	if (pane->key && pane->key(ui, view, key, action))
		return;
	if (own && run_list(ui, view, own->row, own->n, key, action))
		return;
	run_list(ui, view, keys, ARRAY_SIZE(keys), key, action);
}

void keys_row(struct ui *ui, const struct ui_view *view, int y, int columns)
{
	int x = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct key *k = &keys[i];
		int n;

		if (!k->label || (k->when == WHEN_REPLAY && !view->replay) ||
		    (k->when == WHEN_LIVE && view->replay))
			continue;
		n = (int)(strlen(k->short_key) + strlen(k->label)) + 2;
		if (x + n - 1 > columns)
			continue;
		x += screen_put(&ui->screen, y, x, columns - x, ROLE_KEY,
				k->short_key);
		screen_fill(&ui->screen, y, x, 1, ROLE_LABEL);
		x++;
		x += screen_put(&ui->screen, y, x, columns - x, ROLE_LABEL,
				k->label);
		x++;
	}
}
