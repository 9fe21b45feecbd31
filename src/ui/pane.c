/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pane: the table of panes, and which of them has the keys.
 */
#include "ui/pane.h"

#include <stdio.h>

#include "ui/state.h"
#include "ui/table/table.h"

const struct pane *const panes[PANES] = {
	[PANE_SWEEP] = &pane_sweep,
	[PANE_JOB] = &pane_job,       [PANE_DEVICE] = &pane_device,
	[PANE_GRAPH] = &pane_graph,   [PANE_HEATMAP] = &pane_heatmap,
	[PANE_EFFECT] = &pane_effect, [PANE_TIMELINE] = &pane_timeline,
	[PANE_CPU] = &pane_cpu,       [PANE_TASK] = &pane_task,
	[PANE_CGROUP] = &pane_cgroup, [PANE_KNOB] = &pane_knob,
};

int pane_want(struct ui *ui, const struct ui_view *view, int id)
{
	const struct pane *p = panes[id];

	return p->want ? p->want(ui, view) : table_want(ui, view, p->table);
}

void pane_draw(struct ui *ui, const struct ui_view *view, int id)
{
	const struct pane *p = panes[id];

	if (p->draw)
		p->draw(ui, view, ui->area[id]);
	else
		table_draw(ui, view, p->table, ui->area[id]);
}

/* In a zoom only one pane is drawn, but Tab goes to the others as well. */
static bool has_place(struct ui *ui, const struct ui_view *view, int id)
{
	if (!ui->zoom)
		return ui->area[id].lines > 0;
	return ui->shown[id] != SHOWN_NEVER && pane_want(ui, view, id) > 0;
}

void pane_focus_next(struct ui *ui, const struct ui_view *view, int step)
{
	for (int i = 1; i <= PANES; i++) {
		int id = ((int)ui->focus + step * i + PANES) % PANES;

		if (has_place(ui, view, id)) {
			ui->focus = (enum pane_id)id;
			return;
		}
	}
}

/* The pane of a digit; of two, the one that has something to show. */
static int find_digit(struct ui *ui, const struct ui_view *view, int key)
{
	int found = PANES;

	for (int id = 0; id < PANES; id++) {
		if (panes[id]->help.keys[0] != key)
			continue;
		if (pane_want(ui, view, id) > 0)
			return id;
		found = found == PANES ? id : found;
	}
	return found;
}

bool pane_digit(struct ui *ui, const struct ui_view *view, int key)
{
	int id = find_digit(ui, view, key);

	if (id == PANES)
		return false;
	if (!ui->zoom && !ui->area[id].lines)
		ui->shown[id] = SHOWN_ALWAYS;
	if (pane_want(ui, view, id) > 0)
		ui->focus = (enum pane_id)id;
	else
		snprintf(ui->note, sizeof(ui->note),
			 "The pane %s has nothing to show.", panes[id]->name);
	return true;
}

void pane_hide(struct ui *ui, const struct ui_view *view)
{
	ui->zoom = false;
	ui->shown[ui->focus] = SHOWN_NEVER;
	ui->area[ui->focus].lines = 0;
	pane_focus_next(ui, view, 1);
}

void *pane_state(const struct ui *ui, enum pane_id id)
{
	return ui->state[id];
}

int pane_head(struct ui *ui, enum pane_id id, const char *text)
{
	const struct area *a = &ui->area[id];
	enum role role = ui->focus == id ? ROLE_FOCUS : ROLE_HEADER;
	int used;

	screen_fill(&ui->screen, a->top, a->left, a->columns, role);
	used = screen_printf(&ui->screen, a->top, a->left, a->columns, role,
			     "%s ", panes[id]->help.keys);
	return used + screen_put(&ui->screen, a->top, a->left + used,
				 a->columns - used, role, text);
}

void pane_move(struct ui *ui, const struct ui_view *view, long step)
{
	const struct table_spec *table = panes[ui->focus]->table;

	if (table)
		table_keys_move(ui, view, table, step);
}
