/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statx(2), where the C library lacks it (musl before 1.2.4) or its newer
 * attributes: declarations of the kernel's own headers.
 */
#ifndef BASE_STATX_H
#define BASE_STATX_H

#include <sys/stat.h>

#ifndef STATX_TYPE
#include <linux/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As in statx(2): 0, or -1 with errno. */
static inline int statx(int dir, const char *path, int flags, unsigned mask,
			struct statx *out)
{
	return (int)syscall(__NR_statx, dir, path, flags, mask, out);
}
#endif

/* Linux 5.8. An older kernel does not set it. */
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

#endif
