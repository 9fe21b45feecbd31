/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Picker: choose what the graph draws: a row of any schema, then its fields.
 * What is typed narrows the list.
 */
#include "ui/chart/series_list.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/unit.h"
#include "ui/chart/series.h"
#include "ui/form/prompt.h"

static const struct overlay self;

/* In the order of the list; tasks and knobs are not kept over time. */
static const enum schema_id offered[] = { SCHEMA_JOB,      SCHEMA_DEVICE,
					  SCHEMA_CPU,      SCHEMA_MEMORY,
					  SCHEMA_PRESSURE, SCHEMA_SELF };

struct offered_series {
	struct graph_series *item;
	size_t n, cap;
};

static void name_of(const struct series_list *p, const struct graph_series *s,
		    char *buf, size_t size)
{
	if (p->fields)
		snprintf(buf, size, "%s", series_field(s)->title);
	else
		snprintf(buf, size, "%s%s%s", schemas[s->schema]->name,
			 schemas[s->schema]->single ? "" : " ",
			 schemas[s->schema]->single ? "" : s->row);
}

static bool matches(const struct series_list *p, const struct graph_series *s)
{
	char name[128];

	name_of(p, s, name, sizeof(name));
	return !*p->filter || strcasestr(name, p->filter) ||
	       (p->fields && strcasestr(series_field(s)->key, p->filter));
}

static void add(const struct series_list *p, struct offered_series *l,
		const struct graph_series *s)
{
	if (!matches(p, s))
		return;
	l->item = xgrow(l->item, &l->cap, l->n + 1, sizeof(*l->item));
	l->item[l->n++] = *s;
}

static void gather_rows(const struct series_list *p, const struct ui_view *view,
			struct offered_series *l)
{
	for (size_t k = 0; k < ARRAY_SIZE(offered); k++) {
		const struct table *t = &view->frame->table[offered[k]];

		for (size_t i = 0; i < t->n; i++) {
			struct graph_series s = { .schema = offered[k] };

			text_copy(s.row, sizeof(s.row), t->row[i].id);
			add(p, l, &s);
		}
	}
}

static void gather(const struct series_list *p, const struct ui_view *view,
		   struct offered_series *l)
{
	memset(l, 0, sizeof(*l));
	if (!view->frame)
		return;
	if (!p->fields) {
		gather_rows(p, view, l);
		return;
	}
	for (size_t j = 0; j < schemas[p->row.schema]->n_fields; j++) {
		struct graph_series s = p->row;

		s.field = (int)j;
		if (series_field(&s)->kind == FIELD_NUMBER)
			add(p, l, &s);
	}
}

void series_list_open(struct ui *ui, const struct ui_view *view)
{
	if (!view->frame) {
		text_copy(ui->note, sizeof(ui->note),
			  "There is nothing to draw yet.");
		return;
	}
	memset(&ui->series_list, 0, sizeof(ui->series_list));
	ui->overlay = &self;
}

/* Of a row: how many of its figures are drawn; of a field: its value. */
static void value_of(const struct ui *ui, const struct ui_view *view,
		     const struct graph_series *s, char *buf, size_t size)
{
	const struct row *row = frame_find(view->frame, s->schema, s->row);
	int n = 0;

	if (ui->series_list.fields) {
		unit_format(buf, size, unit_of(series_field(s)->key),
			    row_number(s->schema, row, series_field(s)->key));
		return;
	}
	for (size_t i = 0; i < ui->graph.n; i++)
		n += ui->graph.series[i].schema == s->schema &&
		     !strcmp(ui->graph.series[i].row, s->row);
	*buf = '\0';
	if (n)
		snprintf(buf, size, "%d drawn", n);
}

static void draw_item(struct ui *ui, const struct ui_view *view,
		      const struct graph_series *s, int y, int columns,
		      bool chosen)
{
	enum role role = chosen ? ROLE_SELECTED : ROLE_TEXT;
	bool drawn = ui->series_list.fields && series_has(ui, s);
	int help = columns >= 60 ? 36 : columns;
	char name[128], value[32];

	name_of(&ui->series_list, s, name, sizeof(name));
	value_of(ui, view, s, value, sizeof(value));
	screen_fill(&ui->screen, y, 0, columns, role);
	screen_put(&ui->screen, y, 1, 1, role, chosen ? ">" : " ");
	screen_put(&ui->screen, y, 3, 3, role,
		   drawn                    ? "[x]"
		   : ui->series_list.fields ? "[ ]"
					    : "");
	screen_put(&ui->screen, y, 7, help < columns ? 16 : columns - 20, role,
		   name);
	screen_right(&ui->screen, y, help < columns ? 23 : columns - 13, 12,
		     role, value);
	if (help < columns && ui->series_list.fields)
		screen_put(&ui->screen, y, help, columns - help, role,
			   series_field(s)->help);
}

static void draw(struct ui *ui, const struct ui_view *view, int lines,
		 int columns)
{
	struct series_list *p = &ui->series_list;
	size_t room = (size_t)(lines > 3 ? lines - 2 : 1);
	struct offered_series l;
	char head[160];

	gather(p, view, &l);
	if (p->at >= l.n)
		p->at = l.n ? l.n - 1 : 0;
	if (p->at < p->top)
		p->top = p->at;
	if (p->at >= p->top + room)
		p->top = p->at - room + 1;
	for (int y = 0; y < lines; y++)
		screen_fill(&ui->screen, y, 0, columns, ROLE_TEXT);
	snprintf(head, sizeof(head), "graph: %s%s  (%zu of %d drawn)%s%s",
		 p->fields ? "figures of " : "choose a row",
		 p->fields ? p->row.row : "", ui->graph.n, SERIES,
		 *p->filter ? "  filter: " : "", p->filter);
	screen_fill(&ui->screen, 0, 0, columns, ROLE_FOCUS);
	screen_put(&ui->screen, 0, 1, columns - 1, ROLE_FOCUS, head);
	for (size_t i = 0; i < room && p->top + i < l.n; i++)
		draw_item(ui, view, &l.item[p->top + i], 1 + (int)i, columns,
			  p->top + i == p->at);
	if (lines > 3) {
		screen_fill(&ui->screen, lines - 1, 0, columns, ROLE_HEADER);
		screen_put(&ui->screen, lines - 1, 1, columns - 1, ROLE_HEADER,
			   p->fields ? "Enter Space: draw it or not   Esc: "
				       "back   type to filter"
				     : "Enter: its figures   Esc: close   "
				       "type to filter");
	}
	free(l.item);
}

static void step(struct series_list *p, size_t n, int key)
{
	long by = key == KEY_UP      ? -1
		  : key == KEY_DOWN  ? 1
		  : key == KEY_PPAGE ? -10
		  : key == KEY_NPAGE ? 10
		  : key == KEY_HOME  ? -1000000
		  : key == KEY_END   ? 1000000
				     : 0;
	long to = (long)p->at + by;

	if (to >= (long)n)
		to = (long)n - 1;
	p->at = to < 0 ? 0 : (size_t)to;
}

/* Closes one level: the filter, the fields, the list. */
static void escape(struct ui *ui)
{
	struct series_list *p = &ui->series_list;

	if (*p->filter) {
		p->filter[0] = '\0';
	} else if (p->fields) {
		p->fields = false;
		p->at = p->at_row;
	} else {
		ui->overlay = NULL;
	}
}

static void choose(struct ui *ui, const struct graph_series *s)
{
	struct series_list *p = &ui->series_list;

	if (!p->fields) {
		p->row = *s;
		p->at_row = *p->filter ? 0 : p->at;
		p->fields = true;
		p->at = p->top = 0;
		p->filter[0] = '\0';
	} else if (!series_toggle(ui, s)) {
		snprintf(ui->note, sizeof(ui->note),
			 "No more than %d are drawn; remove one first.",
			 SERIES);
	}
}

static void take_key(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action not_used)
{
	struct series_list *p = &ui->series_list;
	struct offered_series l;

	gather(p, view, &l);
	if (key == 27 || key == KEY_F(10))
		escape(ui);
	else if ((key == '\r' || key == ' ' || key == KEY_RIGHT) && p->at < l.n)
		choose(ui, &l.item[p->at]);
	else if (key == KEY_LEFT)
		escape(ui);
	else if (key != ' ' && prompt_edit(p->filter, sizeof(p->filter), key))
		p->at = p->top = 0;
	else
		step(p, l.n, key);
	free(l.item);
}

/* On a line: as Enter on it. */
static void click(struct ui *ui, const struct ui_view *view, int y, int x,
		  enum click click, struct action *action)
{
	struct series_list *p = &ui->series_list;

	if (click != CLICK) {
		take_key(ui, view, click == CLICK_WHEEL_UP ? KEY_UP : KEY_DOWN,
			 action);
	} else if (y >= 1) {
		p->at = p->top + (size_t)y - 1;
		take_key(ui, view, '\r', action);
	}
	(void)x;
}

static const struct overlay self = {
	.draw = draw,
	.key = take_key,
	.click = click,
};
