/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay: the screen over a log.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "cmd/command.h"
#include "cmd/privilege.h"
#include "cmd/replay.h"
#include "cmd/screen.h"
#include "cmd/term.h"
#include "knob/keeper.h"

/* How often to see whether a log has grown. */
#define LOOK_NS (NS_PER_S / 5)

struct player {
	struct replay *replay;
	struct ui *ui;
	int tty, signals;
	uint64_t due_ns;  /* when the next frame is to be shown; 0: never */
	uint64_t look_ns; /* when to see whether the log grew; 0: never */
	int status;       /* -1: goes on */
};

static void draw(struct player *p)
{
	struct ui_view view;

	replay_view(p->replay, &view);
	ui_draw(p->ui, &view);
}

/* When the next frame is due, from now. */
static void plan_next(struct player *p)
{
	double wait_s = replay_wait_s(p->replay);

	p->due_ns =
		wait_s < 0 ? 0 : clock_mono_ns() + (uint64_t)(wait_s * 1e9) + 1;
	if (!replay_grows(p->replay))
		p->look_ns = 0;
	else if (!p->look_ns)
		p->look_ns = clock_mono_ns() + LOOK_NS;
}

static void go_on(struct player *p, int err)
{
	if (err < 0)
		p->status = EXIT_FAILED;
	plan_next(p);
	draw(p);
}

static void keys(struct player *p)
{
	struct ui_view view;
	struct action a;

	replay_view(p->replay, &view);
	while (p->status < 0 && ui_key(p->ui, &view, &a)) {
		if (a.kind == ACTION_QUIT)
			p->status = EXIT_DONE;
		else if (a.kind == ACTION_NONE)
			draw(p);
		else
			go_on(p, replay_act(p->replay, &a));
		replay_view(p->replay, &view);
	}
}

static void signals(struct player *p)
{
	int sig;

	while ((sig = term_take_signal(p->signals))) {
		if (sig == SIGWINCH) {
			ui_resize(p->ui);
		} else if (sig == SIGTSTP) {
			ui_suspend(p->ui);
			kill(getpid(), SIGSTOP);
			ui_resume(p->ui);
			plan_next(p);
		} else {
			p->status = EXIT_SIGNAL + sig;
		}
		draw(p);
	}
}

/* The next frame, or what was added to the log, when it is time. */
static void advance(struct player *p)
{
	uint64_t now = clock_mono_ns();

	if (p->look_ns && now >= p->look_ns) {
		int came = replay_more(p->replay);

		p->look_ns = now + LOOK_NS;
		if (came)
			go_on(p, came);
	}
	if (p->status < 0 && p->due_ns && now >= p->due_ns)
		go_on(p, replay_next(p->replay));
}

/* The earlier of the two, each of which may be 0: never. */
static uint64_t next_wake(const struct player *p)
{
	if (!p->due_ns || (p->look_ns && p->look_ns < p->due_ns))
		return p->look_ns;
	return p->due_ns;
}

static void serve(struct player *p)
{
	struct pollfd fd[2] = { { .fd = p->tty, .events = POLLIN },
				{ .fd = p->signals, .events = POLLIN } };
	struct timespec wait = { 0 };
	uint64_t now = clock_mono_ns(), wake = next_wake(p);

	if (wake > now) {
		wait.tv_sec = (time_t)((wake - now) / NS_PER_S);
		wait.tv_nsec = (long)((wake - now) % NS_PER_S);
	}
	if (ui_backlog(p->ui))
		fd[0].events |= POLLOUT;
	if (ppoll(fd, 2, wake ? &wait : NULL, NULL) < 0 && errno != EINTR)
		p->status = EXIT_FAILED;
	if (fd[1].revents)
		signals(p);
	if (fd[0].revents & POLLOUT)
		ui_flush(p->ui);
	if (fd[0].revents & POLLIN)
		keys(p);
	else if (fd[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		p->status = EXIT_SIGNAL + SIGHUP;
	if (p->status < 0)
		advance(p);
}

static int play(struct player *p, const struct settings *s)
{
	p->signals = term_signals(true);
	if (p->signals < 0 || screen_open(&p->ui, s, p->tty, UI_REPLAY) < 0)
		return command_failed(EXIT_FAILED);
	plan_next(p);
	draw(p);
	while (p->status < 0)
		serve(p);
	screen_close(p->ui);
	close(p->signals);
	if (p->status == EXIT_FAILED)
		return command_failed(EXIT_FAILED);
	return p->status;
}

/* The keeper gives the terminal back if we are killed. */
static int with_keeper(struct player *p, const struct settings *s)
{
	const struct replay_options options = {
		.path = s->arg.word,
		.n = s->arg.n,
		.speed = s->speed,
		.follow = s->follow,
		.align = s->align,
	};
	struct keeper *keeper;
	struct root root;
	int status;

	if (root_open(&root, NULL) < 0 ||
	    keeper_start(&keeper, &root, p->tty) < 0)
		return command_failed(EXIT_FAILED);
	if (privilege_drop() < 0 || replay_open(p->replay, &options) < 0)
		status = command_failed(EXIT_FAILED);
	else
		status = play(p, s);
	replay_close(p->replay);
	if (keeper_stop(keeper, NS_PER_S, NULL, NULL) < 0)
		command_failed(EXIT_FAILED);
	root_close(&root);
	return status;
}

int cmd_replay(struct settings *s)
{
	struct replay replay = { 0 };
	struct player p = { .replay = &replay, .status = -1 };
	bool usage = true;
	int status;

	if (s->arg.n < 1 || s->arg.n > REPLAY_TAPES)
		fail(EINVAL, "replay needs a log, or two to compare: iodyno "
			     "replay LOG [LOG]");
	else if (s->align && s->arg.n < 2)
		fail(EINVAL,
		     "--align needs two logs: iodyno replay "
		     "--align=%s LOG LOG",
		     s->align);
	else
		usage = false;
	if (usage)
		return command_failed(EXIT_USAGE);
	p.tty = term_open();
	if (p.tty < 0)
		return command_failed(EXIT_FAILED);
	status = with_keeper(&p, s);
	close(p.tty);
	return status;
}
