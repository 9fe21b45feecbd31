/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptor: what a forked process does with the descriptors it inherits, also
 * on kernels and in sandboxes without close_range(2) and pidfd_open(2).
 */
#ifndef BASE_DESCRIPTOR_H
#define BASE_DESCRIPTOR_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Close every descriptor from 3 on but the n given ones (-1 is skipped); 0, 1
 * and 2 become /dev/null unless they are given. Safe after fork(): allocates
 * nothing.
 */
void descriptor_close_others(const int *keep, size_t n);

/* A pidfd of a process, or -1 where the kernel has none. */
int descriptor_of_process(pid_t pid);

#endif
