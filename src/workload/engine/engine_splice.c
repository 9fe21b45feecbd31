/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine splice: data goes through a pipe, by the calls of fio's engine. A read
 * is splice(2) from the file and vmsplice(2) from the pipe into the buffer; a
 * write is poll(2), vmsplice(2) of the buffer and splice(2) into the file. The
 * pipe is empty between I/Os.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "model/job/job.h"
#include "workload/engine/engine.h"

/* Asked of the file at once, as in fio: what a pipe of the kernel holds. */
#define SPLICE_BYTES 65536
/* The pipe is empty, so a write never waits for room. */
#define SPLICE_ROOM_MS 10000

struct spliced {
	struct engine_one one; /* first */
	int out, in;	       /* the pipe's ends: data leaves, data enters */
	unsigned range_flags;
};

static int engine_splice_pipe(struct spliced *s)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	s->out = ends[0];
	s->in = ends[1];
	return 0;
}

/* After a failure: forget what is left in the pipe. */
static void engine_splice_empty(struct spliced *s)
{
	close(s->out);
	close(s->in);
	s->out = s->in = -1;
	(void)engine_splice_pipe(s); /* else the next I/O fails by EBADF */
}

static void engine_splice_close(void *state)
{
	struct spliced *s = state;

	close(s->out);
	close(s->in);
	free(s);
}

/* Whether a byte goes through the pipe: Docker's rights refuse vmsplice(2). */
static int engine_splice_try(const struct spliced *s)
{
	char byte = 0;
	const struct iovec part = { .iov_base = &byte, .iov_len = 1 };

	if (vmsplice(s->in, &part, 1, SPLICE_F_NONBLOCK) != 1 ||
	    read(s->out, &byte, 1) != 1)
		return -errno;
	return 0;
}

static int splice_open(void **state, const struct engine_setup *setup)
{
	struct spliced *s = xcalloc(1, sizeof(*s));
	int rc = engine_splice_pipe(s);

	if (rc) {
		free(s);
		return job_fail(setup->job, -rc,
				"the engine splice gets no pipe: %s",
				strerror(-rc));
	}
	rc = engine_splice_try(s);
	if (rc) {
		engine_splice_close(s);
		return job_fail(setup->job, -rc,
				"the engine splice cannot use vmsplice(2) "
				"here: %s; use psync",
				strerror(-rc));
	}
	s->range_flags = setup->range_flags;
	*state = s;
	return 0;
}

/* Between the pipe and memory, at most n bytes: how many, or -errno. */
static ssize_t engine_splice_memory(int fd, char *at, size_t n, unsigned flags)
{
	const struct iovec part = { .iov_base = at, .iov_len = n };
	ssize_t moved;

	do
		moved = vmsplice(fd, &part, 1, flags);
	while (moved < 0 && errno == EINTR);
	return moved < 0 ? -errno : moved;
}

/* Between the pipe and a file, one of which has an offset; likewise. */
static ssize_t engine_splice_file(int from, off_t *from_at, int to,
				  off_t *to_at, size_t n, unsigned flags)
{
	ssize_t moved;

	do
		moved = splice(from, from_at, to, to_at, n, flags);
	while (moved < 0 && errno == EINTR);
	return moved < 0 ? -errno : moved;
}

/* Fill the pipe from the file, and the buffer from the pipe. */
static ssize_t engine_splice_read(const struct spliced *s, const struct io *io,
				  size_t done, size_t *held)
{
	const size_t left = io->bytes - done;
	const bool more = left > SPLICE_BYTES;
	off_t at = (off_t)(io->offset + done);
	ssize_t n = engine_splice_file(io->fd, &at, s->in, NULL,
				       more ? SPLICE_BYTES : left,
				       more ? SPLICE_F_MORE : 0);
	char *to = io->buf + done;

	for (*held = n > 0 ? (size_t)n : 0; *held;) {
		ssize_t got = engine_splice_memory(s->out, to, *held,
						   SPLICE_F_MOVE);

		if (got <= 0)
			return got < 0 ? got : -EIO;
		to += got;
		*held -= (size_t)got;
	}
	return n;
}

/* Fill the pipe from the buffer, and the file from the pipe. */
static ssize_t engine_splice_write(const struct spliced *s, const struct io *io,
				   size_t done, size_t *held)
{
	struct pollfd room = { .fd = s->in, .events = POLLOUT };
	off_t at = (off_t)(io->offset + done);
	ssize_t n;

	(void)poll(&room, 1, SPLICE_ROOM_MS);
	n = engine_splice_memory(s->in, io->buf + done, io->bytes - done,
				 SPLICE_F_NONBLOCK);
	for (*held = n > 0 ? (size_t)n : 0; *held;) {
		ssize_t put = engine_splice_file(s->out, NULL, io->fd, &at,
						 *held, 0);

		if (put <= 0 && *held == (size_t)n)
			return put;
		if (put <= 0)
			return n - (ssize_t)*held;
		*held -= (size_t)put;
	}
	return n;
}

static void engine_splice_transfer(struct spliced *s, struct io *io)
{
	size_t done = 0, held = 0;
	ssize_t n = 1;

	while (done < io->bytes && n > 0 && !held) {
		n = io->op == JOB_READ ? engine_splice_read(s, io, done, &held)
				       : engine_splice_write(s, io, done, &held);
		if (n > 0)
			done += (size_t)n;
	}
	if (held)
		engine_splice_empty(s);
	io->result = done || n > 0 ? (ssize_t)done : n;
}

static void splice_now(void *state, struct io *io)
{
	struct spliced *s = state;

	if (io->op == JOB_TRIM)
		engine_trim(io);
	else if (io->op == JOB_SYNC)
		engine_sync(io, s->range_flags);
	else
		engine_splice_transfer(s, io);
}

static unsigned splice_submit(void *state, struct io **ios, unsigned n)
{
	return engine_one_submit(state, ios, splice_now);
}

const struct engine engine_splice = {
	.name = "splice",
	.aliases = "",
	.help = "splice(2) and vmsplice(2) through a pipe, one I/O at a time; "
		"iodepth has no effect",
	.max_depth = 1,
	.open = splice_open,
	.submit = splice_submit,
	.reap = engine_one_reap,
	.now = splice_now,
	.close = engine_splice_close,
};
