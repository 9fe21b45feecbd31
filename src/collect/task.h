/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task: the facts kept of processes and their threads between two ticks.
 *
 * The unit is the thread: /proc/PID/io of a whole process jumps by the I/O of
 * each child that it waits for, /proc/PID/task/TID/io does not. A thread's
 * schedstat shows exactly and cheaply whether it ran since the last look; if it
 * did not run, nothing else can have changed and nothing is read. Where the trace
 * has the list of all threads (trace_tasks()), that says the same of all of them at
 * once, and their I/O and state.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/collector.h"
#include "collect/task_ends.h"
#include "collect/trace.h"
#include "model/schema/schema_machine.h"

struct task_env;
struct process;

/* The memory of a process in bytes; -1 is unknown. */
struct task_memory {
	int64_t rss, shared, swap;
};

/* Fields of /proc/PID/task/TID/stat (proc_pid_stat(5)). */
struct task_stat {
	char comm[64];
	char state;
	unsigned flags;
	unsigned threads;   /* of the process */
	uint64_t cpu_ticks; /* user and system, 1/USER_HZ s */
	uint64_t start;
	uint64_t major_faults;
	uint64_t delay_ticks; /* 1/USER_HZ s; 0 where there is no such field */
	unsigned parent;      /* pid */
};

/* The identity of a process; the texts are allocated, NULL is unknown. */
struct task_facts {
	bool asked; /* they were read since the process was last renamed */
	char *command_line, *cgroup, *unit, *container, *serves;
	char *io_limit; /* of its control group; read while it is in D */
	uint64_t io_limit_ns; /* when it was read; 0: never */
	const char *arguments; /* in command_line; NULL: it has none */
	char io_priority[8];
};

/*
 * Parse the text of /proc/PID/statm: the sizes are multiples of page bytes
 * (proc_pid_statm(5)). False when it is not one; swap stays as it is.
 */
bool task_memory_parse(const char *text, uint64_t page, struct task_memory *m);
/*
 * Read the memory of a process that is no kernel thread. Its part in swap is read
 * only where the machine uses swap: that file takes the kernel much longer.
 */
void task_memory_read(struct task_env *e, struct process *p);

/* Parse the text of a stat file, which is changed; false: it is not one. */
bool task_stat_parse(char *text, struct task_stat *out);
/*
 * The letter of proc_pid_stat(5) for the state and exit state of a task, as struct
 * trace_task has them.
 */
char task_state_letter(uint32_t bits);
/* Parse the text of an io file; false when it lacks the fields. */
bool task_io_parse(const char *text, uint64_t *read_bytes,
		   uint64_t *write_bytes);

/* Of a thread or process, as the kernel counts: delay in ticks. */
struct task_count {
	uint64_t cpu_ns, read_bytes, write_bytes, delay_ticks;
	uint64_t run_delay_ns; /* runnable, waiting for a processor */
	uint64_t major_faults;
};

/* The three numbers of schedstat. */
struct task_runs {
	uint64_t cpu_ns, delay_ns, n;
};

struct thread {
	pid_t tid;
	char state;
	bool seen;
	bool io_hidden; /* its I/O was not readable at the last look */
	unsigned char skipped;  /* times that it ran and stat was not read */
	struct task_runs runs;
	uint64_t start_ns; /* as struct trace_task; 0: it was in no list yet */
	uint64_t faults;   /* of pages, as the list said last */
	struct task_count last; /* from the kernel */
	struct task_count before; /* at the look before the last one */
	char comm[20];
	uint64_t blocked_ns; /* when it entered D; 0: it is not in D, or ran
			        since */
	char wchan[40];      /* the function that it waits in; "" unknown */
	struct kept schedstat, stat, io;
};

struct process {
	pid_t pid;
	char id[12];
	char comm[64];
	uint64_t start;
	bool kernel;
	bool has_io;
	bool io_denied; /* not for this user */
	bool may_delay; /* delay accounting was on when it was first seen */
	bool flat;      /* a captured tree without task/ */
	unsigned uid;
	char user[32];            /* "" unknown */
	int group;                /* of a kernel thread, see schema_task_group() */
	uint64_t group_ns;        /* when its name last said so */
	unsigned threads;         /* as the kernel counts them */
	unsigned looks;           /* ticks in which it ran */
	unsigned rests;           /* looks since it ran last */
	uint64_t looked_ns;       /* monotonic time of the last look */
	uint64_t span_ns;         /* between the last two looks */
	struct task_count before; /* the sum before the last look */
	bool passed;              /* the last sample passed without a look */
	bool stepped;             /* see step_ns of struct task_raw */
	struct task_count sum;    /* never goes backwards */
	/* What threads did between the last look and their end. */
	struct task_count late;
	bool ended; /* the kernel said that its leader ended */
	struct task_count met;    /* the sum when the monitor first saw the
				     process */
	bool waits;               /* a thread was in D at the last look */
	struct task_memory memory;
	bool faulted; /* its memory may have grown since that was read */
	struct kept statm;
	unsigned parent;
	char owner; /* enum task_owner; a process of the run stays one when its
		     * parent ends */
	struct task_facts facts;
	struct thread *thread;    /* the first is the leader */
	size_t n_threads, cap_threads;
};

/* The names of users, from etc/passwd. Zeroed it is empty. */
struct task_users {
	struct task_user {
		unsigned uid;
		char name[32];
	} * user; /* by uid */
	size_t n, cap;
	uint64_t read_ns; /* when it was read */
};

/*
 * The name of a user, "" when there is none. Only etc/passwd is asked: a
 * directory server could keep a sample waiting. Where it lacks a uid it is
 * read again, once a minute at most.
 */
const char *task_user_name(struct task_users *u, const struct root *root,
			   unsigned uid, uint64_t now_ns);
void task_users_free(struct task_users *u);

/* The state that all processes share. */
struct task_env {
	struct collector_env *env;
	struct task_users users;
	/* All threads as of this look, by number; none: each is read. */
	const struct trace_task *seen;
	size_t n_seen;
	bool has_schedstat;
	bool delay;  /* kernel.task_delayacct is 1 */
	bool forked; /* a process or thread was made since last time */
	uint64_t tick_ns;   /* 1 / USER_HZ s */
	uint64_t looked_ns; /* the last look before this one; 0: none */
	uint64_t now_ns;    /* the time of this look */
	double uptime_s;    /* of the machine, at this look; NaN unknown */
	unsigned facts_left; /* idle processes whose facts may be read in this
				look */
	bool passed;        /* samples passed since then */
	/* An idle process is read when its pid leaves this remainder. */
	unsigned turns, turn;
};

/* Add a process; NULL when it is gone already. */
struct process *process_new(struct task_env *e, pid_t pid, uint64_t now_ns);
/*
 * Look at it again; false when it is gone, or another has its pid. now_ns is
 * the time of the sample. A kernel thread that has long been idle is looked
 * at every four to eight seconds: there are many, and most never run. So is any
 * process where there are thousands, see take_turns(). With the list of all threads
 * each is looked at.
 */
bool process_update(struct task_env *e, struct process *p, uint64_t now_ns);
/*
 * Read the facts of a process once, and again when its name changes. An idle
 * process has its turn when facts_left allows. task_facts.c.
 */
void task_facts_update(struct task_env *e, struct process *p, bool busy);
void task_facts_free(struct task_facts *f);
/*
 * Read what a thread in D waits for: the kernel function, "" where the kernel
 * hides it, and the limit of its process's I/O.
 */
void task_facts_wait(struct task_env *e, struct process *p, struct thread *t);
/*
 * Parse the text of /proc/PID/cgroup: the path of version 2 or of the hierarchy
 * that systemd keeps, and what its parts name. Allocates the texts. Changes the
 * text.
 */
void task_facts_cgroup(struct task_facts *f, char *text);

/*
 * The least limits that the control groups of the process (0: of this one) put on
 * its I/O to a device, or (NULL) the first one of any, in words: "400KiB/s read on
 * vda in /slow". To be freed; NULL: there is none. io_limit.c.
 */
char *io_limit_of_task(const struct root *root, pid_t pid, const char *device);

/* Tasks that ended since the last look, and the rows of their sums. */
struct ended_row;
struct ended {
	struct ended_task {
		struct task_end end; /* counters: what no look found */
		char owner;          /* enum task_owner */
	} * task;
	size_t n_tasks, cap_tasks;
	struct ended_row *row;
	size_t n_rows, cap_rows;
};

/* Keep a task until the next sum. task_ended.c. */
void task_ended_add(struct ended *d, const struct task_end *end, char owner);
/*
 * At a look: begin a new step and add the tasks to their rows. owner_of() says
 * to whom a living process belongs.
 */
void task_ended_sum(struct ended *d, struct task_env *e,
		    char (*owner_of)(void *arg, pid_t pid), void *arg);
/*
 * Add the rows of commands that ended in the last seconds to a sample. span_ns is
 * the time between the last two looks, name_of() the name of a living process or
 * NULL.
 */
void task_ended_rows(struct ended *d, const struct task_env *e,
		     uint64_t span_ns, const char *(*name_of)(void *, pid_t),
		     void *arg, struct sample *s);
void task_ended_free(struct ended *d);

/* Count a thread of the process that ended. task_threads.c. */
void process_thread_ended(struct process *p, const struct task_end *end);
/* Count a sample that does not read the process. */
void process_pass(struct process *p);
void process_free(struct task_env *e, struct process *p);
