/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The raw rows of the machine: block devices, the host, processes, and the
 * program itself.
 */
#pragma once

#include <stdbool.h>

#include "model/schema/schema.h"

struct device_trace;
struct trace_owner;

/* A block device: the counters of /proc/diskstats and what sysfs adds. */

enum device_op { DEVICE_READ, DEVICE_WRITE, DEVICE_DISCARD, DEVICE_OPS };

/*
 * As the kernel prints them: sectors of 512 bytes, times in ms modulo 2^32
 * (Documentation/admin-guide/iostats.rst). The generation is diskseq.
 */
struct device_raw {
	struct row_key key;
	uint64_t ios[DEVICE_OPS], merges[DEVICE_OPS], sectors[DEVICE_OPS],
		ms[DEVICE_OPS];
	uint64_t flush_ios, flush_ms;
	uint64_t answers, late_answers; /* of a simulated disk */
	uint64_t queue_depth; /* stat field 9 */
	uint64_t busy_ms;     /* field 10 */
	uint64_t weighted_ms; /* field 11 */
	unsigned columns;     /* values after the name: 11, 15, 17 or more */
	bool stats_off;	      /* queue/iostats is 0: the counters do not advance
			       */
	int64_t in_flight_read, in_flight_write; /* in the driver; -1 unknown */
	bool active; /* something completed since the sample before */
	uint64_t stall_ns; /* how long nothing completed with I/O in flight */
	char kind[12];	   /* disk part dm md loop zram ram rom nvme-path */
	char parent[32];   /* the device it is shown under; "" at the top */
	/* What it is built on, blank-separated; TEXT_CUT: more. NULL: nothing. */
	const char *members;
	unsigned tree; /* another number: members, a text in place, may differ */
	char member_of[40]; /* the btrfs on it: "btrfs:LABEL", or "" */
	uint64_t errors; /* that the kernel counted lately: requests that failed,
			    errors of an ext4 */
	char mount_point[128]; /* of its file system, "[SWAP]" of a swap area;
				  no control characters */
	char file_system[24];  /* "ext4" */
	/* Of its file system, in bytes, % and s; NaN: not known. */
	double fs_size, fs_free, fs_used_pct, fs_inodes_pct, fs_full_in_s;
	int64_t fs_read_only;     /* 1: mounted read-only; -1: not mounted */
	unsigned missing_members; /* of a RAID, or paths */
	bool turned_read_only;    /* it, or its file system, was writable */
	/* In degrees Celsius, and the limits that the disk itself sets; NaN:
	 * not known. */
	double temperature_c, temperature_max_c, temperature_crit_c;
	bool counted;	   /* belongs to totals: I/O is counted once */
	/* filled by the knob room; "" and -1 where the device has none */
	char scheduler[24];
	int64_t read_ahead_kb;
	/* The values at the start; "" and -1 while unchanged. */
	char scheduler_was[24];
	int64_t read_ahead_was_kb;
	bool simulated;
	unsigned major, minor;
	const struct device_trace *trace; /* NULL: not traced */
	const char *trace_lack; /* what the trace does not know of it, or NULL */
};

extern const struct schema schema_device;

struct row;
/*
 * Whether a device did nothing in the interval of the frame and has nothing
 * queued.
 */
bool schema_device_idle(const struct row *row);

/* A processor, or all of them: the times of /proc/stat. */

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
	/* Only in the row of all processors; NaN, -1: unknown. */
	double load_1m;
	int64_t running, blocked;
};

extern const struct schema schema_cpu;

/* Memory and writeback: /proc/meminfo and /proc/vmstat. */

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

/* Pressure stall information: /proc/pressure/{cpu,memory,io}. */

/* id is "cpu", "memory" or "io". Totals in us; full is UINT64_MAX if absent. */
struct pressure_raw {
	struct row_key key;
	uint64_t some_us, full_us;
};

extern const struct schema schema_pressure;

/* A tunable of a queue or of the host, and its value at an instant. */

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
 * The requests of a process or control group, up to the last look at it and up
 * to the look before. They belong to the collector until it takes the next
 * sample; NULL: none were traced.
 */
struct owner_trace {
	const struct trace_owner *now, *was;
};

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
	struct owner_trace trace;
};

extern const struct schema schema_cgroup;

/* A mounted network file system: the counters of its client. */
enum mount_ops { MOUNT_READ, MOUNT_WRITE, MOUNT_OTHER, MOUNT_OPS };

struct mount_raw {
	struct row_key key; /* the id is the mount point */
	char source[128], type[16];
	uint64_t read_bytes, write_bytes; /* from and to the server */
	uint64_t sent, received;          /* requests, answers */
	uint64_t retransmits, timeouts;
	uint64_t stall_ns; /* nothing was answered while requests waited */
	struct mount_op {
		uint64_t ops, queue_ms, rtt_ms, execute_ms;
	} op[MOUNT_OPS];
};

extern const struct schema schema_mount;

/* The program itself: what it costs. */

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
	/* Of the trace: per request, and of all requests since the start; NaN: no
	 * trace. */
	double trace_ns_per_io, trace_ns;
	double trace_skipped; /* runs of its programs, by the kernel */
};

extern const struct schema schema_self;

/* A process: its CPU time and I/O, the threads that have ended included. */

/*
 * The owner of a process; RUN: iodyno itself and the processes that this run
 * started.
 */
/* The state of a row that sums processes which ended. */
#define TASK_ENDED 'X'

enum task_owner { TASK_OWNER_UNKNOWN, TASK_OWNER_OTHER, TASK_OWNER_RUN };

/*
 * id is the pid, of a thread PID/TID; the generation is its start time. The
 * counters are sums over its threads that never go backwards; children that it
 * reaped are not in them.
 *
 * The texts that are pointers belong to the collector and live until it takes
 * the next sample; NULL is unknown. They hold no control characters.
 */
struct task_raw {
	struct row_key key;
	char comm[64];
	char state;             /* as in /proc/PID/stat: R S D Z T I ... */
	bool kernel;            /* a kernel thread */
	bool has_io, has_delay; /* the kernel provides these */
	unsigned threads;
	unsigned uid;
	char user[32];  /* "" when /etc/passwd has no such uid */
	char process[12]; /* pid, of a row that is a thread; else "" */
	int group;      /* of a kernel thread, see schema_task_group(); else -1 */
	unsigned parent; /* its pid; 0: none */
	char owner;      /* enum task_owner */
	const char *command_line; /* arguments, blank-separated, cut to fit */
	const char *arguments;    /* see schema_task_arguments(); NULL: none */
	const char *cgroup;       /* path below the root of cgroups */
	const char *unit;         /* of systemd: "nginx.service" */
	const char *container;    /* "docker:0123456789ab" */
	const char *serves;       /* "loop4 /var/disk.img": the device that a
				   * kernel thread works for */
	char io_priority[8];      /* "be/4", "rt/0", "idle"; "" unknown */
	uint64_t wait_ns; /* a thread has been in D for so long and never ran */
	char wchan[40];   /* the kernel function that it waits in; "" unknown */
	const char *io_limit;     /* of its control group, while it is in D */
	/* Counters at the first look at the process: totals count from here. */
	uint64_t met_read_bytes, met_write_bytes;
	/*
	 * Not every sample looks at processes. If so, step_ns is the time
	 * between the last two looks and step the usage in it; else step_ns is
	 * 0 and the counters count.
	 */
	struct task_use {
		uint64_t cpu_ns, read_bytes, write_bytes, delay_ns;
		uint64_t run_delay_ns, major_faults;
	} step;
	uint64_t cpu_ns;
	uint64_t read_bytes, write_bytes; /* that it caused on block devices */
	uint64_t delay_ns; /* waiting for block I/O; needs task_delayacct */
	bool has_run_delay;
	uint64_t run_delay_ns; /* runnable, waiting for a processor */
	uint64_t major_faults;
	int64_t rss_bytes, shared_bytes, swap_bytes; /* -1 unknown */
	struct owner_trace trace;
	/* These pass although nothing happens: as .still_size of the schema. */
	double age_s; /* since it started; NaN unknown */
	uint64_t step_ns;
};

extern const struct schema schema_task;

/*
 * The arguments in a command line: what stands behind its first blank; NULL: none.
 * A log has the command line only. NULL has none. Borrowed.
 */
const char *schema_task_arguments(const char *command_line);
/*
 * The purpose of a kernel thread, by its name: an index for the field "group",
 * whose last one is "other". The end of a worker's name, its latest work
 * (kworker/u8:1-flush-254:0), decides.
 */
int schema_task_group(const char *comm);
/*
 * The same for a thread whose group was before (-1: none); the thread had a
 * name of that group before_s seconds ago. An idle worker stays in its group. A
 * worker that served a loop device stays in that group for a minute under any
 * name: the kernel often gives it other work, but counts bytes for it only in
 * the service of the loop device. Writeback counts for the process that made
 * the pages dirty (task_io_account_write() in mm/page-writeback.c).
 */
int schema_task_group_kept(const char *comm, int before, double before_s);

/* A host of a fleet, or the sums of all (parent NULL). */
struct fleet_raw {
	struct row_key key;
	const char *phase, *note, *parent; /* NULL: absent */
	double iops, bytes_per_s, p99_ns, await_ns, util_pct, alarms, age_s;
};

extern const struct schema schema_fleet;
