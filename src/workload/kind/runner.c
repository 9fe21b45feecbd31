/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runner: a process that forks, watches and kills the command.
 *
 * A process of its own, because PR_SET_PDEATHSIG kills only one process: when
 * the worker dies, the runner gets SIGTERM. It kills the whole group and, as
 * the subreaper of the command, all descendants that left the group. The
 * command has PR_SET_PDEATHSIG as well, in case the runner itself is killed.
 * After the fork the runner calls only what signal-safety(7) allows.
 */
#include "workload/kind/program.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/role.h"
#include "base/sandbox.h"
#include "workload/thread/process.h"

struct runner {
	int fd;        /* the worker's end of the socket */
	pid_t process; /* of the runner */
	pid_t command; /* while it runs */
};

/* To the runner: 0 starts the command, else it is a signal to send. */
struct request {
	int signal;
};

/* From the runner. */
struct runner_report {
	bool ended;
	pid_t pid; /* of the command that began */
	struct runner_result result;
};

/* The state of the runner's process. */
struct helper {
	const struct runner_command *c;
	int fd, signal_fd;
	pid_t pid; /* of the command; 0: none */
	uint64_t begin_ns;
	struct job_usage_raw before; /* of earlier children */
	bool stopped;	      /* as the process of the run is */
};

/* A process that does not die of SIGKILL waits for a device. */
#define KILL_NS  (2 * NS_PER_S)
#define PAUSE_NS 2000000
/* How often to look whether the run is stopped. */
#define FOLLOW_MS 100

static void reset_signals(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void never_returns become_command(const struct runner_command *c,
					 pid_t parent, int error_fd)
{
	int null_fd = open("/dev/null", O_RDWR), code;
	ssize_t n;

	setpgid(0, 0);
	sandbox_lift();
	if (c->as_user &&
	    (setgroups(1, &c->gid) || setresgid(c->gid, c->gid, c->gid) ||
	     setresuid(c->uid, c->uid, c->uid)))
		goto failed;
	if (c->cwd && chdir(c->cwd))
		goto failed;
	/* A change of the user would clear it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	dup2(null_fd, STDIN_FILENO);
	dup2(c->out_fd >= 0 ? c->out_fd : null_fd, STDOUT_FILENO);
	dup2(c->err_fd >= 0 ? c->err_fd : null_fd, STDERR_FILENO);
	reset_signals();
	execve(c->path, c->argv, c->environment ? c->environment : environ);
failed:
	code = errno;
	n = write(error_fd, &code, sizeof(code));
	(void)n;
	_exit(127);
}

static void runner_send_report(const struct helper *h,
			       const struct runner_report *r)
{
	ssize_t n = send(h->fd, r, sizeof(*r), MSG_NOSIGNAL);

	/* The worker is dead; poll() reports that. */
	(void)n;
}

static void start_failed(struct helper *h, int code)
{
	const struct runner_report r = { .ended = true, .result.error = code };

	if (h->pid)
		while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
			;
	h->pid = 0;
	runner_send_report(h, &r);
}

static void start(struct helper *h)
{
	const pid_t self = getpid();
	int fd[2], code = 0;
	struct runner_report r = { .ended = false };
	ssize_t n;

	if (pipe2(fd, O_CLOEXEC)) {
		start_failed(h, errno);
		return;
	}
	h->before = process_usage(RUSAGE_CHILDREN);
	h->begin_ns = clock_mono_ns();
	h->pid = fork();
	if (h->pid == 0)
		become_command(h->c, self, fd[1]);
	if (h->pid < 0) {
		h->pid = 0;
		code = errno;
	}
	close(fd[1]);
	if (h->pid) {
		/*
		 * Parent and child both set the group, so that the order does
		 * not matter.
		 */
		setpgid(h->pid, h->pid);
		n = read(fd[0], &code, sizeof(code));
		(void)n;
	}
	close(fd[0]);
	if (code) {
		start_failed(h, code);
		return;
	}
	r.pid = h->pid;
	runner_send_report(h, &r);
}

/*
 * Send SIGKILL to each child. Orphans of the command become children of this
 * process (PR_SET_CHILD_SUBREAPER).
 */
static void signal_children(void)
{
	int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	char buf[4096];
	ssize_t n = fd < 0 ? 0 : read(fd, buf, sizeof(buf));
	pid_t pid = 0;

	/*
	 * A number that does not fit into the buffer is not followed by a
	 * blank.
	 */
	for (ssize_t i = 0; i < n; i++) {
		if (buf[i] >= '0' && buf[i] <= '9') {
			pid = pid * 10 + (buf[i] - '0');
			continue;
		}
		if (pid > 0)
			kill(pid, SIGKILL);
		pid = 0;
	}
	descriptor_close(fd);
}

/*
 * Kill all descendants. A killed process passes its children to this one, so
 * each pass kills one generation.
 */
static void kill_children(void)
{
	uint64_t until_ns = clock_mono_ns() + KILL_NS;
	pid_t pid;

	for (;;) {
		signal_children();
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0 || clock_mono_ns() > until_ns)
			return;
		clock_pause_ns(PAUSE_NS);
	}
}

/*
 * The zombie of the command keeps the number of the group, so that kill() meets
 * no other group.
 */
static void command_ended(struct helper *h)
{
	struct runner_report r = { .ended = true };
	struct job_usage_raw now;

	r.result.ns = clock_mono_ns() - h->begin_ns;
	kill(-h->pid, SIGKILL);
	while (waitpid(h->pid, &r.result.status, 0) < 0)
		if (errno != EINTR)
			return;
	h->pid = 0;
	h->stopped = false;
	kill_children();
	/* That of the command and of all its descendants. */
	now = process_usage(RUSAGE_CHILDREN);
	process_usage_add(&r.result.usage, &h->before, &now);
	runner_send_report(h, &r);
}

/* Reap all children except the command; the end of the command is reported. */
static void look_at_children(struct helper *h)
{
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) ||
		    !info.si_pid)
			return;
		if (info.si_pid == h->pid)
			command_ended(h);
		else
			waitpid(info.si_pid, NULL, WNOHANG);
	}
}

/* Send the end signal of the command, if there is one, and wait for its end. */
static void end_command(const struct helper *h)
{
	uint64_t until_ns = clock_mono_ns() + h->c->end_ns;
	siginfo_t info;

	if (!h->c->end_signal)
		return;
	kill(h->pid, h->c->end_signal);
	do {
		clock_pause_ns(PAUSE_NS);
		info.si_pid = 0;
	} while (!waitid(P_PID, (id_t)h->pid, &info,
			 WEXITED | WNOHANG | WNOWAIT) &&
		 !info.si_pid && clock_mono_ns() < until_ns);
}

static void never_returns end_helper(const struct helper *h)
{
	if (h->pid) {
		end_command(h);
		kill(-h->pid, SIGKILL);
	}
	kill_children();
	sandbox_lift();
	if (h->c->after)
		h->c->after(h->c->after_arg);
	_exit(0);
}

static void serve_request(struct helper *h)
{
	struct request q;
	ssize_t n = recv(h->fd, &q, sizeof(q), 0);

	if (n < 0 && errno == EINTR)
		return;
	if (n != sizeof(q))
		end_helper(h);
	if (!q.signal)
		start(h);
	else if (h->pid)
		kill(-h->pid, q.signal);
}

static void serve_signal(struct helper *h)
{
	struct signalfd_siginfo info;

	while (read(h->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo == SIGTERM)
			end_helper(h);
	look_at_children(h);
}

/* Ctrl-Z and SIGSTOP stop the load, too. */
static void follow_run(struct helper *h)
{
	const bool stop = process_state(h->c->run_pid, 0) == 'T';

	if (!h->pid || stop == h->stopped)
		return;
	h->stopped = stop;
	kill(-h->pid, stop ? SIGSTOP : SIGCONT);
}

static void runner_set_up(void *arg)
{
	struct helper *h = arg;
	sigset_t wanted;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	h->signal_fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	if (h->signal_fd < 0)
		_exit(1);
}

static void runner_serve(int socket, void *arg)
{
	struct helper *h = arg;
	struct pollfd p[] = {
		{ .fd = h->fd = socket, .events = POLLIN },
		{ .fd = h->signal_fd, .events = POLLIN },
		{ .fd = h->c->run_pid ? descriptor_of_process(h->c->run_pid)
				      : -1,
		  .events = POLLIN },
	};

	for (;;) {
		if (poll(p, ARRAY_SIZE(p), h->c->run_pid ? FOLLOW_MS : -1) < 0)
			continue;
		if (p[2].revents)
			end_helper(h);
		if (h->c->run_pid)
			follow_run(h);
		if (p[1].revents)
			serve_signal(h);
		if (p[0].revents)
			serve_request(h);
	}
}

int runner_open(struct runner **out, const struct runner_command *c)
{
	const int keep[] = { c->out_fd, c->err_fd, c->keep_fd };
	struct helper h = { .c = c };
	const struct role_start start = { .role = ROLE_RUNNER,
					  .keep = keep,
					  .n = ARRAY_SIZE(keep),
					  .prepare = runner_set_up,
					  .serve = runner_serve,
					  .arg = &h };
	int socket;
	pid_t pid = role_start(&start, &socket);

	if (pid < 0)
		return pid;
	*out = xcalloc(1, sizeof(**out));
	(*out)->fd = socket;
	(*out)->process = pid;
	return 0;
}

static bool runner_ask(struct runner *r, int signal)
{
	const struct request q = { .signal = signal };

	return send(r->fd, &q, sizeof(q), MSG_NOSIGNAL) == sizeof(q);
}

bool runner_start(struct runner *r)
{
	return runner_ask(r, 0);
}

void runner_signal(struct runner *r, int signal)
{
	/* A runner that died took the command with it. */
	if (!runner_ask(r, signal))
		r->command = 0;
}

int runner_fd(const struct runner *r)
{
	return r->fd;
}

pid_t runner_pid(const struct runner *r)
{
	return r->command;
}

bool runner_take(struct runner *r, struct runner_result *out)
{
	struct runner_report got;
	ssize_t n = recv(r->fd, &got, sizeof(got), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n != sizeof(got))
		got = (struct runner_report){ .ended = true, .result.error = ECHILD };
	r->command = got.ended ? 0 : got.pid;
	*out = got.result;
	return got.ended;
}

void runner_close(struct runner *r)
{
	if (!r)
		return;
	close(r->fd);
	while (waitpid(r->process, NULL, 0) < 0 && errno == EINTR)
		;
	free(r);
}
