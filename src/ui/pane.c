/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pane: the table of panes, and their places on the screen.
 */
#include "ui/pane.h"

#include <string.h>

#include "ui/pane_table.h"
#include "ui/state.h"

static int want_device(struct ui *ui, const struct ui_view *view)
{
	return pane_table_want(ui, view, &table_device);
}

static int want_cpu(struct ui *ui, const struct ui_view *view)
{
	return pane_table_want(ui, view, &table_cpu);
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

static void draw_cpu(struct ui *ui, const struct ui_view *view, struct area a)
{
	pane_table_draw(ui, view, &table_cpu, a);
}

static void draw_task(struct ui *ui, const struct ui_view *view, struct area a)
{
	pane_table_draw(ui, view, &table_task, a);
}

const struct pane panes[PANES] = {
	[PANE_JOB] = {
		.name = "jobs",
		.help = { "2 j",
			  "jobs: rates, latencies, progress and time left" },
		.keys = "2j",
		.least = 4, .weight = 1, .priority = 6,
		.want = pane_job_want, .draw = pane_job, .table = &table_job,
	},
	[PANE_DEVICE] = {
		.name = "devices",
		.help = { "1 d",
			  "devices: iostat's columns, scheduler, readahead; as a tree" },
		.keys = "1d",
		.least = 4, .weight = 3, .priority = 5,
		.want = want_device, .draw = draw_device,
		.table = &table_device,
	},
	[PANE_GRAPH] = {
		.name = "graph",
		.help = { "3",
			  "graph: one figure over time; letters where a knob was turned" },
		.keys = "3",
		.least = 5, .weight = 2, .priority = 4,
		.want = pane_graph_want, .draw = pane_graph,
	},
	[PANE_TIMELINE] = {
		.name = "timeline",
		.help = { "4 e",
			  "timeline: what happened, figures before and after a turn" },
		.keys = "4e",
		.least = 4, .weight = 3, .priority = 3,
		.want = pane_timeline_want, .draw = pane_timeline,
	},
	[PANE_CPU] = {
		.name = "cpus",
		.help = { "6 c", "cpus: the shares of each processor" },
		.keys = "6c",
		.least = 3, .weight = 1, .priority = 1, .auto_lines = 40,
		.want = want_cpu, .draw = draw_cpu, .table = &table_cpu,
	},
	[PANE_TASK] = {
		.name = "processes",
		.help = { "5 t",
			  "processes and [kernel threads] by I/O, then by CPU" },
		.keys = "5t",
		.least = 4, .weight = 3, .priority = 2,
		.want = want_task, .draw = draw_task, .table = &table_task,
	},
};

/* Without a job the two tables have the screen to themselves. */
static int least_lines(const struct ui *ui, const struct ui_view *view,
		       enum pane_id id, int want, int lines)
{
	bool jobs = view->frame && view->frame->table[SCHEMA_JOB].n;
	int least = panes[id].least;

	if (!jobs && lines >= 15 && id == PANE_DEVICE)
		least = 9;
	if (!jobs && lines >= 15 && id == PANE_TASK)
		least = 6;
	/* A job is best shown with all its operations. */
	if (id == PANE_JOB && want <= lines / 3)
		least = want;
	return least < want ? least : want;
}

static int priority(const struct ui *ui, const struct ui_view *view, int id)
{
	bool jobs = view->frame && view->frame->table[SCHEMA_JOB].n;
	int p = panes[id].priority;

	/* What was asked for by key comes before what comes by itself. */
	if (ui->shown[id] == SHOWN_ALWAYS)
		p += 10;
	if (id == PANE_TASK && !jobs)
		p += 3;
	return p;
}

static bool may_show(const struct ui *ui, int id, int screen_lines)
{
	if (ui->shown[id] == SHOWN_AUTO)
		return screen_lines >= panes[id].auto_lines;
	return ui->shown[id] == SHOWN_ALWAYS;
}

/* Each pane its least, in the order of priority, while there are lines. */
static int give_least(struct ui *ui, const struct ui_view *view, int lines,
		      const int *want, int *given)
{
	bool done[PANES] = { false };
	int left = lines;

	for (int round = 0; round < PANES; round++) {
		int best = -1, least;

		for (int id = 0; id < PANES; id++)
			if (!done[id] && want[id] > 0 &&
			    (best < 0 ||
			     priority(ui, view, id) > priority(ui, view, best)))
				best = id;
		if (best < 0)
			break;
		done[best] = true;
		least = least_lines(ui, view, (enum pane_id)best, want[best],
				    lines);
		/* A small screen: the first panes take what there is. */
		if (least > left && (left == lines || lines < 12) && left >= 2)
			least = left;
		if (least > left)
			continue;
		given[best] = least;
		left -= least;
	}
	return left;
}

/* The lines that are left, one by one to whom they are due most. */
static void give_rest(const int *want, int *given, int left)
{
	while (left > 0) {
		int best = -1;

		for (int id = 0; id < PANES; id++) {
			if (!given[id] || given[id] >= want[id])
				continue;
			if (best < 0 || given[id] * panes[best].weight <
						given[best] * panes[id].weight)
				best = id;
		}
		if (best < 0)
			return;
		given[best]++;
		left--;
	}
}

void pane_layout(struct ui *ui, const struct ui_view *view, int top, int bottom,
		 int columns)
{
	int want[PANES] = { 0 }, given[PANES] = { 0 }, left;

	for (int id = 0; id < PANES; id++)
		if (may_show(ui, id, bottom + 1))
			want[id] = panes[id].want(ui, view);
	left = give_least(ui, view, bottom - top, want, given);
	give_rest(want, given, left);
	for (int id = 0; id < PANES; id++) {
		ui->area[id] = (struct area){ top, 0, given[id], columns };
		top += given[id];
	}
	if (!ui->area[ui->focus].lines)
		pane_focus_next(ui);
}

void pane_focus_next(struct ui *ui)
{
	for (int i = 1; i <= PANES; i++) {
		int id = ((int)ui->focus + i) % PANES;

		if (ui->area[id].lines) {
			ui->focus = (enum pane_id)id;
			return;
		}
	}
}

bool pane_toggle(struct ui *ui, int key)
{
	if (key <= ' ' || key > '~')
		return false;
	for (int id = 0; id < PANES; id++) {
		if (!strchr(panes[id].keys, key))
			continue;
		if (ui->area[id].lines) {
			ui->shown[id] = SHOWN_NEVER;
		} else {
			ui->shown[id] = SHOWN_ALWAYS;
			ui->focus = (enum pane_id)id;
			ui->area[id].lines = 1; /* until the next drawing */
		}
		return true;
	}
	return false;
}

int pane_head(struct ui *ui, enum pane_id id, const char *text)
{
	const struct area *a = &ui->area[id];
	enum role role = ui->focus == id ? ROLE_FOCUS : ROLE_HEADER;

	screen_fill(&ui->screen, a->top, a->left, a->columns, role);
	return screen_put(&ui->screen, a->top, a->left, a->columns, role, text);
}
