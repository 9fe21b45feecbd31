/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host: processors, memory, pressure, tunables, control groups, and what
 * the program itself costs.
 */
#include "model/schema/schema_machine.h"
#include "model/schema/schema_trace.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/attributes.h"

/* --- a processor: shares of its time, which add up to 100 --- */

/*
 * A time that went backwards (idle and iowait do, proc_stat(5)) counts as 0,
 * in the share and in the sum, as iostat does it.
 */
static double delta(const struct span *s, enum cpu_time t)
{
	const struct cpu_raw *now = s->now, *prev = s->prev;

	return now->time[t] > prev->time[t]
		       ? (double)(now->time[t] - prev->time[t])
		       : 0;
}

/* The share of the time arg.op, and of arg.part if that is another one. */
static double cpu_share(const struct span *s, const struct field *f)
{
	enum cpu_time a = f->arg.op, b = f->arg.part;
	double sum = 0;

	if (!s->prev)
		return NAN;
	for (int t = 0; t < CPU_TIMES; t++)
		sum += delta(s, (enum cpu_time)t);
	if (sum == 0)
		return NAN;
	return 100 * (delta(s, a) + (a == b ? 0 : delta(s, b))) / sum;
}

#define SHARE(time, and) .of = cpu_share, .arg = { .op = time, .part = and }

/* clang-format off */
static const struct field cpu_fields[] = {
	{ "user_pct", "%user", "time in programs, not niced (guests included)",
	  .idle = true, .width = 7, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 1 }, SHARE(CPU_USER, CPU_USER) },
	{ "nice_pct", "%nice", "time in niced programs", .idle = true,
	  .width = 7, .digits = 1, SHARE(CPU_NICE, CPU_NICE) },
	{ "system_pct", "%system", "time in the kernel", .idle = true,
	  .width = 7, .digits = 1, .place = { [FIELD_IN_GRAPH] = 2 },
	  SHARE(CPU_SYSTEM, CPU_SYSTEM) },
	{ "iowait_pct", "%iowait",
	  "idle time with a task waiting for I/O; a kind of idle, unreliable "
	  "per CPU", .idle = true, .width = 7, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 3 }, SHARE(CPU_IOWAIT, CPU_IOWAIT) },
	{ "irq_pct", "%irq", "time in hard and soft interrupts", .idle = true,
	  .width = 7, .digits = 1, .place = { [FIELD_IN_GRAPH] = 4 },
	  SHARE(CPU_IRQ, CPU_SOFTIRQ) },
	{ "steal_pct", "%steal", "time that the hypervisor gave to others",
	  .idle = true, .width = 7, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 5 }, SHARE(CPU_STEAL, CPU_STEAL) },
	{ "idle_pct", "%idle", "idle time without a task waiting for I/O",
	  .width = 7, .digits = 1, .place = { [FIELD_IN_GRAPH] = 6 },
	  SHARE(CPU_IDLE, CPU_IDLE) },
	{ "tasks_running", "run",
	  "tasks that run or wait for a processor (of all processors)",
	  .width = 5, .gauge = GAUGE(struct cpu_raw, running) },
	{ "tasks_blocked", "D",
	  "tasks that wait for I/O, in state D (of all processors)", .width = 5,
	  .gauge = GAUGE(struct cpu_raw, blocked) },
	{ "load_1m", "load", "load average of one minute (of all processors)",
	  .width = 6, .digits = 2, .gauge = GAUGE(struct cpu_raw, load_1m) },
};
/* clang-format on */

const struct schema schema_cpu = {
	.name = "cpu",
	.help = "processors: shares of their time",
	.row_size = sizeof(struct cpu_raw),
	.fields = cpu_fields,
	.n_fields = ARRAY_SIZE(cpu_fields),
};

/* --- memory and writeback: gauges in bytes, and rates --- */

#define RATE(which) \
	.of = schema_rate, \
	.arg = { .at = offsetof(struct memory_raw, counter[which]) }

#define MIB (1.0 / 1048576)
#define KIB (1.0 / 1024)

/* clang-format off */
static const struct field memory_fields[] = {
	{ "total_bytes", "total", "memory in all (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_TOTAL_BYTES]) },
	{ "available_bytes", "avail",
	  "memory available to programs (on the screen in MiB)", .width = 9,
	  .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_AVAILABLE_BYTES]) },
	{ "cached_bytes", "cached", "page cache (on the screen in MiB)",
	  .width = 9, .scale = MIB, .place = { [FIELD_IN_GRAPH] = 3 },
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_CACHED_BYTES]) },
	{ "dirty_bytes", "dirty",
	  "page cache that waits to be written (on the screen in MiB)",
	  .width = 9, .scale = MIB, .place = { [FIELD_IN_GRAPH] = 1 },
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_DIRTY_BYTES]) },
	{ "writeback_bytes", "writeback",
	  "page cache on its way to a device (on the screen in MiB)",
	  .width = 9, .scale = MIB, .place = { [FIELD_IN_GRAPH] = 2 },
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_WRITEBACK_BYTES]) },
	{ "dirty_limit_bytes", "dirty-lim",
	  "dirty limit: from here on writers must wait (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_DIRTY_LIMIT_BYTES]) },
	{ "dirty_background_bytes", "dirty-bg",
	  "dirty bytes at which writing back starts (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_DIRTY_BACKGROUND_BYTES]) },
	{ "swap_used_bytes", "swap", "swap in use (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_SWAP_USED_BYTES]) },
	{ "pgpgin_bytes_per_s", "pgpgin/s",
	  "bytes read from block devices per second (on the screen in KiB)",
	  .idle = true, .width = 10, .scale = KIB,
	  RATE(MEMORY_PGPGIN_BYTES_PER_S) },
	{ "pgpgout_bytes_per_s", "pgpgout/s",
	  "bytes written to block devices per second (on the screen in KiB)",
	  .idle = true, .width = 10, .scale = KIB,
	  RATE(MEMORY_PGPGOUT_BYTES_PER_S) },
	{ "dirtied_bytes_per_s", "dirtied/s",
	  "bytes of page cache made dirty per second (on the screen in KiB)",
	  .idle = true, .width = 10, .scale = KIB,
	  RATE(MEMORY_DIRTIED_BYTES_PER_S) },
	{ "written_bytes_per_s", "written/s",
	  "bytes of page cache written back per second (on the screen in KiB)",
	  .idle = true, .width = 10, .scale = KIB,
	  RATE(MEMORY_WRITTEN_BYTES_PER_S) },
	{ "kswapd_scan_per_s", "kswapd/s",
	  "pages that kswapd scanned per second, to free some", .idle = true,
	  .width = 10, RATE(MEMORY_KSWAPD_SCAN_PER_S) },
	{ "direct_scan_per_s", "direct/s",
	  "pages that programs themselves scanned per second, to get free ones",
	  .idle = true, .width = 10, RATE(MEMORY_DIRECT_SCAN_PER_S) },
	{ "major_fault_per_s", "majflt/s",
	  "page faults that needed I/O per second", .idle = true, .width = 10,
	  RATE(MEMORY_MAJOR_FAULT_PER_S) },
	{ "refault_per_s", "refault/s",
	  "file pages per second that were needed again soon after they were "
	  "dropped", .idle = true, .width = 10, RATE(MEMORY_REFAULT_PER_S) },
	{ "swap_in_bytes_per_s", "swap-in/s",
	  "bytes that came back from swap per second (on the screen in KiB)",
	  .idle = true, .width = 10, .scale = KIB,
	  RATE(MEMORY_SWAP_IN_BYTES_PER_S) },
	{ "swap_out_bytes_per_s", "swap-out/s",
	  "bytes that went to swap per second (on the screen in KiB)",
	  .idle = true, .width = 10, .scale = KIB,
	  RATE(MEMORY_SWAP_OUT_BYTES_PER_S) },
};
/* clang-format on */

const struct schema schema_memory = {
	.name = "memory",
	.help = "memory, the page cache and writeback",
	.row_size = sizeof(struct memory_raw),
	.bare = true,
	.fields = memory_fields,
	.n_fields = ARRAY_SIZE(memory_fields),
};

/* --- pressure: the share of the interval in which tasks were stalled --- */

/* Microseconds of stalls. The file is read shortly after the interval's limits:
 * at most 100 %. */
#define STALLED(raw, member) \
	.of = schema_rate, \
	.arg = { .at = offsetof(raw, member), .per = 1e4, .most = 100 }

/* clang-format off */
static const struct field pressure_fields[] = {
	{ "some_pct", "some%",
	  "share of the time in which at least one task waited for the "
	  "resource", .idle = true, .width = 6, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 1 },
	  STALLED(struct pressure_raw, some_us) },
	{ "full_pct", "full%",
	  "share of the time in which all non-idle tasks waited for the "
	  "resource", .idle = true, .width = 6, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 2 },
	  STALLED(struct pressure_raw, full_us) },
};
/* clang-format on */

const struct schema schema_pressure = {
	.name = "pressure",
	.help = "pressure stall information of cpu, memory and io",
	.row_size = sizeof(struct pressure_raw),
	.fields = pressure_fields,
	.n_fields = ARRAY_SIZE(pressure_fields),
};

/* --- a tunable: what the kernel says of it --- */

/* clang-format off */
static const struct field knob_fields[] = {
	{ "value", "value", "the value that the kernel reports",
	  .kind = FIELD_TEXT, .width = 12, .place = { [FIELD_ON_SCREEN] = 1 },
	  .gauge = GAUGE(struct knob_raw, value) },
	{ "choices", "choices",
	  "the values that the kernel offers; absent for numbers",
	  .kind = FIELD_TEXT, .width = 24, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct knob_raw, choices) },
	{ "original", "original",
	  "the value at the start; absent while unchanged", .kind = FIELD_TEXT,
	  .width = 12, .place = { [FIELD_ON_SCREEN] = 2 },
	  .gauge = GAUGE(struct knob_raw, original) },
	{ "no_effect", "no effect",
	  "why a change has no effect; absent when it has one",
	  .kind = FIELD_TEXT, .width = 24, .place = { [FIELD_ON_SCREEN] = 4 },
	  .gauge = GAUGE(struct knob_raw, no_effect) },
};
/* clang-format on */

const struct schema schema_knob = {
	.name = "knob",
	.help = "tunables of queues and of the host",
	.row_size = sizeof(struct knob_raw),
	.fields = knob_fields,
	.n_fields = ARRAY_SIZE(knob_fields),
	.gauges = true,
};

static const char *const groups[] = { "vm", "kernel" };

const char *schema_knob_group(size_t i)
{
	return i < ARRAY_SIZE(groups) ? groups[i] : NULL;
}

bool schema_knob_is_host(const char *name)
{
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (strlen(groups[i]) == n && !memcmp(groups[i], name, n))
			return true;
	return false;
}

/* --- a control group: rates from its cumulative files --- */

#define CGROUP(member, ...) \
	.of = schema_rate, \
	.arg = { .at = offsetof(struct cgroup_raw, member), __VA_ARGS__ }

#define KIB (1.0 / 1024)
#define MIB (1.0 / 1048576)

/* clang-format off */
static const struct field cgroup_fields[] = {
	{ "read_bytes_per_s", "rkB/s",
	  "bytes read from block devices per second (on the screen in KiB)",
	  .idle = true, .width = 10, .digits = 1, .scale = KIB,
	  .place = { [FIELD_ON_SCREEN] = 1 }, CGROUP(read_bytes) },
	{ "write_bytes_per_s", "wkB/s",
	  "bytes written to block devices per second (on the screen in KiB)",
	  .idle = true, .width = 10, .digits = 1, .scale = KIB,
	  .place = { [FIELD_ON_SCREEN] = 2 }, CGROUP(write_bytes) },
	{ "read_iops", "r/s", "reads per second", .idle = true, .width = 9,
	  .digits = 1, .place = { [FIELD_ON_SCREEN] = 3 }, CGROUP(reads) },
	{ "write_iops", "w/s", "writes per second", .idle = true, .width = 9,
	  .digits = 1, .place = { [FIELD_ON_SCREEN] = 4 }, CGROUP(writes) },
	{ "io_some_pct", "io some%",
	  "share of the time in which at least one task of the group waited "
	  "for I/O", .idle = true, .width = 8, .digits = 1,
	  .place = { [FIELD_ON_SCREEN] = 5 },
	  STALLED(struct cgroup_raw, some_us) },
	{ "io_full_pct", "full%",
	  "share of the time in which all non-idle tasks of the group waited "
	  "for I/O", .idle = true, .width = 6, .digits = 1,
	  .place = { [FIELD_ON_SCREEN] = 6 },
	  STALLED(struct cgroup_raw, full_us) },
	{ "memory_bytes", "MiB",
	  "memory in use, page cache included (on the screen in MiB)",
	  .width = 8, .digits = 1, .scale = MIB,
	  .place = { [FIELD_ON_SCREEN] = 7 },
	  .gauge = GAUGE(struct cgroup_raw, memory_bytes) },
	{ "cpu_pct", "%cpu", "CPU time, 100 is one processor", .idle = true,
	  .width = 6, .digits = 1, .place = { [FIELD_ON_SCREEN] = 8 },
	  CGROUP(cpu_us, .per = 1e4) },
	{ "tasks", "tasks", "processes and threads", .width = 6,
	  .place = { [FIELD_ON_SCREEN] = 9 },
	  .gauge = GAUGE(struct cgroup_raw, tasks) },
	{ "parent", "parent", "the group above", .kind = FIELD_TEXT, .width = 8,
	  .column = COLUMN_HIDDEN, .gauge = GAUGE(struct cgroup_raw, parent) },
	OWNER_FIELDS(struct cgroup_raw, "the group"),
};
/* clang-format on */

const struct schema schema_cgroup = {
	.name = "cgroup",
	.help = "control groups (cgroup v2): I/O, I/O pressure, memory, CPU",
	.row_size = sizeof(struct cgroup_raw),
	.born_zero = false,
	.fields = cgroup_fields,
	.n_fields = ARRAY_SIZE(cgroup_fields),
};

/* --- the program itself: what it costs --- */

static double schema_host_throttled_pct(const struct span *s)
{
	const struct self_raw *now = s->now, *prev = s->prev;

	if (!prev)
		return NAN;
	return fmax(now->throttled_ns - prev->throttled_ns, 0) / 1e7 /
	       s->seconds;
}

static double schema_host_trace_cpu_pct(const struct span *s)
{
	const struct self_raw *now = s->now, *prev = s->prev;

	return prev ? (now->trace_ns - prev->trace_ns) / 1e7 / s->seconds : NAN;
}

/* clang-format off */
static const struct field self_fields[] = {
	{ "cpu_pct", "%cpu",
	  "CPU time of the monitor itself, without the workers", .width = 6,
	  .digits = 2, .place = { [FIELD_IN_GRAPH] = 1 }, .of = schema_rate,
	  .arg = { .at = offsetof(struct self_raw, cpu_ns), .per = 1e7 } },
	{ "throttled_pct", "%throt",
	  "time for which the CPU limit of the control group held the "
	  "program's processors back, summed over these; absent without a "
	  "limit", .width = 6, .digits = 2,
	  .number = schema_host_throttled_pct },
	{ "frame_ns", "frame",
	  "time that the last tick took (on the screen in ms)", .width = 7,
	  .digits = 2, .scale = 1e-6, .place = { [FIELD_IN_GRAPH] = 2 },
	  .gauge = GAUGE(struct self_raw, frame_ns) },
	{ "late", "late", "ticks that came late since the start", .width = 5,
	  .gauge = GAUGE(struct self_raw, late) },
	{ "trace_ns_per_io", "ns/io",
	  "time that the programs of the trace take per request, as they "
	  "measure it in one of 256 of their runs", .width = 5,
	  .gauge = GAUGE(struct self_raw, trace_ns_per_io) },
	{ "trace_cpu_pct", "%trace", "CPU time of the programs of the trace",
	  .width = 6, .digits = 2, .number = schema_host_trace_cpu_pct },
	{ "trace_skipped", "skip",
	  "runs of the programs of the trace that the kernel left out since "
	  "the start (recursion_misses)", .width = 4,
	  .gauge = GAUGE(struct self_raw, trace_skipped) },
};
/* clang-format on */

const struct schema schema_self = {
	.name = "self",
	.help = "the program itself",
	.row_size = sizeof(struct self_raw),
	.single = true,
	.bare = true,
	.fields = self_fields,
	.n_fields = ARRAY_SIZE(self_fields),
};
