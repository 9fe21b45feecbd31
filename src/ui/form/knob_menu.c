/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knob menu: pick a device, a knob and a value, and confirm. */
#include "ui/overlay.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static const struct overlay self;

#define CONFIRM 64 /* columns of the last question */

static const char *const titles[] = {
	[MENU_DEVICE] = "Change a knob: which device?",
	[MENU_KNOB] = "which knob?",
	[MENU_VALUE] = "which value?",
	[MENU_CONFIRM] = "change it?",
};

struct knob_menu_item {
	char name[64], value[64];
};
struct knob_menu_items {
	struct knob_menu_item *item; /* to be freed */
	size_t n, cap;
};

static void knob_menu_add(struct knob_menu_items *items, const char *name,
			  const char *value)
{
	struct knob_menu_item *item;

	item = xadd(items->item, items->n, items->cap);
	text_set(item->name, name);
	text_set(item->value, value ? value : "-");
}

static const struct row *knob_row(const struct knob_menu *m,
				  const struct frame *frame)
{
	char id[sizeof(m->device) + sizeof(m->knob) + 1];

	snprintf(id, sizeof(id), "%s.%s", m->device, m->knob);
	return frame_find(frame, SCHEMA_KNOB, id);
}

static const char *current(const struct knob_menu *m, const struct frame *frame)
{
	return row_text(SCHEMA_KNOB, knob_row(m, frame), "value");
}

static bool knob_menu_is_number(const struct knob_menu *m,
				const struct frame *frame)
{
	const char *choices =
		row_text(SCHEMA_KNOB, knob_row(m, frame), "choices");

	return !choices || !*choices;
}

/* The rows of a device stand together, so its name is new when it changes. */
static void knob_menu_add_row(const struct knob_menu *m,
			      struct knob_menu_items *items,
			      const struct row *row)
{
	const char *value = row_text(SCHEMA_KNOB, row, "value");
	const char *dot = strchr(row->id, '.');
	char device[ROW_ID_MAX];

	if (!dot)
		return;
	snprintf(device, sizeof(device), "%.*s", (int)(dot - row->id), row->id);
	if (m->stage == MENU_KNOB) {
		if (!strcmp(device, m->device))
			knob_menu_add(items, dot + 1, value);
		return;
	}
	if (!items->n || strcmp(items->item[items->n - 1].name, device) != 0)
		knob_menu_add(items, device, "");
	if (!strcmp(dot + 1, "scheduler"))
		text_copy(items->item[items->n - 1].value,
			  sizeof(items->item[0].value), value ? value : "-");
}

static void add_choices(const struct knob_menu *m, const struct frame *frame,
			struct knob_menu_items *items)
{
	const char *now = current(m, frame);
	const char *p = row_text(SCHEMA_KNOB, knob_row(m, frame), "choices");
	char word[64];

	while (text_next_word(&p, word, sizeof(word)))
		knob_menu_add(items, word,
			      now && !strcmp(word, now) ? "(now)" : "");
}

/* Leave out items that do not match the typed text. */
static void filter_items(const struct list *l, struct knob_menu_items *items)
{
	size_t n = 0;

	for (size_t i = 0; i < items->n; i++)
		if (list_matches(l, items->item[i].name))
			items->item[n++] = items->item[i];
	items->n = n;
}

static void gather_items(const struct knob_menu *m, const struct frame *frame,
			 struct knob_menu_items *items)
{
	const struct table *t = &frame->table[SCHEMA_KNOB];

	memset(items, 0, sizeof(*items));
	if (m->stage == MENU_VALUE)
		add_choices(m, frame, items);
	else if (m->stage != MENU_CONFIRM)
		for (size_t i = 0; i < t->n; i++)
			knob_menu_add_row(m, items, &t->row[i]);
	if (m->stage != MENU_CONFIRM)
		filter_items(&m->list[m->stage], items);
}

static const char *knob_menu_refusal(const struct ui_view *view)
{
	if (view->no_knobs)
		return view->no_knobs;
	if (view->replay)
		return "A replay cannot be changed.";
	if (!view->frame->table[SCHEMA_KNOB].n)
		return "No setting can be changed here.";
	return NULL;
}

/* The line of a name among the items of the stage; 0 when it is not there. */
static size_t knob_menu_line_of(const struct knob_menu *m,
				const struct ui_view *view, const char *name,
				bool value)
{
	struct knob_menu_items items;
	size_t at = 0;

	gather_items(m, view->frame, &items);
	for (size_t i = 0; i < items.n; i++)
		if (!strcmp(value ? items.item[i].value : items.item[i].name,
			    name))
			at = i;
	free(items.item);
	return at;
}

void knob_menu_open(struct ui *ui)
{
	struct knob_menu *m = &ui->knob_menu;

	ui->overlay = &self;
	memset(m, 0, sizeof(*m));
	if (!knob_menu_refusal(ui->view))
		m->list[MENU_DEVICE].at = knob_menu_line_of(
			m, ui->view, ui->table[PANE_DEVICE].selected, false);
}

/* Show the values of a knob. */
static void to_values(struct knob_menu *m, const struct ui_view *view,
		      const char *knob)
{
	text_set(m->knob, knob);
	m->stage = MENU_VALUE;
	m->typing = knob_menu_is_number(m, view->frame);
	m->value[0] = '\0';
	memset(&m->list[MENU_VALUE], 0, sizeof(m->list[0]));
	m->list[MENU_VALUE].at = knob_menu_line_of(m, view, "(now)", true);
}

void knob_menu_open_at(struct ui *ui, const char *id)
{
	struct knob_menu *m = &ui->knob_menu;
	const char *dot = strchr(id, '.');

	knob_menu_open(ui);
	if (!dot || knob_menu_refusal(ui->view))
		return;
	snprintf(m->device, sizeof(m->device), "%.*s", (int)(dot - id), id);
	m->list[MENU_DEVICE].at =
		knob_menu_line_of(m, ui->view, m->device, false);
	m->stage = MENU_KNOB;
	m->list[MENU_KNOB].at = knob_menu_line_of(m, ui->view, dot + 1, false);
	to_values(m, ui->view, dot + 1);
}

/* Continue with the picked item. */
static void knob_menu_pick(struct ui *ui, const struct knob_menu_item *item)
{
	struct knob_menu *m = &ui->knob_menu;

	if (m->stage == MENU_DEVICE) {
		text_set(m->device, item->name);
		m->stage = MENU_KNOB;
		memset(&m->list[MENU_KNOB], 0, sizeof(m->list[0]));
	} else if (m->stage == MENU_KNOB) {
		to_values(m, ui->view, item->name);
	} else {
		text_set(m->value, item->name);
		m->stage = MENU_CONFIRM;
	}
}

static void knob_menu_confirm(struct ui *ui, int key)
{
	struct knob_menu *m = &ui->knob_menu;

	if (key != '\r' && key != 'y' && key != 'Y')
		return;
	ui->action->kind = ACTION_KNOB_SET;
	text_set(ui->action->device, m->device);
	text_set(ui->action->knob, m->knob);
	text_set(ui->action->value, m->value);
	ui->overlay = NULL;
}

static void type_value(struct knob_menu *m, int key)
{
	if (key == '\r' && *m->value)
		m->stage = MENU_CONFIRM;
	else
		overlay_edit(m->value, sizeof(m->value), key);
}

/* Act on a key of the list. False: another key; Esc and Left go back. */
static bool knob_menu_choose(struct ui *ui, int key)
{
	struct knob_menu *m = &ui->knob_menu;
	struct list *l = &m->list[m->stage];
	struct knob_menu_items items;
	bool taken = true;

	gather_items(m, ui->view->frame, &items);
	if (key == '\r' || key == KEY_RIGHT) {
		if (l->at < items.n)
			knob_menu_pick(ui, &items.item[l->at]);
	} else {
		taken = list_key(l, items.n, key, LIST_FILTER);
	}
	free(items.item);
	return taken;
}

static void go_back(struct ui *ui)
{
	if (ui->knob_menu.stage == MENU_DEVICE)
		ui->overlay = NULL;
	else
		ui->knob_menu.stage--;
}

static void knob_menu_take_key(struct ui *ui, int key)
{
	struct knob_menu *m = &ui->knob_menu;
	bool typing = m->stage == MENU_VALUE && m->typing;

	if (knob_menu_refusal(ui->view)) {
		ui->overlay = NULL;
		return;
	}
	if (m->stage == MENU_CONFIRM) {
		if (key == 27 || key == KEY_LEFT || key == 'n' || key == 'N')
			go_back(ui);
		else
			knob_menu_confirm(ui, key);
	} else if (typing) {
		if (key == 27)
			go_back(ui);
		else
			type_value(m, key);
	} else if (key == KEY_F(10)) {
		ui->overlay = NULL;
	} else if (!knob_menu_choose(ui, key) &&
		   (key == 27 || key == KEY_LEFT)) {
		go_back(ui);
	}
}

/* The column of the values: right of the longest name, if there is room. */
static int value_column(const struct area *a,
			const struct knob_menu_items *items)
{
	int column = a->columns / 2, most = a->columns * 3 / 4;

	for (size_t i = 0; i < items->n; i++) {
		int end = 3 + screen_cells(items->item[i].name);

		if (end + 2 > column)
			column = end + 2;
	}
	return column < most ? column : most;
}

/* The arguments of knob_menu_draw_row(). */
struct menu_drawing {
	const struct knob_menu_items *items;
	int value; /* the column of the values */
};

static void knob_menu_draw_row(void *arg, size_t i, const struct area *a,
			       enum role role)
{
	const struct menu_drawing *d = arg;
	const struct knob_menu_item *item = &d->items->item[i];

	screen_put(a->top, a->left + 1, 1, role,
		   role == ROLE_SELECTED ? ">" : " ");
	screen_put(a->top, a->left + 3, d->value - 4, role, item->name);
	screen_put(a->top, a->left + d->value, a->columns - d->value - 1, role,
		   item->value);
}

/*
 * Show the change, its device and the use of the device, without cutting, also
 * on a narrow screen.
 */
static void draw_confirm(struct ui *ui, const char *title)
{
	const struct knob_menu *m = &ui->knob_menu;
	const char *now = current(m, ui->view->frame), *words = NULL;
	char text[3][512], buf[400];
	struct area a = { .columns = COLS < CONFIRM ? COLS : CONFIRM };
	int n = 0, want = 0, y = 0;

	if (ui->view->device_words)
		words = ui->view->device_words(ui->view->device_words_of,
					       m->device, buf, sizeof(buf));
	snprintf(text[n++], sizeof(text[0]), "%s.%s %s -> %s?", m->device,
		 m->knob, now ? now : "-", m->value);
	if (words)
		snprintf(text[n++], sizeof(text[0]), "%s: %s", m->device,
			 words);
	text_copy(text[n++], sizeof(text[0]), "Undone with u and on exit.");
	for (int i = 0; i < n; i++)
		want += overlay_lines(&a, text[i]);
	a = overlay_box(want, CONFIRM, title, "Enter, y: change  Esc, n: back");
	for (int i = 0; i < n; i++)
		y += overlay_wrap(&a, y, 0, a.lines,
				  i < n - 1 ? ROLE_STRONG : ROLE_DIM, text[i]);
}

static void draw_stage(struct ui *ui, const char *title)
{
	struct knob_menu *m = &ui->knob_menu;
	struct list *l = &m->list[m->stage];
	const char *now = current(m, ui->view->frame);
	struct knob_menu_items items;
	struct menu_drawing d = { &items, 0 };
	char text[256];
	struct area a;

	if (m->stage == MENU_CONFIRM) {
		draw_confirm(ui, title);
		return;
	}
	if (m->stage == MENU_VALUE && m->typing) {
		a = overlay_box(2, 64, title, "Enter: next  Esc: back");
		snprintf(text, sizeof(text), "now %s", now ? now : "-");
		overlay_put(&a, 0, ROLE_TEXT, text);
		snprintf(text, sizeof(text), "new: %s_", m->value);
		overlay_put(&a, 1, ROLE_STRONG, text);
		return;
	}
	gather_items(m, ui->view->frame, &items);
	if (*l->filter)
		snprintf(text, sizeof(text), "%s  filter: %s", title,
			 l->filter);
	else
		text_set(text, title);
	a = overlay_box(items.n < 1    ? 1
			: items.n > 40 ? 40
				       : (int)items.n,
			58, text, "Enter: next  type to find  Esc: back");
	d.value = value_column(&a, &items);
	list_draw(l, a, items.n, knob_menu_draw_row, &d);
	free(items.item);
}

static void knob_menu_draw(struct ui *ui)
{
	const struct knob_menu *m = &ui->knob_menu;
	const char *why = knob_menu_refusal(ui->view);
	char title[192];

	if (why) {
		struct area a = overlay_box(
			1, COLS, "No setting can be changed", "Any key: back");

		overlay_put(&a, 0, ROLE_STRONG, why);
		return;
	}
	if (m->stage == MENU_DEVICE)
		text_set(title, titles[m->stage]);
	else
		snprintf(title, sizeof(title), "%s%s%s: %s", m->device,
			 m->stage > MENU_KNOB ? "." : "",
			 m->stage > MENU_KNOB ? m->knob : "", titles[m->stage]);
	draw_stage(ui, title);
}

/* A click on a line picks it as Enter does. */
static void knob_menu_click(struct ui *ui, int y, int x)
{
	struct knob_menu *m = &ui->knob_menu;
	struct knob_menu_items items;
	size_t at;

	if (knob_menu_refusal(ui->view) || m->stage == MENU_CONFIRM ||
	    (m->stage == MENU_VALUE && m->typing))
		return;
	gather_items(m, ui->view->frame, &items);
	at = list_row_at(&m->list[m->stage], items.n, y, x);
	if (at != LIST_NONE)
		knob_menu_pick(ui, &items.item[at]);
	free(items.item);
}

static const struct overlay self = {
	.draw = knob_menu_draw,
	.key = knob_menu_take_key,
	.click = knob_menu_click,
};
