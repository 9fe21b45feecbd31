/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine psync: pread(2) and pwrite(2), one at a time.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "model/schema/schema_job.h"
#include "workload/engine/engine.h"

struct psync {
	struct engine_one one; /* first */
	unsigned range_flags;
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

static unsigned psync_submit(void *state, struct io **ios, unsigned n not_used)
{
	struct psync *p = state;

	if (!engine_one_take(&p->one, ios[0]))
		return 0;
	psync_now(p, ios[0]);
	return 1;
}

const struct engine engine_psync = {
	.name = "psync",
	.aliases = "sync vsync pvsync pvsync2",
	.help = "pread(2) and pwrite(2), one at a time; "
		"iodepth has no effect",
	.max_depth = 1,
	.open = psync_open,
	.submit = psync_submit,
	.reap = engine_one_reap,
	.now = psync_now,
	.close = free,
};
