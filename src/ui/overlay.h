/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overlay: a form, list or menu above the panes. It takes keys and mouse
 * before the panes do.
 */
#ifndef UI_OVERLAY_H
#define UI_OVERLAY_H

#include "ui/state.h"

/* To open one: ui->overlay = &it. It closes itself: ui->overlay = NULL. */
struct overlay {
	/* lines and columns are those of the whole screen. */
	void (*draw)(struct ui *ui, const struct ui_view *view, int lines,
		     int columns);
	void (*key)(struct ui *ui, const struct ui_view *view, int key,
		    struct action *action);
	/* A click or the wheel at a place of the screen. NULL: the mouse does
	 * nothing in it. */
	void (*click)(struct ui *ui, const struct ui_view *view, int y, int x,
		      enum click click, struct action *action);
};

#endif
