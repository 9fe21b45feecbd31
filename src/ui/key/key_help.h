/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Help: keys, panes and signs, from their tables.
 */
#ifndef UI_KEY_KEY_HELP_H
#define UI_KEY_KEY_HELP_H

#include "ui/overlay.h"

void key_help_open(struct ui *ui);

#endif
