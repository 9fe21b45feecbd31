/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mouse: acts on clicks and the wheel, wherever they are.
 */
#ifndef UI_KEY_MOUSE_H
#define UI_KEY_MOUSE_H

#include "ui/state.h"

struct input;
/* Act on a mouse event of the input. */
void mouse_take(struct ui *ui, const struct ui_view *view,
		const struct input *in, struct action *action);

#endif
