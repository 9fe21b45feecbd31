/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Startup trace: makes and replays the reads of a start. */
#include "workload/kind/startup_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/random.h"
#include "workload/engine/engine.h"
#include "workload/kind/kind.h"
#include "workload/target/target.h"
#include "workload/thread/worker.h"

#define BLOCK	   4096u
#define LARGE	   32u	       /* blocks: 128 KiB */
#define FILE_BYTES (20u << 20) /* of each process */
#define PROCESSES  7
#define DEPTH	   64 /* read-ahead in flight per process */

/* The totals of a trace. */
struct startup_counts {
	unsigned requests, sequential, readahead, metadata, small, large;
	uint64_t bytes;
};

/*
 * Counts of the traces in the replayer of the S suite. It gives requests and
 * bytes of xterm and lowriter and the requests of 128 KiB of lowriter; the
 * other counts follow from the shares of gnome-terminal.
 */
static const struct application {
	const char *name;
	unsigned processes;
	struct startup_counts count; /* bytes in blocks */
} applications[] = {
	{ "gnome-terminal", 7, { 2781, 2377, 1992, 355, 2546, 22, 5146 } },
	{ "xterm", 3, { 718, 614, 514, 92, 640, 6, 1510 } },
	{ "lowriter", 5, { 1268, 1084, 908, 162, 866, 249, 11878 } },
};

enum action { READ, METADATA, READAHEAD };

struct trace_request {
	uint8_t process, action;
	bool sequential;
	uint8_t blocks;
	uint64_t offset;
};

/* A process of the application: a thread during a start. */
struct process_of {
	struct startup_trace *trace;
	int fd;
	void *state; /* of the engine */
	pthread_t thread;
	bool begun;
	sem_t go;
	const struct trace_request *next; /* NULL: end */
	struct io ios[DEPTH];
	unsigned in_flight;
};

struct startup_trace {
	const struct application *of;
	struct trace_request *request;
	const struct engine *engine;
	char *buf; /* of all reads: the data are not used */
	struct process_of process[PROCESSES];
	sem_t done;
	ssize_t result; /* of the last read that was not read-ahead */
};

/* --- making --- */

static void swap(struct trace_request *a, struct trace_request *b, size_t at, size_t bytes)
{
	char t[16];

	memcpy(t, (char *)a + at, bytes);
	memcpy((char *)a + at, (char *)b + at, bytes);
	memcpy((char *)b + at, t, bytes);
}

/* Shuffle one member over all requests, independently of the other members. */
static void startup_trace_mix(struct startup_trace *t, struct random *r,
			      size_t at, size_t bytes)
{
	for (unsigned i = t->of->count.requests; i > 1; i--)
		swap(&t->request[i - 1], &t->request[random_below(r, i)], at,
		     bytes);
}

/* Draw sizes between 4 and 128 KiB; their sum is that of the trace. */
static void make_sizes(struct startup_trace *t, struct random *r)
{
	const struct startup_counts *n = &t->of->count;
	unsigned first = n->small + n->large;
	unsigned left = (unsigned)n->bytes - n->small - n->large * LARGE -
			2 * (n->requests - first);

	for (unsigned i = 0; i < n->requests; i++)
		t->request[i].blocks = i < n->small ? 1 : i < first ? LARGE : 2;
	while (left) {
		unsigned i = first +
			     (unsigned)random_below(r, n->requests - first);

		if (t->request[i].blocks == LARGE - 1)
			continue;
		t->request[i].blocks++;
		left--;
	}
}

static void startup_trace_place(struct startup_trace *t, struct random *r)
{
	uint64_t at[PROCESSES] = { 0 };

	for (unsigned i = 0; i < t->of->count.requests; i++) {
		struct trace_request *q = &t->request[i];
		uint64_t bytes = q->blocks * BLOCK;

		/* The first process does half of the work. */
		q->process = random_below(r, 2)
				     ? 0
				     : (uint8_t)random_below(
					       r, t->of->processes);
		if (!q->sequential || at[q->process] + bytes > FILE_BYTES)
			at[q->process] =
				random_below(r, (FILE_BYTES - bytes) / BLOCK) *
				BLOCK;
		q->offset = at[q->process];
		at[q->process] += bytes;
	}
}

struct startup_trace *startup_trace_new(unsigned application)
{
	struct startup_trace *t = xcalloc(1, sizeof(*t));
	const struct startup_counts *n;
	struct random r;

	t->of = &applications[application];
	n = &t->of->count;
	t->request = xcalloc(n->requests, sizeof(*t->request));
	for (unsigned i = 0; i < PROCESSES; i++)
		t->process[i].fd = -1;
	random_seed(&r, 1);
	make_sizes(t, &r);
	startup_trace_mix(t, &r, offsetof(struct trace_request, blocks),
			  sizeof(uint8_t));
	for (unsigned i = 0; i < n->requests; i++) {
		t->request[i].sequential = i < n->sequential;
		t->request[i].action = i < n->readahead ? READAHEAD
				       : i < n->readahead + n->metadata
					       ? METADATA
					       : READ;
	}
	startup_trace_mix(t, &r, offsetof(struct trace_request, sequential),
			  sizeof(bool));
	startup_trace_mix(t, &r, offsetof(struct trace_request, action),
			  sizeof(uint8_t));
	startup_trace_place(t, &r);
	return t;
}

void startup_trace_free(struct startup_trace *t)
{
	if (!t)
		return;
	free(t->request);
	free(t);
}

const char *startup_trace_name(const struct startup_trace *t)
{
	return t->of->name;
}

uint64_t startup_trace_bytes(const struct startup_trace *t)
{
	return (uint64_t)t->of->processes * FILE_BYTES;
}

/* --- files --- */

static int startup_trace_write_file(struct worker *w, int fd)
{
	if (layout_data(fd, 0, FILE_BYTES, &w->random, w) < FILE_BYTES)
		return errno ? -errno : -ECANCELED;
	if (fsync(fd))
		return -errno;
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

/* The name of the file of process i; clones share the directory. */
static const char *file_name(const struct worker *w, unsigned i, char name[32])
{
	snprintf(name, 32, "start.%u.process.%u", w->jobnum, i);
	return name;
}

static int startup_trace_make_file(struct startup_trace *t, struct worker *w,
				   unsigned i)
{
	char name[32];
	int fd, rc;

	file_name(w, i, name);
	fd = openat(w->region[0].fd, name,
		    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	rc = fd < 0 ? -errno : startup_trace_write_file(w, fd);
	descriptor_close(fd);
	if (rc)
		return rc;
	fd = openat(w->region[0].fd, name,
		    O_RDONLY | O_DIRECT | O_NOFOLLOW | O_CLOEXEC);
	/* tmpfs and others have no direct I/O. */
	if (fd < 0 && errno == EINVAL)
		fd = openat(w->region[0].fd, name,
			    O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	t->process[i].fd = fd;
	return fd < 0 ? -errno : 0;
}

int startup_trace_open(struct startup_trace *t, struct worker *w)
{
	int rc = engine_find("libaio", &t->engine);

	if (rc)
		return rc;
	if (kind_files_buffer(w, LARGE * BLOCK))
		return -ENOMEM;
	t->buf = w->buffers;
	sem_init(&t->done, 0, 0);
	random_seed(&w->random, 1);
	worker_set_phase(w, PHASE_LAYOUT);
	for (unsigned i = 0; i < t->of->processes && !rc; i++)
		rc = startup_trace_make_file(t, w, i);
	worker_set_phase(w, PHASE_WAIT);
	if (!rc)
		return 0;
	return job_fail(w->job, -rc, "cannot make the files of the trace: %s",
			strerror(-rc));
}

void startup_trace_close(struct startup_trace *t, struct worker *w)
{
	for (unsigned i = 0; i < t->of->processes; i++) {
		char name[32];

		if (t->process[i].fd < 0)
			continue;
		close(t->process[i].fd);
		t->process[i].fd = -1;
		(void)unlinkat(w->region[0].fd, file_name(w, i, name), 0);
	}
}

/* --- a start --- */

/*
 * Submit a read-ahead without waiting for it, unless DEPTH of them are in
 * flight.
 */
static void submit(struct process_of *p, const struct trace_request *q)
{
	struct io *io = &p->ios[p->in_flight];

	*io = (struct io){
		.offset = q->offset,
		.buf = p->trace->buf,
		.bytes = q->blocks * BLOCK,
		.fd = p->fd,
		.slot = p->in_flight,
		.op = JOB_READ,
	};
	p->in_flight += p->trace->engine->submit(p->state, &io, 1);
}

static void *be_process(void *arg)
{
	struct process_of *p = arg;
	struct startup_trace *t = p->trace;

	for (;;) {
		const struct trace_request *q;

		while (sem_wait(&p->go))
			;
		q = p->next;
		if (q && q->action == READAHEAD)
			submit(p, q);
		else if (q)
			t->result = pread(p->fd, t->buf, q->blocks * BLOCK,
					  (off_t)q->offset);
		sem_post(&t->done);
		if (!q)
			return NULL;
	}
}

/* Each start has a new process, as each start of an application has. */
static int begin_process(struct startup_trace *t, struct worker *w,
			 struct process_of *p)
{
	struct engine_setup setup = {
		.depth = DEPTH, .job = w->job, .fd = &p->fd, .n_fds = 1
	};

	p->trace = t;
	p->in_flight = 0;
	if (t->engine->open(&p->state, &setup))
		return -EAGAIN;
	sem_init(&p->go, 0, 0);
	p->begun = !pthread_create(&p->thread, NULL, be_process, p);
	return p->begun ? 0 : -EAGAIN;
}

static void startup_trace_hand_over(struct startup_trace *t,
				    struct process_of *p,
				    const struct trace_request *q)
{
	p->next = q;
	sem_post(&p->go);
	while (sem_wait(&t->done))
		;
}

/* 0, or the error of a read. */
static int startup_trace_collect(struct startup_trace *t, struct process_of *p)
{
	struct io *done[DEPTH];
	int rc = 0;

	while (p->in_flight) {
		int n = t->engine->reap(p->state, done, p->in_flight, DEPTH,
					ENGINE_WAIT);

		if (n < 0)
			return n;
		for (int i = 0; i < n; i++)
			if (done[i]->result < 0)
				rc = (int)done[i]->result;
		p->in_flight -= (unsigned)n;
	}
	return rc;
}

static int collect_all(struct startup_trace *t)
{
	int rc = 0;

	for (unsigned i = 0; i < t->of->processes; i++) {
		int one = startup_trace_collect(t, &t->process[i]);

		rc = rc ? rc : one;
	}
	return rc;
}

static void end_processes(struct startup_trace *t)
{
	for (unsigned i = 0; i < t->of->processes; i++) {
		struct process_of *p = &t->process[i];

		if (p->begun) {
			(void)startup_trace_collect(t, p);
			startup_trace_hand_over(t, p, NULL);
			pthread_join(p->thread, NULL);
		}
		if (p->state)
			t->engine->close(p->state);
		p->begun = false;
		p->state = NULL;
	}
}

/* One request; 0 or -errno. */
static int startup_trace_do_request(struct startup_trace *t,
				    const struct trace_request *q)
{
	struct process_of *p = &t->process[q->process];
	int rc = 0;

	if (q->action != READAHEAD)
		rc = collect_all(t);
	else if (p->in_flight == DEPTH)
		rc = startup_trace_collect(t, p);
	if (rc)
		return rc;
	t->result = 0;
	errno = 0;
	startup_trace_hand_over(t, p, q);
	if (q->action == READAHEAD)
		return 0;
	return t->result == (ssize_t)(q->blocks * BLOCK) ? 0 : -EIO;
}

int startup_trace_replay(struct startup_trace *t, struct worker *w,
			 uint64_t until_ns)
{
	int rc = 0;

	for (unsigned i = 0; i < t->of->processes && !rc; i++)
		rc = begin_process(t, w, &t->process[i]);
	for (unsigned i = 0; i < t->of->count.requests && !rc; i++) {
		const struct trace_request *q = &t->request[i];
		uint64_t begin_ns = stopwatch_ns(&w->watch);

		rc = startup_trace_do_request(t, q);
		latency_add(&w->count->op[JOB_READ].service,
			    stopwatch_ns(&w->watch) - begin_ns, 1);
		counter_add(&w->count->op[JOB_READ].bytes, q->blocks * BLOCK);
		if (!rc && clock_mono_ns() > until_ns)
			rc = -ETIMEDOUT;
		if (!rc && !worker_tick(w))
			rc = -ECANCELED;
	}
	if (!rc)
		rc = collect_all(t);
	end_processes(t);
	if (!rc || rc == -ETIMEDOUT || rc == -ECANCELED)
		return rc;
	counter_error(w->count, -rc);
	worker_fail(w, "job %s: a read of the trace failed: %s", w->job->name,
		    strerror(-rc));
	return -ECANCELED;
}
