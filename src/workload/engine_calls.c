/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine calls: what engines have in common, by plain system calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "workload/engine.h"

void engine_sync(struct io *io, unsigned range_flags)
{
	int rc;

	if (io->sync == SYNC_RANGE)
		rc = sync_file_range(io->fd, (off_t)io->offset,
				     (off_t)io->bytes, range_flags);
	else
		rc = io->sync == SYNC_DATA ? fdatasync(io->fd) : fsync(io->fd);
	io->result = rc ? -errno : 0;
}

/* Devices have an ioctl for it, files have holes punched. */
void engine_trim(struct io *io)
{
	uint64_t range[2] = { io->offset, io->bytes };
	int rc = ioctl(io->fd, BLKDISCARD, range);

	if (rc && errno == ENOTTY)
		rc = fallocate(io->fd,
			       FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       (off_t)io->offset, (off_t)io->bytes);
	io->result = rc ? -errno : (ssize_t)io->bytes;
}
