/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task memory: what a process holds in memory and in swap.
 *
 * statm is cheap: the kernel keeps these counters. VmSwap of status is one of 60
 * lines that the kernel formats, so it is read only while the machine uses swap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/task.h"

#define PATH_SIZE    64
#define STATUS_BYTES 4096

bool task_memory_parse(const char *text, uint64_t page, struct task_memory *m)
{
	unsigned long long size, rss, shared;

	if (sscanf(text, "%llu %llu %llu", &size, &rss, &shared) != 3 ||
	    rss > INT64_MAX / page || shared > INT64_MAX / page)
		return false;
	m->rss = (int64_t)(rss * page);
	m->shared = (int64_t)(shared * page);
	return true;
}

static int64_t task_memory_swap(struct task_env *e, const struct process *p)
{
	char path[PATH_SIZE], buf[STATUS_BYTES], *at;

	snprintf(path, sizeof(path), "proc/%d/status", p->pid);
	if (root_read(e->env->files.root, path, buf, sizeof(buf)) <= 0)
		return -1;
	at = strstr(buf, "\nVmSwap:");
	return at ? (int64_t)(strtoull(at + 8, NULL, 10) * 1024) : -1;
}

void task_memory_read(struct task_env *e, struct process *p)
{
	char path[PATH_SIZE], buf[128];

	if (p->kernel)
		return;
	snprintf(path, sizeof(path), "proc/%d/statm", p->pid);
	if (root_kept_read(&e->env->files, &p->statm, path, buf, sizeof(buf)) <=
		    0 ||
	    !task_memory_parse(buf, (uint64_t)sysconf(_SC_PAGESIZE),
			       &p->memory))
		p->memory.rss = p->memory.shared = -1;
	p->memory.swap = e->env->swap_used ? task_memory_swap(e, p) : 0;
}
