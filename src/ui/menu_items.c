/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Items of the knob menu, all from the knob rows of the frame: the screen
 * itself knows no knob. A row's id is DEVICE.KNOB, split at the first dot.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "ui/overlay.h"

static struct menu_item *add(struct menu_items *items, const char *name,
			     const char *value)
{
	struct menu_item *item;

	items->item = xgrow(items->item, &items->cap, items->n + 1,
			    sizeof(*items->item));
	item = &items->item[items->n++];
	text_copy(item->name, sizeof(item->name), name);
	text_copy(item->value, sizeof(item->value), value ? value : "-");
	return item;
}

static const struct row *knob_row(const struct menu *m,
				  const struct frame *frame)
{
	char id[sizeof(m->device) + sizeof(m->knob) + 1];

	snprintf(id, sizeof(id), "%s.%s", m->device, m->knob);
	return frame ? frame_find(frame, SCHEMA_KNOB, id) : NULL;
}

const char *menu_current(const struct menu *m, const struct frame *frame)
{
	return row_text(SCHEMA_KNOB, knob_row(m, frame), "value");
}

bool menu_is_number(const struct menu *m, const struct frame *frame)
{
	const char *choices =
		row_text(SCHEMA_KNOB, knob_row(m, frame), "choices");

	return !choices || !*choices;
}

/* The rows of a device stand together, so its name is new when it changes. */
static void add_row(const struct menu *m, struct menu_items *items,
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

static void add_choices(const struct menu *m, const struct frame *frame,
			struct menu_items *items)
{
	const char *now = menu_current(m, frame);
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

void menu_items(const struct menu *m, const struct frame *frame,
		struct menu_items *items)
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
