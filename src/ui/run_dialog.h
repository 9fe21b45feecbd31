/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run dialog: a preset, a job file or a job of its own is put together; what
 * it would do is shown, and only then is it started.
 */
#ifndef UI_RUN_DIALOG_H
#define UI_RUN_DIALOG_H

#include "ui/overlay.h"

void run_dialog_open(struct ui *ui, const struct ui_view *view);

/* Its columns on a screen of so many. */
int run_form_width(int columns);

/* run_form.c: the rows. */
void run_form_begin(struct ui *ui, const struct ui_view *view);
void run_form_draw(struct ui *ui, const struct ui_view *view, int lines,
		   int columns);
/* False: the key is not one of the rows'. */
bool run_form_key(struct ui *ui, const struct ui_view *view, int key);
void run_form_click(struct ui *ui, const struct ui_view *view, int y);
/* Fill the request; false, and the row gets the keys, when one is wrong. */
bool run_form_request(struct ui *ui);

#endif
