/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Display: the screen of a command on its event loop. */
#include "cmd/session/display.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "cmd/command.h"

/* --- the terminal --- */

int display_tty(void)
{
	int fd;

	if (!isatty(STDOUT_FILENO))
		return fail(ENOTTY,
			    "stdout is no terminal; use iodyno --batch, record "
			    "or run --headless");
	fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return fail(errno, "cannot open the terminal: %s",
			    strerror(errno));
	return fd;
}

int display_choose_tty(const struct settings *s)
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
		return display_tty();
	if (!isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return -1;
	return display_tty();
}

/* SA_RESETHAND: the second time the signal has its default effect. */
static void crashed(int sig)
{
	ui_crash();
	raise(sig);
}

static void catch_crashes(void)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	struct sigaction sa = { .sa_handler = crashed,
				.sa_flags = SA_RESETHAND | SA_NODEFER };

	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &sa, NULL);
}

struct display {
	struct ui *ui;
	struct loop *loop;
	struct loop_source *source;
	struct display_owner owner;
	int tty;
	bool held; /* another process has the terminal */
};

void display_draw(struct display *d)
{
	struct ui_view view;

	if (!d || d->held)
		return;
	d->owner.view(d->owner.arg, &view);
	ui_draw(d->ui, &view);
}

void display_hold(struct display *d, bool hold)
{
	if (!d || d->held == hold)
		return;
	d->held = hold;
	if (hold)
		ui_suspend(d->ui);
	else
		ui_resume(d->ui);
}

static void take_keys(struct display *d)
{
	struct ui_view view;
	struct action a;
	bool any = false;

	d->owner.view(d->owner.arg, &view);
	while (loop_status(d->loop) < 0 && !d->held &&
	       ui_key(d->ui, &view, &a)) {
		any = true;
		d->owner.act(d->owner.arg, &a);
		d->owner.view(d->owner.arg, &view);
	}
	if (any)
		display_draw(d);
}

static void on_terminal(void *arg, short events)
{
	struct display *d = arg;

	if (events & POLLOUT)
		ui_flush(d->ui);
	if (events & POLLIN)
		take_keys(d);
	/* The terminal is gone, and no SIGHUP came. */
	else if (events & (POLLHUP | POLLERR | POLLNVAL))
		loop_end(d->loop, EXIT_SIGNAL + SIGHUP);
}

void display_before_wait(struct display *d)
{
	short events = POLLIN;

	if (!d)
		return;
	/* A hangup comes without events, too. */
	if (d->held)
		events = 0;
	else if (ui_backlog(d->ui))
		events |= POLLOUT;
	loop_source_fd(d->source, d->tty, events);
}

static void suspend(struct display *d)
{
	ui_suspend(d->ui);
	kill(getpid(), SIGSTOP);
	ui_resume(d->ui);
}

bool display_signal(struct display *d, int sig)
{
	if (sig != SIGWINCH && sig != SIGTSTP)
		return false;
	/* ui_resume() asks for the size. */
	if (!d || d->held)
		return true;
	if (sig == SIGWINCH)
		ui_resize(d->ui);
	else
		suspend(d);
	display_draw(d);
	return true;
}

int display_open(struct display **out, struct loop *lp,
		 const struct settings *s, int tty, enum ui_occasion occasion,
		 const struct display_owner *owner)
{
	struct ui_options options = {
		.occasion = occasion,
		.tty = tty,
		.no_color = s->no_color,
		.no_mouse = s->no_mouse,
		.ascii = s->ascii,
		.theme = s->theme,
	};
	struct display *d;
	char note[256], *settings;
	struct ui *ui;
	int err;

	settings = settings_file_read(note, sizeof(note));
	options.settings = settings;
	catch_crashes();
	err = ui_open(&ui, &options);
	free(settings);
	if (err < 0)
		return err;
	if (*note)
		ui_say(ui, note);
	for (size_t i = 0; occasion == UI_MONITOR && i < s->arg.n; i++) {
		char *device = options_device(s->arg.word[i]);

		ui_fold(ui, device);
		free(device);
	}
	d = xcalloc(1, sizeof(*d));
	d->ui = ui;
	d->loop = lp;
	d->tty = tty;
	d->owner = *owner;
	d->source = loop_add(lp, on_terminal, d);
	*out = d;
	return 0;
}

void display_close(struct display *d)
{
	char *settings;

	if (!d)
		return;
	settings = ui_settings(d->ui);
	loop_remove(d->source);
	ui_close(d->ui);
	if (settings && settings_file_write(settings) < 0)
		command_say("%s", fail_sentence());
	free(settings);
	free(d);
}
