/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writer: processes that make one write each to a kernel file, because a queue
 * that cannot be frozen holds the process that writes for ever, beyond any
 * signal. They are forked ahead of time, so that a setting can be put back when
 * fork() fails. A writer gets an open descriptor and bytes, and no path.
 */
#ifndef KNOB_WRITER_H
#define KNOB_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

/* As many writes can be stuck at once, each to another device. */
#define WRITERS_MAX 8
/* The bytes of one write. */
#define WRITER_BYTES_MAX 256

struct writer {
	pid_t pid; /* 0: none */
	int fd;    /* the socket to it */
	bool busy;
};

struct writer_pool {
	struct writer at[WRITERS_MAX];
};

void writer_pool_init(struct writer_pool *p);
/* Fork until n writers are idle, as far as fork() works. */
void writer_pool_fill(struct writer_pool *p, size_t n);
/* Let all writers end; one that is stuck ends after its write. */
void writer_pool_close(struct writer_pool *p);

/*
 * Begin to write bytes to file. lock (-1: none) stays open as long as the write
 * lasts. Returns which writer does it, or -EAGAIN when there is none and none
 * can be forked, -EINVAL when there are too many bytes.
 */
int writer_begin(struct writer_pool *p, int file, int lock, const char *bytes,
		 size_t n) must_check;
/* Readable when the write is over. */
int writer_fd(const struct writer_pool *p, int which);
/*
 * The outcome of a write that is over: 0 or -errno of write(2), -EIO when the
 * writer was killed. *took_ns is the time of write(2) alone.
 */
int writer_end(struct writer_pool *p, int which, int64_t *took_ns) must_check;
/* Give up a write: the writer is killed, and ends when the kernel lets it. */
void writer_abandon(struct writer_pool *p, int which);

#endif
