/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine io_uring: the kernel's newer asynchronous I/O, through liburing.
 *
 * submit() only queues; reap() submits and waits in one system call. Buffers
 * and files are registered with the kernel where that works, and must be where
 * fixedbufs and registerfiles ask for it.
 */
#include <errno.h>
#include <liburing.h>
#include <linux/fs.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "model/job/job.h"
#include "workload/engine/engine.h"

/* linux/blkdev.h of 6.12 and later; older kernels say EOPNOTSUPP. */
#ifndef BLOCK_URING_CMD_DISCARD
#define BLOCK_URING_CMD_DISCARD _IO(0x12, 0)
#endif

struct uring {
	struct io_uring ring;
	struct io_uring_sqe *kept; /* by slot: all but the offset */
	struct io **now; /* done without the ring, wait to be reaped */
	unsigned n_now;
	unsigned n_fds, *fd; /* registered, in this order */
	bool *device;        /* by place in fd */
	bool fixed_files, fixed_buffers, polls, thread, trims;
	unsigned range_flags;
	unsigned flags[2]; /* RWF_* of reads, of writes */
};

static void uring_close(void *state)
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
		return job_fail(
			job, code,
			"io_uring has no sqthread_poll on CPU %u; give "
			"sqthread_poll_cpu a CPU that exists, or leave it out",
			job->sqthread_poll_cpu);
	/* EPERM is reserved for the guard. */
	return fail(code == EPERM ? EACCES : code,
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
	return job_fail(setup->job, -rc,
			"registerfiles: the kernel does not accept %u files: "
			"%s; raise the limit (ulimit -n) or leave it out",
			setup->n_fds, strerror(-rc));
}

/* One registered buffer over all slots: at most 1 GiB. */
static int register_buffers(struct uring *u, const struct engine_setup *setup)
{
	const struct iovec all = { .iov_base = setup->buffers,
				   .iov_len = setup->buffers_bytes };
	const struct job *job = setup->job;
	int rc = -ENOENT;

	/* The kernel's atomic writes take no registered buffer. */
	if (job->atomic && job->fixedbufs)
		return job_fail(job, EINVAL,
				"atomic writes have no registered buffers; "
				"leave fixedbufs out");
	if (setup->buffers && !job->atomic)
		rc = io_uring_register_buffers(&u->ring, &all, 1);
	u->fixed_buffers = rc == 0;
	if (rc == 0 || !job->fixedbufs)
		return 0;
	return job_fail(job, -rc,
			"fixedbufs: the kernel does not accept %zu bytes of "
			"buffers: %s; lower bs or iodepth, raise the limit of "
			"locked memory (ulimit -l), or leave it out",
			setup->buffers_bytes, strerror(-rc));
}

/* Polling works with direct I/O on devices that have queues for it. */
static int check_poll(struct uring *u, const struct engine_setup *setup)
{
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	void *buf;
	int rc;

	if (!setup->job->direct)
		return job_fail(setup->job, EINVAL,
				"hipri polls the device, which needs direct=1");
	if (!setup->n_fds || posix_memalign(&buf, 4096, 4096))
		return 0;
	sqe = io_uring_get_sqe(&u->ring);
	if (!sqe) {
		free(buf);
		return job_fail(setup->job, EIO,
				"hipri: the ring takes no request");
	}
	io_uring_prep_read(sqe, setup->fd[0], buf, 4096, 0);
	do
		rc = io_uring_submit(&u->ring);
	while (rc == -EINTR);
	/* Until its completion the read may write to the buffer. */
	while (rc >= 0 && (rc = io_uring_wait_cqe(&u->ring, &cqe)) == -EINTR)
		rc = 0;
	if (rc < 0)
		return job_fail(setup->job, -rc,
				"hipri: cannot try to poll: %s", strerror(-rc));
	rc = cqe->res;
	io_uring_cqe_seen(&u->ring, cqe);
	free(buf);
	if (rc != -EOPNOTSUPP)
		return 0;
	return job_fail(setup->job, EOPNOTSUPP,
			"hipri: the device of its files has no queues to poll "
			"(for NVMe they come from nvme.poll_queues=N at boot); "
			"leave hipri out");
}

/*
 * Make a ring for the setup's depth; register its files and buffers where the
 * kernel permits. 0 and the state, which uring_close() frees, or -errno with a
 * sentence.
 */
static int uring_open(void **state, const struct engine_setup *setup)
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
	/* The ring polls, not the I/O. */
	for (unsigned op = JOB_READ; op <= JOB_WRITE; op++)
		u->flags[op] = engine_flags(job, op) & ~(unsigned)RWF_HIPRI;
	u->polls = job->hipri;
	u->thread = job->sqthread_poll;
	rc = register_files(u, setup);
	if (rc == 0)
		rc = register_buffers(u, setup);
	if (rc == 0 && job->hipri)
		rc = check_poll(u, setup);
	/* This saves a look-up per system call; the ring works without it. */
	if (rc == 0)
		(void)io_uring_register_ring_fd(&u->ring);
	if (rc) {
		uring_close(u);
		return rc;
	}
	*state = u;
	return 0;
}

/* The index of a file among the registered ones; n_fds: not registered. */
static unsigned find_file(const struct uring *u, int fd)
{
	unsigned i = 0;

	while (i < u->n_fds && u->fd[i] != (unsigned)fd)
		i++;
	return i;
}

static void prepare_trim(struct io_uring_sqe *sqe, const struct io *io,
			 bool device)
{
	if (!device) {
		io_uring_prep_fallocate(
			sqe, io->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)io->offset, (off_t)io->bytes);
		return;
	}
	io_uring_prep_rw(IORING_OP_URING_CMD, sqe, io->fd,
			 (const void *)(uintptr_t)io->offset, 0, 0);
	sqe->cmd_op = BLOCK_URING_CMD_DISCARD;
	sqe->addr3 = io->bytes;
}

static void prepare_sync(const struct uring *u, struct io_uring_sqe *sqe,
			 const struct io *io)
{
	/* The length has 32 bits, of which 0 is all to the end of the file. */
	if (io->sync == SYNC_RANGE)
		io_uring_prep_sync_file_range(
			sqe, io->fd,
			io->bytes > UINT32_MAX ? 0 : (unsigned)io->bytes,
			io->offset, (int)u->range_flags);
	else
		io_uring_prep_fsync(
			sqe, io->fd,
			io->sync == SYNC_DATA ? IORING_FSYNC_DATASYNC : 0);
}

static void prepare_data(const struct uring *u, struct io_uring_sqe *sqe,
			 const struct io *io)
{
	unsigned n = (unsigned)io->bytes;

	if (u->fixed_buffers && io->op == JOB_READ)
		io_uring_prep_read_fixed(sqe, io->fd, io->buf, n, io->offset,
					 0);
	else if (u->fixed_buffers)
		io_uring_prep_write_fixed(sqe, io->fd, io->buf, n, io->offset,
					  0);
	else if (io->op == JOB_READ)
		io_uring_prep_read(sqe, io->fd, io->buf, n, io->offset);
	else
		io_uring_prep_write(sqe, io->fd, io->buf, n, io->offset);
	sqe->rw_flags = (__kernel_rwf_t)u->flags[io->op];
}

static void engine_io_uring_prepare(struct uring *u, struct io_uring_sqe *sqe,
				    struct io *io)
{
	unsigned at = find_file(u, io->fd);

	/*
	 * The entry holds an earlier I/O. Later versions of liburing clear it in
	 * io_uring_get_sqe(), and not in io_uring_prep_*() as version 2.3 does.
	 */
	memset(sqe, 0, sizeof(*sqe));
	if (io->op == JOB_TRIM)
		prepare_trim(sqe, io, at < u->n_fds && u->device[at]);
	else if (io->op == JOB_SYNC)
		prepare_sync(u, sqe, io);
	else
		prepare_data(u, sqe, io);
	u->trims |= io->op == JOB_TRIM;
	if (u->fixed_files && at < u->n_fds) {
		sqe->fd = (int)at;
		sqe->flags |= IOSQE_FIXED_FILE;
	}
	if (io->op != JOB_SYNC)
		sqe->ioprio = io->prio;
	io_uring_sqe_set_data(sqe, io);
	io->kept = io->alike;
	if (io->kept)
		u->kept[io->slot] = *sqe;
}

static void engine_io_uring_do_now(struct uring *u, struct io *io)
{
	if (io->op == JOB_TRIM)
		engine_trim(io);
	else
		engine_sync(io, u->range_flags);
	u->now[u->n_now++] = io;
}

/*
 * Prepare an I/O unlike the one before; false when it needs no entry of the
 * ring.
 */
static bool submit_odd(struct uring *u, struct io_uring_sqe *sqe, struct io *io)
{
	/* A ring that polls takes reads and writes only. */
	if (u->polls && io->op > JOB_WRITE) {
		engine_io_uring_do_now(u, io);
		return false;
	}
	engine_io_uring_prepare(u, sqe, io);
	return true;
}

static unsigned uring_submit(void *state, struct io **ios, unsigned n)
{
	struct uring *u = state;
	struct io_uring_sq *sq = &u->ring.sq;
	struct io_uring_sqe *const sqes = sq->sqes, *const kept = u->kept;
	const unsigned space = io_uring_sq_space_left(&u->ring);
	const unsigned mask = sq->ring_mask;
	unsigned tail = sq->sqe_tail;

	if (n > space)
		n = space;
	for (unsigned i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = &sqes[tail & mask];
		struct io *io = ios[i];

		if (__builtin_expect(io->kept, 1)) {
			*sqe = kept[io->slot];
			sqe->off = io->offset;
			tail++;
		} else {
			tail += submit_odd(u, sqe, io);
		}
	}
	sq->sqe_tail = tail;
	/* The kernel's polling thread needs no wakeup and no waiting. */
	if (u->thread)
		io_uring_submit(&u->ring);
	return n;
}

/* What the kernel does not take now stays in the ring for the next call. */
static void uring_commit(void *state)
{
	struct uring *u = state;

	if (io_uring_sq_ready(&u->ring))
		io_uring_submit(&u->ring);
}

/* Do a trim here when this kernel or file has no such command for it. */
static void finish_trim(struct io *io)
{
	if (io->result == 0)
		io->result = (ssize_t)io->bytes;
	else if (io->result == -EINVAL || io->result == -EOPNOTSUPP)
		engine_trim(io);
}

/*
 * Before Linux 5.11 (IORING_FEAT_EXT_ARG) liburing waits with a timeout by an
 * I/O of its own, which completes among ours.
 */
static unsigned take_beside_timeouts(struct uring *u, struct io **done,
				     unsigned max)
{
	const struct io_uring_cqe *cqes = u->ring.cq.cqes;
	unsigned n = io_uring_cq_ready(&u->ring), mask = u->ring.cq.ring_mask;
	unsigned head = *u->ring.cq.khead, taken = 0;

	if (n > max)
		n = max;
	for (unsigned i = 0; i < n; i++) {
		const struct io_uring_cqe *cqe = &cqes[head++ & mask];

		if (cqe->user_data == LIBURING_UDATA_TIMEOUT)
			continue;
		done[taken] = (struct io *)(uintptr_t)cqe->user_data;
		done[taken++]->result = cqe->res;
	}
	io_uring_cq_advance(&u->ring, n);
	return taken;
}

static unsigned take_all(struct uring *u, struct io **done, unsigned max)
{
	const struct io_uring_cqe *cqes = u->ring.cq.cqes;
	unsigned n = io_uring_cq_ready(&u->ring), mask = u->ring.cq.ring_mask;
	unsigned head = *u->ring.cq.khead;

	if (n > max)
		n = max;
	for (unsigned i = 0; i < n; i++) {
		const struct io_uring_cqe *cqe = &cqes[head++ & mask];
		struct io *io = (struct io *)(uintptr_t)cqe->user_data;

		io->result = cqe->res;
		done[i] = io;
	}
	io_uring_cq_advance(&u->ring, n);
	return n;
}

static unsigned engine_io_uring_take(struct uring *u, struct io **done,
				     unsigned max)
{
	unsigned n = likely(u->ring.features & IORING_FEAT_EXT_ARG)
			     ? take_all(u, done, max)
			     : take_beside_timeouts(u, done, max);

	for (unsigned i = 0; u->trims && i < n; i++)
		if (done[i]->op == JOB_TRIM)
			finish_trim(done[i]);
	return n;
}

/*
 * As enter(), with a timeout. A function of its own, because it would make
 * enter() expensive.
 */
static __attribute__((noinline)) int enter_timed(struct uring *u, unsigned n,
						 uint64_t timeout_ns)
{
	struct __kernel_timespec ts = {
		.tv_sec = (long long)(timeout_ns / NS_PER_S),
		.tv_nsec = (long long)(timeout_ns % NS_PER_S),
	};
	struct io_uring_cqe *cqe;

	return io_uring_submit_and_wait_timeout(&u->ring, &cqe, n, &ts, NULL);
}

/*
 * Submit what is queued and wait for n, in one call. What the kernel does not
 * take at once stays in the ring and is submitted by the next call.
 */
static inline int enter(struct uring *u, unsigned n, uint64_t timeout_ns)
{
	if (!n || !timeout_ns)
		return io_uring_submit_and_get_events(&u->ring);
	if (timeout_ns == ENGINE_WAIT)
		return io_uring_submit_and_wait(&u->ring, n);
	return enter_timed(u, n, timeout_ns);
}

static int uring_reap(void *state, struct io **done, unsigned min, unsigned max,
		      uint64_t timeout_ns)
{
	struct uring *u = state;
	unsigned n = 0;

	while (__builtin_expect(u->n_now && n < max, 0))
		done[n++] = u->now[--u->n_now];
	for (;;) {
		unsigned want = min > n ? min - n : 0;
		int rc = 0;

		if (want || io_uring_sq_ready(&u->ring) || !n)
			rc = enter(u, want, timeout_ns);
		n += engine_io_uring_take(u, done + n, max - n);
		if (n >= min || rc == -ETIME || !timeout_ns)
			return (int)n;
		if (rc == -EAGAIN || rc == -EBUSY)
			sched_yield();
		else if (rc < 0 && rc != -EINTR)
			return n ? (int)n : rc;
	}
}

/* Queue it; uring_take() calls the kernel. */
static bool uring_start(void *state, struct io *io)
{
	struct uring *u = state;
	struct io_uring_sq *sq = &u->ring.sq;
	struct io_uring_sqe *sqe = &sq->sqes[sq->sqe_tail & sq->ring_mask];

	/* The worker has at most as many I/Os as the ring has entries. */
	if (unlikely(!io->kept || u->thread))
		return uring_submit(u, &io, 1);
	*sqe = u->kept[io->slot];
	sqe->off = io->offset;
	sq->sqe_tail++;
	return true;
}

static struct io *uring_take(void *state)
{
	struct uring *u = state;
	const struct io_uring_cq *cq = &u->ring.cq;
	const struct io_uring_cqe *cqe;
	struct io *io;
	unsigned head;

	if (unlikely(u->n_now || u->trims ||
		     !(u->ring.features & IORING_FEAT_EXT_ARG)))
		return NULL;
	(void)io_uring_submit_and_wait(&u->ring, 1);
	head = *cq->khead;
	if (unlikely(head == io_uring_smp_load_acquire(cq->ktail)))
		return NULL;
	cqe = &cq->cqes[head & cq->ring_mask];
	io = (struct io *)(uintptr_t)cqe->user_data;
	io->result = cqe->res;
	io_uring_smp_store_release(cq->khead, head + 1);
	return io;
}

const struct engine engine_io_uring = {
	.name = "io_uring",
	.aliases = "",
	.help = "asynchronous I/O through rings shared with the kernel; "
		"buffered I/O is asynchronous too",
	.async = true,
	.prio = true,
	.merged = true,
	.rwf = RWF_NOWAIT | RWF_DONTCACHE | RWF_ATOMIC | RWF_HIPRI,
	.refused_by = "kernel.io_uring_disabled and seccomp filters, such as "
		      "those of containers",
	.open = uring_open,
	.submit = uring_submit,
	.commit = uring_commit,
	.reap = uring_reap,
	.start = uring_start,
	.take = uring_take,
	.close = uring_close,
};
