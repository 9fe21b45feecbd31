/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process: fork, supervise, reap.
 *
 * Its counters, its message and the barrier are in shared memory; all else that
 * it has is a copy of what was there at the fork.
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "workload/target/layout.h"
#include "workload/thread/clones.h"
#include "workload/thread/stages.h"
#include "workload/verify/verify.h"

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * Keep only what the worker uses. Above all not the sockets of others: who
 * waits for our end must not wait for a child's.
 */
static void close_others(const struct worker *k)
{
	size_t n = 0;
	int *keep = xcalloc(k->n_regions + k->n_layout + 2, sizeof(int));
	int next = 3;

	keep[n++] = STDERR_FILENO;
	keep[n++] = k->barrier->event_fd;
	for (unsigned i = 0; i < k->n_regions; i++)
		keep[n++] = k->region[i].fd;
	for (unsigned i = 0; i < k->n_layout; i++)
		keep[n++] = k->layout[i]->fd;
	qsort(keep, n, sizeof(int), by_number);
	for (size_t i = 0; i < n; i++) {
		if (keep[i] < next)
			continue;
		if (keep[i] > next)
			close_range((unsigned)next, (unsigned)keep[i] - 1, 0);
		next = keep[i] + 1;
	}
	close_range((unsigned)next, ~0u, 0);
	free(keep);
}

/* Neither a terminal nor a pipe is kept open. */
static void leave_stdio(void)
{
	int fd = open("/dev/null", O_RDWR);

	if (fd < 0)
		return;
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static void never_returns child(struct worker *k, pid_t parent)
{
	/* Of no avail if the parent went before. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	die_hook(NULL);
	close_others(k);
	leave_stdio();
	worker_main(k);
	_exit(0);
}

int process_start(struct workload *w, struct worker *k)
{
	struct epoll_event event = { .events = EPOLLIN };
	pid_t parent = getpid(), pid;

	pid = fork();
	if (pid == 0)
		child(k, parent);
	if (pid < 0)
		return fail(errno, "job %s: cannot start a process: %s",
			    k->job->name, strerror(errno));
	k->pid = pid;
	k->started = true;
	k->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (k->pid_fd < 0 ||
	    epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, k->pid_fd, &event))
		return fail(errno, "job %s: cannot watch over a process: %s",
			    k->job->name, strerror(errno));
	return 0;
}

/* How it ended, which it did not tell itself. */
static void died(struct worker *k, const siginfo_t *info)
{
	if (atomic_load_explicit(&k->over, memory_order_acquire))
		return;
	/* It may have died with its last words half said. */
	if (!atomic_load(&k->failed))
		atomic_store(&k->failing, false);
	if (info->si_code == CLD_EXITED)
		worker_fail(k, "job %s: its process %d ended too early (%d)",
			    k->job->name, k->pid, info->si_status);
	else
		worker_fail(k,
			    "job %s: its process %d was killed by signal %d "
			    "(SIG%s)",
			    k->job->name, k->pid, info->si_status,
			    sigabbrev_np(info->si_status));
	counter_error(k->count, EOWNERDEAD);
	if (!counter_get(&k->run_end_at_ns))
		counter_set(&k->run_end_at_ns, clock_mono_ns());
	atomic_store(&k->in_flight_now, 0);
	layout_leave(k);
	verify_abandon(k);
	stages_over(k);
	worker_set_over(k);
}

static void look(struct worker *k, int flags)
{
	siginfo_t info = { 0 };

	if (!k->process || k->pid_fd < 0)
		return;
	while (waitid(P_PIDFD, (id_t)k->pid_fd, &info, WEXITED | flags)) {
		if (errno != EINTR)
			return;
	}
	if (!info.si_pid)
		return;
	close(k->pid_fd);
	k->pid_fd = -1;
	died(k, &info);
}

void process_check(struct worker *k)
{
	look(k, WNOHANG);
}

void process_join(struct worker *k, bool kill)
{
	if (kill && k->pid_fd >= 0)
		syscall(SYS_pidfd_send_signal, k->pid_fd, SIGKILL, NULL, 0);
	look(k, kill ? WNOHANG : 0);
}
