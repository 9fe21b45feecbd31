/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chart: time on the screen, which the graph and the map of latencies share,
 * so that their columns stand below each other.
 */
#ifndef UI_CHART_H
#define UI_CHART_H

#include "ui/state.h"

/* Cells left of the time, for the labels of the axis. */
#define CHART_GUTTER 9

/* The time from start_s to start_s + columns * step_s. */
struct chart {
	double start_s, step_s; /* step_s: of a column */
	int columns;
};

/*
 * The chart of a pane that is so wide. per: columns to a cell. It ends with
 * the newest frame, of either log, or reaches back to the cursor.
 */
struct chart chart_of(const struct ui *ui, const struct ui_view *view,
		      int cells, int per);

/* The column of a time; it may lie outside the chart. */
int chart_column(const struct chart *c, double t_s);
/*
 * The same for the begin of a frame: a time on an edge belongs to the right
 * column.
 */
int chart_first_column(const struct chart *c, double begin_s);
double chart_end_s(const struct chart *c);

/*
 * The value of each column: the mean of the frames whose middle lies in it,
 * else the frame that covers it; NaN where there is none. shift_s is added to
 * the times of the history.
 */
void chart_fill(const struct chart *c, const struct history *h, double shift_s,
		const struct graph_series *s, double *out);
/* The ages of the frames that touch the chart: first (oldest) down to last;
 * false when none does. */
bool chart_ages(const struct chart *c, const struct history *h, double shift_s,
		size_t *oldest, size_t *newest);

/* The value of a series at a time; NaN for the latest. */
double chart_value(const struct history *h, double t_s,
		   const struct graph_series *s);

/*
 * Lines at the events, from top to bottom - 1, with their letters at the top;
 * per: columns to a cell. Those of another log are dotted. An event of a device
 * that none of the n series shows or lies on, above or below, has no line.
 */
void chart_events(struct ui *ui, const struct ui_view *view,
		  const struct graph_series *series, size_t n,
		  const struct chart *c, const struct area *a, int per);
/* A line at the cursor, if it is on. */
void chart_cursor(struct ui *ui, const struct chart *c, const struct area *a,
		  int per);
/* A line of times: of the start, of the cursor or the middle, of the end. */
void chart_ruler(struct ui *ui, const struct chart *c, int y, int left,
		 int cells);

/* Keys of both panes: Left Right Home End ( ). False: none of these. */
bool chart_key(struct ui *ui, const struct ui_view *view, int key,
	       struct action *action);
/* Esc alone: switches the cursor off. False: any other key. */
bool chart_escape(struct ui *ui, const struct ui_view *view, int key,
		  struct action *action);
/* The mouse in a pane with a chart: a click sets the cursor, the wheel moves
 * it. */
bool chart_click(struct ui *ui, const struct ui_view *view, int line,
		 int column, enum click click, struct action *action);
/* Put the cursor on the frame that holds that time, or on the nearest. */
void chart_cursor_at(struct ui *ui, const struct ui_view *view, double t_s);

/* Two events are the same: kind, time, device, knob and job. */
bool chart_event_same(const struct event *a, const struct event *b);
/* The index of the event's effect, or n_effects. */
size_t chart_event_effect(const struct ui_view *view, const struct event *e);
/* The letter of an event on graph and timeline, 0 when it has none. */
char chart_event_letter(const struct ui_view *view, const struct event *e);

#endif
