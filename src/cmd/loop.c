/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loop: the one event loop of the live commands.
 */
#include "cmd/loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "cmd/launch.h"
#include "cmd/term.h"

enum slot { SLOT_TICK, SLOT_SIGNAL, SLOT_TTY, SLOT_KEEPER, SLOT_LOAD, SLOT_LOOK, SLOTS };

#define REDRAW_NS 100000000 /* while a turn is pending */

struct loop {
	struct live *live;
	int tick, signals;
	int status; /* -1: goes on */
};

static struct timespec spec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S),
				  .tv_nsec = (long)(ns % NS_PER_S) };
}

/* Tick at start + k * interval: late ticks do not push the later ones. */
static void set_tick(struct loop *lp, uint64_t from_ns)
{
	uint64_t every = (uint64_t)(lp->live->interval_s * 1e9);
	struct itimerspec it = { .it_interval = spec_of(every),
				 .it_value = spec_of(from_ns + every) };

	timerfd_settime(lp->tick, TFD_TIMER_ABSTIME, &it, NULL);
}

static void end(struct loop *lp, int status)
{
	if (lp->status < 0)
		lp->status = status;
}

/* EINTR: a signal came while the reader stalled, and says how we end. */
static void end_with_log(struct loop *lp)
{
	int error = lp->live->log_error;

	if (error && error != EINTR)
		end(lp, EXIT_FAILED);
}

static void tick(struct loop *lp)
{
	struct live *l = lp->live;
	const struct settings *s = l->settings;
	uint64_t expired;

	if (read(lp->tick, &expired, sizeof(expired)) != sizeof(expired))
		return;
	live_tick(l, (unsigned)(expired - 1));
	end_with_log(lp);
	if (s->count && l->frames >= s->count)
		end(lp, EXIT_DONE);
}

static void change_interval(struct loop *lp, double factor)
{
	struct live *l = lp->live;
	double s = l->interval_s * factor;

	l->interval_s = s < 0.01 ? 0.01 : s > 3600 ? 3600 : s;
	set_tick(lp, clock_mono_ns());
	live_say(l, "interval is %g s now", l->interval_s);
}

/* The one place where actions are done. */
static void act(struct loop *lp, const struct action *a)
{
	struct live *l = lp->live;
	struct event mark = { .kind = EVENT_MARK };

	switch (a->kind) {
	case ACTION_QUIT:
		end(lp, EXIT_DONE);
		break;
	case ACTION_PAUSE:
		l->paused = !l->paused;
		break;
	case ACTION_INTERVAL:
		change_interval(lp, a->number);
		break;
	case ACTION_KNOB_SET:
	case ACTION_KNOB_UNDO:
	case ACTION_KNOB_RESET:
		turn_act(l, a);
		break;
	case ACTION_JOB_SET:
	case ACTION_JOB_STOP:
		steer_act(l, a);
		break;
	case ACTION_JOB_START:
		launch_again(l, a->job);
		break;
	case ACTION_RUN_LOOK:
		launch_look(l, a->run);
		break;
	case ACTION_RUN:
		launch_run(l, a->run);
		break;
	case ACTION_THREADS:
		l->threads = !l->threads;
		collect_threads(l->collect, l->threads);
		live_say(l, l->threads ? "threads are shown from the next look"
				       : "threads are no longer shown");
		break;
	case ACTION_COMPARE:
		compare_act(&l->compare, a);
		break;
	case ACTION_MARK:
		strncpy(mark.text, a->value, sizeof(mark.text) - 1);
		live_add_event(l, &mark);
		break;
	default:
		break;
	}
}

static void keys(struct loop *lp)
{
	struct live *l = lp->live;
	struct ui_view view;
	struct action a;
	char pending[128];
	bool any = false;

	live_view(l, &view, pending, sizeof(pending));
	while (ui_key(l->ui, &view, &a)) {
		any = true;
		act(lp, &a);
		live_view(l, &view, pending, sizeof(pending));
	}
	if (any)
		live_draw(l);
}

static void suspend(struct live *l)
{
	ui_suspend(l->ui);
	kill(getpid(), SIGSTOP);
	ui_resume(l->ui);
	live_draw(l);
}

static void signals(struct loop *lp)
{
	struct live *l = lp->live;
	int sig;

	while ((sig = term_take_signal(lp->signals))) {
		if (sig == SIGWINCH && l->ui) {
			ui_resize(l->ui);
			live_draw(l);
		} else if (sig == SIGTSTP && l->ui) {
			suspend(l);
		} else if (sig != SIGWINCH && sig != SIGTSTP) {
			end(lp, EXIT_SIGNAL + sig);
		}
	}
}

static void load_changed(struct loop *lp)
{
	struct live *l = lp->live;
	struct event e;

	while (loads_event(&l->loads, &e))
		live_add_event(l, &e);
	if (l->launch.by_hand)
		launch_title(l);
	if (!loads_done(&l->loads))
		return;
	/* Who steers by hand may want to go on. */
	if (!l->ui || !l->launch.by_hand) {
		end(lp, EXIT_DONE);
	} else if (!l->launch.said_done) {
		l->launch.said_done = true;
		live_say(l, "all jobs are over; r starts another, q quits");
		live_draw(l);
	}
}

static void fill(struct loop *lp, struct pollfd *fd)
{
	struct live *l = lp->live;

	for (int i = 0; i < SLOTS; i++)
		fd[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	fd[SLOT_TICK].fd = lp->tick;
	fd[SLOT_SIGNAL].fd = lp->signals;
	if (l->ui) {
		fd[SLOT_TTY].fd = l->tty;
		if (ui_backlog(l->ui))
			fd[SLOT_TTY].events |= POLLOUT;
	}
	if (l->keeper)
		fd[SLOT_KEEPER].fd = keeper_fd(l->keeper);
	fd[SLOT_LOAD].fd = l->loads.fd;
	fd[SLOT_LOOK].fd = launch_fd(&l->launch);
}

/* How long to sleep: until the plan's next step, the end, or a redraw. */
static int64_t next_wake(struct loop *lp)
{
	struct live *l = lp->live;
	int64_t ns = turn_plan(l), left;
	uint64_t since;

	if (l->settings->duration_ns) {
		left = (int64_t)(l->start_ns + l->settings->duration_ns) -
		       (int64_t)clock_mono_ns();
		if (left <= 0)
			end(lp, EXIT_DONE);
		if (ns < 0 || left < ns)
			ns = left;
	}
	if (l->ui && l->keeper && keeper_pending(l->keeper, &since) &&
	    (ns < 0 || ns > REDRAW_NS))
		ns = REDRAW_NS;
	return ns;
}

static void serve(struct loop *lp, const struct pollfd *fd)
{
	struct live *l = lp->live;

	if (fd[SLOT_SIGNAL].revents)
		signals(lp);
	if (fd[SLOT_KEEPER].revents) {
		turn_receive(l);
		live_draw(l);
	}
	if (fd[SLOT_TICK].revents)
		tick(lp);
	if (fd[SLOT_LOAD].revents)
		load_changed(lp);
	if (fd[SLOT_LOOK].revents) {
		launch_looked(l);
		live_draw(l);
	}
	if (fd[SLOT_TTY].revents & POLLOUT)
		ui_flush(l->ui);
	if (fd[SLOT_TTY].revents & POLLIN)
		keys(lp);
	/* The terminal is gone, and no SIGHUP told so. */
	if (fd[SLOT_TTY].revents & (POLLHUP | POLLERR | POLLNVAL))
		end(lp, EXIT_SIGNAL + SIGHUP);
}

int loop_run(struct live *l, int signal_fd)
{
	struct loop lp = { .live = l, .signals = signal_fd, .status = -1 };

	lp.tick = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (lp.tick < 0) {
		fail(errno, "cannot make a timer: %s", strerror(errno));
		return command_failed(EXIT_FAILED);
	}
	set_tick(&lp, l->start_ns);
	/* Perhaps the header could not be written: do not wait for the tick. */
	end_with_log(&lp);
	while (lp.status < 0) {
		struct pollfd fd[SLOTS];
		int64_t ns = next_wake(&lp);
		struct timespec wait = spec_of(ns > 0 ? (uint64_t)ns : 0);

		if (lp.status >= 0)
			break;
		fill(&lp, fd);
		if (ppoll(fd, SLOTS, ns < 0 ? NULL : &wait, NULL) > 0)
			serve(&lp, fd);
		else
			live_draw(l);
	}
	close(lp.tick);
	return lp.status;
}
