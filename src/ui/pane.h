/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pane: a part of the screen, one row of a const table. To add one, add its
 * row to pane.c; layout, keys and help walk the table.
 */
#ifndef UI_PANE_H
#define UI_PANE_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/screen.h"
#include "ui/ui.h"

/* In the order of the screen, from the top. */
enum pane_id {
	PANE_JOB,
	PANE_DEVICE,
	PANE_GRAPH,
	PANE_TIMELINE,
	PANE_CPU,
	PANE_TASK,
	PANES
};

struct table_spec;

struct pane {
	const char *name;
	struct ui_key_help help; /* keys that show and hide it, what it shows */
	const char *keys;        /* the same keys, one character each */
	int least;               /* lines that make sense, the head included */
	int weight;              /* of its share of the lines that are left */
	int priority;            /* who has more gets its lines first */
	int auto_lines;          /* shown unasked only on a screen this tall */
	/* Lines it could use now; 0: there is nothing to show. */
	int (*want)(struct ui *ui, const struct ui_view *view);
	void (*draw)(struct ui *ui, const struct ui_view *view,
		     struct area area);
	const struct table_spec *table; /* NULL: not a table */
};

extern const struct pane panes[PANES];

/* Place the panes on the lines from top to bottom - 1: fills ui->area. */
void pane_layout(struct ui *ui, const struct ui_view *view, int top, int bottom,
		 int columns);

/* The next pane on the screen after the present one. */
void pane_focus_next(struct ui *ui);

/* Show the pane whose key this is, or hide it; false when it is no such key. */
bool pane_toggle(struct ui *ui, int key);

/* The head of a pane that is no table. Returns the cells it took. */
int pane_head(struct ui *ui, enum pane_id id, const char *text);

/* pane_header.c: the lines above all panes; returns how many it took. */
int pane_header(struct ui *ui, const struct ui_view *view, int lines,
		int columns);

/* Each of these draws one pane. */
int pane_job_want(struct ui *ui, const struct ui_view *view);
void pane_job(struct ui *ui, const struct ui_view *view, struct area area);
int pane_graph_want(struct ui *ui, const struct ui_view *view);
void pane_graph(struct ui *ui, const struct ui_view *view, struct area area);
int pane_timeline_want(struct ui *ui, const struct ui_view *view);
void pane_timeline(struct ui *ui, const struct ui_view *view, struct area area);

/* Keys of the graph: the next field; the next job or the selected device. */
void pane_graph_next_field(struct ui *ui, const struct ui_view *view);
void pane_graph_next_row(struct ui *ui, const struct ui_view *view);

/* The letter of an event on graph and timeline, 0 when it has none. */
char pane_event_letter(const struct ui_view *view, const struct event *e);

#endif
