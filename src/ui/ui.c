/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ui: opens, draws and closes the screen, and connects its parts. */
#include "ui/ui.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "ui/key/key.h"
#include "ui/overlay.h"
#include "ui/pane.h"
#include "ui/state.h"
#include "ui/table/table.h"
#include "ui/terminal/cells.h"
#include "ui/terminal/screen.h"
#include "ui/terminal/terminal.h"

#define NOTE_NS (6 * NS_PER_S)
/* In a zoom, and beside a page of its own, the head is that of a screen of so few
 * lines: with the pressure, without it. */
#define ZOOM_LINES 14
#define PAGE_LINES 10

/* --- settings --- */

void ui_settings_put(struct settings_file *s, const char *key,
		       const char *value)
{
	char clean[SETTINGS_VALUE_MAX];
	size_t room;

	text_set(clean, value);
	text_clean(clean);
	room = strlen(key) + strlen(clean) + 8 +
	       (s->prefix ? strlen(s->prefix) : 0);
	s->text = xgrow(s->text, &s->cap, s->n + room, 1);
	s->n += (size_t)snprintf(s->text + s->n, room, "%s%s%s = %s\n",
				 s->prefix ? s->prefix : "",
				 s->prefix ? "." : "", key, clean);
}

/* Add complete lines; NULL: none. */
static void ui_settings_add(struct settings_file *s, const char *lines)
{
	size_t n = lines ? strlen(lines) : 0;

	if (!n)
		return;
	s->text = xgrow(s->text, &s->cap, s->n + n + 1, 1);
	memcpy(s->text + s->n, lines, n + 1);
	s->n += n;
}

static const char *bool_word(bool v)
{
	return v ? "yes" : "no";
}

static bool take_bool(bool *out, const char *value)
{
	*out = !strcmp(value, "yes");
	return *out || !strcmp(value, "no");
}

/* "jobs graph": the panes that were shown or hidden by their digits. */
static void save_shown(const struct ui *ui, struct settings_file *out,
		       const char *key, enum shown shown)
{
	char list[SETTINGS_VALUE_MAX] = "";

	for (int id = 0; id < PANES; id++)
		if (ui->shown[id] == shown)
			text_append(list, "%s%s", *list ? " " : "",
				    panes[id]->name);
	if (*list)
		ui_settings_put(out, key, list);
}

static bool take_shown(struct ui *ui, const char *value, enum shown shown)
{
	char list[SETTINGS_VALUE_MAX], *rest = list, *name;
	bool known = true;

	text_set(list, value);
	while ((name = strsep(&rest, " "))) {
		bool found = !*name;

		for (int id = 0; id < PANES; id++)
			if (!strcmp(panes[id]->name, name)) {
				ui->shown[id] = shown;
				found = true;
			}
		known = known && found;
	}
	return known;
}

static void save_table(const struct ui *ui, int id, struct settings_file *out)
{
	const struct table_state *t = &ui->table[id];
	const struct table_spec *spec = panes[id]->table;
	const int sort = t->viewed ? t->own.sort : t->sort;

	if (sort != SORT_DEFAULT)
		ui_settings_put(out, "sort",
				  schemas[spec->schema]->fields[sort].key);
	if (t->viewed ? t->own.reverse : t->reverse)
		ui_settings_put(out, "reverse", bool_word(true));
	if (t->busy_only)
		ui_settings_put(out, "busy_only", bool_word(true));
}

static bool ui_take_table(struct ui *ui, int id, const char *key,
			  const char *value)
{
	struct table_state *t = &ui->table[id];
	int field;

	if (!strcmp(key, "reverse"))
		return take_bool(&t->reverse, value);
	if (!strcmp(key, "busy_only"))
		return take_bool(&t->busy_only, value);
	if (strcmp(key, "sort") != 0)
		return false;
	field = schema_field(panes[id]->table->schema, value);
	if (field >= 0)
		t->sort = field;
	return field >= 0;
}

static bool take_focus(struct ui *ui, const char *name)
{
	for (int id = 0; id < PANES; id++)
		if (!strcmp(panes[id]->name, name)) {
			ui->focus = (enum pane_id)id;
			return true;
		}
	return false;
}

static bool take_theme(struct ui *ui, const char *name)
{
	int theme = theme_find(name);

	if (theme < 0)
		return false;
	ui->theme_wanted = theme;
	screen_theme(&ui->screen, theme);
	return true;
}

/* The settings that each occasion has for itself. */
static const char *const occasions[UI_OCCASIONS] = {
	[UI_MONITOR] = "monitor",
	[UI_RUN] = "run",
	[UI_REPLAY] = "replay",
};

static void save_arrangement(const struct ui *ui, struct settings_file *out)
{
	out->prefix = occasions[ui->occasion];
	ui_settings_put(out, "layout", pane_layout_name(ui->layout));
	ui_settings_put(out, "focus", panes[ui->focus]->name);
	save_shown(ui, out, "shown", SHOWN_ALWAYS);
	save_shown(ui, out, "hidden", SHOWN_NEVER);
	out->prefix = NULL;
}

/* All settings as a text, which the caller frees. */
static char *settings_text(const struct ui *ui)
{
	struct settings_file out = { 0 };

	ui_settings_put(&out, "colors", theme_name((size_t)ui->theme_wanted));
	save_arrangement(ui, &out);
	ui_settings_add(&out, ui->others);
	for (int id = 0; id < PANES; id++) {
		out.prefix = panes[id]->name;
		if (panes[id]->table) {
			save_table(ui, id, &out);
			table_columns_save(ui, panes[id]->table, &out);
		}
		if (panes[id]->save)
			panes[id]->save(ui, &out);
	}
	return out.text;
}

static bool take_arrangement(struct ui *ui, const char *key, const char *value)
{
	if (!strcmp(key, "layout"))
		return pane_layout_by_name(ui, value);
	if (!strcmp(key, "focus"))
		return take_focus(ui, value);
	if (!strcmp(key, "shown"))
		return take_shown(ui, value, SHOWN_ALWAYS);
	return !strcmp(key, "hidden") && take_shown(ui, value, SHOWN_NEVER);
}

/* "run.layout": for this occasion, or kept for another one. */
static bool take_occasion(struct ui *ui, const char *key, const char *value)
{
	const char *dot = strchr(key, '.');
	struct settings_file others = { 0 };

	for (int i = 0; dot && i < UI_OCCASIONS; i++) {
		if (strlen(occasions[i]) != (size_t)(dot - key) ||
		    memcmp(key, occasions[i], (size_t)(dot - key)))
			continue;
		if (i == (int)ui->occasion)
			return take_arrangement(ui, dot + 1, value);
		ui_settings_add(&others, ui->others);
		ui_settings_put(&others, key, value);
		free(ui->others);
		ui->others = others.text;
		return true;
	}
	return false;
}

static bool take_pane(struct ui *ui, const char *key, const char *value)
{
	const char *dot = strchr(key, '.');

	for (int id = 0; dot && id < PANES; id++) {
		size_t n = strlen(panes[id]->name);

		if ((size_t)(dot - key) != n || memcmp(key, panes[id]->name, n))
			continue;
		return (panes[id]->table &&
			(ui_take_table(ui, id, dot + 1, value) ||
			 table_columns_load(ui, panes[id]->table, dot + 1,
					    value))) ||
		       (panes[id]->load && panes[id]->load(ui, dot + 1, value));
	}
	return false;
}

static bool ui_take_line(struct ui *ui, const char *key, const char *value)
{
	if (!strcmp(key, "colors"))
		return take_theme(ui, value);
	/* A key without an occasion is for all of them. */
	return take_arrangement(ui, key, value) ||
	       take_occasion(ui, key, value) || take_pane(ui, key, value);
}

/* Use the settings of a text; returns the number of invalid lines. */
static size_t take_settings(struct ui *ui, const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *line;
	size_t lines = 0, bad = 0;

	while ((line = strsep(&rest, "\n")) && lines++ < SETTINGS_LINES_MAX) {
		char *key = text_trim(line), *eq = strchr(key, '=');

		if (!*key || *key == '#')
			continue;
		if (eq)
			*eq = '\0';
		text_clean(key);
		if (eq)
			text_clean(eq + 1);
		if (!eq || !ui_take_line(ui, text_trim(key), text_trim(eq + 1)))
			bad++;
	}
	free(copy);
	return bad + (line != NULL);
}

/* --- open and close --- */

/* Begin with the settings of the last run, unless options say otherwise. */
static void ui_begin(struct ui *ui, const struct ui_options *o)
{
	size_t bad = 0;

	ui->theme_wanted = ui->screen.theme;
	if (o->settings)
		bad = take_settings(ui, o->settings);
	if (bad)
		snprintf(ui->note, sizeof(ui->note),
			 "%zu line%s of the settings file %s invalid and had "
			 "no effect.",
			 bad, bad == 1 ? "" : "s", bad == 1 ? "is" : "are");
	if (o->theme && theme_find(o->theme) >= 0)
		screen_theme(&ui->screen, theme_find(o->theme));
	ui->remembered = settings_text(ui);
}

char *ui_settings(const struct ui *ui)
{
	char *now = settings_text(ui);

	if (strcmp(now, ui->remembered) != 0)
		return now;
	free(now);
	return NULL;
}

void ui_say(struct ui *ui, const char *sentence)
{
	text_set(ui->note, sentence);
}

void ui_fold(struct ui *ui, const char *device)
{
	table_flip(&ui->table[PANE_DEVICE], device);
}

int ui_open(struct ui **out, const struct ui_options *options)
{
	struct ui *ui = xcalloc(1, sizeof(*ui));
	int ret = terminal_open(&ui->terminal, options);

	if (ret < 0) {
		free(ui);
		return ret;
	}
	screen_init(&ui->screen, options->no_color, options->ascii,
		    terminal_type(ui->terminal));
	for (int id = 0; id < PANES; id++) {
		ui->table[id].sort = SORT_DEFAULT;
		if (panes[id]->state_size)
			ui->state[id] = xcalloc(1, panes[id]->state_size);
	}
	ui->focus = PANE_DEVICE;
	ui->occasion = options->occasion;
	ui_begin(ui, options);
	*out = ui;
	return 0;
}

void ui_close(struct ui *ui)
{
	if (!ui)
		return;
	terminal_close(ui->terminal);
	free(ui->remembered);
	free(ui->others);
	for (int id = 0; id < PANES; id++) {
		if (panes[id]->state_free)
			panes[id]->state_free(ui->state[id]);
		free(ui->state[id]);
		table_state_free(&ui->table[id]);
	}
	free(ui);
}

void ui_crash(void)
{
	terminal_crash();
}

void ui_suspend(struct ui *ui)
{
	terminal_suspend(ui->terminal);
}

void ui_resume(struct ui *ui)
{
	terminal_resume(ui->terminal);
}

void ui_resize(struct ui *ui)
{
	terminal_resize(ui->terminal);
}

bool ui_backlog(const struct ui *ui)
{
	return terminal_backlog(ui->terminal);
}

void ui_flush(struct ui *ui)
{
	terminal_flush(ui->terminal);
}

/* The reason why the pane that has the keys lacks values, or NULL. */
static const char *lack_here(const struct ui *ui, const struct ui_view *view)
{
	static const enum pane_id where[SCHEMA_COUNT] = {
		[SCHEMA_DEVICE] = PANE_DEVICE,
		[SCHEMA_TASK] = PANE_TASK,
		[SCHEMA_PRESSURE] = PANE_CPU,
		[SCHEMA_MEMORY] = PANE_CPU,
		[SCHEMA_CGROUP] = PANE_CGROUP,
	};

	for (size_t i = 0; i < view->n_lacks; i++)
		if (where[view->lack[i].about] == ui->focus)
			return view->lack[i].sentence;
	return NULL;
}

/* One sentence: a pending turn, our own note or the loop's. */
static void draw_status(struct ui *ui, const struct ui_view *view, int y)
{
	const char *lack = lack_here(ui, view);
	const struct screen *s = &ui->screen;
	int x = 0;

	screen_fill(s, y, 0, COLS, ROLE_TEXT);
	if (view->pending) {
		x += screen_put(s, y, x, COLS - x, ROLE_ALERT, "pending: ");
		x += screen_put(s, y, x, COLS - x, ROLE_STRONG, view->pending);
		x += 2;
	}
	if (*ui->note)
		screen_put(s, y, x, COLS - x, ROLE_STRONG, ui->note);
	else if (view->message)
		screen_put(s, y, x, COLS - x, ROLE_TEXT, view->message);
	else
		screen_put(s, y, x, COLS - x, ROLE_DIM,
			   lack ? lack : ui->no_room);
}

/* Show our own sentence for a while, or until the next key. */
static void forget_note(struct ui *ui)
{
	uint64_t now = clock_mono_ns();

	if (!*ui->note)
		ui->note_end_ns = 0;
	else if (!ui->note_end_ns)
		ui->note_end_ns = now + NOTE_NS;
	else if (now > ui->note_end_ns)
		ui->note[0] = '\0';
}

/* The reason why there is nothing to show. */
static const char *no_frame(const struct ui_view *view)
{
	if (view->other)
		return "This log begins later; X shows the other one.";
	if (view->replay)
		return "Waiting for the first frame of the log ...";
	return "Waiting for the first sample ...";
}

static void draw_panes(struct ui *ui, const struct ui_view *view, int top,
		       int bottom)
{
	if (!view->frame) {
		screen_put(&ui->screen, top, 0, COLS, ROLE_DIM, no_frame(view));
		return;
	}
	pane_layout_panes(ui, view, top, bottom, COLS);
	if (!ui->area[ui->focus].lines)
		screen_put(&ui->screen, top, 0, COLS, ROLE_DIM,
			   "This layout has nothing to show; v: next layout.");
	for (int id = 0; id < PANES; id++)
		if (ui->area[id].lines)
			pane_draw(ui, view, id);
}

/* Fewer lines or columns cannot show a row with its name and a figure. */
#define LEAST_LINES   4
#define LEAST_COLUMNS 20

static void draw_too_small(struct ui *ui, int lines, int columns)
{
	char size[48];

	snprintf(size, sizeof(size), "%dx%d", columns, lines);
	screen_put(&ui->screen, 0, 0, columns, ROLE_ALERT, size);
	screen_put(&ui->screen, 1, 0, columns, ROLE_TEXT, "too small");
	snprintf(size, sizeof(size), "needs %dx%d", LEAST_COLUMNS, LEAST_LINES);
	screen_put(&ui->screen, 2, 0, columns, ROLE_TEXT, size);
}

/* A small screen has no line to spare for the status: it covers the keys. */
static void ui_draw_all(struct ui *ui, const struct ui_view *view)
{
	int lines = LINES, status = pane_layout_status_line(lines), top;
	int most = lines;
	bool says = view->pending || view->message || *ui->note;

	if (lines < LEAST_LINES || COLS < LEAST_COLUMNS) {
		draw_too_small(ui, lines, COLS);
		return;
	}
	head_alarms_find(ui, view);
	if (view->sweep && view->frame && !ui->swept) {
		ui->swept = ui->zoom = true;
		ui->focus = PANE_SWEEP;
	}
	if (view->fleet != ui->fleet) {
		ui->fleet = ui->zoom = view->fleet;
		if (view->fleet)
			ui->focus = PANE_FLEET;
	}
	if (ui->zoom)
		most = ui->focus == PANE_SWEEP || ui->focus == PANE_FLEET
			       ? PAGE_LINES
			       : ZOOM_LINES;
	top = head_draw(ui, view, lines < most ? lines : most, COLS);
	if (status - top > 0)
		draw_panes(ui, view, top, status);
	head_title(ui, view, COLS);
	key_bar_draw(ui, view, lines - 1, COLS);
	if (status < lines - 1 || says)
		draw_status(ui, view, status);
	if (ui->overlay)
		ui->overlay->draw(ui, view, lines, COLS);
}

void ui_draw(struct ui *ui, const struct ui_view *view)
{
	terminal_flush(ui->terminal);
	if (terminal_backlog(ui->terminal))
		return;
	forget_note(ui);
	cells_begin();
	ui_draw_all(ui, view);
	cells_show(&ui->screen, ui->terminal);
}

bool ui_key(struct ui *ui, const struct ui_view *view, struct action *action)
{
	struct mouse mouse;
	int key = terminal_key(ui->terminal, &mouse);

	memset(action, 0, sizeof(*action));
	if (key < 0)
		return false;
	/* A button was released, or the bytes mean nothing. */
	if (!key)
		return true;
	ui->note[0] = '\0';
	ui->note_end_ns = 0;
	if (key == KEY_OF_MOUSE)
		key_click(ui, view, &mouse, action);
	else if (ui->overlay)
		ui->overlay->key(ui, view, key, action);
	else
		key_dispatch(ui, view, key, action);
	return true;
}

const struct ui_key_help *ui_key_help(size_t i)
{
	const char *where;
	const struct key *key = key_at(i, &where);

	return key ? &key->help : NULL;
}

const char *ui_key_where(size_t i)
{
	const char *where;

	return key_at(i, &where) ? where : NULL;
}

const struct ui_key_help *ui_pane_help(size_t i)
{
	return i < PANES ? &panes[i]->help : NULL;
}

const char *ui_theme(size_t i, const char **help)
{
	*help = theme_help(i);
	return theme_name(i);
}
