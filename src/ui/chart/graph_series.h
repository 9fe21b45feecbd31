/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series: the lines of the graph: those that were chosen, else the busiest.
 */
#ifndef UI_CHART_GRAPH_SERIES_H
#define UI_CHART_GRAPH_SERIES_H

#include "ui/state.h"

/*
 * While the operator has not selected a device: choose the one that the job
 * loads, or without a job the busiest. Call it before graph_series_list().
 */
void graph_series_look(struct ui *ui, const struct ui_view *view);

/* The series to be drawn; returns how many, at most SERIES. */
size_t graph_series_drawn(const struct ui *ui, const struct ui_view *view,
			  struct graph_series *out);

/*
 * The job that the latency panes show: the chosen one, else the first; or NULL.
 */
const char *graph_series_job(const struct ui *ui, const struct ui_view *view);

/* The disk that this job loads, if it has a row; or NULL. */
const char *graph_series_job_device(const struct ui *ui,
				    const struct ui_view *view);

const struct field *graph_series_field(const struct graph_series *s);
/* "r/s seq", with the letter of its log before it. */
void graph_series_name(const struct graph_series *s, char letter, char *buf,
		       size_t size);

/* Add the series, or remove it when it is there; false: there is no room. */
bool graph_series_toggle(struct ui *ui, const struct graph_series *s);
bool graph_series_has(const struct ui *ui, const struct graph_series *s);

/* Keys of the graph: the next field; the next job or the selected device. */
void graph_series_next_field(struct ui *ui, const struct ui_view *view);
void graph_series_next_row(struct ui *ui, const struct ui_view *view);

#endif
