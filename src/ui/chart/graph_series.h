/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series: the lines of the graph: those that were chosen, else the busiest.
 */
#ifndef UI_CHART_GRAPH_SERIES_H
#define UI_CHART_GRAPH_SERIES_H

#include "ui/state.h"

/*
 * Choose the device that the job loads, or without a job the busiest one. Call
 * this before graph_series_drawn().
 */
void graph_series_look(struct ui *ui, const struct ui_view *view);

/* Store the series to be drawn in out; returns their number, at most SERIES. */
size_t graph_series_drawn(const struct ui *ui, const struct ui_view *view,
			  struct graph_series *out);

/*
 * The job of graph and heat map: the chosen one, else the first that runs; or
 * NULL.
 */
const char *graph_series_job(const struct ui *ui, const struct ui_view *view);

/* The disk that this job loads, if it has a row; or NULL. */
const char *graph_series_job_device(const struct ui *ui,
				    const struct ui_view *view);

const struct field *graph_series_field(const struct graph_series *s);
/* "device sda r/s", after the letter of its log if there is one. */
void graph_series_name(const struct graph_series *s, char letter, char *buf,
		       size_t size);

/* Add the series, or remove it if it is chosen; false: there is no room. */
bool graph_series_toggle(struct ui *ui, const struct graph_series *s);
bool graph_series_has(const struct ui *ui, const struct graph_series *s);

/* Take the next field; take the next job or the selected device. */
void graph_series_next_field(struct ui *ui, const struct ui_view *view);
void graph_series_next_row(struct ui *ui, const struct ui_view *view);

#endif
