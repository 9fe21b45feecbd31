/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line writer: a process that writes lines to a descriptor. */
#include "record/line_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/role.h"

/* A reader that takes nothing for this time stalls. */
#define STALL_MS 1000
/* A file that takes nothing for this time is on a disk that hangs. */
#define HANG_MS 1500

#define PIPE_BYTES (1 << 20)
#define CHUNK      (64u << 10)

/* No line has this byte: it ends the stream, as other processes may still hold
 * the pipe. */
#define END_MARK '\0'

/* Shared by both processes. */
struct shared {
	_Atomic uint64_t written; /* bytes of whole lines */
	_Atomic int error;        /* errno of the first failure */
	_Atomic bool cut;         /* cut back to the last whole line */
};

struct line_writer {
	pid_t pid;
	int pipe; /* the end of the pipe that the main process writes to */
	bool regular, hurry;
	bool hung; /* it was given up */
	const char *name;
	struct shared *shared;
	uint64_t given; /* bytes of all lines so far */
	char *queue;    /* bytes that the pipe did not take yet */
	size_t len, cap;
};

/* The state of the writing process. */
struct child {
	int in, out;
	bool regular;
	struct shared *shared;
#ifdef HAVE_ZSTD
	ZSTD_CCtx *zstd; /* NULL: not compressed */
#endif
	uint64_t put; /* bytes that the descriptor took */
	char *buf;    /* len bytes, not a whole line yet */
	size_t len, cap;
};

/* Where the next byte of a regular file goes; -1 for others. */
static off_t line_writer_position(const struct child *c)
{
	int flags = fcntl(c->out, F_GETFL);

	if (!c->regular || flags < 0)
		return -1;
	return lseek(c->out, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR);
}

/* Write all of it; 0 or an errno. */
static int line_writer_write_all(struct child *c, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = write(c->out, p, len);
		struct pollfd wait = { .fd = c->out, .events = POLLOUT };

		/* stdout may not block: it is shared with other programs. */
		if (n < 0 && errno == EAGAIN)
			poll(&wait, 1, -1);
		else if (n < 0 && errno != EINTR)
			return errno;
		if (n < 0)
			continue;
		p += n;
		c->put += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

#ifdef HAVE_ZSTD
/* The same compressed; ZSTD_e_flush: a reader gets all of it. */
static int write_packed(struct child *c, const char *p, size_t len,
			ZSTD_EndDirective how)
{
	char buf[CHUNK];
	ZSTD_inBuffer in = { p, len, 0 };
	size_t left = 1;

	while (left) {
		ZSTD_outBuffer out = { buf, sizeof(buf), 0 };
		int error;

		left = ZSTD_compressStream2(c->zstd, &out, &in, how);
		if (ZSTD_isError(left))
			return ENOMEM;
		error = line_writer_write_all(c, buf, out.pos);
		if (error)
			return error;
	}
	return 0;
}
#endif

static int line_writer_write_bytes(struct child *c, const char *p, size_t len)
{
#ifdef HAVE_ZSTD
	if (c->zstd)
		return write_packed(c, p, len, ZSTD_e_flush);
#endif
	return line_writer_write_all(c, p, len);
}

/*
 * Cut the part of a line off. stdout may be a file that other programs write to
 * as well: once one of them wrote behind the part, all of it stays.
 */
static void cut_back(struct child *c, off_t start, uint64_t part)
{
	if (start < 0 || lseek(c->out, 0, SEEK_END) != start + (off_t)part ||
	    ftruncate(c->out, start))
		return;
	atomic_store(&c->shared->cut, true);
	lseek(c->out, start, SEEK_SET);
}

static void line_writer_write_line(struct child *c, const char *line,
				   size_t len)
{
	off_t start = line_writer_position(c);
	uint64_t before = c->put;
	int error = line_writer_write_bytes(c, line, len);

	if (!error) {
		atomic_fetch_add(&c->shared->written, len);
		return;
	}
	cut_back(c, start, c->put - before);
	atomic_store(&c->shared->error, error);
}

/* Write the whole lines of the buffer; after a failure drop them. false: the
 * end mark was among them. */
static bool line_writer_take_lines(struct child *c, size_t fresh)
{
	size_t used = 0, from = c->len - fresh;
	char *end;

	while ((end = memchr(c->buf + from, '\n', c->len - from))) {
		size_t next = (size_t)(end - c->buf) + 1;

		if (!atomic_load(&c->shared->error))
			line_writer_write_line(c, c->buf + used, next - used);
		used = from = next;
	}
	c->len -= used;
	memmove(c->buf, c->buf + used, c->len);
	return !c->len || c->buf[c->len - 1] != END_MARK;
}

/* Do not call malloc(): a thread of the parent may hold its lock. */
static bool line_writer_grow(struct child *c)
{
	void *p;

	if (c->cap - c->len >= CHUNK)
		return true;
	p = c->buf ? mremap(c->buf, c->cap, 2 * c->cap, MREMAP_MAYMOVE)
		   : mmap(NULL, 2 * CHUNK, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return false;
	c->cap = c->buf ? 2 * c->cap : 2 * CHUNK;
	c->buf = p;
	return true;
}

static void line_writer_serve(int socket, void *arg)
{
	struct child *c = arg;

	while (line_writer_grow(c)) {
		ssize_t n = read(c->in, c->buf + c->len, CHUNK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		c->len += (size_t)n;
		if (!line_writer_take_lines(c, (size_t)n))
			break;
	}
#ifdef HAVE_ZSTD
	if (c->zstd && !atomic_load(&c->shared->error))
		(void)!write_packed(c, NULL, 0, ZSTD_e_end);
#endif
}

static struct shared *new_shared(void)
{
	void *p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Call this before the fork: the child must not allocate. */
static int begin_zst(struct child *c, const char *name)
{
#ifdef HAVE_ZSTD
	c->zstd = ZSTD_createCCtx();
	if (!c->zstd)
		die("no memory for the compression of a log");
	/* A day takes 14 % less than with zstd's default, and no more memory. */
	(void)ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_compressionLevel, 6);
	(void)ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_windowLog, 19);
	(void)ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_hashLog, 17);
	(void)ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_chainLog, 17);
	return 0;
#else
	return fail(ENOTSUP,
		    "%s cannot be compressed: this program was built "
		    "without libzstd; give a name without .zst",
		    name);
#endif
}

static void end_zst(struct child *c)
{
#ifdef HAVE_ZSTD
	ZSTD_freeCCtx(c->zstd);
#endif
}

int line_writer_new(struct line_writer **out, int fd, bool regular, bool zst,
		    const char *name)
{
	struct child c = { .in = -1, .out = fd, .regular = regular };
	struct role_start start = { .role = ROLE_LOG,
				    .serve = line_writer_serve,
				    .arg = &c };
	struct line_writer *w;
	int ends[2] = { -1, -1 }, err;

	err = zst ? begin_zst(&c, name) : 0;
	if (err) {
		if (fd != STDOUT_FILENO)
			close(fd);
		return err;
	}
	w = xcalloc(1, sizeof(*w));
	c.shared = new_shared();
	w->pid = -1;
	if (c.shared && !pipe2(ends, O_CLOEXEC)) {
		/* A smaller pipe is fine: the user's limit may be used up. */
		(void)fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
		(void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
		c.in = ends[0];
		start.keep = (int[]){ c.in, c.out };
		start.n = 2;
		w->pid = role_start(&start, NULL);
	}
	err = w->pid < 0 ? fail(errno,
				"cannot start the process that writes %s: %s",
				name, strerror(errno))
			 : 0;
	end_zst(&c);
	if (ends[0] >= 0)
		close(ends[0]);
	if (fd != STDOUT_FILENO)
		close(fd);
	w->pipe = ends[1];
	w->regular = regular;
	w->name = name;
	w->shared = c.shared;
	if (err) {
		line_writer_leave(w);
		return err;
	}
	*out = w;
	return 0;
}

/* A signal that ends us waits until its descriptor is read: the main loop
 * blocked it. */
static bool end_is_pending(void)
{
	sigset_t set;

	if (sigpending(&set))
		return false;
	return sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
	       sigismember(&set, SIGHUP) || sigismember(&set, SIGQUIT);
}

static int failure(const struct line_writer *w)
{
	int error = atomic_load(&w->shared->error);

	if (!error)
		return 0;
	return fail(error, "cannot write to %s: %s%s", w->name,
		    strerror(error),
		    atomic_load(&w->shared->cut)
			    ? "; it was cut back to its last whole line"
			    : "");
}

/* A signal killed the writer. */
static bool line_writer_is_gone(struct line_writer *w)
{
	if (w->pid > 0 && waitpid(w->pid, NULL, WNOHANG) == w->pid)
		w->pid = 0;
	return w->pid <= 0;
}

/* Not EPIPE: that is the end of the log's reader. */
static int killed(const struct line_writer *w)
{
	return fail(EIO,
		    "cannot write to %s: the process that writes it was killed",
		    w->name);
}

/* Send as much of the queue as the pipe takes. */
static int line_writer_flush(struct line_writer *w)
{
	size_t done = 0;
	int err = 0;

	while (done < w->len) {
		ssize_t n = write(w->pipe, w->queue + done, w->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		/* The writer's last message says why it ended. */
		if (n < 0 && errno == EPIPE && !atomic_load(&w->shared->error))
			err = killed(w);
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	w->len -= done;
	if (w->len && done)
		memmove(w->queue, w->queue + done, w->len);
	return err;
}

/*
 * After so many ms without progress: -errno with a sentence; 0: keep waiting.
 */
static int stalled(struct line_writer *w, uint64_t ms)
{
	uint64_t missing = w->given - atomic_load(&w->shared->written);

	if (w->regular && ms >= HANG_MS) {
		w->hung = true;
		return fail(ETIMEDOUT,
			    "the disk of %s does not answer; %llu bytes were not "
			    "written",
			    w->name, (unsigned long long)missing);
	}
	if (!w->regular && ms >= STALL_MS && (w->hurry || end_is_pending())) {
		w->hung = true;
		return fail(EINTR,
			    "cannot write to %s: its reader stalls",
			    w->name);
	}
	return line_writer_is_gone(w) ? killed(w) : 0;
}

/*
 * Wait until all is written. 0, or -errno with a sentence. The limits begin
 * anew with each line that is written.
 */
static int line_writer_drain(struct line_writer *w)
{
	uint64_t written = atomic_load(&w->shared->written);
	uint64_t since = clock_mono_ns();
	int err = failure(w), pause_ms = 0;

	while (!err) {
		uint64_t now = atomic_load(&w->shared->written);

		err = line_writer_flush(w);
		if (err)
			break;
		if (!w->len && now == w->given)
			return 0;
		if (now != written) {
			written = now;
			since = clock_mono_ns();
			pause_ms = 0;
		}
		err = stalled(w, (clock_mono_ns() - since) / 1000000);
		if (!err)
			err = failure(w);
		poll(NULL, 0, pause_ms);
		pause_ms = pause_ms < 10 ? pause_ms + 1 : 10;
	}
	return err;
}

int line_writer_put(struct line_writer *w, const char *line, size_t len,
		    enum line_importance how)
{
	int err = failure(w);

	if (!err)
		err = line_writer_flush(w);
	if (err)
		return err;
	if (how == LINE_DROPPABLE && w->len &&
	    w->len + len > LINE_WRITER_QUEUE)
		return -ENOBUFS;
	w->queue = xgrow(w->queue, &w->cap, w->len + len, 1);
	memcpy(w->queue + w->len, line, len);
	w->len += len;
	w->given += len;
	err = line_writer_flush(w);
	if (err)
		return err;
	return how == LINE_AWAITED ? line_writer_drain(w) : failure(w);
}

bool line_writer_has_room(const struct line_writer *w)
{
	return w->len + PIPE_BYTES <= LINE_WRITER_QUEUE;
}

void line_writer_hurry(struct line_writer *w)
{
	w->hurry = true;
}

static void free_writer(struct line_writer *w)
{
	if (w->pipe >= 0)
		close(w->pipe);
	if (w->shared)
		munmap(w->shared, sizeof(*w->shared));
	free(w->queue);
	free(w);
}

/* Add the end mark. Wait until the pipe takes it, unless the writer hangs. */
static void say_end(struct line_writer *w)
{
	static const char mark = END_MARK;
	uint64_t until = clock_mono_ns() + HANG_MS * 1000000ull;

	w->queue = xgrow(w->queue, &w->cap, w->len + 1, 1);
	w->queue[w->len++] = mark;
	while (!line_writer_flush(w) && w->len && !w->hung &&
	       !line_writer_is_gone(w)) {
		w->hung = clock_mono_ns() > until;
		poll(NULL, 0, 1);
	}
}

void line_writer_leave(struct line_writer *w)
{
	if (!w)
		return;
	if (w->pid > 0)
		say_end(w);
	free_writer(w);
}

void line_writer_free(struct line_writer *w)
{
	uint64_t until = clock_mono_ns() + HANG_MS * 1000000ull;

	if (!w)
		return;
	if (w->pid > 0)
		say_end(w);
	while (!w->hung && !line_writer_is_gone(w)) {
		w->hung = clock_mono_ns() > until;
		poll(NULL, 0, 1);
	}
	free_writer(w);
}
