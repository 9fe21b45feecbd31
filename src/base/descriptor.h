/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptor: what a forked process does with the descriptors it inherits, also
 * on kernels and in sandboxes without close_range(2) and pidfd_open(2); how they
 * are sent, and what they are open on.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

/*
 * Close every descriptor from 3 on but the n given ones (-1 is skipped), which
 * are sorted; 0, 1 and 2 become /dev/null unless they are given. Safe after
 * fork(): allocates nothing.
 */
void descriptor_close_others(int *keep, size_t n);

/* close(2), unless fd is -1: there is none. */
void descriptor_close(int fd);

/* As many descriptors as one message can bring. */
#define DESCRIPTOR_SENT_MAX 2

/*
 * Send bytes over a socket that keeps messages apart, with up to
 * DESCRIPTOR_SENT_MAX descriptors; -1 among them is skipped. 0 or -errno.
 */
int descriptor_send(int socket, const void *bytes, size_t n, const int *fd,
		    size_t n_fds);
/*
 * Receive a message of descriptor_send(): fd[] gets the n_fds descriptors (-1
 * for none), close on exec, owned by the caller. Returns the number of bytes, 0
 * at the end, or -1 with errno.
 */
ssize_t descriptor_receive(int socket, void *bytes, size_t size, int *fd,
			   size_t n_fds);

/*
 * The identity of a file or directory as text: its inode number, and its birth
 * time on file systems that keep one. fd may be an O_PATH descriptor. False:
 * fstat(2) fails.
 */
bool descriptor_identity(int fd, char *buf, size_t size);

/* The size of a file or block device in bytes; 0: unknown. */
uint64_t descriptor_bytes(int fd);

/*
 * Write all n bytes, with at >= 0 from that offset on; 0, or -errno, also in
 * errno. A descriptor that does not block can end with EAGAIN in the middle.
 */
int descriptor_write(int fd, const void *bytes, size_t n, off_t at);

/*
 * The whole text of a regular file of at most so many bytes, ended with NUL,
 * which the caller frees; a pipe of that name is not waited for. The number of
 * bytes, of which one may be NUL, or -errno: -EINVAL for another kind of file, or
 * a larger one.
 */
ssize_t descriptor_text(const char *path, size_t most, char **out) must_check;

/*
 * The entries of a directory, which the caller closes. The stream takes fd, and
 * closes it also where it cannot be read: NULL with errno; so it is for fd < 0.
 */
DIR *descriptor_entries(int fd);
/*
 * The next entry whose name does not begin with a dot. At the end, or of no
 * directory, NULL, and *dir is closed and NULL.
 */
const char *descriptor_entry(DIR **dir);

/* A pidfd of a process that the caller closes, or -1 with errno. */
int descriptor_of_process(pid_t pid);
