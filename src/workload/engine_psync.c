/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine psync: pread(2) and pwrite(2), one at a time.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "model/schema_job.h"
#include "workload/engine.h"

struct psync {
	unsigned range_flags;
	struct io *done; /* completed, not yet reaped */
};

static int psync_open(void **state, const struct engine_setup *setup)
{
	struct psync *p = xcalloc(1, sizeof(*p));

	p->range_flags = setup->range_flags;
	*state = p;
	return 0;
}

static void psync_do(const struct psync *p, struct io *io)
{
	ssize_t n;

	if (io->op == JOB_READ)
		n = pread(io->fd, io->buf, io->bytes, (off_t)io->offset);
	else if (io->op == JOB_WRITE)
		n = pwrite(io->fd, io->buf, io->bytes, (off_t)io->offset);
	else if (io->op == JOB_TRIM)
		return engine_trim(io);
	else
		return engine_sync(io, p->range_flags);
	io->result = n < 0 ? -errno : n;
}

static unsigned psync_submit(void *state, struct io **ios, unsigned n not_used)
{
	struct psync *p = state;
	struct io *io = ios[0];

	if (p->done)
		return 0;
	do
		psync_do(p, io);
	while (io->result == -EINTR);
	p->done = io;
	return 1;
}

static int psync_reap(void *state, struct io **done, unsigned min not_used,
		      unsigned max not_used, uint64_t timeout_ns not_used)
{
	struct psync *p = state;

	if (!p->done)
		return 0;
	done[0] = p->done;
	p->done = NULL;
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
	.reap = psync_reap,
	.close = free,
};
