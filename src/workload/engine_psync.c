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
	struct io *done; /* completed, not yet reaped */
};

static int psync_open(void **state, unsigned depth not_used)
{
	*state = xcalloc(1, sizeof(struct psync));
	return 0;
}

static ssize_t psync_do(const struct io *io)
{
	if (io->op == JOB_READ)
		return pread(io->fd, io->buf, io->bytes, (off_t)io->offset);
	if (io->op == JOB_WRITE)
		return pwrite(io->fd, io->buf, io->bytes, (off_t)io->offset);
	return io->data_only ? fdatasync(io->fd) : fsync(io->fd);
}

static unsigned psync_submit(void *state, struct io **ios, unsigned n not_used)
{
	struct psync *p = state;
	struct io *io = ios[0];

	if (p->done)
		return 0;
	do
		io->result = psync_do(io);
	while (io->result < 0 && errno == EINTR);
	if (io->result < 0)
		io->result = -errno;
	p->done = io;
	return 1;
}

static int psync_reap(void *state, struct io **done, unsigned min not_used,
		      unsigned max not_used)
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
