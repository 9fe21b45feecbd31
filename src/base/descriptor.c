/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptor: close what a forked process must not hold, send descriptors, fork
 * a small process.
 */
#include "base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/kernel.h"

/* How many descriptors to close one by one where no other method works. */
#define ONE_BY_ONE_MAX 65536

/* The list is mostly in order already, so sort by insertion. */
static void sort_descriptors(int *fd, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int this = fd[i];
		size_t k = i;

		for (; k && fd[k - 1] > this; k--)
			fd[k] = fd[k - 1];
		fd[k] = this;
	}
}

/* Close from a descriptor up to another, INT_MAX: all. */
static void close_range_of(int from, int to)
{
	struct rlimit limit = { 1024, 1024 };

#ifdef __NR_close_range
	if (syscall(__NR_close_range, (unsigned)from,
		    to == INT_MAX ? ~0u : (unsigned)to, 0u) == 0)
		return;
#endif
	/* The hard limit: the soft one may have been lowered meanwhile. */
	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_max > ONE_BY_ONE_MAX)
		limit.rlim_max = ONE_BY_ONE_MAX;
	for (int fd = from; fd <= to && fd < (int)limit.rlim_max; fd++)
		close(fd);
}

void descriptor_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

void descriptor_close_others(int *keep, size_t n)
{
	bool kept[3] = { false };
	int next = 3, null;

	sort_descriptors(keep, n);
	for (size_t i = 0; i < n; i++) {
		if (keep[i] >= 0 && keep[i] < 3)
			kept[keep[i]] = true;
		if (keep[i] < next)
			continue;
		if (keep[i] > next)
			close_range_of(next, keep[i] - 1);
		next = keep[i] + 1;
	}
	close_range_of(next, INT_MAX);
	null = open("/dev/null", O_RDWR);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		if (!kept[fd] && fd != null)
			dup2(null, fd);
	if (null > 2)
		close(null);
}

/* One message: bytes, and descriptors. */
struct message {
	struct msghdr head;
	struct iovec bytes;
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(DESCRIPTOR_SENT_MAX * sizeof(int))];
	} control;
};

static void message_init(struct message *m, void *bytes, size_t n)
{
	memset(m, 0, sizeof(*m));
	m->bytes.iov_base = bytes;
	m->bytes.iov_len = n;
	m->head.msg_iov = &m->bytes;
	m->head.msg_iovlen = 1;
	m->head.msg_control = m->control.room;
	m->head.msg_controllen = sizeof(m->control.room);
}

int descriptor_send(int socket, const void *bytes, size_t n, const int *fd,
		    size_t n_fds)
{
	int given[DESCRIPTOR_SENT_MAX];
	size_t have = 0, size;
	struct cmsghdr *c;
	struct message m;

	for (size_t i = 0; i < n_fds && i < DESCRIPTOR_SENT_MAX; i++)
		if (fd[i] >= 0)
			given[have++] = fd[i];
	message_init(&m, (void *)bytes, n);
	size = have * sizeof(int);
	m.head.msg_controllen = have ? CMSG_SPACE(size) : 0;
	if (have) {
		c = CMSG_FIRSTHDR(&m.head);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(size);
		memcpy(CMSG_DATA(c), given, size);
	}
	return sendmsg(socket, &m.head, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

ssize_t descriptor_receive(int socket, void *bytes, size_t size, int *fd,
			   size_t n_fds)
{
	struct cmsghdr *c;
	struct message m;
	ssize_t n;

	for (size_t i = 0; i < n_fds; i++)
		fd[i] = -1;
	message_init(&m, bytes, size);
	n = recvmsg(socket, &m.head, MSG_CMSG_CLOEXEC);
	c = n < 0 ? NULL : CMSG_FIRSTHDR(&m.head);
	if (c && c->cmsg_type == SCM_RIGHTS)
		for (size_t i = 0;
		     i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
			int got;

			memcpy(&got, CMSG_DATA(c) + i * sizeof(int),
			       sizeof(got));
			if (i < n_fds)
				fd[i] = got;
			else
				close(got);
		}
	return n;
}

int descriptor_of_process(pid_t pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0);
#else
	errno = ENOSYS;
	return -1;
#endif
}

uint64_t descriptor_bytes(int fd)
{
	uint64_t bytes = 0;
	struct stat st;

	if (fstat(fd, &st))
		return 0;
	if (S_ISBLK(st.st_mode))
		return ioctl(fd, BLKGETSIZE64, &bytes) ? 0 : bytes;
	return (uint64_t)st.st_size;
}

bool descriptor_identity(int fd, char *buf, size_t size)
{
	long long seconds = 0;
	unsigned ns = 0;
	struct statx born;
	struct stat st;

	if (!statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &born) &&
	    born.stx_mask & STATX_BTIME) {
		seconds = born.stx_btime.tv_sec;
		ns = born.stx_btime.tv_nsec;
	}
	if (fstat(fd, &st))
		return false;
	snprintf(buf, size, "%llu %lld.%09u", (unsigned long long)st.st_ino,
		 seconds, ns);
	return true;
}

int descriptor_write(int fd, const void *bytes, size_t n, off_t at)
{
	const char *p = bytes;

	while (n) {
		const ssize_t done =
			at < 0 ? write(fd, p, n) : pwrite(fd, p, n, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		p += done;
		n -= (size_t)done;
		at += at < 0 ? 0 : done;
	}
	return 0;
}

ssize_t descriptor_text(const char *path, size_t most, char **out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = 0, got = 1;
	struct stat st;
	char *text;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size > most) {
		close(fd);
		return -EINVAL;
	}
	text = xmalloc((size_t)st.st_size + 1);
	for (; got > 0 && n < st.st_size; n += got > 0 ? got : 0)
		got = read(fd, text + n, (size_t)(st.st_size - n));
	if (got < 0)
		n = -errno;
	close(fd);
	if (n < 0) {
		free(text);
		return n;
	}
	text[n] = '\0';
	*out = text;
	return n;
}

const char *descriptor_entry(DIR **dir)
{
	struct dirent *e;

	while (*dir && (e = readdir(*dir)))
		if (e->d_name[0] != '.')
			return e->d_name;
	if (*dir)
		closedir(*dir);
	*dir = NULL;
	return NULL;
}

DIR *descriptor_entries(int fd)
{
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const int error = errno;

	if (!dir && fd >= 0)
		close(fd);
	errno = error;
	return dir;
}
