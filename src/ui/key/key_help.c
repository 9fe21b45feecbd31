/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Help: keys, panes, signs and unavailable data, all from their tables, in as
 * many columns as fit. Typed text filters the lines.
 */
#include "ui/overlay.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"
#include "ui/state.h"

static const struct overlay self;

#define KEYS_CELLS   16
#define COLUMN_CELLS 76

/* A title has no keys; a line without keys belongs to the one above. */
struct help_line {
	bool title;
	char keys[32], text[160];
};

struct help_page {
	const struct list *list; /* has the filter */
	struct help_line *line;
	size_t n, cap;
	size_t cells; /* of a text */
};

/* The signs on the screen that are neither words nor numbers. */
static const struct ui_key_help signs[] = {
	{ "us sy", "head: user with nice, system with interrupts" },
	{ "u n s i t w",
	  "bars: user, nice, system, interrupts, steal, iowait" },
	{ "D run", "head: tasks in state D, tasks that run" },
	{ "-", "not measured, or unknown" },
	{ "*", "knob or column: differs from the value at the start" },
	{ "~", "cut text; device: slower than its fellow members" },
	{ "!", "device: has more load than its fellow members; graph: alarm" },
	{ "+ -", "before a name: folded, can be folded" },
	{ "A to Z", "graph: a change of a knob; m mark, + - job start, stop" },
	{ "+ - = ?", "effect: better, worse, unchanged, undecided" },
	{ "F / busy", "table head: followed row, filter, busy rows only" },
	{ "[name]", "a kernel thread, or a group of them" },
};

static const struct ui_key_help mouse[] = {
	{ "row", "select it; a pane: go to it" },
	{ "column's head", "sort by it; again: reverse" },
	{ "wheel", "scroll" },
	{ "bottom line", "click: the action of the key" },
};

static struct help_line *key_help_add(struct help_page *p)
{
	return xadd(p->line, p->n, p->cap);
}

static void add_title(struct help_page *p, const char *text)
{
	struct help_line *l;

	if (*p->list->filter)
		return;
	if (p->n)
		key_help_add(p);
	l = key_help_add(p);
	l->title = true;
	text_set(l->text, text);
}

/* A sentence takes as many lines as it needs. */
static void key_help_add_line(struct help_page *p, const char *keys,
			      const char *text)
{
	if (!list_matches(p->list, keys) && !list_matches(p->list, text))
		return;
	do {
		struct help_line *l = key_help_add(p);
		size_t n = strlen(text);

		if (n > p->cells)
			for (n = p->cells; n > 1 && text[n] != ' '; n--)
				;
		snprintf(l->text, sizeof(l->text), "%.*s", (int)n, text);
		text_set(l->keys, keys);
		keys = "";
		text += n + (text[n] == ' ');
	} while (*text);
}

/* During a sweep the keys as they act there. */
static void add_keys(struct help_page *p, const struct key_list *list,
		     const struct ui_view *view)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct key *k = &list->row[i];
		const char *text = view->sweep && k->in_sweep ? k->in_sweep
							      : k->help.help;

		if (*text)
			key_help_add_line(p, k->help.keys, text);
	}
}

static void add_own_keys(struct help_page *p, const struct pane *pane,
			 const struct ui_view *view)
{
	char title[64];

	snprintf(title, sizeof(title), "In the pane of %s", pane->name);
	add_title(p, title);
	add_keys(p, pane->own, view);
}

static void key_help_add_table(struct help_page *p, const char *title,
			       const struct ui_key_help *rows, size_t n)
{
	add_title(p, title);
	for (size_t i = 0; i < n; i++)
		key_help_add_line(p, rows[i].keys, rows[i].help);
}

static void add_panes(struct help_page *p, const struct ui_view *view)
{
	add_title(p, "Panes");
	for (char digit = '0'; digit <= '9'; digit++)
		for (int id = 0; id < PANES; id++)
			if (panes[id]->help.keys[0] == digit)
				key_help_add_line(p, panes[id]->help.keys,
						  panes[id]->help.help);
	for (int id = 0; id < PANES; id++)
		if (panes[id]->own && !(view->sweep && id == PANE_SWEEP))
			add_own_keys(p, panes[id], view);
}

static void key_help_fill(struct help_page *p, const struct ui_view *view)
{
	/* The keys of a sweep come first while one runs. */
	if (view->sweep)
		add_own_keys(p, panes[PANE_SWEEP], view);
	for (size_t i = 0; i < n_key_sections; i++) {
		add_title(p, key_sections[i].title);
		add_keys(p, &key_sections[i].keys, view);
	}
	add_panes(p, view);
	key_help_add_table(p, "Signs", signs, ARRAY_SIZE(signs));
	key_help_add_table(p, "Mouse", mouse, ARRAY_SIZE(mouse));
	if (!view->n_lacks)
		return;
	add_title(p, "Not available on this machine");
	for (size_t i = 0; i < view->n_lacks; i++)
		key_help_add_line(p, "", view->lack[i].sentence);
}

static void key_help_draw_line(const struct help_line *l, int y, int x,
			       int cells)
{
	if (l->title) {
		screen_put(y, x, cells, ROLE_STRONG, l->text);
		return;
	}
	screen_put(y, x + 1, KEYS_CELLS - 2, ROLE_KEY, l->keys);
	screen_put(y, x + KEYS_CELLS, cells - KEYS_CELLS, ROLE_TEXT, l->text);
}

/* Columns of lines, filled one after the other from the first line shown. */
static void key_help_draw(struct ui *ui)
{
	struct list *list = &ui->help;
	int across = COLS >= 2 * COLUMN_CELLS ? COLS / COLUMN_CELLS : 1;
	int width = (COLS - 4) / across;
	struct help_page p = { .list = list,
			       .cells = width > KEYS_CELLS + 21
						? (size_t)width - KEYS_CELLS - 1
						: 20 };
	char title[96];
	struct area a;
	size_t room;

	key_help_fill(&p, ui->view);
	room = (size_t)(LINES > 4 ? LINES - 3 : 1) * (size_t)across;
	if (list->top + room > p.n)
		list->top = p.n > room ? p.n - room : 0;
	list->lines = room;
	snprintf(title, sizeof(title), "help%s%s%s",
		 *list->filter ? "  find: " : "", list->filter,
		 list_position(list, p.n).text);
	a = overlay_box(LINES, COLS, title,
			*list->filter ? "Esc: all lines"
			: COLS < 60   ? "Space  type to find  q"
				      : "Up/Down, Space, PgUp: scroll  type to "
					"find  q, Esc: back");
	if (!p.n)
		screen_put(a.top, a.left + 2, COLS - 6, ROLE_DIM,
			   "nothing found");
	for (size_t i = 0; i < room && list->top + i < p.n; i++)
		key_help_draw_line(
			&p.line[list->top + i], a.top + (int)i % a.lines,
			a.left + 1 + (int)i / a.lines * width, width - 1);
	free(p.line);
}

/* Scroll by lines: there is no cursor. */
static void scroll_help(struct list *l, long step)
{
	long top = (long)l->top + step;

	/* key_help_draw() finds the end. */
	l->top = top < 0 ? 0 : (size_t)top;
}

static void key_help_take_key(struct ui *ui, int key)
{
	struct list *l = &ui->help;
	/* Keep a line of the page before on the screen. */
	const long page = l->lines > 2 ? (long)l->lines - 1 : 1;
	const struct {
		int key;
		long step;
	} steps[] = { { KEY_UP, -1 },         { KEY_DOWN, 1 },
		      { KEY_PPAGE, -page },   { KEY_NPAGE, page },
		      { KEY_HOME, -1000000 }, { KEY_END, 1000000 } };

	/* In text to find, a blank is a letter. */
	if (key == ' ' && !*l->filter)
		key = KEY_NPAGE;
	/* As in less it may stand before the text. */
	if (key == '/' && !*l->filter)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (steps[i].key == key) {
			scroll_help(l, steps[i].step);
			return;
		}
	/* q closes the help, unless text to find was typed before. */
	if ((key == 'q' && !*l->filter) ||
	    (key && !list_key(l, 0, key, LIST_FILTER)))
		ui->overlay = NULL;
}

static void key_help_click(struct ui *ui, int y, int x)
{
	ui->overlay = NULL;
}

static const struct overlay self = {
	.draw = key_help_draw,
	.key = key_help_take_key,
	.click = key_help_click,
	.wheel_keys = 3,
};

void key_help_open(struct ui *ui)
{
	ui->overlay = &self;
	memset(&ui->help, 0, sizeof(ui->help));
}
