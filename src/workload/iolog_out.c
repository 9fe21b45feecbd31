/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * I/O log output: a buffered text file whose failures are not lost.
 */
#include "workload/iolog_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

/* O_NONBLOCK: to open a pipe by mistake must not wait for its reader. */
int iolog_out_open(struct iolog_out **out, const char *path)
{
	int fd = open(path,
		      O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
		      0644);
	struct stat st;
	int err = 0;

	*out = NULL;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = errno;
	else if (!S_ISREG(st.st_mode))
		err = EINVAL;
	else if (ftruncate(fd, 0))
		err = errno;
	if (err) {
		close(fd);
		return -err;
	}
	*out = xcalloc(1, sizeof(**out));
	(*out)->fd = fd;
	(*out)->path = xstrdup(path);
	return 0;
}

void iolog_out_flush(struct iolog_out *o)
{
	size_t done = 0;

	while (done < o->n && !o->err) {
		ssize_t n = write(o->fd, o->buf + done, o->n - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			o->err = errno;
	}
	o->n = 0;
}

int iolog_out_close(struct iolog_out *o)
{
	int err;

	if (!o)
		return 0;
	iolog_out_flush(o);
	if (close(o->fd) && !o->err)
		o->err = errno;
	err = o->err;
	free(o->path);
	free(o);
	return -err;
}

void iolog_out_number(struct iolog_out *o, uint64_t v)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (o->n + n > IOLOG_OUT_BYTES)
		iolog_out_flush(o);
	while (n)
		o->buf[o->n++] = digits[--n];
}
