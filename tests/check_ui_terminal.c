/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal: never waited for, always given back. */
#include <curses.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"

#include "ui_scene.h"

static double ms_since(uint64_t start_ns)
{
	return (double)(clock_mono_ns() - start_ns) / 1e6;
}

static bool on_screen(const char *text)
{
	char *screen = scene_copy();
	bool found = strstr(screen, text) != NULL;

	free(screen);
	return found;
}

/* Nobody reads: drawing returns at once; later the latest frame shows. */
START_TEST(test_stalled)
{
	struct scene s;
	uint64_t start;

	scene_open(&s, SCENE_RUN, 60, 200);
	start = clock_mono_ns();
	for (int i = 0; i < 500; i++) {
		s.frame.t_s = 100 + i;
		ui_resize(s.ui);
		ui_draw(s.ui, &s.view);
	}
	ck_assert_msg(ms_since(start) < 2000, "500 draws took %.0f ms",
		      ms_since(start));
	ck_assert(ui_backlog(s.ui));
	start = clock_mono_ns();
	ui_draw(s.ui, &s.view);
	ui_flush(s.ui);
	ck_assert(ms_since(start) < 50);
	/* A key is still taken, though what it does cannot be seen yet. */
	s.frame.t_s = 3723;
	scene_draw(&s);
	scene_draw(&s);
	ck_assert(!ui_backlog(s.ui));
	ck_assert(on_screen("1:02:03"));
	ck_assert_ptr_nonnull(strstr(s.seen, "1:02:03"));
	scene_close(&s);
}
END_TEST

/*
 * After su the terminal is another user's and cannot be opened anew: the
 * shared description is written without ever blocking, and keeps its flags.
 */
START_TEST(test_shared)
{
	struct ui_options o = { .lines = 60, .columns = 200 };
	struct scene s;
	uint64_t start;

	/* It changes its user, so it needs a process of its own. */
	if (geteuid() != 0 || getenv("CK_FORK"))
		return;
	scene_open(&s, SCENE_RUN, 60, 200);
	ui_close(s.ui);
	scene_read(&s);
	o.tty = s.slave;
	ck_assert_int_eq(setresuid(65534, 65534, 65534), 0);
	ck_assert_int_lt(open(ptsname(s.master), O_RDWR | O_NOCTTY), 0);
	ck_assert_int_eq(ui_open(&s.ui, &o), 0);
	start = clock_mono_ns();
	for (int i = 0; i < 100; i++) {
		ui_resize(s.ui);
		ui_draw(s.ui, &s.view);
	}
	ck_assert(ms_since(start) < 2000);
	ck_assert(ui_backlog(s.ui));
	ck_assert(!(fcntl(s.slave, F_GETFL) & O_NONBLOCK));
	s.frame.t_s = 3723;
	scene_draw(&s);
	scene_draw(&s);
	ck_assert_ptr_nonnull(strstr(s.seen, "1:02:03"));
	scene_close(&s);
}
END_TEST

/* The shell's description keeps its flags. */
START_TEST(test_flags)
{
	struct scene s;

	scene_open(&s, SCENE_TOP, 24, 80);
	scene_draw(&s);
	ck_assert(!(fcntl(s.slave, F_GETFL) & O_NONBLOCK));
	scene_close(&s);
}
END_TEST

static bool same_modes(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag &&
	       a->c_lflag == b->c_lflag && a->c_cflag == b->c_cflag &&
	       !memcmp(a->c_cc, b->c_cc, sizeof(a->c_cc));
}

START_TEST(test_modes)
{
	struct termios before, during, after;
	struct scene s;
	int spare;

	scene_open(&s, SCENE_TOP, 24, 80);
	ui_close(s.ui);
	ck_assert_int_eq(tcgetattr(s.slave, &before), 0);
	ck_assert(before.c_lflag & ICANON);
	spare = open("/dev/null", O_RDONLY);
	ck_assert_int_eq(ui_open(&s.ui, &(struct ui_options){ .tty = s.slave }),
			 0);
	tcgetattr(s.slave, &during);
	ck_assert(!(during.c_lflag & (ICANON | ECHO)));
	ck_assert(during.c_lflag & ISIG);
	scene_draw(&s);
	ck_assert_ptr_nonnull(strstr(s.seen, "\033[?1049h"));
	ui_suspend(s.ui);
	scene_read(&s);
	tcgetattr(s.slave, &after);
	ck_assert(same_modes(&before, &after));
	ck_assert_ptr_nonnull(strstr(s.seen, "\033[?1049l"));
	ui_resume(s.ui);
	tcgetattr(s.slave, &after);
	ck_assert(same_modes(&during, &after));
	s.n_seen = 0;
	scene_draw(&s);
	/* All of it again, in the other screen, with the keypad on. */
	ck_assert_ptr_nonnull(strstr(s.seen, "\033[?1049h"));
	ck_assert_ptr_nonnull(strstr(s.seen, "\033[?1h\033="));
	ck_assert_ptr_nonnull(strstr(s.seen, "iodyno"));
	ui_close(s.ui);
	tcgetattr(s.slave, &after);
	ck_assert(same_modes(&before, &after));
	scene_read(&s);
	ck_assert_ptr_nonnull(strstr(s.seen, "\033[?1049l"));
	close(spare);
	s.ui = NULL;
	scene_close(&s);
}
END_TEST

/* After die(), and after a fatal signal whose handler is ui_crash(). */
static void crash_child(struct scene *s, int how)
{
	struct ui *ui;

	if (ui_open(&ui, &(struct ui_options){ .tty = s->slave }) < 0)
		_exit(9);
	ui_draw(ui, &s->view);
	if (how) {
		ui_crash();
		_exit(0);
	}
	if (!freopen("/dev/null", "w", stderr))
		_exit(9);
	signal(SIGABRT, SIG_DFL);
	die("on purpose");
}

START_TEST(test_crash)
{
	struct termios before, after;
	struct scene s;
	pid_t child;
	int status;

	scene_open(&s, SCENE_TOP, 24, 80);
	ui_close(s.ui);
	scene_read(&s);
	s.n_seen = 0;
	tcgetattr(s.slave, &before);
	child = fork();
	if (child == 0)
		crash_child(&s, _i);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(_i ? WIFEXITED(status) : WIFSIGNALED(status));
	tcgetattr(s.slave, &after);
	ck_assert(same_modes(&before, &after));
	scene_read(&s);
	ck_assert_ptr_nonnull(strstr(s.seen, "\033[?1049h"));
	ck_assert_ptr_nonnull(strstr(s.seen, "\033[?1049l"));
	s.ui = NULL;
	scene_close(&s);
}
END_TEST

START_TEST(test_resize)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	struct scene s;

	scene_open(&s, SCENE_TOP, 0, 0);
	ioctl(s.master, TIOCSWINSZ, &size);
	ui_resize(s.ui);
	scene_draw(&s);
	ck_assert_int_eq(LINES, 24);
	ck_assert(!on_screen("rareq-sz"));
	size.ws_row = 50;
	size.ws_col = 200;
	ioctl(s.master, TIOCSWINSZ, &size);
	ui_resize(s.ui);
	scene_draw(&s);
	ck_assert_int_eq(LINES, 50);
	ck_assert_int_eq(COLS, 200);
	ck_assert(on_screen("rareq-sz"));
	size.ws_row = 5;
	size.ws_col = 20;
	ioctl(s.master, TIOCSWINSZ, &size);
	ui_resize(s.ui);
	scene_draw(&s);
	ck_assert_int_eq(COLS, 20);
	scene_close(&s);
}
END_TEST

START_TEST(test_bad_terminals)
{
	struct ui_options o = { .tty = open("/dev/null", O_RDWR) };
	struct termios before, after;
	struct scene s;
	struct ui *ui;

	ck_assert_int_lt(ui_open(&ui, &o), 0);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "terminal"));
	close(o.tty);
	scene_open(&s, SCENE_TOP, 24, 80);
	ui_close(s.ui);
	o.tty = s.slave;
	tcgetattr(s.slave, &before);
	o.term = "no-such-terminal";
	ck_assert_int_lt(ui_open(&ui, &o), 0);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "no-such-terminal"));
	o.term = "dumb";
	ck_assert_int_lt(ui_open(&ui, &o), 0);
	tcgetattr(s.slave, &after);
	ck_assert(same_modes(&before, &after));
	s.ui = NULL;
	scene_close(&s);
}
END_TEST

/* Thousands of rows: a drawing takes milliseconds, a key fewer. */
START_TEST(test_many)
{
	struct scene s;
	uint64_t start;
	double first;

	scene_open(&s, SCENE_TOP, 45, 160);
	scene_fill_many(&s, 3000, 10000);
	start = clock_mono_ns();
	scene_draw(&s);
	first = ms_since(start);
	scene_keys(&s, ">\033OF/1\r\t\t\033OFr");
	start = clock_mono_ns();
	for (int i = 0; i < 20; i++)
		scene_draw(&s);
	ck_assert_msg(first < 500, "the first drawing took %.0f ms", first);
	ck_assert_msg(ms_since(start) < 2000, "20 drawings took %.0f ms",
		      ms_since(start));
	scene_close(&s);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tcase = tcase_create("terminal");

	scene_environment();
	tcase_add_test(tcase, test_stalled);
	tcase_add_test(tcase, test_shared);
	tcase_add_test(tcase, test_flags);
	tcase_add_test(tcase, test_modes);
	tcase_add_loop_test(tcase, test_crash, 0, 2);
	tcase_add_test(tcase, test_resize);
	tcase_add_test(tcase, test_bad_terminals);
	tcase_add_test(tcase, test_many);
	suite_add_tcase(suite, tcase);
}
