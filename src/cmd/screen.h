/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Screen: opening the screen of a command, with its crash handlers.
 */
#ifndef CMD_SCREEN_H
#define CMD_SCREEN_H

#include "base/attributes.h"
#include "cmd/options.h"
#include "ui/ui.h"

/* 0, or -errno with a sentence. */
int screen_open(struct ui **out, const struct settings *s, int tty,
		enum ui_occasion occasion) must_check;

/* There are colours of that name. */
bool screen_theme_is(const char *name);

/* Give the terminal back and remember what was chosen. NULL is fine. */
void screen_close(struct ui *ui);

#endif
