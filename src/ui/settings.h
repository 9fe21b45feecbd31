/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings: what the operator chose and the next run begins with: layout,
 * panes, colours, order of the tables, and what the panes have to add. Lines
 * "KEY = VALUE"; # begins a comment. The text comes and goes by ui.h: files
 * are not this room's.
 */
#ifndef UI_SETTINGS_H
#define UI_SETTINGS_H

#include <stddef.h>

#include "ui/state.h"

/* More than this is not ours. */
#define SETTINGS_BYTES_MAX 65536
#define SETTINGS_LINES_MAX 1000

/* Take what is there; returns how many lines made no sense. */
size_t settings_take(struct ui *ui, const char *text);

/* All there is to remember; to be freed. */
char *settings_text(const struct ui *ui);

#endif
