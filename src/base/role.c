/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Role: the table of processes, and how one starts and ends.
 *
 * A process is forked from the program at any time, also while other threads
 * hold the lock of malloc(): until the sandbox it calls only what
 * signal-safety(7) allows. All signals are blocked around the fork, so that no
 * handler of the program runs in it. It is a child of the program; what it does
 * when the program dies is in its row: it gets a signal (.dies), or it sees the
 * end of its socket or pipe.
 */
#include "base/role.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/sandbox.h"

struct role_row {
	const char *name; /* at most 15 characters, for ps(1) and pgrep(1) */
	const char *does; /* after "the process that" */
	bool ignores;     /* signals; else they are blocked, which programs that
			   * it starts undo */
	bool apart;       /* a session of its own: no signal of the group */
	bool speaks;      /* stderr stays open, for die() */
	int dies;         /* the signal that it gets when the program ends */
	struct sandbox sandbox;
};

#define CAP(name) SANDBOX_CAP(name)

/* Capabilities with which root uses files of other users. */
#define CAPS_FILES (CAP(DAC_OVERRIDE) | CAP(DAC_READ_SEARCH) | CAP(FOWNER))

#define KEEPER_CALLS                                                     \
	{ CALLS_POLL,     CALLS_MESSAGES, CALLS_CLOCK, CALLS_SIGNALS, \
	  CALLS_BELOW,    CALLS_READ,     CALLS_WRITE, CALLS_TERMINAL, \
	  CALLS_FORK,     CALLS_END,      CALLS_SELF }

static const struct role_row roles[ROLES] = {
	/*
	 * It cannot execute a program, nor open a path that does not begin at a
	 * directory that it holds. Its writers get the capability.
	 */
	[ROLE_KEEPER] = {
		.name = "iodyno-keeper",
		.does = "changes settings and puts them back",
		.ignores = true,
		.apart = true,
		.dies = SIGUSR2,
		.sandbox = { .capabilities = CAP(SYS_ADMIN),
			     .effect = SANDBOX_DORMANT,
			     .calls = KEEPER_CALLS },
	},
	/* The files of the tree may be those of another user. */
	[ROLE_KEEPER_TREE] = {
		.name = "iodyno-keeper",
		.does = "changes settings and puts them back",
		.ignores = true,
		.apart = true,
		.dies = SIGUSR2,
		.sandbox = { .capabilities = CAP(SYS_ADMIN) | CAP(DAC_OVERRIDE),
			     .calls = KEEPER_CALLS },
	},
	/* kernel.task_delayacct asks for CAP_SYS_ADMIN at the write itself. */
	[ROLE_WRITER] = {
		.name = "iodyno-write",
		.does = "writes a setting",
		.ignores = true,
		.sandbox = { .capabilities = CAP(SYS_ADMIN),
			     .effect = SANDBOX_RAISED,
			     .calls = { CALLS_MESSAGES, CALLS_PUT, CALLS_CLOCK,
					CALLS_END } },
	},
	/*
	 * It examines files and devices, opens them, and asks the operator. It
	 * cannot make, cut, rename or remove a file, cannot write to one but the
	 * terminal, start a process, or change a mount.
	 */
	[ROLE_OPENER] = {
		.name = "iodyno-opener",
		.does = "opens devices",
		.ignores = true,
		.apart = true,
		.sandbox = { .capabilities = CAPS_FILES | CAP(SYS_PTRACE) |
					     CAP(SYS_ADMIN),
			     .effect = SANDBOX_RAISED,
			     .calls = { CALLS_MESSAGES, CALLS_OPEN, CALLS_READ,
					CALLS_LOOK, CALLS_DEVICE, CALLS_POLL,
					CALLS_SAY, CALLS_TERMINAL, CALLS_CLOCK,
					CALLS_SIGNALS, CALLS_END, CALLS_SELF } },
	},
	/*
	 * Its programs inherit all of this: mkfs, mount and umount may make any
	 * call that files and devices need, and none that changes the kernel,
	 * looks into other processes, leaves the mount namespace or reaches a
	 * network.
	 */
	[ROLE_HAND] = {
		.name = "iodyno-hand",
		.does = "makes file systems",
		.apart = true,
		.sandbox = { .capabilities = CAPS_FILES | CAP(SYS_ADMIN) |
					     CAP(CHOWN) | CAP(KILL),
			     .effect = SANDBOX_RAISED,
			     .calls = { CALLS_NO_KERNEL, CALLS_NO_RINGS,
					CALLS_NO_NETWORK } },
	},
	/* It opens its disks before. NVMe and ATA ask for the capabilities. */
	[ROLE_HEALTH] = {
		.name = "iodyno-smart",
		.does = "reads the health counters of disks",
		.apart = true,
		.sandbox = { .capabilities = CAP(SYS_ADMIN) | CAP(SYS_RAWIO),
			     .effect = SANDBOX_RAISED,
			     .calls = { CALLS_MESSAGES, CALLS_HEALTH,
					CALLS_END } },
	},
	/*
	 * It ends when the programs are in the kernel; the session holds only
	 * their descriptors.
	 */
	[ROLE_TRACE] = {
		.name = "iodyno-trace",
		.does = "loads the programs that trace I/O",
		.apart = true,
		.dies = SIGKILL,
		.sandbox = { .capabilities = CAP(BPF) | CAP(PERFMON),
			     .effect = SANDBOX_RAISED,
			     .calls = { CALLS_BPF } },
	},
	/*
	 * The command has the user's rights, and it would inherit a filter. So the
	 * runner itself has of root's rights only the one to end its command. A
	 * SIGKILL to the process group of iodyno or to all processes of its name
	 * does not reach it: it must kill the command.
	 */
	[ROLE_RUNNER] = {
		.name = "exec-runner",
		.does = "runs the command",
		.apart = true,
		.speaks = true,
		.dies = SIGTERM,
		.sandbox = { .capabilities = CAP(KILL), .program = true },
	},
	/* Its file and its pipe are open. */
	[ROLE_LOG] = {
		.name = "iodyno-log",
		.does = "writes the log or the lines on stdout",
		.sandbox = { .calls = { CALLS_READ, CALLS_WRITE, CALLS_POLL,
					CALLS_CLOCK, CALLS_END, CALLS_SELF } },
	},
	[ROLE_IO_LOGS] = {
		.name = "iodyno-logs",
		.does = "writes the logs of I/Os",
		.speaks = true,
		.sandbox = { .calls = { CALLS_READ, CALLS_WRITE, CALLS_MARK,
					CALLS_CLOCK, CALLS_END, CALLS_SELF } },
	},
	/* Its pipe or socket is open. */
	[ROLE_WITNESS] = {
		.name = "iodyno-witness",
		.does = "sends to the witness",
		.speaks = true,
		.sandbox = { .calls = { CALLS_READ, CALLS_WRITE, CALLS_POLL,
					CALLS_CLOCK, CALLS_END, CALLS_SELF } },
	},
	/* An engine may use any call for its I/O. */
	[ROLE_PING] = {
		.name = "iodyno-ping",
		.does = "makes the I/O",
		.speaks = true,
		.dies = SIGKILL,
		.sandbox = { .capabilities = CAP(SYS_NICE) | CAP(IPC_LOCK) |
					     CAP(SYS_ADMIN) | CAP(SYS_RAWIO),
			     .calls = { CALLS_NO_KERNEL, CALLS_NO_PROGRAM } },
	},
	[ROLE_RESULTS] = {
		.name = "iodyno-results",
		.does = "prints the results",
		.speaks = true,
		.sandbox = { .capabilities = CAPS_FILES,
			     .calls = { CALLS_NO_KERNEL, CALLS_NO_RINGS,
					CALLS_NO_PROGRAM } },
	},
	[ROLE_CLEANER] = {
		.name = "iodyno-cleaner",
		.does = "removes files",
		.speaks = true,
		.sandbox = { .capabilities = CAPS_FILES,
			     .calls = { CALLS_NO_KERNEL, CALLS_NO_RINGS,
					CALLS_NO_PROGRAM } },
	},
	/* The kernel detaches the device when this process ends. */
	[ROLE_HOLDER] = {
		.name = "iodyno-holder",
		.does = "closes the scratch space",
		.speaks = true,
		.sandbox = { .calls = { CALLS_READ, CALLS_END } },
	},
	/* Its file system is mounted before. Others may use the disk when the
	 * program has ended. */
	[ROLE_DISK] = {
		.name = "iodyno-disk",
		.does = "is the simulated disk",
		.apart = true,
		.sandbox = { .calls = { CALLS_CLOCK, CALLS_POLL, CALLS_READ,
					CALLS_WRITE, CALLS_MESSAGES, CALLS_END,
					CALLS_SELF } },
	},
};

static void role_set_signals(const struct role_row *r)
{
	static const int ignored[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
				       SIGPIPE, SIGTSTP, SIGTTOU, SIGTTIN,
				       SIGUSR1, SIGALRM };
	sigset_t none;

	if (!r->ignores)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Before the filter, which may forbid it. Fewer capabilities do not clear it. */
static void role_die_with(const struct role_row *r, pid_t parent)
{
	if (!r->dies)
		return;
	prctl(PR_SET_PDEATHSIG, r->dies);
	if (getppid() != parent)
		raise(r->dies);
}

/* The forked process, with all signals blocked; keep[] ends with the socket. */
static void never_returns role_be(const struct role_start *s, int *keep,
				  size_t n, int socket, pid_t parent)
{
	const struct role_row *r = &roles[s->role];

	die_hook(NULL);
	role_set_signals(r);
	if (r->apart)
		setsid();
	role_die_with(r, parent);
	prctl(PR_SET_NAME, r->name);
	descriptor_close_others(keep, n);
	if (s->prepare)
		s->prepare(s->arg);
	role_die_with(r, parent); /* prepare() may have changed its user */
	sandbox_enter(&r->sandbox);
	s->serve(socket, s->arg);
	_exit(0);
}

static int role_cannot_start(enum role_id role, int error)
{
	return fail(error, "cannot start the process that %s: %s",
		    roles[role].does, strerror(error));
}

pid_t role_start(const struct role_start *s, int *socket)
{
	int pair[2] = { -1, -1 }, *keep, error;
	pid_t parent = getpid(), pid;
	sigset_t all, before;

	if (socket &&
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return role_cannot_start(s->role, errno);
	keep = xcalloc(s->n + 2, sizeof(*keep));
	if (s->n)
		memcpy(keep, s->keep, s->n * sizeof(*keep));
	keep[s->n] = pair[1];
	keep[s->n + 1] = roles[s->role].speaks ? STDERR_FILENO : -1;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	error = errno;
	if (pid == 0)
		role_be(s, keep, s->n + 2, pair[1], parent);
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(keep);
	if (socket)
		close(pair[1]);
	if (pid > 0 && socket)
		*socket = pair[0];
	else if (socket)
		close(pair[0]);
	return pid < 0 ? role_cannot_start(s->role, error) : pid;
}

ssize_t role_hear(int socket, void *bytes, size_t size, int *fd, size_t n_fds)
{
	for (;;) {
		ssize_t n = descriptor_receive(socket, bytes, size, fd, n_fds);

		if (n > 0)
			return n;
		if (n == 0 || errno != EINTR)
			_exit(0);
	}
}

void role_end(int socket, pid_t pid, unsigned ms)
{
	close(socket);
	for (unsigned i = 0; i < ms && waitpid(pid, NULL, WNOHANG) == 0; i++)
		clock_pause_ns(1000000);
}

/*
 * Whether the process was on a processor since the last call. A process that
 * waits for an answer of the kernel was not.
 */
static bool role_has_run(pid_t pid, char last[80])
{
	char path[40], now[80];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, now, sizeof(now) - 1);
	close(fd);
	now[n > 0 ? n : 0] = '\0';
	if (!strcmp(now, last))
		return false;
	strcpy(last, now);
	return true;
}

int role_wait(pid_t pid)
{
	uint64_t since_ns = clock_mono_ns();
	char last[80] = "";

	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (role_has_run(pid, last))
			since_ns = clock_mono_ns();
		else if (clock_mono_ns() - since_ns > ROLE_HANG_NS)
			return -ETIMEDOUT;
		clock_pause_ns(1000000);
	}
	return 0;
}
