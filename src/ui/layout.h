/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout: arrangements of panes, a const table. What stands in one is said in
 * the rows of the panes.
 */
#ifndef UI_LAYOUT_H
#define UI_LAYOUT_H

#include "ui/state.h"

/* Its name, or NULL. */
const char *layout_name(size_t i);

/* Take the next one; what digits showed and hid is forgotten. */
void layout_next(struct ui *ui);
void layout_set(struct ui *ui, enum layout_id layout);
/* The one of that name; false: there is none. */
bool layout_by_name(struct ui *ui, const char *name);

/* The pane is to be shown if it has something to show. */
bool layout_shows(const struct ui *ui, int id, int screen_lines);

/* A screen of so many lines has one for the status alone. */
#define STATUS_LINES 20

/* The line of the screen that says what is going on. */
int layout_status_line(int lines);

#endif
