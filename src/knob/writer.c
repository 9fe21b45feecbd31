/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writer: the pool, and the process that writes. */
#include "knob/turn.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/role.h"

struct outcome {
	int error;
	int64_t took_ns;
};

/* Carry out writes until the keeper ends. */
static void writer_serve(int fd, void *arg)
{
	char bytes[WRITER_BYTES_MAX];

	for (;;) {
		struct outcome out = { 0, 0 };
		int given[2];
		uint64_t start;
		ssize_t n;

		n = role_hear(fd, bytes, sizeof(bytes), given, 2);
		if (given[0] < 0)
			return;
		start = clock_mono_ns();
		if (write(given[0], bytes, (size_t)n) < 0)
			out.error = errno;
		out.took_ns = (int64_t)(clock_mono_ns() - start);
		close(given[0]);
		if (given[1] >= 0)
			close(given[1]);
		if (descriptor_send(fd, &out, sizeof(out), NULL, 0) < 0)
			return;
	}
}

void writer_pool_init(struct writer_pool *p)
{
	for (size_t i = 0; i < WRITERS_MAX; i++)
		p->at[i] = (struct writer){ 0, -1, false };
}

static int writer_start(struct writer *w)
{
	const struct role_start writer = { .role = ROLE_WRITER,
					   .serve = writer_serve };
	int socket;
	pid_t pid = role_start(&writer, &socket);

	if (pid < 0)
		return pid;
	*w = (struct writer){ pid, socket, false };
	return 0;
}

/*
 * Close the socket of a writer that ended or is given up, and reap the process.
 */
static void writer_drop(struct writer *w, int options)
{
	close(w->fd);
	while (waitpid(w->pid, NULL, options) < 0 && errno == EINTR)
		;
	*w = (struct writer){ 0, -1, false };
}

void writer_pool_fill(struct writer_pool *p, size_t n)
{
	for (size_t i = 0; i < WRITERS_MAX && n > 0; i++)
		if (p->at[i].busy)
			continue;
		else if (p->at[i].pid || writer_start(&p->at[i]) == 0)
			n--;
}

void writer_pool_close(struct writer_pool *p)
{
	for (size_t i = 0; i < WRITERS_MAX; i++)
		if (p->at[i].pid)
			writer_drop(&p->at[i], p->at[i].busy ? WNOHANG : 0);
}

static int writer_order(struct writer *w, int file, int lock, const char *bytes,
			size_t n)
{
	const int fd[2] = { file, lock };

	return descriptor_send(w->fd, bytes, n, fd, 2);
}

int writer_begin(struct writer_pool *p, int file, int lock, const char *bytes,
		 size_t n)
{
	if (!n || n > WRITER_BYTES_MAX)
		return -EINVAL;
	for (int i = 0; i < WRITERS_MAX; i++) {
		struct writer *w = &p->at[i];

		if (w->busy || (!w->pid && writer_start(w)))
			continue;
		if (writer_order(w, file, lock, bytes, n)) {
			/* It was killed: replace it. */
			writer_drop(w, 0);
			if (writer_start(w) ||
			    writer_order(w, file, lock, bytes, n))
				continue;
		}
		w->busy = true;
		return i;
	}
	return -EAGAIN;
}

int writer_fd(const struct writer_pool *p, int which)
{
	return p->at[which].fd;
}

int writer_end(struct writer_pool *p, int which, int64_t *took_ns)
{
	struct writer *w = &p->at[which];
	struct outcome out;
	ssize_t n;

	do
		n = recv(w->fd, &out, sizeof(out), 0);
	while (n < 0 && errno == EINTR);
	w->busy = false;
	if (n != sizeof(out)) {
		writer_drop(w, 0);
		return -EIO;
	}
	*took_ns = out.took_ns;
	return -out.error;
}

void writer_abandon(struct writer_pool *p, int which)
{
	struct writer *w = &p->at[which];

	kill(w->pid, SIGKILL);
	writer_drop(w, WNOHANG);
}
