/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Key: one row of a table that dispatch, help, the key bar, "list keys" and
 * the manual's check read. Keys of the whole screen stand in key_table.c,
 * those of one pane in the pane's own file (struct pane, own).
 */
#ifndef UI_KEY_H
#define UI_KEY_H

#include <stddef.h>

#include "model/action.h"
#include "ui/ui.h"

#define CONTROL(c) ((c)&0x1f)

/* Where a key means something. */
enum key_when { WHEN_ALWAYS, WHEN_LIVE, WHEN_REPLAY };

/*
 * One key. What begins with F and a number in short_key is a function key: it
 * has its place in the bar at the bottom. label is its word there, NULL: it is
 * not in the bar.
 */
struct key {
	struct ui_key_help help;
	const char *short_key, *label;
	enum key_when when;
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

/* The keys of the screen by what they are about; the title is for help. */
struct key_section {
	const char *title;
	struct key_list keys;
};

extern const struct key_section key_sections[];
extern const size_t n_key_sections;

/* The i-th key of all, those of panes last; NULL: there are no more. */
const struct key *key_at(size_t i, const char **where);

/* Whether the key means something in this view. */
bool key_counts(const struct key *k, const struct ui_view *view);

/* Act on a key when nothing lies over the panes. */
void key_dispatch(struct ui *ui, const struct ui_view *view, int key,
		  struct action *action);

/* key_bar.c: the keys at the bottom; the key at that column, 0: none. */
void key_bar_draw(struct ui *ui, const struct ui_view *view, int y,
		  int columns);
int key_bar_at(const struct ui *ui, int column);

#endif
