/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Series: the lines of the graph: those that were chosen, else the busiest. */
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

/* The maximum number of metrics that the key g goes through. */
#define MOST_FIELDS 64

/* The sum over the last frames; an idle device adds nothing to it. */
static double graph_series_moved(const struct ui_view *view,
				 const struct graph_series *s, const char *key)
{
	int field = schema_field(s->schema, key);
	double sum = 0;

	for (size_t age = 0; age < 60; age++) {
		double v = history_number_near(view->history, age, s->schema,
					       s->row, field, 0);

		sum += v > 0 ? v : 0;
	}
	return sum;
}

/*
 * The metric to begin with: a log writer's latency of syncs, else the rate of
 * the direction that most I/Os have. Reads, unless there are twice as many
 * writes: the graph must not jump between the two.
 */
static const char *first_metric(const struct ui_view *view,
				const struct graph_series *s)
{
	double reads = graph_series_moved(view, s, "read_iops");
	double writes = graph_series_moved(view, s, "write_iops");

	if (s->schema == SCHEMA_JOB &&
	    graph_series_moved(view, s, "sync_iops") > 0 && reads < writes)
		return "sync_p99_ns";
	return writes > 2 * reads ? "write_iops" : "read_iops";
}

/* The chosen job, else the first; NULL when there is none. */
const char *graph_series_job(const struct ui *ui, const struct ui_view *view)
{
	const struct table *t = &view->frame->table[SCHEMA_JOB];

	if (*ui->graph.job &&
	    frame_find(view->frame, SCHEMA_JOB, ui->graph.job))
		return ui->graph.job;
	/* Jobs that are over add nothing new. */
	for (size_t i = 0; i < t->n; i++)
		if (event_phase_of(&t->row[i]) != PHASE_DONE)
			return t->row[i].id;
	return t->n ? t->row[0].id : NULL;
}

static double busy(const struct row *row)
{
	return frame_or_0(row_number(SCHEMA_DEVICE, row, "util_pct"));
}

const char *graph_series_job_device(const struct ui *ui,
				    const struct ui_view *view)
{
	const char *job = graph_series_job(ui, view), *device;

	if (!job)
		return NULL;
	device = row_text(SCHEMA_JOB, frame_find(view->frame, SCHEMA_JOB, job),
			  "device");
	return device && frame_find(view->frame, SCHEMA_DEVICE, device) ? device
									: NULL;
}

/*
 * Keep the busiest device until it is idle, so that the graph does not jump
 * between equals.
 */
void graph_series_look(struct ui *ui, const struct ui_view *view)
{
	const struct table *t = &view->frame->table[SCHEMA_DEVICE];
	const struct row *kept = NULL, *best = NULL;
	const char *loaded = graph_series_job_device(ui, view);

	if (loaded) {
		text_set(ui->graph.device, loaded);
		return;
	}
	for (size_t i = 0; i < t->n; i++) {
		if (!strcmp(t->row[i].id, ui->graph.device))
			kept = &t->row[i];
		if (!best || busy(&t->row[i]) > busy(best))
			best = &t->row[i];
	}
	if (best && (!kept || (busy(kept) == 0 && busy(best) > 0)))
		text_set(ui->graph.device, best->id);
}

/* The device that the operator selected, else the automatic choice. */
static const char *device_row(const struct ui *ui)
{
	const struct table_state *t = &ui->table[PANE_DEVICE];

	if (t->moved && *t->selected)
		return t->selected;
	return *ui->graph.device ? ui->graph.device : NULL;
}

/* Find the one series of a graph for which none was chosen. */
static bool find_subject(const struct ui *ui, const struct ui_view *view,
			 struct graph_series *s)
{
	const char *row =
		ui->graph.on_device ? NULL : graph_series_job(ui, view);
	int list[MOST_FIELDS], i;
	size_t n;

	s->schema = row ? SCHEMA_JOB : SCHEMA_DEVICE;
	if (!row)
		row = device_row(ui);
	if (!row)
		return false;
	text_set(s->row, row);
	n = schema_fields_in(s->schema, FIELD_IN_GRAPH, list, MOST_FIELDS);
	i = ui->graph.field[s->schema];
	s->field = i > 0 && (size_t)i <= n
			   ? list[i - 1]
			   : schema_field(s->schema, first_metric(view, s));
	return true;
}

/*
 * Take the next metric of the list, of the selected series if some were chosen.
 */
void graph_series_next_field(struct ui *ui, const struct ui_view *view)
{
	struct graph_state *g = &ui->graph;
	struct graph_series s;
	int list[MOST_FIELDS], at = 0, n;

	if (!view->frame || !view->history)
		return;
	if (g->n)
		s = g->series[g->at];
	else if (!find_subject(ui, view, &s))
		return;
	n = (int)schema_fields_in(s.schema, FIELD_IN_GRAPH, list, MOST_FIELDS);
	if (!n)
		return;
	for (int i = 0; i < n; i++)
		if (list[i] == s.field)
			at = i;
	if (g->n)
		g->series[g->at].field = list[(at + 1) % n];
	else
		g->field[s.schema] = (at + 1) % n + 1;
}

void graph_series_next_row(struct ui *ui, const struct ui_view *view)
{
	const struct table *t;
	const char *job;

	if (!view->frame)
		return;
	ui->graph.n = ui->graph.at = 0;
	t = &view->frame->table[SCHEMA_JOB];
	if (ui->graph.on_device || !t->n) {
		ui->graph.on_device = false;
		ui->graph.job[0] = '\0';
		return;
	}
	job = graph_series_job(ui, view);
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].id, job)) {
			if (i + 1 < t->n)
				text_set(ui->graph.job, t->row[i + 1].id);
			else
				ui->graph.on_device = true;
			return;
		}
}

size_t graph_series_drawn(const struct ui *ui, const struct ui_view *view,
			  struct graph_series *out)
{
	if (!ui->graph.n)
		return find_subject(ui, view, out);
	memcpy(out, ui->graph.series, sizeof(ui->graph.series));
	return ui->graph.n;
}

const struct field *graph_series_field(const struct graph_series *s)
{
	return &schemas[s->schema]->fields[s->field];
}

void graph_series_name(const struct graph_series *s, char letter, char *buf,
		       size_t size)
{
	const char *row = schemas[s->schema]->single ? "" : s->row;
	char log[4] = "";

	if (letter)
		snprintf(log, sizeof(log), "%c: ", letter);
	snprintf(buf, size, "%s%s %s%s%s", log, schemas[s->schema]->name, row,
		 *row ? " " : "", graph_series_field(s)->title);
}

static size_t find_series(const struct ui *ui, const struct graph_series *s)
{
	size_t i = 0;

	while (i < ui->graph.n && (ui->graph.series[i].schema != s->schema ||
				   ui->graph.series[i].field != s->field ||
				   strcmp(ui->graph.series[i].row, s->row)))
		i++;
	return i;
}

bool graph_series_toggle(struct ui *ui, const struct graph_series *s)
{
	struct graph_state *g = &ui->graph;
	size_t i = find_series(ui, s);

	if (i < g->n) {
		g->n--;
		for (; i < g->n; i++)
			g->series[i] = g->series[i + 1];
		if (g->at >= g->n)
			g->at = g->n ? g->n - 1 : 0;
		return true;
	}
	if (g->n >= SERIES)
		return false;
	g->at = g->n;
	g->series[g->n++] = *s;
	return true;
}

/*
 * The list: choose a row of any schema, then those of its metrics that the
 * graph draws. Typed text filters the list.
 */

static const struct overlay self;

/* In the order of the list; tasks and knobs are not kept over time. */
static const enum schema_id offered[] = { SCHEMA_JOB,      SCHEMA_DEVICE,
					  SCHEMA_CPU,      SCHEMA_MEMORY,
					  SCHEMA_PRESSURE, SCHEMA_SELF };

struct offered_series {
	struct graph_series *item;
	size_t n, cap;
};

static void graph_series_name_of(const struct series_list *p,
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

static bool graph_series_matches(const struct series_list *p,
				 const struct graph_series *s)
{
	char name[128];

	graph_series_name_of(p, s, name, sizeof(name));
	return list_matches(&p->list, name) ||
	       (p->fields &&
		(list_matches(&p->list, graph_series_field(s)->key) ||
		 list_matches(&p->list, graph_series_field(s)->help)));
}

static void graph_series_add(const struct series_list *p,
			     struct offered_series *l,
			     const struct graph_series *s)
{
	if (!graph_series_matches(p, s))
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
			graph_series_add(p, l, &s);
		}
	}
}

static void graph_series_gather(const struct series_list *p,
				const struct ui_view *view,
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
		if (graph_series_field(&s)->kind == FIELD_NUMBER)
			graph_series_add(p, l, &s);
	}
}

void graph_series_open(struct ui *ui, const struct ui_view *view)
{
	if (!view->frame) {
		text_set(ui->note, "There is no data yet.");
		return;
	}
	memset(&ui->series_list, 0, sizeof(ui->series_list));
	ui->overlay = &self;
}

/* The value of a field, or the number of drawn metrics of a row. */
static void graph_series_value_of(const struct ui *ui,
				  const struct ui_view *view,
				  const struct graph_series *s, char *buf,
				  size_t size)
{
	const struct row *row = frame_find(view->frame, s->schema, s->row);
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

/* The arguments of graph_series_draw_row(). */
struct offer_drawing {
	struct ui *ui;
	const struct ui_view *view;
	const struct offered_series *offer;
};

static void graph_series_draw_row(void *arg, size_t i, int y, enum role role)
{
	const struct offer_drawing *d = arg;
	struct ui *ui = d->ui;
	const struct series_list *p = &ui->series_list;
	const struct graph_series *s = &d->offer->item[i];
	const struct area *a = &p->list.rows;
	bool wide = a->columns >= 60;
	char name[128], value[32];

	graph_series_name_of(p, s, name, sizeof(name));
	graph_series_value_of(ui, d->view, s, value, sizeof(value));
	screen_put(&ui->screen, y, a->left + 1, 3, role,
		   !p->fields                         ? ""
		   : find_series(ui, s) < ui->graph.n ? "[x]"
						      : "[ ]");
	screen_put(&ui->screen, y, a->left + 5, wide ? 16 : a->columns - 18,
		   role, name);
	screen_right(&ui->screen, y, a->left + (wide ? 21 : a->columns - 13),
		     12, role, value);
	if (wide && p->fields)
		screen_put(&ui->screen, y, a->left + 35, a->columns - 36, role,
			   graph_series_field(s)->help);
}

static void graph_series_draw(struct ui *ui, const struct ui_view *view,
			      int lines, int columns)
{
	struct series_list *p = &ui->series_list;
	struct offered_series l;
	struct offer_drawing d = { ui, view, &l };
	char head[200];
	struct area a;

	graph_series_gather(p, view, &l);
	snprintf(head, sizeof(head), "graph: %s%s, %zu of %d drawn%s%s%s",
		 p->fields ? "metrics of " : "choose a row",
		 p->fields ? p->row.row : "", ui->graph.n, SERIES,
		 *p->list.filter ? "  filter: " : "", p->list.filter,
		 list_position(&p->list, l.n).text);
	a = overlay_box(&ui->screen, lines, columns, l.n ? (int)l.n : 1, 100,
			head,
			p->fields ? "Enter, Space: draw, hide  type to find  "
				    "Esc: back"
				  : "Enter: its metrics  type to find  "
				    "Esc: close");
	list_draw(&p->list, &ui->screen, a, l.n, graph_series_draw_row, &d);
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

static void graph_series_choose(struct ui *ui, const struct graph_series *s)
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

static void graph_series_take_key(struct ui *ui, const struct ui_view *view,
				  int key, struct action *action)
{
	struct series_list *p = &ui->series_list;
	struct offered_series l;

	graph_series_gather(p, view, &l);
	if (key == KEY_F(10)) {
		ui->overlay = NULL;
	} else if (key == '\r' || key == ' ' || key == KEY_RIGHT) {
		if (p->list.at < l.n)
			graph_series_choose(ui, &l.item[p->list.at]);
	} else if (key == KEY_LEFT) {
		escape(ui);
	} else if (!list_key(&p->list, l.n, key, LIST_FILTER) && key == 27) {
		escape(ui);
	}
	free(l.item);
}

/* A click on a line works as Enter on it. */
static void graph_series_click(struct ui *ui, const struct ui_view *view, int y,
			       int x, struct action *action)
{
	struct series_list *p = &ui->series_list;
	struct offered_series l;
	size_t at;

	graph_series_gather(p, view, &l);
	at = list_row_at(&p->list, l.n, y, x);
	if (at != LIST_NONE) {
		p->list.at = at;
		graph_series_choose(ui, &l.item[at]);
	}
	free(l.item);
}

static const struct overlay self = {
	.draw = graph_series_draw,
	.key = graph_series_take_key,
	.click = graph_series_click,
};
