/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pane: the places of the panes on the screen, and which has the keys.
 */
#include "ui/pane.h"

#include <stdio.h>
#include <string.h>

#include "ui/layout.h"
#include "ui/state.h"

/* From here on panes stand in two columns, the right one this wide. */
#define WIDE_COLUMNS 240
#define RIGHT_PCT    42

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

/*
 * The lines that are left, one by one to whom they are due most: as many as is
 * wanted, and what is left then to those that are the better the higher.
 */
static void give_rest(const int *want, int *given, int left)
{
	bool all_have = false;

	while (left > 0) {
		int best = -1;

		for (int id = 0; id < PANES; id++) {
			if (!given[id] || (all_have ? !panes[id].grows
						    : given[id] >= want[id]))
				continue;
			if (best < 0 || given[id] * panes[best].weight <
						given[best] * panes[id].weight)
				best = id;
		}
		if (best < 0 && all_have)
			return;
		if (best < 0) {
			all_have = true;
			continue;
		}
		given[best]++;
		left--;
	}
}

/* One column of panes, from top to bottom - 1. */
static void lay_column(struct ui *ui, const struct ui_view *view,
		       const int *want, struct area a)
{
	int given[PANES] = { 0 }, left;

	left = give_least(ui, view, a.lines, want, given);
	give_rest(want, given, left);
	for (int id = 0; id < PANES; id++) {
		if (!given[id])
			continue;
		ui->area[id] =
			(struct area){ a.top, a.left, given[id], a.columns };
		a.top += given[id];
	}
}

/*
 * Fill both columns: while the right one is asked for more lines than it has
 * and the left one has lines to spare, its last pane goes over.
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
		if (want[1][id] <= 0 || sum[0] + 2 * panes[id].least > lines)
			continue;
		want[0][id] = want[1][id];
		want[1][id] = 0;
	}
}

/* Which panes have something to show, but no place for it. */
static void tell_no_room(struct ui *ui, int want[2][PANES])
{
	size_t n = 0, size = sizeof(ui->no_room);

	ui->no_room[0] = '\0';
	for (int id = 0; id < PANES && n < size; id++)
		if ((want[0][id] > 0 || want[1][id] > 0) && !ui->area[id].lines)
			n += (size_t)snprintf(
				ui->no_room + n, size - n, "%s%s %s",
				n ? ", " : "no room: ", panes[id].name,
				panes[id].help.keys);
}

static void lay_out(struct ui *ui, const struct ui_view *view, struct area a)
{
	int want[2][PANES] = { { 0 } }, n[2] = { 0 };
	bool wide = a.columns >= WIDE_COLUMNS && !ui->zoom;

	memset(ui->area, 0, sizeof(ui->area));
	for (int id = 0; id < PANES; id++) {
		int side = wide && panes[id].right;

		if (!layout_shows(ui, id, a.top + a.lines + 1))
			continue;
		want[side][id] = panes[id].want(ui, view);
		n[side] += want[side][id] > 0;
	}
	if (n[0] && n[1]) {
		struct area right = a;

		right.columns = a.columns * RIGHT_PCT / 100;
		right.left = a.columns - right.columns;
		balance(want, a.lines);
		a.columns -= right.columns + 1;
		lay_column(ui, view, want[1], right);
		lay_column(ui, view, want[0], a);
	} else {
		lay_column(ui, view, want[n[1] > 0], a);
	}
	tell_no_room(ui, want);
}

void pane_layout(struct ui *ui, const struct ui_view *view, int top, int bottom,
		 int columns)
{
	struct area a = { top, 0, bottom - top, columns };

	lay_out(ui, view, a);
	/* What filled the screen has nothing to show any more. */
	if (ui->zoom && !ui->area[ui->focus].lines) {
		ui->zoom = false;
		lay_out(ui, view, a);
	}
	if (ui->to_jobs && ui->area[PANE_JOB].lines) {
		ui->focus = PANE_JOB;
		ui->to_jobs = false;
	}
	if (!ui->area[ui->focus].lines)
		pane_focus_next(ui, view, 1);
}

/* In a zoom only one has a place, but Tab goes to the others as well. */
static bool has_place(struct ui *ui, const struct ui_view *view, int id)
{
	if (!ui->zoom)
		return ui->area[id].lines > 0;
	return ui->shown[id] != SHOWN_NEVER && panes[id].want(ui, view) > 0;
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

bool pane_digit(struct ui *ui, const struct ui_view *view, int key)
{
	int id = 0;

	while (id < PANES && panes[id].help.keys[0] != key)
		id++;
	if (id == PANES)
		return false;
	if (!ui->zoom && !ui->area[id].lines)
		ui->shown[id] = SHOWN_ALWAYS;
	if (panes[id].want(ui, view) > 0)
		ui->focus = (enum pane_id)id;
	else
		snprintf(ui->note, sizeof(ui->note),
			 "There are no %s to show now.", panes[id].name);
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

	screen_fill(&ui->screen, a->top, a->left, a->columns, role);
	return screen_put(&ui->screen, a->top, a->left, a->columns, role, text);
}
