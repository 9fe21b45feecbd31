/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chart: maps time to columns of the screen, and values to heights. The graph
 * and the heat map share it, so that their columns are aligned. canvas.c draws
 * lines and bars, heatmap.c counts latencies, graph_series.c chooses the lines
 * of the graph.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/histogram.h"
#include "model/schema/schema.h"
#include "model/unit.h"
#include "ui/state.h"

/* Axis: converts values to heights, and finds round values for its labels. */

#define AXIS_TICKS 24

/* low is 0 on a linear axis, above 0 on a logarithmic one. */
struct axis {
	enum unit unit;
	bool log;
	double low, high;
};

/*
 * Fit an axis to the values from least (above 0) to most, with round ends in
 * the unit. A linear axis begins at 0. least and most are NaN or 0 when there
 * are no values.
 */
void chart_axis_fit(struct axis *a, enum unit unit, bool log, double least,
		    double most);

/*
 * The height of a value, 0 to 1; NaN for NaN. On a logarithmic axis, values of
 * 0 or below are at the lower end.
 */
double chart_axis_part(const struct axis *a, double v);

/*
 * Store round values from low to high, both included, at most room of them (2
 * to AXIS_TICKS). Returns their number.
 */
size_t chart_axis_ticks(const struct axis *a, size_t room, double *tick);

/*
 * Canvas: lines and bars in dots, independent of the screen. Each cell is two
 * dots wide and four high, as a braille character is. Without braille, a cell
 * shows a bar or a mark per series.
 */

#define CANVAS_DOTS_X 2
#define CANVAS_DOTS_Y 4

enum canvas_mode { CANVAS_BLOCK, CANVAS_BRAILLE, CANVAS_ASCII, CANVAS_MODES };

struct canvas_cell {
	unsigned char dots;    /* bits of U+2800 */
	unsigned char eighths; /* share of the cell's height that a bar fills */
	unsigned char series;  /* the series drawn here last, from 1; 0: none */
	unsigned char tag;     /* a character drawn over everything else, or
			          0 */
};

struct canvas {
	int columns, lines;
	enum canvas_mode mode;
	struct canvas_cell *cell; /* line by line from the top */
};

/* Make an empty canvas of that size; with a size of 0 it draws nothing. */
void canvas_init(struct canvas *c, int columns, int lines,
		 enum canvas_mode mode);
void canvas_free(struct canvas *c);

/* Dots side by side in a cell of this mode: 2 or 1. */
int canvas_per_cell(const struct canvas *c);

/*
 * x counts dots from the left (canvas_per_cell() of them to a cell), part is
 * the height, 0 to 1. Values outside, and NaN, are left out.
 *
 * Draw a bar from the bottom; any value above 0 is visible.
 */
void canvas_bar(struct canvas *c, int x, double part, int series);
/* Draw one value of a line; from: the last value, at x - 1, or NaN. */
void canvas_line(struct canvas *c, int x, double from, double part, int series);
/* Draw a character over the cell of the dot at that height. */
void canvas_tag(struct canvas *c, int x, double part, int series, char tag);

/* The character of a cell; ' ' where there is nothing. */
unsigned canvas_code(const struct canvas *c, int column, int line);
/* The series drawn in the cell, from 1; 0: none. */
int canvas_series(const struct canvas *c, int column, int line);

/* The mark of a series, from 1; it distinguishes series without colours. */
char canvas_mark(int series);

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
struct chart chart_of(const struct ui *ui, int cells, int per);

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
void chart_events(struct ui *ui, const struct graph_series *series, size_t n,
		  const struct chart *c, const struct area *a, int per);
/* Draw a line at the cursor, if it is on. */
void chart_cursor(struct ui *ui, const struct chart *c, const struct area *a,
		  int per);
/* Draw a line with the times of the start, the middle and the end. */
void chart_ruler(const struct chart *c, int y, int left, int cells);

/* The keys of both panes: Left Right Home End ( ). */
void chart_act_key(struct ui *ui);
/* Act on Esc, which switches the cursor off. False: any other key. */
bool chart_escape(struct ui *ui, int key);
/* Act on the mouse in a pane with a chart: a click sets the cursor, the wheel
 * moves it. */
bool chart_click(struct ui *ui, int line, int column, enum click click);
/* Put the cursor on the frame that holds that time, or on the nearest. */
void chart_cursor_at(struct ui *ui, double t_s);

/* Whether two events have the same kind, time, device, knob and job. */
bool chart_event_same(const struct event *a, const struct event *b);
/* The index of the event's effect, or n_effects. */
size_t chart_event_effect(const struct ui_view *view, const struct event *e);
/* The letter of an event on graph and timeline, 0 when it has none. */
char chart_event_letter(const struct ui_view *view, const struct event *e);

/*
 * Histbars: a histogram of latencies as a row of bars, on a logarithmic axis.
 */

struct histbars {
	int n, cells; /* number of bars, and cells of each */
	double share[HEAT_BINS], low_ns[HEAT_BINS];
	double most; /* the greatest share */
};

/*
 * Make bars from the lowest to the highest latency, in at most room cells.
 * False: nothing to show, or h is NULL.
 */
bool heatmap_bars(struct histbars *out, const struct histogram *h, int room);

/*
 * Heatmap: latencies over time, as counts per column and line, independent of
 * the screen.
 */

struct heatmap {
	int columns, lines;
	unsigned first, per_line; /* the lowest bin; bins per line */
	uint64_t *cell;           /* by column, then by line from the foot */
	uint64_t *total;          /* of a column */
	double most;              /* the greatest share of all */
};

/*
 * Count the latencies of a row's histogram field over the chart in at most
 * lines lines. A column has the frames whose middle is in it, else the frame
 * that covers it. The lines reach from the lowest to the highest bin in use.
 * False: nothing to show. Free *out in any case.
 */
bool heatmap_fill(struct heatmap *out, const struct chart *c,
		  const struct history *h, double shift_s,
		  enum schema_id schema, const char *row, int field, int lines);
void heatmap_free(struct heatmap *m);

/* The level of a cell by its share of the column's I/Os, 1 to HEATS; 0: none. */
int heatmap_level(const struct heatmap *m, int column, int line);
/* The lowest latency of a line, in ns; of line m->lines: the upper end. */
double heatmap_low(const struct heatmap *m, int line);

/* Series: the lines of the graph: those that were chosen, else the busiest. */

/*
 * Choose the device that the job loads, or without a job the busiest one. Call
 * this before graph_series_drawn().
 */
void graph_series_look(struct ui *ui);

/* Store the series to be drawn in out; returns their number, at most SERIES. */
size_t graph_series_drawn(const struct ui *ui, struct graph_series *out);

/*
 * The job of graph and heat map: the chosen one, else the first that runs; or
 * NULL.
 */
const char *graph_series_job(const struct ui *ui);

/* The disk that this job loads, if it has a row; or NULL. */
const char *graph_series_job_device(const struct ui *ui);

const struct field *graph_series_field(const struct graph_series *s);
/* "device sda r/s", after the letter of its log if there is one. */
void graph_series_name(const struct graph_series *s, char letter, char *buf,
		       size_t size);

/* Its number among the chosen ones, or how many there are. */
size_t graph_series_find(const struct ui *ui, const struct graph_series *s);
/* Add the series, or remove it if it is chosen; false: there is no room. */
bool graph_series_toggle(struct ui *ui, const struct graph_series *s);

/* Take the next field; take the next job or the selected device. */
void graph_series_next_field(struct ui *ui);
void graph_series_next_row(struct ui *ui);
