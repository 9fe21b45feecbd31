/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Theme: the colours of each role, one row of a const table per background.
 * Colour is never the only sign, so every theme also works without colours.
 */
#ifndef UI_THEME_H
#define UI_THEME_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/terminal/screen.h"

/* The name and the meaning of the i-th theme, or NULL. */
const char *theme_name(size_t i);
const char *theme_help(size_t i);

/* The index of the theme of that name; -1: there is none. */
int theme_find(const char *name);

/* The theme that fits the terminal's background according to $COLORFGBG. */
int theme_guess(void);

/*
 * Set the colours of a theme, after start_color(). The next drawing uses them
 * in every cell.
 */
void theme_use(int theme);

/* The attributes of a role, without its colours. */
unsigned theme_attributes(int theme, enum role role, bool color);

#endif
