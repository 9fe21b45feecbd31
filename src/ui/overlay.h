/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overlays: what lies over the panes and takes the keys first; and the keys
 * of the panes.
 */
#ifndef UI_OVERLAY_H
#define UI_OVERLAY_H

#include "ui/state.h"

/* keys.c: act on a key when nothing lies over the panes. */
void keys_dispatch(struct ui *ui, const struct ui_view *view, int key,
		   struct action *action);
/* The row of keys at the bottom. */
void keys_row(struct ui *ui, const struct ui_view *view, int y, int columns);

/* help.c */
void help_draw(struct ui *ui, int lines, int columns);
void help_key(struct ui *ui, int key);

/* menu.c: pick a device, a knob and a value, and confirm. */
void menu_open(struct ui *ui, const struct ui_view *view);
void menu_draw(struct ui *ui, const struct ui_view *view, int lines,
	       int columns);
void menu_key(struct ui *ui, const struct ui_view *view, int key,
	      struct action *action);

/* menu_items.c: what there is to pick from at a stage of the menu. */
struct menu_item {
	char name[64], value[64];
};
struct menu_items {
	struct menu_item *item; /* to be freed */
	size_t n, cap;
};
void menu_items(const struct menu *m, const struct frame *frame,
		struct menu_items *items);
/* The present value of the picked knob; NULL when it is gone. */
const char *menu_current(const struct menu *m, const struct frame *frame);
/* It has no choices: its value is typed. */
bool menu_is_number(const struct menu *m, const struct frame *frame);

/* prompt.c: a line of text. */
void prompt_open(struct ui *ui, enum prompt_kind kind);
void prompt_draw(struct ui *ui, int y, int columns);
void prompt_key(struct ui *ui, const struct ui_view *view, int key,
		struct action *action);
/* Edit a text by a key; false when the key does not edit. */
bool prompt_edit(char *text, size_t size, int key);

#endif
