/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ui: opens, draws and closes the screen, and connects its parts. */
#include "ui/ui.h"

#include <curses.h>
#include <math.h>
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

const struct frame ui_no_frame = { .t_s = NAN };

/* --- open and close --- */

/* Begin with the settings of the last run, unless options say otherwise. */
static void ui_begin(struct ui *ui, const struct ui_options *o)
{
	size_t bad = 0;

	ui->theme_wanted = screen_look.theme;
	if (o->settings)
		bad = ui_settings_take(ui, o->settings);
	if (bad)
		snprintf(ui->note, sizeof(ui->note),
			 "%zu line%s of the settings file %s invalid and had "
			 "no effect.",
			 bad, bad == 1 ? "" : "s", bad == 1 ? "is" : "are");
	if (o->theme && theme_find(o->theme) >= 0)
		screen_theme(theme_find(o->theme));
	ui->remembered = ui_settings_text(ui);
}

char *ui_settings(const struct ui *ui)
{
	char *now = ui_settings_text(ui);

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
	screen_init(options->no_color, options->ascii,
		    terminal_type(ui->terminal));
	for (int id = 0; id < PANES; id++) {
		ui->table[id].spec = panes[id]->table;
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
static const char *lack_here(const struct ui *ui)
{
	static const enum pane_id where[SCHEMA_COUNT] = {
		[SCHEMA_DEVICE] = PANE_DEVICE,
		[SCHEMA_TASK] = PANE_TASK,
		[SCHEMA_PRESSURE] = PANE_CPU,
		[SCHEMA_MEMORY] = PANE_CPU,
		[SCHEMA_CGROUP] = PANE_CGROUP,
	};

	for (size_t i = 0; i < ui->view->n_lacks; i++)
		if (where[ui->view->lack[i].about] == ui->focus)
			return ui->view->lack[i].sentence;
	return NULL;
}

/* One sentence: a pending turn, our own note or the loop's. */
static void draw_status(struct ui *ui, int y)
{
	const char *lack = lack_here(ui);
	int x = 0;

	screen_fill(y, 0, COLS, ROLE_TEXT);
	if (ui->view->pending) {
		x += screen_put(y, x, COLS - x, ROLE_ALERT, "pending: ");
		x += screen_put(y, x, COLS - x, ROLE_STRONG, ui->view->pending);
		x += 2;
	}
	if (*ui->note)
		screen_put(y, x, COLS - x, ROLE_STRONG, ui->note);
	else if (ui->view->message)
		screen_put(y, x, COLS - x, ROLE_TEXT, ui->view->message);
	else
		screen_put(y, x, COLS - x, ROLE_DIM, lack ? lack : ui->no_room);
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

static void draw_panes(struct ui *ui, int top, int bottom)
{
	if (ui->view->frame == &ui_no_frame) {
		screen_put(top, 0, COLS, ROLE_DIM, no_frame(ui->view));
		return;
	}
	pane_layout_panes(ui, top, bottom, COLS);
	if (!ui->area[ui->focus].lines)
		screen_put(top, 0, COLS, ROLE_DIM,
			   "This layout has nothing to show; v: next layout.");
	for (int id = 0; id < PANES; id++)
		if (ui->area[id].lines)
			pane_draw(ui, id);
}

/* Fewer lines or columns cannot show a row with its name and a figure. */
#define LEAST_LINES   4
#define LEAST_COLUMNS 20

static void draw_too_small(int lines, int columns)
{
	char size[48];

	snprintf(size, sizeof(size), "%dx%d", columns, lines);
	screen_put(0, 0, columns, ROLE_ALERT, size);
	screen_put(1, 0, columns, ROLE_TEXT, "too small");
	snprintf(size, sizeof(size), "needs %dx%d", LEAST_COLUMNS, LEAST_LINES);
	screen_put(2, 0, columns, ROLE_TEXT, size);
}

/* A small screen has no line to spare for the status: it covers the keys. */
static void ui_draw_all(struct ui *ui)
{
	int lines = LINES, status = pane_layout_status_line(lines), top;
	int most = lines;
	bool says = ui->view->pending || ui->view->message || *ui->note;

	if (lines < LEAST_LINES || COLS < LEAST_COLUMNS) {
		draw_too_small(lines, COLS);
		return;
	}
	head_alarms_find(ui);
	if (ui->view->sweep && ui->view->frame != &ui_no_frame && !ui->swept) {
		ui->swept = ui->zoom = true;
		ui->focus = PANE_SWEEP;
	}
	if (ui->view->fleet != ui->fleet) {
		ui->fleet = ui->zoom = ui->view->fleet;
		if (ui->view->fleet)
			ui->focus = PANE_FLEET;
	}
	if (ui->zoom)
		most = ui->focus == PANE_SWEEP || ui->focus == PANE_FLEET
			       ? PAGE_LINES
			       : ZOOM_LINES;
	top = head_draw(ui, lines < most ? lines : most, COLS);
	if (status - top > 0)
		draw_panes(ui, top, status);
	head_title(ui, COLS);
	key_bar_draw(ui, lines - 1, COLS);
	if (status < lines - 1 || says)
		draw_status(ui, status);
	if (ui->overlay)
		ui->overlay->draw(ui);
}

/* What is shown, as the parts of the screen see it. */
static struct ui_view ui_seen(const struct ui_view *view)
{
	struct ui_view seen = *view;

	if (!seen.frame)
		seen.frame = &ui_no_frame;
	return seen;
}

void ui_draw(struct ui *ui, const struct ui_view *view)
{
	const struct ui_view seen = ui_seen(view);

	terminal_flush(ui->terminal);
	if (terminal_backlog(ui->terminal))
		return;
	forget_note(ui);
	cells_begin();
	ui->view = &seen;
	ui_draw_all(ui);
	cells_show(ui->terminal);
}

bool ui_key(struct ui *ui, const struct ui_view *view, struct action *action)
{
	const struct ui_view seen = ui_seen(view);
	struct mouse mouse;
	int key = terminal_key(ui->terminal, &mouse);

	memset(action, 0, sizeof(*action));
	action->by = BY_OPERATOR;
	if (key < 0)
		return false;
	/* A button was released, or the bytes mean nothing. */
	if (!key)
		return true;
	ui->view = &seen;
	ui->action = action;
	ui->note[0] = '\0';
	ui->note_end_ns = 0;
	if (key == KEY_OF_MOUSE)
		key_click(ui, &mouse);
	else if (ui->overlay)
		ui->overlay->key(ui, key);
	else
		key_dispatch(ui, key);
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

const char *ui_theme(size_t i, const char **help)
{
	*help = theme_help(i);
	return theme_name(i);
}
