/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process: what it used in an interval. */
#include "model/schema/schema_machine.h"
#include "model/schema/schema_trace.h"

#include <math.h>
#include <string.h>

#include "base/attributes.h"
#include "base/text.h"
#include "model/wait_reason.h"

static const struct task_raw *schema_task_now(const struct span *s)
{
	return s->now;
}

/* What the kernel must tell of a process for a figure of it. */
enum { NEEDS_NOTHING, NEEDS_IO, NEEDS_DELAY, NEEDS_RUN_DELAY, NEEDS_PROGRAM };

static bool schema_task_has(const struct task_raw *t, unsigned needs)
{
	return needs == NEEDS_IO	  ? t->has_io
	       : needs == NEEDS_DELAY	  ? t->has_delay
	       : needs == NEEDS_RUN_DELAY ? t->has_run_delay
					  : needs != NEEDS_PROGRAM || !t->kernel;
}

/*
 * Usage per second: between the last two looks where samples have no look of
 * their own, so that no rate is too high; else between the two samples.
 */
static double schema_task_per_s(const struct span *s, const struct field *f)
{
	const struct task_raw *now = s->now;
	uint64_t step;

	if (!s->prev || !schema_task_has(now, f->arg.op))
		return NAN;
	if (!now->step_ns)
		return schema_rate(s, f);
	memcpy(&step, (const char *)&now->step + f->arg.part, sizeof(step));
	return (double)step * 1e9 / (double)now->step_ns /
	       (f->arg.per > 0 ? f->arg.per : 1);
}

#define USE(member, needs, per_) \
	.of = schema_task_per_s, \
	.arg = { .op = needs, .part = offsetof(struct task_use, member), \
		 .at = offsetof(struct task_raw, member), .per = per_ }

/* A kernel thread has no memory of its own. */
static double schema_task_memory(const struct span *s, const struct field *f)
{
	int64_t bytes;

	memcpy(&bytes, (const char *)s->now + f->arg.at, sizeof(bytes));
	return schema_task_now(s)->kernel || bytes < 0 ? NAN : (double)bytes;
}

#define MEMORY(member) \
	.of = schema_task_memory, \
	.arg = { .at = offsetof(struct task_raw, member) }

/* Compare the start of the name; the first row that fits counts. */
static const struct {
	const char *name, *starts;
} groups[] = {
	{ "reclaim", "kswapd kcompactd" },
	{ "journal", "jbd2/ xfsaild/ btrfs-transacti txg_" },
	{ "writeback", "flush- writeback" },
	{ "filesystem", "dio/ xfs btrfs- ext4- f2fs_ gfs2_ nfsd nfsiod bch- z_ "
			"arc_ dbu_ cifsiod ceph" },
	{ "loop", "loop" },
	{ "stack", "dm- kdmflush dmcrypt_ kcryptd kverityd md raid bcache" },
	{ "block", "kblockd kintegrityd" },
	{ "device", "nvme scsi_ nbd ata_ rbd virtio" },
	{ "other", "" },
};

/* The group of loop devices, and how long a worker keeps it. */
#define LOOP	    4
#define LOOP_KEPT_S 60

int schema_task_group(const char *comm)
{
	int group = 0;

	if (!strncmp(comm, "kworker/", 8)) {
		comm += strcspn(comm, "-+");
		comm += *comm != '\0';
	}
	while (group + 1 < (int)ARRAY_SIZE(groups) &&
	       !text_begins(comm, groups[group].starts))
		group++;
	return group;
}

int schema_task_group_kept(const char *comm, int before, double before_s)
{
	bool worker = before >= 0 && !strncmp(comm, "kworker/", 8);

	if (worker && !comm[strcspn(comm, "-+")])
		return before;
	if (worker && before == LOOP && before_s < LOOP_KEPT_S)
		return before;
	return schema_task_group(comm);
}

static const char *group(const struct span *s)
{
	int g = schema_task_now(s)->group;

	return schema_task_now(s)->kernel && g >= 0 &&
			       g < (int)ARRAY_SIZE(groups)
		       ? groups[g].name
		       : NULL;
}

/* One letter; the table of all letters gives each a lasting address. */
static const char *schema_task_state(const struct span *s)
{
	static const char letters[26][2] = { "A", "B", "C", "D", "E", "F", "G",
					     "H", "I", "J", "K", "L", "M", "N",
					     "O", "P", "Q", "R", "S", "T", "U",
					     "V", "W", "X", "Y", "Z" };
	int i = (schema_task_now(s)->state & ~0x20) - 'A';

	return i >= 0 && i < 26 ? letters[i] : NULL;
}

static double own(const struct span *s)
{
	return schema_task_now(s)->owner == TASK_OWNER_UNKNOWN
		       ? NAN
		       : schema_task_now(s)->owner == TASK_OWNER_RUN;
}

/* Bytes of the counter since it was met; arg.op: written ones. */
static double schema_task_bytes(const struct span *s, const struct field *f)
{
	const struct task_raw *t = s->now;

	if (!t->has_io)
		return NAN;
	return f->arg.op ? schema_delta64(t->write_bytes, t->met_write_bytes)
			 : schema_delta64(t->read_bytes, t->met_read_bytes);
}

/* A limit of the group may be why a device does not answer. */
static const char *schema_task_waits_for(const struct span *s)
{
	const struct task_raw *t = schema_task_now(s);
	const struct wait_reason *why = wait_reason_of(t->wchan);

	if (t->io_limit && (!why || !strcmp(why->word, "device")))
		return "I/O limit";
	return why ? why->word : NULL;
}

#define KIB (1.0 / 1024)
#define MIB (1.0 / 1048576)
#define MS  1e-6

/* clang-format off */
static const struct field fields[] = {
	{ "comm", "command",
	  "name of the process (kernel threads stand in brackets on the "
	  "screen)", .kind = FIELD_TEXT, .width = 15,
	  .place = { [FIELD_ON_SCREEN] = 6 },
	  .gauge = GAUGE(struct task_raw, comm) },
	{ "cpu_pct", "%cpu",
	  "CPU time of all its threads, 100 is one processor", .zero = 1,
	  .width = 6, .digits = 1, .total = TOTAL_SUM,
	  .place = { [FIELD_ON_SCREEN] = 3 }, USE(cpu_ns, NEEDS_NOTHING, 1e7) },
	{ "read_bytes_per_s", "rkB/s",
	  "bytes that the process caused to be read from block devices (on the "
	  "screen in KiB)", .zero = 1, .width = 10, .digits = 1, .scale = KIB,
	  .total = TOTAL_SUM, .place = { [FIELD_ON_SCREEN] = 4 },
	  USE(read_bytes, NEEDS_IO, 1) },
	{ "write_bytes_per_s", "wkB/s",
	  "bytes that the process dirtied or wrote directly (on the screen in "
	  "KiB)", .zero = 1, .width = 10, .digits = 1, .scale = KIB,
	  .total = TOTAL_SUM, .place = { [FIELD_ON_SCREEN] = 5 },
	  USE(write_bytes, NEEDS_IO, 1) },
	{ "io_delay_pct", "%iodly",
	  "time spent waiting for block I/O; absent unless "
	  "kernel.task_delayacct is 1", .width = 6, .digits = 1,
	  .total = TOTAL_SUM, .column = COLUMN_URGENT_ONLY,
	  USE(delay_ns, NEEDS_DELAY, 1e7) },
	{ "state", "S",
	  "state letter: R running, S sleeping, D waiting for I/O, I idle "
	  "kernel thread, X processes that ended since the last look, added up "
	  "by command", .kind = FIELD_TEXT, .width = 1,
	  .place = { [FIELD_ON_SCREEN] = 2 }, .text = schema_task_state },
	{ "threads", "thr", "number of threads", .width = 4, .total = TOTAL_SUM,
	  .column = COLUMN_HIDDEN, .gauge = GAUGE(struct task_raw, threads) },
	{ "uid", "uid", "number of the user", .zero = 1, .width = 6,
	  .column = COLUMN_HIDDEN, .gauge = GAUGE(struct task_raw, uid) },
	{ "kernel", "k", "1 for a kernel thread (kswapd, jbd2, kworker)",
	  .zero = 1, .width = 1, .total = TOTAL_SUM, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct task_raw, kernel) },
	{ "user", "user", "name of the user; absent when /etc/passwd has none",
	  .fact = true, .kind = FIELD_TEXT, .width = 9,
	  .place = { [FIELD_ON_SCREEN] = 1 },
	  .gauge = GAUGE(struct task_raw, user) },
	{ "group", "group",
	  "of a kernel thread: reclaim, journal, writeback, filesystem, loop, "
	  "stack (dm, md), block, device or other", .fact = true,
	  .kind = FIELD_TEXT, .width = 10, .column = COLUMN_HIDDEN,
	  .text = group },
	{ "process", "process",
	  "of a thread: the pid of its process, whose row has its I/O and CPU "
	  "too", .kind = FIELD_TEXT, .width = 8, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct task_raw, process) },
	{ "wait_ns", "D-ms",
	  "time in state D without running (on the screen in ms)", .width = 8,
	  .scale = MS, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE_SOME(struct task_raw, wait_ns) },
	{ "wchan", "wchan", "kernel function in which a task in state D waits",
	  .kind = FIELD_TEXT, .width = 18, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct task_raw, wchan) },
	{ "waits_for", "waits for",
	  "of a task in state D, by wchan: device, journal, dirty limit, "
	  "frozen fs?, I/O limit (of its control group), NFS server, lock",
	  .kind = FIELD_TEXT, .width = 12, .place = { [FIELD_ON_SCREEN] = 8 },
	  .text = schema_task_waits_for },
	{ "io_limit", "I/O limit",
	  "of a task in state D: the limit that its control group puts on its "
	  "I/O (io.max, blkio.throttle)", .kind = FIELD_TEXT, .width = 24,
	  .column = COLUMN_HIDDEN, .gauge = GAUGE(struct task_raw, io_limit) },
	{ "io_priority", "prio",
	  "I/O priority: be (best effort) or rt (real time) with level 0 to 7, "
	  "or idle", .fact = true, .kind = FIELD_TEXT, .width = 5,
	  .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct task_raw, io_priority) },
	{ "parent_pid", "ppid", "pid of its parent", .fact = true, .width = 7,
	  .column = COLUMN_HIDDEN,
	  .gauge = GAUGE_SOME(struct task_raw, parent) },
	{ "own", "own",
	  "1 for iodyno itself and the processes that this run started",
	  .zero = 1, .width = 3, .column = COLUMN_HIDDEN, .number = own },
	{ "age_s", "age", "seconds since the process started", .passes = true,
	  .width = 8, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct task_raw, age_s) },
	{ "read_bytes", "rMiB",
	  "bytes that the process caused to be read since iodyno first saw it "
	  "(on the screen in MiB)", .zero = 1, .width = 10, .digits = 1,
	  .scale = MIB, .total = TOTAL_SUM, .column = COLUMN_HIDDEN,
	  .of = schema_task_bytes },
	{ "write_bytes", "wMiB",
	  "bytes that the process dirtied or wrote directly since iodyno first "
	  "saw it (on the screen in MiB)", .zero = 1, .width = 10, .digits = 1,
	  .scale = MIB, .total = TOTAL_SUM, .column = COLUMN_HIDDEN,
	  .of = schema_task_bytes, .arg = { .op = 1 } },
	{ "unit", "unit", "its systemd unit, by the name of its cgroup",
	  .fact = true, .kind = FIELD_TEXT, .width = 15,
	  .column = COLUMN_HIDDEN, .gauge = GAUGE(struct task_raw, unit) },
	{ "container", "container",
	  "its container, by the name of its cgroup: docker, podman, crio, "
	  "kubernetes, lxc or nspawn with the start of the id", .fact = true,
	  .kind = FIELD_TEXT, .width = 15, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct task_raw, container) },
	{ "cgroup", "cgroup", "path of its cgroup", .fact = true,
	  .kind = FIELD_TEXT, .width = 24, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct task_raw, cgroup) },
	{ "serves", "serves",
	  "of a kernel thread: the device that the thread works for; of a loop "
	  "device also the file behind it", .fact = true, .kind = FIELD_TEXT,
	  .width = 15, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct task_raw, serves) },
	{ "rss_bytes", "rssMiB",
	  "memory that the process holds, shared pages included (on the screen "
	  "in MiB)", .width = 8, .digits = 1, .scale = MIB, .total = TOTAL_SUM,
	  MEMORY(rss_bytes) },
	{ "shared_bytes", "shrMiB",
	  "of that memory, pages of files and shared memory (on the screen in "
	  "MiB)", .width = 8, .digits = 1, .scale = MIB, .total = TOTAL_SUM,
	  .column = COLUMN_HIDDEN, MEMORY(shared_bytes) },
	{ "swap_bytes", "swpMiB",
	  "memory of the process that is in swap (on the screen in MiB)",
	  .zero = 2, .width = 8, .digits = 1, .scale = MIB, .total = TOTAL_SUM,
	  .column = COLUMN_HIDDEN, MEMORY(swap_bytes) },
	{ "major_fault_per_s", "majfl/s",
	  "page faults per second that waited for a read from a disk or from "
	  "swap", .zero = 2, .width = 7, .digits = 1, .total = TOTAL_SUM,
	  .column = COLUMN_HIDDEN, USE(major_faults, NEEDS_PROGRAM, 1) },
	{ "run_delay_pct", "%rundly",
	  "time that its threads were ready to run and waited for a processor",
	  .width = 7, .digits = 1, .total = TOTAL_SUM, .column = COLUMN_HIDDEN,
	  USE(run_delay_ns, NEEDS_RUN_DELAY, 1e7) },
	OWNER_FIELDS(struct task_raw, "the process"),
	{ "arguments", "arguments",
	  "what the process was started with, without the path of the program; "
	  "absent for kernel threads, and in a log, where command_line has it "
	  "behind the first blank", .fact = true, .kind = FIELD_TEXT,
	  .width = 16, .place = { [FIELD_ON_SCREEN] = 7 },
	  .gauge = GAUGE(struct task_raw, arguments) },
	{ "command_line", "command line",
	  "its arguments with the path of the program; absent for kernel "
	  "threads", .fact = true, .kind = FIELD_TEXT, .width = 16,
	  .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct task_raw, command_line) },
};
/* clang-format on */

const char *schema_task_arguments(const char *command_line)
{
	const char *blank = command_line ? strchr(command_line, ' ') : NULL;

	return blank && blank[1] ? blank + 1 : NULL;
}

const struct schema schema_task = {
	.name = "task",
	.help = "processes and kernel threads by I/O and CPU",
	.row_size = sizeof(struct task_raw),
	.still_size = offsetof(struct task_raw, age_s),
	.born_zero = true,
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
