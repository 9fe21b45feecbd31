/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep hand: the orders, the process, and the side that gives them.
 */
#include "cmd/sweep/sweep_stage.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/sandbox.h"
#include "base/text.h"

#define LOOK_MS 10 /* between two looks at a program that runs */
/* Limits of the end: mkfs may finish, then the control group becomes empty. */
#define END_MS	 15000
#define GROUP_MS 2000

/* --- orders --- */

static int refused(const char *what)
{
	return fail(EPERM, "cannot %s now: the plan has no such step", what);
}

static int order_precondition(struct sweep_hand *h, not_used size_t variant)
{
	if (!h->plan->precondition)
		return refused("prepare the device");
	return sweep_stage_precondition(h->stage, h->plan->precondition);
}

static int order_mkfs(struct sweep_hand *h, size_t variant)
{
	const char *fs = sweep_plan_value_of(h->plan, variant, SWEEP_FS);

	if (*h->stage->mount)
		return fail(EBUSY, "%s is still mounted, so no file system is "
				   "made there",
			    h->stage->device);
	if (!fs)
		return refused("make a file system");
	return sweep_stage_mkfs(h->stage, fs);
}

static int order_mount(struct sweep_hand *h, size_t variant)
{
	const char *fs = sweep_plan_value_of(h->plan, variant, SWEEP_FS);

	if (!fs || *h->stage->mount)
		return refused("mount a file system");
	return sweep_stage_mount(h->stage, fs);
}

static int order_umount(struct sweep_hand *h, not_used size_t variant)
{
	if (!*h->stage->mount)
		return refused("unmount a file system");
	return sweep_stage_umount(h->stage);
}

static int order_drop(struct sweep_hand *h, not_used size_t variant)
{
	if (h->plan->cold != SWEEP_DROP)
		return refused("drop caches");
	return sweep_stage_drop(h->stage);
}

static int order_memory(struct sweep_hand *h, size_t variant)
{
	const char *memory =
		sweep_plan_value_of(h->plan, variant, SWEEP_MEMORY);

	if (!memory)
		return refused("limit memory");
	return sweep_memory_limit(h->stage, memory);
}

static int order_no_memory(struct sweep_hand *h, not_used size_t variant)
{
	sweep_memory_free(h->stage);
	return 0;
}

static int (*const orders[])(struct sweep_hand *h, size_t variant) = {
	[HAND_PRECONDITION] = order_precondition,
	[HAND_MKFS] = order_mkfs,
	[HAND_MOUNT] = order_mount,
	[HAND_UMOUNT] = order_umount,
	[HAND_DROP] = order_drop,
	[HAND_MEMORY] = order_memory,
	[HAND_NO_MEMORY] = order_no_memory,
};

static int carry_out(struct sweep_hand *h, unsigned order, size_t variant)
{
	if (order >= ARRAY_SIZE(orders) || variant >= h->plan->n_variants)
		return refused("follow an unknown order");
	return orders[order](h, variant);
}

/* --- the process --- */

struct hand_order {
	unsigned order;
	size_t variant;
};

struct hand_answer {
	int error; /* 0, or an errno with a sentence */
	char sentence[600];
	char mount[sizeof(((struct sweep_stage *)0)->mount)];
	char group[sizeof(((struct sweep_stage *)0)->group)];
	char made[sizeof(((struct sweep_stage *)0)->made)];
};

static void answer(const struct sweep_hand *h, int rc)
{
	struct hand_answer a = { .error = -rc };

	if (rc < 0)
		text_copy(a.sentence, sizeof(a.sentence), fail_sentence());
	text_copy(a.mount, sizeof(a.mount), h->stage->mount);
	text_copy(a.group, sizeof(a.group), h->stage->group);
	text_copy(a.made, sizeof(a.made), h->stage->made);
	if (descriptor_send(h->socket, &a, sizeof(a), NULL, 0) < 0) {
		/* The peer is gone; the next receive shows it. */
	}
}

/* Remove what was made. The control group is empty when the peer's processes
 * have ended. */
static void never_returns end(struct sweep_hand *h)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000l };

	for (int ms = 0; *h->stage->group && ms < GROUP_MS; ms += LOOK_MS) {
		sweep_memory_free(h->stage);
		if (*h->stage->group)
			nanosleep(&pause, NULL);
	}
	sweep_stage_close(h->stage);
	_exit(0);
}

/* Serve orders until no process is left that could give one. */
static void never_returns serve(struct sweep_hand *h)
{
	struct pollfd peer = { .fd = h->socket };
	struct hand_order o;
	ssize_t n;
	int rc;

	for (;;) {
		if (h->busy) {
			if (poll(&peer, 1, LOOK_MS) > 0 &&
			    peer.revents & (POLLHUP | POLLERR))
				end(h);
			rc = sweep_stage_poll(h->stage);
			h->busy = rc == 1;
		} else {
			n = descriptor_receive(h->socket, &o, sizeof(o), NULL,
					       0);
			if (n == 0 || (n < 0 && errno != EINTR))
				end(h);
			if (n != sizeof(o))
				continue;
			rc = carry_out(h, o.order, o.variant);
			h->busy = rc == 0;
		}
		if (!h->busy)
			answer(h, rc);
	}
}

/*
 * A signal from the terminal must not end the hand before its peer. Signals are
 * blocked, not ignored: the programs that the hand starts unblock them.
 */
static void never_returns process(struct sweep_hand *h)
{
	const int keep[] = { h->socket, h->stage->scratch.fd,
			     h->stage->device_fd };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "iodyno-hand");
	descriptor_close_others(keep, ARRAY_SIZE(keep));
	sandbox_sweep_hand();
	serve(h);
}

/* --- the side that gives the orders --- */

void sweep_hand_init(struct sweep_hand *h, struct sweep_stage *stage,
		     const struct sweep_plan *plan)
{
	*h = (struct sweep_hand){ .stage = stage, .plan = plan, .socket = -1 };
}

/* Close the stage's descriptors: the process has them now. */
static void hand_over(struct sweep_stage *st)
{
	if (st->scratch.fd >= 0)
		close(st->scratch.fd);
	if (st->device_fd >= 0)
		close(st->device_fd);
	st->scratch.fd = st->device_fd = -1;
}

int sweep_hand_start(struct sweep_hand *h)
{
	int pair[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return fail(errno, "cannot make a socket: %s", strerror(errno));
	h->pid = fork();
	error = errno;
	if (h->pid == 0) {
		close(pair[0]);
		h->socket = pair[1];
		process(h);
	}
	close(pair[1]);
	if (h->pid < 0) {
		close(pair[0]);
		h->pid = 0;
		return fail(error, "cannot start the process that makes file "
				   "systems: %s",
			    strerror(error));
	}
	h->socket = pair[0];
	hand_over(h->stage);
	return 0;
}

static int has_ended(struct sweep_hand *h)
{
	h->ended = true;
	return fail(EPIPE, "the process with root's rights has ended");
}

int sweep_hand_begin(struct sweep_hand *h, enum sweep_hand_order order,
		     size_t variant)
{
	const struct hand_order o = { order, variant };
	int err;

	if (h->socket < 0)
		return carry_out(h, order, variant);
	err = descriptor_send(h->socket, &o, sizeof(o), NULL, 0);
	if (err < 0)
		return has_ended(h);
	h->busy = true;
	return 0;
}

int sweep_hand_poll(struct sweep_hand *h)
{
	struct hand_answer a;
	ssize_t n;

	if (h->socket < 0)
		return sweep_stage_poll(h->stage);
	if (!h->busy)
		return 0;
	n = recv(h->socket, &a, sizeof(a), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 1;
	h->busy = false;
	if (n != sizeof(a))
		return has_ended(h);
	text_copy(h->stage->mount, sizeof(h->stage->mount), a.mount);
	text_copy(h->stage->group, sizeof(h->stage->group), a.group);
	text_copy(h->stage->made, sizeof(h->stage->made), a.made);
	a.sentence[sizeof(a.sentence) - 1] = '\0';
	return a.error ? fail(a.error, "%s", a.sentence) : 0;
}

void sweep_hand_stop(struct sweep_hand *h)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000l };

	if (h->socket < 0)
		return;
	close(h->socket);
	h->socket = -1;
	/* A device without an answer may block the hand, but not this process. */
	for (int ms = 0; ms < END_MS && waitpid(h->pid, NULL, WNOHANG) == 0;
	     ms += LOOK_MS)
		nanosleep(&pause, NULL);
	*h->stage->mount = *h->stage->group = '\0';
}
