/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratch: a temporary target for "iodyno run" without a target: a loop device
 * with direct I/O (as root) or a file. Both disappear with the process, however
 * it ends: the backing file is unlinked at once, and the kernel detaches the
 * loop device when its last user closes it.
 */
#ifndef WORKLOAD_TARGET_SCRATCH_H
#define WORKLOAD_TARGET_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

struct scratch {
	char path[256];  /* "/dev/loop3", or "/proc/self/fd/7" */
	char device[32]; /* "loop3"; "" for a file */
	bool is_device;
	int fd; /* keeps the device or file alive */
};

/*
 * Make a target of size_bytes in dir (NULL: TMPDIR or /var/tmp) and fill it
 * with real data, which takes some seconds per GiB. Without a loop device (no
 * root, no driver) the target is a file. 0, or -errno with a sentence; -ENOSPC:
 * dir has less than twice the size free.
 */
int scratch_make(struct scratch *s, const char *dir,
		 uint64_t size_bytes) must_check;
/*
 * Make a file without a name in dir, which disappears in the same way. It has
 * first_bytes of real data; the caller fills the rest. 0, or -errno with a
 * sentence; -ENOSPC: dir has less than free_bytes free.
 */
int scratch_make_file(struct scratch *s, const char *dir, uint64_t first_bytes,
		      uint64_t free_bytes) must_check;
void scratch_remove(struct scratch *s);

#endif
