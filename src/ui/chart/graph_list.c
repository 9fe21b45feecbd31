/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list: choose a row of any schema, then those of its metrics that the
 * graph draws. Typed text filters the list.
 */
#include "ui/chart/chart.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/schema/schema.h"
#include "model/unit.h"
#include "ui/overlay.h"

static const struct overlay self;

/* In the order of the list; tasks and knobs are not kept over time. */
static const enum schema_id offered[] = { SCHEMA_JOB,      SCHEMA_DEVICE,
					  SCHEMA_CPU,      SCHEMA_MEMORY,
					  SCHEMA_PRESSURE, SCHEMA_SELF };

struct offered_series {
	struct graph_series *item;
	size_t n, cap;
};

static void graph_list_name_of(const struct series_list *p,
			       const struct graph_series *s, char *buf,
			       size_t size)
{
	if (p->fields)
		snprintf(buf, size, "%s", graph_series_field(s)->title);
	else
		snprintf(buf, size, "%s%s%s", schemas[s->schema]->name,
			 schemas[s->schema]->single ? "" : " ",
			 schemas[s->schema]->single ? "" : s->row);
}

static bool graph_list_matches(const struct series_list *p,
			       const struct graph_series *s)
{
	char name[128];

	graph_list_name_of(p, s, name, sizeof(name));
	return list_matches(&p->list, name) ||
	       (p->fields &&
		(list_matches(&p->list, graph_series_field(s)->key) ||
		 list_matches(&p->list, graph_series_field(s)->help)));
}

static void graph_list_add(const struct series_list *p,
			   struct offered_series *l,
			   const struct graph_series *s)
{
	if (!graph_list_matches(p, s))
		return;
	*xadd(l->item, l->n, l->cap) = *s;
}

static void gather_rows(const struct series_list *p, const struct ui_view *view,
			struct offered_series *l)
{
	for (size_t k = 0; k < ARRAY_SIZE(offered); k++) {
		const struct table *t = &view->frame->table[offered[k]];

		for (size_t i = 0; i < t->n; i++) {
			struct graph_series s = { .schema = offered[k] };

			text_set(s.row, t->row[i].id);
			graph_list_add(p, l, &s);
		}
	}
}

static void graph_list_gather(const struct series_list *p,
			      const struct ui_view *view,
			      struct offered_series *l)
{
	memset(l, 0, sizeof(*l));
	if (!p->fields) {
		gather_rows(p, view, l);
		return;
	}
	for (size_t j = 0; j < schemas[p->row.schema]->n_fields; j++) {
		struct graph_series s = p->row;

		s.field = (int)j;
		if (graph_series_field(&s)->kind == FIELD_NUMBER)
			graph_list_add(p, l, &s);
	}
}

void graph_list_open(struct ui *ui)
{
	if (ui->view->frame == &ui_no_frame) {
		text_set(ui->note, "There is no data yet.");
		return;
	}
	memset(&ui->series_list, 0, sizeof(ui->series_list));
	ui->overlay = &self;
}

/* The value of a field, or the number of drawn metrics of a row. */
static void graph_list_value_of(const struct ui *ui,
				const struct graph_series *s, char *buf,
				size_t size)
{
	const struct row *row = frame_find(ui->view->frame, s->schema, s->row);
	int n = 0;

	if (ui->series_list.fields) {
		text_copy(buf, size,
			  unit_format(unit_of(graph_series_field(s)->key),
				      row_number(s->schema, row,
						 graph_series_field(s)->key))
				  .text);
		return;
	}
	for (size_t i = 0; i < ui->graph.n; i++)
		n += ui->graph.series[i].schema == s->schema &&
		     !strcmp(ui->graph.series[i].row, s->row);
	*buf = '\0';
	if (n)
		snprintf(buf, size, "%d drawn", n);
}

/* The arguments of graph_list_draw_row(). */
struct offer_drawing {
	struct ui *ui;
	const struct offered_series *offer;
};

static void graph_list_draw_row(void *arg, size_t i, const struct area *a,
				enum role role)
{
	const struct offer_drawing *d = arg;
	struct ui *ui = d->ui;
	const struct series_list *p = &ui->series_list;
	const struct graph_series *s = &d->offer->item[i];
	bool wide = a->columns >= 60;
	char name[128], value[32];

	graph_list_name_of(p, s, name, sizeof(name));
	graph_list_value_of(ui, s, value, sizeof(value));
	screen_put(a->top, a->left + 1, 3, role,
		   !p->fields                               ? ""
		   : graph_series_find(ui, s) < ui->graph.n ? "[x]"
							    : "[ ]");
	screen_put(a->top, a->left + 5, wide ? 16 : a->columns - 18, role,
		   name);
	screen_right(a->top, a->left + (wide ? 21 : a->columns - 13), 12, role,
		     value);
	if (wide && p->fields)
		screen_put(a->top, a->left + 35, a->columns - 36, role,
			   graph_series_field(s)->help);
}

static void graph_list_draw(struct ui *ui)
{
	struct series_list *p = &ui->series_list;
	struct offered_series l;
	struct offer_drawing d = { ui, &l };
	char head[200];
	struct area a;

	graph_list_gather(p, ui->view, &l);
	snprintf(head, sizeof(head), "graph: %s%s, %zu of %d drawn%s%s%s",
		 p->fields ? "metrics of " : "choose a row",
		 p->fields ? p->row.row : "", ui->graph.n, SERIES,
		 *p->list.filter ? "  filter: " : "", p->list.filter,
		 list_position(&p->list, l.n).text);
	a = overlay_box(l.n ? (int)l.n : 1, 100, head,
			p->fields ? "Enter, Space: draw, hide  type to find  "
				    "Esc: back"
				  : "Enter: its metrics  type to find  "
				    "Esc: close");
	list_draw(&p->list, a, l.n, graph_list_draw_row, &d);
	free(l.item);
}

/* Close one level: the metrics, then the list. */
static void escape(struct ui *ui)
{
	struct series_list *p = &ui->series_list;

	if (!p->fields) {
		ui->overlay = NULL;
		return;
	}
	p->fields = false;
	memset(&p->list, 0, sizeof(p->list));
	p->list.at = p->at_row;
}

static void graph_list_choose(struct ui *ui, const struct graph_series *s)
{
	struct series_list *p = &ui->series_list;

	if (!p->fields) {
		p->row = *s;
		p->at_row = *p->list.filter ? 0 : p->list.at;
		p->fields = true;
		memset(&p->list, 0, sizeof(p->list));
	} else if (!graph_series_toggle(ui, s)) {
		snprintf(ui->note, sizeof(ui->note), "At most %d series.",
			 SERIES);
	}
}

static void graph_list_take_key(struct ui *ui, int key)
{
	struct series_list *p = &ui->series_list;
	struct offered_series l;

	graph_list_gather(p, ui->view, &l);
	if (key == KEY_F(10)) {
		ui->overlay = NULL;
	} else if (key == '\r' || key == ' ' || key == KEY_RIGHT) {
		if (p->list.at < l.n)
			graph_list_choose(ui, &l.item[p->list.at]);
	} else if (key == KEY_LEFT) {
		escape(ui);
	} else if (!list_key(&p->list, l.n, key, LIST_FILTER) && key == 27) {
		escape(ui);
	}
	free(l.item);
}

/* A click on a line works as Enter on it. */
static void graph_list_click(struct ui *ui, int y, int x)
{
	struct series_list *p = &ui->series_list;
	struct offered_series l;

	graph_list_gather(p, ui->view, &l);
	if (list_click(&p->list, l.n, y, x))
		graph_list_choose(ui, &l.item[p->list.at]);
	free(l.item);
}

static const struct overlay self = {
	.draw = graph_list_draw,
	.key = graph_list_take_key,
	.click = graph_list_click,
};
