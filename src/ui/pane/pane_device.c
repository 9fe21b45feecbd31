/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices pane: iostat's columns, a tree of stacked devices, a small graph of
 * each device, members that differ from their siblings. The most important
 * columns come first; the key right shows the others.
 */
#include <curses.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"
#include "base/units.h"
#include "model/alarms.h"
#include "model/schema/schema_machine.h"
#include "ui/table/table.h"

/* Cells of the small graph. */
/* A device is stalled when I/Os wait and none completes for this time. */
#define STALL_NS 2e9

/* The members of the shown frame that have more load, or are slower. */
struct device_state {
	const struct frame *frame;
	double t_s;
	enum imbalance *imbalance;
	size_t n, cap;
	const struct device_view *view; /* in place of its columns; NULL: none */
};

static void state_free(void *state)
{
	free(((struct device_state *)state)->imbalance);
}

/* Stalled first, then busy, then idle devices; each in the kernel's order. */
static double device_rank(const struct row *row, const int *at)
{
	if (frame_or_0(row_number(SCHEMA_DEVICE, row, "stall_ns")) >= STALL_NS)
		return 2;
	return !schema_device_idle(row);
}

static bool device_idle(const struct row *row, const int *at)
{
	return schema_device_idle(row);
}

/* Whether the device is stalled. */
static bool device_alert(const struct row *row, const int *at)
{
	return device_rank(row, at) >= 2;
}

/* The mark of a member with more load '!', of a slow one '~'. */
static char pane_device_device_mark(struct ui *ui, const struct row *row)
{
	static const char marks[] = {
		[BALANCED] = 0, [MEMBER_HOT] = '!', [MEMBER_SLOW] = '~'
	};
	struct device_state *s = pane_state(ui, PANE_DEVICE);
	const struct table *t = &ui->view->frame->table[SCHEMA_DEVICE];

	if (s->frame != ui->view->frame || s->t_s != ui->view->frame->t_s ||
	    s->n != t->n) {
		s->imbalance = xgrow(s->imbalance, &s->cap, t->n + 1,
				     sizeof(*s->imbalance));
		alarms_imbalance(ui->view->frame, s->imbalance, t->n);
		s->frame = ui->view->frame;
		s->t_s = ui->view->frame->t_s;
		s->n = t->n;
	}
	/* A group is not a row of the frame's table. */
	if (row < t->row || row >= t->row + t->n)
		return 0;
	return marks[s->imbalance[row - t->row]];
}

static bool device_changed(const struct row *row, int field)
{
	const char *key = schemas[SCHEMA_DEVICE]->fields[field].key;

	if (!strcmp(key, "scheduler"))
		return row_text(SCHEMA_DEVICE, row, "scheduler_was") != NULL;
	if (!strcmp(key, "read_ahead_kb"))
		return !isnan(
			row_number(SCHEMA_DEVICE, row, "read_ahead_was_kb"));
	return false;
}

static const char *device_group(const struct row *row, const int *at)
{
	return row_text(SCHEMA_DEVICE, row, "member_of");
}

/*
 * Bytes per second at an age in frames; 0 for idle devices, which the history
 * does not keep.
 */
static double pane_device_moved(const struct ui_view *view, size_t age,
				const char *id, size_t hint)
{
	static const char *const keys[] = { "read_bytes_per_s",
					    "write_bytes_per_s" };
	double sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		sum += frame_or_0(history_number_near(
			view->history, age, SCHEMA_DEVICE, id,
			schema_field(SCHEMA_DEVICE, keys[i]), hint));
	return sum;
}

/* The braille character with bars of two values, each 0 to 1. */
static unsigned braille(double left, double right)
{
	static const unsigned char dots[2][4] = { { 0x40, 0x04, 0x02, 0x01 },
						  { 0x80, 0x20, 0x10, 0x08 } };
	double v[2] = { left, right };
	unsigned code = 0x2800;

	for (int side = 0; side < 2; side++)
		for (int i = 0; i < (int)units_whole(ceil(v[side] * 4), 0, 4); i++)
			code |= dots[side][i];
	return code;
}

static void draw_trend_cell(struct ui *ui, const double *v, int y, int x,
			    enum role role)
{
	static const char levels[] = " .:-=+*#@";
	double best = v[0] > v[1] ? v[0] : v[1];
	int level = (int)units_whole(ceil(best * 8), 0, 8);

	if (screen_look.ascii)
		screen_char(y, x, role, (unsigned char)levels[level]);
	else if (ui->graph.braille)
		screen_char(y, x, role, braille(v[0], v[1]));
	else if (level)
		screen_char(y, x, role, 0x2580u + (unsigned)level);
}

void pane_device_trend(struct ui *ui, const double *moved, int y, int x, int cells,
		     enum role role)
{
	double v[TREND_FRAMES], most = 0;

	for (size_t i = 0; i < TREND_FRAMES; i++)
		most = fmax(most, moved[i]);
	for (size_t i = 0; i < TREND_FRAMES; i++)
		v[i] = most > 0 ? moved[i] / most : 0;
	for (int i = 0; i < cells && i < TREND_CELLS; i++)
		draw_trend_cell(ui, &v[2 * i], y, x + i,
				role == ROLE_TEXT ? ROLE_READ : role);
}

/* Draw the last 16 frames, two per cell, as shares of the largest one. */
static void draw_trend(struct ui *ui, const struct row *row, int y, int x,
		       int cells, enum role role)
{
	const struct table *t = &ui->view->frame->table[SCHEMA_DEVICE];
	size_t n = ui->view->history ? history_count(ui->view->history) : 0;
	double v[TREND_FRAMES] = { 0 };

	if (row < t->row || row >= t->row + t->n)
		return;
	for (size_t age = 0; age < n && age < ARRAY_SIZE(v); age++)
		v[ARRAY_SIZE(v) - 1 - age] = pane_device_moved(
			ui->view, age, row->id, (size_t)(row - t->row));
	pane_device_trend(ui, v, y, x, cells, role);
}

static const struct table_extra extras[] = {
	{ "trend", "trend",
	  "bytes read and written in the last 16 frames, as shares of the "
	  "largest",
	  TREND_CELLS, 13, draw_trend },
};

/* The scope in which the table shows mounted file systems only. */
#define MOUNTED "mounted"

static bool device_within(const struct row *row, const char *scope)
{
	const char *point = row_text(SCHEMA_DEVICE, row, "mount_point");

	return !*scope || (point && strcmp(point, "[SWAP]") != 0);
}

/* Columns that a key shows in place of those that are there. */
struct device_view {
	const char *keys[24];
	const char *sort; /* NULL: as before */
	const char *scope;
};

/* The fullest first, as far as it is known. */
static const struct device_view file_systems = {
	{ "mount_point", "file_system", "fs_size_bytes", "fs_free_bytes",
	  "fs_used_pct", "fs_inodes_pct", "fs_full_in_s", "fs_read_only",
	  "write_bytes_per_s", "read_bytes_per_s" },
	"fs_used_pct", MOUNTED
};

static const struct device_view latencies = {
	{ "read_p99_ns", "write_p99_ns", "flush_p99_ns", "read_queue_p99_ns",
	  "write_queue_p99_ns", "read_device_p99_ns", "write_device_p99_ns",
	  "read_slow_queue_pct", "write_slow_queue_pct", "trace_missed",
	  "trace_lack", "read_p50_ns", "write_p50_ns", "flush_p50_ns",
	  "read_max_ns", "write_max_ns", "flush_max_ns", "read_sequential_pct",
	  "write_sequential_pct", "requeues_per_s", "io_errors_per_s" },
	NULL, ""
};

static void pane_device_show(struct table_state *t, const struct device_view *v)
{
	t->n_columns = 0;
	for (size_t i = 0; i < ARRAY_SIZE(v->keys) && v->keys[i]; i++)
		t->column[t->n_columns++] =
			(short)table_columns_find(&table_device, v->keys[i]);
	text_set(t->scope, v->scope);
	if (!v->sort)
		return;
	t->sort = schema_field(SCHEMA_DEVICE, v->sort);
	t->reverse = false;
	t->flat = true;
}

static void pane_device_turn(struct ui *ui, const struct device_view *v)
{
	struct device_state *s = pane_state(ui, PANE_DEVICE);
	struct table_state *t = &ui->table[PANE_DEVICE];

	if (s->view) {
		table_columns_hold(t, &t->own, false);
		t->scope[0] = '\0';
	} else {
		table_columns_hold(t, &t->own, true);
	}
	s->view = s->view == v ? NULL : v;
	t->viewed = s->view != NULL;
	if (s->view)
		pane_device_show(t, v);
}

static void act_view(struct ui *ui)
{
	pane_device_turn(ui, ui->key == 'f' ? &file_systems : &latencies);
}

/* clang-format off */
static const struct key keys[] = {
	{ { "Enter", "fold or unfold the rows below" },
	  "Ent", "fold", WHEN_ALWAYS, { '\r' }, .act = table_keys_act_fold },
	{ { "E", "fold or unfold all" }, NULL, NULL, WHEN_ALWAYS,
	  { 'E' }, .act = table_keys_act_fold_all },
	{ { "F5 t", "tree or flat list" }, "F5", "Tree", WHEN_ALWAYS,
	  { KEY_F(5), 't' }, .act = table_keys_act_tree },
	{ { "f", "mounted file systems (df) by how full they are; again: all" },
	  "f", "df", WHEN_ALWAYS, { 'f' }, .act = act_view },
	{ { "L", "p99 of traced I/O: whole, queue, device; again: all" },
	  NULL, NULL, WHEN_ALWAYS, { 'L' }, .act = act_view },
};
/* clang-format on */

static const struct key_list own = { keys, ARRAY_SIZE(keys) };

const struct table_spec table_device = {
	.pane = PANE_DEVICE,
	.schema = SCHEMA_DEVICE,
	.title = "device",
	.id_width = 12,
	.parent = "parent",
	.rank = device_rank,
	.rank_parents = true,
	.idle = device_idle,
	.lingers = 5,
	.alert = device_alert,
	.within = device_within,
	.mark = pane_device_device_mark,
	.changed = device_changed,
	.extra = extras,
	.n_extras = ARRAY_SIZE(extras),
	.group = device_group,
	.group_least = 2,
};

/* clang-format off */
const struct pane pane_device = {
	.name = "devices",
	.help = { "1",
		  "devices: iostat's columns, scheduler, readahead; as a tree" },
	.least = 4, .weight = 3, .priority = 5,
	.layouts = IN_MONITOR | IN_RUN,
	.table = &table_device, .own = &own,
	.click = table_keys_click,
	.state_size = sizeof(struct device_state),
	.state_free = state_free,
};
/* clang-format on */
