/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knobs pane: all settings of the device that is selected in the pane of
 * devices, and those of the host: present, original and possible values, and
 * whether a change has no effect. The data are the knob rows of the frame.
 */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/schema/schema_machine.h"
#include "ui/chart/chart.h"
#include "ui/overlay.h"
#include "ui/table/table.h"

static bool has_prefix(const char *id, const char *device)
{
	size_t n = strlen(device);

	return !strncmp(id, device, n) && id[n] == '.';
}

/* Whether the row is of the device, or of the host, as part of every device. */
static bool knob_within(const struct row *row, const char *scope)
{
	return has_prefix(row->id, scope) || schema_knob_is_host(row->id);
}

static double knob_rank(const struct row *row, const int *at)
{
	return !schema_knob_is_host(row->id);
}

static const char *knob_id(const struct row *row, char *buf, size_t size)
{
	const char *dot = strchr(row->id, '.');

	return dot ? dot + 1 : row->id;
}

static bool knob_changed(const struct row *row, int field)
{
	return !strcmp(schemas[SCHEMA_KNOB]->fields[field].key, "value") &&
	       row_text(SCHEMA_KNOB, row, "original");
}

/* The text of a field; the original value also if it is unchanged. */
static const char *knob_text(const struct row *row, int field, char *buf,
			     size_t size)
{
	const char *text = row->value[field].text;
	const char *key = schemas[SCHEMA_KNOB]->fields[field].key;

	if (!text && !strcmp(key, "original"))
		return row_text(SCHEMA_KNOB, row, "value");
	return text ? text : "";
}

static void draw_offers(struct ui *ui, const struct row *row, int y, int x,
			int cells, enum role role)
{
	const char *choices = row_text(SCHEMA_KNOB, row, "choices");
	const char *dot = strchr(row->id, '.');
	char buf[96];

	if (!choices && dot && ui->view->knob_word)
		choices = ui->view->knob_word(dot + 1, UI_KNOB_OFFERS, buf,
					      sizeof(buf));
	screen_put(y, x, cells, role, choices ? choices : "");
}

static const struct table_extra extras[] = {
	{ "offers", "possible", "the possible values", 27, 3,
	  draw_offers },
};

const struct table_spec table_knob = {
	.pane = PANE_KNOB,
	.schema = SCHEMA_KNOB,
	.title = "knob",
	.id_width = 27,
	.rank = knob_rank,
	.within = knob_within,
	.text = knob_text,
	.id = knob_id,
	.changed = knob_changed,
	.extra = extras,
	.n_extras = ARRAY_SIZE(extras),
};

/* The device with the queue: of a partition, its disk. */
static const char *with_queue(const struct frame *f, const char *device)
{
	const char *kind = frame_text(f, SCHEMA_DEVICE, device, "kind");
	const char *parent = frame_text(f, SCHEMA_DEVICE, device, "parent");

	return kind && parent && !strcmp(kind, "part") ? parent : device;
}

/*
 * Set the scope of the table to the selected device, else to the device of the
 * job, else to none: any other device may be the machine's own disk.
 */
static struct table_state *aim(struct ui *ui)
{
	struct table_state *t = &ui->table[PANE_KNOB];
	const struct table_state *devices = &ui->table[PANE_DEVICE];
	const char *device = devices->moved ? devices->selected
					    : graph_series_job_device(ui);

	device = device && *device ? with_queue(ui->view->frame, device) : "";
	if (strcmp(t->scope, device)) {
		text_set(t->scope, device);
		t->moved = false;
	}
	return t;
}

static int pane_knob_want(struct ui *ui)
{
	int lines;

	if (!ui->view->frame->table[SCHEMA_KNOB].n)
		return 0;
	aim(ui);
	lines = table_want(ui, &ui->table[PANE_KNOB]);
	return lines ? lines + 2 : 0;
}

/* The selected row, or NULL. */
static const struct row *pane_knob_selected(struct ui *ui)
{
	struct table_state *t = aim(ui);

	table_order(t, ui->view->frame);
	table_reselect(t);
	return t->n ? table_row(t, &t->place[t->at]) : NULL;
}

/*
 * Draw the purpose of the selected knob below the table, and the reason why it
 * has no effect now.
 */
static void pane_knob_draw_words(struct ui *ui, const struct row *row,
				 const struct area *a, int y)
{
	const char *dot = strchr(row->id, '.');
	const char *why = row_text(SCHEMA_KNOB, row, "no_effect");
	char buf[160], text[320];
	const char *help = dot && ui->view->knob_word
				   ? ui->view->knob_word(dot + 1, UI_KNOB_HELP,
							 buf, sizeof(buf))
				   : NULL;

	screen_fill(y, a->left, a->columns, ROLE_TEXT);
	snprintf(text, sizeof(text), "%s: %s", row->id, help ? help : "");
	screen_put(y, a->left, a->columns, ROLE_DIM, text);
	if (!why)
		return;
	snprintf(text, sizeof(text), "no effect now: %s", why);
	screen_put(y + 1, a->left, a->columns, ROLE_ALERT, text);
}

static void pane_knob_draw(struct ui *ui, struct area a)
{
	bool words = a.lines >= 4;
	struct area table = a;
	const struct row *row;
	char title[ROW_ID_MAX + 16];

	aim(ui);
	table.lines -= words ? 2 : 0;
	table_draw(ui, &ui->table[PANE_KNOB], table);
	if (*ui->table[PANE_KNOB].scope)
		snprintf(title, sizeof(title), "8 knobs of %s",
			 ui->table[PANE_KNOB].scope);
	else
		text_set(title, "8 no device (d: choose)");
	screen_put(a.top, a.left,
		   a.columns / 2 < table_knob.id_width ? a.columns / 2
						       : table_knob.id_width,
		   ui->focus == PANE_KNOB ? ROLE_FOCUS : ROLE_HEADER, title);
	row = pane_knob_selected(ui);
	if (words && row)
		pane_knob_draw_words(ui, row, &a, a.top + table.lines);
}

static void act_set(struct ui *ui)
{
	const struct row *row = pane_knob_selected(ui);

	if (row)
		knob_menu_open_at(ui, row->id);
}

/* Restore the selected knob; no turn when its value is the original. */
static void act_back(struct ui *ui)
{
	const struct row *row = pane_knob_selected(ui);
	const char *was = row_text(SCHEMA_KNOB, row, "original");
	const char *dot = row ? strchr(row->id, '.') : NULL;

	if (!row || !dot)
		return;
	if (!was) {
		text_set(ui->note,
			 "The setting has its original value already.");
		return;
	}
	ui->action->kind = ACTION_KNOB_SET;
	snprintf(ui->action->device, sizeof(ui->action->device), "%.*s",
		 (int)(dot - row->id), row->id);
	text_set(ui->action->knob, dot + 1);
	text_set(ui->action->value, was);
}

static void act_reset(struct ui *ui)
{
	const struct row *row = pane_knob_selected(ui);
	const char *dot = row ? strchr(row->id, '.') : NULL;

	ui->action->kind = ACTION_KNOB_RESET;
	if (ui->key == 'O' && dot)
		snprintf(ui->action->device, sizeof(ui->action->device), "%.*s",
			 (int)(dot - row->id), row->id);
}

static void act_device(struct ui *ui)
{
	/* The first time, take the device that the pane of devices selects. */
	bool none = !*aim(ui)->scope;

	table_keys_move(ui, &ui->table[PANE_DEVICE],
			none             ? 0
			: ui->key == 'D' ? -1
					 : 1);
}

/* clang-format off */
static const struct key keys[] = {
	{ { "Enter", "change the selected setting" }, "Ent", "set", WHEN_LIVE,
	  { '\r' }, .act = act_set, .in_sweep = "" },
	{ { "o", "restore the selected setting" },
	  "o", "restore", WHEN_LIVE, { 'o' }, .act = act_back,
	  .in_sweep = "" },
	{ { "O", "restore all settings of its device" },
	  "O", "device", WHEN_LIVE, { 'O' }, .act = act_reset,
	  .in_sweep = "" },
	{ { "A", "restore all settings" },
	  "A", "all", WHEN_LIVE, { 'A' }, .act = act_reset,
	  .in_sweep = "" },
	{ { "d D", "settings of the next device, of the previous one" },
	  "d", "device", WHEN_ALWAYS, { 'd', 'D' }, .act = act_device },
};
/* clang-format on */

static const struct key_list own = { keys, ARRAY_SIZE(keys) };

/* Only its digit shows the pane. */
#define NEVER 100000

/* clang-format off */
const struct pane pane_knob = {
	.name = "knobs",
	.help = { "8",
		  "knobs of the device: value, before, possible; change, restore" },
	.least = 5, .weight = 2, .priority = 2, .auto_lines = NEVER,
	.want = pane_knob_want, .draw = pane_knob_draw,
	.table = &table_knob, .own = &own,
};
/* clang-format on */
