/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scene: the frames. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#include "ui_scene.h"

static struct row *row_of(struct frame *f, enum schema_id id, const char *name)
{
	struct table *t = &f->table[id];

	for (size_t i = t->n; i-- > 0;)
		if (!strcmp(t->row[i].id, name))
			return &t->row[i];
	return frame_add_row(f, id, name);
}

void scene_number(struct frame *f, enum schema_id id, const char *row,
		  const char *key, double v)
{
	int i = schema_field(id, key);

	ck_assert_msg(i >= 0, "no field %s", key);
	row_of(f, id, row)->value[i].number = v;
}

void scene_text(struct frame *f, enum schema_id id, const char *row,
		const char *key, const char *v)
{
	int i = schema_field(id, key);

	ck_assert_msg(i >= 0, "no field %s", key);
	row_of(f, id, row)->value[i].text = arena_strdup(&f->arena, v);
}

struct pair {
	const char *key;
	double v;
};

static void numbers(struct frame *f, enum schema_id id, const char *row,
		    const struct pair *p, size_t n, double factor)
{
	for (size_t i = 0; i < n; i++)
		scene_number(f, id, row, p[i].key, p[i].v * factor);
}

static void fill_cpus(struct frame *f, bool rates)
{
	static const char *const ids[] = { "all", "0", "1" };
	static const struct pair p[] = {
		{ "user_pct", 12.1 },   { "nice_pct", 0 },
		{ "system_pct", 18.3 }, { "iowait_pct", 30.2 },
		{ "irq_pct", 1.0 },     { "steal_pct", 0 },
		{ "idle_pct", 38.4 },
		{ "tasks_running", 3 },
		{ "tasks_blocked", 2 },
		{ "load_1m", 1.25 },
	};

	for (size_t i = 0; i < 3; i++) {
		row_of(f, SCHEMA_CPU, ids[i]);
		if (rates)
			numbers(f, SCHEMA_CPU, ids[i], p, ARRAY_SIZE(p), 1);
	}
}

static void fill_cgroups(struct frame *f)
{
	static const struct {
		const char *id, *parent;
		double load;
	} groups[] = {
		{ "system.slice", NULL, 1 },
		{ "system.slice/postgresql.service", "system.slice", 0.8 },
		{ "system.slice/sshd.service", "system.slice", 0 },
		{ "user.slice", NULL, 0 },
	};
	static const struct pair p[] = {
		{ "read_bytes_per_s", 183500800.0 },
		{ "write_bytes_per_s", 122334000.0 },
		{ "read_iops", 11200 },
		{ "write_iops", 7466.6 },
		{ "io_some_pct", 45.1 },
		{ "io_full_pct", 12.0 },
		{ "memory_bytes", 2147483648.0 },
		{ "cpu_pct", 35.5 },
		{ "tasks", 40 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		row_of(f, SCHEMA_CGROUP, groups[i].id);
		numbers(f, SCHEMA_CGROUP, groups[i].id, p, ARRAY_SIZE(p),
			groups[i].load);
		if (groups[i].parent)
			scene_text(f, SCHEMA_CGROUP, groups[i].id, "parent",
				   groups[i].parent);
	}
}

static void fill_devices(struct frame *f, bool rates, double factor)
{
	static const struct {
		const char *id, *parent, *scheduler;
		double load;
		const char *mount_point;
	} devices[] = {
		{ "vda", NULL, "mq-deadline", 1, NULL },
		{ "vda1", "vda", NULL, 1, "/srv/database" },
		{ "loop0", NULL, "none", 0.5, NULL },
		{ "dm-0", "vda1", NULL, 0, NULL },
		{ "loop1", NULL, "none", 0, NULL },
		{ "nvme0n1", NULL, "bfq", 60, NULL },
		{ "sda", NULL, "none", 0, NULL },
		{ "sdb", NULL, "none", 0, NULL },
		{ "sdc", NULL, "none", 0, NULL },
		{ "zram0", NULL, NULL, 0, NULL },
	};
	static const struct pair p[] = {
		{ "read_iops", 11200 },
		{ "write_iops", 7466.6 },
		{ "read_bytes_per_s", 183500800.0 },
		{ "write_bytes_per_s", 122334000.0 },
		{ "queue_size", 15.6 },
		{ "util_pct", 99.8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		const char *id = devices[i].id;

		row_of(f, SCHEMA_DEVICE, id);
		scene_number(f, SCHEMA_DEVICE, id, "counted", i == 0);
		scene_number(f, SCHEMA_DEVICE, id, "read_ahead_kb", 128);
		scene_number(f, SCHEMA_DEVICE, id, "queue_depth",
			     devices[i].load > 0 ? 16 : 0);
		if (devices[i].parent)
			scene_text(f, SCHEMA_DEVICE, id, "parent",
				   devices[i].parent);
		if (devices[i].scheduler)
			scene_text(f, SCHEMA_DEVICE, id, "scheduler",
				   devices[i].scheduler);
		if (devices[i].mount_point) {
			scene_text(f, SCHEMA_DEVICE, id, "mount_point",
				   devices[i].mount_point);
			scene_text(f, SCHEMA_DEVICE, id, "file_system", "xfs");
		}
		if (!rates)
			continue;
		numbers(f, SCHEMA_DEVICE, id, p, ARRAY_SIZE(p),
			devices[i].load * factor);
		if (devices[i].load > 0) {
			scene_number(f, SCHEMA_DEVICE, id, "read_await_ns",
				     823456);
			scene_number(f, SCHEMA_DEVICE, id, "write_await_ns",
				     1412345);
		}
	}
}

static void fill_tasks(struct frame *f, bool rates)
{
	static const char *const names[] = { "bash",         "jbd2/vda1-8",
					     "postgres",     "kswapd0",
					     "iodyno",       "\033]0;evil\007",
					     "na\xc3\xafve", "sshd" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char id[16];

		snprintf(id, sizeof(id), "%zu", 1000 + 7 * i);
		scene_text(f, SCHEMA_TASK, id, "comm", names[i]);
		scene_text(f, SCHEMA_TASK, id, "state", i == 2 ? "D" : "S");
		scene_number(f, SCHEMA_TASK, id, "kernel", i == 1 || i == 3);
		scene_number(f, SCHEMA_TASK, id, "threads", (double)i + 1);
		scene_number(f, SCHEMA_TASK, id, "uid", i == 2 ? 999 : 0);
		if (!rates)
			continue;
		scene_number(f, SCHEMA_TASK, id, "cpu_pct", (double)i);
		scene_number(f, SCHEMA_TASK, id, "read_bytes_per_s",
			     i == 4 ? 183500800.0 : 0);
		scene_number(f, SCHEMA_TASK, id, "write_bytes_per_s",
			     i == 2 ? 819200 : 0);
	}
}

static void fill_machine(struct frame *f, bool rates)
{
	static const struct pair p[] = {
		{ "dirty_bytes", 4e8 },       { "dirty_limit_bytes", 1.6e9 },
		{ "writeback_bytes", 2.4e7 }, { "available_bytes", 6.1e9 },
		{ "cached_bytes", 3.3e9 },    { "dirty_background_bytes", 8e8 },
	};

	numbers(f, SCHEMA_MEMORY, "memory", p, ARRAY_SIZE(p), 1);
	row_of(f, SCHEMA_PRESSURE, "cpu");
	row_of(f, SCHEMA_PRESSURE, "memory");
	row_of(f, SCHEMA_PRESSURE, "io");
	if (!rates)
		return;
	scene_number(f, SCHEMA_PRESSURE, "cpu", "some_pct", 1.2);
	scene_number(f, SCHEMA_PRESSURE, "memory", "some_pct", 0);
	scene_number(f, SCHEMA_PRESSURE, "memory", "full_pct", 0);
	scene_number(f, SCHEMA_PRESSURE, "io", "some_pct", 45.1);
	scene_number(f, SCHEMA_PRESSURE, "io", "full_pct", 12);
}

static void fill_knobs(struct frame *f)
{
	static const char *const knobs[][3] = {
		{ "vda.scheduler", "mq-deadline",
		  "none mq-deadline kyber bfq" },
		{ "vda.read_ahead_kb", "128", NULL },
		{ "loop0.scheduler", "none", "none mq-deadline kyber bfq" },
		{ "loop0.iosched.fifo_batch", "16", NULL },
		{ "loop0.read_ahead_kb", "128", NULL },
		{ "vm.dirty_ratio", "20", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(knobs); i++) {
		scene_text(f, SCHEMA_KNOB, knobs[i][0], "value", knobs[i][1]);
		if (knobs[i][2])
			scene_text(f, SCHEMA_KNOB, knobs[i][0], "choices",
				   knobs[i][2]);
	}
}

static void fill_job(struct frame *f, const char *id, bool sync, double factor)
{
	static const char *const ops[] = { "read", "write", "sync" };
	static const struct pair p[] = {
		{ "iops", 11200 },      { "bytes_per_s", 183500800.0 },
		{ "min_ns", 82300 },    { "p90_ns", 1900000 },
		{ "mean_ns", 823000 },  { "p50_ns", 712000 },
		{ "p99_ns", 4400000 },  { "p999_ns", 12000000 },
		{ "max_ns", 42000000 },
	};

	scene_text(f, SCHEMA_JOB, id, "phase", "run");
	scene_text(f, SCHEMA_JOB, id, "device", "loop0");
	scene_number(f, SCHEMA_JOB, id, "progress_pct", 42);
	scene_number(f, SCHEMA_JOB, id, "eta_s", 35);
	scene_number(f, SCHEMA_JOB, id, "errors", sync ? 2 : 0);
	scene_number(f, SCHEMA_JOB, id, "in_flight", 16);
	scene_number(f, SCHEMA_JOB, id, "cpu_pct", 21.5);
	for (size_t op = 0; op < (sync ? 3 : 2); op++)
		for (size_t i = 0; i < ARRAY_SIZE(p); i++) {
			char key[40];

			snprintf(key, sizeof(key), "%s_%s", ops[op], p[i].key);
			if (op < 2 || strcmp(p[i].key, "bytes_per_s") != 0)
				scene_number(f, SCHEMA_JOB, id, key,
					     p[i].v * factor /
						     (double)(op + 1));
		}
}

/* Latencies around a centre, fewer the farther they are. */
static void fill_hist(struct frame *f, const char *id, const char *key,
		      double ns)
{
	struct histogram *h = arena_zalloc(&f->arena, sizeof(*h));

	for (int i = 0; i < 40; i++)
		h->bucket[histogram_index(
			(uint64_t)(ns * exp2((i - 10) / 6.0)))] +=
			(uint64_t)(1000 / (1 + abs(i - 10)));
	row_of(f, SCHEMA_JOB, id)
		->value[schema_field(SCHEMA_JOB, key)]
		.histogram = h;
}

static struct event turn(double t_s, const char *from, const char *to)
{
	struct event e = { .kind = EVENT_KNOB,
			   .t_s = t_s,
			   .took_ns = 24000000 };

	strcpy(e.device, "loop0");
	strcpy(e.knob, "scheduler");
	strcpy(e.old_value, from);
	strcpy(e.new_value, to);
	e.by = BY_OPERATOR;
	return e;
}

static void fill_effects(struct scene *s)
{
	static const char *const keys[] = { "read_iops", "read_p99_ns" };
	struct effect *e = &s->effect[0];

	memset(s->effect, 0, sizeof(s->effect));
	e->event = turn(20.5, "none", "bfq");
	e->n_figures = 2;
	for (int i = 0; i < 2; i++)
		e->figure[i] = (struct figure){
			.schema = SCHEMA_JOB,
			.field = schema_field(SCHEMA_JOB, keys[i]),
			.row = "randrw",
			.before = i ? 4.4e6 : 11200,
			.after = i ? 4.5e6 : 7840,
			.change_pct = i ? 2.3 : -30,
			.low_pct = i ? -1.5 : -31.5,
			.high_pct = i ? 6.1 : -28.5,
			.v = { .d = { .n_a = 10, .n_b = 10 },
			       .is = i ? DIFFERENCE_UNDECIDED
				       : DIFFERENCE_WORSE },
		};
	e->figure[0].better = 1;
	e->figure[1].better = -1;
	e->judgement = JUDGED_WORSE;
	strcpy(e->sentence, "worse: r/s -30.0 % (-31.5 to -28.5)");
	s->effect[1].event = turn(38.5, "bfq", "none");
	s->view.effect = s->effect;
	s->view.n_effects = 2;
}

static void fill_frame(struct scene *s, enum scene_kind kind, double t_s,
		       double factor)
{
	struct frame *f = &s->frame;
	bool rates = kind != SCENE_FIRST;

	frame_reset(f);
	f->t_s = t_s;
	f->interval_s = rates ? 1 : 0;
	f->wall_ns = 1795204800000000000u + (uint64_t)(t_s * 1e9);
	fill_cpus(f, rates);
	fill_cgroups(f);
	fill_devices(f, rates, factor);
	fill_tasks(f, rates);
	fill_machine(f, rates);
	fill_knobs(f);
	if (kind != SCENE_RUN)
		return;
	fill_job(f, "randrw", false, factor);
	fill_hist(f, "randrw", "read_hist", factor < 0.9 ? 2e6 : 7e5);
	fill_hist(f, "randrw", "write_hist", 1.4e6);
	for (int i = 0; i < 2; i++)
		if (s->effect[i].event.t_s > t_s - 1 &&
		    s->effect[i].event.t_s <= t_s)
			frame_add_event(f, &s->effect[i].event);
}

static const char *device_words(const void *of, const char *device, char *buf,
				size_t size)
{
	snprintf(buf, size, "disk.img, 1.0G, mounted on /mnt, /srv");
	return strcmp(device, "loop0") ? NULL : buf;
}

void scene_fill(struct scene *s, enum scene_kind kind)
{
	s->view.device_words = device_words;
	s->view.title =
		kind == SCENE_RUN ? "run: randrw 16k on /dev/loop0" : "top";
	s->view.interval_s = 1;
	s->view.speed = 1;
	s->view.frame = &s->frame;
	s->view.history = s->history;
	s->view.offer = &scene_offer;
	if (kind == SCENE_RUN)
		fill_effects(s);
	if (kind == SCENE_FIRST) {
		fill_frame(s, kind, 0, 1);
		return;
	}
	for (int t = 1; t <= 40; t++) {
		bool slow = kind == SCENE_RUN && t > 20 && t < 39;

		fill_frame(s, kind, t, (slow ? 0.7 : 1) * (1 + 0.1 * sin(t)));
		history_push(s->history, &s->frame);
	}
}

void scene_fill_many(struct scene *s, unsigned devices, unsigned tasks)
{
	struct frame *f = &s->frame;
	int iops = schema_field(SCHEMA_DEVICE, "read_iops");
	int cpu = schema_field(SCHEMA_TASK, "cpu_pct");
	int comm = schema_field(SCHEMA_TASK, "comm");

	frame_reset(f);
	f->t_s += 1;
	f->interval_s = 1;
	for (unsigned i = 0; i < devices; i++) {
		char id[32];

		snprintf(id, sizeof(id), "disk%u", i);
		frame_add_row(f, SCHEMA_DEVICE, id)->value[iops].number =
			(i * 7919) % devices;
	}
	for (unsigned i = 0; i < tasks; i++) {
		char id[32];
		struct row *row;

		snprintf(id, sizeof(id), "%u", i + 1);
		row = frame_add_row(f, SCHEMA_TASK, id);
		row->value[cpu].number = (i * 7919) % tasks;
		row->value[comm].text = "many";
	}
}
