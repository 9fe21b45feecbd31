/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * I/O log: rings between the workers and the process that writes.
 */
#include "workload/iolog/iolog.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "workload/thread/clones.h"
#include "workload/thread/process.h"

/*
 * Powers of two: 3 MiB for all rings together, some ten ms at a million I/Os
 * per second, but never less than what ten thousand per clone need.
 */
#define ROWS_OF_ALL 65536
#define ROWS_LEAST  1024
#define PAUSE_NS    5000000
/* How often the files are flushed, so that another program sees the rows. */
#define PAUSES_PER_FLUSH 100

/* The worker writes head, the thread tail; both only grow. */
struct ring {
	_Alignas(CACHE_LINE) _Atomic uint64_t head;
	_Alignas(CACHE_LINE) _Atomic uint64_t tail;
	struct iolog_row row[];
};

/* In memory shared with the worker, which owns all but the ring. */
struct iolog {
	uint64_t head, tail; /* the positions that the worker read last */
	uint64_t rows;       /* of the ring */
	struct ring *ring;
	size_t bytes;
	/* Rows go here, and are counted, while the disk does not answer. */
	bool full;
	uint64_t lost;
	struct iolog_row spill;
	uint32_t took_ns[]; /* of the submission, by slot */
};

struct iologs {
	struct iolog **log;
	struct worker **worker;
	struct iolog_file *file;
	struct iolog_outs outs;
	unsigned n;
	uint64_t rows;
	pid_t parent, pid; /* this process; the one that writes, 0: none */
	struct iologs_shared *shared;
};

struct iologs_shared {
	atomic_bool over;	 /* all workers have ended */
	_Atomic uint64_t passes; /* grows while the disk answers the process */
	atomic_bool done;	 /* all rows are written; the result follows */
	int rc;
	char words[400];
};

static void pause_ns(long ns)
{
	const struct timespec pause = { .tv_nsec = ns };

	nanosleep(&pause, NULL);
}

static struct iolog_row *no_room(struct iolog *log)
{
	log->full = true;
	log->lost++;
	return &log->spill;
}

/* Make room for one more row; waits for the process that writes the files. */
static struct iolog_row *room(struct worker *w)
{
	struct iolog *log = w->log;
	struct ring *r = log->ring;
	uint64_t since_ns = 0;

	while (log->head - log->tail == log->rows) {
		log->tail =
			atomic_load_explicit(&r->tail, memory_order_acquire);
		if (log->head - log->tail < log->rows)
			break;
		if (!since_ns)
			since_ns = clock_mono_ns();
		if (log->full || clock_mono_ns() - since_ns > HANG_NS)
			return no_room(log);
		worker_note(w,
			    "job %s waits until its logs are written; "
			    "log_avg_msec makes them shorter",
			    w->job->name);
		atomic_store_explicit(&r->head, log->head,
				      memory_order_release);
		pause_ns(50000);
	}
	log->full = false;
	return &r->row[log->head++ & (log->rows - 1)];
}

/* Log first: the inner completion recycles the I/Os. */
static void complete_logged(struct worker *w, unsigned n)
{
	struct iolog *log = w->log;

	for (unsigned i = 0; i < n && w->count == &w->run; i++) {
		const struct io *io = w->done[i];
		uint64_t from_ns = w->rate.rated && io->due_ns ? io->due_ns
							       : io->submit_ns;

		if (io->op >= JOB_DIRS || io->result != (ssize_t)io->bytes)
			continue;
		*room(w) = (struct iolog_row){
			.end_ns = w->now_ns,
			.clat_ns = w->now_ns - io->submit_ns,
			.lat_ns = w->now_ns > from_ns ? w->now_ns - from_ns : 0,
			.offset = io->offset + io->bytes - io->whole,
			.bytes = (uint32_t)io->whole,
			.slat_ns = log->took_ns[io->slot],
			.op = io->op,
			.prio = io->prio,
		};
	}
	atomic_store_explicit(&log->ring->head, log->head,
			      memory_order_release);
	filter_complete(w, FILTER_IOLOG, n);
}

void iolog_submitted(struct worker *w, uint64_t ns, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		w->log->took_ns[w->pending[i]->slot] =
			ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

static bool wanted(const struct worker *w)
{
	return w->log != NULL;
}

const struct filter iolog_filter = {
	.name = "iolog",
	.wanted = wanted,
	.complete = complete_logged,
};

static void drain(struct iologs *l, unsigned i)
{
	struct iolog_file *f = &l->file[i];
	struct ring *r = l->log[i]->ring;
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);

	if (head != tail && !f->start_ns)
		iolog_file_begin(f, counter_get(&l->worker[i]->run_start_ns));
	for (; tail != head; tail++) {
		iolog_file_row(f, &r->row[tail & (l->rows - 1)]);
		if (tail % 256 == 0)
			atomic_store_explicit(&r->tail, tail,
					      memory_order_release);
	}
	atomic_store_explicit(&r->tail, tail, memory_order_release);
	atomic_fetch_add(&l->shared->passes, 1);
}

static bool asks(const struct job *job)
{
	return job->bw_log || job->iops_log || job->lat_log || job->hist_log;
}

static size_t ring_bytes(uint64_t rows)
{
	return sizeof(struct ring) + rows * sizeof(struct iolog_row);
}

static void add_log(struct iologs *l, struct worker *k)
{
	/* Room for every depth that a running job can get. */
	size_t depth =
		k->depth > WORKER_MAX_DEPTH ? k->depth : WORKER_MAX_DEPTH;
	size_t bytes = sizeof(struct iolog) + depth * sizeof(uint32_t);
	struct iolog *log = xshared(bytes);

	log->bytes = bytes;
	log->rows = l->rows;
	log->ring = xshared(ring_bytes(l->rows));
	l->log[l->n] = k->log = log;
	l->worker[l->n++] = k;
}

static int open_clones(struct iologs *l, const struct clones *c,
		       unsigned before)
{
	int rc = 0;

	for (unsigned j = 0; j < c->n && rc == 0; j++) {
		struct iolog_file *f = &l->file[l->n];

		add_log(l, c->worker[j]);
		rc = iolog_file_open(f, &l->outs, c->job, before + j + 1);
		f->slat = c->engine->async && !c->engine->merged;
	}
	return rc;
}

int iologs_open(struct iologs **out, struct workload *w)
{
	unsigned clones = 0, before = 0;
	struct iologs *l;
	int rc = 0;

	*out = NULL;
	for (size_t i = 0; i < w->n; i++)
		clones += asks(w->clones[i].job) ? w->clones[i].n : 0;
	if (!clones)
		return 0;
	l = *out = xcalloc(1, sizeof(*l));
	l->shared = xshared(sizeof(*l->shared));
	l->log = xcalloc(clones, sizeof(struct iolog *));
	l->worker = xcalloc(clones, sizeof(struct worker *));
	l->file = xcalloc(clones, sizeof(*l->file));
	l->rows = ROWS_OF_ALL;
	while (l->rows > ROWS_LEAST && l->rows * clones > ROWS_OF_ALL)
		l->rows /= 2;
	for (size_t i = 0; i < w->n && rc == 0; i++) {
		if (asks(w->clones[i].job))
			rc = open_clones(l, &w->clones[i], before);
		before += w->clones[i].n;
	}
	return rc;
}

/* A run in which nothing completed still has windows. */
static void end_file(struct iolog_file *f, const struct worker *k)
{
	uint64_t start_ns = counter_get(&k->run_start_ns);
	uint64_t end_ns = counter_get(&k->run_end_at_ns);

	if (!f->start_ns && start_ns)
		iolog_file_begin(f, start_ns);
	if (f->start_ns)
		iolog_file_end(f, end_ns ? end_ns : clock_mono_ns());
}

/* Write the last rows and the ends of the files. */
static int end_files(struct iologs *l)
{
	for (unsigned i = 0; i < l->n; i++)
		end_file(&l->file[i], l->worker[i]);
	return iolog_outs_close(&l->outs);
}

/* If the parent was killed, write the rows that have arrived. */
static void write_logs(void *arg)
{
	struct iologs *l = arg;
	struct iologs_shared *s = l->shared;
	unsigned pauses = 0;
	bool over;

	prctl(PR_SET_NAME, "iodyno-logs");
	for (;;) {
		over = atomic_load_explicit(&s->over, memory_order_acquire) ||
		       getppid() != l->parent;
		for (unsigned i = 0; i < l->n; i++)
			drain(l, i);
		if (over)
			break;
		if (++pauses % PAUSES_PER_FLUSH == 0)
			iolog_outs_flush(&l->outs);
		pause_ns(PAUSE_NS);
	}
	s->rc = end_files(l);
	if (s->rc)
		text_copy(s->words, sizeof(s->words), fail_sentence());
	atomic_store_explicit(&s->done, true, memory_order_release);
}

int iologs_start(struct iologs *l)
{
	int *keep = xcalloc(l->outs.n, sizeof(*keep));
	pid_t pid;

	for (size_t i = 0; i < l->outs.n; i++)
		keep[i] = l->outs.item[i]->fd;
	l->parent = getpid();
	/* If this process is killed, the other one writes all rows, then ends. */
	pid = process_helper(write_logs, l, keep, l->outs.n, false);
	free(keep);
	if (pid < 0)
		return pid;
	l->pid = pid;
	return 0;
}

/* Wait for the process as long as it makes progress. */
static int join(struct iologs *l)
{
	struct iologs_shared *s = l->shared;
	uint64_t last = UINT64_MAX, since_ns = 0;

	while (waitpid(l->pid, NULL, WNOHANG) == 0) {
		uint64_t passes = atomic_load(&s->passes);

		if (passes != last) {
			last = passes;
			since_ns = clock_mono_ns();
		} else if (clock_mono_ns() - since_ns > HANG_NS) {
			return fail(ETIMEDOUT,
				    "the kernel does not answer a write to the "
				    "logs of I/Os; process %d goes on when it "
				    "does",
				    (int)l->pid);
		}
		pause_ns(1000000);
	}
	if (!atomic_load_explicit(&s->done, memory_order_acquire))
		return fail(ECHILD, "the process that writes the logs of I/Os "
				    "was killed; later lines are missing");
	return s->rc ? fail(-s->rc, "%s", s->words) : 0;
}

static int count_lost(const struct iologs *l)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < l->n; i++)
		lost += l->log[i]->lost;
	if (!lost)
		return 0;
	return fail(EIO, "the logs of I/Os lack %llu I/Os: their disk did not "
			 "answer",
		    (unsigned long long)lost);
}

int iologs_end(struct iologs *l)
{
	int rc;

	if (!l)
		return 0;
	/* The run has not begun. */
	if (!l->pid)
		return end_files(l);
	atomic_store_explicit(&l->shared->over, true, memory_order_release);
	rc = join(l);
	l->pid = 0;
	iolog_outs_drop(&l->outs);
	return rc ? rc : count_lost(l);
}

void iologs_free(struct iologs *l)
{
	int rc;

	if (!l)
		return;
	/* iologs_end() has already tried to write what is left in the rings. */
	rc = iolog_outs_close(&l->outs);
	(void)rc;
	for (unsigned i = 0; i < l->n; i++) {
		struct iolog *log = l->log[i];

		l->worker[i]->log = NULL;
		iolog_file_free(&l->file[i]);
		xshared_free(log->ring, ring_bytes(l->rows));
		xshared_free(log, log->bytes);
	}
	free(l->log);
	free(l->worker);
	free(l->file);
	xshared_free(l->shared, sizeof(*l->shared));
	free(l);
}
