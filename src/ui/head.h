/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Head: the machine in the lines above the panes.
 */
#ifndef UI_HEAD_H
#define UI_HEAD_H

#include "ui/state.h"

/*
 * Draw the lines above the panes, except the first; returns the number of lines
 * with the first. head_title() draws the first line, after the panes, because
 * it may name the panes that have no room.
 */
int head_draw(struct ui *ui, const struct ui_view *view, int lines,
	      int columns);
void head_title(struct ui *ui, const struct ui_view *view, int columns);

#endif
