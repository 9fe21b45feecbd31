/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series: what the graph draws: what was chosen, else what moves.
 */
#ifndef UI_CHART_GRAPH_SERIES_H
#define UI_CHART_GRAPH_SERIES_H

#include "ui/state.h"

/*
 * Nobody has selected a device: the one that the job loads; without a job the
 * busiest. To be called before the next one.
 */
void graph_series_look(struct ui *ui, const struct ui_view *view);

/* The series to be drawn; returns how many, at most SERIES. */
size_t graph_series_drawn(const struct ui *ui, const struct ui_view *view,
			  struct graph_series *out);

/* The job that the panes of latencies show: chosen, else the first; or NULL. */
const char *graph_series_job(const struct ui *ui, const struct ui_view *view);

/* The disk that this job loads, if it has a row; or NULL. */
const char *graph_series_job_device(const struct ui *ui,
				    const struct ui_view *view);

const struct field *graph_series_field(const struct graph_series *s);
/* "r/s seq", with the letter of its log before it. */
void graph_series_name(const struct graph_series *s, char letter, char *buf,
		       size_t size);

/* Add it, or remove it when it is there; false: there is no room. */
bool graph_series_toggle(struct ui *ui, const struct graph_series *s);
bool graph_series_has(const struct ui *ui, const struct graph_series *s);

/* Keys of the graph: the next field; the next job or the selected device. */
void graph_series_next_field(struct ui *ui, const struct ui_view *view);
void graph_series_next_row(struct ui *ui, const struct ui_view *view);

#endif
