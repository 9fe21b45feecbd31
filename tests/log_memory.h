/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A log that a test has as text. */
#pragma once

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/root.h"
#include "record/log.h"

/* Open it, as log_open() does; its name is that of a descriptor. */
static inline int log_open_text(struct log_reader **out, const char *text,
				size_t n)
{
	const int fd = memfd_create("log", MFD_CLOEXEC);
	char path[ROOT_FD_PATH];
	int err;

	if (fd < 0 || descriptor_write(fd, text, n, -1))
		abort();
	err = log_open(out, root_fd_path(path, fd));
	close(fd);
	return err;
}
