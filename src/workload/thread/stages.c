/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stages: the barrier, and the options that begin or end jobs: stonewall,
 * wait_for, startdelay, exitall, rate_min.
 */
#include "workload/thread/stages.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"

/*
 * Sleep until another worker calls stages_wake(), or until CLOCK_MONOTONIC
 * reaches until_ns: FUTEX_WAIT_BITSET takes an absolute time. since is the
 * result of stages_news().
 */
static void stages_wait(struct barrier *g, uint32_t since, uint64_t until_ns)
{
	const struct timespec ts = clock_timespec(until_ns);

	syscall(SYS_futex, &g->news, FUTEX_WAIT_BITSET, since,
		until_ns == BARRIER_FOR_EVER ? NULL : &ts, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

void stages_wake(struct barrier *g)
{
	atomic_fetch_add_explicit(&g->news, 1, memory_order_release);
	syscall(SYS_futex, &g->news, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void stages_notify(const struct barrier *g)
{
	const uint64_t one = 1;
	ssize_t n = write(g->event_fd, &one, sizeof(one));

	/* A full counter is readable already. */
	(void)n;
}

void stages_set_stop(atomic_bool *stop, int stop_fd)
{
	const uint64_t one = 1;
	ssize_t n = 0;

	atomic_store_explicit(stop, true, memory_order_relaxed);
	/* No worker reads it: it stays readable. */
	if (stop_fd >= 0)
		n = write(stop_fd, &one, sizeof(one));
	(void)n;
}

static int find_earlier(const struct workload *w, struct clones *c)
{
	if (!c->job->wait_for)
		return 0;
	for (struct clones *k = w->clones; k < c; k++)
		if (!strcmp(k->job->name, c->job->wait_for))
			c->after = k;
	if (c->after)
		return 0;
	return job_fail(c->job, EINVAL, "wait_for=%s names no earlier job",
			c->job->wait_for);
}

/* Multiply a limit by loops, without overflow. */
static uint64_t repeated(uint64_t limit, unsigned loops)
{
	return limit > UINT64_MAX / loops ? UINT64_MAX : limit * loops;
}

static void plan_worker(struct worker *k)
{
	unsigned loops = k->job->loops ? k->job->loops : 1;

	k->limit_ios = repeated(k->limit_ios, loops);
	k->limit_bytes = repeated(k->limit_bytes, loops);
	k->start = &k->clones->leader->shared->start;
}

int stages_plan(struct workload *w)
{
	unsigned stage = 0, group = 0;

	for (struct clones *c = w->clones; c < w->clones + w->n; c++) {
		int rc = find_earlier(w, c);

		if (rc)
			return rc;
		if (c > w->clones) {
			stage += c->job->stonewall;
			group += c->job->stonewall || c->job->new_group;
		}
		c->stage = stage;
		c->group = group;
		c->leader = c;
		for (struct clones *k = w->clones; k < c && !c->after; k++)
			if (k->stage == stage && !k->after) {
				c->leader = k;
				break;
			}
		atomic_fetch_add(&c->leader->shared->start.missing, c->n);
		atomic_fetch_add(&w->barrier->laying, c->n);
		for (unsigned i = 0; i < c->n; i++)
			plan_worker(c->worker[i]);
	}
	return 0;
}

static bool all_laid(const struct worker *w)
{
	return atomic_load(&w->barrier->laying) == 0;
}

static bool clones_over(const struct clones *c)
{
	return atomic_load(&c->shared->ended) == c->n;
}

static bool my_turn(const struct worker *w)
{
	const struct clones *c = w->clones;
	const struct workload *all = c->all;

	if (c->after && !clones_over(c->after))
		return false;
	for (const struct clones *k = all->clones; k < c; k++)
		if (k->stage < c->stage && !clones_over(k))
			return false;
	return true;
}

static bool all_ready(const struct worker *w)
{
	return counter_get(&w->start->at_ns) != 0;
}

static bool never(const struct worker *w)
{
	return false;
}

/* false: the job must end. */
static bool stages_wait_until(struct worker *w,
			      bool (*what)(const struct worker *),
			      uint64_t until_ns)
{
	for (;;) {
		uint32_t since = stages_news(w->barrier);

		if (worker_stopped(w))
			return false;
		if (what(w) || (until_ns != BARRIER_FOR_EVER &&
				clock_mono_ns() >= until_ns))
			return true;
		stages_wait(w->barrier, since, until_ns);
	}
}

/* One worker fewer to wait for: its layout is done. */
static void set_laid(struct worker *w)
{
	if (!atomic_exchange(&w->laid, true) &&
	    atomic_fetch_sub(&w->barrier->laying, 1) == 1)
		stages_wake(w->barrier);
}

/* One worker fewer to wait for: it is ready; the last one starts all. */
static void set_ready(struct worker *w)
{
	if (atomic_exchange(&w->ready, true) ||
	    atomic_fetch_sub(&w->start->missing, 1) != 1)
		return;
	atomic_store(&w->start->at_ns, clock_mono_ns());
	stages_wake(w->barrier);
}

bool stages_wait_turn(struct worker *w)
{
	set_laid(w);
	return stages_wait_until(w, all_laid, BARRIER_FOR_EVER) &&
	       stages_wait_until(w, my_turn, BARRIER_FOR_EVER);
}

/* Draw the start delay; with a range, each clone draws its own. */
static uint64_t delay_ns(struct worker *w)
{
	const struct job *job = w->job;

	if (job->startdelay_max_ns <= job->startdelay_ns)
		return job->startdelay_ns;
	return job->startdelay_ns +
	       random_below(&w->random,
			    job->startdelay_max_ns - job->startdelay_ns + 1);
}

/*
 * Wait for the time of --start-at. The wall clock may be set meanwhile, so look
 * at it once a second. A job that begins behind another is not late.
 */
static bool stages_wait_clock(struct worker *w)
{
	const uint64_t at_ns = w->barrier->start_at_ns;
	uint64_t now_ns = clock_wall_ns();

	if (!at_ns || w->clones->stage || w->clones->after)
		return true;
	if (now_ns > at_ns + w->barrier->start_window_ns) {
		worker_fail(w,
			    "job %s: the layout of its files ended %.3g s "
			    "after --start-at, more than --start-window; begin "
			    "earlier, or let the files stay",
			    w->job->name, (double)(now_ns - at_ns) / 1e9);
		return false;
	}
	for (; now_ns < at_ns; now_ns = clock_wall_ns()) {
		uint64_t ns = at_ns - now_ns;

		if (!stages_wait_until(w, never,
				       clock_mono_ns() +
					       (ns < NS_PER_S ? ns : NS_PER_S)))
			return false;
	}
	return true;
}

bool stages_wait_start(struct worker *w)
{
	uint64_t ns = delay_ns(w);

	if (!stages_wait_clock(w))
		return false;
	set_ready(w);
	if (!stages_wait_until(w, all_ready, BARRIER_FOR_EVER))
		return false;
	return !ns ||
	       stages_wait_until(w, never, counter_get(&w->start->at_ns) + ns);
}

void stages_stop_job(struct clones *c)
{
	clones_stop(c);
	stages_wake(c->all->barrier);
}

/* Whether the end of c also ends k. */
static bool exits(const struct clones *c, const struct clones *k)
{
	switch (c->job->exit_what) {
	case EXIT_WHAT_GROUP:
		return k->group == c->group;
	case EXIT_WHAT_STONEWALL:
		return k->stage == c->stage;
	default:
		return true;
	}
}

void stages_over(struct worker *w)
{
	struct clones *c = w->clones;
	const struct workload *all = c->all;
	bool failed = atomic_load(&w->failed);

	set_laid(w);
	set_ready(w);
	if (c->job->exitall || (c->job->exitall_on_error && failed))
		for (size_t i = 0; i < all->n; i++)
			if (exits(c, &all->clones[i]))
				clones_stop(&all->clones[i]);
	atomic_fetch_add(&c->shared->ended, 1);
	stages_wake(w->barrier);
}

/* Count the I/Os and bytes that all clones have moved in the run so far. */
static void stages_moved(const struct clones *c, unsigned op, uint64_t *ios,
			 uint64_t *bytes)
{
	*ios = *bytes = 0;
	for (unsigned i = 0; i < c->n; i++) {
		const struct op_counters *from = &c->worker[i]->run.op[op];

		*bytes += counter_get(&from->bytes);
		*ios += latency_count(&from->service);
	}
}

/*
 * The number of clones that do I/O at present. A clone that has finished, syncs
 * at its end or reads back its writes does not count.
 */
static unsigned busy_clones(const struct clones *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++)
		n += atomic_load(&c->worker[i]->phase) == PHASE_RUN &&
		     !counter_get(&c->worker[i]->run_end_at_ns);
	return n;
}

/*
 * Compare the rate of n clones with n times the least rate, which is that of
 * one clone.
 */
static void check_rate(struct clones *c, unsigned n, const char *what,
		       double had, double granted, uint64_t least, bool bytes)
{
	const struct text_short want = bytes ? units_bytes((double)least)
					     : units_count((double)least),
				have = bytes ? units_bytes(had / n)
					     : units_count(had / n);

	if (!least || had + granted * n >= (double)least * n)
		return;
	worker_fail(c->worker[0], "job %s: %s rate %s%s is below %s=%s%s",
		    c->job->name, what, have.text, bytes ? "/s" : " IOPS",
		    bytes ? "rate_min" : "rate_iops_min", want.text,
		    bytes ? "/s" : "");
}

static bool wants_least(const struct job *job)
{
	for (int i = 0; i < JOB_DIRS; i++)
		if (job->rate_min_bytes[i] || job->rate_min_iops[i])
			return true;
	return false;
}

/*
 * The time over which rates are averaged: rate_cycle, or the time of two I/Os
 * at the least rate if that is longer. One I/O in flight counts as done, so a
 * rate just above the minimum passes and a stalled job fails. fio checks at
 * completions, and so does not detect a stalled job.
 */
static uint64_t cycle_ns(const struct job *job)
{
	uint64_t ns = job->rate_cycle_ns;

	for (int i = 0; i < JOB_DIRS; i++) {
		double slowest = 0;

		if (job->rate_min_bytes[i])
			slowest = (double)job->bs[i].max /
				  (double)job->rate_min_bytes[i];
		if (job->rate_min_iops[i] &&
		    slowest < 1 / (double)job->rate_min_iops[i])
			slowest = 1 / (double)job->rate_min_iops[i];
		if (slowest * 2e9 > (double)ns && slowest < 1e6)
			ns = (uint64_t)(slowest * 2e9);
	}
	return ns;
}

static void check_rates(struct clones *c, uint64_t now_ns, bool judge)
{
	static const char *const what[JOB_DIRS] = { "read", "write", "trim" };
	struct rate_check *r = &c->rate;
	double s = (double)(now_ns - r->from_ns) / 1e9;
	unsigned n = busy_clones(c);

	for (unsigned i = 0; i < JOB_DIRS; i++) {
		uint64_t ios, bytes;

		if (!(job_dirs(c->job) & 1u << i))
			continue;
		stages_moved(c, i, &ios, &bytes);
		if (judge && n) {
			check_rate(c, n, what[i],
				   (double)(bytes - r->bytes[i]) / s,
				   (double)c->job->bs[i].max / s,
				   c->job->rate_min_bytes[i], true);
			check_rate(c, n, what[i], (double)(ios - r->ios[i]) / s,
				   1 / s, c->job->rate_min_iops[i], false);
		}
		r->ios[i] = ios;
		r->bytes[i] = bytes;
	}
	r->from_ns = now_ns;
	r->at_ns = now_ns + cycle_ns(c->job);
}

uint64_t stages_check(struct clones *c, uint64_t now_ns)
{
	if (!wants_least(c->job) || clones_phase(c) > PHASE_RUN ||
	    atomic_load(&c->shared->stop))
		return UINT64_MAX;
	/* Rates count only during the run. */
	if (clones_phase(c) < PHASE_RUN)
		return now_ns + cycle_ns(c->job);
	if (!c->rate.at_ns || now_ns >= c->rate.at_ns)
		check_rates(c, now_ns, c->rate.at_ns != 0);
	return c->rate.at_ns;
}
