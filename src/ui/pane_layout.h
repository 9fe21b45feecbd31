/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout: arrangements of panes, a const table. The rows of the panes say which
 * arrangements show them.
 */
#ifndef UI_PANE_LAYOUT_H
#define UI_PANE_LAYOUT_H

#include "ui/state.h"

/* The name of the i-th arrangement, or NULL. */
const char *pane_layout_name(size_t i);

/* Take the next arrangement; forget the panes that digits showed or hid. */
void pane_layout_next(struct ui *ui);
void pane_layout_set(struct ui *ui, enum layout_id layout);
/* Take the arrangement of that name; false: there is none. */
bool pane_layout_by_name(struct ui *ui, const char *name);

/* Place the panes on the lines from top to bottom - 1: fills ui->area. */
void pane_layout_panes(struct ui *ui, const struct ui_view *view, int top,
		       int bottom, int columns);

/* Whether to show the pane when it has something to show. */
bool pane_layout_shows(const struct ui *ui, int id, int screen_lines);

/* Whether a screen of so many lines has a line for the status alone. */
#define STATUS_LINES 20

/* The line of the screen with the status. */
int pane_layout_status_line(int lines);

/*
 * Head: the machine in the lines above the panes.
 */

/*
 * Draw the lines above the panes, except the first; returns the number of lines
 * with the first. head_title() draws the first line, after the panes, because
 * it may name the panes that have no room.
 */
int head_draw(struct ui *ui, const struct ui_view *view, int lines,
	      int columns);
void head_title(struct ui *ui, const struct ui_view *view, int columns);

#endif
