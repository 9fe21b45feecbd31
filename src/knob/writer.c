/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writer: the pool, and the process that writes.
 */
#include "knob/writer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "knob/sandbox.h"

struct outcome {
	int error;
	int64_t took_ns;
};

/* One message: bytes, and the descriptors of the file and of the lock. */
struct order {
	struct msghdr head;
	struct iovec bytes;
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control;
};

static void order_init(struct order *o, char *bytes, size_t n)
{
	memset(o, 0, sizeof(*o));
	o->bytes.iov_base = bytes;
	o->bytes.iov_len = n;
	o->head.msg_iov = &o->bytes;
	o->head.msg_iovlen = 1;
	o->head.msg_control = o->control.room;
	o->head.msg_controllen = sizeof(o->control.room);
}

/* The descriptors that came with a message; returns how many. */
static size_t take_descriptors(struct order *o, int fd[2])
{
	struct cmsghdr *c = CMSG_FIRSTHDR(&o->head);
	size_t n = c && c->cmsg_type == SCM_RIGHTS
			   ? (c->cmsg_len - CMSG_LEN(0)) / sizeof(int)
			   : 0;

	if (n)
		memcpy(fd, CMSG_DATA(c), n * sizeof(int));
	return n;
}

/* Write what is ordered until the keeper is gone. */
static void never_returns serve(int fd)
{
	char bytes[WRITER_BYTES_MAX];

	for (;;) {
		struct outcome out = { 0, 0 };
		struct order o;
		int given[2];
		uint64_t start;
		ssize_t n;
		size_t n_given;

		order_init(&o, bytes, sizeof(bytes));
		n = recvmsg(fd, &o.head, MSG_CMSG_CLOEXEC);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(0);
		n_given = take_descriptors(&o, given);
		if (!n_given)
			_exit(1);
		start = clock_mono_ns();
		if (write(given[0], bytes, (size_t)n) < 0)
			out.error = errno;
		out.took_ns = (int64_t)(clock_mono_ns() - start);
		for (size_t i = 0; i < n_given; i++)
			close(given[i]);
		if (send(fd, &out, sizeof(out), MSG_NOSIGNAL) < 0)
			_exit(1);
	}
}

void writer_pool_init(struct writer_pool *p)
{
	for (size_t i = 0; i < WRITERS_MAX; i++)
		p->at[i] = (struct writer){ 0, -1, false };
}

static int start(struct writer *w)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (pid == 0) {
		signal(SIGALRM, SIG_DFL);
		prctl(PR_SET_NAME, "iodyno-write");
		descriptor_close_others(&pair[1], 1);
		sandbox_writer();
		serve(pair[1]);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -EAGAIN;
	}
	*w = (struct writer){ pid, pair[0], false };
	return 0;
}

/* Take back what remains of a writer that ended or is given up. */
static void drop(struct writer *w, int options)
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
		else if (p->at[i].pid || start(&p->at[i]) == 0)
			n--;
}

void writer_pool_close(struct writer_pool *p)
{
	for (size_t i = 0; i < WRITERS_MAX; i++)
		if (p->at[i].pid)
			drop(&p->at[i], p->at[i].busy ? WNOHANG : 0);
}

static int order(struct writer *w, int file, int lock, const char *bytes,
		 size_t n)
{
	int fd[2] = { file, lock };
	size_t size = (lock < 0 ? 1 : 2) * sizeof(int);
	struct cmsghdr *c;
	struct order o;

	order_init(&o, (char *)bytes, n);
	o.head.msg_controllen = CMSG_SPACE(size);
	c = CMSG_FIRSTHDR(&o.head);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(c), fd, size);
	return sendmsg(w->fd, &o.head, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int writer_begin(struct writer_pool *p, int file, int lock, const char *bytes,
		 size_t n)
{
	if (!n || n > WRITER_BYTES_MAX)
		return -EINVAL;
	for (int i = 0; i < WRITERS_MAX; i++) {
		struct writer *w = &p->at[i];

		if (w->busy || (!w->pid && start(w)))
			continue;
		if (order(w, file, lock, bytes, n)) {
			/* It was killed: replace it. */
			drop(w, 0);
			if (start(w) || order(w, file, lock, bytes, n))
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
		drop(w, 0);
		return -EIO;
	}
	*took_ns = out.took_ns;
	return -out.error;
}

void writer_abandon(struct writer_pool *p, int which)
{
	struct writer *w = &p->at[which];

	kill(w->pid, SIGKILL);
	drop(w, WNOHANG);
}
