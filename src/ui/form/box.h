/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Box: a frame above the panes with a title and its keys, for forms and lists.
 */
#ifndef UI_FORM_BOX_H
#define UI_FORM_BOX_H

#include "ui/terminal/screen.h"

/*
 * Draw an empty box of at most want lines (without the frame) and width columns
 * (with it). The title is in its upper line, the keys are in its lower line.
 * Returns the area within the frame.
 */
struct area box_open(const struct screen *s, int lines, int columns, int want,
		     int width, const char *title, const char *keys);

/* Put text on line y of the area; text that does not fit is cut. */
void box_put(const struct screen *s, const struct area *a, int y,
	     enum role role, const char *text);

/* The number of lines of a text that is broken at blanks. */
int box_lines(const struct area *a, const char *text);
/*
 * Draw a text, broken at blanks, from line y on, but only on the lines top to
 * bottom - 1 of the area. Returns the number of its lines.
 */
int box_wrap(const struct screen *s, const struct area *a, int y, int top,
	     int bottom, enum role role, const char *text);

#endif
