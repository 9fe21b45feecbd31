/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engines psync and pvsync2: system calls that do one I/O at a time. psync calls
 * pread(2) and pwrite(2); pvsync2 calls preadv2(2) and pwritev2(2), whose flags
 * are options.
 */
#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/kernel.h"
#include "base/random.h"
#include "model/job/job.h"
#include "model/schema/schema_job.h"
#include "workload/engine/engine.h"

struct psync {
	struct engine_one one; /* first */
	unsigned range_flags;
	/* of pvsync2 */
	int flags[2];	       /* of reads, of writes; without RWF_HIPRI */
	bool polls;	       /* this share of the I/Os has RWF_HIPRI */
	uint64_t polled_below; /* as a draw; UINT64_MAX: all */
	struct random random;
};

/*
 * pread(2) or pwrite(2): bytes, or -errno. The library's functions are
 * cancellation points, which cost 50 instructions in a program of several
 * threads, so use the system call itself where its form is known.
 */
static inline long engine_psync_transfer(long number, const struct io *io)
{
#if defined(__x86_64__) && defined(__LP64__)
	/*
	 * Read everything before setting the register: a sanitizer's call in
	 * between would change it.
	 */
	long n, fd = io->fd;
	unsigned long at = io->offset, bytes = io->bytes;
	char *buf = io->buf;
	register unsigned long offset __asm__("r10") = at;

	__asm__ volatile("syscall"
			 : "=a"(n)
			 : "0"(number), "D"(fd), "S"(buf), "d"(bytes),
			   "r"(offset)
			 : "rcx", "r11", "memory");
	return n;
#else
	ssize_t n =
		number == SYS_pread64
			? pread(io->fd, io->buf, io->bytes, (off_t)io->offset)
			: pwrite(io->fd, io->buf, io->bytes, (off_t)io->offset);

	return n < 0 ? -errno : n;
#endif
}

static int psync_open(void **state, const struct engine_setup *setup)
{
	struct psync *p = xcalloc(1, sizeof(*p));

	p->range_flags = setup->range_flags;
	*state = p;
	return 0;
}

static void psync_now(void *state, struct io *io)
{
	const struct psync *p = state;

	if (io->op == JOB_TRIM)
		return engine_trim(io);
	if (io->op == JOB_SYNC)
		return engine_sync(io, p->range_flags);
	do
		io->result = engine_psync_transfer(
			io->op == JOB_READ ? SYS_pread64 : SYS_pwrite64, io);
	while (__builtin_expect(io->result == -EINTR, 0));
}

static unsigned psync_submit(void *state, struct io **ios, unsigned n)
{
	return engine_one_submit(state, ios, psync_now);
}

static int pvsync2_open(void **state, const struct engine_setup *setup)
{
	const struct job *job = setup->job;
	struct psync *p;

	(void)psync_open(state, setup);
	p = *state;
	for (unsigned op = JOB_READ; op <= JOB_WRITE; op++)
		p->flags[op] = (int)(engine_flags(job, op) & ~(unsigned)RWF_HIPRI);
	p->polls = job->hipri;
	p->polled_below = job->hipri_pct < 100
				  ? (uint64_t)(job->hipri_pct / 100.0 * 0x1p64)
				  : UINT64_MAX;
	random_seed(&p->random, job->randseed);
	return 0;
}

static inline int engine_psync_flags(struct psync *p, const struct io *io)
{
	int flags = p->flags[io->op];

	if (p->polls && (p->polled_below == UINT64_MAX ||
			 random_next(&p->random) < p->polled_below))
		flags |= RWF_HIPRI;
	return flags;
}

static void pvsync2_now(void *state, struct io *io)
{
	const struct iovec part = { .iov_base = io->buf, .iov_len = io->bytes };
	struct psync *p = state;

	if (io->op > JOB_WRITE) {
		psync_now(state, io);
		return;
	}
	do {
		int flags = engine_psync_flags(p, io);
		ssize_t n = io->op == JOB_READ
				    ? preadv2(io->fd, &part, 1,
					      (off_t)io->offset, flags)
				    : pwritev2(io->fd, &part, 1,
					       (off_t)io->offset, flags);

		io->result = n < 0 ? -errno : n;
	} while (io->result == -EINTR);
}

static unsigned pvsync2_submit(void *state, struct io **ios, unsigned n)
{
	return engine_one_submit(state, ios, pvsync2_now);
}

const struct engine engine_pvsync2 = {
	.name = "pvsync2",
	.aliases = "",
	.help = "preadv2(2) and pwritev2(2), one at a time, with their flags: "
		"nowait, uncached, atomic, hipri",
	.max_depth = 1,
	.rwf = RWF_NOWAIT | RWF_DONTCACHE | RWF_ATOMIC | RWF_HIPRI,
	.open = pvsync2_open,
	.submit = pvsync2_submit,
	.reap = engine_one_reap,
	.now = pvsync2_now,
	.close = free,
};

const struct engine engine_psync = {
	.name = "psync",
	.aliases = "sync vsync pvsync",
	.help = "pread(2) and pwrite(2), one at a time; "
		"iodepth has no effect",
	.max_depth = 1,
	.open = psync_open,
	.submit = psync_submit,
	.reap = engine_one_reap,
	.now = psync_now,
	.close = free,
};
