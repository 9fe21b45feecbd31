/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine io_uring: the kernel's newer asynchronous I/O, through liburing.
 */
#include <errno.h>
#include <liburing.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "model/schema_job.h"
#include "workload/engine.h"

struct uring {
	struct io_uring ring;
};

/* Kernels before 6.1 lack the flags that keep completions in this thread. */
static int uring_open(void **state, const struct engine_setup *setup)
{
	unsigned depth = setup->depth;
	struct uring *u = xcalloc(1, sizeof(*u));
	int rc = io_uring_queue_init(depth, &u->ring,
				     IORING_SETUP_SINGLE_ISSUER |
					     IORING_SETUP_DEFER_TASKRUN);

	if (rc == -EINVAL)
		rc = io_uring_queue_init(depth, &u->ring, 0);
	if (rc < 0) {
		free(u);
		return fail(-rc,
			    "io_uring for %u I/Os cannot be set up: %s; use "
			    "libaio, or see kernel.io_uring_disabled",
			    depth, strerror(-rc));
	}
	*state = u;
	return 0;
}

static void prepare(struct io_uring_sqe *sqe, struct io *io)
{
	if (io->op == JOB_READ)
		io_uring_prep_read(sqe, io->fd, io->buf, (unsigned)io->bytes,
				   io->offset);
	else if (io->op == JOB_WRITE)
		io_uring_prep_write(sqe, io->fd, io->buf, (unsigned)io->bytes,
				    io->offset);
	else
		io_uring_prep_fsync(sqe, io->fd,
				    io->sync == SYNC_DATA ? IORING_FSYNC_DATASYNC : 0);
	io_uring_sqe_set_data(sqe, io);
}

/*
 * What the kernel does not take at once stays in the ring: reap() submits it
 * again, so it counts as accepted.
 */
static unsigned uring_submit(void *state, struct io **ios, unsigned n)
{
	struct uring *u = state;
	unsigned i;

	for (i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

		if (!sqe)
			break;
		prepare(sqe, ios[i]);
	}
	io_uring_submit(&u->ring);
	return i;
}

static unsigned take(struct uring *u, struct io **done, unsigned max)
{
	struct io_uring_cqe *cqe;
	unsigned head, n = 0;

	io_uring_for_each_cqe(&u->ring, head, cqe)
	{
		struct io *io = io_uring_cqe_get_data(cqe);

		if (n == max)
			break;
		io->result = cqe->res;
		done[n++] = io;
	}
	io_uring_cq_advance(&u->ring, n);
	return n;
}

static int uring_reap(void *state, struct io **done, unsigned min, unsigned max,
		      uint64_t timeout_ns)
{
	struct uring *u = state;
	unsigned n = take(u, done, max);

	while (n < min) {
		struct __kernel_timespec ts = {
			.tv_sec = (long long)(timeout_ns / NS_PER_S),
			.tv_nsec = (long long)(timeout_ns % NS_PER_S),
		};
		struct io_uring_cqe *cqe;
		int rc = timeout_ns == ENGINE_WAIT
				 ? io_uring_submit_and_wait(&u->ring, min - n)
				 : io_uring_submit_and_wait_timeout(
					   &u->ring, &cqe, min - n, &ts, NULL);

		if (rc == -EAGAIN || rc == -EBUSY)
			sched_yield();
		else if (rc < 0 && rc != -EINTR && rc != -ETIME)
			return n ? (int)n : rc;
		n += take(u, done + n, max - n);
		if (rc == -ETIME)
			break;
	}
	return (int)n;
}

static void uring_close(void *state)
{
	struct uring *u = state;

	io_uring_queue_exit(&u->ring);
	free(u);
}

const struct engine engine_io_uring = {
	.name = "io_uring",
	.aliases = "",
	.help = "asynchronous I/O through rings shared with the kernel; "
		"buffered I/O is asynchronous too",
	.async = true,
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
	.close = uring_close,
};
