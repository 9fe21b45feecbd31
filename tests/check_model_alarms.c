/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Alarms: each rule begins and ends, and a busy machine is quiet. */
#include "check_model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/fail.h"
#include "model/alarms.h"

static struct alarms *alarms;
static struct frame f;

static void start(void)
{
	alarms = alarms_new();
	memset(&f, 0, sizeof(f));
}

static void stop(void)
{
	alarms_free(alarms);
	frame_free(&f);
}

static void next(void)
{
	double t_s = f.t_s + 1;

	frame_reset(&f);
	f.t_s = t_s;
	f.interval_s = 1;
}

static struct row *row_of(enum schema_id id, const char *name)
{
	struct row *row = (struct row *)frame_find(&f, id, name);

	return row ? row : frame_add_row(&f, id, name);
}

static void put(enum schema_id id, const char *row, const char *key, double v)
{
	row_of(id, row)->value[schema_field(id, key)].number = v;
}

static void put_text(enum schema_id id, const char *row, const char *key,
		     const char *text)
{
	row_of(id, row)->value[schema_field(id, key)].text = text;
}

/* The event of that kind and name in the frame, or NULL. */
static const struct event *found(enum event_kind kind, const char *name)
{
	for (size_t i = 0; i < f.n_events; i++)
		if (f.event[i].kind == kind && !strcmp(f.event[i].name, name))
			return &f.event[i];
	return NULL;
}

static void stall(double s)
{
	next();
	put_text(SCHEMA_DEVICE, "loop4", "kind", "loop");
	put(SCHEMA_DEVICE, "loop4", "stall_ns", s * 1e9);
	put(SCHEMA_DEVICE, "loop4", "queue_depth", s > 0 ? 3 : 0);
	put(SCHEMA_DEVICE, "loop4", "in_flight_write", s > 0 ? 1 : 0);
	alarms_look(alarms, &f);
}

START_TEST(test_stall)
{
	const struct event *e;

	stall(1);
	ck_assert_int_eq(f.n_events, 0);
	stall(2);
	e = found(EVENT_ALARM_BEGIN, "stall");
	ck_assert_ptr_nonnull(e);
	ck_assert_str_eq(e->device, "loop4");
	ck_assert_ptr_nonnull(strstr(e->text, "1 write in the driver"));
	ck_assert_ptr_nonnull(strstr(e->text, "2 before the driver"));
	stall(3);
	ck_assert_int_eq(f.n_events, 0);
	stall(0);
	ck_assert_int_eq(f.n_events, 0);
	stall(0);
	e = found(EVENT_ALARM_END, "stall");
	ck_assert_ptr_nonnull(e);
	ck_assert_double_eq(e->value, 3);
	stall(0);
	ck_assert_int_eq(f.n_events, 0);
	/* It can begin once more. */
	stall(2);
	ck_assert_ptr_nonnull(found(EVENT_ALARM_BEGIN, "stall"));
}
END_TEST

/* A device that is taken away ends its alarm; a partition has none. */
START_TEST(test_gone)
{
	struct event gone = { .kind = EVENT_DEVICE_REMOVED, .device = "loop4" };

	stall(5);
	next();
	frame_add_event(&f, &gone);
	alarms_look(alarms, &f);
	ck_assert_ptr_nonnull(found(EVENT_ALARM_END, "stall"));
	next();
	put_text(SCHEMA_DEVICE, "vda1", "kind", "part");
	put(SCHEMA_DEVICE, "vda1", "stall_ns", 9e9);
	alarms_look(alarms, &f);
	ck_assert_int_eq(f.n_events, 0);
}
END_TEST

static void heat(double now_c, double crit_c)
{
	next();
	put_text(SCHEMA_DEVICE, "sda", "kind", "disk");
	put(SCHEMA_DEVICE, "sda", "temperature_c", now_c);
	put(SCHEMA_DEVICE, "sda", "temperature_max_c", 60);
	put(SCHEMA_DEVICE, "sda", "temperature_crit_c", crit_c);
	alarms_look(alarms, &f);
}

/* The limits are those of the disk; the critical one takes over. */
START_TEST(test_heat)
{
	const struct event *e = NULL;

	for (int i = 0; i < 20; i++) {
		heat(59, 80);
		ck_assert_int_eq(f.n_events, 0);
	}
	for (int i = 0; i < 11; i++) {
		heat(60, 80);
		ck_assert_int_eq(f.n_events, i == 10);
	}
	e = found(EVENT_ALARM_BEGIN, "hot");
	ck_assert_ptr_nonnull(e);
	ck_assert_str_eq(e->device, "sda");
	ck_assert_ptr_nonnull(strstr(e->text, "60 degrees C"));
	ck_assert_ptr_nonnull(strstr(e->text, "warning limit is 60"));
	for (int i = 0; i < 3; i++)
		heat(82, 80);
	e = found(EVENT_ALARM_BEGIN, "overheated");
	ck_assert_ptr_nonnull(e);
	ck_assert_ptr_nonnull(strstr(e->text, "critical limit is 80"));
	/* A disk that tells no temperature or no limit has no alarm. */
	for (int i = 0; i < 40; i++)
		heat(NAN, 80);
	stop();
	start();
	for (int i = 0; i < 20; i++) {
		heat(59, NAN);
		ck_assert_int_eq(f.n_events, 0);
	}
}
END_TEST

static void wait_for(const char *wchan, double s)
{
	next();
	put_text(SCHEMA_TASK, "77", "comm", "dd");
	put_text(SCHEMA_TASK, "77", "wchan", wchan);
	put(SCHEMA_TASK, "77", "wait_ns", s * 1e9);
	put_text(SCHEMA_TASK, "77/78", "process", "77");
	put(SCHEMA_TASK, "77/78", "wait_ns", s * 1e9);
	alarms_look(alarms, &f);
}

static const struct event *fill(unsigned seconds, double used_pct,
				double inodes_pct, double free_gib,
				double full_in_s, const char *name)
{
	const struct event *e = NULL;

	for (unsigned i = 0; i < seconds; i++) {
		next();
		put_text(SCHEMA_DEVICE, "sda1", "kind", "part");
		put_text(SCHEMA_DEVICE, "sda1", "mount_point", "/srv");
		put(SCHEMA_DEVICE, "sda1", "fs_used_pct", used_pct);
		put(SCHEMA_DEVICE, "sda1", "fs_inodes_pct", inodes_pct);
		put(SCHEMA_DEVICE, "sda1", "fs_free_bytes",
		    free_gib * (1 << 30));
		put(SCHEMA_DEVICE, "sda1", "fs_full_in_s", full_in_s);
		alarms_look(alarms, &f);
		if (!e)
			e = found(EVENT_ALARM_BEGIN, name);
	}
	return e;
}

/* Space, inodes, and a large file system, which has room left at 96 %. */
START_TEST(test_full)
{
	ck_assert_ptr_null(fill(5, 96, 3, 400, NAN, "full"));
	ck_assert_ptr_null(fill(5, 94, 94, 1, NAN, "full"));
	ck_assert_ptr_nonnull(fill(5, 96, 3, 2, NAN, "full"));
	stop();
	start();
	ck_assert_ptr_nonnull(fill(5, 99.7, 3, 400, NAN, "full"));
	stop();
	start();
	ck_assert_ptr_nonnull(fill(5, 20, 97, 400, NAN, "full"));
}
END_TEST

/* Half empty, or more than two hours left: no alarm. */
/* Limits of a file: another one, off; a wrong line names itself. */
START_TEST(test_limits)
{
	static const char *const wrong[] = {
		"full",		 "full 0",	 "full nan",  "full 5 6",
		"none 5",	 "full -1",	 "full 1e999", "\033[1m 5",
		"full 98\nstall x", "slow  device 5",
	};

	ck_assert_int_eq(alarms_set_limits(alarms,
					   "# night\n\n full\t99.8 # a mount\n"
					   "blocked off\nslow device 30\n",
					   "f"),
			 0);
	wait_for("percpu_rwsem_wait", 9);
	ck_assert_ptr_null(found(EVENT_ALARM_BEGIN, "blocked"));
	ck_assert_ptr_null(fill(5, 99.7, 3, 1, NAN, "full"));
	ck_assert_ptr_nonnull(fill(5, 99.9, 3, 1, NAN, "full"));
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		ck_assert_int_eq(alarms_set_limits(alarms, wrong[i], "f"),
				 -EINVAL);
		ck_assert_ptr_nonnull(
			strstr(fail_sentence(), i == 8 ? "f:2:" : "f:1:"));
	}
}
END_TEST

START_TEST(test_filling)
{
	ck_assert_ptr_null(fill(20, 80, 3, 9, 7300, "filling"));
	ck_assert_ptr_null(fill(20, 49, 3, 9, 600, "filling"));
	ck_assert_ptr_null(fill(20, 80, 3, 9, NAN, "filling"));
	ck_assert_ptr_nonnull(fill(20, 80, 3, 9, 7100, "filling"));
}
END_TEST

/* A task is counted once; one that waits for its child is not meant. */
START_TEST(test_blocked)
{
	const struct event *e;

	wait_for("kernel_clone", 9);
	ck_assert_int_eq(f.n_events, 0);
	wait_for("rq_qos_wait", 2);
	e = found(EVENT_ALARM_BEGIN, "blocked");
	ck_assert_ptr_nonnull(e);
	ck_assert_str_eq(e->device, "");
	ck_assert_str_eq(e->text,
			 "1 task in D: dd(77) waits for its turn under "
			 "writeback throttling, io.latency or io.cost "
			 "(rq_qos_wait); see wbt_lat_usec, io.latency");
}
END_TEST

/* The figures in the words of an event: no digits that mean nothing. */
START_TEST(test_figures)
{
	struct event e = { .kind = EVENT_ALARM_BEGIN,
			   .name = "slow",
			   .device = "sda",
			   .value = 1.99695,
			   .limit = 2 };
	char buf[256];

	event_words(&e, buf, sizeof(buf));
	ck_assert_str_eq(buf, "alarm slow of sda began at 2 times (limit 2 times)");
	e.value = 12345.6;
	event_words(&e, buf, sizeof(buf));
	ck_assert_str_eq(buf,
			 "alarm slow of sda began at 12346 times (limit 2 "
			 "times)");
	/* A count that the sentence says again stands once. */
	snprintf(e.name, sizeof(e.name), "errors");
	snprintf(e.text, sizeof(e.text), "1 new error of requests");
	e.value = e.limit = 1;
	event_words(&e, buf, sizeof(buf));
	ck_assert_str_eq(buf, "alarm errors of sda began: 1 new error of requests");
}
END_TEST

/* So many seconds of a load; how often did the alarm begin? */
static unsigned load(unsigned seconds, double iops, double await_ns,
		     double queue, const char *name)
{
	unsigned began = 0;

	for (unsigned i = 0; i < seconds; i++) {
		next();
		put(SCHEMA_DEVICE, "sda", "read_iops", iops);
		put(SCHEMA_DEVICE, "sda", "read_await_ns", await_ns);
		put(SCHEMA_DEVICE, "sda", "read_size_bytes", 4096);
		put(SCHEMA_DEVICE, "sda", "queue_size", queue);
		put(SCHEMA_DEVICE, "sda", "queue_depth", queue);
		put_text(SCHEMA_KNOB, "sda.nr_requests", "value", "256");
		put(SCHEMA_PRESSURE, "io", "full_pct", 95);
		alarms_look(alarms, &f);
		began += found(EVENT_ALARM_BEGIN, name) != NULL;
	}
	return began;
}

START_TEST(test_slow)
{
	ck_assert_uint_eq(load(30, 1000, 3e6, 3, "slow"), 0);
	/* A longer queue is another load. */
	ck_assert_uint_eq(load(30, 1000, 40e6, 64, "slow"), 0);
	ck_assert_uint_eq(load(8, 40, 50e6, 3, "slow"), 1);
	/* Too few to tell. */
	stop();
	start();
	load(30, 1000, 3e6, 3, "slow");
	ck_assert_uint_eq(load(8, 5, 50e6, 3, "slow"), 0);
}
END_TEST

static void slow_row(const char *id, const char *op, const char *comm,
		     double pid, const char *key, double value)
{
	put_text(SCHEMA_SLOW, id, "device", "sda");
	put_text(SCHEMA_SLOW, id, "op", op);
	put_text(SCHEMA_SLOW, id, "comm", comm);
	put(SCHEMA_SLOW, id, "pid", pid);
	put(SCHEMA_SLOW, id, key, value);
}

/* So many seconds with these traced values of sda; the first alarm's event. */
static struct event traced(unsigned seconds, const char *name,
			   const char *const keys[], const double values[])
{
	struct event began = { .t_s = -1 };

	for (unsigned i = 0; i < seconds; i++) {
		next();
		put(SCHEMA_DEVICE, "sda", "write_iops", 1000);
		put(SCHEMA_DEVICE, "sda", "write_size_bytes", 4096);
		put(SCHEMA_DEVICE, "sda", "queue_size", 3);
		for (int k = 0; keys[k]; k++)
			put(SCHEMA_DEVICE, "sda", keys[k], values[k]);
		/* Those of many other devices come first. */
		for (unsigned k = 0; k < 300; k++) {
			struct row *row = frame_add_row(&f, SCHEMA_SLOW, "sdb");

			row->value[schema_field(SCHEMA_SLOW, "device")].text = "sdb";
			row->value[schema_field(SCHEMA_SLOW, "op")].text = "write";
			row->value[schema_field(SCHEMA_SLOW, "device_ns")].number = 1e9;
		}
		/* Two of cp wait longer than the slowest alone. */
		slow_row("sda.1", "write", "dd", 7, "queue_ns", 50e6);
		slow_row("sda.2", "write", "cp", 8, "queue_ns", 30e6);
		slow_row("sda.3", "write", "cp", 8, "queue_ns", 30e6);
		slow_row("sda.1", "write", "dd", 7, "device_ns", 9e6);
		slow_row("sda.3", "write", "cp", 8, "requeues", 2);
		slow_row("sda.4", "fsync", "postgres", 9, "flush_ns", 120e6);
		put_text(SCHEMA_SLOW, "sda.4", "file", "/wal");
		put(SCHEMA_SLOW, "sda.2", "sector", 8);
		put_text(SCHEMA_SLOW, "sda.2", "error", "medium");
		alarms_look(alarms, &f);
		if (began.t_s < 0 && found(EVENT_ALARM_BEGIN, name))
			began = *found(EVENT_ALARM_BEGIN, name);
	}
	return began;
}

/* The process with the largest share is named; without its cause no alarm. */
START_TEST(test_traced)
{
	static const struct {
		const char *name, *keys[5];
		double quiet[4], loud[4];
		const char *words;
	} rules[] = {
		{ "long queue", { "write_p99_ns", "write_queue_pct" },
		  { 15e6, 99 }, { 84e6, 93 }, "93 % of it in the queue, most of cp(8); " },
		{ "long queue", { "write_p99_ns", "write_queue_pct" },
		  { 84e6, 70 }, { 84e6, 93 }, "writes take 84" },
		{ "slow device", { "write_device_p99_ns", "write_await_ns" },
		  { 3e6, 90e6 }, { 40e6, 90e6 }, "most of dd(7); " },
		/* The slowest are writes. */
		{ "slow device",
		  { "read_device_p99_ns", "read_await_ns", "read_iops", "read_size_bytes" },
		  { 3e6, 90e6, 1000, 4096 }, { 40e6, 90e6, 1000, 4096 },
		  "the slowest I/Os are those of dd(7); " },
		{ "flush", { "flush_p99_ns" }, { 90e6 }, { 110e6 },
		  "; longest waited postgres(9) for /wal; " },
		{ "requeue", { "requeues_per_s" }, { 9 }, { 20 },
		  "2.0 % of the requests; most of cp(8); " },
		{ "trace missed", { "trace_missed" }, { 0 }, { 9 },
		  "tracing missed 9 of 1000 completions" },
		{ "errors", { "io_errors_per_s" }, { 0 }, { 2 },
		  "; write of cp(8) at sector 8: medium; " },
		{ "errors", { "io_errors_per_s" }, { 0 }, { 1 },
		  "1 new error of requests" },
	};
	struct event e;

	ck_assert_double_lt(
		traced(30, rules[_i].name, rules[_i].keys, rules[_i].quiet).t_s,
		0);
	e = traced(12, rules[_i].name, rules[_i].keys, rules[_i].loud);
	ck_assert_double_gt(e.t_s, 0);
	ck_assert_str_eq(e.device, "sda");
	ck_assert_msg(strstr(e.text, rules[_i].words) != NULL, "%s", e.text);
}
END_TEST

/* Where no call is seen, the process whose empty write waited for the flush. */
START_TEST(test_flush_without_call)
{
	const struct event *e = NULL;

	for (unsigned i = 0; i < 12 && !e; i++) {
		next();
		put(SCHEMA_DEVICE, "sda", "flush_p99_ns", 110e6);
		slow_row("sda.1", "write", "cp", 11, "total_ns", 300e6);
		put(SCHEMA_SLOW, "sda.1", "size_bytes", 4096);
		slow_row("sda.2", "write", "fio", 10, "total_ns", 110e6);
		put(SCHEMA_SLOW, "sda.2", "size_bytes", 0);
		put_text(SCHEMA_SLOW, "sda.2", "file", "[flush]");
		alarms_look(alarms, &f);
		e = found(EVENT_ALARM_BEGIN, "flush");
	}
	ck_assert_ptr_nonnull(e);
	ck_assert_msg(strstr(e->text, "; longest waited fio(10); see "), "%s", e->text);
}
END_TEST

/* A full queue and all tasks waiting is a busy disk, until it is slow. */
START_TEST(test_busy)
{
	ck_assert_uint_eq(load(600, 8000, 30e6, 256, "queue"), 0);
	ck_assert_uint_eq(load(600, 8000, 30e6, 256, "pressure"), 0);
	ck_assert_uint_eq(load(20, 400, 640e6, 256, "queue"), 1);
	stop();
	start();
	ck_assert_uint_eq(load(20, 400, 640e6, 256, "pressure"), 1);
}
END_TEST

struct single {
	const char *name;
	enum schema_id schema;
	const char *row, *key, *key2;
	double quiet, loud, other;
};

static const struct single singles[] = {
	{ "dirty", SCHEMA_MEMORY, "", "dirty_bytes", "dirty_limit_bytes", 88e6,
	  96e6, 100e6 },
	{ "reclaim", SCHEMA_MEMORY, "", "direct_scan_per_s", NULL, 5000, 20000,
	  0 },
	{ "swap", SCHEMA_MEMORY, "", "swap_in_bytes_per_s",
	  "swap_out_bytes_per_s", 1e6, 50e6, 30e6 },
	{ "steal", SCHEMA_CPU, "all", "steal_pct", NULL, 5, 30, 0 },
};

static unsigned single(const struct single *c, double v, unsigned seconds,
		       enum event_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < seconds; i++) {
		next();
		put(c->schema, c->row, c->key, v);
		if (c->key2)
			put(c->schema, c->row, c->key2, c->other);
		alarms_look(alarms, &f);
		n += found(kind, c->name) != NULL;
	}
	return n;
}

/* Holds for a while, ends after a rest; what is brief says nothing. */
START_TEST(test_single)
{
	const struct single *c = &singles[_i];
	const struct alarm_rule *rule = alarms_rule_by_name(c->name);

	ck_assert_ptr_nonnull(rule);
	ck_assert_uint_eq(single(c, c->quiet, 60, EVENT_ALARM_BEGIN), 0);
	ck_assert_uint_eq(
		single(c, c->loud, (unsigned)rule->hold_s, EVENT_ALARM_BEGIN),
		0);
	ck_assert_uint_eq(single(c, c->quiet, 1, EVENT_ALARM_BEGIN), 0);
	ck_assert_uint_eq(single(c, c->loud, 60, EVENT_ALARM_BEGIN), 1);
	ck_assert_uint_eq(single(c, c->quiet, 60, EVENT_ALARM_END), 1);
}
END_TEST

START_TEST(test_baseline)
{
	struct alarms_baseline *b = alarms_baseline_new();

	for (int i = 0; i < 15; i++)
		ck_assert(isnan(alarms_baseline_add(b, "sda", 0, 4096, 1, i)));
	ck_assert_double_eq(alarms_baseline_add(b, "sda", 0, 4096, 1, 99), 7);
	/* Another direction, size, length, device: nothing is known. */
	ck_assert(isnan(alarms_baseline_add(b, "sda", 1, 4096, 1, 1)));
	ck_assert(isnan(alarms_baseline_add(b, "sda", 0, 1 << 20, 1, 1)));
	ck_assert(isnan(alarms_baseline_add(b, "sda", 0, 4096, 64, 1)));
	ck_assert(isnan(alarms_baseline_add(b, "sdb", 0, 4096, 1, 1)));
	alarms_baseline_free(b);
}
END_TEST

TCase *alarms_case(void)
{
	TCase *t = tcase_create("alarms");

	tcase_add_checked_fixture(t, start, stop);
	tcase_add_test(t, test_stall);
	tcase_add_test(t, test_gone);
	tcase_add_test(t, test_heat);
	tcase_add_test(t, test_blocked);
	tcase_add_test(t, test_full);
	tcase_add_test(t, test_limits);
	tcase_add_test(t, test_filling);
	tcase_add_test(t, test_figures);
	tcase_add_test(t, test_slow);
	tcase_add_loop_test(t, test_traced, 0, 9);
	tcase_add_test(t, test_busy);
	tcase_add_test(t, test_flush_without_call);
	tcase_add_loop_test(t, test_single, 0, 4);
	tcase_add_test(t, test_baseline);
	return t;
}
