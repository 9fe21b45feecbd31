/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tty: the terminal and the signals of a command with a loop.
 */
#include "cmd/session/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/fail.h"
#include "cmd/options.h"
#include "ui/ui.h"

int tty_open(void)
{
	int fd;

	if (!isatty(STDOUT_FILENO))
		return fail(ENOTTY,
			    "stdout is not a terminal; iodyno --batch, iodyno "
			    "record and iodyno run --headless need none");
	fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return fail(errno, "cannot open the terminal: %s",
			    strerror(errno));
	return fd;
}

int tty_choose(const struct settings *s)
{
	const char *term = getenv("TERM");
	const bool log_there = s->log && !strcmp(s->log, "-");

	if (s->headless && s->screen)
		return fail(EINVAL,
			    "--headless and --screen exclude each other");
	if (s->screen && log_there)
		return fail(EINVAL, "--screen and --log=- both want stdout; "
				    "give --log=FILE");
	if (s->headless || log_there)
		return -1;
	if (s->screen)
		return tty_open();
	if (!isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return -1;
	return tty_open();
}

/*
 * Terminating signals, except those that our parent ignores (nohup, a shell's
 * '&'): a blocked signal reaches the descriptor although it is ignored.
 */
static void add_ends(sigset_t *set)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction now;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (sigaction(ends[i], NULL, &now) == 0 &&
		    now.sa_handler != SIG_IGN)
			sigaddset(set, ends[i]);
}

int tty_signals(bool screen)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	add_ends(&set);
	if (screen) {
		sigaddset(&set, SIGWINCH);
		sigaddset(&set, SIGTSTP);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return fail(errno, "cannot watch signals: %s", strerror(errno));
	return fd;
}

int tty_take_signal(int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	return (int)info.ssi_signo;
}

/* SA_RESETHAND: the second time the signal has its default effect. */
static void crashed(int sig)
{
	ui_crash();
	raise(sig);
}

void tty_catch_crashes(void)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	struct sigaction sa = { .sa_handler = crashed,
				.sa_flags = SA_RESETHAND | SA_NODEFER };

	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &sa, NULL);
}
