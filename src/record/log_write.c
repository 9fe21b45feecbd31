/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log, writing: each line is one write(2) at the end of the file.
 *
 * Lines are not lost: a full pipe is waited for, which stops the caller, so a
 * reader that stalls stops the sampling; whoever cannot bear that logs to a
 * file. Only a signal that is to end us ends the wait. No fsync: a log is a
 * record, not a ledger.
 */
#include "record/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/root.h"
#include "record/codec.h"

/* A reader that takes nothing for so long stalls. */
#define STALL_MS 1000

struct log_writer {
	int fd;
	bool regular; /* can be cut back */
	bool hurry;   /* do not wait for a reader that stalls */
	char *path;
	struct json_writer line;
	struct known_knobs knobs;
};

/*
 * A pipe that does not block us, others that share it none the wiser: opened
 * anew where it is not ours. What that cannot be done to stays as it is.
 */
static int unblock(int fd)
{
	struct stat st;
	char path[ROOT_FD_PATH];
	int own;

	if (fstat(fd, &st) || !S_ISFIFO(st.st_mode))
		return fd;
	if (fd != STDOUT_FILENO) {
		(void)fcntl(fd, F_SETFL, O_NONBLOCK);
		return fd;
	}
	own = open(root_fd_path(path, fd), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	return own < 0 ? fd : own;
}

static struct log_writer *writer_new(int fd, bool regular, const char *path)
{
	struct log_writer *w = xcalloc(1, sizeof(*w));

	w->fd = unblock(fd);
	w->regular = regular;
	w->path = xstrdup(path);
	return w;
}

/* A FIFO, terminal or character device may be there before us. */
static int open_existing(const char *path, int *fd)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return fail(errno, "cannot create the log %s: %s", path,
			    strerror(errno));
	if (S_ISREG(st.st_mode))
		return fail(EEXIST,
			    "the log %s exists and is not overwritten; remove "
			    "it or give another name",
			    path);
	if (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode))
		return fail(EINVAL,
			    "the log %s is neither a new file nor a pipe nor "
			    "a character device; give another name",
			    path);
	*fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	/* What stood there may have been exchanged meanwhile. */
	if (*fd >= 0 && fstat(*fd, &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)))
		return 0;
	if (*fd >= 0) {
		close(*fd);
		errno = EEXIST;
	}
	return fail(errno, "cannot open the log %s: %s", path, strerror(errno));
}

int log_create(struct log_writer **out, const char *path)
{
	struct stat st;
	int fd, err;

	if (!strcmp(path, "-")) {
		if (fstat(STDOUT_FILENO, &st) < 0)
			return fail(errno, "stdout cannot be written to: %s",
				    strerror(errno));
		*out = writer_new(STDOUT_FILENO, S_ISREG(st.st_mode), "stdout");
		return 0;
	}
	fd = open(path,
		  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND |
			  O_CLOEXEC,
		  0644);
	if (fd >= 0) {
		*out = writer_new(fd, true, path);
		return 0;
	}
	if (errno != EEXIST)
		return fail(errno, "cannot create the log %s: %s", path,
			    strerror(errno));
	err = open_existing(path, &fd);
	if (!err)
		*out = writer_new(fd, false, path);
	return err;
}

/* Where the next byte of a regular file goes; -1 for others. */
static off_t position(const struct log_writer *w)
{
	int flags = fcntl(w->fd, F_GETFL);

	if (!w->regular || flags < 0)
		return -1;
	return lseek(w->fd, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR);
}

/* A signal that ends us waits until its descriptor is read (cmd/term.c). */
static bool end_is_pending(void)
{
	sigset_t set;

	if (sigpending(&set))
		return false;
	return sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
	       sigismember(&set, SIGHUP) || sigismember(&set, SIGQUIT);
}

/* Wait until there is room; false: the end is wanted and the reader stalls. */
static bool wait_for_room(const struct log_writer *w)
{
	struct pollfd p = { .fd = w->fd, .events = POLLOUT };

	return poll(&p, 1, STALL_MS) != 0 || !(w->hurry || end_is_pending());
}

/* All of it, or -errno without a sentence. */
static int write_all(const struct log_writer *w, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = write(w->fd, p, len);

		if (n < 0 && errno == EAGAIN) {
			if (!wait_for_room(w))
				return -EINTR;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The line that was made, and its newline. */
static int put_line(struct log_writer *w)
{
	off_t start = position(w);
	bool cut = false;
	int err;

	json_writer_raw(&w->line, "\n", 1);
	err = write_all(w, w->line.buf, w->line.len);
	json_writer_reset(&w->line);
	if (!err)
		return 0;
	if (start >= 0 && ftruncate(w->fd, start) == 0) {
		cut = true;
		lseek(w->fd, start, SEEK_SET);
	}
	/* What a lost line told of knobs must be told again. */
	known_knobs_free(&w->knobs);
	return fail(-err, "cannot write to the log %s: %s%s", w->path,
		    err == -EINTR ? "its reader stalls" : strerror(-err),
		    cut ? "; it was cut back to its last whole line" : "");
}

int log_header(struct log_writer *w, const struct header *h)
{
	codec_write_header(&w->line, h);
	return put_line(w);
}

int log_jobs(struct log_writer *w, const struct job *job, size_t n)
{
	codec_write_jobs(&w->line, job, n);
	return put_line(w);
}

int log_frame(struct log_writer *w, const struct frame *f)
{
	codec_write_frame(&w->line, f, &w->knobs);
	return put_line(w);
}

int log_record(struct log_writer *w, const char *type, struct json *object)
{
	size_t len;
	const char *text = json_text(object, &len);

	json_writer_open(&w->line, '{');
	json_writer_put_text(&w->line, "type", type);
	if (len > 2)
		json_writer_value(&w->line, text + 1, len - 2);
	json_writer_close(&w->line, '}');
	return put_line(w);
}

int log_summary(struct log_writer *w, struct json *summary)
{
	return log_record(w, "summary", summary);
}

void log_hurry(struct log_writer *w)
{
	w->hurry = true;
}

void log_close(struct log_writer *w)
{
	if (!w)
		return;
	if (w->fd != STDOUT_FILENO)
		close(w->fd);
	known_knobs_free(&w->knobs);
	json_writer_free(&w->line);
	free(w->path);
	free(w);
}
