/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring of the engine io_uring, and what is registered with it.
 *
 * Buffers and files are registered with the kernel where that works, and must
 * be where fixedbufs and registerfiles ask for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "model/job.h"
#include "workload/uring.h"

void uring_close(void *state)
{
	struct uring *u = state;

	io_uring_queue_exit(&u->ring);
	free(u->kept);
	free(u->now);
	free(u->fd);
	free(u->device);
	free(u);
}

/*
 * The flags that keep completions in this thread came with kernel 6.1. Without
 * them, or where one is refused, the ring works as in 5.1.
 */
static int make_ring(struct uring *u, unsigned depth, const struct job *job)
{
	unsigned asked = (job->hipri ? IORING_SETUP_IOPOLL : 0) |
			 (job->sqthread_poll ? IORING_SETUP_SQPOLL : 0);
	struct io_uring_params p = {
		.flags = asked | IORING_SETUP_SINGLE_ISSUER,
		.sq_thread_idle = 1000,
	};
	int rc;

	if (!job->sqthread_poll)
		p.flags |= IORING_SETUP_DEFER_TASKRUN;
	else if (job->sqthread_poll_cpu != UINT32_MAX) {
		asked |= IORING_SETUP_SQ_AFF;
		p.flags |= IORING_SETUP_SQ_AFF;
		p.sq_thread_cpu = job->sqthread_poll_cpu;
	}
	rc = io_uring_queue_init_params(depth, &u->ring, &p);
	if (rc != -EINVAL)
		return rc;
	p = (struct io_uring_params){ .flags = asked,
				      .sq_thread_idle = 1000,
				      .sq_thread_cpu = p.sq_thread_cpu };
	return io_uring_queue_init_params(depth, &u->ring, &p);
}

static int ring_failed(const struct job *job, unsigned depth, int code)
{
	if (code == EINVAL && job->sqthread_poll &&
	    job->sqthread_poll_cpu != UINT32_MAX)
		return fail(code,
			    "job %s: io_uring has no sqthread_poll on CPU %u; "
			    "give sqthread_poll_cpu one that exists, or none",
			    job->name, job->sqthread_poll_cpu);
	return fail(code,
		    "job %s: io_uring for %u I/Os%s cannot be set up: %s; use "
		    "libaio, or see kernel.io_uring_disabled",
		    job->name, depth,
		    job->sqthread_poll ? " with sqthread_poll" : "",
		    strerror(code));
}

static int register_files(struct uring *u, const struct engine_setup *setup)
{
	int rc = -ENOENT;

	u->n_fds = setup->n_fds;
	u->fd = xcalloc(setup->n_fds + 1, sizeof(*u->fd));
	u->device = xcalloc(setup->n_fds + 1, sizeof(*u->device));
	for (unsigned i = 0; i < setup->n_fds; i++) {
		struct stat st;

		u->fd[i] = (unsigned)setup->fd[i];
		u->device[i] =
			fstat(setup->fd[i], &st) == 0 && S_ISBLK(st.st_mode);
	}
	if (setup->n_fds)
		rc = io_uring_register_files(&u->ring, setup->fd, setup->n_fds);
	u->fixed_files = rc == 0;
	if (rc == 0 || !setup->job->registerfiles)
		return 0;
	return fail(-rc,
		    "job %s: registerfiles: the kernel takes no %u files: %s; "
		    "raise the limit (ulimit -n) or leave it out",
		    setup->job->name, setup->n_fds, strerror(-rc));
}

/* One registered buffer over all slots: at most 1 GiB. */
static int register_buffers(struct uring *u, const struct engine_setup *setup)
{
	const struct iovec all = { .iov_base = setup->buffers,
				   .iov_len = setup->buffers_bytes };
	int rc = -ENOENT;

	if (setup->buffers)
		rc = io_uring_register_buffers(&u->ring, &all, 1);
	u->fixed_buffers = rc == 0;
	if (rc == 0 || !setup->job->fixedbufs)
		return 0;
	return fail(-rc,
		    "job %s: fixedbufs: the kernel takes no %zu bytes of "
		    "buffers: %s; lower bs or iodepth, raise the limit of "
		    "locked memory (ulimit -l), or leave it out",
		    setup->job->name, setup->buffers_bytes, strerror(-rc));
}

/* Polling works with direct I/O on devices that have queues for it. */
static int check_poll(struct uring *u, const struct engine_setup *setup)
{
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	void *buf;
	int rc;

	if (!setup->job->direct)
		return fail(EINVAL,
			    "job %s: hipri polls the device, which needs "
			    "direct=1",
			    setup->job->name);
	if (!setup->n_fds || posix_memalign(&buf, 4096, 4096))
		return 0;
	sqe = io_uring_get_sqe(&u->ring);
	io_uring_prep_read(sqe, setup->fd[0], buf, 4096, 0);
	rc = io_uring_submit_and_wait(&u->ring, 1);
	if (rc >= 0)
		rc = io_uring_wait_cqe(&u->ring, &cqe);
	if (rc >= 0) {
		rc = cqe->res;
		io_uring_cqe_seen(&u->ring, cqe);
	}
	free(buf);
	if (rc != -EOPNOTSUPP)
		return 0;
	return fail(EOPNOTSUPP,
		    "job %s: hipri: what holds its files has no queues to be "
		    "polled (for NVMe they come from nvme.poll_queues=N at "
		    "boot); leave hipri out",
		    setup->job->name);
}

int uring_open(void **state, const struct engine_setup *setup)
{
	const struct job *job = setup->job;
	struct uring *u = xcalloc(1, sizeof(*u));
	int rc = make_ring(u, setup->depth, job);

	if (rc < 0) {
		free(u);
		return ring_failed(job, setup->depth, -rc);
	}
	u->kept = xcalloc(setup->depth, sizeof(*u->kept));
	u->now = xcalloc(setup->depth, sizeof(struct io *));
	u->range_flags = setup->range_flags;
	u->polls = job->hipri;
	u->thread = job->sqthread_poll;
	rc = register_files(u, setup);
	if (rc == 0)
		rc = register_buffers(u, setup);
	if (rc == 0 && job->hipri)
		rc = check_poll(u, setup);
	/* Saves a look-up per system call; not needed. */
	if (rc == 0)
		(void)io_uring_register_ring_fd(&u->ring);
	if (rc) {
		uring_close(u);
		return rc;
	}
	*state = u;
	return 0;
}
