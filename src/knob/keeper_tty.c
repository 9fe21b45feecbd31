/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeper's terminal: made sane after a peer that died.
 */
#include "knob/keeper_tty.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_S 2

/*
 * Mouse reports off (clicks, drags, any motion, SGR), bracketed paste off,
 * attributes off, numeric keypad, normal cursor keys, alternate screen left,
 * cursor shown.
 */
static const char sane[] = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l"
			   "\033[?2004l\033[0m\033(B\033>\033[?1l"
			   "\033[?1049l\033[?25h\r";

void keeper_tty_remember(struct keeper_tty *t, int fd)
{
	t->fd = fd >= 0 && !tcgetattr(fd, &t->settings) ? fd : -1;
}

void keeper_tty_give_back(const struct keeper_tty *t)
{
	pid_t pid;

	if (t->fd < 0)
		return;
	tcsetattr(t->fd, TCSANOW, &t->settings);
	tcflush(t->fd, TCIFLUSH);
	pid = fork();
	if (pid == 0) {
		signal(SIGALRM, SIG_DFL);
		alarm(PATIENCE_S);
		_exit(write(t->fd, sane, sizeof(sane) - 1) < 0);
	}
	if (pid < 0)
		return;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
