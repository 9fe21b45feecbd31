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

/* A processor: shares of its time, which add up to 100. */

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
	{ .key = "user_pct", .title = "%user", .idle = true,
	  .help = "time in programs, not niced (guests included)",
	  .width = 7, .digits = 1, .place = { [FIELD_IN_GRAPH] = 1 },
	  SHARE(CPU_USER, CPU_USER) },
	{ .key = "nice_pct", .title = "%nice", .idle = true,
	  .help = "time in niced programs",
	  .width = 7, .digits = 1,
	  SHARE(CPU_NICE, CPU_NICE) },
	{ .key = "system_pct", .title = "%system", .idle = true,
	  .help = "time in the kernel",
	  .width = 7, .digits = 1, .place = { [FIELD_IN_GRAPH] = 2 },
	  SHARE(CPU_SYSTEM, CPU_SYSTEM) },
	{ .key = "iowait_pct", .title = "%iowait", .idle = true,
	  .help = "idle time with a task waiting for I/O; a kind of idle, "
		  "unreliable per CPU",
	  .width = 7, .digits = 1, .place = { [FIELD_IN_GRAPH] = 3 },
	  SHARE(CPU_IOWAIT, CPU_IOWAIT) },
	{ .key = "irq_pct", .title = "%irq", .idle = true,
	  .help = "time in hard and soft interrupts",
	  .width = 7, .digits = 1, .place = { [FIELD_IN_GRAPH] = 4 },
	  SHARE(CPU_IRQ, CPU_SOFTIRQ) },
	{ .key = "steal_pct", .title = "%steal", .idle = true,
	  .help = "time that the hypervisor gave to others",
	  .width = 7, .digits = 1, .place = { [FIELD_IN_GRAPH] = 5 },
	  SHARE(CPU_STEAL, CPU_STEAL) },
	{ .key = "idle_pct", .title = "%idle",
	  .help = "idle time without a task waiting for I/O",
	  .width = 7, .digits = 1, .place = { [FIELD_IN_GRAPH] = 6 },
	  SHARE(CPU_IDLE, CPU_IDLE) },
	{ .key = "tasks_running", .title = "run",
	  .help = "tasks that run or wait for a processor (of all processors)",
	  .width = 5, .gauge = GAUGE(struct cpu_raw, running) },
	{ .key = "tasks_blocked", .title = "D",
	  .help = "tasks that wait for I/O, in state D (of all processors)",
	  .width = 5, .gauge = GAUGE(struct cpu_raw, blocked) },
	{ .key = "load_1m", .title = "load",
	  .help = "load average of one minute (of all processors)",
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

/* Memory and writeback: gauges in bytes, and rates. */

#define RATE(which) \
	.of = schema_rate, \
	.arg = { .at = offsetof(struct memory_raw, counter[which]) }

#define MIB (1.0 / 1048576)
#define KIB (1.0 / 1024)

/* clang-format off */
static const struct field memory_fields[] = {
	{ .key = "total_bytes", .title = "total",
	  .help = "memory in all (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_TOTAL_BYTES]) },
	{ .key = "available_bytes", .title = "avail",
	  .help = "memory available to programs (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_AVAILABLE_BYTES]) },
	{ .key = "cached_bytes", .title = "cached",
	  .help = "page cache (on the screen in MiB)",
	  .width = 9, .scale = MIB, .place = { [FIELD_IN_GRAPH] = 3 },
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_CACHED_BYTES]) },
	{ .key = "dirty_bytes", .title = "dirty",
	  .help = "page cache that waits to be written (on the screen in MiB)",
	  .width = 9, .scale = MIB, .place = { [FIELD_IN_GRAPH] = 1 },
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_DIRTY_BYTES]) },
	{ .key = "writeback_bytes", .title = "writeback",
	  .help = "page cache on its way to a device (on the screen in MiB)",
	  .width = 9, .scale = MIB, .place = { [FIELD_IN_GRAPH] = 2 },
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_WRITEBACK_BYTES]) },
	{ .key = "dirty_limit_bytes", .title = "dirty-lim",
	  .help = "dirty limit: from here on writers must wait (on the screen "
		  "in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_DIRTY_LIMIT_BYTES]) },
	{ .key = "dirty_background_bytes", .title = "dirty-bg",
	  .help = "dirty bytes at which writing back starts (on the screen "
		  "in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_DIRTY_BACKGROUND_BYTES]) },
	{ .key = "swap_used_bytes", .title = "swap",
	  .help = "swap in use (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_SWAP_USED_BYTES]) },
	{ .key = "pgpgin_bytes_per_s", .title = "pgpgin/s", .idle = true,
	  .help = "bytes read from block devices per second (on the screen "
		  "in KiB)",
	  .width = 10, .scale = KIB,
	  RATE(MEMORY_PGPGIN_BYTES_PER_S) },
	{ .key = "pgpgout_bytes_per_s", .title = "pgpgout/s", .idle = true,
	  .help = "bytes written to block devices per second (on the screen "
		  "in KiB)",
	  .width = 10, .scale = KIB,
	  RATE(MEMORY_PGPGOUT_BYTES_PER_S) },
	{ .key = "dirtied_bytes_per_s", .title = "dirtied/s", .idle = true,
	  .help = "bytes of page cache made dirty per second (on the screen "
		  "in KiB)",
	  .width = 10, .scale = KIB,
	  RATE(MEMORY_DIRTIED_BYTES_PER_S) },
	{ .key = "written_bytes_per_s", .title = "written/s", .idle = true,
	  .help = "bytes of page cache written back per second (on the "
		  "screen in KiB)",
	  .width = 10, .scale = KIB,
	  RATE(MEMORY_WRITTEN_BYTES_PER_S) },
	{ .key = "kswapd_scan_per_s", .title = "kswapd/s", .idle = true,
	  .help = "pages that kswapd scanned per second, to free some",
	  .width = 10,
	  RATE(MEMORY_KSWAPD_SCAN_PER_S) },
	{ .key = "direct_scan_per_s", .title = "direct/s", .idle = true,
	  .help = "pages that programs themselves scanned per second, to get "
		  "free ones",
	  .width = 10,
	  RATE(MEMORY_DIRECT_SCAN_PER_S) },
	{ .key = "major_fault_per_s", .title = "majflt/s", .idle = true,
	  .help = "page faults that needed I/O per second",
	  .width = 10,
	  RATE(MEMORY_MAJOR_FAULT_PER_S) },
	{ .key = "refault_per_s", .title = "refault/s", .idle = true,
	  .help = "file pages per second that were needed again soon after "
		  "they were dropped",
	  .width = 10,
	  RATE(MEMORY_REFAULT_PER_S) },
	{ .key = "swap_in_bytes_per_s", .title = "swap-in/s", .idle = true,
	  .help = "bytes that came back from swap per second (on the screen "
		  "in KiB)",
	  .width = 10, .scale = KIB,
	  RATE(MEMORY_SWAP_IN_BYTES_PER_S) },
	{ .key = "swap_out_bytes_per_s", .title = "swap-out/s", .idle = true,
	  .help = "bytes that went to swap per second (on the screen in KiB)",
	  .width = 10, .scale = KIB,
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

/* Pressure: the share of the interval in which tasks were stalled. */

/* Microseconds of stalls. The file is read shortly after the interval's limits:
 * at most 100 %. */
#define STALLED(raw, member) \
	.of = schema_rate, \
	.arg = { .at = offsetof(raw, member), .per = 1e4, .most = 100 }

/* clang-format off */
static const struct field pressure_fields[] = {
	{ .key = "some_pct", .title = "some%", .idle = true,
	  .help = "share of the time in which at least one task waited for the "
		  "resource",
	  .width = 6, .digits = 1, .place = { [FIELD_IN_GRAPH] = 1 },
	  STALLED(struct pressure_raw, some_us) },
	{ .key = "full_pct", .title = "full%", .idle = true,
	  .help = "share of the time in which all non-idle tasks waited for "
		  "the resource",
	  .width = 6, .digits = 1, .place = { [FIELD_IN_GRAPH] = 2 },
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

/* A tunable: what the kernel says of it. */

/* clang-format off */
static const struct field knob_fields[] = {
	{ .key = "value", .title = "value",
	  .help = "the value that the kernel reports",
	  .kind = FIELD_TEXT, .width = 12, .place = { [FIELD_ON_SCREEN] = 1 },
	  .gauge = GAUGE(struct knob_raw, value) },
	{ .key = "choices", .title = "choices",
	  .help = "the values that the kernel offers; absent for numbers",
	  .kind = FIELD_TEXT, .width = 24, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct knob_raw, choices) },
	{ .key = "original", .title = "original",
	  .help = "the value at the start; absent while unchanged",
	  .kind = FIELD_TEXT, .width = 12, .place = { [FIELD_ON_SCREEN] = 2 },
	  .gauge = GAUGE(struct knob_raw, original) },
	{ .key = "no_effect", .title = "no effect",
	  .help = "why a change has no effect; absent when it has "
		  "one",
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

/* A control group: rates from its cumulative files. */

#define CGROUP(member, ...) \
	.of = schema_rate, \
	.arg = { .at = offsetof(struct cgroup_raw, member), __VA_ARGS__ }

#define KIB (1.0 / 1024)
#define MIB (1.0 / 1048576)

/* clang-format off */
static const struct field cgroup_fields[] = {
	{ .key = "read_bytes_per_s", .title = "rkB/s", .idle = true,
	  .help = "bytes read from block devices per second (on the screen in "
		  "KiB)",
	  .width = 10, .digits = 1, .scale = KIB,
	  .place = { [FIELD_ON_SCREEN] = 1 },
	  CGROUP(read_bytes) },
	{ .key = "write_bytes_per_s", .title = "wkB/s", .idle = true,
	  .help = "bytes written to block devices per second (on the screen "
		  "in KiB)",
	  .width = 10, .digits = 1, .scale = KIB,
	  .place = { [FIELD_ON_SCREEN] = 2 },
	  CGROUP(write_bytes) },
	{ .key = "read_iops", .title = "r/s", .idle = true,
	  .help = "reads per second",
	  .width = 9, .digits = 1, .place = { [FIELD_ON_SCREEN] = 3 },
	  CGROUP(reads) },
	{ .key = "write_iops", .title = "w/s", .idle = true,
	  .help = "writes per second",
	  .width = 9, .digits = 1, .place = { [FIELD_ON_SCREEN] = 4 },
	  CGROUP(writes) },
	{ .key = "io_some_pct", .title = "io some%", .idle = true,
	  .help = "share of the time in which at least one task of the group "
		  "waited for I/O",
	  .width = 8, .digits = 1, .place = { [FIELD_ON_SCREEN] = 5 },
	  STALLED(struct cgroup_raw, some_us) },
	{ .key = "io_full_pct", .title = "full%", .idle = true,
	  .help = "share of the time in which all non-idle tasks of the group "
		  "waited for I/O",
	  .width = 6, .digits = 1, .place = { [FIELD_ON_SCREEN] = 6 },
	  STALLED(struct cgroup_raw, full_us) },
	{ .key = "memory_bytes", .title = "MiB",
	  .help = "memory in use, page cache included (on the screen in MiB)",
	  .width = 8, .digits = 1, .scale = MIB,
	  .place = { [FIELD_ON_SCREEN] = 7 },
	  .gauge = GAUGE(struct cgroup_raw, memory_bytes) },
	{ .key = "cpu_pct", .title = "%cpu", .idle = true,
	  .help = "CPU time, 100 is one processor",
	  .width = 6, .digits = 1, .place = { [FIELD_ON_SCREEN] = 8 },
	  CGROUP(cpu_us, .per = 1e4) },
	{ .key = "tasks", .title = "tasks",
	  .help = "processes and threads",
	  .width = 6, .place = { [FIELD_ON_SCREEN] = 9 },
	  .gauge = GAUGE(struct cgroup_raw, tasks) },
	{ .key = "parent", .title = "parent",
	  .help = "the group above",
	  .kind = FIELD_TEXT, .width = 8, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct cgroup_raw, parent) },
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

/* The program itself: what it costs. */

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
	{ .key = "cpu_pct", .title = "%cpu",
	  .help = "CPU time of the monitor itself, without the workers",
	  .width = 6, .digits = 2, .place = { [FIELD_IN_GRAPH] = 1 },
	  .of = schema_rate,
	  .arg = { .at = offsetof(struct self_raw, cpu_ns), .per = 1e7 } },
	{ .key = "throttled_pct", .title = "%throt",
	  .help = "time for which the CPU limit of the control group held the "
		  "program's processors back, summed over these; absent without "
		  "a limit",
	  .width = 6, .digits = 2, .number = schema_host_throttled_pct },
	{ .key = "frame_ns", .title = "frame",
	  .help = "time that the last tick took (on the screen in ms)",
	  .width = 7, .digits = 2, .scale = 1e-6,
	  .place = { [FIELD_IN_GRAPH] = 2 },
	  .gauge = GAUGE(struct self_raw, frame_ns) },
	{ .key = "late", .title = "late",
	  .help = "ticks that came late since the start",
	  .width = 5, .gauge = GAUGE(struct self_raw, late) },
	{ .key = "trace_ns_per_io", .title = "ns/io",
	  .help = "time that the programs of the trace take per request, as "
		  "they measure it in one of 256 of their runs",
	  .width = 5, .gauge = GAUGE(struct self_raw, trace_ns_per_io) },
	{ .key = "trace_cpu_pct", .title = "%trace",
	  .help = "CPU time of the programs of the trace",
	  .width = 6, .digits = 2, .number = schema_host_trace_cpu_pct },
	{ .key = "trace_skipped", .title = "skip",
	  .help = "runs of the programs of the trace that the kernel left out "
		  "since the start (recursion_misses)",
	  .width = 4, .gauge = GAUGE(struct self_raw, trace_skipped) },
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
