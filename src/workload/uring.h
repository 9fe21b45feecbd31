/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine io_uring knows between its setup and its path.
 */
#ifndef WORKLOAD_URING_H
#define WORKLOAD_URING_H

#include <liburing.h>
#include <stdbool.h>

#include "workload/engine.h"

/* linux/blkdev.h of 6.12 and later; older kernels say EOPNOTSUPP. */
#ifndef BLOCK_URING_CMD_DISCARD
#define BLOCK_URING_CMD_DISCARD _IO(0x12, 0)
#endif

struct uring {
	struct io_uring ring;
	struct io_uring_sqe *kept; /* by slot: all but the offset */
	struct io **now; /* done without the ring, wait to be reaped */
	unsigned n_now, n_queued;
	unsigned n_fds, *fd; /* registered, in this order */
	bool *device;        /* by place in fd */
	bool fixed_files, fixed_buffers, polls, thread, trims;
	unsigned range_flags;
};

/*
 * A ring for the setup's depth with its files and buffers registered where the
 * kernel lets us. 0 and the state, which uring_close() frees, or -errno with a
 * sentence.
 */
int uring_open(void **state, const struct engine_setup *setup);
void uring_close(void *state);

#endif
