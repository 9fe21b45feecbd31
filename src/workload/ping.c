/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ping: one I/O of a job at a time. */
#include "workload/ping.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/role.h"
#include "base/text.h"
#include "workload/engine/engine.h"
#include "workload/thread/clones.h"

/* Memory that this process shares with the one that does the I/O. */
struct ping {
	struct workload *workload;
	struct worker *worker; /* of the only clone; never started */
	pid_t pid; /* of the process that does the I/O */
	bool dead; /* it was killed */
	int ask_fd, answer_fd; /* eventfds; one is ready at a time */
	bool drop, flush;      /* drop the page cache before a read, flush it
			        * after a write */
	bool fsync, fdatasync; /* the time of that call alone */
	int schedstat_fd;      /* of the process; -1: the kernel has none */
	bool out;              /* an answer was asked for and not yet taken */
	atomic_bool quit;
	struct ping_answer answer;
	int rc; /* result of the preparation; words is its sentence */
	char words[400];
};

#define LOOK_MS 100 /* at a process that may have died */

static void ping_tell(int fd)
{
	const uint64_t one = 1;
	ssize_t n = write(fd, &one, sizeof(one));

	(void)n;
}

static bool hear(int fd)
{
	uint64_t count;

	return read(fd, &count, sizeof(count)) == sizeof(count);
}

static void do_io(struct worker *k, struct io *io)
{
	int rc = 0;

	if (k->engine->now)
		k->engine->now(k->state, io);
	else
		rc = engine_do(k->engine, k->state, io, ENGINE_WAIT);
	if (rc)
		io->result = rc;
}

/* The time that this thread has waited for a processor, from its start. */
static uint64_t ping_waited_ns(const struct ping *p)
{
	char text[80];
	unsigned long long ns;
	ssize_t n = pread(p->schedstat_fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "%*u %llu", &ns) == 1 ? ns : 0;
}

static void ping_do_request(struct ping *p)
{
	struct worker *k = p->worker;
	struct io *io = &k->ios[0];
	struct ping_answer *a = &p->answer;
	uint64_t waited_ns;

	/* No limit applies. */
	k->left_ios = k->left_bytes = UINT64_MAX;
	io->kept = false;
	source_next(k, io);
	a->write = io->op != JOB_READ;
	a->offset = io->offset;
	a->bytes = io->bytes;
	if (p->drop && !a->write)
		(void)posix_fadvise(io->fd, (off_t)io->offset, (off_t)io->bytes,
				    POSIX_FADV_DONTNEED);
	waited_ns = ping_waited_ns(p);
	a->begin_ns = clock_mono_ns();
	do_io(k, io);
	a->sync = (p->fsync || p->fdatasync) && a->write;
	if (a->sync) {
		waited_ns = ping_waited_ns(p);
		a->begin_ns = clock_mono_ns();
	}
	if ((p->flush || a->sync) && a->write && io->result >= 0 &&
	    (p->fsync ? fsync(io->fd) : fdatasync(io->fd)))
		io->result = -errno;
	a->latency_ns = clock_mono_ns() - a->begin_ns;
	a->wait_ns = ping_waited_ns(p) - waited_ns;
	/* It may have waited between the two clocks, too. */
	if (a->wait_ns > a->latency_ns)
		a->wait_ns = a->latency_ns;
	a->error = io->result < 0                    ? (int)-io->result
		   : (uint64_t)io->result < a->bytes ? EIO
						     : 0;
}

/*
 * A process, because an I/O that the kernel does not answer would keep this one
 * from ending. A ring belongs to the thread that made it, so it does everything.
 */
static void ping_serve(int socket, void *arg)
{
	struct ping *p = arg;

	stopwatch_begin(&p->worker->watch, p->worker->ticks);
	p->schedstat_fd = open("/proc/thread-self/schedstat",
			       O_RDONLY | O_CLOEXEC);
	p->rc = worker_prepare(p->worker);
	if (p->rc)
		text_set(p->words, fail_sentence());
	ping_tell(p->answer_fd);
	while (p->rc == 0 && hear(p->ask_fd) && !atomic_load(&p->quit)) {
		ping_do_request(p);
		ping_tell(p->answer_fd);
	}
	worker_unprepare(p->worker);
	descriptor_close(p->schedstat_fd);
}

static void free_ping(struct ping *p)
{
	descriptor_close(p->ask_fd);
	descriptor_close(p->answer_fd);
	if (p->workload && workload_close(p->workload, 0))
		p->rc = -EIO;
	xshared_free(p, sizeof(*p));
}

static void ping_join(struct ping *p)
{
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int ping_start(struct ping *p)
{
	struct pollfd fd = { .fd = p->answer_fd, .events = POLLIN };
	const int keep[] = { p->ask_fd, p->answer_fd, p->worker->region[0].fd };
	const struct role_start start = { .role = ROLE_PING,
					  .keep = keep,
					  .n = ARRAY_SIZE(keep),
					  .serve = ping_serve,
					  .arg = p };

	if (p->ask_fd < 0 || p->answer_fd < 0)
		return fail(errno, "cannot make an eventfd: %s",
			    strerror(errno));
	p->pid = role_start(&start, NULL);
	if (p->pid < 0)
		return p->pid;
	while (!hear(p->answer_fd))
		if (poll(&fd, 1, LOOK_MS) == 0 &&
		    waitpid(p->pid, NULL, WNOHANG) == p->pid)
			return fail(ECHILD, "the process of the I/O died");
	if (p->rc == 0)
		return 0;
	ping_join(p);
	return fail(-p->rc, "%s", p->words);
}

int ping_open(struct ping **out, const struct root *root, const struct job *job,
	      bool cached, const struct allow_list *allowed)
{
	struct ping *p = xshared(sizeof(*p));
	int rc;

	p->ask_fd = eventfd(0, EFD_CLOEXEC);
	p->answer_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	p->drop = p->flush = !cached && !job->direct;
	p->fsync = job->fsync_every;
	p->fdatasync = job->fdatasync_every;
	rc = workload_open(&p->workload, root, job, 1, allowed);
	if (rc == 0) {
		p->worker = p->workload->clones[0].worker[0];
		/* Read one block, without readahead around it. */
		if (p->drop && job_random(job))
			(void)posix_fadvise(p->worker->region[0].fd, 0, 0,
					    POSIX_FADV_RANDOM);
		rc = ping_start(p);
	}
	if (rc)
		free_ping(p);
	else
		*out = p;
	return rc;
}

int ping_fd(const struct ping *p)
{
	return p->answer_fd;
}

void ping_ask(struct ping *p)
{
	p->out = true;
	ping_tell(p->ask_fd);
}

bool ping_take(struct ping *p, struct ping_answer *a)
{
	if (!p->out || !hear(p->answer_fd))
		return false;
	p->out = false;
	*a = p->answer;
	return true;
}

bool ping_is_dead(struct ping *p)
{
	if (!p->dead)
		p->dead = waitpid(p->pid, NULL, WNOHANG) == p->pid;
	return p->dead;
}

int ping_close(struct ping *p, uint64_t timeout_ns)
{
	struct pollfd fd = { .events = POLLIN };
	struct ping_answer a;

	if (!p)
		return 0;
	fd.fd = p->answer_fd;
	if (p->out && !ping_is_dead(p))
		poll(&fd, 1, (int)(timeout_ns / 1000000));
	if (p->out && !ping_take(p, &a)) {
		if (ping_is_dead(p)) {
			free_ping(p);
			return fail(ECHILD, "the process of the I/O was killed");
		}
		/* The process dies when the kernel answers. */
		kill(p->pid, SIGKILL);
		return fail(ETIMEDOUT, "an I/O to %s is stuck in the kernel",
			    p->worker->region[0].target->path);
	}
	atomic_store(&p->quit, true);
	ping_tell(p->ask_fd);
	ping_join(p);
	free_ping(p);
	return 0;
}
