/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel log: the messages of the kernel since a moment, and which of them say
 * that storage failed (Documentation/ABI/testing/dev-kmsg).
 */
#ifndef COLLECT_KERNEL_LOG_H
#define COLLECT_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/root.h"

/* fd -1: closed. */
struct kernel_log {
	int fd;
};

/* From now on. False: the kernel or the rights of the caller refuse it. */
bool kernel_log_open(struct kernel_log *k, const struct root *root) must_check;
/* Skip the messages up to now. */
void kernel_log_skip(struct kernel_log *k);
void kernel_log_close(struct kernel_log *k);

/*
 * The text of the next message, without control characters; false: there is
 * none yet. It never waits.
 */
bool kernel_log_next(struct kernel_log *k, char *text, size_t size);

enum kernel_log_sign {
	KERNEL_LOG_NOTHING,
	KERNEL_LOG_OTHER,  /* a failure, perhaps of another device */
	KERNEL_LOG_DEVICE, /* of that device, or of the whole machine */
};

/* How far a message affects the I/O of a device ("sda", "nvme0n1"); device may
 * be NULL. */
enum kernel_log_sign kernel_log_judge(const char *text, const char *device);

#endif
