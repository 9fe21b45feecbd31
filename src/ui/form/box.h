/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Box: a frame above the panes with a title and its keys, for forms and lists.
 */
#ifndef UI_FORM_BOX_H
#define UI_FORM_BOX_H

#include "ui/terminal/screen.h"

/*
 * An empty box of at most want lines and width columns, the frame not counted
 * for the lines. The title stands in its upper line, the keys in the lower
 * one. Returns the area within the frame.
 */
struct area box_open(const struct screen *s, int lines, int columns, int want,
		     int width, const char *title, const char *keys);

/* Text on line y of the area; what does not fit is cut. */
void box_put(const struct screen *s, const struct area *a, int y,
	     enum role role, const char *text);

/* The lines that a text takes when it is broken at blanks. */
int box_lines(const struct area *a, const char *text);
/*
 * Draw it so from line y on, but only on lines top to bottom - 1 of the area.
 * Returns the lines it takes.
 */
int box_wrap(const struct screen *s, const struct area *a, int y, int top,
	     int bottom, enum role role, const char *text);

#endif
