/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Terminal: ncurses writes into memory, a queue goes to the terminal. */
#include "ui/terminal/terminal.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/root.h"
#include "base/text.h"
#include "ui/terminal/cells.h"

#define CLOSE_NS    (NS_PER_S / 2)
#define ESCAPE_MS   25
#define RESET_BYTES 256

/* The form of mouse reports that the terminal sends: SGR where it can. */
#define MOUSE_ON  "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1000l"

#define KEY_SGR 2000 /* ESC [ <, then "0;12;5M" */
#define KEY_X10 2001 /* ESC [ M, then three bytes */

struct input {
	WINDOW *keys; /* a pad: reading from it paints nothing */
	int fd;       /* the same terminal, for the bytes of a report */
	bool reports; /* whether reports of the mouse are wanted and read */
	/* A report that has begun to arrive. */
	char report[24];
	int n_report, form;
	struct mouse mouse; /* the last complete report, from 0 */
};

struct terminal {
	int fd;           /* opened here */
	bool nonblocking; /* fd has a description of its own */
	int memory;       /* ncurses writes to this memfd */
	FILE *in, *out;
	SCREEN *screen;
	struct input input;
	struct termios shell, program;
	char *queue;
	size_t n, cap, sent;
	int lines, columns; /* fixed, or 0 */
	char type[64];
	char reset[RESET_BYTES]; /* the bytes that restore the terminal */
	size_t n_reset;
};

/*
 * A mutable global (CONTRIBUTING.md), part of the hook of die(): a hook and a
 * signal handler have no argument that could hold the terminal.
 */
static struct terminal *crash_terminal;

/* Set the modes also when this process is in the background by now. */
static void set_modes(int fd, const struct termios *modes)
{
	sigset_t ttou, before;

	sigemptyset(&ttou);
	sigaddset(&ttou, SIGTTOU);
	sigprocmask(SIG_BLOCK, &ttou, &before);
	tcsetattr(fd, TCSANOW, modes);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static bool writable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, ms) == 1 && (p.revents & POLLOUT);
}

void terminal_crash(void)
{
	struct terminal *t = crash_terminal;

	if (!t)
		return;
	crash_terminal = NULL;
	for (size_t i = 0; i < t->n_reset; i++)
		if (!writable(t->fd, 0) || write(t->fd, &t->reset[i], 1) != 1)
			break;
	set_modes(t->fd, &t->shell);
}

/* Open the terminal anew, or copy the shell's descriptor. */
static void terminal_open_fd(struct terminal *t, int tty)
{
	char path[ROOT_FD_PATH];

	t->fd = open(root_fd_path(path, tty),
		     O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (t->fd < 0) {
		char name[128];

		if (!ttyname_r(tty, name, sizeof(name)))
			t->fd = open(name, O_RDWR | O_NONBLOCK | O_NOCTTY |
						   O_CLOEXEC);
	}
	t->nonblocking = t->fd >= 0;
	if (t->fd < 0)
		t->fd = fcntl(tty, F_DUPFD_CLOEXEC, 0);
}

void terminal_flush(struct terminal *t)
{
	while (t->sent < t->n) {
		size_t left = t->n - t->sent;
		ssize_t got;

		/*
		 * On a shared description only a single byte is sure not to
		 * block after poll() has said that there is room.
		 */
		if (!t->nonblocking) {
			if (!writable(t->fd, 0))
				return;
			left = 1;
		}
		got = write(t->fd, t->queue + t->sent, left);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return;
		if (got <= 0)
			break; /* the terminal is gone: drop the output */
		t->sent += (size_t)got;
	}
	t->n = t->sent = 0;
}

bool terminal_backlog(const struct terminal *t)
{
	return t->n > 0;
}

/* Move the bytes from the memory to the end of the queue. */
static void terminal_collect(struct terminal *t)
{
	off_t size;

	fflush(t->out);
	size = lseek(t->memory, 0, SEEK_END);
	if (size > 0) {
		t->queue = xgrow(t->queue, &t->cap, t->n + (size_t)size, 1);
		size = pread(t->memory, t->queue + t->n, (size_t)size, 0);
		if (size > 0)
			t->n += (size_t)size;
	}
	if (ftruncate(t->memory, 0) < 0 || lseek(t->memory, 0, SEEK_SET) < 0)
		die("cannot empty the screen's memory: %s", strerror(errno));
}

void terminal_update(struct terminal *t)
{
	terminal_collect(t);
	terminal_flush(t);
}

void terminal_write(struct terminal *t, const char *bytes, size_t n)
{
	t->queue = xgrow(t->queue, &t->cap, t->n + n, 1);
	if (n)
		memcpy(t->queue + t->n, bytes, n);
	t->n += n;
	terminal_flush(t);
}

/* Wait for the terminal to take the queue, half a second at most. */
static void terminal_drain(struct terminal *t)
{
	uint64_t end = clock_mono_ns() + CLOSE_NS;

	terminal_flush(t);
	while (t->n && clock_mono_ns() < end) {
		writable(t->fd, 20);
		terminal_flush(t);
	}
}

/* LINES and COLUMNS replace the size of the terminal, as in curses. */
static int from_environment(const char *name)
{
	const char *s = getenv(name);
	long v = s ? strtol(s, NULL, 10) : 0;

	return v > 0 && v < 10000 ? (int)v : 0;
}

void terminal_resize(struct terminal *t)
{
	struct winsize size = { 0 };
	int lines = t->lines, columns = t->columns;

	if (ioctl(t->fd, TIOCGWINSZ, &size) < 0)
		memset(&size, 0, sizeof(size));
	if (!lines)
		lines = size.ws_row ? size.ws_row : LINES;
	if (!columns)
		columns = size.ws_col ? size.ws_col : COLS;
	if (is_term_resized(lines, columns))
		resizeterm(lines, columns);
	cells_forget();
}

const char *terminal_type(const struct terminal *t)
{
	return t->type;
}

/* --- input: bytes of the terminal become keys and mouse positions --- */

/*
 * This file reads the mouse reports itself: curses takes the coordinates in
 * the form of the terminfo entry, which for screen and tmux ends at column
 * 223, and fails when a report arrives in two pieces.
 *
 * Call this after curses has started. wants_mouse: without --no-mouse.
 */
static void input_open(struct input *in, int fd, bool wants_mouse)
{
	const char *reports = tigetstr("kmous");

	*in = (struct input){ .fd = fd };
	in->keys = newpad(1, 1);
	nodelay(in->keys, TRUE);
	keypad(in->keys, TRUE);
	/* -1 or NULL: a terminal that never reports. */
	in->reports = wants_mouse && reports && reports != (char *)-1;
	if (!in->reports)
		return;
	define_key("\033[<", KEY_SGR);
	define_key("\033[M", KEY_X10);
}

static void input_close(struct input *in)
{
	if (in->keys)
		delwin(in->keys);
	in->keys = NULL;
}

/* Read the next byte of a report: curses has read none after its key. */
static bool next_byte(const struct input *in, char *byte)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1 && read(in->fd, byte, 1) == 1;
}

static int report_done(struct input *in, int button, int x, int y)
{
	in->form = in->n_report = 0;
	/* Ignore Shift, Meta and Control. */
	in->mouse.button = button & ~(4 | 8 | 16);
	in->mouse.x = x - 1;
	in->mouse.y = y - 1;
	return in->mouse.button == BUTTON_LEFT ||
			       in->mouse.button == BUTTON_UP ||
			       in->mouse.button == BUTTON_DOWN
		       ? KEY_OF_MOUSE
		       : 0;
}

static int x10_byte(struct input *in)
{
	const unsigned char *b = (const unsigned char *)in->report;

	if (in->n_report < 3)
		return -1;
	return report_done(in, b[0] - 32, b[1] - 32, b[2] - 32);
}

static int sgr_byte(struct input *in, char byte)
{
	int button, x, y;

	if ((byte >= '0' && byte <= '9') || byte == ';')
		return -1;
	in->report[in->n_report - 1] = '\0';
	if ((byte == 'M' || byte == 'm') &&
	    sscanf(in->report, "%5d;%5d;%5d", &button, &x, &y) == 3 &&
	    byte == 'M')
		return report_done(in, button, x, y);
	/* A button was released, or the report is invalid. */
	in->form = in->n_report = 0;
	return 0;
}

/* Read more of a report; -1: the rest has not arrived yet. */
static int terminal_go_on(struct input *in)
{
	char byte;

	while (next_byte(in, &byte)) {
		int key;

		in->report[in->n_report++] = byte;
		key = in->form == KEY_X10 ? x10_byte(in) : sgr_byte(in, byte);
		if (key >= 0)
			return key;
		if (in->n_report == (int)sizeof(in->report)) {
			in->form = in->n_report = 0;
			return 0;
		}
	}
	return -1;
}

/*
 * After Esc, drop a sequence that curses does not know (a report of focus, a
 * key that terminfo does not name), so that its letters are not taken for keys.
 */
static int after_escape(struct input *in)
{
	wint_t c;
	int kind = wget_wch(in->keys, &c);

	if (kind == ERR)
		return 27;
	if (kind != OK || (c != '[' && c != 'O')) {
		if (kind == OK)
			unget_wch((wchar_t)c);
		else
			ungetch((int)c);
		return 27;
	}
	for (int i = 0; i < 32; i++) {
		bool first = i == 0;

		if (wget_wch(in->keys, &c) != OK)
			break;
		if (c >= 0x40 && c <= 0x7e && !(first && c == '['))
			break;
	}
	return 0;
}

static int input_key(struct input *in)
{
	wint_t c;
	int kind;

	if (in->form)
		return terminal_go_on(in);
	do {
		kind = wget_wch(in->keys, &c);
	} while (kind == KEY_CODE_YES && c == KEY_RESIZE);
	if (kind == ERR)
		return -1;
	if (kind == KEY_CODE_YES && (c == KEY_SGR || c == KEY_X10)) {
		in->form = (int)c;
		return terminal_go_on(in);
	}
	if (kind == OK && c == 27)
		return after_escape(in);
	if ((kind == OK && c == '\n') ||
	    (kind == KEY_CODE_YES && c == KEY_ENTER))
		return '\r';
	/* No key of the table, but text for a prompt. */
	if (kind == OK && c >= 0x80)
		return KEY_TEXT | (int)(c & 0x1fffff);
	return (int)c;
}

int terminal_key(struct terminal *t, struct mouse *mouse)
{
	int key = input_key(&t->input);

	*mouse = t->input.mouse;
	return key;
}

/* --- open and close --- */

/*
 * Set raw modes, but with signals. ncurses cannot set the modes itself, because
 * its output is not a terminal; and the driver must not alter its newlines.
 */
static void take_modes(struct terminal *t)
{
	t->program = t->shell;
	t->program.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | ISTRIP);
	t->program.c_oflag &= ~(tcflag_t)OPOST;
	t->program.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
	t->program.c_cc[VMIN] = 1;
	t->program.c_cc[VTIME] = 0;
	set_modes(t->fd, &t->program);
}

/*
 * Send these bytes between updates of curses: they mean the same at any place.
 */
static void mouse(struct terminal *t, const char *bytes)
{
	if (t->input.reports) {
		fputs(bytes, t->out);
		fflush(t->out);
	}
}

static void take_screen(struct terminal *t)
{
	cbreak();
	noecho();
	nonl();
	keypad(t->input.keys, TRUE);
	curs_set(0);
	typeahead(-1);
	mouse(t, MOUSE_ON);
}

/*
 * Record the bytes that restore the terminal: end ncurses once, before the
 * program sends anything.
 */
static void learn_reset(struct terminal *t)
{
	wnoutrefresh(stdscr);
	doupdate();
	terminal_collect(t);
	t->n = 0;
	endwin();
	mouse(t, MOUSE_OFF);
	terminal_collect(t);
	t->n_reset = t->n < RESET_BYTES - 4 ? t->n : 0;
	/* A plain attribute first: die() may come in the middle of a line. */
	memcpy(t->reset, "\033[m", 3);
	memcpy(t->reset + 3, t->queue, t->n_reset);
	t->n_reset += 3;
	t->n = 0;
}

static void nothing(int sig)
{
}

/*
 * Call newterm(), and remove the signal handlers that it leaves. It must find a
 * handler for SIGTSTP: otherwise ncurses ignores that signal while it draws,
 * the kernel drops a pending one, and Ctrl-Z is sometimes lost.
 */
static SCREEN *new_screen(struct terminal *t)
{
	static const struct sigaction handled = { .sa_handler = nothing };
	static const int signals[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	struct sigaction before[ARRAY_SIZE(signals)];
	SCREEN *screen;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], NULL, &before[i]);
	sigaction(SIGTSTP, &handled, NULL);
	set_escdelay(ESCAPE_MS);
	screen = newterm(t->type, t->out, t->in);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &before[i], NULL);
	return screen;
}

static void terminal_release(struct terminal *t)
{
	if (t->screen)
		delscreen(t->screen);
	if (t->in)
		fclose(t->in);
	if (t->out)
		fclose(t->out);
	else if (t->memory >= 0)
		close(t->memory);
	if (t->fd >= 0)
		close(t->fd);
	free(t->queue);
	free(t);
}

static int terminal_start(struct terminal *t, const struct ui_options *o)
{
	int in, ret;

	terminal_open_fd(t, o->tty);
	if (t->fd < 0 || tcgetattr(t->fd, &t->shell) < 0)
		return fail(ENOTTY, "there is no terminal to draw on; use "
				    "--headless or redirect nothing");
	ret = terminal_type_check(t->type, sizeof(t->type), t->fd);
	if (ret < 0)
		return ret;
	t->memory = memfd_create("screen", MFD_CLOEXEC);
	if (t->memory < 0)
		return fail(errno, "cannot get memory for the screen: %s",
			    strerror(errno));
	in = fcntl(t->fd, F_DUPFD_CLOEXEC, 0);
	t->in = in < 0 ? NULL : fdopen(in, "r");
	t->out = fdopen(t->memory, "w");
	if (!t->in || !t->out)
		return fail(errno, "cannot open the terminal: %s",
			    strerror(errno));
	t->screen = new_screen(t);
	if (!t->screen)
		return fail(EINVAL,
			    "the terminal of type \"%s\" cannot be "
			    "used; use --headless",
			    t->type);
	return 0;
}

int terminal_open(struct terminal **out, const struct ui_options *o)
{
	struct terminal *t = xcalloc(1, sizeof(*t));
	const char *type = o->term ? o->term : getenv("TERM");
	int ret;

	t->fd = t->memory = -1;
	text_set(t->type, type ? type : "");
	t->lines = o->lines ? o->lines : from_environment("LINES");
	t->columns = o->columns ? o->columns : from_environment("COLUMNS");
	ret = terminal_start(t, o);
	if (ret < 0) {
		terminal_release(t);
		return ret;
	}
	input_open(&t->input, t->fd, !o->no_mouse);
	take_modes(t);
	take_screen(t);
	terminal_resize(t);
	learn_reset(t);
	take_screen(t);
	crash_terminal = t;
	die_hook(terminal_crash);
	*out = t;
	return 0;
}

void terminal_suspend(struct terminal *t)
{
	endwin();
	mouse(t, MOUSE_OFF);
	terminal_collect(t);
	terminal_drain(t);
	/* Drop the rest, so that it does not follow the shell's prompt. */
	t->n = t->sent = 0;
	set_modes(t->fd, &t->shell);
	crash_terminal = NULL;
}

void terminal_resume(struct terminal *t)
{
	crash_terminal = t;
	set_modes(t->fd, &t->program);
	take_screen(t);
	terminal_resize(t);
}

void terminal_close(struct terminal *t)
{
	if (!t)
		return;
	terminal_suspend(t);
	input_close(&t->input);
	terminal_release(t);
}
