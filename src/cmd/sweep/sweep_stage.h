/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep stage: the surroundings of a run's jobs: a scratch device, a file
 * system on it, cold caches. A child process does all that may take long, so that
 * the session goes on.
 *
 * A killed sweep leaves nothing: the mount is in a mount namespace of the
 * program's own, and the scratch device goes with its last user.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "cmd/scratch_disk.h"
#include "cmd/sweep/sweep_plan.h"
#include "workload/target/guard.h"
#include "workload/target/target.h"

/* Where file systems are mounted, in a mount namespace of the sweep's own. */
#define SWEEP_STAGE_PLACE "/run/iodyno-sweep"

struct sweep_stage {
	struct scratch_disk own; /* of --scratch=SIZE; its fd -1: none */
	char device[256];       /* "/dev/loop3"; "": no scratch device */
	int device_fd;          /* of --scratch=DEVICE, for reading, locked; -1 */
	char disk[32];          /* its name, "loop3" */
	char mount[128];        /* where a file system is mounted; "": none */
	bool changes;           /* the child changes the device */
	bool finishes;          /* the child is mkfs, mount or umount */
	bool mounts;            /* the child is mount */
	bool unmounts;          /* the child is umount */
	uint64_t content;       /* of the device, as it was left */
	uint64_t bytes;         /* size of the device; 0: none */
	bool gives;             /* file systems belong to this user: */
	uid_t uid;
	gid_t gid;
	pid_t child;            /* the running child; 0: none */
	int output;             /* of the child; -1 */
	char said[200];         /* the first line that it printed */
	char made[200];         /* the last mkfs, without the device; "": none */
};

/* Begin with nothing made. */
void sweep_stage_init(struct sweep_stage *st);
/* Make or open the scratch device, before the session begins. 0, or -errno with
 * a sentence. */
int sweep_stage_open(struct sweep_stage *st, const struct sweep_plan *p,
		     const struct root *root,
		     const struct allow_list *allowed) must_check;
/* From now on, only this process and its children see the mounts that it makes.
 * 0, or -errno with a sentence. */
int sweep_stage_own_mounts(void) must_check;
/*
 * Give file systems that are mounted from now on to this user, as whom the jobs
 * run; mount them nosuid and nodev.
 */
void sweep_stage_give(struct sweep_stage *st, uid_t uid, gid_t gid);

/*
 * Refuse a file system, or caches that are dropped, before the first run: it is
 * not made here, its program is missing, the user may not. 0, or -errno with a
 * sentence; -EINVAL: the value is wrong.
 */
int sweep_stage_check_fs(const struct sweep_stage *st, const char *value) must_check;
int sweep_stage_check_drop(const struct root *root) must_check;

/*
 * Begin a step; sweep_stage_poll() reports its end. mkfs is refused (-EPERM)
 * when the device holds another file system or partition table than at the
 * start or after the last mkfs: another program made it. 0, or -errno with a
 * sentence.
 */
int sweep_stage_mkfs(struct sweep_stage *st, const char *value) must_check;
int sweep_stage_mount(struct sweep_stage *st, const char *value) must_check;
int sweep_stage_umount(struct sweep_stage *st) must_check;
int sweep_stage_drop(struct sweep_stage *st) must_check;
/* Write back the dirty data of the file system that holds the path. */
int sweep_stage_sync(struct sweep_stage *st, const char *path) must_check;
/*
 * Discard or fill the scratch device (bits of enum sweep_precondition). Refused
 * as mkfs is. sweep_stage_condition_bytes(): the bytes that this step writes.
 */
int sweep_stage_precondition(struct sweep_stage *st, unsigned how) must_check;
uint64_t sweep_stage_condition_bytes(const struct sweep_stage *st,
				     unsigned how);
/* 1: the step is under way; 0: done; -errno with a sentence. */
int sweep_stage_poll(struct sweep_stage *st) must_check;

/* Remove everything that was made. */
void sweep_stage_close(struct sweep_stage *st);

/*
 * Sweep hand: after sudo, the process that keeps root's rights for a sweep, so
 * that screen, plan, log and jobs need only the rights of the caller. It makes
 * and mounts file systems on the scratch device, fills it, and drops caches.
 *
 * An order consists of two numbers, of the order and of a variant: the hand
 * takes no text from its peer. It looks the variant up in the plan as it was at
 * the fork, and refuses an order that the plan does not contain. It ends with
 * its peer, and then removes what it made.
 */

enum sweep_hand_order {
	HAND_PRECONDITION, /* as sweep_stage_precondition() and so on */
	HAND_MKFS,
	HAND_MOUNT,
	HAND_UMOUNT,
	HAND_DROP,
};

struct sweep_hand {
	struct sweep_stage *stage; /* with a process: only mount and made are
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
