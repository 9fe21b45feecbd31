/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Search: go to a row by its name.
 */
#ifndef UI_SEARCH_H
#define UI_SEARCH_H

#include "ui/overlay.h"

extern const struct prompt_spec prompt_search;

/* The next row with what was searched last; step -1: the one before. */
void search_next(struct ui *ui, const struct ui_view *view, int step);

#endif
