/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Theme: which colours a role has, one row of a const table per background.
 * Colour is never the only sign, so every theme may be left for no colours.
 */
#ifndef UI_THEME_H
#define UI_THEME_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/terminal/screen.h"

/* The name and the meaning of the i-th theme, or NULL. */
const char *theme_name(size_t i);
const char *theme_help(size_t i);

/* Its index; -1 when there is none of that name. */
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
