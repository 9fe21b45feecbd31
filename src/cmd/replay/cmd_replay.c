/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay: show a log on the screen. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "cmd/command.h"
#include "cmd/privilege.h"
#include "cmd/replay/fleet_screen.h"
#include "cmd/replay/replay.h"
#include "cmd/session/display.h"
#include "cmd/session/loop.h"
#include "knob/keeper.h"
#include "record/label_stream.h"

/* The time between two looks whether a log has grown. */
#define GROWTH_NS (NS_PER_S / 5)
/* The time that one slice of a long log takes, between keys and frames. */
#define SLICE_NS (NS_PER_S / 50)

struct player {
	struct replay *replay; /* NULL: the hosts of a fleet are shown */
	struct fleet_screen *fleet; /* NULL: one log, or two */
	struct loop_source *stream; /* of the fleet */
	struct loop *loop;
	struct display *display;
	struct loop_source *next;   /* the next frame is due */
	struct loop_source *growth; /* check for growth, or read more */
	uint64_t shown_ns; /* when to show the progress of reading again */
	int tty, signals;
	bool at_end; /* paused, or no more frames are read: none is due */
	bool failed; /* fail() has the sentence */
};

static void cmd_replay_fill_view(void *arg, struct ui_view *view)
{
	const struct player *p = arg;

	if (p->fleet)
		fleet_screen_view(p->fleet, view);
	else
		replay_view(p->replay, view);
}

static void plan_growth(struct player *p)
{
	uint64_t now_ns = clock_mono_ns();

	if (!p->replay) {
		loop_source_deadline(p->growth, 0);
		return;
	}
	loop_source_deadline(p->growth, replay_reads(p->replay) ? now_ns
					: replay_grows(p->replay)
						? now_ns + GROWTH_NS
						: 0);
}

/* Set the time at which the next frame is due. */
static void plan_next(struct player *p)
{
	double wait_s = p->replay ? replay_wait_s(p->replay) : -1;
	uint64_t now_ns = clock_mono_ns();

	loop_source_deadline(
		p->next,
		wait_s < 0 ? 0 : now_ns + clock_span_ns(wait_s) + 1);
	p->at_end = wait_s < 0;
	plan_growth(p);
}

static void cmd_replay_go_on(struct player *p, int err)
{
	if (err < 0) {
		p->failed = true;
		loop_end(p->loop, EXIT_FAILED);
	}
	plan_next(p);
	display_draw(p->display);
}

/* A key on the screen of a fleet, or of one of its hosts. */
static void cmd_replay_act_fleet(struct player *p, const struct action *a)
{
	bool quit;
	int err = fleet_screen_act(p->fleet, a, &quit);

	p->replay = fleet_screen_replay(p->fleet);
	if (quit)
		loop_end(p->loop, EXIT_DONE);
	else
		cmd_replay_go_on(p, err);
}

static void cmd_replay_act(void *arg, const struct action *a)
{
	struct player *p = arg;

	if (p->fleet && a->kind != ACTION_NONE) {
		cmd_replay_act_fleet(p, a);
		return;
	}
	if (a->kind == ACTION_QUIT)
		loop_end(p->loop, EXIT_DONE);
	else if (a->kind == ACTION_NONE)
		display_draw(p->display);
	else
		cmd_replay_go_on(p, replay_act(p->replay, a));
}

static void cmd_replay_on_signal(void *arg, short events)
{
	struct player *p = arg;
	int sig;

	while ((sig = loop_take_signal(p->signals)))
		if (display_signal(p->display, sig))
			plan_next(p);
		else
			loop_end(p->loop, EXIT_SIGNAL + sig);
}

static void on_next(void *arg, short events)
{
	struct player *p = arg;

	cmd_replay_go_on(p, replay_next(p->replay));
}

/* Read a slice of the log; show the progress a few times a second. */
static void read_on(struct player *p)
{
	uint64_t now_ns = clock_mono_ns();
	double was_s = p->replay->now_s;
	int err = replay_read_on(p->replay, now_ns + SLICE_NS);

	if (err < 0 || p->replay->now_s != was_s) {
		cmd_replay_go_on(p, err);
		return;
	}
	/* Keep the time of the next frame, unless none was due. */
	if (p->at_end)
		plan_next(p);
	else
		plan_growth(p);
	if (replay_reads(p->replay) && now_ns < p->shown_ns)
		return;
	p->shown_ns = now_ns + GROWTH_NS;
	display_draw(p->display);
}

static void on_growth(void *arg, short events)
{
	struct player *p = arg;
	int came;

	if (replay_reads(p->replay)) {
		read_on(p);
		return;
	}
	came = replay_more(p->replay);

	if (came)
		cmd_replay_go_on(p, came);
	else
		loop_source_deadline(p->growth, clock_mono_ns() + GROWTH_NS);
}

/*
 * Lines came, or it is time to look: the ages of the lines grow. Draw a few times
 * a second, however many lines come.
 */
static void on_stream(void *arg, short events)
{
	struct player *p = arg;
	uint64_t now_ns = clock_mono_ns();
	int err = fleet_screen_read(p->fleet);

	loop_source_fd(p->stream, fleet_screen_fd(p->fleet), POLLIN);
	loop_source_deadline(p->stream, now_ns + GROWTH_NS);
	if (err < 0)
		cmd_replay_go_on(p, err);
	if (p->replay || now_ns < p->shown_ns)
		return;
	p->shown_ns = now_ns + 2 * GROWTH_NS;
	display_draw(p->display);
}

static void cmd_replay_before_wait(void *arg)
{
	struct player *p = arg;

	display_before_wait(p->display);
}

static int play(struct player *p, const struct settings *s)
{
	const struct display_owner owner = { cmd_replay_fill_view,
					     cmd_replay_act, p };
	int status;

	p->signals = loop_signals(true, false);
	if (p->signals < 0)
		return command_failed(EXIT_FAILED);
	loop_source_fd(loop_add(p->loop, cmd_replay_on_signal, p), p->signals,
		       POLLIN);
	p->next = loop_add(p->loop, on_next, p);
	p->growth = loop_add(p->loop, on_growth, p);
	if (p->fleet) {
		p->stream = loop_add(p->loop, on_stream, p);
		loop_source_fd(p->stream, fleet_screen_fd(p->fleet), POLLIN);
		loop_source_deadline(p->stream, clock_mono_ns() + 1);
	}
	loop_before_wait(p->loop, cmd_replay_before_wait, p);
	if (display_open(&p->display, p->loop, s, p->tty, UI_REPLAY, &owner) <
	    0)
		return command_failed(EXIT_FAILED);
	plan_next(p);
	display_draw(p->display);
	status = loop_run(p->loop);
	display_close(p->display);
	close(p->signals);
	return p->failed ? command_failed(status) : status;
}

/* The keeper restores the terminal if this process is killed. */
static int with_keeper(struct player *p, const struct settings *s)
{
	const struct replay_options options = {
		.path = s->arg.word,
		.n = s->arg.n,
		.speed = s->speed,
		.follow = s->follow,
		.align = s->align,
		.from = s->from,
		.to = s->to,
	};
	/* A pipe is a fleet of one host or many: its logs are kept in files. */
	const bool fleet = s->arg.n == 1 &&
			   ((s->follow && !strcmp(s->arg.word[0], "-")) ||
			    label_stream_is(s->arg.word[0]));
	struct replay *single = p->replay;
	struct keeper *keeper;
	struct root root;
	int status;

	if (fleet)
		p->replay = NULL;
	if (root_open(&root, NULL) < 0 ||
	    keeper_start(&keeper, &root, p->tty) < 0)
		return command_failed(EXIT_FAILED);
	if (privilege_drop() < 0 || loop_new(&p->loop) < 0 ||
	    (fleet ? fleet_screen_open(&p->fleet, &options)
		   : replay_open(single, &options)) < 0)
		status = command_failed(EXIT_FAILED);
	else
		status = play(p, s);
	replay_close(single);
	fleet_screen_free(p->fleet);
	loop_free(p->loop);
	if (keeper_stop(keeper, NS_PER_S, NULL, NULL) < 0)
		command_failed(EXIT_FAILED);
	root_close(&root);
	return status;
}

int cmd_replay(struct settings *s)
{
	struct replay replay = { 0 };
	struct player p = { .replay = &replay };
	bool usage = true;
	int status;

	if (s->arg.n < 1 || s->arg.n > REPLAY_LOGS)
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
	p.tty = display_tty();
	if (p.tty < 0)
		return command_failed(EXIT_USAGE);
	status = with_keeper(&p, s);
	close(p.tty);
	return status;
}
