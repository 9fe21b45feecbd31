/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slow pane: the slowest traced requests and calls of the interval, with the
 * process and the file of each.
 */
#include <curses.h>
#include <math.h>
#include <stdio.h>

#include "ui/table/table.h"

/* Lines that the pane asks for: it must not change its size with each frame. */
#define LINES_WANTED 17

static const char *const keys[] = { "total_ns", "error", NULL };
static const char *const names[] = { "op", "comm", "file", NULL };

static double pane_slow_rank(const struct row *row, const int *at)
{
	return frame_or_0(row->value[at[0]].number);
}

static bool pane_slow_failed(const struct row *row, const int *at)
{
	return row->value[at[1]].text;
}

/* The number behind the device says nothing on a screen. */
static const char *pane_slow_id(const struct row *row, char *buf, size_t size)
{
	return row_text(SCHEMA_SLOW, row, "device");
}

/* '~' before the name: a kernel thread wrote what this process had changed. */
static const char *pane_slow_text(const struct row *row, int field, char *buf,
				  size_t size)
{
	if (field != schema_field(SCHEMA_SLOW, "comm") ||
	    !row_text(SCHEMA_SLOW, row, "writer") || !row->value[field].text)
		return row->value[field].text;
	snprintf(buf, size, "~%s", row->value[field].text);
	return buf;
}

const struct table_spec table_slow = {
	.pane = PANE_SLOW,
	.schema = SCHEMA_SLOW,
	.title = "slow",
	.id_width = 8,
	.names = names,
	.keys = keys,
	.rank = pane_slow_rank,
	.alert = pane_slow_failed,
	.id = pane_slow_id,
	.text = pane_slow_text,
};

/* Where there is a trace, also while no request completes. */
static int pane_slow_want(struct ui *ui)
{
	const int want = table_want(ui, &ui->table[PANE_SLOW]);
	const struct table *t = &ui->view->frame->table[SCHEMA_DEVICE];

	for (size_t i = 0; want <= LINES_WANTED && i < t->n; i++)
		if (!isnan(row_number(SCHEMA_DEVICE, &t->row[i],
				      "trace_missed")))
			return LINES_WANTED;
	return want;
}

/* Go to the process that made the selected request. */
static void pane_slow_act_process(struct ui *ui)
{
	const struct frame *f = ui->view->frame;
	const struct row *row =
		frame_find(f, SCHEMA_SLOW, ui->table[PANE_SLOW].selected);
	struct table_state *tasks = &ui->table[PANE_TASK];
	char id[ROW_ID_MAX];

	snprintf(id, sizeof(id), "%.0f", row_number(SCHEMA_SLOW, row, "pid"));
	row = f ? frame_find(f, SCHEMA_TASK, id) : NULL;
	if (!row) {
		text_set(ui->note, "The process of this request has no row: it "
				   "has ended, or did no I/O.");
		return;
	}
	text_set(tasks->selected, id);
	tasks->moved = true;
	/* Its row would not be seen: its group is shut. */
	tasks->follow |= row_number(SCHEMA_TASK, row, "kernel") == 1;
	pane_digit(ui, *panes[PANE_TASK]->help.keys);
}

/* clang-format off */
static const struct key own_keys[] = {
	{ { "Enter", "the process of the request, among the processes" },
	  "Ent", "process", WHEN_ALWAYS, { '\r' },
	  .act = pane_slow_act_process },
};

static const struct key_list own = { own_keys, ARRAY_SIZE(own_keys) };

const struct pane pane_slow = {
	.name = "slow",
	.help = { "2",
		  "the slowest requests, traced, with process and file" },
	.least = 4, .weight = 1, .priority = 1, .auto_lines = 40,
	.layouts = IN_MONITOR,
	.want = pane_slow_want, .table = &table_slow, .own = &own,
};
/* clang-format on */
