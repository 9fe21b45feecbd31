/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Help: keys, panes and what the panes have to say, all from their tables.
 */
#include "ui/key/key_help.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

static const struct overlay self;

#define KEYS_LEFT 2
#define TEXT_LEFT 18

/* Lines are counted and drawn by the same walk. */
struct page {
	struct ui *ui;
	size_t line, from, lines; /* the next line; what is on the screen */
	int columns;
};

/* Where the next line stands; 0: not on the screen. */
static int next_y(struct page *p)
{
	size_t line = p->line++;

	return line < p->from || line >= p->from + p->lines
		       ? 0
		       : 1 + (int)(line - p->from);
}

/* A line without a key. */
static void add_wide(struct page *p, const char *text)
{
	int y = next_y(p);

	if (y)
		screen_put(&p->ui->screen, y, KEYS_LEFT, p->columns - KEYS_LEFT,
			   ROLE_TEXT, text);
}

/* A title has no keys. */
static void add_line(struct page *p, const char *keys, const char *text)
{
	const struct screen *s = &p->ui->screen;
	int y = next_y(p);

	if (!y)
		return;
	if (!keys) {
		screen_put(s, y, 1, p->columns - 1, ROLE_STRONG, text);
		return;
	}
	screen_put(s, y, KEYS_LEFT, TEXT_LEFT - KEYS_LEFT - 1, ROLE_KEY, keys);
	screen_put(s, y, TEXT_LEFT, p->columns - TEXT_LEFT, ROLE_TEXT, text);
}

static void add_keys(struct page *p, const struct key_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		add_line(p, list->row[i].help.keys, list->row[i].help.help);
}

static void add_panes(struct page *p)
{
	add_line(p, NULL, "Panes");
	for (int id = 0; id < PANES; id++)
		add_line(p, panes[id]->help.keys, panes[id]->help.help);
	for (int id = 0; id < PANES; id++) {
		const struct pane *pane = panes[id];
		char title[64];

		if (!pane->own && !pane->notes)
			continue;
		add_line(p, "", "");
		snprintf(title, sizeof(title), "In the pane of %s", pane->name);
		add_line(p, NULL, title);
		if (pane->own)
			add_keys(p, pane->own);
		for (size_t i = 0; pane->notes && pane->notes[i].keys; i++)
			add_line(p, pane->notes[i].keys, pane->notes[i].help);
	}
}

/* A sentence over as many lines as it takes. */
static void add_text(struct page *p, const char *text)
{
	size_t room = p->columns > KEYS_LEFT + 20
			      ? (size_t)p->columns - KEYS_LEFT
			      : 20;
	char line[256];

	while (*text) {
		size_t n = strlen(text);

		if (n > room)
			for (n = room; n > 1 && text[n] != ' '; n--)
				;
		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		add_wide(p, line);
		text += n + (text[n] == ' ');
	}
}

static void add_lacks(struct page *p, const struct ui_view *view)
{
	if (!view->n_lacks)
		return;
	add_line(p, "", "");
	add_line(p, NULL, "Not available on this machine");
	for (size_t i = 0; i < view->n_lacks; i++)
		add_text(p, view->lack[i].sentence);
}

static size_t walk(struct page *p, const struct ui_view *view)
{
	for (size_t i = 0; i < n_key_sections; i++) {
		add_line(p, NULL, key_sections[i].title);
		add_keys(p, &key_sections[i].keys);
		add_line(p, "", "");
	}
	add_panes(p);
	add_line(p, "", "");
	add_line(p, NULL, "Mouse");
	add_line(p, "row", "select it; a pane: go to it");
	add_line(p, "column's head", "sort by it; once more: the other way");
	add_line(p, "wheel", "scroll");
	add_line(p, "bottom line", "what the key does");
	add_lacks(p, view);
	return p->line;
}

static void draw(struct ui *ui, const struct ui_view *view, int lines,
		 int columns)
{
	struct page count = { .ui = ui, .columns = columns };
	size_t all = walk(&count, view),
	       room = (size_t)(lines > 3 ? lines - 2 : 1);
	struct page page = { .ui = ui, .lines = room, .columns = columns };
	char head[96];

	if (ui->help_top + room > all)
		ui->help_top = all > room ? all - room : 0;
	for (int y = 0; y < lines - 1; y++)
		screen_fill(&ui->screen, y, 0, columns, ROLE_TEXT);
	screen_fill(&ui->screen, 0, 0, columns, ROLE_FOCUS);
	snprintf(head, sizeof(head), "help  %zu-%zu of %zu   %s   Esc: back",
		 ui->help_top + 1,
		 ui->help_top + room < all ? ui->help_top + room : all, all,
		 columns < 60 ? "PgDn" : "Up/Down, PgUp/PgDn: scroll");
	screen_put(&ui->screen, 0, 1, columns - 1, ROLE_FOCUS, head);
	page.from = ui->help_top;
	ui->help_lines = room;
	walk(&page, view);
}

static void scroll_help(struct ui *ui, long step)
{
	long top = (long)ui->help_top + step;

	/* The end is found when it is drawn. */
	ui->help_top = top < 0 ? 0 : (size_t)top;
}

static void take_key(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	/* A line of the page before stays in sight. */
	const long page = ui->help_lines > 2 ? (long)ui->help_lines - 1 : 1;
	const struct {
		int key;
		long step;
	} steps[] = { { KEY_UP, -1 },       { 'k', -1 },
		      { KEY_DOWN, 1 },      { 'j', 1 },
		      { KEY_PPAGE, -page }, { KEY_NPAGE, page },
		      { ' ', page },        { KEY_HOME, -1000000 },
		      { KEY_END, 1000000 } };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (steps[i].key == key) {
			scroll_help(ui, steps[i].step);
			return;
		}
	if (key)
		ui->overlay = NULL;
}

static void click(struct ui *ui, const struct ui_view *view, int y, int x,
		  enum click click, struct action *action)
{
	if (click == CLICK)
		ui->overlay = NULL;
	else
		scroll_help(ui, click == CLICK_WHEEL_UP ? -3 : 3);
}

static const struct overlay self = {
	.draw = draw,
	.key = take_key,
	.click = click,
};

void key_help_open(struct ui *ui)
{
	ui->overlay = &self;
	ui->help_top = 0;
}
