/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collector: one kernel source, one parser, one row of the table in collect.c.
 */
#ifndef COLLECT_COLLECTOR_H
#define COLLECT_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/root.h"
#include "collect/collect.h"

/*
 * Kept: kernel files that are opened once and read again at every tick, as far
 * as the limit on descriptors allows.
 *
 * Only files of a real procfs or sysfs are kept open: each read gives their
 * present state, or an error once their object is gone. Files of a captured
 * tree may be replaced by others, so they are opened each time.
 */

/* The state that all kept files share. */
struct kept_files {
	const struct root *root;
	bool live_proc, live_sys;
	unsigned open, limit; /* descriptors */
};

/*
 * Raise the soft limit on descriptors to the hard one, and plan to keep at
 * most half of those above 64, and no more than 1024: each costs the kernel
 * some KiB. The others are for jobs, logs, timers and the screen.
 */
void kept_init(struct kept_files *f, const struct root *root);

/* One file; start with KEPT_NONE. */
struct kept {
	int fd; /* -1: not open */
};

#define KEPT_NONE ((struct kept){ -1 })

/* Read a file that is open, as root_reread() does; -EBADF when it is not. */
ssize_t kept_again(const struct kept *k, char *buf, size_t size);

/* Open a file, read it, and keep it open if there is room. */
ssize_t kept_first(struct kept_files *f, struct kept *k, const char *path,
		   char *buf, size_t size);

/* kept_again(), and where that fails, kept_first(). */
ssize_t kept_read(struct kept_files *f, struct kept *k, const char *path,
		  char *buf, size_t size);

void kept_close(struct kept_files *f, struct kept *k);

/* A file of any length with its buffer. Zeroed but for path and file. */
struct kept_text {
	const char *path;
	struct kept file;
	char *buf;
	size_t size;
};

/* GCC 10 misreads KEPT_NONE within another initializer. */
#define KEPT_TEXT(name) \
	((struct kept_text){ .path = (name), .file = { .fd = -1 } })

/* Read all of it (64 MiB at most), ended with NUL. Its length or -errno. */
ssize_t kept_text_read(struct kept_files *f, struct kept_text *t);
void kept_text_close(struct kept_files *f, struct kept_text *t);

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
	LACK_SCHEDSTAT,
	LACK_CGROUP,
	LACK_VMSTAT,
	LACK_COUNT
};

/* The state that the collectors share. */
struct collector_env {
	struct kept_files files;
	const struct collect_options *options; /* only during open() */
	bool lacks[LACK_COUNT];
	/*
	 * Processes and threads made since boot, from /proc/stat; 0: not known.
	 * Sampled before the tasks.
	 */
	uint64_t forks;
	bool threads; /* threads get rows of their own */
	bool cgroups; /* control groups get rows */
	uint64_t look_ns; /* the least time between two scans of all
			     processes */
};

/*
 * open() makes the state (0, or -errno with a sentence and nothing to close),
 * sample() adds its rows, close() frees the state.
 */
struct collector {
	const char *name;
	int (*open)(struct collector_env *env, void **state);
	void (*sample)(void *state, struct sample *s);
	void (*close)(void *state);
};

/* diskstats also stamps the sample's times, next to its read. */
extern const struct collector collector_diskstats, collector_cgroups, collector_cpu,
	collector_memory, collector_pressure, collector_tasks;

#endif
