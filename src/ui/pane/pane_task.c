/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes pane: processes with their I/O and CPU time. Kernel threads form
 * groups: threads that do I/O for others, workers of loop devices (other
 * processes have moved their bytes already), and the rest.
 */
#include <curses.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"
#include "model/schema/schema_machine.h"
#include "ui/overlay.h"
#include "ui/table/table.h"

#define HELPERS "[kernel I/O]"
#define LOOPS   "[kernel loop]"
#define OTHERS  "[kernel]"

/* Groups, and their texts in the column of command lines. */
static const struct {
	const char *id, *words;
} groups[] = {
	{ HELPERS, "kernel threads that do I/O for others" },
	{ LOOPS, "loop workers: I/O of other processes" },
	{ OTHERS, "other kernel threads" },
};

/* The fields that decide order and groups of the rows. */
enum { READ, WRITTEN, WAIT, CPU, STATE, KERNEL, GROUP, READ_SUM, WRITTEN_SUM };
static const char *const ranking[] = { "read_bytes_per_s",
				       "write_bytes_per_s",
				       "wait_ns",
				       "cpu_pct",
				       "state",
				       "kernel",
				       "group",
				       "read_bytes",
				       "write_bytes",
				       NULL };

/* Whether the task is in state D: it waits for I/O and takes no signal. */
static bool task_alert(const struct row *row, const int *at)
{
	const char *state = row->value[at[STATE]].text;

	return state && !strcmp(state, "D");
}

static bool pane_task_is_group(const struct row *row)
{
	return row->id[0] == '[';
}

/* A row of processes that ended. */
static bool pane_task_ended(const struct row *row)
{
	const char *state = row_text(SCHEMA_TASK, row, "state");

	return state && *state == TASK_ENDED;
}

/*
 * Such a row stays above those that do no I/O until it goes, if it did so much in
 * all: the commands of a shell script, which read their own pages, do not.
 */
#define ENDED_RANK  1e5
#define ENDED_BYTES 1e6

/* Bytes per second that it reads and writes. */
static double task_bytes(const struct row *row, const int *at)
{
	return frame_or_0(row->value[at[READ]].number) +
	       frame_or_0(row->value[at[WRITTEN]].number);
}

/* Rank tasks in state D first, by their wait; then by the bytes that they move
 * (not loop workers: other processes have these bytes); then by CPU time. */
static double task_rank(const struct row *row, const int *at)
{
	const union value *v = row->value;
	double bytes = task_bytes(row, at);
	double wait = frame_or_0(v[at[WAIT]].number);

	if (pane_task_is_group(row) && !strcmp(row->id, LOOPS))
		bytes = 0;
	if (v[at[STATE]].text && *v[at[STATE]].text == TASK_ENDED)
		return bytes * 1e6 +
		       (frame_or_0(v[at[READ_SUM]].number) +
					frame_or_0(v[at[WRITTEN_SUM]].number) <
				ENDED_BYTES
				? 0
				: ENDED_RANK);
	return bytes * 1e6 + frame_or_0(v[at[CPU]].number) +
	       (task_alert(row, at) ? 1e30 + wait * 1e12 : 0);
}

static bool task_idle(const struct row *row, const int *at)
{
	return task_rank(row, at) == 0;
}

static struct table_trend *trend_of(const struct table_state *t, const char *id,
				    size_t hint)
{
	const size_t at = xfind(hint, t->n_trends, i,
				!strcmp(t->trend[i].id, id));

	return at < t->n_trends ? &t->trend[at] : NULL;
}

/* A process is kept until it has moved nothing for TREND_FRAMES frames. */
static void task_look(struct table_state *t, const struct frame *f)
{
	const struct table *table = &f->table[SCHEMA_TASK];
	size_t kept = 0, hint = 0;

	/* Another place in a replay. */
	if (f->t_s < t->trend_s)
		t->n_trends = 0;
	t->trend_s = f->t_s;
	for (size_t i = 0; i < t->n_trends; i++) {
		struct table_trend *trend = &t->trend[i];
		bool any = false;

		for (size_t k = 1; k < TREND_FRAMES; k++) {
			trend->moved[k - 1] = trend->moved[k];
			any |= trend->moved[k] > 0;
		}
		trend->moved[TREND_FRAMES - 1] = 0;
		if (any)
			t->trend[kept++] = *trend;
	}
	t->n_trends = kept;
	for (size_t i = 0; i < table->n; i++) {
		const struct row *row = &table->row[i];
		const double moved = task_bytes(row, t->key_at);
		struct table_trend *trend;

		if (!(moved > 0))
			continue;
		trend = trend_of(t, row->id, hint);
		if (!trend) {
			trend = xadd(t->trend, t->n_trends, t->cap_trends);
			text_set(trend->id, row->id);
		}
		hint = (size_t)(trend - t->trend) + 1;
		trend->moved[TREND_FRAMES - 1] = moved;
	}
}

static void task_draw_trend(struct ui *ui, const struct row *row, int y, int x,
			    int cells, enum role role)
{
	const struct table_trend *trend =
		trend_of(&ui->table[PANE_TASK], row->id, 0);

	if (trend)
		pane_device_trend(ui, trend->moved, y, x, cells, role);
}

static const struct table_extra extras[] = {
	{ "trend", "trend",
	  "bytes read and written in the last 16 readings, as shares of the "
	  "largest",
	  TREND_CELLS, 10, task_draw_trend },
};

/* The user's name, or the user's number if there is no name. */
static const char *user_text(const struct row *row, char *buf, size_t size)
{
	const char *user = row_text(SCHEMA_TASK, row, "user");
	double uid = row_number(SCHEMA_TASK, row, "uid");

	if (user || isnan(uid))
		return user;
	snprintf(buf, size, "%.0f", uid);
	return buf;
}

static const char *pane_task_group_words(const struct row *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (!strcmp(groups[i].id, row->id))
			return groups[i].words;
	return "";
}

static bool is_kernel(const struct row *row)
{
	return row_number(SCHEMA_TASK, row, "kernel") == 1;
}

/*
 * Instead of arguments that a row lacks: of a kernel thread, whose work it does;
 * of a log without that field, the command line behind its first word.
 */
static const char *task_arguments(const struct row *row)
{
	const char *text = row_text(SCHEMA_TASK, row, "command_line");

	if (is_kernel(row))
		return row_text(SCHEMA_TASK, row, "serves");
	text = text ? strchr(text, ' ') : NULL;
	return text ? text + 1 : NULL;
}

/* The text of a field. Kernel threads have brackets; the command of a group is
 * its name. */
static const char *task_text(const struct row *row, int field, char *buf,
			     size_t size)
{
	const char *key = schema_task.fields[field].key;
	const char *text = row->value[field].text;

	if (!strcmp(key, "user"))
		return pane_task_is_group(row) ? "" : user_text(row, buf, size);
	if (pane_task_is_group(row))
		return !strcmp(key, "comm")        ? row->id
		       : !strcmp(key, "arguments") ? pane_task_group_words(row)
						   : "";
	if (!strcmp(key, "arguments") && !text)
		return task_arguments(row);
	if (!text || strcmp(key, "comm") != 0 || !is_kernel(row))
		return text;
	snprintf(buf, size, "[%s]", text);
	return buf;
}

/* The number of a thread; of a group, the number of its threads. */
static const char *task_id(const struct row *row, char *buf, size_t size)
{
	const char *slash = strchr(row->id, '/');

	if (pane_task_ended(row))
		return "ended";
	if (!pane_task_is_group(row))
		return slash ? slash + 1 : row->id;
	snprintf(buf, size, "%.0f", row_number(SCHEMA_TASK, row, "kernel"));
	return buf;
}

static const char *task_group_of(const struct row *row, const int *at)
{
	const char *group = row->value[at[GROUP]].text;

	if (row->value[at[KERNEL]].number != 1)
		return NULL;
	if (task_alert(row, at))
		return NULL;
	if (group && !strcmp(group, "loop"))
		return LOOPS;
	return group && strcmp(group, "other") != 0 ? HELPERS : OTHERS;
}

/* The parent of a process; those of kernel threads are in groups. */
static const char *task_origin(const struct row *row, char *buf, size_t size)
{
	double parent = row_number(SCHEMA_TASK, row, "parent_pid");

	if (isnan(parent) || is_kernel(row))
		return NULL;
	snprintf(buf, size, "%.0f", parent);
	return buf;
}

/* The number of its processes or threads stands before its name. */
static void task_label(struct row *group, size_t rows)
{
	group->value[schema_field(SCHEMA_TASK, "kernel")].number = (double)rows;
}

/* A tag. */
static char task_mark(struct ui *ui, const struct row *row)
{
	return table_is_tagged(&ui->table[PANE_TASK], row->id) ? '*' : 0;
}

/* The key S goes through these. */
static const char *const sums[] = { "comm", "user", "unit", "container", NULL };

/* Filter and search use these fields. */
static const char *const names[] = { "comm",   "command_line", "unit",
				     "cgroup", "container",    "serves",
				     NULL };

const struct table_spec table_task = {
	.pane = PANE_TASK,
	.schema = SCHEMA_TASK,
	.title = "pid",
	.id_width = 9,
	.parent = "process",
	.origin = task_origin,
	.branch = "comm",
	.names = names,
	.keys = ranking,
	.rank = task_rank,
	.idle = task_idle,
	.alert = task_alert,
	.text = task_text,
	.id = task_id,
	.mark = task_mark,
	.group = task_group_of,
	.group_least = 1,
	.groups_shut = true,
	.label = task_label,
	.sums = sums,
	.look = task_look,
	.extra = extras,
	.n_extras = ARRAY_SIZE(extras),
};

/* The process of a row, of a thread's too; NULL: it takes no order. */
static const struct row *pane_task_process(const struct ui_view *view,
					   const char *id)
{
	const struct row *row = frame_find(view->frame, SCHEMA_TASK, id);

	if (row && row_text(SCHEMA_TASK, row, "process"))
		row = frame_find(view->frame, SCHEMA_TASK,
				 row_text(SCHEMA_TASK, row, "process"));
	return row && row_text(SCHEMA_TASK, row, "comm") && !is_kernel(row) &&
			       !pane_task_ended(row)
		       ? row
		       : NULL;
}

/* The selected process; NULL with a note: none is selected. */
static const struct row *selected_process(struct ui *ui)
{
	const struct row *row =
		pane_task_process(ui->view, ui->table[PANE_TASK].selected);

	if (!row)
		text_set(ui->note,
			 "Select a process that runs and is no kernel thread.");
	return row;
}

static void pane_task_add(struct task_target *task, const struct row *row)
{
	text_set(task->pid, row->id);
	text_set(task->name, row_text(SCHEMA_TASK, row, "comm"));
}

/*
 * An order for the tagged processes that still run, or the selected one; where
 * all that had tags ended, it is not meant for another one.
 */
static void act_order(struct ui *ui)
{
	struct table_state *t = &ui->table[PANE_TASK];
	const struct id_set *tagged = &t->tagged;
	struct task_target task[TASKS_MAX];
	const struct row *row;
	size_t n = 0;

	for (size_t i = 0; i < tagged->n && n < TASKS_MAX; i++)
		if ((row = pane_task_process(ui->view, tagged->id[i])))
			pane_task_add(&task[n++], row);
	if (!n && (tagged->n || t->tags_ended)) {
		text_set(ui->note, "The tagged processes have ended; press the "
				   "key again for the selected one.");
		table_untag_all(t);
		return;
	}
	if (!n && (row = selected_process(ui)))
		pane_task_add(&task[n++], row);
	if (n)
		task_form_open(ui, task, n, ui->key == 'i');
}

/* Tag the selected process, as htop does, and go to the next row. */
static void act_tag(struct ui *ui)
{
	struct table_state *t = &ui->table[PANE_TASK];
	const struct row *row = selected_process(ui);

	if (row && (t->tagged.n < TASKS_MAX || table_is_tagged(t, row->id)))
		table_tag(t, row->id);
	else if (row)
		snprintf(ui->note, sizeof(ui->note),
			 "%d processes have tags, which is the most; U takes "
			 "them away.",
			 TASKS_MAX);
	if (row)
		table_keys_move(ui, t, 1);
}

static void act_untag(struct ui *ui)
{
	table_untag_all(&ui->table[PANE_TASK]);
}

static void act_files(struct ui *ui)
{
	const struct row *row = selected_process(ui);

	if (row)
		file_list_open(ui, row->id, row_text(SCHEMA_TASK, row, "comm"));
}

/* The keeper makes this change, and restores it at any end of the program. */
static void act_delays(struct ui *ui)
{
	const char *now = ui->view->frame
				  ? frame_text(ui->view->frame, SCHEMA_KNOB,
					       "kernel.task_delayacct", "value")
				  : NULL;
	bool on = now && !strcmp(now, "1");

	ui->action->kind = ACTION_KNOB_SET;
	text_set(ui->action->device, "kernel");
	text_set(ui->action->knob, "task_delayacct");
	text_set(ui->action->value, on ? "0" : "1");
	text_set(ui->note,
		 on ? "I/O delays are no longer measured."
		    : "I/O delays are measured for processes that start from "
		      "now on.");
}

/* Switch the columns between rates and totals since the process was found. */
static void act_totals(struct ui *ui)
{
	static const char *const both[][2] = {
		{ "read_bytes_per_s", "read_bytes" },
		{ "write_bytes_per_s", "write_bytes" },
	};
	struct table_state *t = &ui->table[PANE_TASK];
	int column[COLUMNS_MAX], n = table_columns(t, column);

	for (size_t k = 0; k < ARRAY_SIZE(both); k++) {
		int rate = table_columns_find(&table_task, both[k][0]);
		int total = table_columns_find(&table_task, both[k][1]);

		for (int i = 0; i < n; i++)
			column[i] = column[i] == rate	 ? total
				    : column[i] == total ? rate
							 : column[i];
		if (t->sort == rate || t->sort == total)
			t->sort = t->sort == rate ? total : rate;
	}
	for (int i = 0; i < n; i++)
		t->column[i] = (short)column[i];
	t->n_columns = n;
}

static void act_sums(struct ui *ui)
{
	static const char *const words[] = {
		"Each process has its row.", "Sums by program.",
		"Sums by user.", "Sums by systemd unit.", "Sums by container.",
	};
	struct table_state *t = &ui->table[PANE_TASK];

	t->sums = (t->sums + 1) % ARRAY_SIZE(words);
	t->flat = t->family = false;
	text_set(ui->note, words[t->sums]);
}

/* clang-format off */
static const struct key keys[] = {
	{ { "Enter", "fold or unfold a group, the threads of a process" },
	  "Ent", "fold", WHEN_ALWAYS, { '\r' }, .act = table_keys_act_fold },
	{ { "E", "fold or unfold all" }, NULL, NULL, WHEN_ALWAYS,
	  { 'E' }, .act = table_keys_act_fold_all },
	{ { "F5 t", "a tree by parents; a flat list; groups of kernel threads" },
	  "F5", "Tree", WHEN_ALWAYS,
	  { KEY_F(5), 't' }, .act = table_keys_act_tree },
	{ { "S", "sums by program, user, systemd unit, container; each process" },
	  "S", "sums", WHEN_ALWAYS, { 'S' }, .act = act_sums },
	{ { "H", "show or hide threads of processes (in the log, too)" },
	  "H", "threads", WHEN_LIVE, { 'H' }, .action = ACTION_THREADS },
	{ { "O", "show or hide control groups, pane 0 (in the log, too)" },
	  "O", "cgroups", WHEN_LIVE, { 'O' }, .action = ACTION_CGROUPS },
	{ { "F", "follow the selected process: it stays visible" },
	  "F", "follow", WHEN_ALWAYS, { 'F' }, .act = table_keys_act_follow },
	{ { "F9 x", "menu: send a signal, set nice or I/O priority; it asks first" },
	  "F9", "Kill", WHEN_LIVE, { KEY_F(9), 'x' }, .act = act_order },
	{ { "i", "menu: I/O priority (ionice); it asks first" },
	  "i", "ionice", WHEN_LIVE, { 'i' }, .act = act_order },
	{ { "Space", "tag this process for x and i, or take its tag away" },
	  "Space", "tag", WHEN_LIVE, { ' ' }, .act = act_tag },
	{ { "U", "take all tags away" }, NULL, NULL, WHEN_LIVE,
	  { 'U' }, .act = act_untag },
	{ { "o", "open files of the selected process, the most moved first" },
	  "o", "files", WHEN_LIVE, { 'o' }, .act = act_files },
	{ { "d", "measure I/O delays until the end (task_delayacct), or not" },
	  "d", "delays", WHEN_LIVE, { 'd' }, .act = act_delays },
	{ { "A", "bytes per second, or total bytes since the first sample" },
	  "A", "totals", WHEN_ALWAYS, { 'A' }, .act = act_totals },
};
/* clang-format on */

static const struct key_list own = { keys, ARRAY_SIZE(keys) };

/* clang-format off */
const struct pane pane_task = {
	.name = "processes",
	.help = { "5",
		  "processes and [kernel threads] by I/O, then by CPU" },
	.least = 4, .weight = 3, .priority = 2,
	.layouts = IN_MONITOR, .right = true,
	.table = &table_task, .own = &own, .click = table_keys_click,
};
/* clang-format on */
