/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pty: a program on a pseudo-terminal, its screen drawn by libvterm. */
#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vterm.h>

#include "base/alloc.h"
#include "base/clock.h"

/* In the child: make the slave the controlling terminal and become it. */
static void become(const char *slave, char **argv)
{
	sigset_t none;
	int fd;

	setsid();
	fd = open(slave, O_RDWR);
	if (fd < 0)
		_exit(126);
	ioctl(fd, TIOCSCTTY, 0);
	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	if (fd > 2)
		close(fd);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* A shell in the background ignores these, and exec passes that on. */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static bool complain(const char *what)
{
	fprintf(stderr, "ptyrun: %s: %s\n", what, strerror(errno));
	return false;
}

/* Open both ends and set the size. */
static bool open_ends(struct pty *p, char *slave, size_t size)
{
	struct winsize w = { .ws_row = (unsigned short)p->rows,
			     .ws_col = (unsigned short)p->columns };

	p->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (p->master < 0 || grantpt(p->master) || unlockpt(p->master) ||
	    ptsname_r(p->master, slave, size))
		return complain("no pseudo-terminal");
	p->slave = open(slave, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (p->slave < 0 || ioctl(p->master, TIOCSWINSZ, &w) ||
	    tcgetattr(p->slave, &p->before))
		return complain(slave);
	return true;
}

bool pty_start(struct pty *p, int rows, int columns, char **argv)
{
	char slave[128];

	memset(p, 0, sizeof(*p));
	p->master = p->slave = p->pidfd = -1;
	p->rows = rows;
	p->columns = columns;
	if (!open_ends(p, slave, sizeof(slave)))
		return false;
	p->vterm = vterm_new(rows, columns);
	vterm_set_utf8(p->vterm, 1);
	p->screen = vterm_obtain_screen(p->vterm);
	vterm_screen_enable_altscreen(p->screen, 1);
	vterm_screen_reset(p->screen, 1);
	p->start_ns = clock_mono_ns();
	p->pid = fork();
	if (p->pid < 0)
		return complain("fork");
	if (p->pid == 0)
		become(slave, argv);
	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->pidfd < 0)
		return complain("pidfd_open");
	return true;
}

static void take_status(struct pty *p)
{
	int status;

	if (p->ended || waitpid(p->pid, &status, WNOHANG) != p->pid)
		return;
	p->ended = true;
	p->status = WIFEXITED(status) ? WEXITSTATUS(status)
				      : 128 + WTERMSIG(status);
}

void pty_end(struct pty *p)
{
	if (p->pid > 0 && !p->ended) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
	}
	if (p->vterm)
		vterm_free(p->vterm);
	if (p->master >= 0)
		close(p->master);
	if (p->slave >= 0)
		close(p->slave);
	if (p->pidfd >= 0)
		close(p->pidfd);
}

/* Terminals answer some questions; programs wait for that. */
static void answer(struct pty *p)
{
	char buf[256];
	size_t n;

	while ((n = vterm_output_read(p->vterm, buf, sizeof(buf))) > 0)
		if (write(p->master, buf, n) < 0)
			return;
}

static bool blank(const struct pty *p)
{
	char *text = pty_text(p);
	bool is = text[strspn(text, " \n")] == '\0';

	free(text);
	return is;
}

/* Draw what there is. */
static void draw(struct pty *p)
{
	char buf[16384];
	ssize_t n = read(p->master, buf, sizeof(buf));

	if (n <= 0)
		return;
	vterm_input_write(p->vterm, buf, (size_t)n);
	answer(p);
	if (!p->paint_ns && !blank(p))
		p->paint_ns = clock_mono_ns();
}

/* Milliseconds from now until then, rounded up; 0 when it is over. */
static int left_ms(uint64_t until_ns)
{
	uint64_t now = clock_mono_ns();

	return now >= until_ns ? 0 : (int)((until_ns - now + 999999) / 1000000);
}

bool pty_pump(struct pty *p, bool read, uint64_t until_ns)
{
	struct pollfd fd[2] = {
		{ .fd = read ? p->master : -1, .events = POLLIN },
		{ .fd = p->ended ? -1 : p->pidfd, .events = POLLIN },
	};
	int left = left_ms(until_ns);
	int n;

	/* Nothing more can come from a program that ended. */
	n = poll(fd, 2, p->ended ? 0 : left);
	if (n > 0 && fd[0].revents & POLLIN)
		draw(p);
	if (n > 0 && fd[1].revents)
		take_status(p);
	if (p->ended && n <= 0)
		return false;
	return left > 0;
}

bool pty_send(struct pty *p, const char *bytes, size_t n)
{
	ssize_t done = write(p->master, bytes, n);

	return done == (ssize_t)n || complain("send");
}

bool pty_resize(struct pty *p, int rows, int columns)
{
	struct winsize w = { .ws_row = (unsigned short)rows,
			     .ws_col = (unsigned short)columns };

	p->rows = rows;
	p->columns = columns;
	vterm_set_size(p->vterm, rows, columns);
	return ioctl(p->master, TIOCSWINSZ, &w) == 0 || complain("resize");
}

char *pty_text(const struct pty *p)
{
	/* A cell takes up to 24 bytes (a base and five combining marks). */
	size_t line = (size_t)p->columns * 24 + 1;
	char *text = xmalloc((size_t)p->rows * (line + 1) + 1), *end = text;

	for (int row = 0; row < p->rows; row++) {
		VTermRect rect = { .start_row = row,
				   .end_row = row + 1,
				   .start_col = 0,
				   .end_col = p->columns };
		size_t n = vterm_screen_get_text(p->screen, end, line, rect);

		while (n > 0 && (end[n - 1] == ' ' || end[n - 1] == '\0'))
			n--;
		end += n;
		*end++ = '\n';
	}
	*end = '\0';
	return text;
}

bool pty_attributes_same(const struct pty *p)
{
	struct termios now;

	if (tcgetattr(p->slave, &now))
		return complain("tcgetattr");
	return now.c_iflag == p->before.c_iflag &&
	       now.c_oflag == p->before.c_oflag &&
	       now.c_cflag == p->before.c_cflag &&
	       now.c_lflag == p->before.c_lflag &&
	       !memcmp(now.c_cc, p->before.c_cc, sizeof(now.c_cc));
}
