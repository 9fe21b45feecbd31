/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk serve: the process behind a simulated disk. It holds the descriptor of a
 * FUSE file system with one file, a socket, and memory; it has no rights and a
 * seccomp filter (ROLE_DISK of base/role.h). It answers each request at the time
 * that the simulation says, by the clock.
 */
#pragma once

#include <stdint.h>

#include "disk/disk_fault.h"
#include "disk/disk_model.h"
#include "disk/disk_truth.h"

/* Orders over the socket, a byte each. */
enum disk_order { DISK_ORDER_CUT = 'c', DISK_ORDER_BACK = 'b' };

struct disk_serving {
	const struct disk_model *model;
	uint64_t bytes, seed;
	struct disk_faults *faults;
	struct disk_page *page; /* shared */
	struct disk_ring *ring; /* shared; NULL: none */
	int socket;		/* to the maker */
	struct disk_process *process; /* of disk_serve_prepare() */
};

/* The folder over which the process mounts, in a namespace of its own. */
#define DISK_PLACE "/run/iodyno/disk"

/* 0, or -ENOTSUP with a sentence: built without libfuse3. */
int disk_serve_may(void) must_check;

/*
 * For role_start(), arg is a struct disk_serving: mount, and send the descriptor
 * of the file over the socket; on a failure the message is the errno and the step
 * that failed, without a descriptor. Then serve until nobody has the file open.
 */
void disk_serve_prepare(void *arg);
void disk_serve(int socket, void *arg);

/* The first message of the process. */
struct disk_greeting {
	int error;
	char step[64];
};
