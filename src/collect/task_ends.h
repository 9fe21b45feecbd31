/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task ends: the last counters of each task that ends, as the kernel sends them
 * (Documentation/accounting/taskstats.rst). A look at /proc does not find what a
 * process did between the last look and its end, nor one that lived between two
 * looks: a loop of dd.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct task_ends;

/* A task that ended, with its counters since its start. */
struct task_end {
	pid_t pid, tid; /* of the process, of the task */
	pid_t parent;
	unsigned uid;
	char comm[32];
	uint64_t cpu_ns, read_bytes, write_bytes;
};

/*
 * From now on the kernel sends the ends of all tasks. NULL: it has no taskstats,
 * or refuses them (CAP_NET_ADMIN, a container). To be freed by
 * task_ends_close(), which takes NULL.
 */
struct task_ends *task_ends_open(void);
void task_ends_close(struct task_ends *x);

/*
 * The next task that ended; false: none is left. It never waits. Ends that the
 * kernel had no room for are lost.
 */
bool task_ends_next(struct task_ends *x, struct task_end *end);

/*
 * Parse one message of the kernel of that many bytes, aligned as a struct
 * nlmsghdr; false: it is not the end of a task.
 */
bool task_ends_parse(const void *message, size_t bytes, struct task_end *end);
