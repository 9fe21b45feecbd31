/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of ioctl(2) to block devices that older headers of the kernel lack.
 * An older kernel answers them with ENOTTY.
 */
#ifndef BASE_KERNEL_IOCTL_H
#define BASE_KERNEL_IOCTL_H

#include <linux/fs.h>
#include <stdint.h>

/* linux/fs.h, since Linux 5.15: the number of this attachment of the disk. */
#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t)
#endif

/* linux/sed-opal.h has it since Linux 6.1: {u32 flags, u32 reserved}. */
#ifndef IOC_OPAL_GET_STATUS
#define IOC_OPAL_GET_STATUS _IOR('p', 236, uint64_t)
#endif

#endif
