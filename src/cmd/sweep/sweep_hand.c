/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep hand: the orders, the process, and the side that gives them. */
#include "cmd/sweep/sweep_stage.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/role.h"
#include "base/text.h"

#define LOOK_MS 10    /* between two looks at a program that runs */
#define END_MS  15000 /* mkfs may finish */

/* --- orders --- */

/* Whether the plan has such a step, and the device is in the state for it. */
static bool sweep_hand_may(const struct sweep_hand *h, unsigned order,
			   const char *fs)
{
	switch (order) {
	case HAND_PRECONDITION:
		return h->plan->precondition;
	case HAND_MKFS:
	case HAND_MOUNT:
		return fs && !*h->stage->mount;
	case HAND_UMOUNT:
		return *h->stage->mount;
	case HAND_DROP:
		return h->plan->cold == SWEEP_DROP;
	default:
		return false;
	}
}

static int carry_out(struct sweep_hand *h, unsigned order, size_t variant)
{
	static const char *const words[] = {
		[HAND_PRECONDITION] = "prepare the device",
		[HAND_MKFS] = "make a file system",
		[HAND_MOUNT] = "mount a file system",
		[HAND_UMOUNT] = "unmount a file system",
		[HAND_DROP] = "drop caches",
	};
	const char *fs = variant < h->plan->n_variants
				 ? sweep_plan_value_of(h->plan, variant, SWEEP_FS)
				 : NULL;

	if (order == HAND_MKFS && *h->stage->mount)
		return fail(EBUSY,
			    "%s is still mounted, so no file system is "
			    "made there",
			    h->stage->device);
	if (!sweep_hand_may(h, order, fs))
		return fail(EPERM,
			    "cannot %s now: the plan has no such step",
			    order < ARRAY_SIZE(words) ? words[order]
						      : "follow that order");
	switch (order) {
	case HAND_PRECONDITION:
		return sweep_stage_precondition(h->stage,
						h->plan->precondition);
	case HAND_MKFS:
		return sweep_stage_mkfs(h->stage, fs);
	case HAND_MOUNT:
		return sweep_stage_mount(h->stage, fs);
	case HAND_UMOUNT:
		return sweep_stage_umount(h->stage);
	default:
		return sweep_stage_drop(h->stage);
	}
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
	char made[sizeof(((struct sweep_stage *)0)->made)];
};

static void sweep_hand_answer(const struct sweep_hand *h, int rc)
{
	struct hand_answer a = { .error = -rc };

	if (rc < 0)
		text_copy(a.sentence, sizeof(a.sentence), fail_sentence());
	text_copy(a.mount, sizeof(a.mount), h->stage->mount);
	text_copy(a.made, sizeof(a.made), h->stage->made);
	if (descriptor_send(h->socket, &a, sizeof(a), NULL, 0) < 0) {
		/* The peer is gone; the next receive shows it. */
	}
}

/* Remove what was made. */
static void never_returns sweep_hand_end(struct sweep_hand *h)
{
	sweep_stage_close(h->stage);
	_exit(0);
}

/* Serve orders until no process is left that could give one. */
static void sweep_hand_serve(int socket, void *arg)
{
	struct pollfd peer = { .fd = socket };
	struct sweep_hand *h = arg;
	struct hand_order o;
	ssize_t n;
	int rc;

	h->socket = socket;
	for (;;) {
		if (h->busy) {
			if (poll(&peer, 1, LOOK_MS) > 0 &&
			    peer.revents & (POLLHUP | POLLERR))
				sweep_hand_end(h);
			rc = sweep_stage_poll(h->stage);
			h->busy = rc == 1;
		} else {
			n = descriptor_receive(h->socket, &o, sizeof(o), NULL,
					       0);
			if (n == 0 || (n < 0 && errno != EINTR))
				sweep_hand_end(h);
			if (n != sizeof(o))
				continue;
			rc = carry_out(h, o.order, o.variant);
			h->busy = rc == 0;
		}
		if (!h->busy)
			sweep_hand_answer(h, rc);
	}
}

/* --- the side that gives the orders --- */

void sweep_hand_init(struct sweep_hand *h, struct sweep_stage *stage,
		     const struct sweep_plan *plan)
{
	*h = (struct sweep_hand){ .stage = stage, .plan = plan, .socket = -1 };
}

/* Close the stage's descriptors: the process has them now. */
static void sweep_hand_hand_over(struct sweep_stage *st)
{
	scratch_disk_leave(&st->own);
	if (st->device_fd >= 0)
		close(st->device_fd);
	st->device_fd = -1;
}

int sweep_hand_start(struct sweep_hand *h)
{
	const int keep[] = { h->stage->own.scratch.fd, h->stage->device_fd };
	const struct role_start start = { .role = ROLE_HAND,
					  .keep = keep,
					  .n = ARRAY_SIZE(keep),
					  .serve = sweep_hand_serve,
					  .arg = h };
	int socket;

	h->pid = role_start(&start, &socket);
	if (h->pid < 0)
		return h->pid;
	h->socket = socket;
	sweep_hand_hand_over(h->stage);
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
	text_copy(h->stage->made, sizeof(h->stage->made), a.made);
	a.sentence[sizeof(a.sentence) - 1] = '\0';
	return a.error ? fail(a.error, "%s", a.sentence) : 0;
}

void sweep_hand_stop(struct sweep_hand *h)
{
	if (h->socket < 0)
		return;
	role_end(h->socket, h->pid, END_MS);
	h->socket = -1;
	*h->stage->mount = '\0';
}
