/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Series: the lines of the graph: those that were chosen, else the busiest. */
#include "ui/chart/chart.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/schema/schema.h"

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
const char *graph_series_job(const struct ui *ui)
{
	const struct table *t = &ui->view->frame->table[SCHEMA_JOB];

	if (*ui->graph.job &&
	    frame_find(ui->view->frame, SCHEMA_JOB, ui->graph.job))
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

const char *graph_series_job_device(const struct ui *ui)
{
	const char *job = graph_series_job(ui), *device;

	if (!job)
		return NULL;
	device = row_text(SCHEMA_JOB,
			  frame_find(ui->view->frame, SCHEMA_JOB, job),
			  "device");
	return device && frame_find(ui->view->frame, SCHEMA_DEVICE, device)
		       ? device
		       : NULL;
}

/*
 * Keep the busiest device until it is idle, so that the graph does not jump
 * between equals.
 */
void graph_series_look(struct ui *ui)
{
	const struct table *t = &ui->view->frame->table[SCHEMA_DEVICE];
	const struct row *kept = NULL, *best = NULL;
	const char *loaded = graph_series_job_device(ui);

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
static bool find_subject(const struct ui *ui, struct graph_series *s)
{
	const char *row = ui->graph.on_device ? NULL : graph_series_job(ui);
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
			   : schema_field(s->schema, first_metric(ui->view, s));
	return true;
}

/*
 * Take the next metric of the list, of the selected series if some were chosen.
 */
void graph_series_next_field(struct ui *ui)
{
	struct graph_state *g = &ui->graph;
	struct graph_series s;
	int list[MOST_FIELDS], at = 0, n;

	if (!ui->view->history)
		return;
	if (g->n)
		s = g->series[g->at];
	else if (!find_subject(ui, &s))
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

void graph_series_next_row(struct ui *ui)
{
	const struct table *t = &ui->view->frame->table[SCHEMA_JOB];
	const char *job;

	ui->graph.n = ui->graph.at = 0;
	if (ui->graph.on_device || !t->n) {
		ui->graph.on_device = false;
		ui->graph.job[0] = '\0';
		return;
	}
	job = graph_series_job(ui);
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].id, job)) {
			if (i + 1 < t->n)
				text_set(ui->graph.job, t->row[i + 1].id);
			else
				ui->graph.on_device = true;
			return;
		}
}

size_t graph_series_drawn(const struct ui *ui, struct graph_series *out)
{
	if (!ui->graph.n)
		return find_subject(ui, out);
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

size_t graph_series_find(const struct ui *ui, const struct graph_series *s)
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
	size_t i = graph_series_find(ui, s);

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
