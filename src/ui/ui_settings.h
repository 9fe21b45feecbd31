/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UI settings: the choices of the operator that the next run begins with: layout,
 * panes, colours, order and columns of the tables. Lines "KEY = VALUE"; #
 * begins a comment. The keys of a pane begin with the pane's name and a dot:
 * "devices.sort". ui.h takes and gives the text; cmd/ reads and writes the
 * file.
 */
#ifndef UI_UI_SETTINGS_H
#define UI_UI_SETTINGS_H

#include <stddef.h>

#include "ui/state.h"

/* A text that is longer is not a settings file. */
#define SETTINGS_BYTES_MAX 65536
#define SETTINGS_LINES_MAX 1000
/* A longer value is cut. */
#define SETTINGS_VALUE_MAX 4096

/* A text under construction. */
struct settings_file {
	const char *prefix; /* NULL, or the name of the pane that saves */
	char *text;         /* the caller frees it */
	size_t n, cap;
};

/* Add complete lines; NULL: none. */
void ui_settings_add(struct settings_file *s, const char *lines);

/* Add a line; control characters in the value are replaced. */
void ui_settings_put(struct settings_file *s, const char *key,
		       const char *value);

/* Use the settings of a text; returns the number of invalid lines. */
size_t ui_settings_take(struct ui *ui, const char *text);

/* All settings as a text, which the caller frees. */
char *ui_settings_text(const struct ui *ui);

#endif
