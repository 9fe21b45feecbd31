/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overlays: what lies over the panes and takes keys and mouse first; and the
 * keys of the panes.
 */
#ifndef UI_OVERLAY_H
#define UI_OVERLAY_H

#include "ui/state.h"

/* Open: ui->overlay = &it. It closes itself: ui->overlay = NULL. */
struct overlay {
	/* lines and columns are those of the whole screen. */
	void (*draw)(struct ui *ui, const struct ui_view *view, int lines,
		     int columns);
	void (*key)(struct ui *ui, const struct ui_view *view, int key,
		    struct action *action);
	/* At a place of the screen. NULL: the mouse does nothing in it. */
	void (*click)(struct ui *ui, const struct ui_view *view, int y, int x,
		      enum click click, struct action *action);
};

/* keys.c: act on a key when nothing lies over the panes. */
void keys_dispatch(struct ui *ui, const struct ui_view *view, int key,
		   struct action *action);

/* mouse.c: act on the mouse, wherever it is. */
struct input;
void mouse_take(struct ui *ui, const struct ui_view *view,
		const struct input *in, struct action *action);

extern const struct overlay overlay_help;   /* help.c */
extern const struct overlay overlay_menu;   /* menu.c */
extern const struct overlay overlay_prompt; /* prompt.c */
extern const struct overlay overlay_chooser; /* chooser.c */
extern const struct overlay overlay_run; /* run_dialog.c */
extern const struct overlay overlay_job_edit; /* job_edit.c */

/* menu.c: pick a device, a knob and a value, and confirm. */
void menu_open(struct ui *ui, const struct ui_view *view);
/* The same for a knob that is picked already: "vda.scheduler". */
void menu_open_knob(struct ui *ui, const struct ui_view *view, const char *id);

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

/* prompt.c: a line of text, asked for in the status line. */
struct prompt_spec {
	const char *label, *hint;
	/* After every change of the text. NULL: only Enter counts. */
	void (*typed)(struct ui *ui, const struct ui_view *view,
		      const char *text);
	/* Enter. NULL: what was typed has been told already. */
	void (*done)(struct ui *ui, const struct ui_view *view,
		     const char *text, struct action *action);
};
/* The prompts of several panes, in prompts.c. */
extern const struct prompt_spec prompt_filter, prompt_mark, prompt_jump;

/* Ask, beginning with that text; Esc types an empty one and ends. */
void prompt_ask(struct ui *ui, const struct prompt_spec *spec,
		const char *text);
/* Edit a text by a key; false when the key does not edit. */
bool prompt_edit(char *text, size_t size, int key);

#endif
