/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep hand: after sudo, the process that keeps root's rights for a sweep, so
 * that screen, plan, log and jobs have those of the caller. It makes and mounts
 * file systems on the scratch device, fills it, drops caches, and limits memory.
 *
 * An order is a number and that of a variant: no word of it comes from its peer.
 * The hand looks up what to do in the plan, as it was when the rights were there,
 * and refuses what the plan has not. It ends with its peer and then takes away
 * what it made.
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
	struct sweep_stage *stage; /* of a process: a copy of mount and group */
	const struct sweep_plan *plan;
	int socket; /* -1: no process, this one carries the orders out */
	pid_t pid;
	bool busy; /* the answer to an order is due */
	bool ended; /* the process is gone before its time */
};

/* No process; stage and plan are borrowed. */
void sweep_hand_init(struct sweep_hand *h, struct sweep_stage *stage,
		     const struct sweep_plan *plan);

/*
 * Fork the process, before any thread and before rights are given up; the stage
 * is open, and its descriptors are the process's from then on. 0, or -errno with
 * a sentence.
 */
int sweep_hand_start(struct sweep_hand *h) must_check;

/*
 * Begin something; sweep_hand_poll() says when it is over. Nothing else may be
 * under way. 0, or -errno with a sentence.
 */
int sweep_hand_begin(struct sweep_hand *h, enum sweep_hand_order order,
		     size_t variant) must_check;
/* 1: it goes on; 0: done; -errno with a sentence. It never waits. */
int sweep_hand_poll(struct sweep_hand *h) must_check;

/*
 * End the process: what it made is gone then, unless mkfs or mount hold it for
 * more than some seconds. Nothing happens without one.
 */
void sweep_hand_stop(struct sweep_hand *h);

#endif
