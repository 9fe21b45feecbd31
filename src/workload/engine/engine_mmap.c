/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine mmap: files mapped into memory. A read copies from the mapping, with
 * the page faults that this takes.
 *
 * A SIGBUS means that the file has lost the page or that reading the page
 * failed. The handler ends that copy, so it becomes a failed I/O.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "model/job/job.h"
#include "workload/engine/engine.h"

/* One file, as far as it is mapped. */
struct view {
	int fd;
	char *at;
	uint64_t bytes;
};

struct mapped {
	struct engine_one one; /* first */
	struct view *view;
	unsigned n;
	int protection;
	unsigned range_flags;
};

/*
 * Where a copy of this thread continues after a SIGBUS; NULL outside of copies.
 * A signal handler has no other way to find it.
 */
static _Thread_local sigjmp_buf *volatile landing;

static void on_sigbus(int number, siginfo_t *info, void *context)
{
	if (landing)
		siglongjmp(*landing, 1);
	/* The SIGBUS is not ours: take the default action. */
	signal(number, SIG_DFL);
	raise(number);
}

static void mmap_close(void *state)
{
	struct mapped *m = state;

	for (unsigned i = 0; i < m->n; i++)
		if (m->view[i].at)
			munmap(m->view[i].at, m->view[i].bytes);
	free(m->view);
	free(m);
}

static int mmap_open(void **state, const struct engine_setup *setup)
{
	const struct sigaction action = {
		.sa_sigaction = on_sigbus,
		/*
		 * The handler ends by a jump, which does not unblock the
		 * signal; do it here.
		 */
		.sa_flags = SA_SIGINFO | SA_NODEFER,
	};
	struct mapped *m;
	sigset_t set;

	if (setup->job->direct)
		return job_fail(setup->job, EINVAL,
				"the engine mmap works in the page cache; give "
				"direct=0 or another engine");
	if (sigaction(SIGBUS, &action, NULL))
		return job_fail(setup->job, errno,
				"SIGBUS cannot be caught: %s", strerror(errno));
	/*
	 * A blocked SIGBUS that the thread itself causes would kill the
	 * process.
	 */
	sigemptyset(&set);
	sigaddset(&set, SIGBUS);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	m = xcalloc(1, sizeof(*m));
	m->protection = PROT_READ | (job_changes(setup->job) ? PROT_WRITE : 0);
	m->range_flags = setup->range_flags;
	*state = m;
	return 0;
}

/* Map the whole file and unmap the old view. 0 or -errno. */
static int engine_mmap_map(const struct mapped *m, struct view *v)
{
	uint64_t bytes = descriptor_bytes(v->fd);
	void *at;

	if (v->at)
		munmap(v->at, v->bytes);
	v->at = NULL;
	v->bytes = 0;
	if (!bytes)
		return 0;
	at = mmap(NULL, bytes, m->protection, MAP_SHARED, v->fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	v->at = at;
	v->bytes = bytes;
	return 0;
}

/* The view of a file, found or added. */
static struct view *engine_mmap_find(struct mapped *m, int fd)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->view[i].fd == fd)
			return &m->view[i];
	m->view = xrealloc(m->view, (m->n + 1) * sizeof(*m->view));
	m->view[m->n] = (struct view){ .fd = fd };
	return &m->view[m->n++];
}

/*
 * Make the view reach to end, if the file does; a writer extends its file with
 * a byte where its data will be: ftruncate(2) would cut off what another clone
 * has added since the size was read.
 */
static int engine_mmap_reach(struct mapped *m, struct view *v,
			     const struct io *io)
{
	uint64_t end = io->offset + io->bytes;

	if (fcntl(v->fd, F_GETFD) < 0)
		return -EBADF;
	if (io->op == JOB_WRITE && descriptor_bytes(v->fd) < end &&
	    pwrite(v->fd, "", 1, (off_t)end - 1) != 1)
		return -errno;
	return engine_mmap_map(m, v);
}

/* Copy n bytes; false when a page could not be read. */
static bool copy(char *to, const char *from, size_t n)
{
	sigjmp_buf here;

	if (sigsetjmp(here, 0)) {
		landing = NULL;
		return false;
	}
	landing = &here;
	memcpy(to, from, n);
	landing = NULL;
	return true;
}

static void engine_mmap_transfer(struct mapped *m, struct io *io)
{
	struct view *v = engine_mmap_find(m, io->fd);
	uint64_t size;
	size_t n;
	int rc = 0;

	if (io->offset + io->bytes > v->bytes)
		rc = engine_mmap_reach(m, v, io);
	if (rc || io->offset >= v->bytes) {
		io->result = rc;
		return;
	}
	n = v->bytes - io->offset < io->bytes ? v->bytes - io->offset
					      : io->bytes;
	io->result = (ssize_t)n;
	if (io->op == JOB_READ ? copy(io->buf, v->at + io->offset, n)
			       : copy(v->at + io->offset, io->buf, n))
		return;
	/* The file became shorter: read(2) would return the rest. */
	size = descriptor_bytes(v->fd);
	if (io->op == JOB_READ && size < io->offset + n)
		io->result =
			size > io->offset ? (ssize_t)(size - io->offset) : 0;
	else
		io->result = -EIO;
}

/* msync(2) writes back what was stored, and does what fsync(2) does. */
static void engine_mmap_flush(struct mapped *m, struct io *io)
{
	const struct view *v = engine_mmap_find(m, io->fd);

	if (io->sync == SYNC_RANGE || !v->at)
		return engine_sync(io, m->range_flags);
	io->result = msync(v->at, v->bytes, MS_SYNC) ? -errno : 0;
}

static void mmap_now(void *state, struct io *io)
{
	struct mapped *m = state;

	if (io->op == JOB_TRIM)
		engine_trim(io);
	else if (io->op == JOB_SYNC)
		engine_mmap_flush(m, io);
	else
		engine_mmap_transfer(m, io);
}

static unsigned mmap_submit(void *state, struct io **ios, unsigned n)
{
	return engine_one_submit(state, ios, mmap_now);
}

const struct engine engine_mmap = {
	.name = "mmap",
	.aliases = "",
	.help = "files mapped into memory, one copy at a time; "
		"fsync is msync(2), iodepth has no effect",
	.max_depth = 1,
	.open = mmap_open,
	.submit = mmap_submit,
	.reap = engine_one_reap,
	.now = mmap_now,
	.close = mmap_close,
};
