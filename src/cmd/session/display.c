/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Display: the screen of a command on its event loop.
 */
#include "cmd/session/display.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "cmd/command.h"
#include "cmd/session/settings_file.h"
#include "cmd/session/tty.h"

struct display {
	struct ui *ui;
	struct loop *loop;
	struct loop_source *source;
	struct display_owner owner;
	int tty;
};

void display_draw(struct display *d)
{
	struct ui_view view;

	if (!d)
		return;
	d->owner.view(d->owner.arg, &view);
	ui_draw(d->ui, &view);
}

static void take_keys(struct display *d)
{
	struct ui_view view;
	struct action a;
	bool any = false;

	d->owner.view(d->owner.arg, &view);
	while (loop_status(d->loop) < 0 && ui_key(d->ui, &view, &a)) {
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
	if (ui_backlog(d->ui))
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
	if (!d)
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
	tty_catch_crashes();
	err = ui_open(&ui, &options);
	free(settings);
	if (err < 0)
		return err;
	if (*note)
		ui_say(ui, note);
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
	loop_remove(d->loop, d->source);
	ui_close(d->ui);
	if (settings && settings_file_write(settings) < 0)
		command_say("%s", fail_sentence());
	free(settings);
	free(d);
}
