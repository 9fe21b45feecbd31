/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel: what headers of the kernel or of the C library lack where they are
 * older. The values are part of the kernel's interface; an older kernel answers
 * with ENOTTY or sets nothing.
 */
#pragma once

#include <linux/fs.h>
#include <stdint.h>
#include <sys/stat.h>

/* linux/fs.h, since Linux 5.15: the number of this attachment of the disk. */
#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t)
#endif

/* linux/sed-opal.h has it since Linux 6.1: {u32 flags, u32 reserved}. */
#ifndef IOC_OPAL_GET_STATUS
#define IOC_OPAL_GET_STATUS _IOR('p', 236, uint64_t)
#endif

/*
 * I/O priorities of ioprio_set(2). The kernel's own header is there for
 * programs since Linux 5.15 only; the values are part of its interface.
 */

#if __has_include(<linux/ioprio.h>)
#include <linux/ioprio.h>
#else
#define IOPRIO_CLASS_SHIFT 13
enum { IOPRIO_CLASS_NONE, IOPRIO_CLASS_RT, IOPRIO_CLASS_BE, IOPRIO_CLASS_IDLE };
enum { IOPRIO_WHO_PROCESS = 1, IOPRIO_WHO_PGRP, IOPRIO_WHO_USER };
#endif

/*
 * statx(2), where the C library lacks it (musl before 1.2.4) or its newer
 * attributes: declarations of the kernel's own headers.
 */

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

/* preadv2(2) and pwritev2(2), where the C library lacks them (musl before 1.2.5). */
#ifdef LACKS_PREADV2
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static inline ssize_t preadv2(int fd, const struct iovec *parts, int n,
			      off_t at, int flags)
{
	return syscall(SYS_preadv2, fd, parts, (long)n, (long)at, 0L, flags);
}

static inline ssize_t pwritev2(int fd, const struct iovec *parts, int n,
			       off_t at, int flags)
{
	return syscall(SYS_pwritev2, fd, parts, (long)n, (long)at, 0L, flags);
}
#endif

/* Linux 5.8. An older kernel does not set it. */
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif
