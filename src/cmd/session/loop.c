/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loop: poll the descriptors, and a timer that is set to the next deadline.
 *
 * The timer is a timerfd, since the timeout of poll(2) may be late by a
 * thousandth of its length: 100 ms where it is long (the kernel's
 * select_estimate_accuracy()).
 */
#include "cmd/session/loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"

struct loop_source {
	struct loop_source *next;
	loop_handler *handler; /* NULL: removed, to be freed */
	void *arg;
	int fd;
	short events, ready;
	uint64_t deadline_ns;
};

struct loop {
	struct loop_source *first;
	int timer, status;
	uint64_t armed_ns; /* deadline that the timer is set to; 0: none */
	bool fired;	   /* the timer stays readable until it is set again */
	void (*before_wait)(void *arg);
	void *before_wait_arg;
	struct pollfd *poll;
	size_t cap;
};

int loop_new(struct loop **out)
{
	struct loop *lp = xcalloc(1, sizeof(*lp));

	lp->status = -1;
	lp->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (lp->timer < 0) {
		free(lp);
		return fail(errno, "cannot make a timer: %s", strerror(errno));
	}
	*out = lp;
	return 0;
}

void loop_free(struct loop *lp)
{
	if (!lp)
		return;
	while (lp->first) {
		struct loop_source *source = lp->first;

		lp->first = source->next;
		free(source);
	}
	close(lp->timer);
	free(lp->poll);
	free(lp);
}

struct loop_source *loop_add(struct loop *lp, loop_handler *handler, void *arg)
{
	struct loop_source *source = xcalloc(1, sizeof(*source)), **last;

	source->handler = handler;
	source->arg = arg;
	source->fd = -1;
	for (last = &lp->first; *last;)
		last = &(*last)->next;
	*last = source;
	return source;
}

/* The round under way may still use the source: free_removed() frees it. */
void loop_remove(struct loop_source *source)
{
	if (!source)
		return;
	source->handler = NULL;
	source->fd = -1;
	source->deadline_ns = 0;
}

static void free_removed(struct loop *lp)
{
	struct loop_source **at = &lp->first;

	while (*at) {
		struct loop_source *source = *at;

		if (source->handler) {
			at = &source->next;
			continue;
		}
		*at = source->next;
		free(source);
	}
}

void loop_source_fd(struct loop_source *source, int fd, short events)
{
	source->fd = fd;
	source->events = events;
}

void loop_source_deadline(struct loop_source *source, uint64_t at_ns)
{
	source->deadline_ns = at_ns;
}

void loop_before_wait(struct loop *lp, void (*fn)(void *arg), void *arg)
{
	lp->before_wait = fn;
	lp->before_wait_arg = arg;
}

void loop_end(struct loop *lp, int status)
{
	if (lp->status < 0)
		lp->status = status;
}

int loop_status(const struct loop *lp)
{
	return lp->status;
}

/* Set the timer to the earliest deadline, unless it is set to that already. */
static void arm(struct loop *lp)
{
	uint64_t first_ns = 0;

	for (struct loop_source *s = lp->first; s; s = s->next)
		if (s->deadline_ns && (!first_ns || s->deadline_ns < first_ns))
			first_ns = s->deadline_ns;
	if (first_ns != lp->armed_ns || lp->fired) {
		struct itimerspec at = {
			.it_value = clock_timespec(first_ns)
		};

		timerfd_settime(lp->timer, TFD_TIMER_ABSTIME, &at, NULL);
		lp->armed_ns = first_ns;
		lp->fired = false;
	}
}

/* Fill poll[] with the timer and the sources; returns the number of entries. */
static size_t loop_fill(struct loop *lp)
{
	size_t n = 1;

	for (struct loop_source *s = lp->first; s; s = s->next)
		n++;
	lp->poll = xgrow(lp->poll, &lp->cap, n, sizeof(*lp->poll));
	lp->poll[0] = (struct pollfd){ .fd = lp->timer, .events = POLLIN };
	n = 1;
	for (struct loop_source *s = lp->first; s; s = s->next)
		lp->poll[n++] =
			(struct pollfd){ .fd = s->fd, .events = s->events };
	return n;
}

/* Store what poll() found at the sources, because a handler may add some. */
static void note_ready(struct loop *lp, size_t n)
{
	struct loop_source *s = lp->first;

	for (size_t i = 1; i < n; i++, s = s->next)
		s->ready = lp->poll[i].revents;
}

static void loop_serve(struct loop *lp)
{
	uint64_t now_ns = clock_mono_ns();

	for (struct loop_source *s = lp->first; s; s = s->next) {
		short ready = s->ready;

		s->ready = 0;
		if (s->handler && ready && s->fd >= 0)
			s->handler(s->arg, ready);
		if (s->handler && s->deadline_ns && s->deadline_ns <= now_ns) {
			s->deadline_ns = 0;
			s->handler(s->arg, 0);
		}
	}
}

int loop_run(struct loop *lp)
{
	while (lp->status < 0) {
		size_t n;

		if (lp->before_wait)
			lp->before_wait(lp->before_wait_arg);
		if (lp->status >= 0)
			break;
		free_removed(lp);
		arm(lp);
		n = loop_fill(lp);
		if (poll(lp->poll, n, -1) <= 0)
			continue;
		if (lp->poll[0].revents)
			lp->fired = true;
		note_ready(lp, n);
		loop_serve(lp);
	}
	free_removed(lp);
	return lp->status;
}

/* --- signals --- */

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

int loop_signals(bool screen, bool status)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	add_ends(&set);
	if (screen) {
		sigaddset(&set, SIGWINCH);
		sigaddset(&set, SIGTSTP);
	}
	if (status)
		sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return fail(errno, "cannot watch signals: %s", strerror(errno));
	return fd;
}

void loop_signals_end(int fd)
{
	sigset_t set;

	/* One that came before has ended the loop already. */
	while (loop_take_signal(fd))
		;
	close(fd);
	sigemptyset(&set);
	add_ends(&set);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int loop_take_signal(int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	return (int)info.ssi_signo;
}
