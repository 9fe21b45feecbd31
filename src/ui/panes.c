/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Panes: their table.
 */
#include "ui/pane.h"
#include "ui/heatmap.h"
#include "ui/pane_effect.h"
#include "ui/pane_job.h"
#include "ui/pane_table.h"
#include "ui/panes.h"
#include "ui/timeline.h"

static int want_device(struct ui *ui, const struct ui_view *view)
{
	return pane_table_want(ui, view, &table_device);
}

static int want_task(struct ui *ui, const struct ui_view *view)
{
	return pane_table_want(ui, view, &table_task);
}

static void draw_device(struct ui *ui, const struct ui_view *view,
			struct area a)
{
	pane_table_draw(ui, view, &table_device, a);
}

static void draw_task(struct ui *ui, const struct ui_view *view, struct area a)
{
	pane_table_draw(ui, view, &table_task, a);
}

static void save_device(const struct ui *ui, struct saved *out)
{
	pane_table_save(ui, &table_device, out);
}

static bool load_device(struct ui *ui, const char *key, const char *value)
{
	return pane_table_load(ui, &table_device, key, value);
}

static void save_task(const struct ui *ui, struct saved *out)
{
	pane_table_save(ui, &table_task, out);
}

static bool load_task(struct ui *ui, const char *key, const char *value)
{
	return pane_table_load(ui, &table_task, key, value);
}

static void save_knob(const struct ui *ui, struct saved *out)
{
	pane_table_save(ui, &table_knob, out);
}

static bool load_knob(struct ui *ui, const char *key, const char *value)
{
	return pane_table_load(ui, &table_knob, key, value);
}

/* It is shown when somebody asks. */
#define NEVER 100000

const struct pane panes[PANES] = {
	[PANE_JOB] = {
		.name = "jobs",
		.help = { "2",
			  "jobs: rates, latencies, progress and time left; histogram" },
		.least = 4, .weight = 1, .priority = 6,
		.layouts = IN_RUN | IN_COMPARE,
		.want = pane_job_want, .draw = pane_job, .table = &table_job,
		.own = &pane_job_keys, .state_size = sizeof(struct job_state),
	},
	[PANE_DEVICE] = {
		.name = "devices",
		.help = { "1",
			  "devices: iostat's columns, scheduler, readahead; as a tree" },
		.least = 4, .weight = 3, .priority = 5,
		.layouts = IN_MONITOR | IN_RUN,
		.want = want_device, .draw = draw_device,
		.table = &table_device, .own = &pane_device_keys,
		.click = pane_table_click,
		.state_size = sizeof(struct device_state),
		.state_free = pane_device_state_free,
		.save = save_device, .load = load_device,
	},
	[PANE_GRAPH] = {
		.name = "graph",
		.help = { "3",
			  "graph: figures over time; letters where a knob was turned" },
		.least = 5, .weight = 2, .priority = 4,
		.layouts = IN_MONITOR | IN_RUN | IN_COMPARE, .right = true,
		.grows = true,
		.want = pane_graph_want, .draw = pane_graph,
		.own = &pane_graph_keys, .key = pane_graph_key,
		.save = pane_graph_save, .load = pane_graph_load,
		.click = pane_graph_click,
	},
	[PANE_HEATMAP] = {
		.name = "latencies",
		.help = { "7",
			  "latencies of a job over time, as a heat map" },
		.least = 6, .weight = 2, .priority = 2, .auto_lines = 50,
		.layouts = IN_RUN | IN_COMPARE, .right = true, .grows = true,
		.want = pane_heatmap_want, .draw = pane_heatmap,
		.own = &pane_heatmap_keys,
		.key = pane_graph_key, .click = pane_graph_click,
	},
	[PANE_EFFECT] = {
		.name = "effect",
		.help = { "9",
			  "before and after a turn, or two stretches: better or worse" },
		.least = 4, .weight = 2, .priority = 3, .auto_lines = 50,
		.layouts = IN_COMPARE,
		.want = pane_effect_want, .draw = pane_effect,
		.own = &pane_effect_keys, .key = pane_effect_key,
		.state_size = sizeof(struct effect_state),
	},
	[PANE_TIMELINE] = {
		.name = "timeline",
		.help = { "4",
			  "timeline: what happened, and what each turn did" },
		.least = 4, .weight = 3, .priority = 3,
		.layouts = IN_RUN | IN_COMPARE,
		.want = pane_timeline_want, .draw = pane_timeline,
		.own = &pane_timeline_keys, .key = pane_timeline_key,
		.state_size = sizeof(struct timeline_state),
	},
	[PANE_CPU] = {
		.name = "cpus",
		.help = { "6",
			  "cpus: bars of each; memory, writeback and pressure" },
		.least = 3, .weight = 1, .priority = 1, .auto_lines = 40,
		.layouts = IN_MONITOR, .right = true,
		.want = pane_cpu_want, .draw = pane_cpu,
	},
	[PANE_TASK] = {
		.name = "processes",
		.help = { "5",
			  "processes and [kernel threads] by I/O, then by CPU" },
		.least = 4, .weight = 3, .priority = 2,
		.layouts = IN_MONITOR, .right = true,
		.want = want_task, .draw = draw_task, .table = &table_task,
		.own = &pane_task_keys, .click = pane_table_click,
		.save = save_task, .load = load_task,
	},
	[PANE_KNOB] = {
		.name = "knobs",
		.help = { "8",
			  "knobs of the device: now, before, offered; set, put back" },
		.least = 5, .weight = 2, .priority = 2, .auto_lines = NEVER,
		.want = pane_knob_want, .draw = pane_knob,
		.table = &table_knob, .own = &pane_knob_keys,
		.save = save_knob, .load = load_knob,
	},
};
