/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker loop: the path of every I/O.
 *
 * Take free I/Os from the source, stamp the batch with one clock reading,
 * submit; reap, stamp the batch with another, count. At depth 1 the stamp of
 * a completion is that of the next submission: only the choice of the next
 * block, some tens of ns, lies between them. Latency is completion minus
 * submission, the time within submit() included; of engines whose I/Os
 * complete later that time is counted apart as well.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "workload/worker.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* The column of a depth in counters.depth: 1, 2, 4, ... 64 and more. */
static inline unsigned depth_level(unsigned depth)
{
	unsigned level = 31u - (unsigned)__builtin_clz(depth | 1);

	return level < JOB_DEPTHS ? level : JOB_DEPTHS - 1;
}

/* The time within submit(): one for the batch, counted for each of it. */
static void count_submit(struct worker *w, unsigned n)
{
	uint64_t ns = clock_mono_ns() - w->now_ns;

	if (w->uniform) {
		latency_add(&w->count->op[w->pending[0]->op].submit, ns, n);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		latency_add(&w->count->op[w->pending[i]->op].submit, ns, 1);
}

/*
 * Submit what is free, a batch at a time. What the kernel does not take yet
 * stays pending, with the time of its first attempt.
 */
static void fill_and_submit(struct worker *w)
{
	unsigned old, n;

	do {
		old = w->n_pending;
		if (likely((w->n_free || w->held) && w->n_pending < w->batch &&
			   !w->exhausted))
			w->make(w, w->batch - w->n_pending);
		if (!w->n_pending)
			return;
		if (w->depth > 1)
			w->now_ns = clock_mono_ns();
		for (unsigned i = old; i < w->n_pending; i++)
			w->pending[i]->submit_ns = w->now_ns;
		n = w->engine->submit(w->state, w->pending, w->n_pending);
		w->in_flight += n;
		counter_add(&w->count->depth[depth_level(w->in_flight)], n);
		if (w->engine->async && likely(n))
			count_submit(w, n);
		w->n_pending -= n;
		if (unlikely(w->n_pending)) {
			memmove(w->pending, w->pending + n,
				w->n_pending * sizeof(struct io *));
			return;
		}
	} while (w->n_free && !w->exhausted);
}

static void begin_run(struct worker *w)
{
	w->left_ios = w->limit_ios;
	w->left_bytes = w->limit_bytes;
	w->exhausted = false;
	w->deadline_ns = w->job->runtime_ns ? w->now_ns + w->job->runtime_ns
					    : UINT64_MAX;
	w->count = &w->run;
	counter_set(&w->run_start_ns, w->now_ns);
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
	w->deadline_ns = UINT64_MAX;
}

static void begin(struct worker *w)
{
	w->now_ns = clock_mono_ns();
	if (!w->job->ramp_ns) {
		begin_run(w);
		return;
	}
	w->count = &w->ramp;
	w->left_ios = w->left_bytes = UINT64_MAX;
	w->deadline_ns = w->now_ns + w->job->ramp_ns;
	worker_set_phase(w, PHASE_RAMP);
}

static inline void publish(struct worker *w)
{
	atomic_store_explicit(&w->in_flight_now, w->in_flight,
			      memory_order_relaxed);
}

/* Take what is done, at least batch_complete; false when that cannot be. */
static bool reap(struct worker *w)
{
	unsigned min = w->batch_complete < w->in_flight ? w->batch_complete
							: w->in_flight;
	int n = w->engine->reap(w->state, w->done, min, w->in_flight,
				ENGINE_WAIT);

	w->now_ns = clock_mono_ns();
	if (unlikely(n < 0)) {
		counter_error(w->count, -n);
		worker_fail(w, "job %s: waiting for I/O failed: %s",
			    w->job->name, strerror(-n));
		return false;
	}
	w->in_flight -= (unsigned)n;
	w->complete(w, (unsigned)n);
	return true;
}

/* The kernel takes no I/O though none of ours is in flight: wait a little. */
static void nap(struct worker *w)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	nanosleep(&pause, NULL);
	w->now_ns = clock_mono_ns();
}

/* A pass is over: what it read must not serve the next from the cache. */
static void next_pass(struct worker *w)
{
	w->pass_left = w->pass_bytes;
	if (w->job->direct)
		return;
	worker_cool(w);
	w->now_ns = clock_mono_ns();
}

void worker_rounds(struct worker *w)
{
	for (;;) {
		bool stop = w->ended || worker_stopped(w);

		if (unlikely(w->pass_left == 0))
			next_pass(w);
		if (likely(!stop))
			fill_and_submit(w);
		publish(w);
		if (unlikely(!w->in_flight)) {
			if (stop || (!w->n_pending && !w->held))
				break;
			nap(w);
		} else if (!reap(w)) {
			break;
		}
		if (unlikely(w->now_ns >= w->deadline_ns))
			next_phase(w);
	}
	w->in_flight = 0;
	publish(w);
}

void worker_loop(struct worker *w)
{
	begin(w);
	worker_rounds(w);
	counter_set(&w->run_end_at_ns, w->now_ns);
}
