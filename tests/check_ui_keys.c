/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys become actions: every key in every state that it can meet. */
#include <curses.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ui/key/key.h"
#include "ui/state.h"

#include "ui_scene.h"

static struct scene s;

static void open_run(void)
{
	scene_open(&s, SCENE_RUN, 24, 80);
	scene_draw(&s);
}

static void open_replay(void)
{
	open_run();
	s.view.replay = true;
	s.view.position_s = 10;
	s.view.length_s = 200;
}

static void close_scene(void)
{
	scene_close(&s);
}

static bool on_screen(const char *text)
{
	char *screen;
	bool found;

	scene_draw(&s);
	screen = scene_copy();
	found = strstr(screen, text) != NULL;
	free(screen);
	return found;
}

struct expected {
	const char *keys;
	enum action_kind kind;
	double number;
};

static void expect(const struct expected *e)
{
	struct action a = scene_keys(&s, e->keys);

	ck_assert_msg(a.kind == e->kind, "\"%s\" gave %d, not %d", e->keys,
		      a.kind, e->kind);
	if (isinf(e->number))
		ck_assert_double_eq(a.number, e->number);
	else
		ck_assert_double_eq_tol(a.number, e->number, 1e-9);
}

START_TEST(test_live)
{
	static const struct expected cases[] = {
		{ "u", ACTION_KNOB_UNDO, 0 },   { " ", ACTION_PAUSE, 0 },
		{ "Z", ACTION_PAUSE, 0 },       { "m", ACTION_MARK, 0 },
		{ "+", ACTION_INTERVAL, 2 },    { "-", ACTION_INTERVAL, 0.5 },
		{ ".", ACTION_NONE, 0 },        { "J", ACTION_NONE, 0 },
		{ "\014", ACTION_NONE, 0 },     { "\t", ACTION_NONE, 0 },
		{ "gGb", ACTION_NONE, 0 },      { "qy", ACTION_QUIT, 0 },
		{ "\033[21~\r", ACTION_QUIT, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(&cases[i]);
	ck_assert_int_eq(scene_keys(&s, "u").by, BY_OPERATOR);
}
END_TEST

/* A time of day that the log covers; else minutes and seconds. */
START_TEST(test_jump_to_clock)
{
	uint64_t shown = s.view.frame->wall_ns;
	struct action a;

	setenv("TZ", "UTC", 1);
	s.view.first_ns = shown - 3600 * NS_PER_S;
	s.view.last_ns = shown + 60 * NS_PER_S;
	a = scene_keys(&s, "J20:00:30\r");
	ck_assert_int_eq(a.kind, ACTION_SEEK_CLOCK);
	ck_assert_double_eq(a.number,
			    (double)clock_parse_utc("2026-11-20T20:00:30.000Z"));
	a = scene_keys(&s, "J19:30\r");
	ck_assert_int_eq(a.kind, ACTION_SEEK_CLOCK);
	a = scene_keys(&s, "J1:30\r");
	ck_assert_int_eq(a.kind, ACTION_SEEK);
	ck_assert_double_eq(a.number, 90);
}
END_TEST

START_TEST(test_replay)
{
	static const struct expected cases[] = {
		{ ".", ACTION_STEP, 1 },
		{ ",", ACTION_STEP, -1 },
		{ "]", ACTION_SPEED, 2 },
		{ "[", ACTION_SPEED, 0.5 },
		{ "^", ACTION_SEEK, -INFINITY },
		{ "$", ACTION_SEEK, INFINITY },
		{ "(", ACTION_SEEK_ALARM, -1 },
		{ ")", ACTION_SEEK_ALARM, 1 },
		{ "J90\r", ACTION_SEEK, 90 },
		{ "J+1:30\r", ACTION_SEEK, 90 },
		{ "J1:30\r", ACTION_SEEK, 90 },
		{ "J2m\r", ACTION_SEEK, 120 },
		{ "J25%\r", ACTION_SEEK, 50 },
		{ "J1:30.5\r", ACTION_SEEK, 90.5 },
		{ "Jnever\r", ACTION_NONE, 0 },
		{ "J-5\r", ACTION_NONE, 0 },
		{ "J-1:00\r", ACTION_NONE, 0 },
		{ "J1: 2\r", ACTION_NONE, 0 },
		{ "J-5%\r", ACTION_NONE, 0 },
		{ "Jnan%\r", ACTION_NONE, 0 },
		{ "J1:2x\r", ACTION_NONE, 0 },
		{ "u", ACTION_NONE, 0 },
		{ "m", ACTION_NONE, 0 },
		{ "+", ACTION_NONE, 0 },
		{ " ", ACTION_PAUSE, 0 },
		{ "q", ACTION_QUIT, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(&cases[i]);
	ck_assert_int_eq(scene_keys(&s, "s").kind, ACTION_NONE);
	ck_assert(on_screen("has no effect in a replay"));
	scene_keys(&s, "x");
	ck_assert(!on_screen("has no effect in a replay"));
}
END_TEST

/* A key of another pane says where it is one; the digit goes there. */
START_TEST(test_key_of_another_pane)
{
	scene_keys(&s, "1");
	ck_assert_int_eq(scene_keys(&s, "e").kind, ACTION_NONE);
	ck_assert(on_screen("That key works in the jobs pane (press 2)."));
	scene_keys(&s, "2");
	ck_assert(!on_screen("That is a key of"));
	scene_keys(&s, "e");
	ck_assert(!on_screen("That is a key of"));
	ck_assert_ptr_nonnull(s.ui->overlay);
	scene_keys(&s, "\033");
	scene_keys(&s, "1");
	scene_keys(&s, "~");
	ck_assert(!on_screen("That is a key of"));
	scene_close(&s);
	scene_open(&s, SCENE_TOP, 24, 80);
	scene_keys(&s, "e");
	ck_assert(on_screen("That key works in the jobs pane, which is empty now."));
}
END_TEST

/* Pages of the help overlap by a line, so that none is skipped. */
START_TEST(test_help_pages)
{
	scene_keys(&s, "?");
	ck_assert(on_screen("help  1-21 of"));
	scene_keys(&s, "\033[6~");
	ck_assert(on_screen("help  21-41 of"));
	scene_keys(&s, "\033[5~");
	ck_assert(on_screen("help  1-21 of"));
	/* Typing finds; Esc clears, then closes. */
	scene_keys(&s, "undo");
	ck_assert(on_screen("undo the last change"));
	ck_assert(!on_screen("this help"));
	scene_keys(&s, "\033");
	ck_assert(on_screen("this help"));
	scene_keys(&s, "\033");
	ck_assert(!on_screen("this help"));
}
END_TEST

/* Where there was no room for a histogram, a zoom still has it. */
START_TEST(test_histogram)
{
	scene_keys(&s, "2");
	scene_keys(&s, "H");
	scene_keys(&s, "z");
	scene_draw(&s);
	ck_assert(on_screen("latencies of"));
	scene_keys(&s, "H");
	scene_draw(&s);
	ck_assert(!on_screen("latencies of"));
	scene_keys(&s, "H");
	scene_keys(&s, "z");
	scene_keys(&s, "z");
	scene_draw(&s);
	ck_assert(on_screen("latencies of"));
}
END_TEST

/* Where a replay is: by the frames' length, before the log, at its end. */
START_TEST(test_position)
{
	s.view.position_s = 36.254;
	s.view.length_s = 200;
	scene_draw(&s);
	ck_assert(on_screen("replay 0:36/3:20 x1"));
	s.view.interval_s = 0.25;
	scene_draw(&s);
	ck_assert(on_screen("replay 0:36.25/3:20 x1"));
	s.view.position_s = 59.999;
	scene_draw(&s);
	ck_assert(on_screen("replay 1:00.00/3:20 x1"));
	s.view.position_s = -2.5;
	scene_draw(&s);
	ck_assert(on_screen("replay -0:02.50/3:20 x1"));
	s.view.position_s = 200;
	s.view.following = true;
	scene_draw(&s);
	ck_assert(on_screen("x1 LIVE"));
	s.view.position_s = 199;
	scene_draw(&s);
	ck_assert(!on_screen("LIVE"));
	s.view.frame = NULL;
	scene_draw(&s);
	ck_assert(on_screen("Waiting for the first frame of the log"));
}
END_TEST

/* The whole way: loop0, scheduler, bfq, yes. */
START_TEST(test_menu_choice)
{
	struct action a;

	ck_assert_int_eq(scene_keys(&s, "s").kind, ACTION_NONE);
	ck_assert(on_screen("which device?"));
	/* The disk of the job is the one that is meant, unless another is. */
	scene_keys(&s, "\r");
	ck_assert(on_screen("loop0: which knob?"));
	scene_keys(&s, "\r");
	ck_assert(on_screen("> none"));
	ck_assert(on_screen("(now)"));
	scene_keys(&s, KEY_DOWN_BYTES KEY_DOWN_BYTES KEY_DOWN_BYTES "\r");
	ck_assert(on_screen("loop0.scheduler none -> bfq?"));
	ck_assert(on_screen("loop0: disk.img, 1.0G, mounted on /mnt, /srv"));
	/* Nothing happens before it is confirmed. */
	ck_assert_int_eq(scene_keys(&s, "x").kind, ACTION_NONE);
	a = scene_keys(&s, "y");
	ck_assert_int_eq(a.kind, ACTION_KNOB_SET);
	ck_assert_str_eq(a.device, "loop0");
	ck_assert_str_eq(a.knob, "scheduler");
	ck_assert_str_eq(a.value, "bfq");
	ck_assert_int_eq(a.by, BY_OPERATOR);
	ck_assert(!on_screen("which"));
}
END_TEST

START_TEST(test_menu_number)
{
	struct action a;

	/* A knob with a dot in its name; the host's knobs stand under vm. */
	scene_keys(&s, "s\r" KEY_DOWN_BYTES "\r");
	ck_assert(on_screen("loop0.iosched.fifo_batch"));
	a = scene_keys(&s, "\r12x\177\17764\r");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	ck_assert(on_screen("16 -> 164?"));
	a = scene_keys(&s, "\r");
	ck_assert_int_eq(a.kind, ACTION_KNOB_SET);
	ck_assert_str_eq(a.knob, "iosched.fifo_batch");
	ck_assert_str_eq(a.value, "164");
	a = scene_keys(&s, "s" KEY_DOWN_BYTES KEY_DOWN_BYTES KEY_DOWN_BYTES
			"\r\r30\ry");
	ck_assert_str_eq(a.device, "vm");
	ck_assert_str_eq(a.knob, "dirty_ratio");
	ck_assert_str_eq(a.value, "30");
}
END_TEST

/* What the machine does not tell is said where it is missed, and in help. */
START_TEST(test_lacks)
{
	static const struct ui_lack lack = {
		SCHEMA_TASK, "no words of processes, which takes one more line "
			     "than there is room for in eighty columns of it"
	};

	s.view.lack = &lack;
	s.view.n_lacks = 1;
	scene_keys(&s, "1");
	ck_assert(!on_screen("no words of processes"));
	scene_keys(&s, "5");
	ck_assert(on_screen("no words of processes"));
	scene_keys(&s, "1?\033OF");
	ck_assert(on_screen("Not available on this machine"));
	ck_assert(on_screen("no words of processes"));
	ck_assert(on_screen("columns of it"));
	scene_keys(&s, "\033czzz");
	ck_assert(on_screen("nothing found   "));
	/* In help as in less. */
	scene_keys(&s, "\033\033?/open files");
	ck_assert(on_screen("find: open files"));
	ck_assert(on_screen("open files of the selected process"));
}
END_TEST

/* Esc closes one level at a time. */
START_TEST(test_menu_back)
{
	scene_keys(&s, "s\r\r\r");
	ck_assert(on_screen("Enter, y"));
	scene_keys(&s, "\033");
	ck_assert(on_screen("which value?"));
	scene_keys(&s, "\033");
	ck_assert(on_screen("which knob?"));
	scene_keys(&s, "\033");
	ck_assert(on_screen("which device?"));
	scene_keys(&s, "\033");
	ck_assert(!on_screen("which device?"));
	ck_assert_int_eq(scene_keys(&s, "qy").kind, ACTION_QUIT);
}
END_TEST

/* A signal is asked for, confirmed, and only then an action. */
START_TEST(test_order)
{
	struct action a;
	struct row *row;

	scene_keys(&s, "5/^1014\r\033OHx");
	ck_assert(on_screen("signal, nice, I/O priority for process 1014"));
	ck_assert(on_screen("15: end; the program may clean up"));
	/* TERM is the first, KILL the second row. */
	scene_keys(&s, "\033OB\r");
	ck_assert(on_screen("send KILL to process 1014 (postgres)?"));
	ck_assert_int_eq(scene_keys(&s, "n").kind, ACTION_NONE);
	/* F9 as in htop; i offers I/O priorities only. */
	scene_keys(&s, "\033[20~\r");
	ck_assert(on_screen("send TERM to process 1014 (postgres)?"));
	scene_keys(&s, "ni");
	ck_assert(!on_screen("send"));
	scene_keys(&s, "\r");
	ck_assert(on_screen("set I/O priority idle of process 1014"));
	scene_keys(&s, "nx");
	scene_keys(&s, "nice 99\r");
	ck_assert(on_screen("Not an order"));
	scene_keys(&s, "xionice be 7\r");
	ck_assert(on_screen("set I/O priority be 7 of process 1014 (postgres)?"));
	ck_assert_int_eq(scene_keys(&s, "n").kind, ACTION_NONE);
	scene_keys(&s, "xterm\r");
	ck_assert(on_screen("send TERM to process 1014 (postgres)?"));
	a = scene_keys(&s, "y");
	ck_assert_int_eq(a.kind, ACTION_TASK);
	ck_assert_uint_eq(a.n_tasks, 1);
	ck_assert_str_eq(a.task->pid, "1014");
	ck_assert_str_eq(a.task->name, "postgres");
	ck_assert_str_eq(a.value, "term");
	/* An order for two tagged ones; a kernel thread gets no tag. */
	scene_keys(&s, "/\025^10(07|14|28)\r\033OH   ");
	ck_assert(on_screen("1014*"));
	ck_assert(on_screen("1028*"));
	scene_keys(&s, "\033OHx\r");
	ck_assert(on_screen("send TERM to 2 processes: 1014 (postgres), 1028"));
	a = scene_keys(&s, "y");
	ck_assert_uint_eq(a.n_tasks, 2);
	ck_assert_str_eq(a.task[1].pid, "1028");
	/* Another process that gets the pid has no tag. */
	row = (struct row *)frame_find(&s.frame, SCHEMA_TASK, "1028");
	row->id = "9";
	s.frame.t_s++;
	scene_draw(&s);
	row->id = "1028";
	s.frame.t_s++;
	scene_draw(&s);
	ck_assert(on_screen("1014*"));
	ck_assert(!on_screen("1028*"));
	/* Where all ended, the order is for no other process. */
	row = (struct row *)frame_find(&s.frame, SCHEMA_TASK, "1014");
	row->id = "9";
	s.frame.t_s++;
	scene_draw(&s);
	row->id = "1014";
	ck_assert_int_eq(scene_keys(&s, "x").kind, ACTION_NONE);
	ck_assert(on_screen("The tagged processes have ended"));
	s.frame.t_s++;
	scene_draw(&s);
	scene_keys(&s, "U");
	ck_assert(!on_screen("1014*"));
	a = scene_keys(&s, "d");
	ck_assert_int_eq(a.kind, ACTION_KNOB_SET);
	ck_assert_str_eq(a.knob, "task_delayacct");
	ck_assert_str_eq(a.value, "1");
	ck_assert(!on_screen("rMiB"));
	scene_keys(&s, "A");
	ck_assert(on_screen("rMiB"));
	scene_keys(&s, "A");
	ck_assert(!on_screen("rMiB"));
}
END_TEST

/* An alarm that began and did not end stands in the head. */
START_TEST(test_alarm)
{
	struct event e = { .kind = EVENT_ALARM_BEGIN,
			   .name = "stall",
			   .device = "loop0",
			   .text = "1 write without an answer" };

	ck_assert(!on_screen("ALARM"));
	s.frame.t_s += 1;
	e.t_s = s.frame.t_s;
	frame_add_event(&s.frame, &e);
	history_push(s.history, &s.frame);
	ck_assert(on_screen("ALARM 0s loop0: 1 write without an answer"));
	s.frame.t_s += 1;
	s.frame.n_events = 0;
	e.kind = EVENT_ALARM_END;
	e.t_s = s.frame.t_s;
	frame_add_event(&s.frame, &e);
	history_push(s.history, &s.frame);
	ck_assert(!on_screen("ALARM"));
}
END_TEST

/* Jobs run: q asks before it stops them. */
START_TEST(test_quit_asks)
{
	ck_assert_int_eq(scene_keys(&s, "q").kind, ACTION_NONE);
	ck_assert(on_screen("and quit? y, Enter: yes"));
	ck_assert_int_eq(scene_keys(&s, "n").kind, ACTION_NONE);
	ck_assert(!on_screen("and quit?"));
	ck_assert_int_eq(scene_keys(&s, "qy").kind, ACTION_QUIT);
	scene_text(&s.frame, SCHEMA_JOB, "randrw", "phase", "done");
	ck_assert_int_eq(scene_keys(&s, "q").kind, ACTION_QUIT);
}
END_TEST

START_TEST(test_menu_why_not)
{
	s.view.no_knobs = "Settings need root.";
	scene_keys(&s, "s");
	ck_assert(on_screen("Settings need root."));
	scene_keys(&s, "\r");
	ck_assert(!on_screen("Settings need root."));
}
END_TEST

/* The menu opens on the device that is selected. */
START_TEST(test_menu_preselects)
{
	scene_keys(&s,
		   "\033OH" KEY_DOWN_BYTES KEY_DOWN_BYTES KEY_DOWN_BYTES "s\r");
	ck_assert(on_screen("loop0: which knob?"));
}
END_TEST

START_TEST(test_filter)
{
	scene_keys(&s, "/loop1");
	ck_assert(on_screen("Filter: loop1"));
	ck_assert(on_screen("\nloop1"));
	ck_assert(!on_screen("\nloop0"));
	scene_keys(&s, "\r");
	ck_assert(!on_screen("Filter:"));
	ck_assert(!on_screen("\nloop0"));
	scene_keys(&s, "\033");
	ck_assert(on_screen("\nloop0"));
	scene_keys(&s, "/xyz");
	ck_assert(on_screen("nothing matches"));
	scene_keys(&s, "\033");
	ck_assert(on_screen("\nloop0"));
	/* Keys that mean something elsewhere are text in a filter. */
	ck_assert_int_eq(scene_keys(&s, "/qu ").kind, ACTION_NONE);
}
END_TEST

START_TEST(test_sort)
{
	int field = schema_field(SCHEMA_DEVICE, "read_iops");
	struct table_state *t = &s.ui->table[PANE_DEVICE];
	const struct table *rows = &s.frame.table[SCHEMA_DEVICE];

	scene_keys(&s, ">");
	ck_assert_int_eq(t->sort, field);
	ck_assert_str_eq(rows->row[t->place[0].row].id, "nvme0n1");
	ck_assert(on_screen("\u2193r/s"));
	/* A member stays under what it belongs to. */
	ck_assert_str_eq(rows->row[t->place[1].row].id, "vda");
	ck_assert_str_eq(rows->row[t->place[2].row].id, "vda1");
	ck_assert_int_eq(t->place[3].depth, 2);
	scene_keys(&s, "I");
	ck_assert_str_eq(rows->row[t->place[t->n - 1].row].id, "nvme0n1");
	scene_keys(&s, "<");
	ck_assert_int_eq(t->sort, SORT_DEFAULT);
	scene_keys(&s, "<");
	ck_assert_int_ge(t->sort, 0);
	scene_keys(&s, ">");
	ck_assert_int_eq(t->sort, SORT_DEFAULT);
	/* A pane without a table has no order. */
	s.ui->focus = PANE_GRAPH;
	scene_keys(&s, "Ia");
	ck_assert(!s.ui->table[PANE_GRAPH].reverse);
	ck_assert(!s.ui->table[PANE_GRAPH].busy_only);
}
END_TEST

/* The selection stays on its row when rows come, go and change places. */
START_TEST(test_selection)
{
	struct table_state *t = &s.ui->table[PANE_DEVICE];

	scene_keys(&s, "\033OH" KEY_DOWN_BYTES KEY_DOWN_BYTES KEY_DOWN_BYTES);
	ck_assert_str_eq(t->selected, "loop0");
	scene_fill_many(&s, 3, 1);
	scene_number(&s.frame, SCHEMA_DEVICE, "loop0", "counted", 1);
	scene_draw(&s);
	ck_assert_str_eq(t->selected, "loop0");
	ck_assert_uint_eq(t->at, 3);
	scene_fill_many(&s, 2, 1);
	s.frame.t_s = 77;
	scene_draw(&s);
	ck_assert_str_eq(t->selected, "disk0");
	frame_reset(&s.frame);
	s.frame.t_s = 78;
	scene_draw(&s);
	scene_keys(&s, KEY_UP_BYTES KEY_DOWN_BYTES);
}
END_TEST

START_TEST(test_panes)
{
	ck_assert(on_screen("graph  job"));
	scene_keys(&s, "3w");
	ck_assert(!on_screen("graph  job"));
	scene_keys(&s, "3");
	ck_assert(on_screen("graph  job randrw r/s"));
	scene_keys(&s, "g");
	ck_assert(on_screen("graph  job randrw w/s"));
	scene_keys(&s, "G");
	ck_assert(on_screen("graph  device"));
	scene_keys(&s, "G");
	ck_assert(on_screen("graph  job"));
	scene_keys(&s, "z");
	ck_assert(!on_screen("%util"));
	scene_keys(&s, "z6");
	ck_assert(on_screen("%util"));
	ck_assert(on_screen("w iowait"));
}
END_TEST

/* With the whole screen a pane shows all of a long sentence, and ratios. */
START_TEST(test_long_sentence)
{
	struct effect *e = &s.effect[0];

	text_set(e->sentence, "since then: w_await of loop1 x792 (x670 to x936), "
			      "r_await of loop1 +252.5 % (+231.5 to +274.7), "
			      "io_p99 of fio 17820 +426.7 % (+318.8 to +562.3); "
			      "no job of iodyno ran: the load may be the cause; "
			      "the loss of reads is in the queue; the loss of "
			      "writes is in the queue");
	e->figure[0].change_pct = 79111.3;
	e->figure[0].low_pct = 423.1;
	e->figure[0].high_pct = 9e6;
	scene_keys(&s, "9z" KEY_LEFT_BYTES);
	ck_assert(on_screen("writes is in the queue"));
	ck_assert(on_screen("x792 (423.1..>x999)"));
}
END_TEST

/* From a slow request to its process, which keeps the selection. */
START_TEST(test_process_of_request)
{
	static const char *const pids[] = { "1028", "1014" };
	char *end;

	for (size_t i = 0; i < 3; i++) {
		char id[16];

		snprintf(id, sizeof(id), "sda.%zu", i);
		scene_text(&s.frame, SCHEMA_SLOW, id, "device", "sda");
		scene_text(&s.frame, SCHEMA_SLOW, id, "op", "fdatasync");
		scene_number(&s.frame, SCHEMA_SLOW, id, "total_ns", (3 - (double)i) * 1e6);
		scene_number(&s.frame, SCHEMA_SLOW, id, "pid",
			     i < 2 ? strtod(pids[i], &end) : 1e6);
	}
	s.frame.table[SCHEMA_JOB].n = 0;
	scene_draw(&s);
	for (size_t i = 0; i < 2; i++) {
		scene_keys(&s, i ? "2" KEY_DOWN_BYTES : "2");
		ck_assert_int_eq(s.ui->focus, PANE_SLOW);
		ck_assert(on_screen("sda      fdatasync "));
		scene_keys(&s, "\r");
		ck_assert_int_eq(s.ui->focus, PANE_TASK);
		ck_assert_str_eq(s.ui->table[PANE_TASK].selected, pids[i]);
	}
	scene_keys(&s, "2" KEY_DOWN_BYTES "\r");
	ck_assert(on_screen("The process of this request has no row"));
	ck_assert_int_eq(s.ui->focus, PANE_SLOW);
	/* A kernel thread, whose group is shut. */
	scene_number(&s.frame, SCHEMA_SLOW, "sda.2", "pid", 1000);
	scene_number(&s.frame, SCHEMA_TASK, "1000", "kernel", 1);
	s.frame.t_s++;
	scene_draw(&s);
	scene_keys(&s, "\r");
	ck_assert_int_eq(s.ui->focus, PANE_TASK);
	scene_draw(&s);
	ck_assert_str_eq(s.ui->table[PANE_TASK].selected, "1000");
}
END_TEST

/* The groups come with the next sample; the keys go there unless another follows. */
START_TEST(test_pane_that_comes)
{
	size_t n = s.frame.table[SCHEMA_CGROUP].n;

	s.frame.table[SCHEMA_CGROUP].n = 0;
	scene_draw(&s);
	scene_keys(&s, _i ? "0\t" : "0");
	ck_assert(_i || on_screen("Pane 0 (sweep, fleet, mounts, cgroups) has "
				  "nothing to show yet."));
	s.frame.table[SCHEMA_CGROUP].n = n;
	scene_draw(&s);
	ck_assert_int_eq(s.ui->focus == PANE_CGROUP, !_i);
	ck_assert(!on_screen("has nothing to show yet."));
	ck_assert_int_eq(s.ui->shown[PANE_SWEEP], SHOWN_AUTO);
}
END_TEST

START_TEST(test_mark)
{
	struct action a = scene_keys(&s, "Mhere it is\r");

	ck_assert_int_eq(a.kind, ACTION_MARK);
	ck_assert_str_eq(a.value, "here it is");
	/* What is typed may be of any script; a character goes as a whole. */
	a = scene_keys(&s, "Mf\xc3\xbcr \xe7\xa3\x81\xe7\x9b\x98\177\r");
	ck_assert_str_eq(a.value, "f\xc3\xbcr \xe7\xa3\x81");
	a = scene_keys(&s, "Mno\033");
	ck_assert_int_eq(a.kind, ACTION_NONE);
}
END_TEST

static bool is_pane(const char *where)
{
	for (int id = 0; id < PANES; id++)
		if (!strcmp(panes[id]->name, where))
			return true;
	return false;
}

/* Every row of the key table is whole, and fits a line of the help. */
START_TEST(test_tables)
{
	for (size_t i = 0; ui_key_help(i); i++) {
		ck_assert_int_gt((int)strlen(ui_key_help(i)->keys), 0);
		ck_assert_int_gt((int)strlen(ui_key_help(i)->help), 0);
	}
	/* Each fits a line of 80 columns. */
	for (size_t i = 0; ui_key_help(i); i++)
		ck_assert_int_le((int)strlen(ui_key_help(i)->help), 61);
	for (size_t i = 0; i < PANES; i++)
		ck_assert_int_le((int)strlen(panes[i]->help.help), 61);
}
END_TEST

/* No code stands twice; what every pane needs no pane takes for itself. */
START_TEST(test_codes)
{
	static const int needed[] = { KEY_F(1), KEY_F(10),    'q', '?', '\t',
				      27,       CONTROL('L'), 'w', 'z', '1' };
	const struct key *a, *b;
	const char *in_a, *in_b;

	for (size_t i = 0; (a = key_at(i, &in_a)); i++) {
		ck_assert_int_ne(a->code[0], 0);
		ck_assert(!a->label || a->short_key);
		for (size_t j = 0; j < i; j++) {
			b = key_at(j, &in_b);
			for (size_t k = 0; k < ARRAY_SIZE(a->code); k++)
				for (size_t l = 0; l < ARRAY_SIZE(a->code); l++)
					ck_assert_msg(
						!a->code[k] ||
							a->code[k] !=
								b->code[l] ||
							is_pane(in_a),
						"%s and %s", a->help.keys,
						b->help.keys);
		}
		for (size_t k = 0; is_pane(in_a) && k < ARRAY_SIZE(needed); k++)
			for (size_t l = 0; l < ARRAY_SIZE(a->code); l++)
				ck_assert_msg(a->code[l] != needed[k],
					      "%s takes %s", in_a,
					      a->help.keys);
	}
}
END_TEST

/* Any byte at any time does no harm. */
START_TEST(test_any_key)
{
	unsigned seed = 1;

	for (int i = 0; i < 600; i++) {
		char key[2] = { 0 };

		seed = seed * 1103515245u + 12345u;
		key[0] = (char)(1 + (seed >> 16) % 126);
		if (key[0] == 3 || key[0] == 26 || key[0] == 28 ||
		    key[0] == 17 || key[0] == 19)
			continue;
		scene_keys(&s, key);
	}
}
END_TEST

static TCase *make_case(const char *name, void (*setup)(void))
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, 300);
	tcase_add_checked_fixture(tcase, setup, close_scene);
	return tcase;
}

void test_suite(Suite *suite)
{
	TCase *run = make_case("run", open_run);
	TCase *replay = make_case("replay", open_replay);

	scene_environment();
	tcase_add_test(run, test_live);
	tcase_add_test(run, test_menu_choice);
	tcase_add_test(run, test_menu_number);
	tcase_add_test(run, test_menu_back);
	tcase_add_test(run, test_lacks);
	tcase_add_test(run, test_menu_why_not);
	tcase_add_test(run, test_quit_asks);
	tcase_add_test(run, test_alarm);
	tcase_add_test(run, test_order);
	tcase_add_test(run, test_menu_preselects);
	tcase_add_test(run, test_filter);
	tcase_add_test(run, test_sort);
	tcase_add_test(run, test_selection);
	tcase_add_test(run, test_panes);
	tcase_add_test(run, test_process_of_request);
	tcase_add_test(run, test_long_sentence);
	tcase_add_loop_test(run, test_pane_that_comes, 0, 2);
	tcase_add_test(run, test_mark);
	tcase_add_test(run, test_tables);
	tcase_add_test(run, test_codes);
	tcase_add_test(run, test_any_key);
	tcase_add_test(replay, test_replay);
	tcase_add_test(replay, test_jump_to_clock);
	tcase_add_test(replay, test_position);
	tcase_add_test(run, test_key_of_another_pane);
	tcase_add_test(run, test_help_pages);
	tcase_add_test(run, test_histogram);
	suite_add_tcase(suite, run);
	suite_add_tcase(suite, replay);
}
