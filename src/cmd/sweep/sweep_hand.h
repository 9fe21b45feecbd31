/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep hand: after sudo, the process that keeps root's rights for a sweep, so
 * that screen, plan, log and jobs need only the rights of the caller. It makes
 * and mounts file systems on the scratch device, fills it, drops caches, and
 * limits memory.
 *
 * An order consists of two numbers, of the order and of a variant: the hand
 * takes no text from its peer. It looks the variant up in the plan as it was at
 * the fork, and refuses an order that the plan does not contain. It ends with
 * its peer, and then removes what it made.
 */
#ifndef CMD_SWEEP_HAND_H
#define CMD_SWEEP_HAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "cmd/sweep/sweep_plan.h"
#include "cmd/sweep/sweep_stage.h"

enum sweep_hand_order {
	HAND_PRECONDITION, /* as sweep_stage_precondition() and so on */
	HAND_MKFS,
	HAND_MOUNT,
	HAND_UMOUNT,
	HAND_DROP,
	HAND_MEMORY,
	HAND_NO_MEMORY,
};

struct sweep_hand {
	struct sweep_stage *stage; /* with a process: only mount and group are
				      up to date */
	const struct sweep_plan *plan;
	int socket; /* -1: no process, this one carries the orders out */
	pid_t pid;
	bool busy; /* the answer to an order is due */
	bool ended; /* the process has ended too early */
};

/* Begin without a process; stage and plan are borrowed. */
void sweep_hand_init(struct sweep_hand *h, struct sweep_stage *stage,
		     const struct sweep_plan *plan);

/*
 * Fork the process, before any thread and before rights are given up; the stage
 * is open, and its descriptors are the process's from then on. 0, or -errno with
 * a sentence.
 */
int sweep_hand_start(struct sweep_hand *h) must_check;

/*
 * Begin an order; sweep_hand_poll() reports its end. No other order may be
 * under way. 0, or -errno with a sentence.
 */
int sweep_hand_begin(struct sweep_hand *h, enum sweep_hand_order order,
		     size_t variant) must_check;
/* 1: the order is under way; 0: done; -errno with a sentence. Never waits. */
int sweep_hand_poll(struct sweep_hand *h) must_check;

/*
 * End the process, which removes what it made; wait at most 15 s for it. Does
 * nothing without a process.
 */
void sweep_hand_stop(struct sweep_hand *h);

#endif
