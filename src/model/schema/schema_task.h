/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process: its CPU time and I/O, the threads that have ended included.
 */
#ifndef MODEL_SCHEMA_TASK_H
#define MODEL_SCHEMA_TASK_H

#include "model/schema/schema.h"

/*
 * The owner of a process; RUN: iodyno itself and the processes that this run
 * started.
 */
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
	const char *cgroup;       /* path below the root of cgroups */
	const char *unit;         /* of systemd: "nginx.service" */
	const char *container;    /* "docker:0123456789ab" */
	const char *serves;       /* "loop4 /var/disk.img": the device that a
				   * kernel thread works for */
	char io_priority[8];      /* "be/4", "rt/0", "idle"; "" unknown */
	double age_s;             /* since it started; NaN unknown */
	uint64_t wait_ns; /* a thread has been in D for so long and never ran */
	char wchan[40];   /* the kernel function that it waits in; "" unknown */
	/* Counters at the first look at the process: totals count from here. */
	uint64_t met_read_bytes, met_write_bytes;
	/*
	 * Not every sample looks at processes. If so, step_ns is the time
	 * between the last two looks and step the usage in it; else step_ns is
	 * 0 and the counters count.
	 */
	uint64_t step_ns;
	struct task_use {
		uint64_t cpu_ns, read_bytes, write_bytes, delay_ns;
	} step;
	uint64_t cpu_ns;
	uint64_t read_bytes, write_bytes; /* that it caused on block devices */
	uint64_t delay_ns; /* waiting for block I/O; needs task_delayacct */
};

extern const struct schema schema_task;

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

#endif
