/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chart: maps time to columns of the screen. The graph and the heat map share
 * it, so that their columns are aligned.
 */
#ifndef UI_CHART_H
#define UI_CHART_H

#include "ui/state.h"

/* Cells at the left, for the labels of the axis. */
#define CHART_GUTTER 9

/* The time from start_s to start_s + columns * step_s. */
struct chart {
	double start_s, step_s; /* step_s: of a column */
	int columns;
};

/*
 * The chart of a pane with that many cells. per: columns per cell. The chart
 * ends with the newest frame of both logs, or earlier, to contain the cursor.
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
/* The time at the right edge of a chart. */
double chart_end_s(const struct chart *c);

/*
 * Store the value of each column in out: the mean of the frames whose middle is
 * in the column, else the value of the frame that covers it; NaN: no frame.
 * shift_s is added to the times of the history.
 */
void chart_fill(const struct chart *c, const struct history *h, double shift_s,
		const struct graph_series *s, double *out);
/* Find the ages of the frames within the chart, oldest down to newest; false:
 * there are none. */
bool chart_ages(const struct chart *c, const struct history *h, double shift_s,
		size_t *oldest, size_t *newest);

/* The value of a series at a time, or, for t_s NaN, of the newest frame. */
double chart_value(const struct history *h, double t_s,
		   const struct graph_series *s);

/*
 * Draw a line for each event, with its letter at the top; per: columns per
 * cell. Lines of another log are dotted. An event of a device gets a line only
 * if one of the n series is of that device or of one above or below it.
 */
void chart_events(struct ui *ui, const struct ui_view *view,
		  const struct graph_series *series, size_t n,
		  const struct chart *c, const struct area *a, int per);
/* Draw a line at the cursor, if it is on. */
void chart_cursor(struct ui *ui, const struct chart *c, const struct area *a,
		  int per);
/* Draw a line with the times of the start, the middle and the end. */
void chart_ruler(struct ui *ui, const struct chart *c, int y, int left,
		 int cells);

/* Act on a key of both panes: Left Right Home End ( ). False: another key. */
bool chart_key(struct ui *ui, const struct ui_view *view, int key,
	       struct action *action);
/* Act on Esc, which switches the cursor off. False: any other key. */
bool chart_escape(struct ui *ui, const struct ui_view *view, int key,
		  struct action *action);
/* Act on the mouse in a pane with a chart: a click sets the cursor, the wheel
 * moves it. */
bool chart_click(struct ui *ui, const struct ui_view *view, int line,
		 int column, enum click click, struct action *action);
/* Put the cursor on the frame that holds that time, or on the nearest. */
void chart_cursor_at(struct ui *ui, const struct ui_view *view, double t_s);

/* Whether two events have the same kind, time, device, knob and job. */
bool chart_event_same(const struct event *a, const struct event *b);
/* The index of the event's effect, or n_effects. */
size_t chart_event_effect(const struct ui_view *view, const struct event *e);
/* The letter of an event on graph and timeline, 0 when it has none. */
char chart_event_letter(const struct ui_view *view, const struct event *e);

#endif
