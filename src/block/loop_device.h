/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loop device: one over an open file. It goes with its last user: the kernel
 * detaches it when nobody has it open any more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct loop_device {
	char path[64];	 /* "/dev/loop3" */
	char device[32]; /* "loop3" */
	int fd;		 /* for reading; keeps the device */
};

/* Whether this process may make loop devices. */
bool loop_device_may(void);

/*
 * Attach the file to a loop device that is free, with direct I/O where the file
 * has it. label: what losetup(8) shows as the file. 0, or -errno without a
 * sentence. The device keeps the file open.
 */
int loop_device_attach(struct loop_device *l, int file_fd,
		const char *label) must_check;

/* The label of an attached loop device by its path; false: it is none. */
bool loop_device_label(const char *path, char *buf, size_t size) must_check;
