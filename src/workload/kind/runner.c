/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runner: a process that forks, watches and kills the command.
 *
 * A process of its own, because PR_SET_PDEATHSIG kills only one process: when
 * the worker dies, the runner gets SIGTERM by it and kills the whole group. The
 * command has PR_SET_PDEATHSIG as well, in case the runner itself is killed.
 * After the fork the runner calls only what signal-safety(7) allows.
 */
#include "workload/kind/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "workload/thread/process.h"

struct runner {
	int fd;        /* of the worker's end */
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

/* What the runner's process knows. */
struct helper {
	const struct runner_command *c;
	int fd, signal_fd;
	pid_t pid; /* of the command; 0: none */
	uint64_t begin_ns;
};

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
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	dup2(null_fd, STDIN_FILENO);
	dup2(c->out_fd >= 0 ? c->out_fd : null_fd, STDOUT_FILENO);
	dup2(c->err_fd >= 0 ? c->err_fd : null_fd, STDERR_FILENO);
	reset_signals();
	execv(c->path, c->argv);
	code = errno;
	n = write(error_fd, &code, sizeof(code));
	(void)n;
	_exit(127);
}

static void send_report(const struct helper *h, const struct runner_report *r)
{
	ssize_t n = send(h->fd, r, sizeof(*r), MSG_NOSIGNAL);

	/* The worker is dead: poll() says so. */
	(void)n;
}

static void start_failed(struct helper *h, int code)
{
	const struct runner_report r = { .ended = true, .result.error = code };

	if (h->pid)
		while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
			;
	h->pid = 0;
	send_report(h, &r);
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
		/* Whichever of the two comes first. */
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
	send_report(h, &r);
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_usec * 1000;
}

/* Its zombie keeps the number of the group: no other group is killed. */
static void look_at_command(struct helper *h)
{
	struct runner_report r = { .ended = true };
	siginfo_t info = { .si_pid = 0 };
	struct rusage u;

	if (!h->pid ||
	    waitid(P_PID, (id_t)h->pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	    !info.si_pid)
		return;
	r.result.ns = clock_mono_ns() - h->begin_ns;
	kill(-h->pid, SIGKILL);
	while (wait4(h->pid, &r.result.status, 0, &u) < 0)
		if (errno != EINTR)
			return;
	h->pid = 0;
	r.result.usage = (struct job_usage_raw){
		.user_ns = ns_of(u.ru_utime),
		.system_ns = ns_of(u.ru_stime),
		.switches = (uint64_t)(u.ru_nvcsw + u.ru_nivcsw),
		.major_faults = (uint64_t)u.ru_majflt,
		.minor_faults = (uint64_t)u.ru_minflt,
	};
	send_report(h, &r);
}

static void never_returns end_helper(const struct helper *h)
{
	if (h->pid)
		kill(-h->pid, SIGKILL);
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
	look_at_command(h);
}

static void never_returns be_helper(struct helper *h, pid_t parent)
{
	int keep[] = { h->fd, h->c->out_fd, h->c->err_fd };
	struct pollfd p[2];
	sigset_t wanted;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_NAME, "iodyno-runner");
	die_hook(NULL);
	process_close_others(keep, ARRAY_SIZE(keep));
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGCHLD);
	sigprocmask(SIG_BLOCK, &wanted, NULL);
	signal(SIGCHLD, SIG_DFL);
	h->signal_fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	if (h->signal_fd < 0 || getppid() != parent)
		_exit(1);
	p[0] = (struct pollfd){ .fd = h->fd, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = h->signal_fd, .events = POLLIN };
	for (;;) {
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[1].revents)
			serve_signal(h);
		if (p[0].revents)
			serve_request(h);
	}
}

int runner_open(struct runner **out, const struct runner_command *c)
{
	struct helper h = { .c = c };
	pid_t parent = getpid(), pid;
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd))
		return fail(errno, "cannot make a socket: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		h.fd = fd[1];
		be_helper(&h, parent);
	}
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return fail(errno, "cannot start a process: %s",
			    strerror(errno));
	}
	*out = xcalloc(1, sizeof(**out));
	(*out)->fd = fd[0];
	(*out)->process = pid;
	return 0;
}

static bool ask(struct runner *r, int signal)
{
	const struct request q = { .signal = signal };

	return send(r->fd, &q, sizeof(q), MSG_NOSIGNAL) == sizeof(q);
}

bool runner_start(struct runner *r)
{
	return ask(r, 0);
}

void runner_signal(struct runner *r, int signal)
{
	/* A runner that died took the command with it. */
	if (!ask(r, signal))
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
