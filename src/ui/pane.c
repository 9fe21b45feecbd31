/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pane: the table of panes, which of them has the keys, their arrangements, and
 * the lines that each gets.
 */
#include "ui/pane.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/state.h"
#include "ui/table/table.h"

const struct pane *const panes[PANES] = {
	[PANE_SWEEP] = &pane_sweep,   [PANE_FLEET] = &pane_fleet,
	[PANE_JOB] = &pane_job,       [PANE_DEVICE] = &pane_device,
	[PANE_MOUNT] = &pane_mount,
	[PANE_GRAPH] = &pane_graph,   [PANE_HEATMAP] = &pane_heatmap,
	[PANE_EFFECT] = &pane_effect, [PANE_TIMELINE] = &pane_timeline,
	[PANE_SLOW] = &pane_slow,     [PANE_CPU] = &pane_cpu,
	[PANE_TASK] = &pane_task,     [PANE_CGROUP] = &pane_cgroup,
	[PANE_KNOB] = &pane_knob,
};

int pane_want(struct ui *ui, int id)
{
	const struct pane *p = panes[id];

	return p->want ? p->want(ui) : table_want(ui, &ui->table[id]);
}

void pane_draw(struct ui *ui, int id)
{
	const struct pane *p = panes[id];

	if (p->draw)
		p->draw(ui, ui->area[id]);
	else
		table_draw(ui, &ui->table[id], ui->area[id]);
}

/* In a zoom only one pane is drawn, but Tab goes to the others as well. */
static bool has_place(struct ui *ui, int id)
{
	if (!ui->zoom)
		return ui->area[id].lines > 0;
	return ui->shown[id] != SHOWN_NEVER && pane_want(ui, id) > 0;
}

void pane_focus_next(struct ui *ui, int step)
{
	for (int i = 1; i <= PANES; i++) {
		int id = ((int)ui->focus + step * i + PANES) % PANES;

		if (has_place(ui, id)) {
			ui->focus = (enum pane_id)id;
			return;
		}
	}
}

/* The pane of a digit; of two, the one that has something to show. */
static int find_digit(struct ui *ui, int key)
{
	int found = PANES;

	for (int id = 0; id < PANES; id++) {
		if (panes[id]->help.keys[0] != key)
			continue;
		if (pane_want(ui, id) > 0)
			return id;
		found = found == PANES ? id : found;
	}
	return found;
}

/* Give the keys to the pane of a digit; false when it has nothing to show. */
static bool go_to_digit(struct ui *ui, int key)
{
	int id = find_digit(ui, key);

	if (pane_want(ui, id) <= 0)
		return false;
	if (!ui->zoom && !ui->area[id].lines)
		ui->shown[id] = SHOWN_ALWAYS;
	ui->focus = (enum pane_id)id;
	return true;
}

bool pane_digit(struct ui *ui, int key)
{
	char names[80] = "";

	if (find_digit(ui, key) == PANES)
		return false;
	if (go_to_digit(ui, key))
		return true;
	ui->digit = key;
	for (int id = 0; id < PANES; id++)
		if (panes[id]->help.keys[0] == key)
			text_append(names, "%s%s", *names ? ", " : "",
				    panes[id]->name);
	snprintf(ui->note, sizeof(ui->note),
		 "Pane %c (%s) has nothing to show yet.", key, names);
	return true;
}

void pane_hide(struct ui *ui)
{
	ui->zoom = false;
	ui->shown[ui->focus] = SHOWN_NEVER;
	ui->area[ui->focus].lines = 0;
	pane_focus_next(ui, 1);
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

	screen_fill(a->top, a->left, a->columns, role);
	used = screen_printf(a->top, a->left, a->columns, role, "%s ",
			     panes[id]->help.keys);
	return used + screen_put(a->top, a->left + used, a->columns - used,
				 role, text);
}

void pane_move(struct ui *ui, long step)
{
	if (panes[ui->focus]->table)
		table_keys_move(ui, &ui->table[ui->focus], step);
}

/* --- layout --- */

static const struct {
	const char *name, *help;
} layouts[LAYOUTS] = {
	[LAYOUT_AUTO] = { "auto",
			  "all panes that have something to show and room" },
	[LAYOUT_MONITOR] = { "monitor", "devices, processes and the machine" },
	[LAYOUT_RUN] = { "run", "jobs, their devices and events" },
	[LAYOUT_COMPARE] = { "compare", "before and after a change" },
};

const char *pane_layout_name(size_t i)
{
	return i < LAYOUTS ? layouts[i].name : NULL;
}

static void set_layout(struct ui *ui, enum layout_id layout)
{
	ui->layout = layout;
	ui->zoom = false;
	for (int id = 0; id < PANES; id++)
		ui->shown[id] = SHOWN_AUTO;
}

void pane_layout_next(struct ui *ui)
{
	set_layout(ui, (enum layout_id)((ui->layout + 1) % LAYOUTS));
	snprintf(ui->note, sizeof(ui->note), "Layout %s: %s",
		 layouts[ui->layout].name, layouts[ui->layout].help);
}

bool pane_layout_by_name(struct ui *ui, const char *name)
{
	const size_t i = text_find(name, layouts, LAYOUTS, name);

	if (i < LAYOUTS)
		set_layout(ui, (enum layout_id)i);
	return i < LAYOUTS;
}

static bool shows(const struct ui *ui, int id, int screen_lines)
{
	if (ui->zoom)
		return id == (int)ui->focus;
	if (ui->shown[id] != SHOWN_AUTO)
		return ui->shown[id] == SHOWN_ALWAYS;
	if (ui->layout == LAYOUT_AUTO)
		return screen_lines >= panes[id]->auto_lines;
	return panes[id]->layouts & (1u << ui->layout);
}

int pane_layout_status_line(int lines)
{
	return lines - (lines >= STATUS_LINES ? 2 : 1);
}

/*
 * The width from which panes stand in two columns, and the width of the right
 * one.
 */
#define WIDE_COLUMNS 240
#define RIGHT_PCT    42

/* The minimum of a pane; without jobs, devices and processes have more. */
static int least_lines(struct ui *ui, enum pane_id id, int want, int lines)
{
	bool jobs = ui->view->frame->table[SCHEMA_JOB].n;
	int least = panes[id]->least, busy;

	if (!jobs && lines >= 15 && id == PANE_DEVICE)
		least = 9;
	if (!jobs && lines >= 15 && id == PANE_TASK)
		least = 9;
	/* So that processes of a run have room at 80x24. */
	if (jobs && lines >= 15 && lines < 20 &&
	    (id == PANE_GRAPH || (id == PANE_TASK && ui->focus != id)))
		least--;
	/* Idle devices give way before another pane does. */
	if (id == PANE_DEVICE) {
		busy = 1 + (int)table_busy(ui, &ui->table[id]);
		if (least > busy)
			least = busy > 2 ? busy : 2;
	}
	/* Show all operations of the jobs if possible. */
	if (id == PANE_JOB && want <= lines / 3)
		least = want;
	return least < want ? least : want;
}

static int priority(const struct ui *ui, int id)
{
	bool jobs = ui->view->frame->table[SCHEMA_JOB].n;
	int p = panes[id]->priority;

	/* Panes that the operator has shown come before the others. */
	if (ui->shown[id] == SHOWN_ALWAYS)
		p += 10;
	if (id == PANE_TASK && (!jobs || (int)ui->focus == id))
		p += 3;
	return p;
}

/*
 * Give each pane its minimum, in the order of priority, while there are lines.
 */
static int give_least(struct ui *ui, int lines, const int *want, int *given)
{
	bool done[PANES] = { false };
	int left = lines;

	for (int round = 0; round < PANES; round++) {
		int best = -1, least;

		for (int id = 0; id < PANES; id++)
			if (!done[id] && want[id] > 0 &&
			    (best < 0 || priority(ui, id) > priority(ui, best)))
				best = id;
		if (best < 0)
			break;
		done[best] = true;
		least = least_lines(ui, (enum pane_id)best, want[best], lines);
		/* A small screen: the first panes take all lines. */
		if (least > left && (left == lines || lines < 12) && left >= 2)
			least = left;
		if (least > left)
			continue;
		given[best] = least;
		left -= least;
	}
	return left;
}

/*
 * Distribute the remaining lines, one by one, to the pane furthest below its
 * share: until each has what it wants, then, if all is true, to panes that grow.
 * Returns the lines that are left.
 */
static int pane_give_rest(const int *want, int *given, int left, bool all)
{
	bool all_have = false;

	while (left > 0) {
		int best = -1;

		for (int id = 0; id < PANES; id++) {
			if (!given[id] || (all_have ? !panes[id]->grows
						    : given[id] >= want[id]))
				continue;
			if (best < 0 || given[id] * panes[best]->weight <
						given[best] * panes[id]->weight)
				best = id;
		}
		if (best < 0 && (all_have || !all))
			return left;
		if (best < 0) {
			all_have = true;
			continue;
		}
		given[best]++;
		left--;
	}
	return 0;
}

/* One column of panes, from top to bottom - 1. */
static void lay_column(struct ui *ui, const int *want, struct area a)
{
	int given[PANES] = { 0 }, busy[PANES], left;

	/* Idle devices get the lines that no other pane wants. */
	memcpy(busy, want, sizeof(busy));
	if (want[PANE_DEVICE] && ui->focus != PANE_DEVICE)
		busy[PANE_DEVICE] =
			2 + (int)table_busy(ui, &ui->table[PANE_DEVICE]);
	left = give_least(ui, a.lines, want, given);
	left = pane_give_rest(busy, given, left, false);
	pane_give_rest(want, given, left, true);
	for (int id = 0; id < PANES; id++) {
		if (!given[id])
			continue;
		ui->area[id] =
			(struct area){ a.top, a.left, given[id], a.columns };
		a.top += given[id];
	}
}

/*
 * Fill both columns: while the right one wants more lines than it has and the
 * left one has spare lines, move its last pane over.
 */
static void balance(int want[2][PANES], int lines)
{
	for (int id = PANES - 1; id >= 0; id--) {
		int sum[2] = { 0 }, n = 0;

		for (int i = 0; i < PANES; i++) {
			sum[0] += want[0][i];
			sum[1] += want[1][i] < lines ? want[1][i] : lines;
			n += want[1][i] > 0;
		}
		if (sum[1] <= lines || n < 2)
			return;
		if (want[1][id] <= 0 || sum[0] + 2 * panes[id]->least > lines)
			continue;
		want[0][id] = want[1][id];
		want[1][id] = 0;
	}
}

/* Keep the names of the panes that have no room. */
static void tell_no_room(struct ui *ui, int want[2][PANES])
{
	ui->no_room[0] = '\0';
	for (int id = 0; id < PANES; id++)
		if ((want[0][id] > 0 || want[1][id] > 0) && !ui->area[id].lines)
			text_append(ui->no_room, "%s%s (%s)",
				    *ui->no_room ? ", " : "hidden: ",
				    panes[id]->name, panes[id]->help.keys);
}

static void pane_lay_out(struct ui *ui, struct area a)
{
	int want[2][PANES] = { { 0 } }, n[2] = { 0 };
	bool wide = a.columns >= WIDE_COLUMNS && !ui->zoom;

	memset(ui->area, 0, sizeof(ui->area));
	for (int id = 0; id < PANES; id++) {
		int side = wide && panes[id]->right;

		if (!shows(ui, id, a.top + a.lines + 1))
			continue;
		want[side][id] = pane_want(ui, id);
		n[side] += want[side][id] > 0;
	}
	if (n[0] && n[1]) {
		struct area right = a;

		right.columns = a.columns * RIGHT_PCT / 100;
		right.left = a.columns - right.columns;
		balance(want, a.lines);
		a.columns -= right.columns + 1;
		lay_column(ui, want[1], right);
		lay_column(ui, want[0], a);
	} else {
		lay_column(ui, want[n[1] > 0], a);
	}
	tell_no_room(ui, want);
}

void pane_layout_panes(struct ui *ui, int top, int bottom, int columns)
{
	struct area a = { top, 0, bottom - top, columns };

	/* The note that it has nothing to show is over, too. */
	if (ui->digit && go_to_digit(ui, ui->digit)) {
		ui->digit = 0;
		ui->note[0] = '\0';
	}
	pane_lay_out(ui, a);
	/* The zoomed pane has nothing to show any more. */
	if (ui->zoom && !ui->area[ui->focus].lines) {
		ui->zoom = false;
		pane_lay_out(ui, a);
	}
	if (ui->to_jobs && ui->area[PANE_JOB].lines) {
		ui->focus = PANE_JOB;
		ui->to_jobs = false;
	}
	if (!ui->area[ui->focus].lines)
		pane_focus_next(ui, 1);
}
