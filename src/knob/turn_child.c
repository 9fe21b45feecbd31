/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turn child: the forked write and the wait for it.
 */
#include "knob/turn_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

struct outcome {
	int error;
	int64_t took_ns;
};

/*
 * The child. Only calls that are safe after a fork of a threaded program. The
 * file is cut to nothing first, as the shell's '>' does: sysfs ignores it, and
 * a captured tree then holds just the value.
 */
static void never_returns write_and_exit(const struct root *root,
					 const char *path, const char *value,
					 int out)
{
	struct outcome o = { 0, 0 };
	int fd = openat(root->fd, path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	uint64_t start = clock_mono_ns();
	ssize_t n;

	prctl(PR_SET_NAME, "iodyno-write");
	if (fd < 0) {
		o.error = errno;
	} else {
		n = write(fd, value, strlen(value));
		o.error = n < 0 ? errno : 0;
		o.took_ns = (int64_t)(clock_mono_ns() - start);
	}
	n = write(out, &o, sizeof(o));
	_exit(n != sizeof(o));
}

/* Milliseconds that poll() may sleep: until slow_at, rounded up. */
static int sleep_ms(const struct turn_wait *wait, uint64_t slow_at)
{
	uint64_t now = clock_mono_ns();

	if (!wait || !wait->slow || !slow_at)
		return -1;
	return now >= slow_at ? 0 : (int)((slow_at - now) / 1000000 + 1);
}

/* Wait until the pipe speaks or ends, and serve the others meanwhile. */
static void wait_for(int pipe_fd, struct turn_wait *wait)
{
	uint64_t slow_at = wait ? clock_mono_ns() + wait->slow_ns : 0;

	for (;;) {
		struct pollfd p[3] = {
			{ .fd = pipe_fd, .events = POLLIN },
			{ .fd = wait ? wait->fd[0] : -1, .events = POLLIN },
			{ .fd = wait ? wait->fd[1] : -1, .events = POLLIN },
		};

		if (poll(p, 3, sleep_ms(wait, slow_at)) < 0)
			continue;
		if (p[0].revents)
			return;
		if (p[1].revents || p[2].revents)
			wait->ready(wait->arg);
		if (slow_at && wait->slow && clock_mono_ns() >= slow_at) {
			slow_at = wait->slow(wait->arg)
					  ? 0
					  : clock_mono_ns() + wait->slow_ns;
		}
	}
}

int turn_child_write(const struct root *root, const char *path,
		     const char *value, struct turn_wait *wait,
		     int64_t *took_ns)
{
	struct outcome o;
	int fd[2];
	ssize_t n;
	pid_t pid;

	*took_ns = 0;
	if (pipe2(fd, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0) {
		int error = errno;

		close(fd[0]);
		close(fd[1]);
		return -error;
	}
	if (pid == 0) {
		/* While it is stuck the keeper can die, and must be missed. */
		for (int i = 0; wait && i < 2; i++)
			if (wait->fd[i] >= 0)
				close(wait->fd[i]);
		close(fd[0]);
		write_and_exit(root, path, value, fd[1]);
	}
	close(fd[1]);
	wait_for(fd[0], wait);
	n = read(fd[0], &o, sizeof(o));
	close(fd[0]);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	/* The child was killed: the scan after it tells what became of it. */
	if (n != sizeof(o))
		return -EIO;
	*took_ns = o.took_ns;
	return -o.error;
}
