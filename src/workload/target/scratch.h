/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratch: a target of our own making for "iodyno run" without one: a loop
 * device with direct I/O (as root) or a file. Both vanish with the process,
 * however it ends: the backing file is unlinked at once, the loop device
 * detaches itself when its last user is gone.
 */
#ifndef WORKLOAD_SCRATCH_H
#define WORKLOAD_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

struct scratch {
	char path[256];  /* "/dev/loop3", or "/proc/self/fd/7" */
	char device[32]; /* "loop3"; "" for a file */
	bool is_device;
	int fd; /* keeps it alive */
};

/*
 * Make one of the given size in dir (NULL: TMPDIR or /var/tmp), filled with
 * real data: some seconds per GiB, as fast as dir can be written. Where no loop
 * device can be had (no root, none there) it is a file. 0, or -errno with a
 * sentence; -ENOSPC when there is not twice the space.
 */
int scratch_make(struct scratch *s, const char *dir,
		 uint64_t size_bytes) must_check;
/*
 * A file without a name in dir, which vanishes like the other: first_bytes of
 * real data, the caller fills the rest. 0, or -errno with a sentence;
 * -ENOSPC when less than free_bytes are free there.
 */
int scratch_make_file(struct scratch *s, const char *dir, uint64_t first_bytes,
		      uint64_t free_bytes) must_check;
void scratch_remove(struct scratch *s);

#endif
