/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rate: the filter that lets I/Os through as they arrive, and thinktime. */
#include "workload/thread/filter.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/units.h"
#include "workload/thread/worker.h"

/* A sleep ends some tens of us late, so spin for the rest. */
#define SPIN_NS 50000
/* How soon a sleeping worker notices the end of the job or a new rate. */
#define SLICE_NS 20000000

bool rate_wanted(const struct job *job)
{
	for (int i = 0; i < JOB_DIRS; i++)
		if (job->rate_bytes[i] || job->rate_iops[i])
			return true;
	return job->thinktime_ns > 0;
}

/* Set the next arrival. Exponential gaps make a Poisson process. */
static void rate_next_arrival(struct rate *p, unsigned op, size_t bytes)
{
	double gap_ns = p->gap_ns[op];

	if (p->by_bytes)
		gap_ns *= (double)bytes;
	if (p->poisson) {
		uint64_t u = (random_next(&p->random) >> 11) + 1;

		gap_ns *= -log((double)u * 0x1p-53);
	}
	p->next_ns[op] += gap_ns;
}

/* The time of the next arrival of the operation; 0: at once. */
static uint64_t arrival_ns(const struct rate *p, unsigned op)
{
	if (p->gap_ns[op] <= 0)
		return 0;
	/*
	 * A large block at a low rate may arrive later than the clock can
	 * represent.
	 */
	return p->epoch_ns +
	       (uint64_t)units_whole(p->next_ns[op], 0, CLOCK_SPAN_MAX_NS);
}

/*
 * Choose the next operation of a mix. If both have a rate, choose the one that
 * arrives first. If one has a rate, choose the other until the next arrival.
 */
static unsigned rate_choose(struct worker *w, uint64_t *due_ns)
{
	const struct rate *p = &w->rate;
	uint64_t due[2] = { arrival_ns(p, w->only), 0 };
	bool other;

	if (w->mixed) {
		due[1] = arrival_ns(p, w->other);
		if (due[0] && due[1])
			other = due[1] < due[0];
		else
			other = random_next(&w->rate.random) >= w->read_below;
		if (due[other] > w->now_ns && !due[!other])
			other = !other;
		*due_ns = due[other];
		return other ? w->other : w->only;
	}
	*due_ns = due[0];
	return w->only;
}

static uint64_t rate_cycles(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#else
	return clock_mono_ns();
#endif
}

/* Burn cycles of the processor; where none are counted, ns. */
static void rate_burn(uint64_t cycles)
{
	const uint64_t from = rate_cycles();

	while (rate_cycles() - from < cycles)
		;
}

/* Let the source make one I/O of that kind. */
static bool rate_make_one(struct worker *w, unsigned op, uint64_t due_ns)
{
	const uint64_t read_below = w->read_below;
	struct io *io;
	unsigned n;

	/*
	 * No random number is below 0, and all but one in 2^64 are below the
	 * greatest.
	 */
	if (w->job->think_cycles)
		rate_burn(w->job->think_cycles);
	if (w->mixed)
		w->read_below = op == w->only ? UINT64_MAX : 0;
	n = filter_make(w, FILTER_RATE, 1);
	w->read_below = read_below;
	if (!n)
		return false;
	io = w->pending[w->n_pending - 1];
	if (io->op >= JOB_DIRS || !due_ns) {
		io->due_ns = 0;
		return true;
	}
	io->due_ns = due_ns;
	if (w->now_ns - due_ns > RATE_LATE_NS)
		counter_add(&w->count->late, 1);
	rate_next_arrival(&w->rate, io->op, io->bytes);
	return true;
}

static void spin_until(struct worker *w, uint64_t until_ns)
{
	while ((w->now_ns = stopwatch_ns(&w->watch)) < until_ns &&
	       !worker_stopped(w))
		;
}

/* A pause is due after thinktime_blocks I/Os or thinktime_iotime of I/O. */
static bool must_think(struct worker *w)
{
	struct rate *p = &w->rate;

	if (!p->think_at_ns && w->job->thinktime_iotime_ns)
		p->think_at_ns = w->now_ns + w->job->thinktime_iotime_ns;
	return (p->think_every && p->think_left <= 0) ||
	       (p->think_at_ns && w->now_ns >= p->think_at_ns);
}

/*
 * I/Os that complete after the pause is due and before it begins count towards
 * the next pause; at least one I/O lies between two pauses.
 */
static void begin_thinking(struct rate *p)
{
	p->think_due = true;
	p->think_left += (int64_t)p->think_every;
	if (p->think_left < 1)
		p->think_left = 1;
}

/* As fio: wait for the I/Os in flight, then begin the pause. */
static bool thinking(struct worker *w)
{
	struct rate *p = &w->rate;

	if (!p->think_until_ns) {
		if (!p->think_due && !must_think(w))
			return false;
		if (!p->think_due)
			begin_thinking(p);
		if (w->in_flight || w->n_pending)
			return true;
		p->think_due = false;
		p->think_from_ns = w->now_ns;
		p->think_until_ns = w->now_ns + w->job->thinktime_ns;
		spin_until(w, w->now_ns + w->job->thinktime_spin_ns);
	}
	if (w->now_ns < p->think_until_ns) {
		w->due_ns = p->think_until_ns;
		return true;
	}
	if (w->job->rate_ignore_thinktime)
		p->epoch_ns += w->now_ns - p->think_from_ns;
	p->think_until_ns = p->think_at_ns = 0;
	return false;
}

static unsigned rate_make(struct worker *w, unsigned room)
{
	struct rate *p = &w->rate;
	unsigned n = 0;

	w->due_ns = 0;
	w->now_ns = stopwatch_ns(&w->watch);
	if (!p->epoch_ns)
		p->epoch_ns = w->now_ns;
	while (n < room && (w->n_free || w->held)) {
		uint64_t due_ns;
		unsigned op;

		/* The syncs that follow a write do not wait for an arrival. */
		if (w->sync.due) {
			if (!rate_make_one(w, w->only, 0))
				break;
			n++;
			continue;
		}
		if (p->thinks && thinking(w))
			break;
		op = rate_choose(w, &due_ns);
		if (due_ns > w->now_ns) {
			w->due_ns = due_ns;
			break;
		}
		if (!rate_make_one(w, op, due_ns))
			break;
		n++;
		p->think_left -= w->job->thinktime_issue;
	}
	return n;
}

/* Response times, from arrival to completion, beside the service times. */
static void rate_complete(struct worker *w, unsigned n)
{
	for (unsigned i = 0; i < n && w->rate.rated; i++) {
		const struct io *io = w->done[i];

		if (io->due_ns && io->op < JOB_DIRS &&
		    io->result == (ssize_t)io->bytes)
			latency_add(&w->count->op[io->op].response,
				    w->now_ns - io->due_ns, 1);
	}
	if (!w->job->thinktime_issue)
		w->rate.think_left -= n;
	filter_complete(w, FILTER_RATE, n);
}

/*
 * Count the I/Os that wait at the end. Each counts as the greatest block, so
 * that the number is never too high.
 */
static uint64_t count_waiting(struct worker *w, unsigned op, uint64_t end_ns)
{
	struct rate *p = &w->rate;
	uint64_t n = 0, due_ns;

	while (p->gap_ns[op] > 0 && (due_ns = arrival_ns(p, op)) < end_ns) {
		latency_add(&w->count->op[op].response,
			    w->now_ns > due_ns ? w->now_ns - due_ns : 0, 1);
		counter_add(&w->count->late, 1);
		rate_next_arrival(p, op, w->job->bs[op].max);
		n++;
	}
	return n;
}

void rate_end(struct worker *w)
{
	struct rate *p = &w->rate;
	uint64_t end_ns = w->end_ns ? w->end_ns : w->now_ns, n;

	/* No more arrivals count once a job has done all its I/O. */
	if (!p->rated || p->thinks || !p->epoch_ns || !w->left_ios ||
	    !w->left_bytes || w->count != &w->run)
		return;
	n = count_waiting(w, w->only, end_ns);
	if (w->mixed)
		n += count_waiting(w, w->other, end_ns);
	/* An I/O that arrives in the last moment is not a stall. */
	if (n > 1)
		worker_note(w,
			    "job %s: %llu I/Os had arrived and were not "
			    "submitted by the end; their response times count "
			    "with what they have waited so far",
			    w->job->name, (unsigned long long)n);
}

static bool wanted(const struct worker *w)
{
	return w->rate.rated || w->rate.thinks || w->job->think_cycles;
}

const struct filter rate_filter = {
	.name = "rate",
	.wanted = wanted,
	.make = rate_make,
	.complete = rate_complete,
};

static void set_thinking(struct rate *p, const struct job *job)
{
	p->thinks = job->thinktime_ns > 0;
	p->think_every = job->thinktime_blocks;
	/* With a time alone, as in fio, only the time counts. */
	if (job->thinktime_iotime_ns && !job_was_given(job, "thinktime_blocks"))
		p->think_every = 0;
	p->think_left = (int64_t)p->think_every;
}

void rate_set_up(struct control *c, const struct job *job)
{
	for (int i = 0; i < JOB_DIRS; i++) {
		counter_set(&c->rate_iops[i], job->rate_iops[i]);
		counter_set(&c->rate_bytes[i], job->rate_bytes[i]);
	}
}

void rate_take(struct worker *w)
{
	struct rate *p = &w->rate;
	bool before = wanted(w);

	p->rated = p->by_bytes = false;
	p->epoch_ns = 0;
	for (int i = 0; i < JOB_DIRS; i++) {
		uint64_t ios = counter_get(&w->control->rate_iops[i]);
		uint64_t bytes = counter_get(&w->control->rate_bytes[i]);

		p->by_bytes |= bytes > 0;
		p->gap_ns[i] = bytes ? 1e9 / (double)bytes
			       : ios ? 1e9 / (double)ios
				     : 0;
		p->rated |= bytes || ios;
		p->next_ns[i] = 0;
	}
	p->poisson = w->job->rate_process == RATE_POISSON;
	if (!p->random.s[0])
		random_seed(&p->random, random_next(&w->random));
	if (!p->thinks)
		set_thinking(p, w->job);
	w->due_ns = 0;
	/* I/Os in flight had no set time of arrival. */
	for (unsigned i = 0; i < w->depth && !before; i++)
		w->ios[i].due_ns = 0;
}

static uint64_t wake_ns(const struct worker *w)
{
	return w->due_ns < w->deadline_ns ? w->due_ns : w->deadline_ns;
}

void rate_wait(struct worker *w)
{
	uint64_t until_ns = wake_ns(w);
	struct timespec ts;

	w->now_ns = stopwatch_ns(&w->watch);
	if (until_ns <= w->now_ns + SPIN_NS) {
		spin_until(w, until_ns);
		return;
	}
	until_ns -= SPIN_NS;
	if (until_ns > w->now_ns + SLICE_NS)
		until_ns = w->now_ns + SLICE_NS;
	ts = clock_timespec(until_ns);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	w->now_ns = stopwatch_ns(&w->watch);
}

uint64_t rate_timeout_ns(const struct worker *w)
{
	uint64_t until_ns = wake_ns(w), wait_ns;

	if (until_ns <= w->now_ns + SPIN_NS)
		return 0;
	wait_ns = until_ns - w->now_ns - SPIN_NS;
	return wait_ns < SLICE_NS ? wait_ns : SLICE_NS;
}
