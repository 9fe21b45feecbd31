/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Alarm rules: the trouble, its least duration, and the next thing to check. */
#include "model/alarms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"
#include "base/units.h"
#include "model/schema/schema.h"
#include "model/wait_reason.h"

#define S    1e-9
#define MIB  (1.0 / 1048576)
#define PAGE 4096.0 /* this share of a limit on pages counts as reaching it */

/* With fewer requests in an interval their mean time says little. */
#define LEAST_REQUESTS 20
/*
 * A mean time below this is not an alarm, however fast the device was before.
 */
#define SLOW_LEAST_NS 20e6
/*
 * If the disk answers within this time, tasks that wait for it are just busy.
 */
#define PRESSURE_AWAIT_NS 50e6
/* A full queue is an alarm only when requests wait longer than this in it. */
#define QUEUE_AWAIT_NS 500e6

static const char *const device_keys[DEV_FIELDS] = {
	[DEV_STALL] = "stall_ns",
	[DEV_QUEUE_DEPTH] = "queue_depth",
	[DEV_FLIGHT_READ] = "in_flight_read",
	[DEV_FLIGHT_WRITE] = "in_flight_write",
	[DEV_READ_IOPS] = "read_iops",
	[DEV_WRITE_IOPS] = "write_iops",
	[DEV_READ_AWAIT] = "read_await_ns",
	[DEV_WRITE_AWAIT] = "write_await_ns",
	[DEV_READ_SIZE] = "read_size_bytes",
	[DEV_WRITE_SIZE] = "write_size_bytes",
	[DEV_QUEUE_SIZE] = "queue_size",
	[DEV_ERRORS] = "errors",
	[DEV_MISSING] = "missing_members",
	[DEV_TEMPERATURE] = "temperature_c",
	[DEV_TEMPERATURE_MAX] = "temperature_max_c",
	[DEV_TEMPERATURE_CRIT] = "temperature_crit_c",
	[DEV_FS_USED] = "fs_used_pct",
	[DEV_FS_INODES] = "fs_inodes_pct",
	[DEV_FS_FREE] = "fs_free_bytes",
	[DEV_FS_FULL_IN] = "fs_full_in_s",
	[DEV_READ_P99] = "read_p99_ns",
	[DEV_WRITE_P99] = "write_p99_ns",
	[DEV_READ_QUEUE_PCT] = "read_queue_pct",
	[DEV_WRITE_QUEUE_PCT] = "write_queue_pct",
	[DEV_READ_DEVICE_P99] = "read_device_p99_ns",
	[DEV_WRITE_DEVICE_P99] = "write_device_p99_ns",
	[DEV_FLUSH_P99] = "flush_p99_ns",
	[DEV_REQUEUES] = "requeues_per_s",
	[DEV_IO_ERRORS] = "io_errors_per_s",
	[DEV_TRACE_MISSED] = "trace_missed",
};

void alarm_rules_init(struct alarm_rules *s)
{
	memset(s, 0, sizeof(*s));
	for (int i = 0; i < DEV_FIELDS; i++)
		s->device[i] = schema_field(SCHEMA_DEVICE, device_keys[i]);
	s->task_wait = schema_field(SCHEMA_TASK, "wait_ns");
	s->task_wchan = schema_field(SCHEMA_TASK, "wchan");
	s->task_process = schema_field(SCHEMA_TASK, "process");
	s->baseline = alarms_baseline_new();
}

void alarm_rules_free(struct alarm_rules *s)
{
	alarms_baseline_free(s->baseline);
	free(s->slow);
}

static double alarm_rules_device(const struct alarm_case *c,
				 enum alarm_device_field field)
{
	return frame_or_0(c->row->value[c->rules->device[field]].number);
}

/*
 * One direction of a device: find its usual time, and whether it is slower. A
 * traced time is that in the device: the queue has an alarm of its own.
 */
static void learn_op(struct alarm_rules *s, const struct frame *f,
		     const struct row *row, int op)
{
	const struct alarm_case c = { s, f, row };
	double iops =
		alarm_rules_device(&c, op ? DEV_WRITE_IOPS : DEV_READ_IOPS);
	double await =
		alarm_rules_device(&c, op ? DEV_WRITE_AWAIT : DEV_READ_AWAIT);
	const double traced = row->value[s->device[op ? DEV_WRITE_DEVICE_P99
						      : DEV_READ_DEVICE_P99]]
				      .number;
	double usual;
	struct alarm_slow *slow;

	s->worst_await_ns = fmax(s->worst_await_ns, await);
	if (iops * f->interval_s < LEAST_REQUESTS)
		return;
	if (!isnan(traced))
		await = traced;
	usual = alarms_baseline_add(
		s->baseline, row->id, isnan(traced) ? op : op + 2,
		alarm_rules_device(&c, op ? DEV_WRITE_SIZE : DEV_READ_SIZE),
		alarm_rules_device(&c, DEV_QUEUE_SIZE), await);
	if (isnan(usual) || await < SLOW_LEAST_NS)
		return;
	slow = xadd(s->slow, s->n_slow, s->cap_slow);
	text_set(slow->id, row->id);
	slow->op = op;
	slow->traced = !isnan(traced);
	slow->await_ns = await;
	slow->usual_ns = usual;
}

void alarm_rules_learn(struct alarm_rules *s, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_DEVICE];

	s->n_slow = 0;
	s->worst_await_ns = 0;
	for (size_t i = 0; i < t->n; i++)
		for (int op = 0; op < 2; op++)
			learn_op(s, f, &t->row[i], op);
}

/* NaN for a partition: its disk raises the alarm. */
static double stall_s(const struct alarm_case *c)
{
	const char *kind = row_text(SCHEMA_DEVICE, c->row, "kind");

	if (kind && !strcmp(kind, "part"))
		return NAN;
	return alarm_rules_device(c, DEV_STALL) * S;
}

static void stall_words(const struct alarm_case *c, char *buf, size_t size)
{
	double reads = alarm_rules_device(c, DEV_FLIGHT_READ);
	double writes = alarm_rules_device(c, DEV_FLIGHT_WRITE);
	double waiting =
		alarm_rules_device(c, DEV_QUEUE_DEPTH) - reads - writes;
	char where[96] = "", queued[48] = "";

	if (reads + writes > 0)
		snprintf(where, sizeof(where),
			 "%.0f read%s, %.0f write%s in the driver", reads,
			 reads == 1 ? "" : "s", writes, writes == 1 ? "" : "s");
	if (waiting > 0)
		snprintf(queued, sizeof(queued), "%s%.0f before the driver",
			 *where ? ", " : "", waiting);
	snprintf(buf, size,
		 "no I/O completes: %s%s; see tasks in D, dmesg, a frozen file "
		 "system",
		 where, queued);
}

/* A parent that waits for its child to start a program is in D as well. */
static bool waits_for_io(const struct alarm_rules *s, const struct row *row)
{
	static const char *const others[] = { "kernel_clone", "_do_fork",
					      "do_fork",
					      "wait_for_vfork_done" };
	const char *where = row->value[s->task_wchan].text;

	for (size_t i = 0; where && i < ARRAY_SIZE(others); i++)
		if (!strcmp(where, others[i]))
			return false;
	return !row->value[s->task_process].text;
}

static double longest_wait_s(const struct alarm_case *c)
{
	const struct table *t = &c->frame->table[SCHEMA_TASK];
	double longest = 0;

	for (size_t i = 0; i < t->n; i++) {
		double ns = t->row[i].value[c->rules->task_wait].number;

		if (ns > longest && waits_for_io(c->rules, &t->row[i]))
			longest = ns;
	}
	return longest * S;
}

/* " waits for the journal of its file system (jbd2_log_wait_commit); see ..." */
static const char *wait_why(const struct alarm_rules *s, const struct row *row,
			    bool of_several, char *buf, size_t size)
{
	const char *where = row ? row->value[s->task_wchan].text : NULL;
	const char *limit = row ? row_text(SCHEMA_TASK, row, "io_limit") : NULL;
	const char *word = row ? row_text(SCHEMA_TASK, row, "waits_for") : NULL;
	const struct wait_reason *why = wait_reason_of(where);
	char id[24] = "";

	if (row && of_several)
		snprintf(id, sizeof(id), "; %.16s", row->id);
	if (limit && word && !strcmp(word, "I/O limit"))
		snprintf(buf, size, "%s is limited by its control group: %.100s",
			 id, limit);
	else if (why)
		snprintf(buf, size, "%s waits for %s (%.32s)%s%s", id,
			 why->words, where, why->next ? "; " : "",
			 why->next ? why->next : "");
	else
		snprintf(buf, size, "%s%s%.32s; see dmesg, which device stalls",
			 *id ? id : "", where ? " waits in " : "",
			 where ? where : "");
	return buf;
}

/*
 * "2 tasks in D: dd(1234) waits for ...; see ..." of the one that waits longest,
 * or of each the function: "dd(1234) in some_function, sync(77)".
 */
static void wait_words(const struct alarm_case *c, char *buf, size_t size)
{
	const struct table *t = &c->frame->table[SCHEMA_TASK];
	const struct row *longest = NULL;
	char who[96] = "", why[180];
	unsigned n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct row *row = &t->row[i];
		const char *name = row_text(SCHEMA_TASK, row, "comm");
		double ns = row->value[c->rules->task_wait].number;

		if (!(ns * S >= 2 * ALARM_EARLY) ||
		    !waits_for_io(c->rules, row))
			continue;
		if (!longest || ns > longest->value[c->rules->task_wait].number)
			longest = row;
		if (n++ < 3)
			text_join(who, sizeof(who), ", ", "%.15s(%s)",
				  name ? name : "?", row->id);
	}
	snprintf(buf, size, "%u task%s in D: %s%s", n, n == 1 ? "" : "s", who,
		 wait_why(c->rules, longest, n > 1, why, sizeof(why)));
}

static const struct alarm_slow *find_slow(const struct alarm_case *c,
					  bool traced)
{
	const struct alarm_slow *worst = NULL;

	for (size_t i = 0; i < c->rules->n_slow; i++)
		if (c->rules->slow[i].traced == traced &&
		    !strcmp(c->rules->slow[i].id, c->row->id) &&
		    (!worst ||
		     c->rules->slow[i].await_ns / c->rules->slow[i].usual_ns >
			     worst->await_ns / worst->usual_ns))
			worst = &c->rules->slow[i];
	return worst;
}

static double alarm_rules_slower(const struct alarm_case *c, bool traced)
{
	const struct alarm_slow *slow =
		c->rules->n_slow ? find_slow(c, traced) : NULL;

	return slow ? slow->await_ns / slow->usual_ns : NAN;
}

static double times_slower(const struct alarm_case *c)
{
	return alarm_rules_slower(c, false);
}

static double alarm_rules_device_slower(const struct alarm_case *c)
{
	return alarm_rules_slower(c, true);
}

static void alarm_rules_device_words(const struct alarm_case *c, char *buf,
				     size_t size)
{
	const struct alarm_slow *slow = find_slow(c, true);
	const char *op = slow->op ? "write" : "read";
	char who[96];

	snprintf(buf, size,
		 "the device takes %s for a %s (p99), usual is %s under this "
		 "load%s; see SMART, the path",
		 units_ns(slow->await_ns).text, op,
		 units_ns(slow->usual_ns).text,
		 alarm_traced_who(c->frame, c->row->id, op, "device_ns",
				  "; most of ", who, sizeof(who)));
}

static void slow_words(const struct alarm_case *c, char *buf, size_t size)
{
	const struct alarm_slow *slow = find_slow(c, false);

	snprintf(buf, size,
		 "a %s takes %s, usual is %s under this load; see SMART, the "
		 "path, throttling",
		 slow->op ? "write" : "read", units_ns(slow->await_ns).text,
		 units_ns(slow->usual_ns).text);
}

/* The share of the queue that is in use, in %. */
static double queue_pct(const struct alarm_case *c)
{
	double depth = alarm_rules_device(c, DEV_QUEUE_DEPTH), limit;
	char id[ROW_ID_MAX + 16];
	const char *text;

	if (depth < 4 ||
	    fmax(alarm_rules_device(c, DEV_READ_AWAIT),
		 alarm_rules_device(c, DEV_WRITE_AWAIT)) < QUEUE_AWAIT_NS)
		return NAN;
	snprintf(id, sizeof(id), "%s.nr_requests", c->row->id);
	text = frame_text(c->frame, SCHEMA_KNOB, id, "value");
	limit = text ? strtod(text, NULL) : 0;
	return limit > 0 ? 100 * depth / limit : NAN;
}

static void queue_words(const struct alarm_case *c, char *buf, size_t size)
{
	snprintf(buf, size,
		 "the queue is full (%.0f requests) and a request takes more "
		 "than 0.5 s; see nr_requests, the scheduler, the writers",
		 alarm_rules_device(c, DEV_QUEUE_DEPTH));
}

static double errors(const struct alarm_case *c)
{
	return fmax(alarm_rules_device(c, DEV_ERRORS),
		    alarm_rules_device(c, DEV_IO_ERRORS) *
			    c->frame->interval_s);
}

static void errors_words(const struct alarm_case *c, char *buf, size_t size)
{
	char which[96];

	snprintf(
		buf, size,
		"%.0f new error%s of requests or of the device's file system%s; "
		"see dmesg, SMART, the cable or path",
		errors(c), round(errors(c)) == 1 ? "" : "s",
		alarm_traced_error(c->frame, c->row->id, which, sizeof(which)));
}

static void alarm_rules_missing_words(const struct alarm_case *c, char *buf,
				      size_t size)
{
	const double n = alarm_rules_device(c, DEV_MISSING);

	snprintf(buf, size,
		 "%.0f %s gone; see /proc/mdstat, multipath -ll, dmesg", n,
		 n == 1 ? "member or path is" : "members or paths are");
}

static void read_only_words(const struct alarm_case *c, char *buf, size_t size)
{
	const char *point = row_text(SCHEMA_DEVICE, c->row, "mount_point");

	if (point)
		snprintf(buf, size,
			 "the device or its file system on %.64s became "
			 "read-only; see its errors in dmesg",
			 point);
	else
		snprintf(buf, size,
			 "the device became read-only; see its errors in "
			 "dmesg");
}

/* A large file system has room left at 95 %. */
#define ROOM_BYTES (20.0 * (1 << 30))
/* A warning that leaves time to act; a file system that is half empty has it. */
#define FILLING_S    7200
#define FILLING_FROM 50

/* The part of bytes or of inodes that is in use, whichever is greater, in %. */
static double alarm_rules_full_pct(const struct alarm_case *c)
{
	double used = alarm_rules_device(c, DEV_FS_USED);

	if (used < 99.5 && alarm_rules_device(c, DEV_FS_FREE) > ROOM_BYTES)
		used = 0;
	return fmax(used, alarm_rules_device(c, DEV_FS_INODES));
}

static void alarm_rules_full_words(const struct alarm_case *c, char *buf,
				   size_t size)
{
	const char *point = row_text(SCHEMA_DEVICE, c->row, "mount_point");
	double inodes = alarm_rules_device(c, DEV_FS_INODES);

	if (inodes > alarm_rules_device(c, DEV_FS_USED))
		snprintf(buf, size,
			 "%.64s has %.1f %% of its inodes in use; see which "
			 "directory has many small files",
			 point ? point : "its file system", inodes);
	else
		snprintf(
			buf, size,
			"%.64s is full to %.1f %%, %s are free; see which "
			"process writes, du, deleted files that are still open",
			point ? point : "its file system",
			alarm_rules_device(c, DEV_FS_USED),
			units_bytes(alarm_rules_device(c, DEV_FS_FREE)).text);
}

static double alarm_rules_filling(const struct alarm_case *c)
{
	double left_s = c->row->value[c->rules->device[DEV_FS_FULL_IN]].number;

	return left_s < FILLING_S &&
			       alarm_rules_device(c, DEV_FS_USED) > FILLING_FROM
		       ? 1
		       : NAN;
}

static void alarm_rules_filling_words(const struct alarm_case *c, char *buf,
				      size_t size)
{
	const char *point = row_text(SCHEMA_DEVICE, c->row, "mount_point");

	snprintf(buf, size,
		 "%.64s is full in %.0f min at this rate, %s are free; see which "
		 "process writes",
		 point ? point : "its file system",
		 ceil(alarm_rules_device(c, DEV_FS_FULL_IN) / 60),
		 units_bytes(alarm_rules_device(c, DEV_FS_FREE)).text);
}

/* In % of a limit that the disk itself sets. */
static double heat_pct(const struct alarm_case *c,
		       enum alarm_device_field limit)
{
	return 100 * c->row->value[c->rules->device[DEV_TEMPERATURE]].number /
	       c->row->value[c->rules->device[limit]].number;
}

/* NaN from the critical limit on: the rule "overheated" holds there. */
static double warm_pct(const struct alarm_case *c)
{
	if (heat_pct(c, DEV_TEMPERATURE_CRIT) >= 100)
		return NAN;
	return heat_pct(c, DEV_TEMPERATURE_MAX);
}

static double hot_pct(const struct alarm_case *c)
{
	return heat_pct(c, DEV_TEMPERATURE_CRIT);
}

static void heat_words(const struct alarm_case *c,
		       enum alarm_device_field limit, const char *which,
		       char *buf, size_t size)
{
	snprintf(buf, size,
		 "the disk is at %.0f degrees C, its %s limit is %.0f; the "
		 "disk may slow itself down; see fans, air flow, SMART",
		 alarm_rules_device(c, DEV_TEMPERATURE), which,
		 alarm_rules_device(c, limit));
}

static void warm_words(const struct alarm_case *c, char *buf, size_t size)
{
	heat_words(c, DEV_TEMPERATURE_MAX, "warning", buf, size);
}

static void hot_words(const struct alarm_case *c, char *buf, size_t size)
{
	heat_words(c, DEV_TEMPERATURE_CRIT, "critical", buf, size);
}

static double alarm_rules_memory(const struct row *row, const char *key)
{
	return frame_or_0(row_number(SCHEMA_MEMORY, row, key));
}

static double dirty_pct(const struct alarm_case *c)
{
	double limit = alarm_rules_memory(c->row, "dirty_limit_bytes");

	if (limit <= 0)
		return NAN;
	return 100 *
	       (alarm_rules_memory(c->row, "dirty_bytes") +
		alarm_rules_memory(c->row, "writeback_bytes")) /
	       limit;
}

static void dirty_words(const struct alarm_case *c, char *buf, size_t size)
{
	snprintf(buf, size,
		 "dirty pages are at their limit of %s, writers wait; see the "
		 "slowest device that is written to, vm.dirty_bytes",
		 units_bytes(alarm_rules_memory(c->row, "dirty_limit_bytes"))
			 .text);
}

static void reclaim_words(const struct alarm_case *c, char *buf, size_t size)
{
	snprintf(buf, size,
		 "programs must free memory themselves (%s available); see "
		 "which process takes memory, vm.min_free_kbytes",
		 units_bytes(alarm_rules_memory(c->row, "available_bytes"))
			 .text);
}

/*
 * The lesser of swap-in and swap-out: in a swap storm, pages that go out come
 * back.
 */
static double swap_mib_per_s(const struct alarm_case *c)
{
	return fmin(alarm_rules_memory(c->row, "swap_in_bytes_per_s"),
		    alarm_rules_memory(c->row, "swap_out_bytes_per_s")) *
	       MIB;
}

static void swap_words(const struct alarm_case *c, char *buf, size_t size)
{
	snprintf(buf, size,
		 "memory goes to swap and comes back, %.0f MiB/s in, %.0f "
		 "MiB/s out; see which process takes memory",
		 alarm_rules_memory(c->row, "swap_in_bytes_per_s") * MIB,
		 alarm_rules_memory(c->row, "swap_out_bytes_per_s") * MIB);
}

/* Waiting for a disk that answers quickly is normal. */
static double pressure_pct(const struct alarm_case *c)
{
	if (c->rules->worst_await_ns < PRESSURE_AWAIT_NS)
		return NAN;
	return row_number(SCHEMA_PRESSURE, c->row, "full_pct");
}

static void pressure_words(const struct alarm_case *c, char *buf, size_t size)
{
	snprintf(buf, size,
		 "all tasks waited for I/O in %.0f %% of the time and a "
		 "request takes %s; see the slowest device, tasks in D",
		 row_number(SCHEMA_PRESSURE, c->row, "full_pct"),
		 units_ns(c->rules->worst_await_ns).text);
}

static void steal_words(const struct alarm_case *c, char *buf, size_t size)
{
	snprintf(buf, size,
		 "the hypervisor gives %.0f %% of the CPU time to others; "
		 "times of I/O are too long; see the host",
		 row_number(SCHEMA_CPU, c->row, "steal_pct"));
}

static void throttled_words(const struct alarm_case *c, char *buf, size_t size)
{
	snprintf(buf, size,
		 "the CPU limit of the control group stops iodyno's processors "
		 "for %.0f %% of the time; latencies include that time; "
		 "see cpu.max",
		 row_number(SCHEMA_SELF, c->row, "throttled_pct"));
}

static void alarm_rules_server_words(const struct alarm_case *c, char *buf,
				     size_t size)
{
	const char *source = row_text(SCHEMA_MOUNT, c->row, "source");
	double n = row_number(SCHEMA_MOUNT, c->row, "in_flight");

	snprintf(buf, size,
		 "%.80s answers nothing, %.0f request%s wait%s; see the server, "
		 "the network, nfsstat",
		 source ? source : "its server", n, n == 1 ? "" : "s",
		 n == 1 ? "s" : "");
}

/* clang-format off */
const struct alarm_check alarm_rules[] = {
	{ .seen = { .name = "stall", .unit = "s", .limit = 2,
		    .rest_s = 2, .severity = ALARM_CRITICAL,
		    .help = "a device has I/O in flight and completed none "
			    "for 2 s" },
	  .schema = SCHEMA_DEVICE, .value = stall_s, .words = stall_words },
	{ .seen = { .name = "blocked", .unit = "s", .limit = 2,
		    .rest_s = 2, .severity = ALARM_CRITICAL,
		    .help = "a task has been in state D for 2 s and never ran" },
	  .schema = SCHEMA_TASK, .whole_table = true,
	  .value = longest_wait_s, .words = wait_words },
	{ .seen = { .name = "server", .unit = "s", .limit = 5,
		    .rest_s = 2, .severity = ALARM_CRITICAL,
		    .help = "the server of an NFS mount has answered none of the "
			    "requests that wait for 5 s" },
	  .schema = SCHEMA_MOUNT, .key = "stall_ns", .scale = S,
	  .words = alarm_rules_server_words },
	{ .seen = { .name = "errors", .unit = "", .limit = 1,
		    .rest_s = 2, .severity = ALARM_CRITICAL,
		    .help = "requests of a device failed, or its ext4 found "
			    "errors, in the last minute" },
	  .schema = SCHEMA_DEVICE, .value = errors, .words = errors_words },
	{ .seen = { .name = "missing", .unit = "", .limit = 1,
		    .rest_s = 2, .severity = ALARM_CRITICAL,
		    .help = "a member of a RAID or a path of a device is gone" },
	  .schema = SCHEMA_DEVICE, .key = "missing_members", .words = alarm_rules_missing_words },
	{ .seen = { .name = "read-only", .unit = "", .limit = 1,
		    .rest_s = 2, .severity = ALARM_CRITICAL,
		    .help = "a device or its file system that was writable "
			    "became read-only" },
	  .schema = SCHEMA_DEVICE, .key = "turned_read_only",
	  .words = read_only_words },
	{ .seen = { .name = "full", .unit = "%", .limit = 95,
		    .hold_s = 2, .rest_s = 30, .severity = ALARM_CRITICAL,
		    .help = "a file system has 95 % of its inodes in use, or 95 "
			    "% of its space and less than 20 GiB free" },
	  .schema = SCHEMA_DEVICE, .value = alarm_rules_full_pct,
	  .words = alarm_rules_full_words },
	{ .seen = { .name = "filling", .unit = "", .limit = 1,
		    .hold_s = 10, .rest_s = 60, .severity = ALARM_WARNING,
		    .help = "a file system that is more than half full is full "
			    "within 2 hours at the rate of the last 2 minutes" },
	  .schema = SCHEMA_DEVICE, .value = alarm_rules_filling,
	  .words = alarm_rules_filling_words },
	{ .seen = { .name = "overheated", .unit = "%", .limit = 100,
		    .hold_s = 2, .rest_s = 30, .severity = ALARM_CRITICAL,
		    .help = "a disk has had its critical temperature or a "
			    "higher one for 2 s" },
	  .schema = SCHEMA_DEVICE, .value = hot_pct, .words = hot_words },
	{ .seen = { .name = "hot", .unit = "%", .limit = 100,
		    .hold_s = 10, .rest_s = 30, .severity = ALARM_WARNING,
		    .help = "a disk has had its warning temperature or a "
			    "higher one for 10 s" },
	  .schema = SCHEMA_DEVICE, .value = warm_pct, .words = warm_words },
	{ .seen = { .name = "slow", .unit = "times", .limit = 10,
		    .hold_s = 3, .rest_s = 5, .severity = ALARM_WARNING,
		    .help = "requests of a device take 10 times as long as its "
			    "median under a similar load (size of a request, "
			    "length of the queue), and at least 20 ms" },
	  .schema = SCHEMA_DEVICE, .value = times_slower, .words = slow_words },
	{ .seen = { .name = "slow device", .unit = "times", .limit = 10,
		    .hold_s = 3, .rest_s = 5, .severity = ALARM_WARNING,
		    .help = "traced: requests are in the device (p99) 10 times as "
			    "long as its median under a similar load, and at "
			    "least 20 ms" },
	  .schema = SCHEMA_DEVICE, .value = alarm_rules_device_slower,
	  .words = alarm_rules_device_words },
	{ .seen = { .name = "long queue", .unit = "%", .limit = 80,
		    .hold_s = 5, .rest_s = 5, .severity = ALARM_WARNING,
		    .help = "traced: reads or writes take 20 ms or more (p99), "
			    "and more than 80 % of their time is in the queue" },
	  .schema = SCHEMA_DEVICE, .value = alarm_traced_queue_pct,
	  .words = alarm_traced_queue_words },
	{ .seen = { .name = "flush", .unit = "ms", .limit = 100,
		    .hold_s = 3, .rest_s = 10, .severity = ALARM_WARNING,
		    .help = "traced: flushes take more than 100 ms (p99)" },
	  .schema = SCHEMA_DEVICE, .key = "flush_p99_ns", .scale = 1e-6,
	  .words = alarm_traced_flush_words },
	{ .seen = { .name = "requeue", .unit = "%", .limit = 1,
		    .hold_s = 3, .rest_s = 10, .severity = ALARM_WARNING,
		    .help = "traced: the driver puts back more than 1 % of the "
			    "requests" },
	  .schema = SCHEMA_DEVICE, .value = alarm_traced_requeue_pct,
	  .words = alarm_traced_requeue_words },
	{ .seen = { .name = "trace missed", .unit = "%", .limit = 0.1,
		    .hold_s = 10, .rest_s = 10, .severity = ALARM_WARNING,
		    .help = "the trace does not see more than 0.1 % of the "
			    "completions of a device" },
	  .schema = SCHEMA_DEVICE, .value = alarm_traced_missed_pct,
	  .words = alarm_traced_missed_words },
	{ .seen = { .name = "queue", .unit = "%", .limit = 100,
		    .hold_s = 5, .rest_s = 5, .severity = ALARM_WARNING,
		    .help = "the queue of a device is full (nr_requests) and a "
			    "request takes more than 0.5 s" },
	  .schema = SCHEMA_DEVICE, .value = queue_pct, .words = queue_words },
	{ .seen = { .name = "dirty", .unit = "%", .limit = 95,
		    .hold_s = 5, .rest_s = 5, .severity = ALARM_WARNING,
		    .help = "dirty pages and writeback are at 95 % of the dirty "
			    "limit, so writers wait" },
	  .schema = SCHEMA_MEMORY, .value = dirty_pct, .words = dirty_words },
	{ .seen = { .name = "reclaim", .unit = "MiB/s", .limit = 40,
		    .hold_s = 5, .rest_s = 5, .severity = ALARM_WARNING,
		    .help = "programs reclaim memory themselves (direct "
			    "reclaim), at 40 MiB/s or more" },
	  .schema = SCHEMA_MEMORY, .key = "direct_scan_per_s",
	  .scale = PAGE * MIB,
	  .words = reclaim_words },
	{ .seen = { .name = "swap", .unit = "MiB/s", .limit = 4,
		    .hold_s = 3, .rest_s = 10, .severity = ALARM_WARNING,
		    .help = "the kernel writes 4 MiB/s or more to swap, and "
			    "reads 4 MiB/s or more from swap" },
	  .schema = SCHEMA_MEMORY, .value = swap_mib_per_s,
	  .words = swap_words },
	{ .seen = { .name = "pressure", .unit = "%", .limit = 20,
		    .hold_s = 5, .rest_s = 5, .severity = ALARM_WARNING,
		    .help = "all tasks waited for I/O for more than 20 % of "
			    "the time (PSI io full), and a device takes 50 ms "
			    "or more for a request" },
	  .schema = SCHEMA_PRESSURE, .id = "io", .value = pressure_pct,
	  .words = pressure_words },
	{ .seen = { .name = "steal", .unit = "%", .limit = 10,
		    .hold_s = 10, .rest_s = 10, .severity = ALARM_WARNING,
		    .help = "the hypervisor takes more than 10 % of the CPU "
			    "time" },
	  .schema = SCHEMA_CPU, .id = "all", .key = "steal_pct",
	  .words = steal_words },
	{ .seen = { .name = "throttled", .unit = "%", .limit = 1,
		    .rest_s = 5, .severity = ALARM_WARNING,
		    .help = "the CPU limit of the control group of iodyno "
			    "stops iodyno for more than 1 % of the time" },
	  .schema = SCHEMA_SELF, .key = "throttled_pct",
	  .words = throttled_words },
};
/* clang-format on */

const size_t n_alarm_rules = ARRAY_SIZE(alarm_rules);
