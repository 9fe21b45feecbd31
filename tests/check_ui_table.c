/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables: order, tree, groups, filters, columns, the chooser; the knobs pane.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "ui/state.h"
#include "ui/table/table.h"
#include "ui_scene.h"

static struct scene s;

static void open_top(void)
{
	scene_open(&s, SCENE_TOP, 40, 120);
}

static void close_scene(void)
{
	scene_close(&s);
}

static bool on_screen(const char *text)
{
	char *screen = scene_copy();
	bool found = strstr(screen, text) != NULL;

	free(screen);
	return found;
}

static struct table_state *table(enum pane_id id)
{
	return &s.ui->table[id];
}

/* The ids of the rows of a table, in their order, each after a blank. */
static const char *ids(const struct table_spec *spec)
{
	static char text[4096];
	struct table_state *t = table(spec->pane);

	text[0] = '\0';
	table_order(t, &s.frame);
	for (size_t i = 0; i < t->n && strlen(text) < 4000; i++) {
		strcat(text, " ");
		strcat(text, table_id(t, i));
	}
	return text;
}

START_TEST(test_filter)
{
	static const struct {
		const char *filter, *text;
		bool match, bad;
	} cases[] = {
		{ "", "vda", true, false },
		{ "VD", "vda", true, false },
		{ "dx", "vda", false, false },
		{ "^v", "vda", true, false },
		{ "^d", "vda", false, false },
		{ "sd[ab]$", "sdb", true, false },
		{ "sd[ab]$", "sdc", false, false },
		{ "loop|nvme", "NVME0n1", true, false },
		{ "a{2}", "baab", true, false },
		/* One that is none hides nothing. */
		{ "sd[ab", "vda", true, true },
		{ "(", "vda", true, true },
		{ "[[:none:]]", "vda", true, true },
	};
	struct table_filter f = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		table_filter_compile(&f, cases[i].filter);
		ck_assert_msg(table_filter_match(&f, cases[i].text) ==
				      cases[i].match,
			      "%s %s", cases[i].filter, cases[i].text);
		ck_assert_int_eq(f.error[0] != '\0', cases[i].bad);
	}
	ck_assert(!*cases[0].filter);
	table_filter_compile(&f, "x");
	ck_assert(!table_filter_match(&f, NULL));
	table_filter_compile(&f, "");
}
END_TEST

/* Typed on the screen: a bad one says so, and is undone by Esc. */
START_TEST(test_filter_typed)
{
	scene_keys(&s, "1/^(loop|sd[ab]$)");
	ck_assert_str_eq(ids(&table_device), " loop0 loop1 sda sdb");
	scene_keys(&s, "\033");
	ck_assert(strstr(ids(&table_device), " vda "));
	scene_keys(&s, "/sd[");
	ck_assert(on_screen("invalid regular expression"));
	ck_assert(strstr(ids(&table_device), " vda "));
	scene_keys(&s, "\033");
}
END_TEST

START_TEST(test_fold)
{
	ck_assert(strstr(ids(&table_device), " vda vda1 dm-0 "));
	scene_keys(&s, "1\033OH\r");
	ck_assert_str_eq(table(PANE_DEVICE)->selected, "vda");
	ck_assert(!strstr(ids(&table_device), " vda1 "));
	ck_assert(on_screen("+vda "));
	/* It stays folded in the next frame, and the selection on it. */
	s.frame.t_s += 1;
	scene_draw(&s);
	ck_assert(!strstr(ids(&table_device), " dm-0 "));
	scene_keys(&s, "\r");
	ck_assert(strstr(ids(&table_device), " vda vda1 dm-0 "));
	scene_keys(&s, "E");
	ck_assert(!strstr(ids(&table_device), " vda1 "));
	scene_keys(&s, "E");
	ck_assert(strstr(ids(&table_device), " vda vda1 dm-0 "));
	/* Flat: busy rows first, no row below another. */
	scene_keys(&s, "t");
	ck_assert(strstr(ids(&table_device), " vda vda1 loop0 nvme0n1 "));
	ck_assert_int_eq(table(PANE_DEVICE)->place[1].depth, 0);
	scene_keys(&s, "\r");
	ck_assert(on_screen("flat list"));
}
END_TEST

/*
 * Stalled devices come first, with what they are built on; the column of the
 * stall does so too, as long as it has something to show.
 */
START_TEST(test_stall_first)
{
	struct table_state *t = table(PANE_DEVICE);
	int column[COLUMNS_MAX];

	ck_assert(!strncmp(ids(&table_device), " vda vda1 ", 10));
	table_columns(t, column);
	ck_assert_int_eq(column[0], schema_field(SCHEMA_DEVICE, "read_iops"));
	scene_number(&s.frame, SCHEMA_DEVICE, "sdc", "stall_ns", 24e9);
	scene_text(&s.frame, SCHEMA_DEVICE, "sdc", "parent", "sdb");
	s.frame.t_s += 1;
	ck_assert_msg(!strncmp(ids(&table_device), " sdb sdc vda ", 13), "%s",
		      ids(&table_device));
	table_columns(t, column);
	ck_assert_int_eq(column[0], schema_field(SCHEMA_DEVICE, "stall_ns"));
	scene_number(&s.frame, SCHEMA_DEVICE, "sdc", "stall_ns", 0);
	s.frame.t_s += 1;
	table_order(t, &s.frame);
	table_columns(t, column);
	ck_assert_int_eq(column[0], schema_field(SCHEMA_DEVICE, "read_iops"));
}
END_TEST

/* A ring of parents, and rows below themselves, are shown once each. */
/*
 * A device that was busy a moment ago keeps its place among the busy ones, for
 * five intervals; then it goes down. A step back in a replay forgets that.
 */
START_TEST(test_lingers)
{
	static const char *const keys[] = { "read_iops", "write_iops",
					    "discard_iops", "flush_iops",
					    "queue_depth" };
	char before[4096];
	size_t busy;

	text_copy(before, sizeof(before), ids(&table_device));
	busy = table(PANE_DEVICE)->busy;
	s.frame.interval_s = 1;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		scene_number(&s.frame, SCHEMA_DEVICE, "loop0", keys[i], 0);
	for (int t = 1; t <= 5; t++) {
		s.frame.t_s += 1;
		ck_assert_str_eq(ids(&table_device), before);
		ck_assert_uint_eq(table(PANE_DEVICE)->busy, busy);
	}
	s.frame.t_s += 1;
	ck_assert_ptr_nonnull(strstr(before, " loop0 nvme0n1"));
	ck_assert_ptr_nonnull(strstr(ids(&table_device), " nvme0n1 loop0"));
	ck_assert_uint_eq(table(PANE_DEVICE)->busy, busy - 1);
	s.frame.t_s -= 20;
	ids(&table_device);
	ck_assert_uint_eq(table(PANE_DEVICE)->busy, busy - 1);
}
END_TEST

START_TEST(test_ring)
{
	struct table_state *t = table(PANE_DEVICE);

	scene_text(&s.frame, SCHEMA_DEVICE, "sda", "parent", "sdb");
	scene_text(&s.frame, SCHEMA_DEVICE, "sdb", "parent", "sda");
	scene_text(&s.frame, SCHEMA_DEVICE, "sdc", "parent", "sdc");
	s.frame.t_s += 1;
	scene_draw(&s);
	table_order(t, &s.frame);
	ck_assert_uint_eq(t->n, s.frame.table[SCHEMA_DEVICE].n);
}
END_TEST

static double group_number(const char *id, const char *key)
{
	struct table_state *t = table(PANE_DEVICE);

	for (size_t i = 0; i < t->n_groups; i++)
		if (!strcmp(t->group[i].id, id))
			return row_number(SCHEMA_DEVICE, &t->group[i].row, key);
	return NAN;
}

/* Two devices of one btrfs: a row with their sums, means where that is due. */
START_TEST(test_btrfs)
{
	static const struct {
		const char *id;
		double iops, await_ns, util;
	} d[] = { { "sda", 100, 1e6, 20 }, { "sdb", 300, 5e6, 60 } };

	for (size_t i = 0; i < 2; i++) {
		scene_text(&s.frame, SCHEMA_DEVICE, d[i].id, "member_of",
			   "btrfs:data");
		scene_number(&s.frame, SCHEMA_DEVICE, d[i].id, "read_iops",
			     d[i].iops);
		scene_number(&s.frame, SCHEMA_DEVICE, d[i].id, "read_await_ns",
			     d[i].await_ns);
		scene_number(&s.frame, SCHEMA_DEVICE, d[i].id, "util_pct",
			     d[i].util);
	}
	/* One alone is no group. */
	scene_text(&s.frame, SCHEMA_DEVICE, "sdc", "member_of", "btrfs:root");
	s.frame.t_s += 1;
	scene_draw(&s);
	ck_assert(strstr(ids(&table_device), " btrfs:data sda sdb"));
	ck_assert(!strstr(ids(&table_device), "btrfs:root"));
	ck_assert_double_eq_tol(group_number("btrfs:data", "read_iops"), 400,
				1e-9);
	ck_assert_double_eq_tol(group_number("btrfs:data", "read_await_ns"),
				4e6, 1e-3);
	ck_assert_double_eq_tol(group_number("btrfs:data", "util_pct"), 40,
				1e-9);
	ck_assert(isnan(group_number("btrfs:data", "read_ahead_kb")));
	/* The busier one bears more than its share. */
	ck_assert(on_screen("sdb~") || on_screen("sdb!"));
	ck_assert(!on_screen("sda!"));
}
END_TEST

START_TEST(test_tasks)
{
	const char *const threads[] = { "1014/1014", "1014/2000" };

	scene_text(&s.frame, SCHEMA_TASK, "1007", "group", "journal");
	scene_text(&s.frame, SCHEMA_TASK, "1021", "group", "other");
	scene_text(&s.frame, SCHEMA_TASK, "1014", "user", "e\033[2Jvil");
	for (size_t i = 0; i < 2; i++) {
		scene_text(&s.frame, SCHEMA_TASK, threads[i], "process",
			   "1014");
		scene_text(&s.frame, SCHEMA_TASK, threads[i], "comm", "writer");
	}
	s.frame.t_s += 1;
	scene_keys(&s, "5z");
	scene_draw(&s);
	ck_assert(on_screen("[kernel I/O]"));
	ck_assert(!on_screen("[jbd2/vda1-8]"));
	ck_assert(on_screen("e?[2Jvil"));
	ck_assert(strstr(ids(&table_task), " 1014 1014/1014 1014/2000 "));
	/* Threads by their own numbers. */
	ck_assert(on_screen("2000"));
	ck_assert(!on_screen("1014/2000"));
	/* Sums by program, by user (threads stay below their process), ... */
	for (int id = 1000; id <= 1049; id += 7)
		scene_text(&s.frame, SCHEMA_TASK,
			   (char[8]){ (char)('0' + id / 1000),
				      (char)('0' + id / 100 % 10),
				      (char)('0' + id / 10 % 10),
				      (char)('0' + id % 10) },
			   "user", id < 1040 ? "alice" : "bob");
	s.frame.t_s += 1;
	scene_keys(&s, "S");
	ck_assert(on_screen("[postgres]"));
	scene_keys(&s, "S");
	ck_assert(on_screen("Sums by user"));
	ck_assert(strstr(ids(&table_task), " [alice]"));
	ck_assert(strstr(ids(&table_task), " [bob]"));
	ck_assert(!strstr(ids(&table_task), " 1014 "));
	ck_assert(on_screen("+4")); /* without the two kernel threads */
	scene_keys(&s, "SS");
	ck_assert(on_screen("[no container]"));
	scene_keys(&s, "S");
	ck_assert(strstr(ids(&table_task), " 1014 "));
	scene_keys(&s, "/jbd2");
	ck_assert_int_eq(table(PANE_TASK)->n, 1);
	scene_keys(&s, "\r\033OH\r");
	ck_assert(on_screen("[jbd2/vda1-8]"));
	ck_assert_int_eq(scene_keys(&s, "H").kind, ACTION_THREADS);
}
END_TEST

/* Processes below their parents; then a flat list; then groups again. */
START_TEST(test_family)
{
	scene_number(&s.frame, SCHEMA_TASK, "1028", "parent_pid", 1000);
	scene_number(&s.frame, SCHEMA_TASK, "1014", "parent_pid", 1028);
	/* A ring of parents, and a parent that is not there. */
	scene_number(&s.frame, SCHEMA_TASK, "1035", "parent_pid", 1042);
	scene_number(&s.frame, SCHEMA_TASK, "1042", "parent_pid", 1035);
	scene_number(&s.frame, SCHEMA_TASK, "1049", "parent_pid", 77);
	s.frame.t_s += 1;
	scene_keys(&s, "5z");
	ck_assert(strstr(ids(&table_task), " 1014 1028 "));
	scene_keys(&s, "t");
	/* A row in state D takes its parents to the top. */
	ck_assert_ptr_eq(strstr(ids(&table_task), " 1000 1028 1014 "),
			 ids(&table_task));
	ck_assert(strstr(ids(&table_task), " 1049"));
	ck_assert(strstr(ids(&table_task), " 1035"));
	ck_assert(strstr(ids(&table_task), " 1042"));
	ck_assert(on_screen("-bash"));
	ck_assert(on_screen("\u2514-iodyno"));
	ck_assert(on_screen(" \u2514postgres"));
	ck_assert(on_screen("[kernel]"));
	scene_keys(&s, "\033OH\r");
	ck_assert(on_screen("+bash"));
	ck_assert(!on_screen("postgres"));
	scene_keys(&s, "t");
	ck_assert(on_screen("flat list"));
	ck_assert(strstr(ids(&table_task), " 1014 1028 "));
	scene_keys(&s, "t");
	ck_assert(on_screen("[kernel"));
}
END_TEST

/* Who is followed stays, whatever the filter says, until he is gone. */
START_TEST(test_follow)
{
	struct table_state *t = table(PANE_TASK);

	scene_keys(&s, "5/^1014\r");
	ck_assert_int_eq(t->n, 1);
	scene_keys(&s, "\033OHF");
	ck_assert(t->follow);
	scene_keys(&s, "/sshd\r");
	ck_assert(strstr(ids(&table_task), " 1014"));
	scene_keys(&s, "a");
	ck_assert(strstr(ids(&table_task), " 1014"));
	/* Home is the first row, not the process that is first now. */
	scene_keys(&s, "\033");
	scene_keys(&s, "\033OH");
	scene_text(&s.frame, SCHEMA_TASK, "1014", "state", "S");
	scene_number(&s.frame, SCHEMA_TASK, "1028", "read_bytes_per_s", 1e12);
	s.frame.t_s += 1;
	scene_draw(&s);
	ck_assert_uint_eq(t->at, 0);
	ck_assert_str_eq(t->selected, "1028");
	scene_keys(&s, "/^1014\r\033OHF");
	ck_assert(t->follow);
	scene_fill_many(&s, 3, 50);
	scene_draw(&s);
	ck_assert(!t->follow);
	ck_assert(on_screen("1014 is gone"));
}
END_TEST

START_TEST(test_columns)
{
	struct table_state *t = table(PANE_DEVICE);
	int column[COLUMNS_MAX], shown, n, all;

	n = table_columns(t, column);
	all = table_columns_all(t, column, &shown);
	ck_assert_int_eq(shown, n);
	ck_assert_int_gt(all, n);
	/* The first is hidden, the second moves down. */
	scene_keys(&s, "1c");
	ck_assert(on_screen("columns of devices"));
	scene_keys(&s, " >");
	ck_assert_int_eq(table_columns(t, column), n - 1);
	ck_assert_str_eq(table_columns_key(&table_device, column[0]),
			 "read_bytes_per_s");
	ck_assert_str_eq(table_columns_key(&table_device, column[1]),
			 "write_iops");
	scene_keys(&s, "\r");
	ck_assert_int_eq(t->sort, schema_field(SCHEMA_DEVICE, "write_iops"));
	ck_assert(on_screen("avgqu-sz") || scene_keys(&s, "\033OF").kind == 0);
	ck_assert(on_screen("svctm"));
	scene_keys(&s, "0\033");
	ck_assert_int_eq(t->sort, SORT_DEFAULT);
	ck_assert_int_eq(table_columns(t, column), n);
	/* "waits for" has the word in its help and stands first in the table. */
	scene_keys(&s, "5cwchan\r\033\033");
	ck_assert_int_eq(table(PANE_TASK)->sort,
			 schema_field(SCHEMA_TASK, "wchan"));
}
END_TEST

/* A child that another one follows has a branch, the last one a corner. */
START_TEST(test_tree_lines)
{
	static const char *const ids[] = { "vda2", "dm-7", "vda3" };

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		frame_add_row(&s.frame, SCHEMA_DEVICE, ids[i]);
		scene_text(&s.frame, SCHEMA_DEVICE, ids[i], "parent",
			   i == 1 ? "vda2" : "vda");
		scene_number(&s.frame, SCHEMA_DEVICE, ids[i], "read_iops", 1);
	}
	scene_draw(&s);
	scene_draw(&s);
	ck_assert(on_screen("├-vda1"));
	ck_assert(on_screen("│└dm-0"));
	ck_assert(on_screen("├-vda2"));
	ck_assert(on_screen("│└dm-7"));
	ck_assert(on_screen("└vda3"));
}
END_TEST

/* The last column cannot be hidden. */
/* Every field of a table can be a column; what is kept has room for each. */
START_TEST(test_all_columns)
{
	for (int id = 0; id < PANES; id++) {
		const struct table_spec *spec = panes[id]->table;
		size_t n, bytes = 0;

		if (!spec)
			continue;
		n = schemas[spec->schema]->n_fields + (size_t)spec->n_extras;
		ck_assert_msg(n <= COLUMNS_MAX, "%s: %zu columns",
			      panes[id]->name, n);
		for (size_t i = 0; i < n; i++)
			bytes += strlen(table_columns_key(spec, (int)i)) + 1;
		ck_assert_msg(bytes <= SETTINGS_VALUE_MAX, "%s: %zu bytes",
			      panes[id]->name, bytes);
	}
}
END_TEST

/* So many jobs that they stand in a table, with texts among its columns. */
START_TEST(test_many_jobs)
{
	const struct table_state *t = table(PANE_JOB);
	int phase = schema_field(SCHEMA_JOB, "phase");

	for (int i = 0; i < 6; i++) {
		char id[16];
		struct row *row;

		snprintf(id, sizeof(id), "job%d", i);
		row = frame_add_row(&s.frame, SCHEMA_JOB, id);
		row->value[phase].text = "run";
	}
	scene_draw(&s);
	scene_draw(&s);
	ck_assert(on_screen("job5"));
	ck_assert_int_eq(t->n_drawn > 0 && t->drawn[0].field == phase, 1);
	ck_assert_int_eq(t->drawn[0].width, (int)strlen("phase") + 1);
}
END_TEST

START_TEST(test_last_column)
{
	struct table_state *t = table(PANE_DEVICE);
	int column[COLUMNS_MAX], n = table_columns(t, column);

	for (int i = 0; i < n; i++)
		table_columns_toggle(t, column[i]);
	ck_assert_int_eq(t->n_columns, 1);
	scene_draw(&s);
}
END_TEST

START_TEST(test_saved)
{
	struct table_state *t = table(PANE_DEVICE);
	struct settings_file out = { .prefix = "devices" };
	int column[COLUMNS_MAX];

	table_columns_save(&s.ui->table[PANE_DEVICE], &out);
	ck_assert_ptr_null(out.text);
	ck_assert(table_columns_load(&s.ui->table[PANE_DEVICE], "columns",
				     "trend,no_such,util_pct,trend,read_iops"));
	ck_assert_int_eq(table_columns(t, column), 3);
	ck_assert(table_columns_load(&s.ui->table[PANE_DEVICE], "flat", "yes"));
	table_columns_save(&s.ui->table[PANE_DEVICE], &out);
	ck_assert_str_eq(out.text, "devices.columns = "
				   "trend,util_pct,read_iops\n"
				   "devices.flat = yes\n");
	free(out.text);
	scene_draw(&s);
	ck_assert(on_screen("trend"));
	ck_assert(!table_columns_load(&s.ui->table[PANE_DEVICE], "columns",
				      "junk"));
	ck_assert_int_gt(table_columns(t, column), 3);
	ck_assert(!table_columns_load(&s.ui->table[PANE_DEVICE], "flat",
				      "family"));
	ck_assert(
		table_columns_load(&s.ui->table[PANE_TASK], "flat", "family"));
	ck_assert(
		!table_columns_load(&s.ui->table[PANE_DEVICE], "other", "yes"));
	/* A histogram is no column. */
	ck_assert(!table_columns_load(&s.ui->table[PANE_JOB], "columns",
				      "read_hist"));
}
END_TEST

/* What is not as it was at the start has a star, without any colour. */
START_TEST(test_changed)
{
	scene_text(&s.frame, SCHEMA_DEVICE, "vda", "scheduler_was", "none");
	scene_number(&s.frame, SCHEMA_DEVICE, "sda", "read_ahead_was_kb", 64);
	s.frame.t_s += 1;
	scene_draw(&s);
	ck_assert(on_screen("*mq-deadline"));
	ck_assert(on_screen("*128"));
	ck_assert(!on_screen("*none"));
}
END_TEST

static const char *word(const char *knob, enum ui_knob_word what, char *buf,
			size_t size)
{
	return what == UI_KNOB_HELP ? "what it is for" : "0 to 9";
}

START_TEST(test_knobs)
{
	struct action a;

	s.view.knob_word = word;
	scene_text(&s.frame, SCHEMA_KNOB, "loop0.iosched.fifo_batch",
		   "original", "8");
	scene_text(&s.frame, SCHEMA_KNOB, "loop0.iosched.fifo_batch",
		   "no_effect", "the moon is full");
	scene_text(&s.frame, SCHEMA_KNOB, "kernel.task_delayacct", "value", "0");
	s.frame.t_s += 1;
	/* No job and nothing selected: no disk is meant. */
	scene_keys(&s, "8z");
	ck_assert(on_screen("no device (d: choose)"));
	ck_assert(on_screen("dirty_ratio"));
	ck_assert(on_screen("task_delayacct"));
	ck_assert(!on_screen("scheduler"));
	scene_keys(&s, "d");
	ck_assert(on_screen("knobs of "));
	scene_keys(&s, "z1/loop0\r\033OH");
	scene_keys(&s, "8z");
	ck_assert(on_screen("knobs of loop0"));
	ck_assert(on_screen("*16"));
	ck_assert(on_screen("0 to 9"));
	ck_assert(on_screen("vm") || on_screen("dirty_ratio"));
	ck_assert(!on_screen("vda.scheduler"));
	a = scene_keys(&s, "o");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	scene_keys(&s, KEY_DOWN_BYTES);
	ck_assert(on_screen("no effect now: the moon is full"));
	a = scene_keys(&s, "o");
	ck_assert_int_eq(a.kind, ACTION_KNOB_SET);
	ck_assert_str_eq(a.device, "loop0");
	ck_assert_str_eq(a.knob, "iosched.fifo_batch");
	ck_assert_str_eq(a.value, "8");
	a = scene_keys(&s, "O");
	ck_assert_int_eq(a.kind, ACTION_KNOB_RESET);
	ck_assert_str_eq(a.device, "loop0");
	a = scene_keys(&s, "A");
	ck_assert_int_eq(a.kind, ACTION_KNOB_RESET);
	ck_assert_str_eq(a.device, "");
	a = scene_keys(&s, "\r12\r\r");
	ck_assert_int_eq(a.kind, ACTION_KNOB_SET);
	ck_assert_str_eq(a.value, "12");
}
END_TEST

/* Many processors share columns, and then bars. */
START_TEST(test_many_cpus)
{
	struct frame *f = &s.frame;

	for (int i = 2; i < 512; i++) {
		char id[16];

		snprintf(id, sizeof(id), "%d", i);
		scene_number(f, SCHEMA_CPU, id, "user_pct", 50);
		scene_number(f, SCHEMA_CPU, id, "idle_pct", 50);
	}
	scene_keys(&s, "6z");
	scene_draw(&s);
	ck_assert(on_screen("all ["));
	ck_assert(on_screen("-511"));
	ck_assert(on_screen("uuu"));
	ck_assert(on_screen("dirty"));
}
END_TEST

/* The order of many rows, and each key on it, within a bound that only a
 * square of their number would break on any machine. */
START_TEST(test_many)
{
	static const char *const keys[] = { "I", "a",       "E",
					    "t", "/x[0-9]", "\033",
					    ">", "\r",      KEY_DOWN_BYTES };
	uint64_t begin;

	scene_fill_many(&s, 3000, 10000);
	for (unsigned i = 0; i < 10000; i += 2) {
		struct row *row = &s.frame.table[SCHEMA_TASK].row[i];

		row->value[schema_field(SCHEMA_TASK, "kernel")].number = 1;
	}
	for (unsigned i = 1; i < 3000; i++) {
		struct row *row = &s.frame.table[SCHEMA_DEVICE].row[i];

		row->value[schema_field(SCHEMA_DEVICE, "parent")].text =
			s.frame.table[SCHEMA_DEVICE].row[i / 10].id;
	}
	begin = test_cpu_ns();
	for (int pane = 0; pane < 2; pane++) {
		scene_keys(&s, pane ? "5" : "1");
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			scene_keys(&s, keys[i]);
	}
	/* Its own time: others may use the processor. */
	ck_assert_uint_lt(test_cpu_ns() - begin, 20 * NS_PER_S);
}
END_TEST

void test_suite(Suite *suite)
{
	const TTest *const tests[] = {
		test_filter,      test_filter_typed, test_fold,
		test_lingers,     test_ring,         test_stall_first,
		test_btrfs,       test_tasks,        test_family,
		test_follow,      test_columns,      test_saved,
		test_all_columns, test_tree_lines,   test_many_jobs,
		test_last_column, test_changed,      test_knobs,
		test_many,        test_many_cpus,
	};
	TCase *tcase = tcase_create("table");

	scene_environment();
	tcase_set_timeout(tcase, 300);
	tcase_add_checked_fixture(tcase, open_top, close_scene);
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
}
