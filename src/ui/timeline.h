/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timeline: what its pane remembers, and its keys.
 */
#ifndef UI_TIMELINE_H
#define UI_TIMELINE_H

#include "ui/state.h"

struct timeline_state {
	bool all; /* events of others, too */
	bool on;  /* one is selected: */
	struct event event;
};

extern const struct key_list pane_timeline_keys;
bool pane_timeline_key(struct ui *ui, const struct ui_view *view, int key,
		       struct action *action);

#endif
