/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Witness: the rings between the workers and the process that sends, and how it
 * packs their rows into records.
 *
 * A worker puts a row for each write before its submission and after its
 * completion. The process takes what is there every few ms: all writes that
 * began, then all that completed, so that a record holds many. Rows of flushes
 * keep their place among these.
 */
#include "workload/witness/witness.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/role.h"
#include "base/text.h"
#include "workload/thread/clones.h"
#include "workload/verify/verify.h"
#include "workload/witness/witness_send.h"

/* Powers of two: 1 MiB of rows for all workers together. */
#define ROWS_OF_ALL 32768
#define ROWS_LEAST  256
#define PAUSE_MS    2
#define NAP_NS      200000
/* The witness must take something within this time. */
#define PATIENCE_NS 5000000000ull

enum row_kind { ROW_INTENT, ROW_DONE, ROW_FLUSH, ROW_FLUSHED };

/* number: of a flush, or of those submitted before a write completed. */
struct witness_row {
	uint64_t first, number;
	uint32_t n, generation;
	uint16_t target;
	uint8_t kind, flags; /* enum send_flags */
	int32_t error;
};

/* The worker writes head, the process tail and answered; all only grow. */
struct witness_ring {
	_Alignas(CACHE_LINE) _Atomic uint64_t head;
	_Alignas(CACHE_LINE) _Atomic uint64_t tail;
	_Atomic uint64_t answered; /* rows that the witness has, when it answers */
	struct witness *all;
	size_t bytes;
	uint64_t rows;
	struct witness_row row[];
};

struct witness_shared {
	_Atomic uint64_t flushes; /* submitted, of all targets */
	_Atomic uint64_t passes;  /* grows while the peer takes records */
	atomic_bool over, failed_jobs, done;
	atomic_bool lost; /* the peer is gone: words */
	char words[300];
};

struct witness {
	struct witness_options options;
	struct witness_shared *shared;
	struct witness_ring **ring;
	struct worker **worker;
	unsigned n;
	pid_t parent, pid;
	struct witness_send *send;
	uint64_t begin_ns;
};

/* --- in a worker --- */

/*
 * Whether to go on waiting: the process makes progress. since_ns, passes: the
 * state of the wait, both 0 at first.
 */
static bool witness_waits(struct worker *w, uint64_t *since_ns,
			  uint64_t *passes)
{
	struct witness_shared *s = w->witness->all->shared;
	uint64_t now = atomic_load(&s->passes);

	if (atomic_load(&s->lost) || worker_stopped(w))
		return false;
	if (!*since_ns || now != *passes) {
		*since_ns = clock_mono_ns();
		*passes = now;
	} else if (clock_mono_ns() - *since_ns > PATIENCE_NS) {
		text_set(s->words, w->witness->all->options.echo
					   ? "the witness does not answer"
					   : "the witness takes no records");
		atomic_store(&s->lost, true);
		return false;
	}
	clock_pause_ns(NAP_NS);
	return true;
}

static void witness_put(struct worker *w, const struct witness_row *row)
{
	struct witness_ring *r = w->witness;
	struct witness_shared *s = r->all->shared;
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	uint64_t since_ns = 0, passes = 0;

	while (head - atomic_load_explicit(&r->tail, memory_order_acquire) ==
	       r->rows)
		if (!witness_waits(w, &since_ns, &passes))
			break;
	if (unlikely(atomic_load_explicit(&s->lost, memory_order_acquire))) {
		worker_fail(w, "job %s: %s, so the run ends", w->job->name,
			    s->words);
		return;
	}
	if (head - atomic_load_explicit(&r->tail, memory_order_acquire) ==
	    r->rows)
		return;
	r->row[head & (r->rows - 1)] = *row;
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
}

/* One row for each stretch of intervals of one generation. */
static void witness_put_span(struct worker *w, const struct verify_span *s,
			     struct witness_row row)
{
	for (unsigned i = 0, k; i < s->n; i = k) {
		uint32_t g = verify_map_get(s->map, s->first + i) &
			     VERIFY_GENERATION;

		for (k = i + 1; k < s->n && k - i < WITNESS_SPAN_MOST; k++)
			if ((verify_map_get(s->map, s->first + k) &
			     VERIFY_GENERATION) != g)
				break;
		row.first = s->map->witness_first + s->first + i;
		row.n = k - i;
		row.generation = row.kind == ROW_INTENT ? verify_map_after(g)
							: g;
		witness_put(w, &row);
	}
}

void witness_intent(struct worker *w, const struct verify_span *s, bool trim)
{
	witness_put_span(w, s,
			 (struct witness_row){ .kind = ROW_INTENT,
				       .flags = trim ? SEND_TRIM : 0 });
}

void witness_done(struct worker *w, const struct verify_span *s, bool good,
		  bool durable)
{
	const struct witness_row row = {
		.kind = ROW_DONE,
		.number = atomic_load(&w->witness->all->shared->flushes),
		.flags = !good	   ? SEND_FAILED
			 : durable ? SEND_DURABLE
				   : 0,
	};

	witness_put_span(w, s, row);
}

uint64_t witness_flush(struct worker *w, const struct verify_map *map)
{
	struct witness_row row = { .kind = ROW_FLUSH, .target = map->witness_target };

	row.number = atomic_fetch_add(&w->witness->all->shared->flushes, 1) + 1;
	witness_put(w, &row);
	return row.number;
}

void witness_flushed(struct worker *w, const struct verify_map *map,
		     uint64_t number, int error)
{
	struct witness_ring *r = w->witness;
	const struct witness_row row = { .kind = ROW_FLUSHED,
				 .target = map->witness_target,
				 .number = number,
				 .error = error };
	uint64_t since_ns = 0, passes = 0;

	witness_put(w, &row);
	while (r->all->options.echo &&
	       atomic_load(&r->answered) < atomic_load(&r->head))
		if (!witness_waits(w, &since_ns, &passes))
			break;
}

/* --- in the process --- */

static void witness_row(struct witness *k, const struct witness_row *row)
{
	const struct witness_word word = { row->first, row->n,
					   row->generation };

	switch (row->kind) {
	case ROW_INTENT:
		witness_send_intent(k->send, &word, row->flags);
		break;
	case ROW_DONE:
		witness_send_done(k->send, &word, row->number, row->flags);
		break;
	case ROW_FLUSH:
		witness_send_flush(k->send, row->target, row->number);
		break;
	default:
		witness_send_flushed(k->send, row->target, row->number,
				     row->error);
	}
}

static void witness_drain(struct witness *k)
{
	for (unsigned i = 0; i < k->n; i++) {
		struct witness_ring *r = k->ring[i];
		uint64_t tail = atomic_load_explicit(&r->tail,
						     memory_order_relaxed);
		uint64_t head = atomic_load_explicit(&r->head,
						     memory_order_acquire);

		for (; tail != head && !witness_send_error(k->send); tail++) {
			witness_row(k, &r->row[tail & (r->rows - 1)]);
			if (tail % 64 == 0)
				atomic_store_explicit(&r->tail, tail,
						      memory_order_release);
		}
		/* Rows of a peer that is gone have no use. */
		atomic_store_explicit(&r->tail, head, memory_order_release);
	}
	witness_send_all(k->send);
}

/* Tell the workers which rows the witness has. */
static void witness_answer(struct witness *k)
{
	if (!witness_send_answered(k->send))
		return;
	for (unsigned i = 0; i < k->n; i++)
		atomic_store(&k->ring[i]->answered,
			     atomic_load(&k->ring[i]->tail));
}

static void witness_lose(struct witness *k, const char *words)
{
	if (atomic_load(&k->shared->lost))
		return;
	text_set(k->shared->words, words);
	atomic_store_explicit(&k->shared->lost, true, memory_order_release);
}

/*
 * Whether the peer takes records. With echo a witness that has stopped still
 * takes some, into the buffers of the kernel: it must answer.
 */
static bool witness_progresses(const struct witness *k, uint64_t *answered)
{
	const uint64_t before = *answered;

	*answered = witness_send_number(k->send);
	return !k->options.echo || *answered != before ||
	       witness_send_answered(k->send);
}

static void witness_serve(int socket, void *arg)
{
	struct witness *k = arg;
	uint64_t answered = 0;
	bool over;

	witness_send_plan(k->send);
	for (;;) {
		over = atomic_load(&k->shared->over) ||
		       getppid() != k->parent;
		witness_drain(k);
		witness_answer(k);
		if (witness_send_error(k->send))
			witness_lose(k, witness_send_error(k->send));
		else if (witness_progresses(k, &answered))
			atomic_fetch_add(&k->shared->passes, 1);
		if (over)
			break;
		witness_send_wait(k->send, PAUSE_MS);
	}
	if (atomic_load(&k->shared->over))
		witness_send_end(k->send,
				 atomic_load(&k->shared->failed_jobs));
	if (witness_send_error(k->send))
		witness_lose(k, witness_send_error(k->send));
	atomic_store_explicit(&k->shared->done, true, memory_order_release);
}

/* --- life --- */

static size_t witness_ring_bytes(uint64_t rows)
{
	return sizeof(struct witness_ring) + rows * sizeof(struct witness_row);
}

static bool witness_is_wanted(const struct job *job)
{
	return job->verify != VERIFY_NONE && job_writes(job) &&
	       !job->verify_only;
}

static int witness_check_job(const struct job *job)
{
	if (job->verify != VERIFY_PATTERN && job->verify != VERIFY_NULL)
		return 0;
	return job_fail(job, EINVAL,
			"a witness needs blocks that name themselves; give "
			"verify=crc32c");
}

/* Count on the intervals of all targets. */
static void witness_number_targets(struct workload *w)
{
	uint64_t first = 0;
	uint16_t n = 0;

	for (size_t i = 0; i < w->targets.n; i++) {
		struct verify_map *map = w->targets.item[i]->verify;

		if (!map)
			continue;
		map->witness_first = first;
		map->witness_target = n++;
		first += map->n;
	}
}

static void witness_add_rings(struct witness *k, struct workload *w,
			      unsigned workers)
{
	uint64_t rows = ROWS_OF_ALL;

	while (rows > ROWS_LEAST && rows * workers > ROWS_OF_ALL)
		rows /= 2;
	k->ring = xcalloc(workers, sizeof(*k->ring));
	k->worker = xcalloc(workers, sizeof(*k->worker));
	for (size_t i = 0; i < w->n_workers; i++) {
		struct witness_ring *r;

		if (!witness_is_wanted(w->worker[i]->job))
			continue;
		r = xshared(witness_ring_bytes(rows));
		r->all = k;
		r->rows = rows;
		r->bytes = witness_ring_bytes(rows);
		k->worker[k->n] = w->worker[i];
		k->worker[k->n]->witness = r;
		k->ring[k->n++] = r;
	}
}

int witness_open(struct workload *w, const struct witness_options *o)
{
	struct witness *k;
	unsigned workers = 0;
	size_t targets = 0;
	int rc = 0;

	for (size_t i = 0; i < w->n && rc == 0; i++)
		if (witness_is_wanted(w->clones[i].job)) {
			workers += w->clones[i].n;
			rc = witness_check_job(w->clones[i].job);
		}
	for (size_t i = 0; i < w->targets.n; i++)
		targets += w->targets.item[i]->verify != NULL;
	if (rc == 0 && (!workers || !targets))
		rc = fail(EINVAL, "--witness needs a job that writes blocks "
				  "which name themselves; give verify=crc32c");
	if (rc == 0 && targets > UINT16_MAX)
		rc = fail(EINVAL, "--witness knows at most %d files, and there "
				  "are %zu",
			  UINT16_MAX, targets);
	if (rc)
		return rc;
	k = w->witness = xcalloc(1, sizeof(*k));
	k->options = *o;
	k->shared = xshared(sizeof(*k->shared));
	witness_number_targets(w);
	witness_add_rings(k, w, workers);
	return witness_send_open(&k->send, w, o);
}

int witness_start(struct witness *k)
{
	const struct role_start start = { .role = ROLE_WITNESS,
					  .keep = &k->options.fd,
					  .n = 1,
					  .serve = witness_serve,
					  .arg = k };

	k->parent = getpid();
	k->pid = role_start(&start, NULL);
	return k->pid < 0 ? k->pid : 0;
}

/* Wait for the process as long as the peer takes records. */
static int witness_join(struct witness *k)
{
	uint64_t last = UINT64_MAX, since_ns = 0;

	while (waitpid(k->pid, NULL, WNOHANG) == 0) {
		uint64_t passes = atomic_load(&k->shared->passes);

		if (passes != last) {
			last = passes;
			since_ns = clock_mono_ns();
		} else if (clock_mono_ns() - since_ns > PATIENCE_NS) {
			return fail(ETIMEDOUT,
				    "the witness takes no records; process %d "
				    "goes on when it does",
				    (int)k->pid);
		}
		clock_pause_ns(NAP_NS);
	}
	if (atomic_load(&k->shared->lost))
		return fail(EPIPE, "%s: the ledger lacks the end of this run",
			    k->shared->words);
	if (!atomic_load(&k->shared->done))
		return fail(ECHILD, "the process that sends to the witness was "
				    "killed: the ledger lacks the end of this "
				    "run");
	return 0;
}

int witness_end(struct witness *k, bool failed)
{
	int rc;

	if (!k || k->pid <= 0)
		return 0;
	atomic_store(&k->shared->failed_jobs, failed);
	atomic_store(&k->shared->over, true);
	rc = witness_join(k);
	k->pid = 0;
	return rc;
}

void witness_free(struct witness *k)
{
	if (!k)
		return;
	for (unsigned i = 0; i < k->n; i++) {
		k->worker[i]->witness = NULL;
		xshared_free(k->ring[i], k->ring[i]->bytes);
	}
	free(k->ring);
	free(k->worker);
	witness_send_close(k->send);
	xshared_free(k->shared, sizeof(*k->shared));
	free(k);
}
