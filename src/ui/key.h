/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Key: one row of a table that dispatch, help, the key row, "list keys" and
 * the manual's check read. Keys of the whole screen stand in keys.c, those of
 * one pane in the pane's own file (struct pane, own).
 */
#ifndef UI_KEY_H
#define UI_KEY_H

#include <stddef.h>

#include "model/action.h"
#include "ui/ui.h"

#define CTRL(c) ((c)&0x1f)

/* Where a key means something. */
enum when { WHEN_ALWAYS, WHEN_LIVE, WHEN_REPLAY };

/* One key; label is its word in the key row, NULL: not there. */
struct key {
	struct ui_key_help help;
	const char *short_key, *label;
	enum when when;
	int code[10];
	void (*act)(struct ui *ui, const struct ui_view *view, int key,
		    struct action *action);
	enum action_kind action; /* where act is NULL */
	double number;
};

struct key_list {
	const struct key *row;
	size_t n;
};

#endif
