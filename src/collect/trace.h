/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace: programs in the kernel (BPF) count the times of all requests. A process
 * loads them, hands over the descriptors of their memory, and ends; this program
 * maps that memory and needs no right for it. The programs are gone when the
 * last descriptor is closed, at any death.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/bpf/trace_memory.h"

/* Why there is no trace; in the order of enum collect_lack. */
enum trace_refusal {
	TRACE_LOADED,
	TRACE_NO_RIGHT,
	TRACE_LOCKDOWN, /* of confidentiality */
	TRACE_CONTAINER, /* bpf(2) is refused in spite of the rights */
	TRACE_NO_BTF,
	TRACE_NO_LIBRARY,
	TRACE_NOT_BUILT,
	TRACE_VERIFIER, /* words has its first line */
	TRACE_DIED,
	TRACE_REFUSALS
};

enum trace_map {
	TRACE_MAP_CONTROL,
	TRACE_MAP_COUNTS,
	TRACE_MAP_SLOWEST,
	TRACE_MAP_RING,
	TRACE_MAP_OWNERS,
	TRACE_MAPS
};

/* What the programs are to do. */
struct trace_wish {
	uint64_t slower_ns; /* keep all that are so slow; 0: the slowest only */
	bool bios;	    /* there are devices without requests */
	unsigned devices;   /* room for so many */
	struct trace_load *load; /* of the loader itself */
};

/*
 * A message of the loader. Each one brings a descriptor: of a map, of a program
 * or its link, or of the list of threads; the last one, of kind TRACE_NEWS_END,
 * none.
 */
enum trace_news_kind {
	TRACE_NEWS_MAP,
	TRACE_NEWS_LINK,
	TRACE_NEWS_TASKS,
	TRACE_NEWS_END
};

struct trace_news {
	enum trace_news_kind kind;
	enum trace_map map;
	enum trace_refusal refusal;
	unsigned n_cpus, devices;
	bool calls; /* fsync of any file system is seen, not of ext4 alone */
	char words[256];
};

/* The work of the loader; .prepare and .serve of its role. arg: a struct
 * trace_wish. */
void trace_load_prepare(void *arg);
void trace_load_serve(int socket, void *arg);

#define TRACE_LINKS_MAX 40

struct trace {
	int socket; /* of the loader; -1: it has ended */
	pid_t pid;
	bool lacks; /* a descriptor of the loader did not arrive */
	bool pinned; /* asked for: requests have names at any rate */
	bool may; /* the program had the rights when the trace began */
	enum trace_refusal refusal; /* once socket is -1 */
	char words[256];
	unsigned n_cpus, devices;
	bool calls; /* as struct trace_news */
	uint64_t slower_ns;
	bool bios; /* as struct trace_wish */
	/* The programs see other numbers of processes than /proc has: iodyno is in
	 * a namespace of processes, as in most containers. */
	bool other_pids;
	/* link: of programs and of their links. */
	int map[TRACE_MAPS], link[TRACE_LINKS_MAX];
	size_t n_links;
	int tasks; /* the list of threads; -1: there is none */
	struct trace_task *task;
	size_t tasks_size; /* bytes of task */
	void *memory[TRACE_MAPS]; /* NULL: not mapped */
	size_t size[TRACE_MAPS];
};

/*
 * Fork the loader, before any thread and before rights are given up. Never
 * fails: t->refusal says why there is no trace.
 */
void trace_start(struct trace *t, const struct trace_wish *wish);
/* Take what the loader has sent; whether the memory is there. Never waits. */
bool trace_ready(struct trace *t);
/* The same, but wait for the loader, at most so long. */
bool trace_wait(struct trace *t, unsigned ms);
/*
 * All threads of the machine, by number; the result is how many. 0: the trace is
 * not there, the kernel gives no such list (before Linux 5.8, and up to 5.18 to a
 * program without rights where unprivileged BPF is off), or /proc has other
 * numbers. The list is the trace's own until the next call.
 */
size_t trace_tasks(struct trace *t, const struct trace_task **task);
void trace_stop(struct trace *t);

/*
 * How many runs of its programs the kernel left out, since the start, because the
 * same program ran on that processor already; NaN: it does not say (before Linux
 * 5.12).
 */
double trace_skipped(const struct trace *t);

/* Whether the process has CAP_BPF and CAP_PERFMON. */
bool trace_may(void);

/* The sentence of a refusal; NULL: there is a trace. */
const char *collect_trace_refusal(enum trace_refusal refusal);
