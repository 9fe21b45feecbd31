/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob menu: pick a device, a knob and a value, and confirm.
 */
#include "ui/form/knob_menu.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "ui/form/box.h"
#include "ui/form/prompt.h"

static const struct overlay self;

#define CONFIRM 64 /* columns of the last question */

static const char *const titles[] = {
	[MENU_DEVICE] = "Turn a knob: which device?",
	[MENU_KNOB] = "which knob?",
	[MENU_VALUE] = "which value?",
	[MENU_CONFIRM] = "really?",
};

struct knob_menu_item {
	char name[64], value[64];
};
struct knob_menu_items {
	struct knob_menu_item *item; /* to be freed */
	size_t n, cap;
};

static struct knob_menu_item *add(struct knob_menu_items *items,
				  const char *name, const char *value)
{
	struct knob_menu_item *item;

	items->item = xgrow(items->item, &items->cap, items->n + 1,
			    sizeof(*items->item));
	item = &items->item[items->n++];
	text_copy(item->name, sizeof(item->name), name);
	text_copy(item->value, sizeof(item->value), value ? value : "-");
	return item;
}

static const struct row *knob_row(const struct knob_menu *m,
				  const struct frame *frame)
{
	char id[sizeof(m->device) + sizeof(m->knob) + 1];

	snprintf(id, sizeof(id), "%s.%s", m->device, m->knob);
	return frame ? frame_find(frame, SCHEMA_KNOB, id) : NULL;
}

static const char *current(const struct knob_menu *m, const struct frame *frame)
{
	return row_text(SCHEMA_KNOB, knob_row(m, frame), "value");
}

static bool is_number(const struct knob_menu *m, const struct frame *frame)
{
	const char *choices =
		row_text(SCHEMA_KNOB, knob_row(m, frame), "choices");

	return !choices || !*choices;
}

/* The rows of a device stand together, so its name is new when it changes. */
static void add_row(const struct knob_menu *m, struct knob_menu_items *items,
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
			add(items, dot + 1, value);
		return;
	}
	if (!items->n || strcmp(items->item[items->n - 1].name, device) != 0)
		add(items, device, "");
	if (!strcmp(dot + 1, "scheduler"))
		text_copy(items->item[items->n - 1].value,
			  sizeof(items->item[0].value), value ? value : "-");
}

static void add_choices(const struct knob_menu *m, const struct frame *frame,
			struct knob_menu_items *items)
{
	const char *now = current(m, frame);
	const char *p = row_text(SCHEMA_KNOB, knob_row(m, frame), "choices");

	while (p && *p) {
		char word[64];
		size_t n = strcspn(p, " ");

		snprintf(word, sizeof(word), "%.*s", (int)n, p);
		if (n)
			add(items, word,
			    now && !strcmp(word, now) ? "(now)" : "");
		p += n + strspn(p + n, " ");
	}
}

static void gather_items(const struct knob_menu *m, const struct frame *frame,
			 struct knob_menu_items *items)
{
	const struct table *t;

	memset(items, 0, sizeof(*items));
	if (!frame)
		return;
	t = &frame->table[SCHEMA_KNOB];
	if (m->stage == MENU_VALUE)
		add_choices(m, frame, items);
	else if (m->stage != MENU_CONFIRM)
		for (size_t i = 0; i < t->n; i++)
			add_row(m, items, &t->row[i]);
}

static const char *refusal(const struct ui_view *view)
{
	if (view->no_knobs)
		return view->no_knobs;
	if (view->replay)
		return "This is a replay: what was set, was set.";
	if (!view->frame || !view->frame->table[SCHEMA_KNOB].n)
		return "No knob is known here.";
	return NULL;
}

/* The line of a name among the items of the stage; 0 when it is not there. */
static size_t line_of(const struct knob_menu *m, const struct ui_view *view,
		      const char *name, bool value)
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

void knob_menu_open(struct ui *ui, const struct ui_view *view)
{
	struct knob_menu *m = &ui->knob_menu;

	ui->overlay = &self;
	memset(m, 0, sizeof(*m));
	if (!refusal(view))
		m->at[MENU_DEVICE] = line_of(
			m, view, ui->table[PANE_DEVICE].selected, false);
}

/* Go on with the values of a knob. */
static void to_values(struct knob_menu *m, const struct ui_view *view,
		      const char *knob)
{
	text_copy(m->knob, sizeof(m->knob), knob);
	m->stage = MENU_VALUE;
	m->typing = is_number(m, view->frame);
	m->value[0] = '\0';
	m->at[MENU_VALUE] = line_of(m, view, "(now)", true);
}

void knob_menu_open_at(struct ui *ui, const struct ui_view *view,
		       const char *id)
{
	struct knob_menu *m = &ui->knob_menu;
	const char *dot = strchr(id, '.');

	knob_menu_open(ui, view);
	if (!dot || refusal(view))
		return;
	snprintf(m->device, sizeof(m->device), "%.*s", (int)(dot - id), id);
	m->at[MENU_DEVICE] = line_of(m, view, m->device, false);
	m->stage = MENU_KNOB;
	m->at[MENU_KNOB] = line_of(m, view, dot + 1, false);
	to_values(m, view, dot + 1);
}

/* Go on with what was picked. */
static void pick(struct ui *ui, const struct ui_view *view,
		 const struct knob_menu_item *item)
{
	struct knob_menu *m = &ui->knob_menu;

	if (m->stage == MENU_DEVICE) {
		text_copy(m->device, sizeof(m->device), item->name);
		m->stage = MENU_KNOB;
		m->at[MENU_KNOB] = 0;
	} else if (m->stage == MENU_KNOB) {
		to_values(m, view, item->name);
	} else {
		text_copy(m->value, sizeof(m->value), item->name);
		m->stage = MENU_CONFIRM;
	}
	m->top = 0;
}

static void confirm(struct ui *ui, int key, struct action *action)
{
	struct knob_menu *m = &ui->knob_menu;

	if (key != '\r' && key != 'y' && key != 'Y')
		return;
	action->kind = ACTION_KNOB_SET;
	text_copy(action->device, sizeof(action->device), m->device);
	text_copy(action->knob, sizeof(action->knob), m->knob);
	text_copy(action->value, sizeof(action->value), m->value);
	text_copy(action->by, sizeof(action->by), "operator");
	ui->overlay = NULL;
}

static void type_value(struct knob_menu *m, int key)
{
	if (key == '\r' && *m->value)
		m->stage = MENU_CONFIRM;
	else
		prompt_edit(m->value, sizeof(m->value), key);
}

static void step_line(size_t *at, size_t n, long step)
{
	long to = (long)*at + step;

	if (to >= (long)n)
		to = (long)n - 1;
	*at = to < 0 ? 0 : (size_t)to;
}

static void choose(struct ui *ui, const struct ui_view *view, int key)
{
	static const struct {
		int key;
		long step;
	} steps[] = { { KEY_UP, -1 },
		      { KEY_DOWN, 1 },
		      { 'k', -1 },
		      { 'j', 1 },
		      { KEY_PPAGE, -10 },
		      { KEY_NPAGE, 10 },
		      { KEY_HOME, -1000000 },
		      { KEY_END, 1000000 } };
	struct knob_menu *m = &ui->knob_menu;
	struct knob_menu_items items;

	gather_items(m, view->frame, &items);
	step_line(&m->at[m->stage], items.n, 0);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (steps[i].key == key)
			step_line(&m->at[m->stage], items.n, steps[i].step);
	if ((key == '\r' || key == KEY_RIGHT || key == 'l') && items.n)
		pick(ui, view, &items.item[m->at[m->stage]]);
	free(items.item);
}

static void take_key(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	struct knob_menu *m = &ui->knob_menu;
	bool typing = m->stage == MENU_VALUE && m->typing;

	if (refusal(view)) {
		ui->overlay = NULL;
		return;
	}
	if (key == 27 || (!typing && key == KEY_LEFT) ||
	    (m->stage == MENU_CONFIRM && (key == 'n' || key == 'N'))) {
		if (m->stage == MENU_DEVICE)
			ui->overlay = NULL;
		else
			m->stage--;
		m->top = 0;
	} else if (!typing && (key == 'q' || key == KEY_F(10))) {
		ui->overlay = NULL;
	} else if (m->stage == MENU_CONFIRM) {
		confirm(ui, key, action);
	} else if (typing) {
		type_value(m, key);
	} else {
		choose(ui, view, key);
	}
}

/* Where the values stand: clear of the longest name, as far as there is room.
 */
static int value_column(const struct ui *ui, const struct area *a,
			const struct knob_menu_items *items)
{
	int column = a->columns / 2, most = a->columns * 3 / 4;

	for (size_t i = 0; i < items->n; i++) {
		int end = 3 + screen_cells(&ui->screen, items->item[i].name);

		if (end + 2 > column)
			column = end + 2;
	}
	return column < most ? column : most;
}

static void draw_items(struct ui *ui, const struct area *a,
		       const struct knob_menu_items *items)
{
	struct knob_menu *m = &ui->knob_menu;
	size_t at = m->at[m->stage], lines = (size_t)a->lines;
	int value = value_column(ui, a, items);

	m->items = *a;
	if (at < m->top)
		m->top = at;
	if (at >= m->top + lines)
		m->top = at - lines + 1;
	for (size_t y = 0; y < lines && m->top + y < items->n; y++) {
		const struct knob_menu_item *item = &items->item[m->top + y];
		bool chosen = m->top + y == at;
		enum role role = chosen ? ROLE_SELECTED : ROLE_TEXT;
		int row = a->top + (int)y;

		if (chosen)
			screen_fill(&ui->screen, row, a->left, a->columns,
				    role);
		screen_put(&ui->screen, row, a->left + 1, 1, role,
			   chosen ? ">" : " ");
		screen_put(&ui->screen, row, a->left + 3, value - 4, role,
			   item->name);
		screen_put(&ui->screen, row, a->left + value,
			   a->columns - value - 1, role, item->value);
	}
}

/*
 * What is about to be turned, on which device, and what stands on that: all of
 * it, however few the columns are.
 */
static void draw_confirm(struct ui *ui, const struct ui_view *view, int lines,
			 int columns, const char *title)
{
	const struct knob_menu *m = &ui->knob_menu;
	const char *now = current(m, view->frame), *words = NULL;
	char text[3][512], buf[400];
	struct area a = { .columns = columns < CONFIRM ? columns : CONFIRM };
	int n = 0, want = 0, y = 0;

	if (view->device_words)
		words = view->device_words(view->device_words_of, m->device,
					   buf, sizeof(buf));
	snprintf(text[n++], sizeof(text[0]), "%s.%s %s -> %s?", m->device,
		 m->knob, now ? now : "-", m->value);
	if (words)
		snprintf(text[n++], sizeof(text[0]), "%s: %s", m->device,
			 words);
	text_copy(text[n++], sizeof(text[0]),
		  "It is undone by u, and when iodyno ends.");
	for (int i = 0; i < n; i++)
		want += box_lines(&a, text[i]);
	a = box_empty(&ui->screen, lines, columns, want, CONFIRM, title,
		      "Enter, y: turn it   Esc, n: back");
	for (int i = 0; i < n; i++)
		y += box_wrap(&ui->screen, &a, y, 0, a.lines,
			      i < n - 1 ? ROLE_STRONG : ROLE_DIM, text[i]);
}

static void draw_stage(struct ui *ui, const struct ui_view *view, int lines,
		       int columns, const char *title)
{
	const struct knob_menu *m = &ui->knob_menu;
	const char *now = current(m, view->frame);
	struct knob_menu_items items;
	char text[256];
	struct area a;

	if (m->stage == MENU_CONFIRM) {
		draw_confirm(ui, view, lines, columns, title);
		return;
	}
	if (m->stage == MENU_VALUE && m->typing) {
		a = box_empty(&ui->screen, lines, columns, 2, 64, title,
			      "Enter: go on   Esc: back");
		snprintf(text, sizeof(text), "now %s", now ? now : "-");
		box_put(&ui->screen, &a, 0, ROLE_TEXT, text);
		snprintf(text, sizeof(text), "new: %s_", m->value);
		box_put(&ui->screen, &a, 1, ROLE_STRONG, text);
		return;
	}
	gather_items(m, view->frame, &items);
	a = box_empty(&ui->screen, lines, columns,
		      (int)(items.n < 40 ? items.n : 40), 56, title,
		      "Enter: go on   Esc: back   Up/Down: choose");
	draw_items(ui, &a, &items);
	free(items.item);
}

static void draw(struct ui *ui, const struct ui_view *view, int lines,
		 int columns)
{
	const struct knob_menu *m = &ui->knob_menu;
	const char *why = refusal(view);
	char title[192];

	if (why) {
		struct area a =
			box_empty(&ui->screen, lines, columns, 1, columns,
				  "No knob can be turned", "Any key: back");

		box_put(&ui->screen, &a, 0, ROLE_STRONG, why);
		return;
	}
	if (m->stage == MENU_DEVICE)
		text_copy(title, sizeof(title), titles[m->stage]);
	else
		snprintf(title, sizeof(title), "%s%s%s: %s", m->device,
			 m->stage > MENU_KNOB ? "." : "",
			 m->stage > MENU_KNOB ? m->knob : "", titles[m->stage]);
	draw_stage(ui, view, lines, columns, title);
}

/* A line is picked as by Enter. */
static void click(struct ui *ui, const struct ui_view *view, int y, int x,
		  enum click click, struct action *action)
{
	struct knob_menu *m = &ui->knob_menu;
	const struct area *a = &m->items;

	if (click != CLICK) {
		take_key(ui, view, click == CLICK_WHEEL_UP ? KEY_UP : KEY_DOWN,
			 action);
		return;
	}
	if (refusal(view) || m->stage == MENU_CONFIRM ||
	    (m->stage == MENU_VALUE && m->typing) || y < a->top ||
	    y >= a->top + a->lines || x < a->left || x >= a->left + a->columns)
		return;
	m->at[m->stage] = m->top + (size_t)(y - a->top);
	choose(ui, view, '\r');
}

static const struct overlay self = {
	.draw = draw,
	.key = take_key,
	.click = click,
};
