/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collector: one kernel source, one parser, one row of the table in collect.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/root.h"
#include "collect/collect.h"

/* Files that several collectors read. */
#define COLLECT_DISKSTATS "proc/diskstats"
#define COLLECT_STAT	  "proc/stat"
#define COLLECT_LOADAVG	  "proc/loadavg"
#define COLLECT_MEMINFO	  "proc/meminfo"

/*
 * Data that the kernel or missing rights withhold; collect.c has a sentence for
 * each.
 */
enum collect_lack {
	LACK_DISKSTATS,
	LACK_SYSFS,
	LACK_PSI,
	LACK_TASK_IO,        /* the kernel has no /proc/PID/io */
	LACK_TASK_IO_RIGHTS, /* the kernel has it, but not for this user */
	LACK_TASK_DELAY,
	LACK_TASK_ENDS,
	LACK_SCHEDSTAT,
	LACK_CGROUP,
	LACK_CGROUP_IO,
	LACK_VMSTAT,
	LACK_TRACE_RIGHT, /* as enum trace_refusal */
	LACK_TRACE_LOCKDOWN,
	LACK_TRACE_CONTAINER,
	LACK_TRACE_BTF,
	LACK_TRACE_LIBRARY,
	LACK_TRACE_BUILD,
	LACK_TRACE_VERIFIER,
	LACK_TRACE_DIED,
	LACK_TRACE_NAMES,
	LACK_TRACE_CALLS,
	LACK_TRACE_BIOS,
	LACK_TRACE_ROOM,
	LACK_TRACE_PATHS,
	LACK_COUNT
};

/* The state that the collectors share. */
struct collector_env {
	struct kept_files files;
	const struct collect_options *options; /* only during open() */
	bool lacks[LACK_COUNT];
	char jobs[ROW_NAMES_MAX]; /* the devices of jobs, see collect_jobs() */
	/*
	 * Processes and threads made since boot, from /proc/stat; 0: not known.
	 * Sampled before the tasks.
	 */
	uint64_t forks;
	unsigned mounts; /* how often the lists of mounts changed */
	pid_t last_pid; /* from /proc/loadavg; 0: not known */
	/* The machine has pages in swap. Sampled before the tasks. */
	bool swap_used;
	bool threads; /* threads get rows of their own */
	bool cgroups; /* control groups get rows */
	uint64_t look_ns; /* the least time between two scans of all
			     processes */
	bool look_now;    /* scan them in the next sample in any case */
};

/*
 * open() fills the zeroed state of that size (0, or -errno with a sentence),
 * sample() adds its rows, close() frees what the state holds, after a failed open()
 * as well.
 */
struct collector {
	size_t size;
	int (*open)(struct collector_env *env, void *state);
	void (*sample)(void *state, struct sample *s);
	void (*close)(void *state);
};

/* The total in the line of a text of PSI that starts with the word ("some ");
 * UINT64_MAX: absent. */
uint64_t collect_pressure_total(const char *text, const char *word);

/* diskstats also stamps the sample's times, next to its read. */
extern const struct collector collector_diskstats, collector_cgroups, collector_cpu,
	collector_memory, collector_mounts, collector_pressure, collector_tasks, collector_trace;
