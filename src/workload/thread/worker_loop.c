/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker loop: the path of every I/O.
 *
 * The loop takes I/Os from the source, stamps the batch with one clock reading
 * and submits it. It reaps a batch, stamps it with another reading and counts
 * it. A plain job at depth 1 uses the time of a completion as that of the next
 * submission: only the choice of the next block, some tens of ns, lies between
 * them. If more work lies between (filling a buffer, verifying, logging), the
 * loop reads the clock again. A latency is completion minus submission,
 * including the time within submit(); for asynchronous engines the time within
 * submit() is also counted separately.
 */
#include "workload/thread/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "model/job/job_kind.h"
#include "workload/iolog/iolog.h"
#include "workload/kind/kind.h"
#include "workload/offset/offsets.h"
#include "workload/thread/clones.h"
#include "workload/thread/filter.h"
#include "workload/verify/verify.h"

/* --- errors: ignored or counted, or they end the job --- */

struct tolerance {
	/* ignored errors: bits CONTINUE_READ, CONTINUE_WRITE by errno */
	uint8_t ignored[ERRNO_COUNT];
	bool told;       /* an ignored error was reported (error_dump) */
	uint64_t n_ignored, waiting; /* all of them; those of nowait */
	uint64_t n;      /* errors after which the job continued */
	char first[360]; /* the first of them, as a sentence */
};

/*
 * The first two of the three lists of ignore_error; the third is for
 * verification.
 */
static void read_ignored(struct tolerance *t, const char *lists)
{
	char *copy = xstrdup(lists), *rest = copy, *list, *piece;
	unsigned bit = CONTINUE_READ;

	while ((list = strsep(&rest, ",")) && bit <= CONTINUE_WRITE) {
		while ((piece = strsep(&list, ":"))) {
			int code = *piece ? job_errno(piece) : 0;

			if (code > 0 && code < ERRNO_COUNT)
				t->ignored[code] |= (uint8_t)bit;
		}
		bit <<= 1;
	}
	free(copy);
}

struct tolerance *worker_errors_open(const struct job *job)
{
	struct tolerance *t = xcalloc(1, sizeof(*t));

	if (job->ignore_error)
		read_ignored(t, job->ignore_error);
	return t;
}

void worker_errors_close(struct tolerance *t)
{
	free(t);
}

/* What may help against an error of an I/O; "" when nothing is known. */
static const char *worker_loop_remedy(const struct job *job, int code)
{
	if (code == ENOSPC)
		return "; free some space or reduce size";
	if (code == EINVAL && !strcmp(job->engine, "splice"))
		return "; splice(2) may not work here; give ioengine=psync";
	if (code == EINVAL && job->direct)
		return "; direct I/O may need a larger block here";
	if (code == EAGAIN && job->nowait)
		return "; it would have to wait, and nowait=1 forbids that; "
		       "ignore_error=EAGAIN,EAGAIN goes on";
	if (code == EOPNOTSUPP && job->uncached)
		return "; uncached=1 needs a file system that has it, such as "
		       "ext4, XFS or Btrfs of Linux 6.14 and later";
	if (code == EOPNOTSUPP && job->nowait)
		return "; this file has no nowait=1 here";
	return "";
}

static void worker_loop_say(const struct worker *w, const struct io *io,
			    int code, char *words, size_t size)
{
	snprintf(words, size,
		 "job %s: %s of %zu bytes at offset %llu of %s failed: %s%s",
		 w->job->name, job_ops[io->op].words, io->bytes,
		 (unsigned long long)io->offset, io->owner->target->path,
		 io->result ? strerror(code) : "the file ends there",
		 worker_loop_remedy(w->job, code));
}

void worker_errors_io(struct worker *w, const struct io *io)
{
	struct tolerance *t = w->tolerance;
	unsigned kind = io->op == JOB_READ ? CONTINUE_READ : CONTINUE_WRITE;
	int code = io->result < 0 ? (int)-io->result : EIO;
	char words[sizeof(t->first)];

	/* With fill_device a full device ends the job without an error. */
	if (code == ENOSPC && w->job->fill_device) {
		w->left_ios = 0;
		w->exhausted = true;
		return;
	}
	if (code < ERRNO_COUNT && t->ignored[code] & kind) {
		if (w->job->error_dump && !t->told) {
			worker_loop_say(w, io, code, words, sizeof(words));
			worker_note(w, "%s; ignore_error ignores such errors",
				    words);
		}
		t->told = true;
		t->n_ignored++;
		t->waiting += code == EAGAIN && w->job->nowait;
		return;
	}
	counter_error(w->count, code);
	if (t->n && w->job->continue_on_error & kind) {
		t->n++;
		return;
	}
	worker_loop_say(w, io, code, words, sizeof(words));
	if (!(w->job->continue_on_error & kind)) {
		worker_fail(w, "%s", words);
		return;
	}
	t->n++;
	memcpy(t->first, words, sizeof(words));
}

void worker_errors_finish(struct worker *w)
{
	const struct tolerance *t = w->tolerance;

	if (t && t->waiting)
		worker_note(w,
			    "job %s: %llu I/Os would have had to wait (nowait, "
			    "EAGAIN): they were not made and are in no figure",
			    w->job->name, (unsigned long long)t->waiting);
	else if (t && t->n_ignored)
		worker_note(w,
			    "job %s: ignore_error ignored %llu errors; these "
			    "I/Os are in no figure",
			    w->job->name, (unsigned long long)t->n_ignored);
	if (t && t->n > 1)
		worker_fail(w, "%s; %llu more I/Os failed", t->first,
			    (unsigned long long)t->n - 1);
	else if (t && t->n)
		worker_fail(w, "%s", t->first);
}

/*
 * Count the time within submit(): that of the batch, once for each of its I/Os.
 */
static void count_submit(struct worker *w, unsigned n)
{
	const uint64_t at_ns = stopwatch_ns(&w->watch);
	const uint64_t ns = at_ns - w->now_ns;

	for (unsigned i = 0; i < n; i++)
		w->pending[i]->submitted_ns = at_ns;
	if (unlikely(w->log))
		iolog_submitted(w, ns, n);
	if (w->uniform) {
		latency_add(&w->count->op[w->pending[0]->op].submit, ns, n);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		latency_add(&w->count->op[w->pending[i]->op].submit, ns, 1);
}

/*
 * Submit free I/Os, a batch at a time. I/Os that the kernel does not accept yet
 * stay pending, with the time of their first attempt.
 */
static void fill_and_submit(struct worker *w)
{
	unsigned old, n;

	for (;;) {
		old = w->n_pending;
		if (likely((w->n_free || w->held) && w->n_pending < w->batch &&
			   !w->exhausted))
			w->make(w, w->batch - w->n_pending);
		if (!w->n_pending)
			return;
		if (w->clock_after_make)
			w->now_ns = stopwatch_ns(&w->watch);
		for (unsigned i = old; i < w->n_pending; i++)
			w->pending[i]->submit_ns = w->now_ns;
		n = w->engine->submit(w->state, w->pending, w->n_pending);
		w->in_flight += n;
		counter_add(&w->count->depth[worker_depth_level(w,
								  w->in_flight)],
			    n);
		counter_add(&w->count->submits[worker_batch_level(n)], 1);
		if (w->timed_submit && likely(n))
			count_submit(w, n);
		w->n_pending -= n;
		if (unlikely(w->n_pending)) {
			memmove(w->pending, w->pending + n,
				w->n_pending * sizeof(struct io *));
			return;
		}
		if (!w->n_free || w->exhausted || w->due_ns)
			return;
		/* worker_loop_reap() would submit several batches in one call.
		 */
		if (w->engine->commit)
			w->engine->commit(w->state);
	}
}

/* What may be moved before the loop over I/Os ends. */
static void worker_loop_limit(struct worker *w)
{
	const struct job *job = w->job;
	const uint64_t loops =
		job->unlink_each_loop && job->loops ? job->loops : 1;

	w->left_ios = w->limit_ios == UINT64_MAX ? UINT64_MAX
						 : w->limit_ios / loops;
	w->left_bytes = w->limit_bytes != UINT64_MAX
				? w->limit_bytes / loops
			: job->unlink_each_loop ? w->pass_bytes
						: UINT64_MAX;
	w->exhausted = false;
}

static void begin_run(struct worker *w)
{
	worker_loop_limit(w);
	w->ramp_bytes = 0;
	w->deadline_ns = w->job->runtime_ns ? w->now_ns + w->job->runtime_ns
					    : UINT64_MAX;
	w->count = &w->run;
	counter_set(&w->run_start_ns, w->now_ns);
	w->usage = process_usage(RUSAGE_THREAD);
	worker_set_phase(w, PHASE_RUN);
}

static void next_phase(struct worker *w)
{
	if (atomic_load_explicit(&w->phase, memory_order_relaxed) ==
	    PHASE_RAMP) {
		begin_run(w);
		return;
	}
	w->ended = true;
	w->end_ns = w->deadline_ns;
	w->deadline_ns = UINT64_MAX;
}

void worker_begin(struct worker *w)
{
	stopwatch_set(&w->watch);
	w->now_ns = stopwatch_ns(&w->watch);
	if (!w->job->ramp_ns && !w->job->ramp_bytes) {
		begin_run(w);
		return;
	}
	w->ramp_bytes = w->job->ramp_bytes;
	w->count = &w->ramp;
	w->left_ios = w->left_bytes = UINT64_MAX;
	w->deadline_ns =
		w->ramp_bytes ? UINT64_MAX : w->now_ns + w->job->ramp_ns;
	worker_set_phase(w, PHASE_RAMP);
}

static inline void publish(struct worker *w)
{
	atomic_store_explicit(&w->in_flight_now, w->in_flight,
			      memory_order_relaxed);
}

/*
 * Latencies that contain a jump forward are not known: those of at least
 * least_ns, at most n. Their I/Os stay counted, at the longest of the others.
 */
static void lower_jumped(struct latency_counters *c, uint64_t least_ns,
			 uint64_t n)
{
	unsigned i = HISTOGRAM_BUCKETS;
	uint64_t left = n;

	if (counter_get(&c->max_ns) < least_ns)
		return;
	while (--i) {
		uint64_t here = counter_get(&c->bucket[i]);
		uint64_t some = histogram_low(i) < least_ns ? 0
				: here < left		       ? here
							       : left;

		counter_set(&c->bucket[i], here - some);
		left -= some;
		if (here > some)
			break;
	}
	counter_add(&c->bucket[i], n - left);
	counter_set(&c->max_ns, histogram_high(i));
	if (counter_get(&c->min_ns) > counter_get(&c->max_ns))
		counter_set(&c->min_ns, counter_get(&c->max_ns));
}

static void drop_jumped(struct worker *w, uint64_t jump_ns)
{
	const uint64_t last_ns = histogram_low(HISTOGRAM_BUCKETS - 1);
	const uint64_t least_ns = jump_ns / 2 < last_ns ? jump_ns / 2 : last_ns;

	for (int op = 0; op < JOB_OPS; op++) {
		struct op_counters *c = &w->count->op[op];

		lower_jumped(&c->service, least_ns, w->depth);
		lower_jumped(&c->submit, least_ns, w->depth);
		lower_jumped(&c->complete, least_ns, w->depth);
		lower_jumped(&c->prio, least_ns, w->depth);
		/* All that were due since the jump seem to come too late. */
		lower_jumped(&c->response, least_ns, UINT64_MAX);
	}
}

/*
 * Compare the time with the kernel's. After a jump back, earlier instants could
 * lie in the future and give a latency of nearly 2^64 ns, so limit them to now.
 */
static void correct_clock(struct worker *w)
{
	int64_t jump_ns = stopwatch_correct(&w->watch);

	if (likely(!jump_ns))
		return;
	if (jump_ns > 0)
		drop_jumped(w, (uint64_t)jump_ns);
	w->now_ns = stopwatch_ns(&w->watch);
	for (unsigned i = 0; w->ios && i < w->depth; i++) {
		struct io *io = &w->ios[i];

		if (io->submit_ns > w->now_ns)
			io->submit_ns = w->now_ns;
		if (io->submitted_ns > w->now_ns)
			io->submitted_ns = w->now_ns;
		if (io->due_ns > w->now_ns)
			io->due_ns = w->now_ns;
	}
	worker_note(w,
		    "job %s: the processor's clock jumped by %.3g s; latencies "
		    "of that moment are wrong, and the kernel's clock is used "
		    "from now on",
		    w->job->name, (double)jump_ns / 1e9);
}

/*
 * The time in ns that worker_loop_reap() may wait: until the next I/O is due,
 * if there is room for it.
 */
static inline uint64_t patience_ns(const struct worker *w)
{
	if (likely(!w->due_ns || !w->n_free))
		return ENGINE_WAIT;
	return rate_timeout_ns(w);
}

/*
 * Reap completed I/Os, at least batch_complete of them; with 0, do not wait
 * while there is room for more. false on failure.
 */
static bool worker_loop_reap(struct worker *w)
{
	unsigned min = w->batch_complete < w->in_flight ? w->batch_complete
							: w->in_flight;
	unsigned max = w->batch_complete_max < w->in_flight
			       ? w->batch_complete_max
			       : w->in_flight;
	uint64_t wait_ns = patience_ns(w);
	int n;

	if (!min && !w->due_ns)
		min = 1;
	if (!wait_ns)
		min = 0;
	n = w->engine->reap(w->state, w->done, min, max, wait_ns);
	w->now_ns = stopwatch_ns(&w->watch);
	if (unlikely(n < 0)) {
		counter_error(w->count, -n);
		worker_fail(w, "job %s: waiting for I/O failed: %s",
			    w->job->name, strerror(-n));
		return false;
	}
	w->in_flight -= (unsigned)n;
	counter_add(&w->count->reaps[worker_batch_level((unsigned)n)], 1);
	w->complete(w, (unsigned)n);
	return true;
}

/*
 * Wait 1 ms: the kernel accepts no I/O although the worker has none in flight.
 */
static void nap(struct worker *w)
{
	clock_pause_ns(1000000);
	w->now_ns = stopwatch_ns(&w->watch);
}

/* Nothing is in flight: wait for the next I/O; false when there is none. */
static bool wait_idle(struct worker *w)
{
	if (w->n_pending || (w->held && !w->exhausted))
		nap(w);
	else if (w->due_ns)
		rate_wait(w);
	else
		return w->holding;
	return true;
}

/* A pass is over: the next one must not read from the cache. */
static void next_pass(struct worker *w)
{
	w->pass_left = w->pass_bytes;
	/* No pass follows the last one. */
	if (w->job->direct || !w->left_ios || !w->left_bytes)
		return;
	worker_invalidate(w);
	w->now_ns = stopwatch_ns(&w->watch);
}

/*
 * Whether to submit: with iodepth_low, a queue that was full must first drain
 * to iodepth_low I/Os.
 */
static inline bool may_fill(struct worker *w)
{
	if (likely(w->in_flight <= w->low))
		w->draining = false;
	return !w->draining;
}

/*
 * Whether a burst, one I/O at a time, is possible now: all but one I/O are in
 * flight.
 */
static inline bool may_burst(const struct worker *w)
{
	return w->burst && w->in_flight + 1 == w->depth && !w->n_pending &&
	       w->n_free;
}

static uint64_t worker_loop_moved(const struct counters *c)
{
	uint64_t bytes = 0;

	for (int op = 0; op < JOB_DIRS; op++)
		bytes += counter_get(&c->op[op].bytes);
	return bytes;
}

/* Whether the ramp moved ramp_size bytes, as in fio those of a group. */
static bool worker_loop_ramped(const struct worker *w)
{
	uint64_t bytes = 0;

	if (!w->job->group_reporting)
		return worker_loop_moved(&w->ramp) >= w->ramp_bytes;
	for (unsigned i = 0; i < w->clones->n; i++)
		bytes += worker_loop_moved(&w->clones->worker[i]->ramp);
	return bytes >= w->ramp_bytes;
}

static inline void check_time(struct worker *w)
{
	if (unlikely(w->ramp_bytes) && worker_loop_ramped(w))
		next_phase(w);
	if (unlikely(w->now_ns >= w->watch.correct_ns))
		correct_clock(w);
	if (unlikely(w->now_ns >= w->deadline_ns))
		next_phase(w);
}

void worker_rounds(struct worker *w)
{
	for (;;) {
		bool stop = w->ended || worker_stopped(w);

		if (unlikely(control_changed(w)))
			worker_take_control(w);
		if (unlikely(w->pass_left == 0))
			next_pass(w);
		if (likely(!stop) && may_fill(w))
			fill_and_submit(w);
		w->draining |= !w->n_free;
		publish(w);
		if (unlikely(!w->in_flight)) {
			if (stop || !wait_idle(w))
				break;
		} else if (!worker_loop_reap(w)) {
			break;
		}
		check_time(w);
		if (may_burst(w) && !w->ended && !worker_stopped(w)) {
			atomic_store_explicit(&w->in_flight_now, w->depth,
					      memory_order_relaxed);
			w->burst(w);
			check_time(w);
		}
	}
	w->in_flight = 0;
	publish(w);
	/* Drop a held I/O whose block stayed busy until the end. */
	if (w->held)
		w->free[w->n_free++] = w->held;
	w->held = NULL;
}

bool worker_tick(struct worker *w)
{
	w->now_ns = stopwatch_ns(&w->watch);
	if (control_changed(w))
		worker_take_control(w);
	check_time(w);
	return !w->ended && !worker_stopped(w);
}

/* unlink_each_loop: whether another loop follows; makes the files anew. */
static bool worker_loop_renew(struct worker *w, unsigned *loop)
{
	const struct job *job = w->job;

	if (!job->unlink_each_loop || w->ended || worker_stopped(w) ||
	    (!job->time_based && ++*loop >= job->loops))
		return false;
	for (unsigned i = 0; i < w->n_regions; i++) {
		struct region *s = &w->region[i];

		if (s->fd >= 0 && target_renew(s->target, job, s->fd)) {
			worker_fail(w, "%s", fail_sentence());
			return false;
		}
	}
	/* Engines may have registered the files that were. */
	worker_reopen(w);
	worker_loop_limit(w);
	w->now_ns = stopwatch_ns(&w->watch);
	check_time(w);
	return true;
}

/* Do I/O from the start barrier to the end of the run. */
static void worker_loop(struct worker *w)
{
	unsigned loop = 0;

	worker_begin(w);
	filter_flow_set_running(w, true);
	do
		worker_rounds(w);
	while (worker_loop_renew(w, &loop));
	rate_end(w);
	filter_flow_set_running(w, false);
	counter_set(&w->run_end_at_ns, w->now_ns);
}

/* Restore an I/O to its state before parts of it were done. */
static void make_whole(struct worker *w, struct io *io)
{
	io->bytes = io->whole;
	io->buf = worker_buffer(w, io);
	io->kept = false;
}

/*
 * Handle an I/O that failed, or submit the rest of one that was done in part.
 */
static void worker_complete_odd(struct worker *w, struct io *io)
{
	if (io->result <= 0 || (size_t)io->result > io->bytes) {
		worker_errors_io(w, io);
		make_whole(w, io);
		w->free[w->n_free++] = io;
		return;
	}
	counter_add(&w->count->op[io->op].short_ios, 1);
	io->kept = false;
	io->buf += io->result;
	io->offset += (uint64_t)io->result;
	io->bytes -= (size_t)io->result;
	w->pending[w->n_pending++] = io;
}

static void complete_some(struct worker *w, struct io **done, unsigned n)
{
	struct io **free = w->free + w->n_free;
	struct op_counters *ops = w->count->op;
	uint64_t now_ns = w->now_ns, bytes[JOB_OPS] = { 0 };

	for (unsigned i = 0; i < n; i++) {
		struct io *io = done[i];

		if (unlikely(io->result != (ssize_t)io->bytes &&
			     (io->op != JOB_SYNC || io->result))) {
			w->n_free = (unsigned)(free - w->free);
			worker_complete_odd(w, io);
			free = w->free + w->n_free;
			continue;
		}
		if (unlikely(io->bytes != io->whole))
			make_whole(w, io);
		latency_add(&ops[io->op].service, now_ns - io->submit_ns, 1);
		if (w->timed_submit)
			latency_add(&ops[io->op].complete,
				    now_ns - io->submitted_ns, 1);
		if (unlikely(io->prio))
			latency_add(&ops[io->op].prio,
				    now_ns - (w->timed_submit ? io->submitted_ns
							      : io->submit_ns),
				    1);
		bytes[io->op] += io->whole;
		*free++ = io;
	}
	w->n_free = (unsigned)(free - w->free);
	for (int op = 0; op < JOB_DIRS; op++)
		if (bytes[op])
			counter_add(&ops[op].bytes, bytes[op]);
}

void worker_complete(struct worker *w, unsigned n)
{
	complete_some(w, w->done, n);
}

/*
 * I/Os in a row that were submitted together: they took equally long, so the
 * histograms count them at once.
 */
struct worker_row {
	uint64_t submit_ns, submitted_ns;
	unsigned n;
};

static inline void worker_loop_count_row(const struct worker *w,
					 struct op_counters *count,
					 const struct worker_row *row)
{
	if (!row->n)
		return;
	latency_add(&count->service, w->now_ns - row->submit_ns, row->n);
	if (w->timed_submit)
		latency_add(&count->complete, w->now_ns - row->submitted_ns,
			    row->n);
}

void worker_complete_uniform(struct worker *w, unsigned n)
{
	struct op_counters *count = &w->count->op[w->only];
	const uint64_t block = w->block_bytes;
	struct io *const *done = w->done;
	struct io **to = w->free + w->n_free;
	struct worker_row row = { 0 };
	unsigned i;

	for (i = 0; i < n; i++) {
		struct io *io = done[i];

		if (unlikely(io->result != (ssize_t)block))
			break;
		if (io->submit_ns != row.submit_ns ||
		    io->submitted_ns != row.submitted_ns) {
			worker_loop_count_row(w, count, &row);
			row.submit_ns = io->submit_ns;
			row.submitted_ns = io->submitted_ns;
			row.n = 0;
		}
		row.n++;
		*to++ = io;
	}
	worker_loop_count_row(w, count, &row);
	counter_add(&count->bytes, i * block);
	w->n_free += i;
	if (unlikely(i < n))
		complete_some(w, w->done + i, n - i);
}

/* --- the kind io --- */

static void worker_loop_run(struct worker *w)
{
	worker_advise(w);
	worker_invalidate(w);
	worker_loop(w);
	filter_sync_end(w);
}

static void worker_loop_finish(struct worker *w)
{
	verify_phase(w);
	worker_errors_finish(w);
}

static void worker_loop_summary(const struct clones *c, FILE *out)
{
	if (c->job->latency_target_ns)
		filter_target_words(c, out);
}

/* As in fio: atomic writes are those of direct I/O. */
static void worker_loop_settle(struct job *job)
{
	job->direct |= job->atomic;
}

const struct work_kind kind_io = {
	.name = "io",
	.help = "reads, writes, trims and syncs of files and devices",
	.ops = 1u << JOB_READ | 1u << JOB_WRITE | 1u << JOB_TRIM |
	       1u << JOB_SYNC,
	.settle = worker_loop_settle,
	.plan = regions_plan,
	.release = regions_free,
	.prepare = worker_prepare,
	.run = worker_loop_run,
	.finish = worker_loop_finish,
	.unprepare = worker_unprepare,
	.describe = workload_loop_words,
	.summary = worker_loop_summary,
};
