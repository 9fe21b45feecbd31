/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host: processors, memory, pressure, tunables, control groups, and the
 * program itself.
 */
#ifndef MODEL_SCHEMA_SCHEMA_HOST_H
#define MODEL_SCHEMA_SCHEMA_HOST_H

#include <stdbool.h>

#include "model/schema/schema.h"

/*
 * A processor, or all of them: the times of /proc/stat.
 */

/* In the order of /proc/stat; the unit (1/USER_HZ s) cancels out. */
enum cpu_time {
	CPU_USER,
	CPU_NICE,
	CPU_SYSTEM,
	CPU_IDLE,
	CPU_IOWAIT,
	CPU_IRQ,
	CPU_SOFTIRQ,
	CPU_STEAL,
	CPU_TIMES
};

/* id is "all", "0", "1", ... */
struct cpu_raw {
	struct row_key key;
	uint64_t time[CPU_TIMES];
	/*
	 * Only in the row of all processors; told: running and blocked are
	 * known.
	 */
	bool told;
	double load_1m; /* NaN: unknown */
	uint64_t running, blocked;
};

extern const struct schema schema_cpu;

/*
 * Memory and writeback: /proc/meminfo and /proc/vmstat.
 */

/* Gauges in bytes; NaN where the kernel has none. */
enum memory_gauge {
	MEMORY_TOTAL_BYTES,
	MEMORY_AVAILABLE_BYTES,
	MEMORY_CACHED_BYTES,
	MEMORY_DIRTY_BYTES,
	MEMORY_WRITEBACK_BYTES,
	MEMORY_DIRTY_LIMIT_BYTES,
	MEMORY_DIRTY_BACKGROUND_BYTES,
	MEMORY_SWAP_USED_BYTES,
	MEMORY_GAUGES
};

/* Counters, in bytes or pages as their field says. */
enum memory_counter {
	MEMORY_PGPGIN_BYTES_PER_S,
	MEMORY_PGPGOUT_BYTES_PER_S,
	MEMORY_DIRTIED_BYTES_PER_S,
	MEMORY_WRITTEN_BYTES_PER_S,
	MEMORY_KSWAPD_SCAN_PER_S,
	MEMORY_DIRECT_SCAN_PER_S,
	MEMORY_MAJOR_FAULT_PER_S,
	MEMORY_REFAULT_PER_S,
	MEMORY_SWAP_IN_BYTES_PER_S,
	MEMORY_SWAP_OUT_BYTES_PER_S,
	MEMORY_COUNTERS
};

struct memory_raw {
	struct row_key key;
	double gauge[MEMORY_GAUGES];
	uint64_t counter[MEMORY_COUNTERS]; /* UINT64_MAX: absent */
};

extern const struct schema schema_memory;

/*
 * Pressure stall information: /proc/pressure/{cpu,memory,io}.
 */

/* id is "cpu", "memory" or "io". Totals in us; full is UINT64_MAX if absent. */
struct pressure_raw {
	struct row_key key;
	uint64_t some_us, full_us;
};

extern const struct schema schema_pressure;

/*
 * A tunable of a queue or of the host, and its value at an instant.
 */

/*
 * id is DEVICE.KNOB ("vda.scheduler", "vda.iosched.fifo_batch") or GROUP.KNOB
 * of a group of the host's knobs ("vm.dirty_ratio", "kernel.task_delayacct").
 * The texts live in the sample's arena. choices is NULL for a number, else what
 * the kernel offers, blank-separated. original is NULL while the value is what
 * it was at the start; no_effect is NULL while a turn has an effect.
 */
struct knob_raw {
	struct row_key key;
	const char *value;
	const char *choices;
	const char *original;
	const char *no_effect;
};

extern const struct schema schema_knob;

/*
 * The groups of the host's knobs; NULL after the last. In the header of a log
 * the knobs of the first one stand without its name.
 */
const char *schema_knob_group(size_t i);

/* "vm" or "vm.dirty_ratio": a knob of the host, not of a device. */
bool schema_knob_is_host(const char *name);

/*
 * A control group of cgroup v2: its I/O, pressure, memory and CPU, those of the
 * groups below included.
 */

/*
 * id is the path below the root of control groups without the first "/", cut in
 * front where it is too long; the generation is the inode. Counters and gauges
 * are UINT64_MAX and -1 where the group has no such file (its controller is
 * off). Files and units: Documentation/admin-guide/cgroup-v2.rst.
 */
struct cgroup_raw {
	struct row_key key;
	char parent[ROW_ID_MAX];                         /* id; "" at the top */
	uint64_t read_bytes, write_bytes, reads, writes; /* io.stat */
	uint64_t some_us, full_us;                       /* io.pressure */
	uint64_t cpu_us;                                 /* cpu.stat */
	int64_t memory_bytes;                            /* memory.current */
	int64_t tasks;                                   /* pids.current */
};

extern const struct schema schema_cgroup;

/*
 * The program itself: what it costs.
 */

struct self_raw {
	struct row_key key;
	uint64_t cpu_ns;   /* of all but the workers and the helper processes */
	uint64_t frame_ns; /* the last tick: sample, derive, log and draw */
	/*
	 * The time for which a CPU limit held the processors back, summed; NaN:
	 * no limit.
	 */
	double throttled_ns;
	uint64_t late; /* ticks that came late, since the start */
};

extern const struct schema schema_self;

#endif
