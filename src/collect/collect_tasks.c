/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes: a list of /proc at every tick, merged with those known.
 *
 * A process that was not there before counts from zero (schema_task is
 * born_zero). What a process did between the last look and its end is in a row of
 * processes that ended, where the kernel sends their ends (task_ends.c); else it
 * is lost, as is one that came and went between two ticks.
 */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "collect/task.h"

#define DELAY_CHECK_NS (10 * NS_PER_S)
/*
 * The number of idle processes that one look reads: of 9000, each at every
 * fifth look. The second limit is the longest time between two readings of a
 * process.
 */
#define RESTED_PER_LOOK 2000
#define REST_MOST_NS    (8 * NS_PER_S)
/* Command lines and cgroups of so many idle processes are read in a look. */
#define FACTS_PER_LOOK 64

struct tasks {
	struct task_env e;
	struct trace *trace; /* NULL: none */
	struct process **process; /* by pid */
	size_t n, cap;
	struct process **spare;
	size_t spare_cap;
	pid_t *pid; /* the present list */
	size_t n_pids, cap_pids;
	DIR *proc;	    /* open for the whole run, on a real procfs */
	bool pids_are_ours; /* the procfs is of our own namespace */
	bool new_only;      /* the list has the known pids and newer ones */
	long place;	    /* of pid 0 in it; 0: not known */
	uint64_t forks;	    /* when the list was made */
	pid_t last_pid;	    /* the last one of the machine at that time */
	uint64_t delay_checked_ns;
	unsigned looks;
	bool had_threads; /* the last sample had rows of them */
	struct task_ends *ends; /* NULL: the kernel does not send them */
	struct ended ended;
	/* Processes that the last look missed before their end was sent. */
	struct process_gone {
		pid_t pid;
		struct task_count sum;
	} * gone;
	size_t n_gone, cap_gone;
	uint64_t span_ns; /* between the last two looks; 0: one so far */
};

static void check_delay(struct tasks *c, uint64_t now_ns)
{
	const struct root *root = c->e.env->files.root;
	long long value = 0;

	if (c->delay_checked_ns &&
	    now_ns - c->delay_checked_ns < DELAY_CHECK_NS)
		return;
	c->delay_checked_ns = now_ns;
	c->e.delay = root_read_number(root, "proc/sys/kernel/task_delayacct",
				      &value) &&
		     value == 1;
	c->e.env->lacks[LACK_TASK_DELAY] = !c->e.delay;
}

static int tasks_open(struct collector_env *env, void *state)
{
	struct tasks *c = state;
	char self[16];

	c->e.env = env;
	c->trace = env->options->trace;
	c->e.tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	c->pids_are_ours = env->files.live_proc &&
			   root_link_name(env->files.root, "proc/self", self,
					  sizeof(self)) &&
			   atoi(self) == getpid();
	check_delay(c, clock_mono_ns());
	if (env->files.live_proc)
		c->ends = task_ends_open();
	env->lacks[LACK_TASK_ENDS] = !c->ends && env->files.live_proc;
	return 0;
}

static int collect_tasks_by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Processes are forked one after the other with ascending pids, so those that
 * are new have pids from the last list's to the last one of the machine. procfs
 * begins there at once; a list of all looks up each process that it names. Every
 * so many looks all are listed, for a program may choose the pid of its child.
 */
#define LIST_ALL_EVERY 16

static bool may_list_new(const struct tasks *c, pid_t last)
{
	return c->e.env->forks && c->pids_are_ours && c->place && c->n > 0 &&
	       c->looks % LIST_ALL_EVERY && c->last_pid && last >= c->last_pid;
}

static void add_pid(struct tasks *c, pid_t pid)
{
	*xadd(c->pid, c->n_pids, c->cap_pids) = pid;
}

/* Read pids from where the directory stands; of a procfs learn where a pid is. */
static void read_pids(struct tasks *c, pid_t most)
{
	const bool all = !c->n_pids;
	long at = telldir(c->proc);
	struct dirent *entry;

	for (; (entry = readdir(c->proc)); at = telldir(c->proc)) {
		pid_t pid = isdigit((unsigned char)entry->d_name[0])
				    ? (pid_t)atoi(entry->d_name)
				    : 0;

		if (pid > most)
			return;
		if (pid <= 0)
			continue;
		if (all)
			c->place = !c->n_pids || c->place == at - pid ? at - pid
								      : 0;
		add_pid(c, pid);
	}
}

/* Ascending, each once; procfs lists them so, other directories may not. */
static void sort_pids(struct tasks *c)
{
	size_t n = 0;

	for (size_t i = 1; i < c->n_pids; i++)
		if (c->pid[i] <= c->pid[i - 1]) {
			qsort(c->pid, c->n_pids, sizeof(*c->pid),
			      collect_tasks_by_number);
			break;
		}
	for (size_t i = 0; i < c->n_pids; i++)
		if (!n || c->pid[i] != c->pid[n - 1])
			c->pid[n++] = c->pid[i];
	c->n_pids = n;
}

/*
 * The present processes. Those that ended may be among them: their files say
 * so.
 */
static void list_pids(struct tasks *c)
{
	const struct kept_files *files = &c->e.env->files;
	const pid_t last = c->e.env->last_pid;
	const bool new_only = !c->e.n_seen && may_list_new(c, last);

	c->e.forked = !c->e.env->forks || c->e.env->forks != c->forks;
	c->forks = c->e.env->forks;
	c->new_only = new_only;
	c->n_pids = 0;
	for (size_t i = 0; new_only && i < c->n; i++)
		add_pid(c, c->process[i]->pid);
	if (c->e.n_seen) {
		for (size_t i = 0; i < c->e.n_seen; i++)
			if (c->e.seen[i].tid == c->e.seen[i].pid)
				add_pid(c, (pid_t)c->e.seen[i].tid);
		c->last_pid = last;
		return;
	}
	if (!c->proc)
		c->proc = root_open_dir(files->root, "proc");
	if (!c->proc || (new_only && !c->e.forked))
		return;
	if (new_only)
		seekdir(c->proc, c->place + c->last_pid + 1);
	else
		rewinddir(c->proc);
	read_pids(c, new_only ? last : INT_MAX);
	c->last_pid = last;
	sort_pids(c);
	if (!files->live_proc) {
		closedir(c->proc);
		c->proc = NULL;
	}
}

/* Find out once, from the first process, which files the kernel has. */
static void collect_tasks_probe(struct tasks *c)
{
	const struct root *root = c->e.env->files.root;
	char path[64];

	if (c->n_pids == 0 || c->n > 0)
		return;
	snprintf(path, sizeof(path), "proc/%d/schedstat", c->pid[0]);
	c->e.has_schedstat = root_exists(root, path);
	c->e.env->lacks[LACK_SCHEDSTAT] = !c->e.has_schedstat;
	snprintf(path, sizeof(path), "proc/%d/io", c->pid[0]);
	c->e.env->lacks[LACK_TASK_IO] = !root_exists(root, path);
}

/* A counter that fell was reset. */
static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* The usage between two readings of a process or thread. */
static struct task_use collect_tasks_use(const struct tasks *c,
					 const struct task_count *a,
					 const struct task_count *b)
{
	return (struct task_use){
		.cpu_ns = since(b->cpu_ns, a->cpu_ns),
		.read_bytes = since(b->read_bytes, a->read_bytes),
		.write_bytes = since(b->write_bytes, a->write_bytes),
		.delay_ns = since(b->delay_ticks, a->delay_ticks) * c->e.tick_ns,
		.run_delay_ns = since(b->run_delay_ns, a->run_delay_ns),
		.major_faults = since(b->major_faults, a->major_faults),
	};
}

/* What the rows of a process and of its threads have alike. */
static struct task_raw *collect_tasks_row(const struct tasks *c,
					  const struct process *p,
					  const struct task_count *count,
					  struct sample *s)
{
	struct task_raw *raw = sample_add(s, SCHEMA_TASK);

	raw->key.generation = p->start;
	raw->has_io = p->has_io;
	raw->has_delay = c->e.delay && p->may_delay;
	raw->has_run_delay = c->e.has_schedstat;
	raw->uid = p->uid;
	memcpy(raw->user, p->user, sizeof(raw->user));
	raw->owner = p->owner;
	raw->group = -1;
	raw->cpu_ns = count->cpu_ns;
	raw->read_bytes = count->read_bytes;
	raw->write_bytes = count->write_bytes;
	raw->delay_ns = count->delay_ticks * c->e.tick_ns;
	raw->run_delay_ns = count->run_delay_ns;
	raw->major_faults = count->major_faults;
	return raw;
}

/*
 * A thread by itself. In the first sample with threads its row is new, but the
 * thread may be old: then only its usage since the last look counts.
 */
static void add_thread_row(const struct tasks *c, const struct process *p,
			   const struct thread *t, struct sample *s)
{
	struct task_raw *raw = collect_tasks_row(c, p, &t->last, s);

	snprintf(raw->key.id, sizeof(raw->key.id), "%d/%d", p->pid, t->tid);
	text_set(raw->comm, t->comm);
	raw->state = t->state;
	raw->threads = 1;
	memcpy(raw->process, p->id, sizeof(raw->process));
	raw->age_s = NAN;
	if (t->blocked_ns && p->looked_ns > t->blocked_ns)
		raw->wait_ns = p->looked_ns - t->blocked_ns;
	memcpy(raw->wchan, t->wchan, sizeof(raw->wchan));
	if (t->state == 'D')
		raw->io_limit = p->facts.io_limit;
	if (p->stepped || !c->had_threads)
		raw->step_ns = p->span_ns ? p->span_ns : 1;
	if (p->span_ns)
		raw->step = collect_tasks_use(c, &t->before, &t->last);
	raw->rss_bytes = raw->shared_bytes = raw->swap_bytes = -1;
}

static double age_s(const struct tasks *c, const struct process *p)
{
	return c->e.uptime_s -
	       (double)p->start * (double)c->e.tick_ns / (double)NS_PER_S;
}

static void add_facts(const struct tasks *c, const struct process *p,
		      struct task_raw *raw)
{
	const struct task_facts *f = &p->facts;

	raw->parent = p->parent;
	raw->command_line = f->command_line;
	raw->arguments = f->arguments;
	raw->cgroup = f->cgroup;
	raw->unit = f->unit;
	raw->container = f->container;
	raw->serves = f->serves;
	memcpy(raw->io_priority, f->io_priority, sizeof(raw->io_priority));
	raw->age_s = age_s(c, p);
	raw->met_read_bytes = p->met.read_bytes;
	raw->met_write_bytes = p->met.write_bytes;
}

/*
 * The thread that has been in D for longest, up to the last look: what it did
 * since is not known. Where all ran meanwhile, one that is in D now.
 */
static void add_wait(const struct process *p, struct task_raw *raw)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		const struct thread *t = &p->thread[i];
		uint64_t ns = t->blocked_ns && p->looked_ns > t->blocked_ns
				      ? p->looked_ns - t->blocked_ns
				      : 0;

		if (t->state == 'D')
			raw->io_limit = p->facts.io_limit;
		if (ns <= raw->wait_ns && (raw->wchan[0] || !t->wchan[0]))
			continue;
		raw->wait_ns = ns;
		memcpy(raw->wchan, t->wchan, sizeof(raw->wchan));
	}
}

static void collect_tasks_add_row(const struct tasks *c,
				  const struct process *p, struct sample *s)
{
	struct task_raw *raw = collect_tasks_row(c, p, &p->sum, s);

	memcpy(raw->key.id, p->id, sizeof(p->id));
	memcpy(raw->comm, p->comm, sizeof(raw->comm));
	raw->kernel = p->kernel;
	raw->threads = p->threads;
	if (p->kernel)
		raw->group = p->group;
	add_facts(c, p, raw);
	add_wait(p, raw);
	if (p->stepped) {
		raw->step_ns = p->span_ns;
		raw->step = collect_tasks_use(c, &p->before, &p->sum);
	}
	raw->rss_bytes = p->memory.rss;
	raw->shared_bytes = p->memory.shared;
	raw->swap_bytes = p->memory.swap;
	/* A process waits for I/O when one of its threads does. */
	raw->state = p->thread[0].state;
	for (size_t i = 1; i < p->n_threads; i++) {
		char state = p->thread[i].state;

		if (state == 'D' || (state == 'R' && raw->state != 'D'))
			raw->state = state;
	}
	for (size_t i = 0; c->e.env->threads && i < p->n_threads; i++)
		if (p->n_threads > 1)
			add_thread_row(c, p, &p->thread[i], s);
}

static int by_pid(const void *pid, const void *process)
{
	pid_t a = *(const pid_t *)pid;
	pid_t b = (*(struct process *const *)process)->pid;

	return a < b ? -1 : a > b;
}

/*
 * Find the owner of a process: this run owns iodyno itself and all descendants,
 * whatever their names. n processes of this look are in spare; later holds
 * those that the last look found behind them: a parent is there if its pid is
 * higher than its child's, because pids wrapped around.
 */
static void find_owner(const struct tasks *c, size_t n,
		       struct process *const *later, size_t n_later,
		       struct process *p)
{
	const pid_t parent = (pid_t)p->parent;
	struct process *const *up = NULL;

	if (p->owner != TASK_OWNER_UNKNOWN || !c->e.env->files.live_proc)
		return;
	if (p->pid == getpid() || parent == getpid()) {
		p->owner = TASK_OWNER_RUN;
		return;
	}
	if (n)
		up = bsearch(&parent, c->spare, n, sizeof(*c->spare), by_pid);
	if (!up && n_later)
		up = bsearch(&parent, later, n_later, sizeof(*later), by_pid);
	if (up)
		p->owner = (*up)->owner;
	else if (!parent || p->pid == 1)
		p->owner = TASK_OWNER_OTHER;
}

static struct process *collect_tasks_known(const struct tasks *c, pid_t pid)
{
	struct process **p = c->n ? bsearch(&pid, c->process, c->n,
					    sizeof(*c->process), by_pid)
				  : NULL;

	return p ? *p : NULL;
}

static char collect_tasks_owner(void *arg, pid_t pid)
{
	const struct process *p = collect_tasks_known(arg, pid);

	return p ? p->owner : TASK_OWNER_UNKNOWN;
}

static const char *collect_tasks_name(void *arg, pid_t pid)
{
	const struct process *p = collect_tasks_known(arg, pid);

	return p ? p->comm : NULL;
}

/* Take the ends that the kernel sent; c->process is that of the last look. */
static void take_ends(struct tasks *c)
{
	struct task_end end;

	while (c->ends && task_ends_next(c->ends, &end)) {
		struct process *p = collect_tasks_known(c, end.pid);
		size_t i = 0;

		/* Before the second look nothing is a step. */
		if (p)
			process_thread_ended(p, &end);
		if (p || !c->e.looked_ns)
			continue;
		while (i < c->n_gone && c->gone[i].pid != end.pid)
			i++;
		if (i < c->n_gone) {
			const struct task_count *sum = &c->gone[i].sum;

			end.read_bytes = since(end.read_bytes, sum->read_bytes);
			end.write_bytes =
				since(end.write_bytes, sum->write_bytes);
			end.cpu_ns = since(end.cpu_ns, sum->cpu_ns);
		}
		task_ended_add(&c->ended, &end, TASK_OWNER_UNKNOWN);
	}
	c->n_gone = 0;
}

/* A known process has gone: keep what no look found. */
static void collect_tasks_drop(struct tasks *c, struct process *p)
{
	struct task_end end = { .pid = p->pid,
				.tid = p->pid,
				.parent = (pid_t)p->parent,
				.uid = p->uid,
				.read_bytes = p->late.read_bytes,
				.write_bytes = p->late.write_bytes };

	if (c->ends && p->ended) {
		text_set(end.comm, p->comm);
		task_ended_add(&c->ended, &end, p->owner);
	} else if (c->ends) {
		*xadd(c->gone, c->n_gone, c->cap_gone) =
			(struct process_gone){ p->pid, p->sum };
	}
	process_free(&c->e, p);
}

/* The process of a pid, known or new; NULL when it has gone meanwhile. */
static struct process *collect_tasks_look(struct tasks *c, pid_t pid,
					  struct process *known,
					  uint64_t now_ns)
{
	if (known) {
		if (process_update(&c->e, known, now_ns))
			return known;
		collect_tasks_drop(c, known);
		/* No other has its pid before the pids begin anew. */
		if (c->new_only)
			return NULL;
	}
	return process_new(&c->e, pid, now_ns);
}

/*
 * Looking at all processes costs more than all the rest of a sample, so it is
 * done once in look_ns at most; the rows in between repeat what the last look
 * found. The first two samples both look, so that there are rates from the
 * second on; captured trees are always read.
 */
static bool may_pass(struct tasks *c, uint64_t now_ns)
{
	if (c->looks >= 2 && c->e.env->files.live_proc &&
	    !c->e.env->look_now && now_ns - c->e.looked_ns < c->e.env->look_ns)
		return true;
	c->e.env->look_now = false;
	c->looks++;
	return false;
}

static void pass(struct tasks *c, struct sample *s)
{
	c->e.passed = true;
	s->table[SCHEMA_TASK].repeats = true;
	for (size_t i = 0; i < c->n; i++) {
		process_pass(c->process[i]);
		collect_tasks_add_row(c, c->process[i], s);
	}
}

/* Idle processes are read in turns, so that no read takes long. */
static void take_turns(struct task_env *e, size_t n)
{
	size_t turns = 1 + n / RESTED_PER_LOOK;
	size_t most = (size_t)(REST_MOST_NS / e->env->look_ns);

	e->turns = (unsigned)(turns < most ? turns : most);
	e->turn = (e->turn + 1) % e->turns;
}

/* Of a captured tree "350735.47 234388.90": of the machine, and idle. */
static void read_uptime(struct tasks *c)
{
	struct timespec ts;
	char buf[64], *end;

	c->e.uptime_s = NAN;
	if (c->e.env->files.live_proc && !clock_gettime(CLOCK_BOOTTIME, &ts)) {
		c->e.uptime_s = (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
		return;
	}
	if (root_read(c->e.env->files.root, "proc/uptime", buf, sizeof(buf)) <=
	    0)
		return;
	c->e.uptime_s = strtod(buf, &end);
	if (end == buf)
		c->e.uptime_s = NAN;
}

/*
 * The kernel's list of all threads, where this process may read what it has of
 * each.
 */
static void see_all(struct tasks *c)
{
	c->e.n_seen = c->trace && c->pids_are_ours && geteuid() == 0 ?
			      trace_tasks(c->trace, &c->e.seen) :
			      0;
}

static void sample_all(struct tasks *c, struct sample *s)
{
	struct process **old = c->process;
	size_t at = 0, n = 0, cap = c->cap;

	if (may_pass(c, s->mono_ns)) {
		pass(c, s);
		task_ended_rows(&c->ended, &c->e, c->span_ns,
				collect_tasks_name, c, s);
		return;
	}

	check_delay(c, s->mono_ns);
	c->e.now_ns = s->mono_ns;
	c->e.facts_left = FACTS_PER_LOOK;
	read_uptime(c);
	see_all(c);
	list_pids(c);
	take_ends(c);
	collect_tasks_probe(c);
	take_turns(&c->e, c->n_pids);
	c->spare = xgrow(c->spare, &c->spare_cap, c->n_pids + 1,
			 sizeof(*c->spare));
	for (size_t i = 0; i < c->n_pids; i++) {
		struct process *p = NULL;

		while (at < c->n && old[at]->pid < c->pid[i])
			collect_tasks_drop(c, old[at++]);
		if (at < c->n && old[at]->pid == c->pid[i])
			p = old[at++];
		p = collect_tasks_look(c, c->pid[i], p, s->mono_ns);
		if (!p)
			continue;
		find_owner(c, n, at < c->n ? old + at : NULL, c->n - at, p);
		c->spare[n++] = p;
		collect_tasks_add_row(c, p, s);
	}
	while (at < c->n)
		collect_tasks_drop(c, old[at++]);
	c->process = c->spare;
	c->cap = c->spare_cap;
	c->spare = old;
	c->spare_cap = cap;
	c->n = n;
	c->span_ns = c->e.looked_ns ? s->mono_ns - c->e.looked_ns : 0;
	c->e.looked_ns = s->mono_ns;
	c->e.passed = false;
	task_ended_sum(&c->ended, &c->e, collect_tasks_owner, c);
	task_ended_rows(&c->ended, &c->e, c->span_ns, collect_tasks_name, c, s);
}

/*
 * Kernels and sandboxes hide the I/O of a process or two from root as well. The
 * screen says so when it is one process in ten or more.
 */
static void note_denied(struct tasks *c)
{
	size_t denied = 0;

	for (size_t i = 0; i < c->n; i++)
		denied += c->process[i]->io_denied;
	c->e.env->lacks[LACK_TASK_IO_RIGHTS] = 10 * denied > c->n;
}

static void tasks_sample(void *state, struct sample *s)
{
	struct tasks *c = state;

	sample_all(c, s);
	note_denied(c);
	c->had_threads = c->e.env->threads;
}

static void tasks_close(void *state)
{
	struct tasks *c = state;

	for (size_t i = 0; i < c->n; i++)
		process_free(&c->e, c->process[i]);
	if (c->proc)
		closedir(c->proc);
	free(c->process);
	free(c->spare);
	free(c->pid);
	task_users_free(&c->e.users);
	task_ends_close(c->ends);
	task_ended_free(&c->ended);
	free(c->gone);
}

const struct collector collector_tasks = {
	.size = sizeof(struct tasks),
	.open = tasks_open,
	.sample = tasks_sample,
	.close = tasks_close,
};
