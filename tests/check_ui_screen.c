/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Golden screens: the cells of canned frames against tests/golden. To accept
 * new screens: UPDATE_GOLDEN=1 ./check_ui_screen, and look at the difference.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "model/alarms.h"
#include "model/history.h"
#include "ui/pane.h"
#include "ui/state.h"
#include "ui/terminal/cells.h"
#include "ui/terminal/screen.h"

#include "ui_scene.h"

/* Pick the rates of reads and writes of the job. */
#define TWO_SERIES "3\r\rr/s\r\033w/s\r\033\033\033"

/* A screen: what is shown, how large, and the keys that lead there. */
struct golden {
	const char *name;
	enum scene_kind kind;
	int lines, columns;
	const char *keys;
	bool ascii, replay;
};

static const struct golden goldens[] = {
	{ "first-80x24", SCENE_FIRST, 24, 80, "", false, false },
	{ "top-80x24", SCENE_TOP, 24, 80, "", false, false },
	{ "top-120x40", SCENE_TOP, 40, 120, "", false, false },
	{ "top-160x45", SCENE_TOP, 45, 160, "", false, false },
	{ "top-40x10", SCENE_TOP, 10, 40, "", false, false },
	{ "run-80x24", SCENE_RUN, 24, 80, "", false, false },
	{ "run-120x40", SCENE_RUN, 40, 120, "", false, false },
	{ "run-160x45", SCENE_RUN, 45, 160, "", false, false },
	{ "run-40x10", SCENE_RUN, 10, 40, "", false, false },
	{ "top-300x100", SCENE_TOP, 100, 300, "", false, false },
	{ "run-300x100", SCENE_RUN, 100, 300, "", false, false },
	{ "layout-monitor-120x40", SCENE_RUN, 40, 120, "v", false, false },
	{ "layout-run-120x40", SCENE_RUN, 40, 120, "vv", false, false },
	{ "layout-compare-120x40", SCENE_RUN, 40, 120, "vvv", false, false },
	{ "run-ascii-80x24", SCENE_RUN, 24, 80, "", true, false },
	{ "replay-80x24", SCENE_RUN, 24, 80, "", false, true },
	{ "help-80x24", SCENE_TOP, 24, 80, "?", false, false },
	{ "help-end-80x24", SCENE_TOP, 24, 80, "?\033OF", false, false },
	{ "menu-device-80x24", SCENE_RUN, 24, 80, "s", false, false },
	{ "menu-knob-80x24", SCENE_RUN, 24, 80, "s\r", false, false },
	{ "menu-value-80x24", SCENE_RUN, 24, 80, "s\r\r", false, false },
	{ "menu-confirm-80x24", SCENE_RUN, 24, 80, "s\r\r" KEY_DOWN_BYTES "\r", false, false },
	{ "menu-confirm-40x10", SCENE_RUN, 10, 40, "s\r\r" KEY_DOWN_BYTES "\r", false, false },
	{ "menu-number-80x24", SCENE_RUN, 24, 80, "s\r" KEY_DOWN_BYTES "\r512", false, false },
	{ "menu-replay-80x24", SCENE_RUN, 24, 80, "s", false, true },
	{ "filter-80x24", SCENE_TOP, 24, 80, "/loop", false, false },
	{ "columns-80x24", SCENE_TOP, 24, 80,
	  KEY_RIGHT_BYTES KEY_RIGHT_BYTES KEY_RIGHT_BYTES, false, false },
	{ "busy-80x24", SCENE_TOP, 24, 80, "a", false, false },
	{ "graph-two-80x24", SCENE_RUN, 24, 80, TWO_SERIES "z", false, false },
	{ "graph-two-120x40", SCENE_RUN, 40, 120, TWO_SERIES "z", false,
	  false },
	{ "graph-two-40x10", SCENE_RUN, 10, 40, TWO_SERIES, false, false },
	{ "graph-two-ascii-80x24", SCENE_RUN, 24, 80, TWO_SERIES "z", true,
	  false },
	{ "graph-log-cursor-80x24", SCENE_RUN, 24, 80,
	  TWO_SERIES "zbL" KEY_LEFT_BYTES KEY_LEFT_BYTES, false, false },
	{ "series-list-80x24", SCENE_RUN, 24, 80, "3\r\rr_", false, false },
	{ "effect-80x24", SCENE_RUN, 24, 80, "9z" KEY_LEFT_BYTES, false,
	  false },
	{ "effect-120x40", SCENE_RUN, 40, 120, "9z" KEY_LEFT_BYTES, false,
	  false },
	{ "effect-40x10", SCENE_RUN, 10, 40, "9z" KEY_LEFT_BYTES, true, false },
	{ "heat-ascii-80x24", SCENE_RUN, 24, 80, "7z", true, false },
	{ "jobs-histogram-80x24", SCENE_RUN, 24, 80, "2z", false, false },
	{ "timeline-cursor-80x24", SCENE_RUN, 24, 80,
	  "4z" KEY_UP_BYTES KEY_UP_BYTES, false, false },
	{ "pane-braille-80x24", SCENE_RUN, 24, 80, "3zb", false, false },
};

START_TEST(test_golden)
{
	const struct golden *g = &goldens[_i];
	struct ui_options o = { .lines = g->lines,
				.columns = g->columns,
				.ascii = g->ascii };
	struct scene s;
	char *screen;

	scene_open_with(&s, g->kind, &o);
	s.view.replay = g->replay;
	s.view.position_s = 40;
	s.view.length_s = 60;
	scene_draw(&s);
	if (*g->keys)
		scene_keys(&s, g->keys);
	scene_draw(&s);
	screen = scene_copy();
	scene_close(&s);
	scene_golden(g->name, screen);
	free(screen);
}
END_TEST

static void begin(struct frame *f, const char *name, const char *device,
		  const char *text)
{
	struct event e = { .kind = EVENT_ALARM_BEGIN, .value = 2, .limit = 2 };

	e.t_s = f->t_s;
	snprintf(e.name, sizeof(e.name), "%s", name);
	snprintf(e.device, sizeof(e.device), "%s", device);
	snprintf(e.text, sizeof(e.text), "%s", text);
	frame_add_event(f, &e);
}

/*
 * A stalled device, a task in D and eight idle loop devices: the head names
 * both, and what the task runs is on the screen without a key.
 */
START_TEST(test_alarms)
{
	struct ui_options o = { .lines = 24, .columns = 80 };
	struct frame *f;
	struct scene s;
	char *screen, id[16];

	scene_open_with(&s, SCENE_TOP, &o);
	f = &s.frame;
	for (int i = 2; i < 10; i++) {
		snprintf(id, sizeof(id), "loop%d", i);
		scene_number(f, SCHEMA_DEVICE, id, "read_iops", 0);
		scene_number(f, SCHEMA_DEVICE, id, "write_iops", 0);
	}
	scene_number(f, SCHEMA_DEVICE, "loop4", "stall_ns", 2e9);
	scene_number(f, SCHEMA_DEVICE, "loop4", "queue_depth", 1);
	scene_text(f, SCHEMA_TASK, "843", "comm", "dd");
	scene_text(f, SCHEMA_TASK, "843", "state", "D");
	scene_number(f, SCHEMA_TASK, "843", "wait_ns", 2e9);
	scene_text(f, SCHEMA_TASK, "843", "command_line",
		   "dd if=/dev/zero of=/dev/loop4 oflag=direct");
	f->t_s += 1;
	begin(f, "stall", "loop4", "no I/O completes: 1 write in the driver");
	begin(f, "blocked", "", "1 task in D: dd(843) in submit_bio_wait");
	history_push(s.history, f);
	scene_draw(&s);
	screen = scene_copy();
	ck_assert_ptr_nonnull(strstr(screen, "ALARM 2s loop4: no I/O"));
	ck_assert_ptr_nonnull(strstr(screen, "ALARM 2s 1 task in D: dd(843)"));
	ck_assert_ptr_nonnull(strstr(screen, "if=/dev/zero of=/dev"));
	ck_assert_ptr_nonnull(strstr(screen, "\nloop4 "));
	scene_close(&s);
	scene_golden("alarms-80x24", screen);
	free(screen);
}
END_TEST

/* Files of a process: moved, back, not moved, new; long and hostile names. */
static void fill_files(struct open_files *o)
{
	static const struct open_file files[] = {
		{ 12, "rw", "/var/lib/postgresql/15/main/base/16384/2619",
		  1 << 30, 52428800 },
		{ 7, "w direct", "/srv/backup/\033[2J.dump", 4096, -8192 },
		{ 9, "rw",
		  "/srv/a/very/long/path/that/does/not/fit/into/the/width/of/"
		  "the/list/at/all/000000010000000000000042",
		  16 << 20, 0 },
		{ 3, "r", "/dev/loop4", 0, NAN },
	};

	memset(o, 0, sizeof(*o));
	snprintf(o->pid, sizeof(o->pid), "1014");
	snprintf(o->name, sizeof(o->name), "postgres");
	o->read_call_bytes_per_s = 52428800;
	o->write_call_bytes_per_s = 1234;
	memcpy(o->file, files, sizeof(files));
	o->n = ARRAY_SIZE(files);
	o->n_found = 70;
	o->n_looked = 4096;
	o->more_than = 4096;
}

static const struct {
	int lines, columns;
	bool refused;
	const char *name;
} file_lists[] = { { 24, 80, false, "files-80x24" },
		   { 10, 40, false, "files-40x10" },
		   { 40, 120, false, "files-120x40" },
		   { 24, 80, true, "files-refused-80x24" } };

/* The list asks for the files, shows those of its process, and ends it. */
START_TEST(test_files)
{
	struct open_files *o = xcalloc(1, sizeof(*o));
	struct action a;
	struct scene s;
	char *screen;

	fill_files(o);
	if (file_lists[_i].refused)
		snprintf(o->sentence, sizeof(o->sentence),
			 "The files of process 1014 (postgres) cannot be read: "
			 "the kernel shows them to its user and to root only.");
	scene_open(&s, SCENE_TOP, file_lists[_i].lines, file_lists[_i].columns);
	scene_draw(&s);
	a = scene_keys(&s, "5/^1014\r\033OHo");
	ck_assert_int_eq(a.kind, ACTION_FILES);
	ck_assert_str_eq(a.device, "1014");
	ck_assert_str_eq(a.job, "postgres");
	/* Those of another process are not shown. */
	snprintf(o->pid, sizeof(o->pid), "1");
	s.view.files = o;
	scene_draw(&s);
	screen = scene_copy();
	ck_assert_ptr_nonnull(strstr(screen, "(not read yet)"));
	free(screen);
	snprintf(o->pid, sizeof(o->pid), "1014");
	scene_draw(&s);
	screen = scene_copy();
	ck_assert_ptr_null(strchr(screen, '\033'));
	a = scene_keys(&s, "j\033");
	ck_assert_int_eq(a.kind, ACTION_FILES);
	ck_assert_str_eq(a.device, "");
	ck_assert_ptr_null(s.ui->overlay);
	scene_close(&s);
	scene_golden(file_lists[_i].name, screen);
	free(screen);
	free(o);
}
END_TEST

/* Two logs: the other one is the same, half a minute later. */
static void set_beside(struct scene *s, struct ui_other *other,
		       struct segment_info *segment)
{
	*other = (struct ui_other){ .frame = s->view.frame,
				    .history = s->view.history,
				    .effect = s->view.effect,
				    .n_effects = s->view.n_effects,
				    .shift_s = -9,
				    .name = "b.jsonl",
				    .letter = 'B' };
	segment[0] = (struct segment_info){ .log = 'A',
				       .to_s = 40,
				       .intervals = 38,
				       .words = "the whole run" };
	segment[1] = segment[0];
	segment[1].log = 'B';
	s->view.replay = true;
	s->view.title = "replay: A a.jsonl, B b.jsonl";
	s->view.position_s = 40;
	s->view.length_s = 49;
	s->view.other = other;
	s->view.letter = 'A';
	s->view.segment = segment;
	s->view.n_segments = 2;
	s->view.chosen = &s->view.effect[0];
	s->view.chosen_after = 1;
}

static const struct {
	int lines, columns;
} sizes[] = { { 24, 80 }, { 40, 120 }, { 10, 40 } };

/* Every pane of the table by itself, at every size. */
/* Three hosts below their sums, one of them silent. */
static void fill_fleet(struct frame *f)
{
	static const struct {
		const char *id, *parent, *phase, *note;
		double iops, p99_ns, age_s;
	} hosts[] = {
		{ "all hosts", NULL, "2/3", "1 of 3 hosts missing", 81200,
		  4.1e6, NAN },
		{ "node1", "all hosts", "run", NULL, 40100, 2.2e6, 0.4 },
		{ "node2", "all hosts", "SILENT", NULL, NAN, NAN, 7.5 },
		{ "node3", "all hosts", "run", "disk.firmware=2B5Q", 41100,
		  5.5e6, 0.3 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		union value *v =
			frame_add_row(f, SCHEMA_FLEET, hosts[i].id)->value;

		v[schema_field(SCHEMA_FLEET, "parent")].text = hosts[i].parent;
		v[schema_field(SCHEMA_FLEET, "phase")].text = hosts[i].phase;
		v[schema_field(SCHEMA_FLEET, "note")].text = hosts[i].note;
		v[schema_field(SCHEMA_FLEET, "iops")].number = hosts[i].iops;
		v[schema_field(SCHEMA_FLEET, "p99_ns")].number =
			hosts[i].p99_ns;
		v[schema_field(SCHEMA_FLEET, "age_s")].number = hosts[i].age_s;
	}
}

/* Two mounts of NFS, of which one has no answer. */
static void fill_mounts(struct frame *f)
{
	static const struct {
		const char *key;
		double lives, hangs;
	} values[] = {
		{ "read_iops", 1204.5, 0 },
		{ "write_iops", 310, 0 },
		{ "other_iops", 95.2, 0 },
		{ "read_bytes_per_s", 52428800, 0 },
		{ "write_bytes_per_s", 8388608, 0 },
		{ "read_await_ns", 1.31e6, NAN },
		{ "write_await_ns", 4.2e6, NAN },
		{ "rtt_ns", 1.1e6, NAN },
		{ "queue_ns", 2e4, NAN },
		{ "in_flight", 3, 17 },
		{ "retransmits_per_s", 0, 2 },
		{ "timeouts_per_s", 0, 2 },
		{ "stall_ns", 0, 14e9 },
	};

	scene_text(f, SCHEMA_MOUNT, "/srv/data", "source", "data:/vol/data");
	scene_text(f, SCHEMA_MOUNT, "/home", "source", "10.0.0.7:/export/home");
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		scene_number(f, SCHEMA_MOUNT, "/srv/data", values[i].key,
			     values[i].lives);
		scene_number(f, SCHEMA_MOUNT, "/home", values[i].key,
			     values[i].hangs);
	}
}

/* A monitor of a traced disk: a request of writeback, a flush, a call. */
static void fill_slow(struct frame *f)
{
	static const struct {
		const char *op, *comm, *writer, *file, *error;
		double total_ns, queue_ns, device_ns, flush_ns, pid;
	} rows[] = {
		{ "write", "postgres", "kworker/u8:2", "24601", NULL, 18e6,
		  11.2e6, 6.8e6, NAN, 2210 },
		{ "flush", "kworker/1:2H", NULL, NULL, NULL, 12e6, 4.1e6, 7.9e6,
		  NAN, 6035 },
		{ "fsync", "postgres", NULL, "/db/pg_wal/0001", NULL, 13.1e6,
		  4.3e6, 0.7e6, 7.9e6, 2214 },
		{ "read", "fio", NULL, NULL, "medium", 9.7e6, 0.1e6, 9.6e6, NAN,
		  3301 },
	};

	frame_add_row(f, SCHEMA_DEVICE, "sda")
		->value[schema_field(SCHEMA_DEVICE, "trace_missed")]
		.number = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char id[16];
		union value *v;

		snprintf(id, sizeof(id), "sda.%zu", i);
		v = frame_add_row(f, SCHEMA_SLOW, id)->value;
		v[schema_field(SCHEMA_SLOW, "device")].text = "sda";
		v[schema_field(SCHEMA_SLOW, "op")].text = rows[i].op;
		v[schema_field(SCHEMA_SLOW, "comm")].text = rows[i].comm;
		v[schema_field(SCHEMA_SLOW, "writer")].text = rows[i].writer;
		v[schema_field(SCHEMA_SLOW, "file")].text = rows[i].file;
		v[schema_field(SCHEMA_SLOW, "error")].text = rows[i].error;
		v[schema_field(SCHEMA_SLOW, "total_ns")].number =
			rows[i].total_ns;
		v[schema_field(SCHEMA_SLOW, "queue_ns")].number =
			rows[i].queue_ns;
		v[schema_field(SCHEMA_SLOW, "device_ns")].number =
			rows[i].device_ns;
		v[schema_field(SCHEMA_SLOW, "flush_ns")].number =
			rows[i].flush_ns;
		v[schema_field(SCHEMA_SLOW, "pid")].number = rows[i].pid;
	}
}

START_TEST(test_pane)
{
	const struct pane *pane = panes[_i / (int)ARRAY_SIZE(sizes)];
	int lines = sizes[_i % (int)ARRAY_SIZE(sizes)].lines;
	int columns = sizes[_i % (int)ARRAY_SIZE(sizes)].columns;
	char keys[] = { '\0', 'z', '\0' }, name[64], *screen;
	struct frame alone = { 0 };
	struct scene s;

	ck_assert_msg(pane, "panes[] in pane.c has no row for pane %d of enum pane_id",
		      _i / (int)ARRAY_SIZE(sizes));
	keys[0] = pane->help.keys[0];
	scene_open(&s, SCENE_RUN, lines, columns);
	if (pane == &pane_fleet) {
		/* It is shown alone from the start. */
		keys[0] = '\0';
		fill_fleet(&alone);
		s.view.frame = &alone;
		s.view.fleet = s.view.replay = true;
	}
	if (pane == &pane_mount)
		fill_mounts(&s.frame);
	if (pane == &pane_slow) {
		fill_slow(&alone);
		s.view.frame = &alone;
	}
	scene_draw(&s);
	scene_keys(&s, keys);
	scene_draw(&s);
	screen = scene_copy();
	scene_close(&s);
	frame_free(&alone);
	snprintf(name, sizeof(name), "pane-%s-%dx%d", pane->name, columns,
		 lines);
	for (char *p = name; *p; p++)
		if (*p == ' ' || *p == '/')
			*p = '-';
	scene_golden(name, screen);
	free(screen);
}
END_TEST

/* L shows the traced times of devices, f their file systems, each again its own. */
START_TEST(test_device_views)
{
	static const struct {
		const char *keys, *has, *lacks;
	} steps[] = {
		{ "1zL", "rq_p99", "aqu-sz" }, { "f", "mounted on", "rq_p99" },
		{ "L", "wd_p99", "mounted on" }, { "L", "aqu-sz", "rq_p99" },
		{ "f", "mounted on", "aqu-sz" }, { "f", "aqu-sz", "mounted on" },
	};
	struct scene s;

	scene_open(&s, SCENE_RUN, 24, 80);
	scene_draw(&s);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		char *screen;

		scene_keys(&s, steps[i].keys);
		scene_draw(&s);
		screen = scene_copy();
		ck_assert_msg(strstr(screen, steps[i].has) &&
				      !strstr(screen, steps[i].lacks),
			      "%zu: %s", i, screen);
		free(screen);
	}
	scene_close(&s);
}
END_TEST

/* A value of a scene; number or text. */
struct scene_fact {
	enum schema_id schema;
	const char *row, *key;
	double number;
	const char *text;
};

#define DEVICE_FACT(r, k, n) { SCHEMA_DEVICE, r, k, n, NULL }
#define TASK_FACT(r, k, n)   { SCHEMA_TASK, r, k, n, NULL }
#define TASK_WORD(r, k, t)   { SCHEMA_TASK, r, k, 0, t }
#define MEMORY_FACT(k, n)    { SCHEMA_MEMORY, "memory", k, n, NULL }

/* Hosts at 3 a.m.: what each screen has to say stands beside it. */
static const struct {
	const char *name, *says;
	struct scene_fact fact[16];
} troubles[] = {
	{ "healthy", NULL, { { 0 } } },
	{ "full-disk",
	  "vda1: /srv/database is full to 99.8 %, 210MiB are free",
	  { DEVICE_FACT("vda1", "fs_used_pct", 99.8),
	    DEVICE_FACT("vda1", "fs_free_bytes", 220200960),
	    DEVICE_FACT("vda1", "fs_size_bytes", 107374182400),
	    DEVICE_FACT("vda", "write_iops", 180),
	    DEVICE_FACT("vda", "write_bytes_per_s", 94371840),
	    TASK_FACT("1049", "write_bytes_per_s", 94371840),
	    TASK_WORD("1049", "comm", "rsyslogd") } },
	{ "frozen",
	  "1 task in D: cp(1042) waits for a frozen file system "
	  "(percpu_rwsem_wait)",
	  { TASK_WORD("1042", "comm", "cp"), TASK_WORD("1042", "state", "D"),
	    TASK_FACT("1042", "wait_ns", 9e9),
	    TASK_WORD("1042", "wchan", "percpu_rwsem_wait"),
	    TASK_WORD("1042", "waits_for", "frozen fs?"),
	    TASK_WORD("1042", "arguments", "-a /srv/database /backup") } },
	{ "throttled",
	  "1 task in D: tar(1042) is limited by its control group: "
	  "400KiB/s read on vda in /slow",
	  { TASK_WORD("1042", "comm", "tar"), TASK_WORD("1042", "state", "D"),
	    TASK_FACT("1042", "wait_ns", 9e9),
	    TASK_FACT("1042", "read_bytes_per_s", 409600),
	    TASK_WORD("1042", "wchan", "folio_wait_bit_common"),
	    TASK_WORD("1042", "io_limit", "400KiB/s read on vda in /slow"),
	    TASK_WORD("1042", "waits_for", "I/O limit"),
	    TASK_WORD("1042", "arguments", "-cf - /srv/database") } },
	{ "swap-storm", "memory goes to swap and comes back, 50 MiB/s in, 80 "
	  "MiB/s out",
	  { MEMORY_FACT("swap_in_bytes_per_s", 52428800),
	    MEMORY_FACT("swap_out_bytes_per_s", 83886080),
	    MEMORY_FACT("swap_used_bytes", 3221225472),
	    MEMORY_FACT("available_bytes", 94371840),
	    MEMORY_FACT("total_bytes", 8589934592.0),
	    DEVICE_FACT("vda", "read_iops", 12800),
	    DEVICE_FACT("vda", "write_iops", 20480),
	    DEVICE_FACT("vda", "read_bytes_per_s", 52428800),
	    DEVICE_FACT("vda", "write_bytes_per_s", 83886080),
	    DEVICE_FACT("vda", "util_pct", 97),
	    TASK_WORD("1042", "comm", "java"),
	    TASK_FACT("1042", "swap_bytes", 2147483648.0),
	    TASK_FACT("1042", "rss_bytes", 6442450944.0),
	    TASK_FACT("1042", "major_fault_per_s", 12700),
	    TASK_FACT("1042", "read_bytes_per_s", 52428800) } },
	{ "hung-nfs",
	  "/home: 10.0.0.7:/export/home answers nothing, 17 requests wait",
	  { TASK_WORD("1042", "comm", "bash"), TASK_WORD("1042", "state", "D"),
	    TASK_FACT("1042", "wait_ns", 9e9),
	    TASK_WORD("1042", "wchan", "rpc_wait_bit_killable"),
	    TASK_WORD("1042", "waits_for", "NFS server") } },
};

/* The disk does little, nobody waits. */
static void fill_calm(struct frame *f)
{
	static const char *const busy[] = {
		"read_iops",	    "write_iops",	"read_bytes_per_s",
		"write_bytes_per_s", "queue_size",	"util_pct",
		"read_await_ns",     "write_await_ns", "queue_depth",
		"in_flight_read",    "in_flight_write", "stall_ns",
	};
	struct table *t = &f->table[SCHEMA_DEVICE];

	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(busy); k++)
			scene_number(f, SCHEMA_DEVICE, t->row[i].id, busy[k],
				     strstr(busy[k], "_await_") ? NAN : 0);
	scene_number(f, SCHEMA_DEVICE, "vda", "write_iops", 12);
	scene_number(f, SCHEMA_DEVICE, "vda", "write_bytes_per_s", 98304);
	scene_number(f, SCHEMA_DEVICE, "vda", "write_await_ns", 4.1e5);
	scene_number(f, SCHEMA_DEVICE, "vda", "util_pct", 0.9);
	t = &f->table[SCHEMA_TASK];
	for (size_t i = 0; i < t->n; i++) {
		scene_text(f, SCHEMA_TASK, t->row[i].id, "state", "S");
		scene_number(f, SCHEMA_TASK, t->row[i].id, "read_bytes_per_s",
			     0);
		scene_number(f, SCHEMA_TASK, t->row[i].id, "write_bytes_per_s",
			     0);
	}
	scene_number(f, SCHEMA_TASK, "1014", "write_bytes_per_s", 98304);
	scene_number(f, SCHEMA_MEMORY, "memory", "dirty_bytes", 2e6);
	scene_number(f, SCHEMA_MEMORY, "memory", "writeback_bytes", 0);
	scene_number(f, SCHEMA_PRESSURE, "io", "some_pct", 0.3);
	scene_number(f, SCHEMA_PRESSURE, "io", "full_pct", 0.1);
	scene_number(f, SCHEMA_CPU, "all", "tasks_blocked", 0);
}

/*
 * A zoom has room for whole events: the advice of each alarm is read there without
 * a key. Who ended and moved nothing to speak of gives way to who runs. The head of
 * 80 columns has the memory that is left where that is little.
 */
START_TEST(test_whole_events)
{
	struct scene s;
	char *screen;
	size_t cut = 0;

	scene_open(&s, SCENE_TOP, 24, 80);
	fill_calm(&s.frame);
	scene_text(&s.frame, SCHEMA_TASK, "1000", "state", "X");
	scene_number(&s.frame, SCHEMA_TASK, "1000", "read_bytes", 65536);
	scene_number(&s.frame, SCHEMA_TASK, "1042", "cpu_pct", 92);
	scene_number(&s.frame, SCHEMA_MEMORY, "memory", "total_bytes", 8589934592);
	scene_number(&s.frame, SCHEMA_MEMORY, "memory", "available_bytes", 94371840);
	s.frame.t_s += 1;
	for (int i = 0; i < 2; i++)
		begin(&s.frame, "blocked", "",
		      "2 tasks in D: iodyno-start(19408) in "
		      "wb_wait_for_completion, dd(21330) in io_schedule; see "
		      "w_await, dmesg");
	history_push(s.history, &s.frame);
	scene_draw(&s);
	screen = scene_copy();
	ck_assert(strstr(screen, "\n1042 ") < strstr(screen, "\nended "));
	ck_assert(strstr(screen, "  avail 90.0M"));
	free(screen);
	scene_keys(&s, "4z");
	scene_draw(&s);
	screen = scene_copy();
	for (const char *p = screen; (p = strstr(p, "dmesg\n")); p++)
		cut++;
	ck_assert_msg(cut == 2, "%s", screen);
	free(screen);
	scene_close(&s);
}
END_TEST

/* Seconds for which a trouble lasts: more than each alarm needs. */
#define TROUBLE_S 8

START_TEST(test_trouble)
{
	static const struct {
		int lines, columns;
	} screens[] = { { 24, 80 }, { 35, 120 }, { 45, 160 } };
	const int lines = screens[_i % 3].lines;
	const int columns = screens[_i % 3].columns;
	const size_t n = (size_t)_i / 3;
	struct ui_options o = { .lines = lines, .columns = columns };
	struct alarms *alarms = alarms_new();
	char name[64], words[40], *screen;
	struct scene s;

	scene_open_with(&s, SCENE_TOP, &o);
	fill_calm(&s.frame);
	for (size_t i = 0; i < ARRAY_SIZE(troubles[n].fact); i++) {
		const struct scene_fact *f = &troubles[n].fact[i];

		if (f->text)
			scene_text(&s.frame, f->schema, f->row, f->key, f->text);
		else if (f->key)
			scene_number(&s.frame, f->schema, f->row, f->key,
				     f->number);
	}
	if (!strcmp(troubles[n].name, "hung-nfs"))
		fill_mounts(&s.frame);
	for (int i = 0; i < TROUBLE_S; i++) {
		s.frame.t_s += 1;
		s.frame.n_events = 0;
		alarms_look(alarms, &s.frame);
		history_push(s.history, &s.frame);
		scene_draw(&s);
	}
	screen = scene_copy();
	scene_close(&s);
	alarms_free(alarms);
	/* A narrow screen cuts the sentence. */
	if (troubles[n].says) {
		snprintf(words, sizeof(words), "%s", troubles[n].says);
		ck_assert_msg(strstr(screen, columns < 160 ? words
							   : troubles[n].says),
			      "%s: %s", troubles[n].name, screen);
	} else {
		ck_assert_ptr_null(strstr(screen, "ALARM"));
	}
	snprintf(name, sizeof(name), "trouble-%s-%dx%d", troubles[n].name,
		 columns, lines);
	scene_golden(name, screen);
	free(screen);
}
END_TEST

/* At 80x24: the busy devices, a graph, all processes, the key row. */
START_TEST(test_room)
{
	struct scene s;
	char *screen;

	scene_open(&s, SCENE_TOP, 24, 80);
	scene_text(&s.frame, SCHEMA_TASK, "1014", "comm", "memfd:sealed-91");
	scene_text(&s.frame, SCHEMA_TASK, "1014", "user", "postgres");
	scene_draw(&s);
	screen = scene_copy();
	/* The head of the last column is whole, whatever the names need. */
	ck_assert_msg(strstr(screen, " waits for\n") != NULL, "%s", screen);
	/* Idle devices give way before a pane does. */
	ck_assert_ptr_nonnull(strstr(screen, "\nnvme0n1 "));
	ck_assert_ptr_null(strstr(screen, "\nloop1 "));
	ck_assert_ptr_null(strstr(screen, "\nsdb "));
	ck_assert_ptr_nonnull(strstr(screen, "graph "));
	ck_assert_ptr_nonnull(strstr(screen, "[kernel]"));
	ck_assert_ptr_nonnull(strstr(screen, "Quit"));
	free(screen);
	scene_close(&s);
}
END_TEST

/* So small that nothing can be said but that. */
START_TEST(test_too_small)
{
	struct scene s;
	char *screen;

	scene_open(&s, SCENE_RUN, 3, 80);
	scene_draw(&s);
	screen = scene_copy();
	ck_assert_str_eq(screen, "80x3\ntoo small\nneeds 20x4\n");
	free(screen);
	scene_close(&s);
}
END_TEST

START_TEST(test_cells)
{
	static const struct field field = { .width = 9, .digits = 1 };
	static const struct {
		double v;
		int width;
		const char *text;
	} cases[] = {
		{ 12345.67, 9, "12345.7" }, { 12345.67, 6, "12346" },
		{ 1234567, 6, "1235k" },    { 123456789, 7, "123457k" },
		{ 999999, 5, "1000k" },     { -0.01, 6, "0.0" },
		{ 1e18, 4, "1.0E" },        { 1e30, 4, ">" },
	};
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		screen_number(buf, sizeof(buf), cases[i].width, &field,
			    cases[i].v);
		ck_assert_int_le((int)strlen(buf), cases[i].width);
		ck_assert_str_eq(buf, cases[i].text);
	}
	/* As printf() rounds, halves of a digit included. */
	for (int i = -40000; i <= 40000; i++) {
		const struct field of = { .width = 9, .digits = i & 3 };
		char expected[64];
		double v = i / 160.0;

		if (!i)
			continue;
		snprintf(expected, sizeof(expected), "%.*f", of.digits, v);
		screen_number(buf, sizeof(buf), 20, &of, v);
		/* No sign where nothing is left. */
		if (strtod(expected, NULL) != 0 || buf[0] != '0')
			ck_assert_str_eq(buf, expected);
	}
	ck_assert_str_eq(screen_bytes(1023).text, "1023B");
	ck_assert_str_eq(screen_bytes(1024).text, "1.00K");
	ck_assert_str_eq(screen_bytes(1.6e9).text, "1.49G");
}
END_TEST

/* Every size from the least on is drawn without a fault. */
START_TEST(test_all_sizes)
{
	for (int lines = 1; lines < 50; lines += lines < 12 ? 1 : 7)
		for (int columns = 1; columns < 200;
		     columns += columns < 12 ? 1 : 31) {
			struct scene s;

			scene_open(&s, SCENE_RUN, lines, columns);
			scene_draw(&s);
			scene_keys(&s, "sh");
			scene_keys(&s, "h");
			scene_draw(&s);
			scene_close(&s);
		}
}
END_TEST

/* Wide characters keep their columns; nothing is cut in half. */
START_TEST(test_wide)
{
	struct scene s;
	char *screen;

	scene_open(&s, SCENE_TOP, 24, 80);
	scene_text(&s.frame, SCHEMA_TASK, "1049", "comm",
		   "\xe7\xa3\x81\xe7\x9b\x98");
	scene_draw(&s);
	screen = scene_copy();
	ck_assert_ptr_nonnull(strstr(screen, "\xe7\xa3\x81\xe7\x9b\x98"));
	ck_assert_ptr_nonnull(strstr(screen, "na\xc3\xafve"));
	free(screen);
	scene_close(&s);
}
END_TEST

/* Plain text is put into cells by itself: it is cut as any other text is. */
START_TEST(test_cut)
{
	static const struct {
		const char *text;
		int cells, used;
		const char *shown;
		bool over; /* another character is in the second cell then */
	} cases[] = {
		{ "abcdef", 8, 6, "abcdef..|", false },
		{ "abcdef", 6, 6, "abcdef..|", false },
		{ "abcdef", 5, 5, "abcd~...|", false },
		{ "abcdef", 1, 1, "a.......|", false },
		{ "abcdef", 0, 0, "........|", false },
		{ "", 4, 0, "........|", false },
		{ "\xc3\xa9" "bcdef", 5, 5, "\xc3\xa9" "bcd~...|", false },
		{ "a\tb", 4, 3, "a?b.....|", false },
		{ "\xe7\xa3\x81\xe7\x9b\x98", 4, 4, " -\xe7\x9b\x98....|", true },
		{ "a\xe7\x9b\x98", 4, 3, "a- .....|", true },
	};
	struct scene s;

	scene_open(&s, SCENE_TOP, 24, 80);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *screen;

		cells_begin();
		screen_put(1, 0, 9, ROLE_TEXT, "........|");
		ck_assert_int_eq(screen_put(1, 0, cases[i].cells, ROLE_READ,
					    cases[i].text),
				 cases[i].used);
		if (cases[i].over)
			screen_char(1, 1, ROLE_READ, '-');
		cells_show(s.ui->terminal);
		screen = scene_copy();
		ck_assert_ptr_nonnull(strstr(screen, cases[i].shown));
		free(screen);
	}
	/* The last cell of the screen, and beyond the edge. */
	ck_assert_int_eq(screen_put(23, 78, 5, ROLE_TEXT, "xyz"), 2);
	ck_assert_int_eq(screen_put(24, 0, 5, ROLE_TEXT, "xyz"), 0);
	scene_close(&s);
}
END_TEST

/*
 * Names that are drawn otherwise than they are long: the column after them
 * must begin where it does for any other name.
 */
static const char *const odd_names[] = {
	"\xe7\xa3\x81\xe7\x9b\x98", /* two wide characters */
	"e\xcc\x81\xcc\x82",        /* combining */
	"\xcc\x81\xcc\x81x",        /* and nothing before it */
	"a\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81", /* a heap
								      */
	"\xe2\x80\xae"
	"evil",                         /* right to left */
	"\xe2\x80\x8bzero\xef\xb8\x8f", /* no width; a variation */
	"\033[31mred\033[m\n\r\t\007",
	"\x9b"
	"31m\xff\xfe\xc0\x80",                          /* C1, and no UTF-8 */
	"\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9", /* joined */
	"a name that is far too long for any column of a table, and goes on",
};

static int column_of(const char *line, const char *what)
{
	const char *found = strstr(line, what);
	int n = 0;
	mbstate_t state = { 0 };

	ck_assert_ptr_nonnull(found);
	while (line < found) {
		wchar_t c;
		size_t len = mbrtowc(&c, line, 8, &state);

		ck_assert(len > 0 && len <= 8);
		n += wcwidth(c);
		line += len;
	}
	return n;
}

START_TEST(test_aligned)
{
	int column[2];

	for (int odd = 0; odd < 2; odd++) {
		struct scene s;
		char *screen, *line;

		scene_open(&s, SCENE_TOP, 24, 80);
		scene_text(&s.frame, SCHEMA_TASK, "1000", "comm",
			   odd ? odd_names[_i] : "plain");
		scene_number(&s.frame, SCHEMA_TASK, "1000", "cpu_pct", 77.7);
		scene_text(&s.frame, SCHEMA_DEVICE, odd_names[_i], "scheduler",
			   odd_names[_i]);
		strcpy(s.effect[0].event.text, "x");
		s.view.message = odd_names[_i];
		scene_draw(&s);
		scene_keys(&s, "5z\033OH");
		screen = scene_copy();
		line = strstr(screen, "\n1000 ");
		ck_assert_ptr_nonnull(line);
		column[odd] = column_of(line + 1, "77.7");
		ck_assert_ptr_null(strstr(s.seen, "\033[31mred"));
		ck_assert_ptr_null(strstr(s.seen, "\xe2\x80\xae"));
		free(screen);
		scene_close(&s);
	}
	ck_assert_int_eq(column[0], column[1]);
}
END_TEST

/* A graph has no line of a change on a disk that its job does not use. */
START_TEST(test_marks)
{
	static const struct {
		const char *disk, *parent;
		bool marked;
	} rows[] = {
		{ "loop0", NULL, true },
		{ "vda", NULL, false },
		{ "vda1", NULL, false },
		{ "nvme0n1 loop0", NULL, true },
		/* loop0 lies on it. */
		{ "vda", "vda1", true },
		{ "", NULL, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene s;
		char *screen;

		scene_open(&s, SCENE_RUN, 24, 80);
		scene_text(&s.frame, SCHEMA_JOB, "randrw", "device",
			   rows[i].disk);
		if (rows[i].parent)
			scene_text(&s.frame, SCHEMA_DEVICE, "loop0", "parent",
				   rows[i].parent);
		scene_draw(&s);
		scene_keys(&s, "3z");
		scene_draw(&s);
		screen = scene_copy();
		ck_assert_msg(!strstr(screen, "\u2502") == !rows[i].marked,
			      "a job on %s", rows[i].disk);
		free(screen);
		scene_close(&s);
	}
}
END_TEST

START_TEST(test_beside)
{
	static const char *const panes_of[] = { "", "3z", "7z", "9z", "9zc" };
	static const char *const names[] = { "screen", "graph", "latencies",
					     "effect", "segments" };
	int n = _i / (int)ARRAY_SIZE(panes_of), k = _i % 5;
	struct segment_info segment[2];
	struct ui_other other;
	struct scene s;
	char name[64], *screen;

	scene_open(&s, SCENE_RUN, sizes[n].lines, sizes[n].columns);
	set_beside(&s, &other, segment);
	scene_draw(&s);
	if (*panes_of[k])
		scene_keys(&s, panes_of[k]);
	scene_draw(&s);
	screen = scene_copy();
	scene_close(&s);
	snprintf(name, sizeof(name), "beside-%s-%dx%d", names[k],
		 sizes[n].columns, sizes[n].lines);
	scene_golden(name, screen);
	free(screen);
}
END_TEST

/* Vector V1 of the statistics: +4.6 % (+1.9 to +7.4) after five blocks. */
static void fill_crossover(struct crossover *x, unsigned blocks)
{
	static const double rate[2][5] = { { 412, 398, 405, 371, 409 },
					   { 431, 420, 411, 399, 426 } };

	for (int v = 0; v < 2; v++) {
		struct point p = { 0 };
		char letter[2] = { (char)('A' + v), '\0' };

		ck_assert(point_set(&p, CROSSOVER_AXIS, letter));
		ck_assert(point_set(&p, "loop0.scheduler", v ? "bfq" : "none"));
		ck_assert_int_eq(crossover_variant(x, &p), v);
	}
	for (unsigned b = 1; b <= blocks; b++)
		for (int v = 0; v < 2; v++) {
			crossover_period(x, b, v, 5);
			crossover_add(x, b, v, "randrw", "read_p99_ns", -1,
				      4e6 * (v ? 1 : 1.05) + 1e4 * b * v);
			crossover_add(x, b, v, "randrw", "iops", 1,
				      rate[v][b - 1]);
		}
}

static const struct {
	const char *name;
	int lines, columns;
	unsigned blocks;
	const char *keys;
} crossings[] = {
	{ "crossover-80x24", 24, 80, 5, "9z" },
	{ "crossover-run-80x24", 24, 80, 3, "9" },
	{ "crossover-none-80x24", 24, 80, 1, "9z" },
	{ "crossover-160x45", 45, 160, 5, "9z" },
	{ "crossover-40x10", 10, 40, 5, "9z" },
	{ "crossover-form-80x24", 24, 80, 0, "V" },
	{ "crossover-form-160x45", 45, 160, 0, "V" KEY_DOWN_BYTES "8" },
	{ "crossover-form-40x10", 10, 40, 0, "V" },
	{ "crossover-end-80x24", 24, 80, 3, "V" },
};

START_TEST(test_crossover)
{
	struct crossover x = { 0 };
	struct scene s;
	char *screen;

	scene_open(&s, SCENE_RUN, crossings[_i].lines, crossings[_i].columns);
	s.view.can_cross = true;
	if (crossings[_i].blocks) {
		fill_crossover(&x, crossings[_i].blocks);
		s.view.crossover = &x;
		s.view.crossover_words = "block 4 of 5, 3 whole; measuring B";
		s.view.crossover_runs = true;
	}
	scene_draw(&s);
	scene_keys(&s, crossings[_i].keys);
	scene_draw(&s);
	screen = scene_copy();
	scene_close(&s);
	crossover_free(&x);
	scene_golden(crossings[_i].name, screen);
	free(screen);
}
END_TEST

/* The form asks for what it shows, an answer stands in it, and it closes once
 * the crossover runs; then the key asks whether to end it. */
START_TEST(test_crossover_keys)
{
	struct action a;
	struct scene s;
	char *screen;

	scene_open(&s, SCENE_RUN, 24, 80);
	a = scene_keys(&s, "V");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	ck_assert_msg(!s.ui->overlay, "a form where nothing can be begun");
	s.view.can_cross = true;
	a = scene_keys(&s, "V\x15"
			   "loop0.scheduler=none,bfq" KEY_DOWN_BYTES
			   "7\t2s\r");
	ck_assert_int_eq(a.kind, ACTION_CROSSOVER);
	ck_assert_str_eq(a.crossover->variants, "loop0.scheduler=none,bfq");
	ck_assert_str_eq(a.crossover->blocks, "7");
	ck_assert_str_eq(a.crossover->period, "2s");
	ck_assert_str_eq(a.crossover->until, "");
	s.view.message = "not begun: no such knob";
	scene_draw(&s);
	screen = scene_copy();
	ck_assert_ptr_nonnull(strstr(screen, "not begun: no such knob"));
	ck_assert_ptr_nonnull(strstr(screen, "loop0.scheduler=none,bfq"));
	free(screen);
	s.view.message = NULL;
	s.view.crossover_runs = true;
	scene_draw(&s);
	ck_assert_ptr_null(s.ui->overlay);
	a = scene_keys(&s, "Vn");
	ck_assert_int_eq(a.kind, ACTION_NONE);
	a = scene_keys(&s, "Vy");
	ck_assert_int_eq(a.kind, ACTION_CROSSOVER_END);
	scene_close(&s);
}
END_TEST

/* The sweep that reference texts draw: block 4 of 5 of four schedulers. */
static void fill_sweep(struct sweep_matrix *m, size_t variants)
{
	static const char *const names[] = { "none", "mq-deadline", "kyber",
					     "bfq" };
	static const char *const rates[] = { "61.2k", "60.8k", "60.1k",
					     "52.1k" };

	memset(m, 0, sizeof(*m));
	strcpy(m->plan, "plan 5f2c9a  sdb KINGSTON SA400S37240G  6.12.9  "
			"base=none");
	strcpy(m->progress, "block 4 of 5 (max 15)  run 14 of 20  0:18:54 "
			    "gone  0:08..0:11 left, ETA 15:42");
	strcpy(m->limits, "written 35.7GiB of 51.0GiB (limit 100GiB)  41 C  "
			  "until ci<2%  foreign I/O none");
	strcpy(m->metric, "iops, more is better");
	strcpy(m->until, "width < 2 %");
	strcpy(m->drift, "-0.2 % (p 0.71)   block 1 like the rest");
	strcpy(m->now, "mq-deadline block 4: measure 0:42");
	strcpy(m->steps, "knobs ok 0.1 s, cold ok 0.3 s, settle ok 3.1 s");
	strcpy(m->trouble, "block 3: measure: the job timed out");
	m->n_variants = variants;
	m->n_blocks = 5;
	m->at = 3;
	m->column = xcalloc(variants, sizeof(*m->column));
	m->box = xcalloc(5 * variants, sizeof(*m->box));
	m->place = xcalloc(5 * variants, sizeof(*m->place));
	for (size_t v = 0; v < variants; v++) {
		struct sweep_column *c = &m->column[v];

		snprintf(c->name, sizeof(c->name), "%s%s", names[v % 4],
			 v < 4 ? "" : " read_ahead_kb=4096");
		strcpy(c->mean, rates[v % 4]);
		strcpy(c->change, v ? "-1.2 +-0.9%" : "base");
		strcpy(c->width, v ? "yes" : "");
		c->verdict = v == 2 ? -1 : v == 3;
		for (size_t b = 0; b < 5; b++) {
			struct sweep_box *box = &m->box[b * variants + v];

			m->place[b * variants + v] =
				1 + (unsigned)((v + b) % variants);
			if (b > 3 || (b == 3 && v > 1))
				continue;
			box->state = SWEEP_BOX_DONE;
			strcpy(box->text, rates[v % 4]);
		}
	}
	m->box[3 * variants + 1].state = SWEEP_BOX_RUNS;
	strcpy(m->box[3 * variants + 1].text, "42/60 s");
	m->box[variants + 1].state = SWEEP_BOX_SPOILT;
	strcpy(m->box[variants + 1].text, "60.5k !");
	m->p99_ns = 2310000;
	m->box[2 * variants + 3].state = SWEEP_BOX_LOST;
	strcpy(m->box[2 * variants + 3].text, "X");
	for (int i = 0; i < 12; i++)
		m->rate[m->n_rates++] = 50000 + 1000 * (i % 5);
}

static const struct {
	const char *name;
	int lines, columns;
	size_t variants;
	const char *keys;
} sweeps[] = {
	{ "sweep-80x24", 24, 80, 4, "" },
	{ "sweep-many-80x24", 24, 80, 12, "" },
	{ "sweep-live-80x24", 24, 80, 4, "z" },
	{ "sweep-80x24", 24, 80, 4, "zz" },
	{ "sweep-160x45", 45, 160, 4, "" },
	{ "sweep-many-160x45", 45, 160, 12, KEY_DOWN_BYTES },
	{ "sweep-live-160x45", 45, 160, 4, "z" },
	{ "sweep-40x10", 10, 40, 4, "" },
};

START_TEST(test_sweep)
{
	struct sweep_matrix m;
	struct scene s;
	char *screen;

	fill_sweep(&m, sweeps[_i].variants);
	scene_open(&s, SCENE_RUN, sweeps[_i].lines, sweeps[_i].columns);
	s.view.sweep = &m;
	s.view.title = "sweep: run 14 of 20, 0:12 left: mq-deadline, block 4";
	scene_draw(&s);
	scene_keys(&s, sweeps[_i].keys);
	scene_draw(&s);
	screen = scene_copy();
	scene_close(&s);
	free(m.column);
	free(m.box);
	free(m.place);
	scene_golden(sweeps[_i].name, screen);
	free(screen);
}
END_TEST

/* Names that differ at their end only stay different above their columns. */
START_TEST(test_sweep_names)
{
	struct sweep_matrix m;
	struct scene s;
	char *screen;

	fill_sweep(&m, 3);
	snprintf(m.column[0].name, sizeof(m.column->name), "mq-deadline 128");
	snprintf(m.column[1].name, sizeof(m.column->name), "mq-deadline 512");
	snprintf(m.column[2].name, sizeof(m.column->name), "mq-dead-lined");
	scene_open(&s, SCENE_RUN, 24, 80);
	s.view.sweep = &m;
	scene_draw(&s);
	screen = scene_copy();
	scene_close(&s);
	ck_assert_ptr_nonnull(strstr(
		screen, " mq-de~ne 128= mq-dea~ne 512 mq-dead-lined"));
	free(screen);
	free(m.column);
	free(m.box);
	free(m.place);
}
END_TEST

/* Its keys are at hand from the first drawing on, without a question. */
START_TEST(test_sweep_keys)
{
	struct sweep_matrix m;
	struct scene s;
	char *screen;

	fill_sweep(&m, 4);
	scene_open(&s, SCENE_RUN, 24, 80);
	s.view.sweep = &m;
	scene_draw(&s);
	ck_assert_int_eq(scene_keys(&s, "q").kind, ACTION_QUIT);
	ck_assert_int_eq(scene_keys(&s, "Q").kind, ACTION_SWEEP_NOW);
	ck_assert_int_eq(scene_keys(&s, "p").kind, ACTION_PAUSE);
	ck_assert_int_eq(scene_keys(&s, "S").kind, ACTION_SWEEP_SKIP);
	ck_assert_int_eq(scene_keys(&s, "nwarm room\r").kind, ACTION_MARK);
	/* The help describes the keys as they act in a sweep. */
	scene_keys(&s, "?");
	scene_draw(&s);
	screen = scene_copy();
	ck_assert_ptr_nonnull(strstr(screen, "In the pane of sweep"));
	ck_assert_ptr_nonnull(strstr(screen, "skip this run"));
	ck_assert_ptr_nonnull(
		strstr(screen, "stop after this run; a second time: stop now"));
	ck_assert_ptr_nonnull(strstr(screen, "pause the sweep after this run"));
	ck_assert_ptr_null(strstr(screen, "asks while jobs run"));
	ck_assert_ptr_null(strstr(screen, "change a setting"));
	free(screen);
	scene_keys(&s, "q");
	/* A key that would change what is measured has no effect. */
	scene_keys(&s, "s");
	ck_assert_str_eq(s.ui->note, "A change by hand would spoil the runs of "
				     "the sweep.");
	ck_assert_ptr_null(s.ui->overlay);
	/* The panes of the run are a key away, and back. */
	scene_keys(&s, "z");
	scene_draw(&s);
	ck_assert_int_gt(s.ui->area[PANE_JOB].lines +
				 s.ui->area[PANE_DEVICE].lines,
			 0);
	scene_close(&s);
	free(m.column);
	free(m.box);
	free(m.place);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tcase = tcase_create("screen");

	scene_environment();
	tcase_add_test(tcase, test_alarms);
	tcase_add_loop_test(tcase, test_files, 0, ARRAY_SIZE(file_lists));
	tcase_add_loop_test(tcase, test_golden, 0, ARRAY_SIZE(goldens));
	tcase_add_test(tcase, test_whole_events);
	tcase_add_loop_test(tcase, test_trouble, 0, 3 * ARRAY_SIZE(troubles));
	tcase_add_loop_test(tcase, test_pane, 0, PANES * ARRAY_SIZE(sizes));
	tcase_add_test(tcase, test_device_views);
	tcase_add_test(tcase, test_marks);
	tcase_add_loop_test(tcase, test_beside, 0, 5 * (int)ARRAY_SIZE(sizes));
	tcase_add_loop_test(tcase, test_crossover, 0, ARRAY_SIZE(crossings));
	tcase_add_test(tcase, test_crossover_keys);
	tcase_add_loop_test(tcase, test_sweep, 0, ARRAY_SIZE(sweeps));
	tcase_add_test(tcase, test_sweep_names);
	tcase_add_test(tcase, test_sweep_keys);
	tcase_add_test(tcase, test_room);
	tcase_add_test(tcase, test_too_small);
	tcase_add_test(tcase, test_cells);
	tcase_add_loop_test(tcase, test_aligned, 0, ARRAY_SIZE(odd_names));
	tcase_add_test(tcase, test_all_sizes);
	tcase_add_test(tcase, test_wide);
	tcase_add_test(tcase, test_cut);
	suite_add_tcase(suite, tcase);
}
