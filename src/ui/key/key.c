/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Key: the table of keys and their actions. */
#include <curses.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "ui/chart/chart.h"
#include "ui/key/key.h"
#include "ui/overlay.h"
#include "ui/pane.h"
#include "ui/table/table.h"
#include "ui/terminal/screen.h"
#include "ui/terminal/cells.h"

static const struct table_spec *key_focused(const struct ui *ui)
{
	return panes[ui->focus]->table;
}

static void act_quit(struct ui *ui)
{
	/* A sweep ends its run first: there is nothing to ask. */
	if (ui->view->sweep)
		ui->action->kind = ACTION_QUIT;
	else
		job_form_quit(ui);
}

static void key_act_filter(struct ui *ui)
{
	if (key_focused(ui))
		overlay_prompt(ui, &prompt_filter, ui->table[ui->focus].filter);
	else
		text_set(ui->note,
			 "Only tables have a filter (Tab: next pane).");
}

static void act_search(struct ui *ui)
{
	if (!key_focused(ui))
		text_set(ui->note,
			 "Only tables have a search (Tab: next pane).");
	else if (ui->key == 'n' || ui->key == 'N')
		table_keys_search(ui, ui->key == 'n' ? 1 : -1);
	else
		overlay_prompt(ui, &table_keys_search_prompt, "");
}

static void act_focus(struct ui *ui)
{
	ui->unswept = false;
	pane_focus_next(ui, ui->key == KEY_BTAB ? -1 : 1);
}

static void key_act_move(struct ui *ui)
{
	const long lines = (long)ui->area[ui->focus].lines - 1, far = 1000000;
	const long page = lines > 1 ? lines : 1;

	pane_move(ui, ui->key == KEY_UP || ui->key == 'k'     ? -1
		      : ui->key == KEY_DOWN || ui->key == 'j' ? 1
		      : ui->key == KEY_PPAGE                  ? -page
		      : ui->key == KEY_NPAGE                  ? page
		      : ui->key == KEY_HOME                   ? -far
							      : far);
}

static void act_columns(struct ui *ui)
{
	struct table_state *t = &ui->table[ui->focus];

	if (!key_focused(ui))
		return;
	if (ui->key == KEY_RIGHT || ui->key == 'l')
		t->first_column++;
	else if (t->first_column > 0)
		t->first_column--;
}

static void act_sort(struct ui *ui)
{
	if (key_focused(ui))
		table_keys_sort(ui, &ui->table[ui->focus],
				ui->key == '<' ? -1 : 1);
}

static void act_choose(struct ui *ui)
{
	if (key_focused(ui))
		table_columns_choose(ui, key_focused(ui));
}

static void act_reverse(struct ui *ui)
{
	if (key_focused(ui))
		ui->table[ui->focus].reverse ^= true;
}

static void act_busy(struct ui *ui)
{
	if (key_focused(ui))
		ui->table[ui->focus].busy_only ^= true;
}

static void act_digit(struct ui *ui)
{
	ui->unswept = false;
	if (!pane_digit(ui, ui->key))
		snprintf(ui->note, sizeof(ui->note),
			 "There is no pane %c (?: list of panes).", ui->key);
}

static void act_zoom(struct ui *ui)
{
	ui->zoom = !ui->zoom;
	if (!ui->zoom)
		ui->unswept = ui->focus == PANE_SWEEP;
	else if (ui->unswept && ui->view->sweep)
		ui->focus = PANE_SWEEP;
}

static void act_theme(struct ui *ui)
{
	int next = screen_look.theme + 1;

	if (!theme_name((size_t)next))
		next = 0;
	screen_theme(next);
	ui->theme_wanted = next;
	snprintf(ui->note, sizeof(ui->note), "Colours: %s, %s",
		 theme_name((size_t)next),
		 screen_look.color ? theme_help((size_t)next)
				   : "but colours are off");
}

static void act_graph(struct ui *ui)
{
	if (ui->key == 'b')
		ui->graph.braille = !ui->graph.braille;
	else if (ui->key == 'G')
		graph_series_next_row(ui);
	else
		graph_series_next_field(ui);
}

/* Esc closes one level: a zoom, then a filter. */
static void act_escape(struct ui *ui)
{
	if (ui->zoom)
		ui->zoom = false;
	else
		ui->table[ui->focus].filter[0] = '\0';
}

static void act_redraw(struct ui *ui)
{
	cells_forget();
}

/* clang-format off */
static const struct key general[] = {
	{ { "F1 ?", "this help" }, "F1", "Help", WHEN_ALWAYS,
	  { KEY_F(1), '?' }, .act = key_help_open },
	{ { "F10 q", "quit (asks while jobs run); all settings are restored" },
	  "F10", "Quit", WHEN_ALWAYS,
	  { KEY_F(10), 'q' }, .act = act_quit,
	  .in_sweep = "stop after this run; a second time: stop now" },
	{ { "F9 s Enter", "change a setting: choose device, knob and value" },
	  "F9", "Knob", WHEN_LIVE,
	  { KEY_F(9), 's', '\r' }, .act = knob_menu_open, .in_sweep = "" },
	{ { "r", "run a job: preset, job file or options, and target" },
	  "r", "run", WHEN_LIVE, { 'r' }, .act = run_form_open,
	  .in_sweep = "" },
	{ { "V", "compare variants in this run, block by block; again: end" },
	  "V", "variants", WHEN_LIVE, { 'V' }, .act = ab_view_open,
	  .in_sweep = "" },
	{ { "F7 Space Z", "pause or continue the screen; load and log continue" },
	  "F7", "Pause", WHEN_ALWAYS,
	  { KEY_F(7), ' ', 'Z' }, .action = ACTION_PAUSE,
	  .in_sweep = "pause the sweep after this run, or continue it" },
	{ { "u", "undo the last change" }, "u", "undo", WHEN_LIVE,
	  { 'u' }, .action = ACTION_KNOB_UNDO, .in_sweep = "" },
	{ { "F8 m", "mark this moment on graph, timeline and log" },
	  "F8", "Mark", WHEN_LIVE,
	  { KEY_F(8), 'm' }, .action = ACTION_MARK },
	{ { "M", "mark with a text" }, NULL, NULL, WHEN_LIVE,
	  { 'M' }, .prompt = &prompt_mark },
	{ { "+", "double the interval: half as many samples" }, "+-", "interval", WHEN_LIVE,
	  { '+', '=' }, .action = ACTION_INTERVAL, .number = 2 },
	{ { "-", "halve the interval" }, NULL, NULL, WHEN_LIVE,
	  { '-', '_' }, .action = ACTION_INTERVAL, .number = 0.5 },
	{ { "C", "next colours: dark, light, plain" },
	  NULL, NULL, WHEN_ALWAYS, { 'C' }, .act = act_theme },
	{ { "Esc", "close a form; end a zoom; clear the filter" },
	  NULL, NULL, WHEN_ALWAYS, { 27 }, .act = act_escape },
	{ { "Ctrl-L", "redraw the screen" }, NULL, NULL, WHEN_ALWAYS,
	  { CONTROL('L') }, .act = act_redraw },
};

static const struct key of_panes[] = {
	{ { "Tab Shift-Tab", "next pane, previous pane" },
	  "Tab", "pane", WHEN_ALWAYS,
	  { '\t', KEY_BTAB }, .act = act_focus },
	{ { "0 to 9", "go to that pane, hidden or not" },
	  "0-9", "panes", WHEN_ALWAYS,
	  { '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' },
	  .act = act_digit },
	{ { "w", "hide this pane (its digit shows it again)" },
	  NULL, NULL, WHEN_ALWAYS, { 'w' }, .act = pane_hide },
	{ { "z", "this pane on the whole screen, or back" },
	  "z", "zoom", WHEN_ALWAYS, { 'z' }, .act = act_zoom },
	{ { "F2 v", "next layout: auto, monitor, run, compare" },
	  "F2", "Layout", WHEN_ALWAYS,
	  { KEY_F(2), 'v' }, .act = pane_layout_next },
	{ { "Up Down j k", "select a row, scroll" }, NULL, NULL, WHEN_ALWAYS,
	  { KEY_UP, KEY_DOWN, 'j', 'k' }, .act = key_act_move },
	{ { "PgUp PgDn", "select a row, scroll by pages" }, NULL, NULL, WHEN_ALWAYS,
	  { KEY_PPAGE, KEY_NPAGE }, .act = key_act_move },
	{ { "Home End", "first row, last row" }, NULL, NULL, WHEN_ALWAYS,
	  { KEY_HOME, KEY_END }, .act = key_act_move },
};

static const struct key of_tables[] = {
	{ { "Left Right h l", "more columns" }, NULL, NULL, WHEN_ALWAYS,
	  { KEY_LEFT, KEY_RIGHT, 'h', 'l' }, .act = act_columns },
	{ { "F4 / \\", "filter the rows by name as you type" },
	  "F4", "Filter", WHEN_ALWAYS,
	  { KEY_F(4), '/', '\\' }, .act = key_act_filter },
	{ { "F6 c", "columns: sort by one, show, hide, move" },
	  "F6", "Sort", WHEN_ALWAYS,
	  { KEY_F(6), 'c' }, .act = act_choose },
	{ { "< >", "sort by the previous column, by the next one" },
	  NULL, NULL, WHEN_ALWAYS, { '<', '>' }, .act = act_sort },
	{ { "F3 n N", "search a row by name; next match, previous match" },
	  "F3", "Search", WHEN_ALWAYS,
	  { KEY_F(3), 'n', 'N' }, .act = act_search },
	{ { "I", "reverse the order" }, NULL, NULL, WHEN_ALWAYS,
	  { 'I' }, .act = act_reverse },
	{ { "a", "all rows, or busy rows only" },
	  "a", "all/busy", WHEN_ALWAYS, { 'a' }, .act = act_busy },
};

static const struct key of_graph[] = {
	{ { "g", "graph: next metric" }, "g", "graph", WHEN_ALWAYS,
	  { 'g' }, .act = act_graph },
	{ { "G", "graph: next job, or the selected device" },
	  NULL, NULL, WHEN_ALWAYS, { 'G' }, .act = act_graph },
	{ { "b", "graph: blocks or braille dots" }, NULL, NULL, WHEN_ALWAYS,
	  { 'b' }, .act = act_graph },
};

static const struct key of_replay[] = {
	{ { ".", "next frame" }, ".", "step", WHEN_REPLAY,
	  { '.' }, .action = ACTION_STEP, .number = 1 },
	{ { ",", "previous frame" }, ",", "back", WHEN_REPLAY,
	  { ',' }, .action = ACTION_STEP, .number = -1 },
	{ { "]", "twice as fast" }, "]", "faster", WHEN_REPLAY,
	  { ']' }, .action = ACTION_SPEED, .number = 2 },
	{ { "[", "half as fast" }, "[", "slower", WHEN_REPLAY,
	  { '[' }, .action = ACTION_SPEED, .number = 0.5 },
	{ { "J", "jump to a time: 03:12 (local time), 90, 1:30.5, 2m or 50%" },
	  "J", "jump", WHEN_REPLAY, { 'J' }, .prompt = &prompt_jump },
	{ { "{", "previous event of this run" }, "{}", "event", WHEN_REPLAY,
	  { '{' }, .action = ACTION_SEEK_EVENT, .number = -1 },
	{ { "}", "next event of this run" }, NULL, NULL, WHEN_REPLAY,
	  { '}' }, .action = ACTION_SEEK_EVENT, .number = 1 },
	{ { "(", "previous alarm" }, "()", "alarm", WHEN_REPLAY,
	  { '(' }, .action = ACTION_SEEK_ALARM, .number = -1 },
	{ { ")", "next alarm" }, NULL, NULL, WHEN_REPLAY,
	  { ')' }, .action = ACTION_SEEK_ALARM, .number = 1 },
	{ { "X", "two logs: show the other one in the tables" },
	  "X", "A/B", WHEN_REPLAY, { 'X' }, .action = ACTION_SWAP },
	{ { "^", "to the start" }, NULL, NULL, WHEN_REPLAY,
	  { '^' }, .action = ACTION_SEEK, .number = -INFINITY },
	{ { "$", "to the end; follow a log that grows" }, NULL, NULL, WHEN_REPLAY,
	  { '$' }, .action = ACTION_SEEK, .number = INFINITY },
};

#define LIST(rows) { rows, ARRAY_SIZE(rows) }

const struct key_section key_sections[] = {
	{ "Keys", LIST(general) },
	{ "Panes and rows", LIST(of_panes) },
	{ "Tables", LIST(of_tables) },
	{ "Graph", LIST(of_graph) },
	{ "Replay", LIST(of_replay) },
};
/* clang-format on */

const size_t n_key_sections = ARRAY_SIZE(key_sections);

const struct key *key_at(size_t i, const char **where)
{
	for (size_t s = 0; s < n_key_sections; s++) {
		*where = key_sections[s].title;
		if (i < key_sections[s].keys.n)
			return &key_sections[s].keys.row[i];
		i -= key_sections[s].keys.n;
	}
	for (int id = 0; id < PANES; id++) {
		if (!panes[id]->own)
			continue;
		*where = panes[id]->name;
		if (i < panes[id]->own->n)
			return &panes[id]->own->row[i];
		i -= panes[id]->own->n;
	}
	*where = NULL;
	return NULL;
}

bool key_counts(const struct key *k, const struct ui_view *view)
{
	if (view->sweep && k->in_sweep && !*k->in_sweep)
		return false;
	return k->when == WHEN_ALWAYS ||
	       (k->when == WHEN_REPLAY) == view->replay;
}

static bool has_code(const struct key *k, int key)
{
	for (size_t i = 0; i < ARRAY_SIZE(k->code) && k->code[i]; i++)
		if (k->code[i] == key)
			return true;
	return false;
}

static void key_run(struct ui *ui, const struct key *k, int key)
{
	if (!key_counts(k, ui->view)) {
		text_set(ui->note,
			 ui->view->replay
				 ? "That key has no effect in a replay."
			 : k->when == WHEN_REPLAY
				 ? "That key works in a replay only."
				 : "A change by hand would spoil the runs of "
				   "the sweep.");
	} else if (k->act) {
		k->act(ui);
	} else if (k->prompt) {
		overlay_prompt(ui, k->prompt, "");
	} else {
		ui->action->kind = k->action;
		ui->action->number = k->number;
	}
}

static bool list_has(const struct key_list *list, int key)
{
	for (size_t i = 0; list && i < list->n; i++)
		if (has_code(&list->row[i], key))
			return true;
	return false;
}

/* A key of another pane: say which pane, and how to get there. */
static void tell_where(struct ui *ui, int key)
{
	const struct pane *none = NULL;

	for (int id = 0; id < PANES; id++) {
		if (!list_has(panes[id]->own, key))
			continue;
		if (pane_want(ui, id) > 0) {
			snprintf(ui->note, sizeof(ui->note),
				 "That key works in the %s pane (press %s).",
				 panes[id]->name, panes[id]->help.keys);
			return;
		}
		none = none ? none : panes[id];
	}
	if (none)
		snprintf(ui->note, sizeof(ui->note),
			 "That key works in the %s pane, which is empty now.",
			 none->name);
}

static bool run_list(struct ui *ui, const struct key_list *list, int key)
{
	for (size_t i = 0; i < list->n; i++)
		if (has_code(&list->row[i], key)) {
			key_run(ui, &list->row[i], key);
			return true;
		}
	return false;
}

/* The keys of the pane with the keys come before those of the screen. */
void key_dispatch(struct ui *ui, int key)
{
	const struct pane *pane = panes[ui->focus];

	ui->key = key;
	/* After another key, do not move the focus. */
	ui->to_jobs = false;
	ui->digit = 0;
	if (pane->key && pane->key(ui, key))
		return;
	if (pane->own && run_list(ui, pane->own, key))
		return;
	for (size_t i = 0; i < n_key_sections; i++)
		if (run_list(ui, &key_sections[i].keys, key))
			return;
	tell_where(ui, key);
}
