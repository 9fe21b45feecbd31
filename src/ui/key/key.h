/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Key: one row of a table that dispatch, help, the key bar, "list keys" and
 * the manual's check read. Keys of the whole screen are in key.c, those of one
 * pane in the pane's file (struct pane, own).
 */
#pragma once

#include <stddef.h>

#include "model/action.h"
#include "ui/ui.h"

#define CONTROL(c) ((c)&0x1f)

/* When a key works. */
enum key_when { WHEN_ALWAYS, WHEN_LIVE, WHEN_REPLAY };

/*
 * One key. A short_key that begins with F and a number is a function key: the
 * bar at the bottom orders these by number. label is the word in the bar; NULL:
 * the key is not in the bar.
 */
struct key {
	struct ui_key_help help;
	const char *short_key, *label;
	enum key_when when;
	int code[10];
	void (*act)(struct ui *ui);       /* ui->key is the one of code */
	const struct prompt_spec *prompt; /* if act is NULL: asks for a text */
	enum action_kind action;          /* if both are NULL */
	double number;
	/*
	 * The help during a sweep; NULL: as in help; "": the key would change
	 * what the sweep measures and has no effect.
	 */
	const char *in_sweep;
};

struct key_list {
	const struct key *row;
	size_t n;
};

/* A group of the screen's keys; the title is for the help. */
struct key_section {
	const char *title;
	struct key_list keys;
};

extern const struct key_section key_sections[];
extern const size_t n_key_sections;

/* The i-th key of all, those of panes last; NULL: there are no more. */
const struct key *key_at(size_t i, const char **where);

/* Whether the key works in this view. */
bool key_counts(const struct key *k, const struct ui_view *view);

/* Act on a key when no overlay is open. */
void key_dispatch(struct ui *ui, int key);

/* key_bar.c: draw the keys at the bottom; the key at a column, or 0. */
void key_bar_draw(struct ui *ui, int y, int columns);
int key_bar_at(const struct ui *ui, int column);

/* Mouse: acts on clicks and the wheel, wherever they are. */

struct mouse;
/* Act on a mouse event. */
void key_click(struct ui *ui, const struct mouse *at);
