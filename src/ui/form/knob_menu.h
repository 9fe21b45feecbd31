/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob menu: choose a device, a knob and a value, and confirm.
 */
#ifndef UI_FORM_KNOB_MENU_H
#define UI_FORM_KNOB_MENU_H

#include "ui/overlay.h"

void knob_menu_open(struct ui *ui, const struct ui_view *view);

/* The same for a knob that is chosen already: "vda.scheduler". */
void knob_menu_open_at(struct ui *ui, const struct ui_view *view,
		       const char *id);

#endif
