/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trace: the start of the loader, and the memory that it hands over. */
#include "collect/trace.h"

#include <linux/bpf.h>
#include <linux/capability.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/role.h"
#include "base/text.h"

/* How long the end waits for the loader. */
#define END_MS 100
/* The first namespace of processes: include/linux/proc_ns.h. */
#define FIRST_PIDS 0xeffffffcu

static void trace_init(struct trace *t)
{
	memset(t, 0, sizeof(*t));
	t->socket = t->tasks = -1;
	for (int i = 0; i < TRACE_MAPS; i++)
		t->map[i] = -1;
}

bool trace_may(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(__NR_capget, &head, data) < 0)
		return false;
	return data[CAP_BPF / 32].permitted & 1u << CAP_BPF % 32 &&
	       data[CAP_PERFMON / 32].permitted & 1u << CAP_PERFMON % 32;
}

#ifndef HAVE_BPF
void trace_load_prepare(void *arg)
{
}

void trace_load_serve(int socket, void *arg)
{
}
#endif

static bool trace_sees_other_pids(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino != FIRST_PIDS;
}

void trace_start(struct trace *t, const struct trace_wish *wish)
{
	struct trace_wish own = *wish;
	const struct role_start start = {
		.role = ROLE_TRACE,
		.prepare = trace_load_prepare,
		.serve = trace_load_serve,
		.arg = &own,
	};

	trace_init(t);
	t->slower_ns = wish->slower_ns;
	t->bios = wish->bios;
#ifndef HAVE_BPF
	t->refusal = TRACE_NOT_BUILT;
	return;
#endif
	t->may = trace_may();
	t->other_pids = trace_sees_other_pids();
	t->pid = role_start(&start, &t->socket);
	if (t->pid < 0)
		t->refusal = TRACE_DIED;
}

static void trace_close_tasks(struct trace *t)
{
	if (t->tasks >= 0)
		close(t->tasks);
	t->tasks = -1;
}

static void trace_unmap(struct trace *t)
{
	trace_close_tasks(t);
	free(t->task);
	t->task = NULL;
	t->tasks_size = 0;
	for (size_t i = 0; i < t->n_links; i++)
		close(t->link[i]);
	t->n_links = 0;
	for (int i = 0; i < TRACE_MAPS; i++) {
		if (t->memory[i])
			munmap(t->memory[i], t->size[i]);
		t->memory[i] = NULL;
		if (t->map[i] >= 0)
			close(t->map[i]);
		t->map[i] = -1;
	}
}

/* The loader has ended, with a trace or without. */
static void trace_end_loader(struct trace *t, enum trace_refusal refusal)
{
	role_end(t->socket, t->pid, END_MS);
	t->socket = -1;
	t->refusal = refusal;
	if (refusal != TRACE_LOADED)
		trace_unmap(t);
}

static size_t trace_map_size(const struct trace *t, enum trace_map map)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = 0;

	switch (map) {
	case TRACE_MAP_CONTROL:
		size = sizeof(struct trace_control);
		break;
	case TRACE_MAP_COUNTS:
		size = sizeof(struct trace_counts) * t->n_cpus * t->devices *
		       TRACE_OPS;
		break;
	case TRACE_MAP_SLOWEST:
		size = sizeof(struct trace_slowest) * t->n_cpus *
		       t->devices * 2;
		break;
	case TRACE_MAP_RING:
		size = t->slower_ns ? sizeof(struct trace_ring) * t->n_cpus : 0;
		break;
	case TRACE_MAP_OWNERS:
		size = sizeof(struct trace_owner) * TRACE_OWNERS;
		break;
	default:
		break;
	}
	return (size + page - 1) / page * page;
}

static bool trace_map_all(struct trace *t)
{
	for (int i = 0; i < TRACE_MAPS; i++) {
		const int rights = PROT_READ |
				   (i == TRACE_MAP_CONTROL ? PROT_WRITE : 0);
		void *memory;

		t->size[i] = trace_map_size(t, (enum trace_map)i);
		if (!t->size[i])
			continue;
		memory = mmap(NULL, t->size[i], rights, MAP_SHARED, t->map[i],
			      0);
		if (memory == MAP_FAILED)
			return false;
		t->memory[i] = memory;
	}
	return true;
}

static void trace_take(struct trace *t, const struct trace_news *news, int fd)
{
	/* A limit of open files dropped the descriptor. */
	if (news->kind != TRACE_NEWS_END && fd < 0)
		t->lacks = true;
	if (news->kind == TRACE_NEWS_MAP && news->map < TRACE_MAPS &&
	    t->map[news->map] < 0) {
		t->map[news->map] = fd;
	} else if (news->kind == TRACE_NEWS_TASKS && t->tasks < 0) {
		t->tasks = fd;
	} else if (news->kind == TRACE_NEWS_LINK &&
		   fd >= 0 && t->n_links < TRACE_LINKS_MAX) {
		t->link[t->n_links++] = fd;
	} else if (fd >= 0) {
		close(fd);
	}
	if (news->kind != TRACE_NEWS_END)
		return;
	t->n_cpus = news->n_cpus;
	t->devices = news->devices;
	t->calls = news->calls;
	text_set(t->words, news->words);
	text_clean(t->words);
	if (news->refusal == TRACE_LOADED && (t->lacks || !trace_map_all(t)))
		trace_end_loader(t, TRACE_DIED);
	else
		trace_end_loader(t, news->refusal);
}

bool trace_ready(struct trace *t)
{
	struct pollfd ready = { .fd = t->socket, .events = POLLIN };

	while (t->socket >= 0 && poll(&ready, 1, 0) > 0) {
		struct trace_news news;
		int fd = -1;

		if (descriptor_receive(t->socket, &news, sizeof(news), &fd,
				       1) != sizeof(news)) {
			if (fd >= 0)
				close(fd);
			trace_end_loader(t, TRACE_DIED);
			return false;
		}
		trace_take(t, &news, fd);
	}
	return t->memory[TRACE_MAP_CONTROL];
}

bool trace_wait(struct trace *t, unsigned ms)
{
	const uint64_t end_ns = clock_mono_ns() + ms * UINT64_C(1000000);
	struct pollfd ready = { .fd = t->socket, .events = POLLIN };

	while (!trace_ready(t) && t->socket >= 0) {
		const uint64_t now_ns = clock_mono_ns();

		if (now_ns >= end_ns)
			return false;
		poll(&ready, 1, (int)((end_ns - now_ns) / 1000000 + 1));
	}
	return t->memory[TRACE_MAP_CONTROL];
}

double trace_skipped(const struct trace *t)
{
	static const char key[] = "recursion_misses:";
	double sum = NAN;

	for (size_t i = 0; i < t->n_links; i++) {
		char path[40], line[80];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", t->link[i]);
		f = fopen(path, "re");
		while (f && fgets(line, sizeof(line), f))
			if (!strncmp(line, key, strlen(key)))
				sum = (isnan(sum) ? 0 : sum) +
				      strtod(line + strlen(key), NULL);
		if (f)
			fclose(f);
	}
	return sum;
}

/* Begin to read the list; -1: the kernel refuses. */
static int trace_open_tasks(const struct trace *t)
{
	union bpf_attr attr = { 0 };

	attr.iter_create.link_fd = (uint32_t)t->tasks;
	return (int)syscall(__NR_bpf, BPF_ITER_CREATE, &attr, sizeof(attr));
}

size_t trace_tasks(struct trace *t, const struct trace_task **task)
{
	size_t n = 0;
	ssize_t got;
	int fd;

	if (t->tasks < 0 || t->other_pids)
		return 0;
	fd = trace_open_tasks(t);
	if (fd < 0) {
		trace_close_tasks(t);
		return 0;
	}
	do {
		t->task = xgrow(t->task, &t->tasks_size, n + 4096, 1);
		got = read(fd, (char *)t->task + n, t->tasks_size - n);
		n += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	close(fd);
	*task = t->task;
	return got < 0 ? 0 : n / sizeof(*t->task);
}

void trace_stop(struct trace *t)
{
	if (t->socket >= 0)
		trace_end_loader(t, TRACE_DIED);
	trace_unmap(t);
}
