/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved: what the screen remembers between runs, as lines "KEY = VALUE". The
 * keys of a pane begin with the pane's name and a dot: "devices.sort".
 */
#ifndef UI_SAVED_H
#define UI_SAVED_H

#include <stddef.h>

/* A longer value is cut. */
#define SAVED_VALUE_MAX 4096

struct saved {
	const char *prefix; /* NULL, or the name of the pane that saves */
	char *text;         /* to be freed */
	size_t n, cap;
};

/* Add lines that are ready; NULL: none. */
void saved_add(struct saved *s, const char *lines);

/* Add a line; a value with control characters is cleaned first. */
void saved_put(struct saved *s, const char *key, const char *value);

#endif
