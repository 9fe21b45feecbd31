/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process: fork, supervise and reap the processes of workers. A process has one
 * worker, or with thread=1 all clones of a job as threads.
 *
 * Its counters, its message and the barrier are in shared memory; the rest of
 * its memory is a copy made by the fork.
 */
#include "workload/thread/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"
#include "workload/kind/kind.h"
#include "workload/target/target.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"
#include "workload/verify/verify.h"

/* The i-th worker of the process that k is the host of; NULL after the last. */
static struct worker *member(struct worker *k, unsigned i)
{
	const struct clones *c = k->clones;

	if (i == 0)
		return k;
	if (k != c->worker[0] || i >= c->n || c->worker[i]->host != k)
		return NULL;
	return c->worker[i];
}

/* The descriptors that a worker uses, from keep[n] on; returns their end. */
static size_t add_used(int *keep, size_t n, const struct worker *k)
{
	for (unsigned i = 0; i < k->n_regions; i++) {
		keep[n++] = k->region[i].fd;
		/*
		 * Such a kind truncates files through this descriptor, and
		 * unlink_each_loop replaces it.
		 */
		if (k->kind->threads || k->job->unlink_each_loop)
			keep[n++] = k->region[i].target->fd;
	}
	for (unsigned i = 0; i < k->n_layout; i++)
		keep[n++] = k->layout[i]->fd;
	return n;
}

/*
 * Keep only the descriptors that the workers use, and stderr. Close other
 * sockets: a process that waits for our end must not wait for the end of a
 * child.
 */
static void close_others(struct worker *k, int alive_fd)
{
	size_t n = 4;
	const struct worker *m;
	int *keep;

	for (unsigned i = 0; (m = member(k, i)); i++)
		n += (size_t)m->n_regions * 2 + m->n_layout;
	keep = xcalloc(n, sizeof(int));
	n = 0;
	keep[n++] = STDERR_FILENO;
	keep[n++] = alive_fd;
	keep[n++] = *k->stop_fd;
	keep[n++] = k->barrier->event_fd;
	for (unsigned i = 0; (m = member(k, i)); i++)
		n = add_used(keep, n, m);
	descriptor_close_others(keep, n);
	free(keep);
}

/*
 * Stop this process while the main process is stopped: Ctrl-Z and SIGSTOP stop
 * the load, too. process_check() continues it.
 */
static void *follow_parent(void *arg)
{
	struct worker *k = arg;

	for (;;) {
		clock_pause_ns(100000000);
		if (process_state(getppid(), 0) != 'T')
			continue;
		atomic_store(&k->paused, 1);
		/*
		 * Send the signal to this thread, which then stops before it
		 * continues.
		 */
		raise(SIGSTOP);
		atomic_store(&k->paused, 0);
	}
	return NULL;
}

/* The worker does no more: release everything for which others wait. */
static void process_leave(struct worker *k)
{
	if (!counter_get(&k->run_end_at_ns))
		counter_set(&k->run_end_at_ns, clock_mono_ns());
	atomic_store(&k->in_flight_now, 0);
	layout_leave(k);
	verify_abandon(k);
	stages_over(k);
	worker_set_over(k);
}

/*
 * The clones of a job as threads. The main thread of this process only waits
 * for them, so that it can be killed beside one that hangs.
 */
static void run_threads(struct worker *k)
{
	unsigned n = 0;
	struct worker *m;

	for (; (m = member(k, n)); n++)
		if (worker_start_thread(m)) {
			worker_fail(m, "%s", fail_sentence());
			break;
		}
	for (unsigned i = n; (m = member(k, i)); i++)
		process_leave(m);
	for (unsigned i = 0; i < n; i++)
		pthread_join(member(k, i)->thread, NULL);
}

static void never_returns child(struct worker *k, pid_t parent, int alive_fd)
{
	pthread_t thread;

	/* This has no effect if the parent died before. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	die_hook(NULL);
	close_others(k, alive_fd);
	/*
	 * Without that thread the worker does not stop; everything else works.
	 */
	(void)!pthread_create(&thread, NULL, follow_parent, k);
	if (member(k, 1))
		run_threads(k);
	else
		worker_main(k);
	_exit(0);
}

/*
 * Start a process. Only the child holds the writing end of a pipe, so the
 * reading end shows its death, also on kernels without pidfd_open(2).
 */
int process_start(struct workload *w, struct worker *k)
{
	struct epoll_event event = { .events = EPOLLIN };
	pid_t parent = getpid(), pid;
	struct worker *m;
	int fd[2];

	/* The process of the host has started this worker. */
	if (k->host != k)
		return 0;
	if (pipe2(fd, O_CLOEXEC))
		return job_fail(k->job, errno, "cannot make a pipe: %s",
				strerror(errno));
	pid = fork();
	if (pid == 0)
		child(k, parent, fd[1]);
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return job_fail(k->job, errno, "cannot start a process: %s",
				strerror(errno));
	}
	for (unsigned i = 0; (m = member(k, i)); i++) {
		m->pid = pid;
		m->started = true;
	}
	k->alive_fd = fd[0];
	if (epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, k->alive_fd, &event))
		return job_fail(k->job, errno, "cannot observe a process: %s",
				strerror(errno));
	return 0;
}

/* "signal 9 (SIGKILL)" of the signals that end a worker. */
static void signal_words(int number, char *buf, size_t size)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {
		{ SIGKILL, "SIGKILL" }, { SIGSEGV, "SIGSEGV" },
		{ SIGBUS, "SIGBUS" },   { SIGABRT, "SIGABRT" },
		{ SIGILL, "SIGILL" },   { SIGFPE, "SIGFPE" },
		{ SIGSYS, "SIGSYS" },   { SIGXCPU, "SIGXCPU" },
		{ SIGXFSZ, "SIGXFSZ" }, { SIGTERM, "SIGTERM" },
		{ SIGTRAP, "SIGTRAP" }, { SIGINT, "SIGINT" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].number == number) {
			snprintf(buf, size, "signal %d (%s)", number,
				 names[i].name);
			return;
		}
	snprintf(buf, size, "signal %d", number);
}

/* Report the death of a worker that was not over. */
static void died(struct worker *k, int status)
{
	char words[40];

	if (atomic_load_explicit(&k->over, memory_order_acquire))
		return;
	/* The worker may have died while it wrote its message. */
	if (!atomic_load(&k->failed))
		atomic_store(&k->failing, false);
	if (WIFEXITED(status)) {
		worker_fail(k, "job %s: its process %d ended too early (%d)",
			    k->job->name, k->pid, WEXITSTATUS(status));
	} else {
		signal_words(WTERMSIG(status), words, sizeof(words));
		worker_fail(k, "job %s: its process %d was killed by %s",
			    k->job->name, k->pid, words);
	}
	counter_error(k->count, EOWNERDEAD);
	process_leave(k);
}

static void process_look(struct worker *k, int flags)
{
	struct worker *m;
	int status;
	pid_t pid;

	if (!k->process || k->alive_fd < 0)
		return;
	do
		pid = waitpid(k->pid, &status, flags);
	while (pid < 0 && errno == EINTR);
	if (pid != k->pid)
		return;
	close(k->alive_fd);
	k->alive_fd = -1;
	for (unsigned i = 0; (m = member(k, i)); i++)
		died(m, status);
}

void process_check(struct worker *k)
{
	/*
	 * Repeat this until the process continues: the first signal may arrive
	 * before it has stopped.
	 */
	if (k->process && k->alive_fd >= 0 && atomic_load(&k->paused))
		kill(k->pid, SIGCONT);
	process_look(k, WNOHANG);
}

void process_join(struct worker *k, bool kill_it)
{
	/* The process is not reaped yet, so its number is still valid. */
	if (kill_it && k->alive_fd >= 0)
		kill(k->pid, SIGKILL);
	process_look(k, kill_it ? WNOHANG : 0);
}

/* --- usage --- */

static uint64_t process_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_usec * 1000;
}

struct job_usage_raw process_usage(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (struct job_usage_raw){
		.user_ns = process_ns(u.ru_utime),
		.system_ns = process_ns(u.ru_stime),
		.switches = (uint64_t)(u.ru_nvcsw + u.ru_nivcsw),
		.major_faults = (uint64_t)u.ru_majflt,
		.minor_faults = (uint64_t)u.ru_minflt,
	};
}

static void process_more(uint64_t *to, uint64_t since, uint64_t now)
{
	*to += now > since ? now - since : 0;
}

void process_usage_add(struct job_usage_raw *to,
		       const struct job_usage_raw *since,
		       const struct job_usage_raw *now)
{
	const struct job_usage_raw was =
		since ? *since : (struct job_usage_raw){ 0 };

	process_more(&to->user_ns, was.user_ns, now->user_ns);
	process_more(&to->system_ns, was.system_ns, now->system_ns);
	process_more(&to->switches, was.switches, now->switches);
	process_more(&to->major_faults, was.major_faults, now->major_faults);
	process_more(&to->minor_faults, was.minor_faults, now->minor_faults);
}

/* --- workers that do not answer --- */

#define LOOK_NS (NS_PER_S / 4)

/* proc_pid_stat(5): the state follows the name, which may hold ')'. */
char process_state(int pid, int tid)
{
	char path[64], text[512], *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid,
		 tid ? tid : pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : 0;
}

static char worker_state(const struct worker *k)
{
	return process_state(k->process ? k->pid : getpid(),
			     atomic_load(&k->tid));
}

/* Grows with each completion, whatever the path. */
static uint64_t progress_of(const struct counters *c)
{
	uint64_t n = counter_get(&c->errors);

	for (int i = 0; i < JOB_OPS; i++)
		n += counter_get(&c->op[i].bytes);
	for (int i = 0; i < JOB_BATCHES; i++)
		n += counter_get(&c->reaps[i]);
	return n;
}

static bool in_flight(const struct worker *k)
{
	enum phase phase = atomic_load(&k->phase);

	return k->engine && phase >= PHASE_RAMP && phase < PHASE_DONE &&
	       atomic_load_explicit(&k->in_flight_now, memory_order_relaxed);
}

static void hang_words(const struct worker *k, char *buf, size_t size);

/* The runtime is over and the worker cannot end. */
static void abandon(struct worker *k, uint64_t now_ns)
{
	uint64_t start_ns = counter_get(&k->run_start_ns);
	char words[300];

	if (k->hang.abandoned || !k->job->runtime_ns || !start_ns ||
	    now_ns < start_ns + k->job->runtime_ns + HANG_NS)
		return;
	k->hang.abandoned = true;
	hang_words(k, words, sizeof(words));
	worker_fail(k, "%s", words);
	if (!counter_get(&k->run_end_at_ns))
		counter_set(&k->run_end_at_ns, now_ns);
	worker_set_phase(k, PHASE_DONE);
}

/* Between two I/Os, as by kill -STOP of its process. */
static bool stopped(const struct worker *k)
{
	return k->process && !atomic_load(&k->over) && worker_state(k) == 'T';
}

static void check_worker(struct worker *k, uint64_t now_ns)
{
	struct hang *h = &k->hang;
	uint64_t progress = progress_of(&k->ramp) + progress_of(&k->run) +
			    counter_get(&k->verify_bytes);

	if (progress != h->progress || !h->since_ns ||
	    (!in_flight(k) && !stopped(k))) {
		h->progress = progress;
		h->since_ns = now_ns;
		h->hangs = false;
		return;
	}
	if (now_ns - h->since_ns < HANG_NS - LOOK_NS / 2)
		return;
	h->for_ns = now_ns - h->since_ns;
	if (!h->hangs)
		h->state = worker_state(k);
	h->hangs = true;
	abandon(k, now_ns);
}

bool process_hang_abandoned(const struct workload *w)
{
	for (size_t i = 0; i < w->n_workers; i++)
		if (w->worker[i]->hang.abandoned &&
		    !atomic_load(&w->worker[i]->over))
			return true;
	return false;
}

uint64_t process_hang_check(struct workload *w, uint64_t now_ns)
{
	for (size_t i = 0; i < w->n_workers; i++)
		if (w->worker[i]->started)
			check_worker(w->worker[i], now_ns);
	return now_ns + LOOK_NS;
}

static const char *op_name(const struct worker *k)
{
	/* In a mix, or in a job that syncs, the kind of I/O is unknown. */
	if (k->mixed || k->in_flight_now > k->depth ||
	    filter_sync_wanted(k->job) || k->only >= JOB_DIRS)
		return "I/O";
	return job_ops[k->only].words;
}

static void hang_words(const struct worker *k, char *buf, size_t size)
{
	unsigned n = atomic_load(&k->in_flight_now);
	double seconds = (double)k->hang.for_ns / 1e9;

	if (k->hang.state == 'T' || k->hang.state == 't')
		snprintf(buf, size,
			 "job %s: its worker (process %d) is stopped; kill "
			 "-CONT %d continues it",
			 k->job->name, k->process ? k->pid : getpid(),
			 k->process ? k->pid : getpid());
	else if (!k->engine)
		snprintf(buf, size,
			 "job %s: its files or programs do not answer; iodyno "
			 "cannot end its process until the kernel answers",
			 k->job->name);
	else
		snprintf(buf, size,
			 "job %s: %u %s%s without an answer for %.0f s; iodyno "
			 "cannot end its %s until the kernel answers",
			 k->job->name, n ? n : 1, op_name(k), n > 1 ? "s" : "",
			 seconds, k->process ? "process" : "thread");
}

bool process_hang_event(struct clones *c, struct event *e)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct worker *k = c->worker[i];

		if (k->hang.hangs == k->hang.told)
			continue;
		k->hang.told = k->hang.hangs;
		memset(e, 0, sizeof(*e));
		e->kind = EVENT_NOTE;
		text_set(e->job, job_id(c->job));
		if (k->hang.hangs)
			hang_words(k, e->text, sizeof(e->text));
		else
			snprintf(e->text, sizeof(e->text),
				 "job %s: its I/O was answered after %.1f s",
				 c->job->name, (double)k->hang.for_ns / 1e9);
		return true;
	}
	return false;
}

void process_hang_describe(struct workload *w)
{
	for (size_t i = 0; i < w->n_workers; i++) {
		struct worker *k = w->worker[i];

		if (!k->started || atomic_load(&k->over))
			continue;
		k->hang.state = worker_state(k);
		if (k->hang.since_ns)
			k->hang.for_ns = clock_mono_ns() - k->hang.since_ns;
	}
}

int process_hang_fail(const struct workload *w, const char *words)
{
	char buf[300];

	for (size_t i = 0; i < w->n_workers; i++) {
		const struct worker *k = w->worker[i];

		if (!k->started || atomic_load(&k->over))
			continue;
		hang_words(k, buf, sizeof(buf));
		return fail(ETIMEDOUT, "%s%s%s", buf, *words ? "; " : "",
			    words);
	}
	return fail(ETIMEDOUT, "a job does not end%s%s", *words ? "; " : "",
		    words);
}
