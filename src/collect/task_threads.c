/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads: read one, add it to its process, find new ones. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "collect/task.h"

/* --- the parsers of a task's stat and io --- */

/* Numbers of the fields after the name, as proc_pid_stat(5) counts them. */
enum {
	FIELD_STATE = 3,
	FIELD_PARENT = 4,
	FIELD_FLAGS = 9,
	FIELD_MAJOR_FAULTS = 12,
	FIELD_UTIME = 14,
	FIELD_STIME = 15,
	FIELD_THREADS = 20,
	FIELD_START = 22,
	FIELD_DELAY = 42,
};

/*
 * The decimal number after blanks; NULL: there is none. The value of a negative
 * number (tty, priority) is not used. strtoull() takes five times as long, and
 * this line has 50 numbers.
 */
static const char *next_number(const char *p, uint64_t *out)
{
	const char *start;
	uint64_t value = 0;

	p += *p == ' ';
	p += *p == '-';
	for (start = p; *p >= '0' && *p <= '9'; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	*out = value;
	return p == start ? NULL : p;
}

/*
 * "pid (name) state ppid ...". The name may hold blanks and parentheses, so it
 * ends at the last one.
 */
bool task_stat_parse(char *text, struct task_stat *out)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t value[FIELD_DELAY + 1] = { 0 };
	int field = FIELD_STATE + 1;
	const char *p;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return false;
	*close = '\0';
	text_set(out->comm, open + 1);
	text_clean(out->comm);
	out->state = close[2];
	for (p = close + 3; field <= FIELD_DELAY; field++) {
		p = next_number(p, &value[field]);
		if (!p)
			break;
	}
	if (field <= FIELD_START)
		return false;
	out->parent = (unsigned)value[FIELD_PARENT];
	out->flags = (unsigned)value[FIELD_FLAGS];
	out->cpu_ticks = value[FIELD_UTIME] + value[FIELD_STIME];
	out->threads = value[FIELD_THREADS] > INT32_MAX
			       ? 0
			       : (unsigned)value[FIELD_THREADS];
	out->start = value[FIELD_START];
	out->major_faults = value[FIELD_MAJOR_FAULTS];
	out->delay_ticks = value[FIELD_DELAY];
	return true;
}

/* The number of the line that starts with the key. */
static bool line_number(const char *text, const char *key, uint64_t *out)
{
	size_t n = strlen(key);

	while (text) {
		char *end;

		if (!strncmp(text, key, n)) {
			*out = strtoull(text + n, &end, 10);
			return end != text + n;
		}
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return false;
}

bool task_io_parse(const char *text, uint64_t *read_bytes,
		   uint64_t *write_bytes)
{
	return line_number(text, "read_bytes:", read_bytes) &&
	       line_number(text, "write_bytes:", write_bytes);
}

#define PATH_SIZE  64
/* A process that keeps running is asked for its user every so many ticks. */
#define UID_EVERY   16
/* So is one that runs without page faults for its memory. */
#define MEMORY_EVERY 4
#define SKIP_MOST   3
#define SKIP_KERNEL 15
#define SKIP_CPU_NS 100000000
#define BUSY_CPU_NS 1000000
/* When a kernel thread counts as idle, and how long it may stay unread. */
#define RESTED_LOOKS 2
#define REST_NS      4000000000ull

enum thread_look { IDLE, RAN, GONE };

static void file_path(char *buf, const struct process *p,
		      const struct thread *t, const char *file)
{
	if (p->flat)
		snprintf(buf, PATH_SIZE, "proc/%d/%s", p->pid, file);
	else
		snprintf(buf, PATH_SIZE, "proc/%d/task/%d/%s", p->pid, t->tid,
			 file);
}

/* Read a file of a thread; one that is new keeps no descriptor yet. */
static ssize_t thread_file(struct task_env *e, const struct process *p,
			   const struct thread *t, struct kept *k,
			   const char *file, char *buf, size_t size, bool keep)
{
	ssize_t n = root_kept_again(k, buf, size);
	char path[PATH_SIZE];

	/* The thread has gone; another one with its number is another one. */
	if (n >= 0 || n == -ESRCH)
		return n;
	file_path(path, p, t, file);
	if (keep)
		return root_kept_first(&e->env->files, k, path, buf, size);
	return root_read(e->env->files.root, path, buf, size);
}

/* How much a counter grew. A reset loses nothing that was counted before. */
static uint64_t grown(uint64_t *last, uint64_t now)
{
	uint64_t by = now > *last ? now - *last : 0;

	*last = now;
	return by;
}

static int task_threads_by_tid(const void *tid, const void *task)
{
	const uint32_t a = *(const uint32_t *)tid;
	const uint32_t b = ((const struct trace_task *)task)->tid;

	return a < b ? -1 : a > b;
}

/* The thread in the list of all; NULL: it is not there. */
static const struct trace_task *task_threads_seen(const struct task_env *e,
						  const struct thread *t)
{
	const uint32_t tid = (uint32_t)t->tid;

	return e->n_seen ? bsearch(&tid, e->seen, e->n_seen, sizeof(*e->seen),
				   task_threads_by_tid) :
			   NULL;
}

/* Read schedstat; false: the thread has gone. */
static bool read_runs(struct task_env *e, struct process *p, struct thread *t,
		      struct task_runs *runs)
{
	char buf[80];
	const char *at = buf;

	if (thread_file(e, p, t, &t->schedstat, "schedstat", buf, sizeof(buf),
			!e->n_seen) < 0)
		return false;
	memset(runs, 0, sizeof(*runs));
	at = next_number(at, &runs->cpu_ns);
	at = at ? next_number(at, &runs->delay_ns) : NULL;
	if (at)
		next_number(at, &runs->n);
	return true;
}

/* Whether the thread ran since the last look. */
static enum thread_look gate(struct task_env *e, struct process *p,
			 struct thread *t)
{
	const struct trace_task *seen = task_threads_seen(e, t);
	struct task_runs runs;
	bool idle;

	if (!e->has_schedstat)
		return RAN;
	/* One that came after the list was made has been in none. */
	if (t->start_ns && e->n_seen &&
	    (!seen || seen->start_ns != t->start_ns))
		return GONE;
	if (seen) {
		runs = (struct task_runs){ seen->cpu_ns, seen->run_delay_ns,
					   seen->runs };
	} else if (!read_runs(e, p, t, &runs)) {
		return GONE;
	}
	idle = !memcmp(&runs, &t->runs, sizeof(runs)) && runs.n;
	/* Until here another one may have got its number: stat says so. */
	if (seen && !t->start_ns && !idle)
		t->skipped = SKIP_KERNEL;
	if (seen)
		t->start_ns = seen->start_ns;
	if (idle)
		return IDLE;
	t->runs = runs;
	p->sum.cpu_ns += grown(&t->last.cpu_ns, runs.cpu_ns);
	p->sum.run_delay_ns += grown(&t->last.run_delay_ns, runs.delay_ns);
	return RAN;
}

/* A file that was not readable is tried again, for its owner may change. */
static bool may_read_io(const struct process *p)
{
	return p->has_io || p->looks % UID_EVERY <= 1;
}

static void task_threads_read_io(struct task_env *e, struct process *p,
				 struct thread *t, bool keep)
{
	const struct trace_task *seen = task_threads_seen(e, t);
	uint64_t read_bytes, write_bytes;
	char buf[512];
	ssize_t n = 0;

	if (!may_read_io(p)) {
		t->io_hidden = true;
		return;
	}
	if (seen && seen->has_io && seen->start_ns == t->start_ns) {
		read_bytes = seen->read_bytes;
		write_bytes = seen->write_bytes;
	} else {
		seen = NULL;
		n = thread_file(e, p, t, &t->io, "io", buf, sizeof(buf), keep);
	}
	p->io_denied = n == -EACCES || n == -EPERM;
	if (!seen &&
	    (n <= 0 || !task_io_parse(buf, &read_bytes, &write_bytes))) {
		/* A thread that is just ending still has its last values. */
		t->io_hidden |= !p->looks || p->io_denied;
		if (t == p->thread && t->io_hidden)
			p->has_io = false;
		return;
	}
	if (t == p->thread)
		p->has_io = true;
	/* What came before it became readable is of no known time. */
	if (t->io_hidden) {
		t->last.read_bytes = read_bytes;
		t->last.write_bytes = write_bytes;
		t->before.read_bytes = read_bytes;
		t->before.write_bytes = write_bytes;
		t->io_hidden = false;
	}
	p->sum.read_bytes += grown(&t->last.read_bytes, read_bytes);
	p->sum.write_bytes += grown(&t->last.write_bytes, write_bytes);
}

/* The group of a kernel thread, and when its name said so. */
static void keep_group(const struct task_env *e, struct process *p)
{
	p->group = schema_task_group_kept(p->comm, p->group,
					  (double)(e->now_ns - p->group_ns) *
						  1e-9);
	if (p->group == schema_task_group(p->comm))
		p->group_ns = e->now_ns;
}

/* The bits of include/linux/sched.h as fs/proc/array.c shows them. */
char task_state_letter(uint32_t bits)
{
	static const char letters[] = "SDTtXZP";
	const uint32_t idle = 0x402, lock_or_frozen = 0x9000;

	if ((bits & idle) == idle)
		return 'I';
	for (size_t i = sizeof(letters) - 1; i-- > 0;)
		if (bits & 1u << i)
			return letters[i];
	return bits & lock_or_frozen ? 'D' : 'R';
}

/*
 * Whether the name is the one of stat, which escapes what these two are, and adds
 * its work to that of a worker. What a worker works at is of interest when it moves
 * bytes, waits, or uses the processor: writeback moves the bytes of others.
 */
static bool task_threads_named(const struct thread *t,
			       const struct trace_task *seen)
{
	if (seen->flags & PF_WQ_WORKER)
		return seen->read_bytes == t->last.read_bytes &&
		       seen->write_bytes == t->last.write_bytes &&
		       task_state_letter(seen->state) != 'D' &&
		       t->last.cpu_ns - t->before.cpu_ns < BUSY_CPU_NS;
	return !memchr(seen->comm, '\\', sizeof(seen->comm)) &&
	       !memchr(seen->comm, '\n', sizeof(seen->comm));
}

/* Fill in stat from the list of all; false: it must be read, as at first. */
static bool task_threads_stat_seen(const struct task_env *e, struct process *p,
				   struct thread *t, struct task_stat *stat)
{
	const struct trace_task *seen = task_threads_seen(e, t);
	uint64_t faults;

	if (!seen || !seen->has_state || seen->start_ns != t->start_ns ||
	    !t->state || t->skipped >= SKIP_KERNEL || e->delay ||
	    !task_threads_named(t, seen))
		return false;
	*stat = (struct task_stat){ .state = task_state_letter(seen->state),
				    .flags = seen->flags,
				    .threads = seen->threads,
				    .major_faults = seen->major_faults,
				    .start = p->start,
				    .parent = seen->parent };
	if (seen->flags & PF_KTHREAD) {
		memcpy(stat->comm, p->comm, sizeof(stat->comm));
		t->skipped++;
	} else {
		memcpy(stat->comm, seen->comm, sizeof(seen->comm));
		text_clean(stat->comm);
	}
	faults = seen->minor_faults + seen->major_faults;
	p->faulted |= faults != t->faults;
	t->faults = faults;
	return true;
}

static bool task_threads_stat(struct task_env *e, struct process *p,
			      struct thread *t, bool keep,
			      struct task_stat *stat)
{
	char buf[1536];

	if (task_threads_stat_seen(e, p, t, stat))
		return true;
	p->faulted = true;
	t->skipped = 0;
	return thread_file(e, p, t, &t->stat, "stat", buf, sizeof(buf), keep) >
		       0 &&
	       task_stat_parse(buf, stat);
}

/* Find the other facts of a thread that ran. */
static enum thread_look read_thread(struct task_env *e, struct process *p,
				struct thread *t, bool keep)
{
	struct task_stat stat;

	if (!task_threads_stat(e, p, t, keep, &stat))
		return GONE;
	if (t == p->thread) {
		if (p->looks > 0 && stat.start != p->start)
			return GONE;
		p->parent = stat.parent;
		if (strcmp(p->comm, stat.comm) != 0)
			p->facts.asked = false;
		p->start = stat.start;
		p->kernel = stat.flags & PF_KTHREAD;
		memcpy(p->comm, stat.comm, sizeof(p->comm));
		if (p->kernel)
			keep_group(e, p);
	}
	text_set(t->comm, stat.comm);
	p->threads = stat.threads;
	t->state = stat.state;
	t->blocked_ns = stat.state == 'D' && e->has_schedstat ? e->now_ns : 0;
	t->wchan[0] = '\0';
	if (t->state == 'D')
		task_facts_wait(e, p, t);
	if (!e->has_schedstat)
		p->sum.cpu_ns +=
			grown(&t->last.cpu_ns, stat.cpu_ticks * e->tick_ns);
	p->sum.delay_ticks += grown(&t->last.delay_ticks, stat.delay_ticks);
	p->sum.major_faults += grown(&t->last.major_faults, stat.major_faults);
	task_threads_read_io(e, p, t, keep);
	return RAN;
}

/*
 * Reading stat costs several times as much as the other files. Of a thread that
 * ran for a moment and slept at each look, stat is read every fourth time (of
 * kernel threads every sixteenth), and as soon as the thread no longer runs: a
 * thread that hangs in D shows a tick later. Never skip it when the process may
 * have a new thread.
 */
static bool may_skip_stat(const struct task_env *e, const struct process *p,
			  const struct thread *t, uint64_t cpu_ns)
{
	unsigned most = p->kernel ? SKIP_KERNEL : SKIP_MOST;

	return (t->schedstat.fd >= 0 || t->start_ns) && !e->delay &&
	       (p->kernel || !e->forked) && t->skipped < most &&
	       (t->state == 'S' || t->state == 'I') &&
	       t->last.cpu_ns - cpu_ns < SKIP_CPU_NS;
}

/* Read a thread again. */
static enum thread_look update_thread(struct task_env *e, struct process *p,
				  struct thread *t)
{
	uint64_t cpu_ns = t->last.cpu_ns;
	enum thread_look v = gate(e, p, t);
	const struct trace_task *seen;
	bool listed;

	if (v == IDLE && t->blocked_ns && !t->wchan[0])
		task_facts_wait(e, p, t);
	seen = task_threads_seen(e, t);
	listed = seen && seen->has_state && !e->delay;
	if (v == GONE || (v == IDLE && (t->skipped == 0 || listed)))
		return v;
	if (v == RAN && !listed && may_skip_stat(e, p, t, cpu_ns)) {
		t->skipped++;
		p->faulted = true;
		/* rcu and softirq threads run all the time and do no I/O. */
		if (!p->kernel || t->last.read_bytes || t->last.write_bytes ||
		    (t->skipped & 3) == 0)
			task_threads_read_io(e, p, t, true);
		return RAN;
	}
	return read_thread(e, p, t, true);
}

static void close_thread(struct task_env *e, struct thread *t)
{
	root_kept_close(&e->env->files, &t->schedstat);
	root_kept_close(&e->env->files, &t->stat);
	root_kept_close(&e->env->files, &t->io);
}

/* Add a thread; all that it has done so far counts as new. */
static bool add_thread(struct task_env *e, struct process *p, pid_t tid)
{
	struct thread *t;

	t = xadd(p->thread, p->n_threads, p->cap_threads);
	t->tid = tid;
	t->seen = true;
	t->schedstat = t->stat = t->io = KEPT_NONE;
	if (gate(e, p, t) != GONE && read_thread(e, p, t, false) != GONE)
		return true;
	close_thread(e, t);
	p->n_threads--;
	return false;
}

/* The known thread of a number; they are listed in the order last seen. */
static struct thread *find_thread(struct process *p, pid_t tid, size_t *hint)
{
	const size_t at =
		xfind(*hint, p->n_threads, i, p->thread[i].tid == tid);

	return at < p->n_threads ? &p->thread[at] : NULL;
}

static void task_threads_drop_unseen(struct task_env *e, struct process *p)
{
	size_t kept = 1;

	for (size_t i = 1; i < p->n_threads; i++) {
		if (p->thread[i].seen)
			p->thread[kept++] = p->thread[i];
		else
			close_thread(e, &p->thread[i]);
	}
	p->n_threads = kept;
}

/* List the threads; the leader is never dropped here. */
static void list_threads(struct task_env *e, struct process *p)
{
	char path[PATH_SIZE];
	const char *entry;
	size_t hint = 0;
	DIR *list;

	if (p->flat)
		return;
	snprintf(path, sizeof(path), "proc/%d/task", p->pid);
	list = root_open_dir(e->env->files.root, path);
	if (!list)
		return;
	for (size_t i = 0; i < p->n_threads; i++)
		p->thread[i].seen = false;
	while ((entry = descriptor_entry(&list))) {
		pid_t tid = (pid_t)atoi(entry);
		struct thread *t;

		if (tid <= 0)
			continue;
		t = find_thread(p, tid, &hint);
		if (t)
			t->seen = true;
		else
			add_thread(e, p, tid);
	}
	task_threads_drop_unseen(e, p);
}

/* The owner of /proc/PID is its user (root, if it may not be inspected). */
static void read_uid(struct task_env *e, struct process *p, uint64_t now_ns)
{
	char path[PATH_SIZE];
	struct stat st;

	snprintf(path, sizeof(path), "proc/%d", p->pid);
	if (fstatat(e->env->files.root->fd, path, &st, 0) == 0)
		p->uid = st.st_uid;
	text_set(p->user,
		 task_user_name(&e->users, e->env->files.root, p->uid, now_ns));
}

static bool process_waits(const struct process *p)
{
	for (size_t i = 0; i < p->n_threads; i++)
		if (p->thread[i].blocked_ns)
			return true;
	return false;
}

/*
 * Whether the process did I/O, or used more than a moment of CPU time, since
 * the last look.
 */
static bool task_threads_moved(const struct process *p)
{
	const struct task_count *a = &p->before, *b = &p->sum;

	return a->read_bytes != b->read_bytes ||
	       a->write_bytes != b->write_bytes ||
	       b->cpu_ns - a->cpu_ns > BUSY_CPU_NS;
}

struct process *process_new(struct task_env *e, pid_t pid, uint64_t now_ns)
{
	struct process *p = xcalloc(1, sizeof(*p));
	char path[PATH_SIZE];

	p->pid = pid;
	snprintf(p->id, sizeof(p->id), "%d", pid);
	p->has_io = true;
	p->group = -1;
	p->statm = KEPT_NONE;
	p->memory = (struct task_memory){ -1, -1, -1 };
	p->may_delay = e->delay;
	if (!e->env->files.live_proc) {
		snprintf(path, sizeof(path), "proc/%d/task/%d", pid, pid);
		p->flat = !root_exists(e->env->files.root, path);
	}
	if (!add_thread(e, p, pid)) {
		process_free(e, p);
		return NULL;
	}
	read_uid(e, p, now_ns);
	task_memory_read(e, p);
	if (p->threads > 1)
		list_threads(e, p);
	p->looks = 1;
	p->waits = process_waits(p);
	/* For a process that is older than the monitor, totals begin now. */
	if (!e->looked_ns)
		p->met = p->sum;
	task_facts_update(e, p, p->waits);
	/* The process began after the last look. */
	p->span_ns = e->looked_ns ? now_ns - e->looked_ns : 0;
	p->stepped = e->passed;
	p->looked_ns = now_ns;
	return p;
}

/* Spread the looks over the ticks by pid. */
static bool may_rest(const struct task_env *e, const struct process *p,
		     uint64_t now_ns)
{
	uint64_t spread_ns = (uint64_t)(p->pid & 7) * (REST_NS / 8);

	if (p->rests < RESTED_LOOKS || p->waits || e->n_seen)
		return false;
	if (!p->kernel)
		return (unsigned)p->pid % e->turns != e->turn;
	return now_ns - p->looked_ns < REST_NS + spread_ns;
}

/* What a look found already is not counted again. */
void process_thread_ended(struct process *p, const struct task_end *end)
{
	struct task_count none = { 0 }, *last = &none;
	size_t hint = 0;
	struct thread *t = find_thread(p, end->tid, &hint);

	if (t)
		last = &t->last;
	p->late.read_bytes += grown(&last->read_bytes, end->read_bytes);
	p->late.write_bytes += grown(&last->write_bytes, end->write_bytes);
	p->ended |= end->tid == p->pid;
}

void process_pass(struct process *p)
{
	p->passed = p->stepped = true;
}

bool process_update(struct task_env *e, struct process *p, uint64_t now_ns)
{
	bool ran = false, ended = false;

	if (may_rest(e, p, now_ns)) {
		process_pass(p);
		return true;
	}
	p->stepped = p->passed;
	p->passed = false;
	p->span_ns = now_ns - p->looked_ns;
	p->looked_ns = now_ns;
	p->before = p->sum;
	p->sum.read_bytes += p->late.read_bytes;
	p->sum.write_bytes += p->late.write_bytes;
	memset(&p->late, 0, sizeof(p->late));

	for (size_t i = 0; i < p->n_threads; i++)
		p->thread[i].before = p->thread[i].last;
	for (size_t i = 0; i < p->n_threads; i++) {
		enum thread_look v = update_thread(e, p, &p->thread[i]);

		if (v == GONE && i == 0)
			return false;
		ran |= v == RAN;
		ended |= v == GONE;
	}
	p->rests = ran ? 0 : p->rests + 1;
	p->waits = process_waits(p);
	/* A new process may have started another program since. */
	if (p->looks == 1 && ran)
		p->facts.asked = false;
	task_facts_update(e, p, p->waits || task_threads_moved(p));
	if (!ran && !ended)
		return true;
	/* What it gave back shows a few looks later. */
	if (p->faulted || ended || p->looks % MEMORY_EVERY == 0)
		task_memory_read(e, p);
	p->faulted = false;
	if (ended || p->threads != p->n_threads)
		list_threads(e, p);
	if (p->looks++ % UID_EVERY == 1)
		read_uid(e, p, now_ns);
	return true;
}

void process_free(struct task_env *e, struct process *p)
{
	for (size_t i = 0; i < p->n_threads; i++)
		close_thread(e, &p->thread[i]);
	root_kept_close(&e->env->files, &p->statm);
	task_facts_free(&p->facts);
	free(p->thread);
	free(p);
}
