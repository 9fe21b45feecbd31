/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine libaio: the kernel's asynchronous I/O. Truly asynchronous with
 * direct I/O only; buffered reads block in io_submit(2).
 */
#include <errno.h>
#include <libaio.h>
#include <linux/fs.h>
#include <linux/time_types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "model/schema/schema_job.h"
#include "workload/engine/engine.h"

struct aio {
	io_context_t context;
	struct iocb *iocb; /* by slot */
	struct iocb **list;
	struct io_event *event;
	struct io **failed; /* done or refused at once, wait to be reaped */
	unsigned n_failed;
	unsigned in_kernel;
	bool past_library; /* its way to wait is refused */
	unsigned range_flags;
	unsigned flags[2]; /* RWF_* of reads, of writes */
};

static void aio_close(void *state)
{
	struct aio *a = state;

	if (a->context)
		io_destroy(a->context);
	free(a->iocb);
	free(a->list);
	free(a->event);
	free(a->failed);
	free(a);
}

static int aio_open(void **state, const struct engine_setup *setup)
{
	unsigned depth = setup->depth;
	struct aio *a = xcalloc(1, sizeof(*a));
	int rc = io_setup((int)depth, &a->context);

	if (rc < 0) {
		free(a);
		return fail(-rc, "io_setup for %u I/Os failed: %s%s", depth,
			    strerror(-rc),
			    rc == -EAGAIN ? "; raise fs.aio-max-nr or lower "
					    "iodepth or numjobs"
					  : "");
	}
	a->range_flags = setup->range_flags;
	for (unsigned op = JOB_READ; op <= JOB_WRITE; op++)
		a->flags[op] = engine_flags(setup->job, op);
	a->iocb = xcalloc(depth, sizeof(*a->iocb));
	a->list = xcalloc(depth, sizeof(struct iocb *));
	a->event = xcalloc(depth, sizeof(*a->event));
	a->failed = xcalloc(depth, sizeof(struct io *));
	*state = a;
	return 0;
}

/* IOCB_FLAG_IOPRIO of the kernel's aio_abi.h, which libaio.h does not have. */
#define FLAG_IOPRIO (1u << 1)

/* Fill by hand: the library's helpers clear the whole block each time. */
static void engine_libaio_fill(const struct aio *a, struct iocb *cb,
			       struct io *io)
{
	io->kept = io->alike;
	cb->data = io;
	cb->aio_fildes = io->fd;
	if (io->op == JOB_SYNC) {
		memset(&cb->u, 0, sizeof(cb->u));
		cb->aio_rw_flags = 0;
		cb->aio_lio_opcode =
			io->sync == SYNC_DATA ? IO_CMD_FDSYNC : IO_CMD_FSYNC;
		return;
	}
	cb->aio_lio_opcode = io->op == JOB_READ ? IO_CMD_PREAD : IO_CMD_PWRITE;
	cb->aio_rw_flags = a->flags[io->op];
	cb->u.c.buf = io->buf;
	cb->u.c.nbytes = io->bytes;
	cb->u.c.offset = (long long)io->offset;
	cb->u.c.flags = io->prio ? FLAG_IOPRIO : 0;
	cb->aio_reqprio = (short)io->prio;
}

/* The kernel refused the first I/O: it comes back failed. */
static void engine_libaio_refuse(struct aio *a, struct io *io, int error)
{
	io->result = -error;
	/* Kernels before 4.18 have no asynchronous sync. */
	if (io->op == JOB_SYNC && error == EINVAL)
		engine_sync(io, a->range_flags);
	a->failed[a->n_failed++] = io;
}

/* Whether libaio has no command for this I/O. */
static inline bool unlikely_slow(const struct io *io)
{
	return __builtin_expect(io->op == JOB_TRIM || (io->op == JOB_SYNC &&
						       io->sync == SYNC_RANGE),
				0);
}

/*
 * Prepare I/Os up to the first that libaio has no command for; returns how
 * many.
 */
static unsigned engine_libaio_prepare(struct aio *a, struct io **ios,
				      unsigned n)
{
	struct iocb *const iocb = a->iocb, **const list = a->list;

	for (unsigned i = 0; i < n; i++) {
		struct io *io = ios[i];
		struct iocb *cb = &iocb[io->slot];

		list[i] = cb;
		if (__builtin_expect(io->kept, 1))
			cb->u.c.offset = (long long)io->offset;
		else if (unlikely_slow(io))
			return i;
		else
			engine_libaio_fill(a, cb, io);
	}
	return n;
}

static unsigned engine_libaio_do_now(struct aio *a, struct io *io)
{
	if (io->op == JOB_TRIM)
		engine_trim(io);
	else
		engine_sync(io, a->range_flags);
	a->failed[a->n_failed++] = io;
	return 1;
}

static unsigned aio_submit(void *state, struct io **ios, unsigned n)
{
	struct aio *a = state;
	unsigned done = 0;

	if (unlikely_slow(ios[0]))
		return engine_libaio_do_now(a, ios[0]);
	n = engine_libaio_prepare(a, ios, n);
	while (done < n) {
		int rc =
			io_submit(a->context, (long)(n - done), a->list + done);

		if (rc > 0) {
			done += (unsigned)rc;
			a->in_kernel += (unsigned)rc;
		} else if (rc == -EAGAIN || rc == 0) {
			break;
		} else if (rc != -EINTR) {
			engine_libaio_refuse(a, ios[done++], -rc);
		}
	}
	return done;
}

static void engine_libaio_take(const struct io_event *event, struct io **done,
			       unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct io *io = event[i].data;

		/*
		 * The header declares res unsigned, but the kernel returns a
		 * signed result.
		 */
		io->result = (ssize_t)event[i].res;
		done[i] = io;
	}
}

/*
 * libaio of Debian 13 waits by io_pgetevents(2), which podman's filter of system
 * calls refuses; the older call does the same.
 */
static int engine_libaio_wait(struct aio *a, unsigned min, unsigned most,
			      struct timespec *ts)
{
	struct __kernel_old_timespec old;
	int rc = -EPERM;

	if (!a->past_library)
		rc = io_getevents(a->context, min, most, a->event, ts);
	if (rc != -EPERM)
		return rc;
	a->past_library = true;
	if (ts)
		old = (struct __kernel_old_timespec){ ts->tv_sec, ts->tv_nsec };
	rc = (int)syscall(SYS_io_getevents, a->context, (long)min, (long)most,
			  a->event, ts ? &old : NULL);
	return rc < 0 ? -errno : rc;
}

static int aio_reap(void *state, struct io **done, unsigned min, unsigned max,
		    uint64_t timeout_ns)
{
	struct timespec ts;
	struct aio *a = state;
	unsigned n = 0;
	int rc;

	while (n < max && a->n_failed)
		done[n++] = a->failed[--a->n_failed];
	if (n == max || !a->in_kernel)
		return (int)n;
	min = min > n ? min - n : 0;
	if (timeout_ns != ENGINE_WAIT)
		ts = clock_timespec(timeout_ns);
	do
		rc = engine_libaio_wait(a, min, max - n,
					timeout_ns == ENGINE_WAIT ? NULL : &ts);
	while (rc == -EINTR);
	if (rc < 0)
		return n ? (int)n : rc;
	engine_libaio_take(a->event, done + n, (unsigned)rc);
	a->in_kernel -= (unsigned)rc;
	return (int)n + rc;
}

/*
 * The functions of the libraries take as long as the rest of the path of a single
 * I/O, so call the kernel. Returns -1 or -errno on failure.
 */
static inline long call(long number, io_context_t context, long n,
			void *const list, void *const rest)
{
#if defined(__x86_64__) && defined(__LP64__)
	long rc, min = n;
	register void *r10 __asm__("r10") = rest;
	register void *r8 __asm__("r8") = NULL;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "0"(number), "D"(context), "S"(min), "d"(list),
			   "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return rc;
#else
	return syscall(number, context, n, list, rest, NULL);
#endif
}

static bool aio_start(void *state, struct io *io)
{
	struct aio *a = state;
	struct iocb *cb = &a->iocb[io->slot];

	if (likely(io->kept))
		cb->u.c.offset = (long long)io->offset;
	else if (unlikely_slow(io))
		return false;
	else
		engine_libaio_fill(a, cb, io);
	if (unlikely(call(SYS_io_submit, a->context, 1, &cb, NULL) != 1))
		return false;
	a->in_kernel++;
	return true;
}

static struct io *aio_take(void *state)
{
	struct aio *a = state;
	struct io *io;

	if (unlikely(a->n_failed || call(SYS_io_getevents, a->context, 1,
					 (void *)1, a->event) != 1))
		return NULL;
	a->in_kernel--;
	io = a->event->data;
	io->result = (ssize_t)a->event->res;
	return io;
}

const struct engine engine_libaio = {
	.name = "libaio",
	.aliases = "",
	.help = "the kernel's asynchronous I/O (io_submit); "
		"with direct=1 it keeps iodepth I/Os in flight",
	.async = true,
	.direct_only = true,
	.prio = true,
	.rwf = RWF_NOWAIT | RWF_DONTCACHE | RWF_ATOMIC,
	.refused_by = "fs.aio-max-nr and seccomp filters, such as those of "
		      "containers",
	.open = aio_open,
	.submit = aio_submit,
	.reap = aio_reap,
	.start = aio_start,
	.take = aio_take,
	.close = aio_close,
};
